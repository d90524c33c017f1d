"""Native services in the real container: every callback, and every call of the cluster's table."""

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint32,
    c_void_p,
    cast,
    string_at,
)
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.codecs.cluster import (
    CancelTimer,
    CloseSession,
    ScheduleTimer,
    SessionMessageHeader,
)
from aeron_cluster.errors import (
    CallbackError,
    ModuleEndedError,
    OperationError,
    ServiceCallbackError,
    ServiceError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from benchmarks.native.build import build_service
from tests.unit.cluster.service.container_rig import (
    FOLLOWER,
    LEADER,
    TERM_ID,
    TIME,
    ContainerRig,
)

SENT, NOT_CONNECTED, BACK_PRESSURED, CLOSED, INVALID = 1, -1, -2, -4, -6
TERMINATE, SNAPSHOT_END = -100, -20


class Session(Structure):
    _fields_ = (
        ("id", c_int64),
        ("response_channel", c_char_p),
        ("encoded_principal", c_void_p),
        ("response_channel_length", c_int32),
        ("encoded_principal_length", c_int32),
        ("response_stream_id", c_int32),
        ("is_closing", c_int32),
    )


class LogHeader(Structure):
    _fields_ = (
        ("position", c_int64),
        ("leadership_term_id", c_int64),
        ("cluster_session_id", c_int64),
    )


class Term(Structure):
    _fields_ = (
        ("leadership_term_id", c_int64),
        ("log_position", c_int64),
        ("timestamp", c_int64),
        ("term_base_log_position", c_int64),
        ("leader_member_id", c_int32),
        ("log_session_id", c_int32),
        ("time_unit", c_int32),
        ("app_version", c_int32),
    )


class Vector(Structure):
    _fields_ = (("data", c_char_p), ("length", c_int32), ("reserved", c_int32))


class Claim(Structure):
    _fields_ = (
        ("data", c_void_p),
        ("length", c_int32),
        ("reserved", c_int32),
        ("host", c_void_p * 2),
    )


SESSION = POINTER(Session)
SNAPSHOT_HANDLER = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int32)


class Cluster(Structure):
    _fields_ = (
        ("version", c_uint32),
        ("size", c_uint32),
        ("host", c_void_p),
        ("time", c_int64),
        ("log_position", c_int64),
        ("leadership_term_id", c_int64),
        ("member_id", c_int32),
        ("role", c_int32),
        ("time_unit", c_int32),
        ("service_id", c_int32),
        ("session_count", c_int32),
        ("reserved", c_int32),
        ("session_offer", CFUNCTYPE(c_int64, c_void_p, SESSION, c_char_p, c_int32)),
        ("session_offerv", CFUNCTYPE(c_int64, c_void_p, SESSION, POINTER(Vector), c_int32)),
        ("session_try_claim", CFUNCTYPE(c_int64, c_void_p, SESSION, c_int32, POINTER(Claim))),
        ("cluster_offer", CFUNCTYPE(c_int64, c_void_p, c_char_p, c_int32)),
        ("cluster_offerv", CFUNCTYPE(c_int64, c_void_p, POINTER(Vector), c_int32)),
        ("cluster_try_claim", CFUNCTYPE(c_int64, c_void_p, c_int32, POINTER(Claim))),
        ("claim_commit", CFUNCTYPE(c_int, c_void_p, POINTER(Claim))),
        ("claim_abort", CFUNCTYPE(c_int, c_void_p, POINTER(Claim))),
        ("schedule_timer", CFUNCTYPE(c_int64, c_void_p, c_int64, c_int64)),
        ("cancel_timer", CFUNCTYPE(c_int64, c_void_p, c_int64)),
        ("session_by_id", CFUNCTYPE(SESSION, c_void_p, c_int64)),
        ("session_at", CFUNCTYPE(SESSION, c_void_p, c_int32)),
        ("close_session", CFUNCTYPE(c_int64, c_void_p, c_int64)),
        ("idle", CFUNCTYPE(c_int, c_void_p, c_int32)),
        ("explain", CFUNCTYPE(None, c_void_p, c_char_p, c_int32)),
        ("snapshot_offer", CFUNCTYPE(c_int64, c_void_p, c_void_p, c_char_p, c_int32)),
        (
            "snapshot_poll",
            CFUNCTYPE(c_int, c_void_p, c_void_p, SNAPSHOT_HANDLER, c_void_p, c_int32),
        ),
    )


