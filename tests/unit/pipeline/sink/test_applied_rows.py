"""Rows are applied once, however often a part is written; failures are reported by row."""

import random
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster_client import surviving_client
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.errors import (
    MissingDeduplicationError,
    MissingFileError,
    RejectedRequestError,
    RowError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.seams import Seams, SeededRandom
from aeron_cluster.pipeline.sink.applied_rows import AppliedRows, forget_clients
from aeron_cluster.pipeline.sink.reports import RejectedRow, combine_reports
from aeron_cluster.pipeline.sink.row_ids import client_id_of
from aeron_cluster.pipeline.sink.row_payloads import Chunk
from aeron_cluster.pipeline.sink.target import ClusterTarget
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime
from tests.conftest import SEED
from tests.unit.cluster_client.surviving_rig import MS, WINDOW, Attempts, Cluster

TARGET = ClusterTarget(ingress_endpoints="0=localhost:9002", timeout_ns=10_000 * MS)


class KilledError(Exception):
    """The end of a task's process."""


class Rig:
    """A cluster driven by the test, and parts of rows written into it."""

    def __init__(self, monkeypatch):
        self.time = VirtualTime()
        self.cluster = Cluster()
        self.cluster.apply = self.apply
        self.applied = []
        self.attempts = Attempts(self.cluster)
        monkeypatch.setattr(surviving_client, "AsyncConnect", self.attempts)
        self.seams = Seams(clock=VirtualClock(time=self.time), random=SeededRandom(1))
        context = SimpleNamespace(now_ns=self.seams.clock.nano_time, seams=self.seams)
        self.aeron = SimpleNamespace(is_closed=False, context=context, drive=lambda: None)
        self.passes_left = -1
        self.commits_a_pass = 3
        self.rejected = set()

    def apply(self, request):
        if request.payload in self.rejected:
            raise RejectedRequestError("no")
        self.applied.append(request.payload)
        return b""

    def idle(self, _work):
        self.time.advance(10 * MS)
        self.cluster.commit(self.commits_a_pass)
        if self.passes_left == 0:
            raise KilledError
        self.passes_left -= 1

    def part(self, client_id=5, attempt=0, **more):
        part = AppliedRows(
            TARGET,
            "w",
            0,
            attempt,
            client_id,
            client_options={"aeron": self.aeron},
            seams=self.seams,
            **more,
        )
        part._idle = SimpleNamespace(idle=self.idle)
        return part

    def known(self):
        return set(self.cluster.requests._clients)


@pytest.fixture
def rig(monkeypatch):
    return Rig(monkeypatch)


def cut(payloads, length):
    return [
        Chunk(first, payloads[first : first + length], list(range(first, first + length)))
        for first in range(0, len(payloads), length)
    ]


ROWS = [b"row %d" % index for index in range(50)]


class Key:
    """A fake Arrow value."""

    def __init__(self, value):
        self.value = value

    def as_py(self):
        return self.value


def test_every_row_is_applied_and_acknowledged(rig):
    report = rig.part().write(cut(ROWS, 20))
    assert rig.applied == ROWS
    assert (report.rows, report.acknowledged, report.applied_before) == (50, 50, 0)
    assert (report.sessions, report.client_id, report.rejected) == (1, 5, 0)


def test_no_further_rows_are_sent_before_those_are_answered(rig):
    def rows():
        for chunk in cut(ROWS, 10):
            assert len(rig.applied) == chunk.first_row
            yield chunk

    rig.part(window_length=2).write(rows())
    assert rig.applied == ROWS


def test_part_killed_at_any_moment_is_applied_once(rig):
    rng = random.Random(SEED)
    attempt = 0
    rig.commits_a_pass = 2
    while True:
        rig.passes_left = rng.randrange(3, 25)
        part = rig.part(attempt=attempt)
        taken = len(rig.applied)
        try:
            report = part.write(cut(ROWS, rng.choice([7, 20])))
        except KilledError:
            attempt += 1
            rig.time.advance(MS)
            assert attempt < 100
            continue
        break
    assert rig.applied == ROWS
    assert attempt > 0
    assert report.rows == report.acknowledged + report.applied_before == 50
    assert report.applied_before >= taken


def test_fewer_rows_with_the_same_key_are_detected(rig):
    rig.part().write(cut(ROWS, 20))
    rig.time.advance(MS)
    text = "partition 0, row 30: end: expected at least 50 rows, which the service has"
    with pytest.raises(RowError, match=text):
        rig.part(attempt=1).write(cut(ROWS[:30], 20))
    assert rig.applied == ROWS


def test_retried_part_without_rows_is_detected(rig):
    rig.part().write(cut(ROWS, 20))
    rig.time.advance(MS)
    with pytest.raises(RowError, match="row 0: end: expected at least 50 rows"):
        rig.part(attempt=1).write([])
    assert rig.part(client_id=6, attempt=1).write([]).rows == 0


def test_rejections_of_an_earlier_attempt_are_unknown(rig):
    rig.rejected = {ROWS[3]}
    assert rig.part().write([Chunk(0, ROWS)]).rejected == 1
    rig.time.advance(MS)
    part = rig.part(attempt=1).write([Chunk(0, ROWS)])
    report = combine_reports([part], -1, "applied", is_complete=True)
    assert (report.acknowledged, report.rejected, report.unconfirmed) == (0, 0, 50)


def test_rows_rejected_by_the_service_are_reported_by_row_and_key(rig):
    rig.rejected = {ROWS[3], ROWS[24]}
    chunks = [
        Chunk(each.first_row, each.payloads, [Key(100 + key) for key in each.keys])
        for each in cut(ROWS, 20)
    ]
    report = rig.part().write(chunks)
    assert rig.applied == [row for row in ROWS if row not in rig.rejected]
    assert (report.acknowledged, report.rejected) == (50, 2)
    assert report.first_rejected == (
        RejectedRow(0, 3, "103", "no"),
        RejectedRow(0, 24, "124", "no"),
    )


def test_many_rejections_are_reported_within_a_limit(rig):
    rig.rejected = set(ROWS)
    report = rig.part().write([Chunk(0, ROWS)])
    assert report.rejected == 50
    assert [each.row for each in report.first_rejected] == list(range(10))


def test_a_too_long_payload_is_reported_by_its_row(rig):
    with pytest.raises(RowError, match="row 2: payload: expected at most 4024 bytes, found 5000"):
        rig.part().write([Chunk(0, [b"a", b"b", bytes(5000)])])


def test_service_without_deduplication_is_named(rig):
    rig.cluster.commit = lambda _: None
    with pytest.raises(MissingDeduplicationError, match="uses Deduplication, found no answer"):
        rig.part().write(cut(ROWS, 20))


def test_a_service_without_room_for_another_client_reports_it(rig):
    cluster = rig.cluster
    cluster.requests = Deduplication(cluster.view, max_clients=1)
    rig.part(client_id=5).write(cut(ROWS, 20))
    with pytest.raises(TimeoutExpiredError, match="found the service has no room for another"):
        rig.part(client_id=6).write(cut(ROWS, 20))
    assert rig.applied == ROWS


def test_forgetting_clients_does_not_wait(tmp_path):
    target = ClusterTarget(ingress_endpoints="0=localhost:9002", aeron_dir=str(tmp_path))
    with pytest.raises(MissingFileError, match=str(tmp_path)):
        forget_clients(target, [5])


def test_a_missing_cluster_is_awaited_until_the_timeout(rig):
    rig.attempts.may_connect = False
    begin = rig.time.now_ns
    with pytest.raises(TimeoutExpiredError, match="row 0: expected a session within 10 s, found"):
        rig.part().write(cut(ROWS, 20))
    assert rig.time.now_ns - begin < 11_000 * MS


def test_service_without_further_answers_is_awaited_until_the_timeout(rig):
    def rows():
        yield Chunk(0, ROWS[:10])
        rig.commits_a_pass = 0
        yield Chunk(10, ROWS[10:20])

    with pytest.raises(
        TimeoutExpiredError, match=r"row \d+: expected (room|answers).* within 10 s"
    ):
        rig.part().write(rows())
    assert rig.applied == ROWS[:10]


def test_rows_may_arrive_late(rig):
    def rows():
        for chunk in cut(ROWS, 10):
            rig.time.advance(3_600_000 * MS)
            yield chunk

    report = rig.part().write(rows())
    assert rig.applied == ROWS
    assert report.acknowledged == 50


def test_a_part_without_rows_needs_no_cluster(rig):
    rig.attempts.may_connect = False
    report = rig.part().write([])
    assert (report.rows, report.sessions, report.client_id) == (0, 0, 0)


def test_service_forgets_unneeded_clients(rig):
    rig.part(client_id=5).write(cut(ROWS, 20))
    rig.time.advance(MS)
    assert rig.known() == {5}
    rig.part(client_id=6, forgotten_id=5).write(cut(ROWS, 20))
    assert rig.known() == {6}
    assert rig.applied == ROWS + ROWS


def test_window_is_the_services_or_a_smaller_one(rig):
    most = 0
    offered = rig.idle

    def idle(work):
        nonlocal most
        kinds = [Envelope.decode(each).kind for _, each in rig.cluster.log]
        most = max(most, kinds.count(EnvelopeKind.REQUEST) - len(rig.applied))
        offered(work)

    for window_length, expected in ((None, WINDOW), (3, 3)):
        rig.cluster.log.clear()
        rig.cluster.committed = rig.cluster.applied_to = 0
        rig.applied.clear()
        most = 0
        part = rig.part(client_id=100 + expected, window_length=window_length)
        part._idle = SimpleNamespace(idle=idle)
        part.write(cut(ROWS, 50))
        assert most == expected


def test_ids_differ_by_write_batch_and_part_and_are_the_same_again():
    names = [
        (write, batch, part) for write in ("a", "b") for batch in (-1, 0, 1) for part in (0, 1)
    ]
    ids = [client_id_of(*name) for name in names]
    assert len(set(ids)) == len(names)
    assert ids == [client_id_of(*name) for name in names]
    assert all(0 < each < 2**63 for each in ids)
    # A writer that continues an earlier version's stream uses its ids.
    assert client_id_of("a", 7, 3) == 2941069300787861922
