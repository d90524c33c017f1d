"""The table of requests for native services gives the same results as the one in Python."""

import ctypes
import shlex
import struct
import subprocess
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.deduplication import Deduplication, NotAccepted, Request
from aeron_cluster.codecs.request_envelope import ENVELOPE_LENGTH, Envelope, EnvelopeKind
from aeron_cluster.errors import CorruptError
from aeron_cluster.native import get_include
from benchmarks.native.build import FLAGS, WARNINGS
from tests.unit.cluster.service.fake_cluster import FakeCluster, Snapshot

FOREIGN, HANDLED, ACCEPTED, REJECTED, CORRUPT = 0, 1, 2, 3, -2
NOT_ACCEPTED = {
    FOREIGN: NotAccepted.FOREIGN,
    HANDLED: NotAccepted.HANDLED,
    REJECTED: NotAccepted.REJECTED,
}
MAX_CLIENTS, WINDOW, IDLE_NS = 3, 4, 1_000_000_000
SESSIONS = (1, 2)
OUTPUT = ctypes.create_string_buffer(1 << 20)


class CRequest(ctypes.Structure):
    _fields_ = (
        ("client_id", ctypes.c_int64),
        ("sequence", ctypes.c_int64),
        ("payload", ctypes.c_void_p),
        ("payload_length", ctypes.c_int32),
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    target = tmp_path_factory.mktemp("deduplication") / "deduplication_host.so"
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))
    source = Path(__file__).parent / "deduplication_host.c"
    include = ["-I", get_include()]
    subprocess.run(
        [*compiler, *FLAGS, *WARNINGS, *include, str(source), "-o", str(target)], check=True
    )
    library = ctypes.CDLL(str(target))
    pointer, number, short, data = (
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_int32,
        ctypes.c_char_p,
    )
    for name, result, arguments in (
        ("host_new", pointer, []),
        ("host_free", None, [pointer]),
        ("host_open", None, [pointer, number]),
        ("host_close", None, [pointer, number]),
        ("host_reject", None, [pointer, number]),
        ("host_take_output", short, [pointer, pointer]),
        ("table_new", pointer, [pointer, short, short, number]),
        ("table_free", None, [pointer]),
        ("table_take", short, [pointer, pointer, number, number, data, short, pointer]),
        ("table_answer", short, [pointer, pointer, data, short]),
        ("table_fail", short, [pointer, pointer, data]),
        ("table_reject", short, [pointer, pointer, data]),
        ("table_write", short, [pointer]),
        ("table_load", short, [pointer, data, short]),
        ("table_is_loaded", short, [pointer]),
        ("table_count", number, [pointer, short]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Native:
    """The table in C."""

    def __init__(self, library):
        self.library = library
        self.host = library.host_new()
        self.table = library.table_new(self.host, MAX_CLIENTS, WINDOW, IDLE_NS)

    def close(self):
        self.library.table_free(self.table)
        self.library.host_free(self.host)

    def open(self, session_id):
        self.library.host_open(self.host, session_id)

    def close_session(self, session_id):
        self.library.host_close(self.host, session_id)

    def reject(self, result):
        self.library.host_reject(self.host, result)

    def accept(self, session_id, timestamp, message):
        request = CRequest()
        result = self.library.table_take(
            self.table, self.host, session_id, timestamp, message, len(message),
            ctypes.byref(request),
        )  # fmt: skip
        if result != ACCEPTED:
            return NOT_ACCEPTED[result]
        payload = ctypes.string_at(request.payload, request.payload_length)
        return request.client_id, request.sequence, payload

    def answer(self, client_id, sequence, body):
        request = CRequest(client_id, sequence, None, 0)
        result = self.library.table_answer(self.table, ctypes.byref(request), body, len(body))
        assert result == HANDLED

    def fail(self, client_id, sequence, reason):
        request = CRequest(client_id, sequence, None, 0)
        result = self.library.table_fail(self.table, ctypes.byref(request), reason.encode())
        assert result == HANDLED

    def decline(self, client_id, sequence, reason):
        request = CRequest(client_id, sequence, None, 0)
        result = self.library.table_reject(self.table, ctypes.byref(request), reason.encode())
        assert result == HANDLED

    def sent(self):
        length = self.library.host_take_output(self.host, OUTPUT)
        data, at, sent = OUTPUT.raw[:length], 0, []
        while at < length:
            session_id, size = struct.unpack_from("<qi", data, at)
            sent.append((session_id, data[at + 12 : at + 12 + size]))
            at += 12 + size
        return sent

    def counts(self):
        return [self.library.table_count(self.table, which) for which in range(5)]

    def snapshot(self):
        assert self.library.table_write(self.table) == 0
        return [record for _, record in self.sent()]

    def load(self, record):
        return self.library.table_load(self.table, record, len(record))

    @property
    def is_loaded(self):
        return bool(self.library.table_is_loaded(self.table))


class Model:
    """The table in Python."""

    def __init__(self):
        self.cluster = FakeCluster()
        self.table = Deduplication(
            self.cluster, max_clients=MAX_CLIENTS, window_length=WINDOW, idle_timeout_ns=IDLE_NS
        )

    def open(self, session_id):
        self.cluster.open(session_id)

    def close_session(self, session_id):
        self.cluster.close(session_id)

    def reject(self, result):
        for session in self.cluster.sessions.values():
            session.results = [NotSent(result)] if result else []

    def accept(self, session_id, timestamp, message):
        session = self.cluster.get_client_session(session_id)
        request = self.table.accept(session, timestamp, message)
        return request and (request.client_id, request.sequence, request.payload)

    def answer(self, client_id, sequence, body):
        self.table.answer(Request(client_id, sequence, b"", 0, 0), body)

    def fail(self, client_id, sequence, reason):
        self.table.fail(Request(client_id, sequence, b"", 0, 0), reason)

    def decline(self, client_id, sequence, reason):
        self.table.reject(Request(client_id, sequence, b"", 0, 0), reason)

    def sent(self):
        return [
            (session_id, envelope.encode(body))
            for session_id, session in self.cluster.sessions.items()
            for envelope, body in session.take()
        ]

    def counts(self):
        table = self.table
        return [table.duplicates, table.rejected, table.unsent, len(table), table.lost]

    def snapshot(self):
        snapshot = Snapshot()
        self.table.write_snapshot(snapshot)
        return snapshot.messages


KINDS = [EnvelopeKind.REQUEST] * 6 + [EnvelopeKind.OPEN] * 2 + [EnvelopeKind.FORGET]
MESSAGES = st.builds(
    Envelope,
    st.sampled_from([*KINDS, EnvelopeKind.ANSWER]),
    st.integers(1, 5),
    st.integers(1, 2),
    st.integers(0, 6),
    st.integers(-1, 5),
)
STEPS = st.lists(
    st.tuples(
        MESSAGES,
        st.sampled_from([1] * 9 + [2]),
        st.sampled_from([47] * 9 + [8, 39]),
        st.sampled_from([0, *SESSIONS, *SESSIONS, *SESSIONS]),
        st.integers(0, 400),
        st.sampled_from(
            ["answer", "answer", "answer", "fail", "decline", "later", "rejected", "close"]
        ),
        st.sampled_from([b"", b"ok", bytes(5000), bytes(8192)]),
    ),
    min_size=1,
    max_size=60,
)


@given(steps=STEPS)
def test_both_return_the_same_for_all_input(library, steps):
    native, model = Native(library), Model()
    both = (native, model)
    try:
        for session_id in SESSIONS:
            for each in both:
                each.open(session_id)
        now_ms, later = 0, []
        for envelope, version, length, session_id, pause_ms, then, body in steps:
            now_ms += pause_ms
            message = envelope.encode(b"payload")[:length]
            message = message[:4] + struct.pack("<H", version) + message[6:]
            found = native.accept(session_id, now_ms, message)
            assert found == model.accept(session_id, now_ms, message)
            if found:
                client_id, sequence, payload = found
                assert payload == b"payload"
                if then == "later":
                    later.append((client_id, sequence))
                elif then in ("fail", "decline"):
                    for each in both:
                        getattr(each, then)(client_id, sequence, "no")
                else:
                    for each in both:
                        if then == "rejected":
                            each.reject(NotSent.NOT_CONNECTED)
                        each.answer(client_id, sequence, body)
                        each.reject(0)
            assert sorted(native.sent()) == sorted(model.sent())
            assert native.counts() == model.counts()
            if then == "close" and session_id:
                for each in both:
                    each.close_session(session_id)
                    each.open(session_id)
            elif then == "rejected" and later:
                for each in both:
                    each.answer(*later[-1], b"late")
                later.pop()
        records = model.snapshot()
        assert native.snapshot() == records
        check_loaded(library, model, records)
    finally:
        native.close()


def check_loaded(library, model, records):
    """Load the snapshot of each into the other, which writes it unchanged; damage is detected."""
    fresh = Native(library)
    try:
        assert [fresh.load(record) for record in records] == [HANDLED] * len(records)
        assert fresh.is_loaded
        assert fresh.snapshot() == records
        assert fresh.load(records[0]) == CORRUPT
    finally:
        fresh.close()
    if len(records) > 1:
        cut = Native(library)
        try:
            results = [cut.load(record) for record in records[1:]]
            assert results[-1] == CORRUPT
            assert not cut.is_loaded
        finally:
            cut.close()
    other = Model()
    assert all(map(other.table.load, records))
    other.table.check_loaded()
    assert other.snapshot() == model.snapshot()


@given(data=st.binary(max_size=200), kind=st.integers(30, 36), whole=st.booleans())
def test_nonsense_in_a_snapshot_is_rejected_by_both(library, data, kind, whole):
    message = Envelope(EnvelopeKind.OPEN, 1, 1, 1, 1).encode(data)
    message = message[:6] + struct.pack("<H", kind) + message[8:]
    if not whole:
        message = message[: ENVELOPE_LENGTH - 1]
    native = Native(library)
    try:
        found = native.load(message)
        is_client = kind == EnvelopeKind.SNAPSHOT_CLIENT and len(data) == 16
        if not whole:
            assert found == FOREIGN
        else:
            assert found == (HANDLED if is_client else CORRUPT)
    finally:
        native.close()
    if whole and kind in (33, 34):
        with pytest.raises(CorruptError):
            Model().table.load(message)


def test_a_message_without_an_envelope_is_the_services_own(library):
    native = Native(library)
    try:
        request = CRequest()
        for message in (b"", b"hello", bytes(100)):
            found = library.table_take(
                native.table, native.host, 1, 0, message, len(message), ctypes.byref(request)
            )
            assert found == FOREIGN
    finally:
        native.close()


def test_unacceptable_row_is_rejected_by_name(library):
    native, model = Native(library), Model()
    whole = Envelope(EnvelopeKind.REQUEST, 1, 1, 1).encode(b"payload")
    try:
        for each in (native, model):
            each.open(1)
        for message, expected in (
            (whole[:4] + struct.pack("<H", 2) + whole[6:], NotAccepted.REJECTED),
            (whole[:6] + struct.pack("<H", 99) + whole[8:], NotAccepted.REJECTED),
            (whole[:8], NotAccepted.REJECTED),
            (whole[:7], NotAccepted.FOREIGN),
            (whole[1:], NotAccepted.FOREIGN),
        ):
            assert native.accept(1, 0, message) is expected
            assert model.accept(1, 0, message) is expected
        assert native.counts() == model.counts() == [0, 3, 0, 0, 0]
        assert model.table.foreign == 2
        assert native.sent() == model.sent() == []
    finally:
        native.close()