KINDS = {
    "on_start": CFUNCTYPE(c_int, c_void_p, POINTER(Cluster), c_void_p),
    "on_session_open": CFUNCTYPE(c_int, c_void_p, SESSION, c_int64),
    "on_session_close": CFUNCTYPE(c_int, c_void_p, SESSION, c_int64, c_int32),
    "on_session_message": CFUNCTYPE(
        c_int, c_void_p, SESSION, c_int64, c_void_p, c_int32, POINTER(LogHeader)
    ),
    "on_timer_event": CFUNCTYPE(c_int, c_void_p, c_int64, c_int64),
    "on_take_snapshot": CFUNCTYPE(c_int, c_void_p, c_void_p),
    "on_role_change": CFUNCTYPE(c_int, c_void_p, c_int32),
    "on_new_leadership_term_event": CFUNCTYPE(c_int, c_void_p, POINTER(Term)),
    "on_terminate": CFUNCTYPE(c_int, c_void_p),
    "do_background_work": CFUNCTYPE(c_int, c_void_p, c_int64),
    "destroy": CFUNCTYPE(None, c_void_p),
}
MUST = ("on_start", "on_session_message", "on_take_snapshot")


class Probe:
    """A native service with functions in Python; `on` maps callbacks to their actions."""

    def __init__(self, *names):
        self.calls = []
        self.results = []
        self.on = {}
        self.table = None
        self.failures = []
        self.functions = {name: KINDS[name](self._calling(name)) for name in {*names, *MUST}}

    def service(self):
        addresses = {name: cast(kept, c_void_p).value for name, kept in self.functions.items()}
        return NativeService.from_functions(addresses, name="probe", keep_alive=self)

    def _calling(self, name):
        def called(_, *values):
            try:
                if name == "on_start":
                    self.table = values[0].contents
                    values = values[1:]
                if name == "on_session_message":
                    session, timestamp, data, length, header = values
                    values = (
                        session,
                        timestamp,
                        string_at(data, length),
                        LogHeader.from_buffer_copy(header.contents),
                    )
                self.calls.append((name, *values))
                return self.on[name](*values) if name in self.on else 0
            except BaseException as error:
                self.failures.append(error)
                raise

        return called

    def named(self, name):
        return [values for kind, *values in self.calls if kind == name]

    def call(self, name, *values):
        """Call a function of the cluster's table."""
        result = getattr(self.table, name)(self.table.host, *values)
        self.results.append(result)
        return result


@pytest.fixture
def rig(shm_dir: Path):
    rig = ContainerRig(shm_dir)
    try:
        yield rig
    finally:
        rig.close()


def during(rig, probe, call):
    """Run a call within a message's callback; return its result."""
    results = []

    def message(*_):
        results.append(call())
        return 0

    probe.on["on_session_message"] = message
    rig.message(-5, b"")
    rig.commit()
    (result,) = results
    assert probe.failures == []
    return result


def test_every_callback_gets_its_arguments(rig):
    probe = Probe(*KINDS)
    rig.lead(probe.service())
    rig.open(7, principal=b"me")
    position = rig.message(7, b"hello", timestamp=TIME + 1)
    rig.timer(12, TIME + 2)
    rig.close_session(7)
    seen = []

    def message(session, timestamp, data, header):
        session = session.contents
        seen.append(
            (
                session.id,
                session.response_channel,
                string_at(session.encoded_principal, session.encoded_principal_length),
                timestamp,
                data,
                header.position,
                header.leadership_term_id,
                header.cluster_session_id,
                probe.table.time,
                probe.table.log_position,
                probe.table.role,
                probe.table.session_count,
            )
        )
        return 0

    def term(event):
        event = event.contents
        seen.append((event.leadership_term_id, event.leader_member_id, event.app_version))
        return 0

    probe.on["on_session_message"] = message
    rig.commit()
    assert seen == [
        (
            7, b"aeron:ipc?term-length=64k", b"me", TIME + 1, b"hello", position, TERM_ID, 7,
            TIME + 1, position, 2, 1,
        )
    ]  # fmt: skip
    assert probe.named("on_timer_event") == [[12, TIME + 2]]
    ((_, timestamp),) = probe.named("on_session_open")
    assert timestamp == TIME
    ((_, _, reason),) = probe.named("on_session_close")
    assert reason == 0
    assert probe.named("on_role_change") == [[2]]
    seen.clear()
    probe.on["on_new_leadership_term_event"] = term
    rig.term()
    rig.commit()
    assert seen == [(TERM_ID, 5, 1)]
    assert probe.table.leadership_term_id == TERM_ID
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert len(probe.named("on_terminate")) == 1
    assert len(probe.named("destroy")) == 1
    assert probe.named("do_background_work")
    assert rig.errors == probe.failures == []


def test_missing_callbacks_are_skipped(rig):
    probe = Probe()
    rig.lead(probe.service())
    rig.open(7)
    rig.timer(1)
    rig.close_session(7)
    rig.message(-9, b"service's")
    rig.commit()
    ((session, _, data, header),) = probe.named("on_session_message")
    assert not session
    assert (data, header.cluster_session_id) == (b"service's", -9)
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert rig.errors == []


def test_the_leader_answers_by_offer_vectors_and_claim(rig):
    egress = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 102)
    observed = []
    probe = Probe()
    rig.lead(probe.service())
    rig.open(7)
    rig.commit()
    rig.rest()

    def answer():
        session = probe.call("session_by_id", 7)
        assert session.contents.id == 7
        assert ctypes.addressof(probe.call("session_at", 0).contents) == ctypes.addressof(
            session.contents
        )
        assert not probe.call("session_at", 1)
        assert not probe.call("session_by_id", 8)
        while probe.call("session_offer", session, b"offered", 7) < 0:
            assert probe.call("idle", 0) == 0
        parts = (Vector * 2)((b"vec", 3), (b"tors", 4))
        assert probe.call("session_offerv", session, parts, 2) > 0
        claim = Claim()
        assert probe.call("session_try_claim", session, 5, byref(claim)) > 0
        assert claim.length == 5
        ctypes.memmove(claim.data, b"claim", 5)
        assert probe.call("claim_commit", byref(claim)) == 0
        assert probe.call("claim_commit", byref(claim)) == INVALID
        assert probe.call("session_try_claim", session, 5, byref(claim)) > 0
        assert probe.call("claim_abort", byref(claim)) == 0
        assert probe.call("session_offer", session, b"", -1) == INVALID
        assert probe.call("session_offerv", session, parts, 1000) == INVALID

    during(rig, probe, answer)
    rig.until(
        lambda: egress.poll(lambda m, _: observed.append(bytes(m))) is None or len(observed) == 3
    )
    assert [message[32:] for message in observed] == [b"offered", b"vectors", b"claim"]
    assert SessionMessageHeader.decode(observed[0]).timestamp == TIME


INVALID_CALLS = {
    "session_offer": [(None, b"", 0), ("session", b"", -1)],
    "session_offerv": [(None, None, 0), ("session", None, -1), ("session", "negative", 2)],
    "session_try_claim": [(None, 5, "claim"), ("session", -1, "claim")],
    "cluster_offer": [(b"", -1)],
    "cluster_offerv": [(None, -1), ("negative", 2), ("negative", 1000)],
    "cluster_try_claim": [(-1, "claim")],
    "claim_commit": [("claim",)],
    "claim_abort": [("claim",)],
    "snapshot_offer": [(None, b"", 0)],
    "snapshot_poll": [(None, SNAPSHOT_HANDLER(lambda *_: 0), None, 1)],
}


@pytest.mark.parametrize("role", [FOLLOWER, LEADER])
def test_invalid_arguments_are_rejected_and_the_service_continues(rig, role):
    probe = Probe()
    rig.start(probe.service())
    rig.join(role)
    rig.term()
    rig.open(7)
    rig.commit()

    def call_all():
        given = {
            "session": probe.call("session_by_id", 7),
            "negative": (Vector * 2)((b"vec", 3), (b"tors", -4)),
            "claim": byref(Claim()),
        }
        for name, calls in INVALID_CALLS.items():
            for call in calls:
                values = [given.get(each) if isinstance(each, str) else each for each in call]
                assert probe.call(name, *values) == INVALID, (name, call)
        assert not probe.call("session_at", -1)
        probe.call("explain", b"nothing", -1)

    during(rig, probe, call_all)
    assert rig.observed == []
    assert rig.errors == []


def test_a_claim_ends_once(rig):
    probe = Probe()
    rig.lead(probe.service())

    def send():
        claim = Claim()
        for end, again in (("claim_abort", "claim_commit"), ("claim_commit", "claim_abort")):
            assert probe.call("cluster_try_claim", 3, byref(claim)) > 0
            ctypes.memmove(claim.data, b"one", 3)
            assert probe.call(end, byref(claim)) == 0
            for each in (end, again):
                assert probe.call(each, byref(claim)) == INVALID

    during(rig, probe, send)
    rig.next(SessionMessageHeader)
    assert rig.payload == b"one"
    rig.rest()
    assert rig.observed == []


def test_a_leader_sends_nothing_to_a_session_without_a_working_channel(rig):
    probe = Probe()
    rig.lead(probe.service())
    rig.open(7, channel="aeron:udp?endpoint=localhost")
    rig.commit()
    rig.rest()

    def answer():
        session = probe.call("session_by_id", 7)
        parts = (Vector * 1)((b"vec", 3))
        claim = Claim(length=9)
        assert probe.call("session_offer", session, b"offered", 7) == NOT_CONNECTED
        assert probe.call("session_offerv", session, parts, 1) == NOT_CONNECTED
        assert probe.call("session_try_claim", session, 5, byref(claim)) == NOT_CONNECTED
        assert (claim.data, claim.length) == (None, 0)

    during(rig, probe, answer)


def test_committed_claims_count_for_the_divergence_guard(rig):
    egress = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 102)
    probe = Probe()
    rig.lead(probe.service(), divergence_interval=1)
    rig.open(7)
    rig.commit()
    rig.rest()
    guard = rig.container._conductor._guard
    counts = []

    def claim(end, name, *values):
        claimed = Claim()
        while probe.call(name, *values, byref(claimed)) < 0:
            assert probe.call("idle", 0) == 0
        ctypes.memmove(claimed.data, b"text", 4)
        before = guard.effect_count
        assert probe.call(end, byref(claimed)) == 0
        counts.append(guard.effect_count - before)

    def claim_hash_after(end):
        """End a claim of each kind in one event; return the hash of the egress's content."""

        def claim_both():
            claim(end, "session_try_claim", probe.call("session_by_id", 7), 4)
            claim(end, "cluster_try_claim", 4)

        during(rig, probe, claim_both)
        probe.on.clear()
        rig.message(-5, b"")  # with it, the event before is complete
        rig.commit()
        return guard.checkpoints()[-1].claim_hash

    assert claim_hash_after("claim_commit") != 0
    # Sent to the cluster, it is an effect; the content of an egress has a hash of its own.
    assert counts == [0, 1]
    counts.clear()
    assert claim_hash_after("claim_abort") == 0
    assert counts == [0, 0]
    egress.close()


def test_a_follower_mocks_offers(rig):
    probe = Probe()
    rig.start(probe.service())
    rig.join(FOLLOWER)
    rig.term()
    rig.open(7)
    rig.commit()

    def answer():
        session = probe.call("session_by_id", 7)
        assert probe.call("session_offer", session, b"offered", 7) == SENT
        claim = Claim()
        assert probe.call("session_try_claim", session, 1000, byref(claim)) == SENT
        ctypes.memmove(claim.data, b"x" * 1000, 1000)
        assert probe.call("claim_commit", byref(claim)) == 0
        assert probe.call("session_try_claim", session, 70_000, byref(claim)) == INVALID

    during(rig, probe, answer)


@pytest.mark.parametrize("role", [FOLLOWER, LEADER])
@pytest.mark.parametrize("call", ["session_offer", "session_offerv", "session_try_claim"])
def test_undeliverable_answer_counts_as_sent_on_every_member(rig, role, call):
    probe, message, is_claimed = Probe(), b"x" * 20_000, call == "session_try_claim"
    rig.start(probe.service(), on_callback_error="terminate")
    rig.join(role)
    rig.term()
    for session_id in (7, 8):
        rig.open(session_id, "aeron:ipc?term-length=64k")
    rig.commit()
    claim, parts = Claim(), (Vector * 2)((message, 15_000), (message, 5_000))
    given = {
        "session_offer": (message, len(message)),
        "session_offerv": (parts, 2),
        "session_try_claim": (len(message), byref(claim)),
    }
    results = []

    def answer(session, *_):
        for _ in range(2):
            results.append(probe.call(call, session, *given[call]))
            if is_claimed:
                assert claim.length == len(message)
                ctypes.memmove(claim.data, message, len(message))
                assert probe.call("claim_commit", byref(claim)) == 0
        return min(results)

    probe.on["on_session_message"] = answer
    positions = [rig.message(7, b"")]
    rig.close_session(7)  # reported though it is closed in the same pass
    positions.append(rig.message(8, b""))
    rig.commit()
    rig.rest()
    assert results == [SENT] * 4
    assert rig.ended == 0
    assert probe.failures == []
    if role == FOLLOWER:
        assert rig.errors == []
        return
    assert [type(each) for each in rig.errors] == [ServiceError] * 2  # once per session
    assert [each.log_position for each in rig.errors] == positions
    for session_id, error in zip((7, 8), rig.errors, strict=True):
        assert f"session {session_id} was not sent a message" in str(error)


def test_service_requests_reach_the_module(rig):
    probe = Probe()
    rig.lead(probe.service())
    rig.open(7)
    rig.commit()

    def send_request():
        assert probe.call("cluster_offer", b"one", 3) > 0
        parts = (Vector * 2)((b"t", 1), (b"wo", 2))
        assert probe.call("cluster_offerv", parts, 2) > 0
        claim = Claim()
        assert probe.call("cluster_try_claim", 5, byref(claim)) > 0
        ctypes.memmove(claim.data, b"three", 5)
        assert probe.call("claim_commit", byref(claim)) == 0
        assert probe.call("schedule_timer", 8, TIME + 9) > 0
        assert probe.call("cancel_timer", 9) > 0
        assert probe.call("close_session", 7) > 0
        assert probe.call("session_by_id", 7).contents.is_closing == 1
        assert probe.call("close_session", 7) == SENT
        assert probe.call("close_session", 8) == INVALID

    during(rig, probe, send_request)
    for expected in (b"one", b"two", b"three"):
        assert rig.next(SessionMessageHeader).cluster_session_id == 0
        assert rig.payload == expected
    timer = rig.next(ScheduleTimer)
    assert (timer.correlation_id, timer.deadline) == (8, TIME + 9)
    assert rig.next(CancelTimer).correlation_id == 9
    assert rig.next(CloseSession).cluster_session_id == 7
    rig.rest()
    assert rig.observed == []


@pytest.mark.parametrize(
    "name", ["on_start", "on_take_snapshot", "on_role_change", "on_terminate", "do_background_work"]
)
def test_callbacks_outside_the_log_may_not_send_and_attempts_are_reported(rig, name):
    probe = Probe(name)

    def attempt(*_):
        del probe.on[name]
        claim = Claim()
        assert probe.call("cluster_offer", b"", 0) == INVALID
        assert probe.call("cluster_offerv", None, 0) == INVALID
        assert probe.call("cluster_try_claim", 1, byref(claim)) == INVALID
        assert probe.call("schedule_timer", 1, 1) == INVALID
        assert probe.call("cancel_timer", 1) == INVALID
        assert probe.call("close_session", 1) == INVALID
        assert probe.call("session_offer", None, b"", 0) == INVALID
        if name == "do_background_work":
            assert probe.call("idle", 0) == INVALID
        return 0

    probe.on[name] = attempt
    rig.recover()
    rig.launch(probe.service())
    if name != "on_start":
        rig.ack()
        rig.join()
        rig.term()
        rig.action()
        rig.commit()
        rig.rest()
        rig.terminate_at(rig.position)
    rig.until(lambda: rig.errors)
    error = rig.errors[0]
    while error.__cause__ is not None:
        error = error.__cause__
    assert isinstance(error, CallbackError)
    assert error.callback == name
    assert probe.failures == []


def test_failure_is_reported_with_its_explanation_and_the_next_event_follows(rig):
    probe = Probe("on_timer_event")

    def fail(*_):
        probe.call("explain", b"no such order", 13)
        return -42

    probe.on["on_session_message"] = fail
    probe.on["on_timer_event"] = lambda *_: -7
    rig.lead(probe.service())
    position = rig.message(7, b"one")
    rig.timer(1)
    rig.message(7, b"two")
    rig.commit()
    assert len(probe.named("on_session_message")) == 2
    first, timer, second = rig.errors
    assert isinstance(first, ServiceCallbackError)
    assert (first.callback, first.log_position, first.cluster_session_id) == (
        "on_session_message", position, 7,
    )  # fmt: skip
    assert isinstance(first.__cause__, OperationError)
    assert first.__cause__.code == -42
    assert "no such order" in str(first.__cause__)
    assert (timer.callback, timer.__cause__.code) == ("on_timer_event", -7)
    assert "no explanation" in str(timer.__cause__)
    assert second.log_position == rig.position


def test_a_service_may_end_the_container(rig):
    probe = Probe()
    probe.on["on_session_message"] = lambda *_: TERMINATE
    rig.lead(probe.service())
    rig.message(7, b"one")
    rig.message(7, b"two")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert len(probe.named("on_session_message")) == 1
    assert rig.errors == []


@pytest.mark.parametrize("result", [NOT_CONNECTED, -42, 0])
def test_a_service_that_finds_no_module_gets_no_further_event_whatever_it_returns(rig, result):
    probe = Probe()

    def offer(*_):
        assert probe.call("cluster_offer", b"one", 3) == NOT_CONNECTED
        assert probe.call("schedule_timer", 1, TIME) == NOT_CONNECTED
        assert probe.call("idle", 0) == CLOSED
        return result

    probe.on["on_session_message"] = offer
    rig.lead(probe.service())
    rig.from_services.close()
    rig.from_services = SimpleNamespace(poll=lambda *_: 0)
    rig.rest()  # until the driver has noticed
    rig.message(7, b"one")
    rig.message(7, b"never")
    rig.commit()
    assert len(probe.named("on_session_message")) == 1
    rig.until(lambda: rig.ended)
    assert isinstance(rig.container.failure, ModuleEndedError)
    assert rig.errors == []
    assert probe.failures == []


def test_rejected_call_of_a_waiting_callback_is_not_its_background_works(rig):
    probe = Probe("on_role_change", "do_background_work")

    def send_and_wait(*_):
        count = len(probe.named("do_background_work"))
        assert probe.call("cluster_offer", b"", 0) == INVALID
        while len(probe.named("do_background_work")) == count:
            assert probe.call("idle", 0) == 0
        return 0

    rig.lead(probe.service())
    probe.on["on_role_change"] = send_and_wait
    rig.join(role=FOLLOWER)
    rig.until(lambda: rig.errors)
    assert [each.callback for each in rig.errors] == ["on_role_change"]
    assert probe.failures == []


def test_explanation_of_a_waiting_callback_is_not_its_background_works(rig):
    probe = Probe("do_background_work")

    def wait_and_fail(*_):
        count = len(probe.named("do_background_work"))
        probe.call("explain", b"no such order", 13)
        while len(probe.named("do_background_work")) == count:
            assert probe.call("idle", 0) == 0
        return -42

    rig.lead(probe.service())
    probe.on["on_session_message"] = wait_and_fail
    probe.on["do_background_work"] = lambda *_: -7
    rig.message(7, b"one")
    rig.commit()
    assert probe.failures == []
    by_callback = {each.callback: str(each.__cause__) for each in rig.errors}
    assert "no such order" in by_callback["on_session_message"]
    assert "no such order" not in by_callback["do_background_work"]


def test_explanation_of_background_work_is_not_the_waiting_callbacks(rig):
    probe = Probe("do_background_work")

    def wait_and_fail(*_):
        count = len(probe.named("do_background_work"))
        while len(probe.named("do_background_work")) == count:
            assert probe.call("idle", 0) == 0
        return -42

    def explain(*_):
        probe.call("explain", b"all is well", 11)
        return 0

    rig.lead(probe.service())
    probe.on["on_session_message"] = wait_and_fail
    probe.on["do_background_work"] = explain
    rig.message(7, b"one")
    rig.commit()
    assert probe.failures == []
    [error] = rig.errors
    assert "no explanation" in str(error.__cause__)


def test_explanation_of_a_callback_that_did_not_fail_is_not_the_next_ones(rig):
    probe = Probe()

    def explain(*_):
        probe.call("explain", b"no such order", 13)
        probe.on["on_session_message"] = lambda *_: -42
        return 0

    rig.lead(probe.service())
    probe.on["on_session_message"] = explain
    rig.message(7, b"one")
    rig.message(7, b"two")
    rig.commit()
    assert probe.failures == []
    [error] = rig.errors
    assert "no explanation" in str(error.__cause__)


def test_waiting_ends_when_the_module_ends(rig):
    probe = Probe()

    def wait(*_):
        rig.commit_position.close()
        while probe.call("idle", 0) == 0:
            pass
        assert probe.results[-1] == CLOSED
        assert probe.call("idle", 0) == CLOSED
        return TERMINATE

    probe.on["on_session_message"] = wait
    rig.lead(probe.service())
    rig.message(7, b"")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert probe.failures == []


def test_a_snapshot_is_written_and_read(rig):
    blocks = [bytes([index]) * (100 + 40 * index) for index in range(200)]

    def write(writer):
        for block in blocks:
            while (result := probe.call("snapshot_offer", writer, block, len(block))) < 0:
                assert result == BACK_PRESSURED or result in (-1, -3)
                assert probe.call("idle", 0) == 0
        return 0

    probe = Probe()
    probe.on["on_take_snapshot"] = write
    rig.lead(probe.service())
    rig.open(2)
    rig.commit()
    position = rig.action()
    rig.commit()
    _, _, recording_id = rig.ack()
    assert probe.failures == []
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)
    read = []

    def read_all(source):
        @SNAPSHOT_HANDLER
        def take(_, data, length):
            read.append(string_at(data, length))
            return 0

        assert restored.table.session_count == 1
        while (count := restored.call("snapshot_poll", source, take, None, 3)) >= 0:
            assert count <= 3
            assert restored.call("idle", count) == 0
        assert count == SNAPSHOT_END
        return 0

    restored = Probe()
    restored.on["on_start"] = read_all
    rig.launch(restored.service())
    assert rig.ack()[2] == rig.container.cluster.aeron.client_id
    assert restored.failures == []
    assert read == blocks


def test_the_result_of_a_snapshot_handler_ends_the_poll(rig):
    recording_id = None
    probe = Probe()
    probe.on["on_take_snapshot"] = lambda writer: min(
        probe.call("snapshot_offer", writer, b"one", 3), 0
    )
    rig.lead(probe.service())
    position = rig.action()
    rig.commit()
    _, _, recording_id = rig.ack()
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)

    def read(source):
        take = SNAPSHOT_HANDLER(lambda *_: -77)
        while (result := restored.call("snapshot_poll", source, take, None, 3)) == 0:
            restored.call("idle", 0)
        return result

    restored = Probe()
    restored.on["on_start"] = read
    container = rig.launch(restored.service())
    assert rig.ack()[2] == -1
    rig.until(lambda: container.is_terminated)
    assert rig.errors[0].__cause__.code == -77


def test_the_echo_in_c_answers(rig, tmp_path):
    egress = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 102)
    observed = []
    library = build_service("echo_service", tmp_path)
    rig.lead(NativeService.load(library, "echo_service"))
    rig.open(7)
    rig.commit()
    assembler = FragmentAssembler(lambda message, _: observed.append(bytes(message)))
    messages = [bytes([number & 255]) * (number * 11 % 3000) for number in range(300)]
    for count, message in enumerate(messages, 1):
        rig.message(7, message)
        rig.commit()
        rig.until(lambda count=count: egress.poll(assembler) is None or len(observed) == count)
    assert [message[32:] for message in observed] == messages
    assert rig.errors == []


def test_the_order_book_in_c_is_restored_from_its_snapshot(rig, tmp_path):
    library = build_service("order_matching", tmp_path)
    rig.lead(NativeService.load(library, "order_matching"))
    position = rig.action()
    rig.commit()
    _, _, recording_id = rig.ack()
    assert recording_id >= 0
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)
    rig.launch(NativeService.load(library, "order_matching"))
    assert rig.ack()[2] != -1
    assert rig.errors == []
