"""Rows are offered until they are accepted, through ended sessions, and within the timeout."""

from types import SimpleNamespace

import pytest

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.errors import ClosedError, MessageError, RowError, TimeoutExpiredError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.sink import offered_rows
from aeron_cluster.pipeline.sink.offered_rows import OfferedRows
from aeron_cluster.pipeline.sink.row_payloads import Chunk
from aeron_cluster.pipeline.sink.target import ClusterTarget
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime

MS = 1_000_000
TARGET = ClusterTarget(ingress_endpoints="0=localhost:9002", timeout_ns=5_000 * MS)
ROWS = [b"row %d" % index for index in range(200)]


class Session:
    """A fake AeronCluster."""

    def __init__(self, rig):
        self.rig = rig
        self.is_over = self.is_closed = False

    def offer(self, payload):
        if self.is_over:
            raise ClosedError("the session is over")
        if len(payload) > 1000:
            raise MessageError("message", "at most 1000 bytes", len(payload))
        if self.rig.room == 0:
            return NotSent.BACK_PRESSURED
        self.rig.room -= 1
        self.rig.offered.append(payload)
        return 64

    def poll_egress(self, limit):
        if self.is_over:
            raise ClosedError("the session is over")
        taken, self.rig.reported = min(limit, self.rig.reported), max(0, self.rig.reported - limit)
        return taken

    def close(self):
        self.is_closed = True


class Rig:
    def __init__(self, monkeypatch):
        self.time = VirtualTime()
        self.room = 10_000
        self.reported = 0
        self.offered = []
        self.sessions = []
        self.on_idle = []
        monkeypatch.setattr(offered_rows, "AeronCluster", SimpleNamespace(connect=self.connect))
        seams = Seams(clock=VirtualClock(time=self.time))
        self.part = OfferedRows(TARGET, "w", 3, 1, seams)
        self.part._idle = SimpleNamespace(idle=self.idle)

    def connect(self, _properties, **_options):
        self.sessions.append(Session(self))
        return self.sessions[-1]

    def idle(self, _work):
        self.time.advance(10 * MS)
        if self.on_idle:
            self.on_idle.pop(0)()


@pytest.fixture
def rig(monkeypatch):
    return Rig(monkeypatch)


def test_every_row_is_offered_over_one_session(rig):
    report = rig.part.write([Chunk(0, ROWS[:90]), Chunk(90, ROWS[90:])])
    assert rig.offered == ROWS
    assert (report.rows, report.offered, report.acknowledged) == (200, 200, 0)
    assert (report.partition, report.attempt, report.sessions) == (3, 1, 1)
    assert [each.is_closed for each in rig.sessions] == [True]


def test_an_offer_without_room_is_repeated_within_the_agreed_time(rig):
    rig.room = 50
    rig.on_idle = [lambda: None, lambda: setattr(rig, "room", 100)]
    with pytest.raises(TimeoutExpiredError, match="partition 3, row 150: expected room for a row"):
        rig.part.write([Chunk(0, ROWS)])
    assert rig.offered == ROWS[:150]
    assert rig.sessions[0].is_closed


def test_session_ending_between_rows_is_opened_again(rig):
    def rows():
        yield Chunk(0, ROWS[:90])
        rig.sessions[0].is_over = True
        yield Chunk(90, ROWS[90:])

    report = rig.part.write(rows())
    assert rig.offered == ROWS
    assert report.sessions == 2
    assert all(each.is_closed for each in rig.sessions)


def test_session_ending_while_rows_wait_is_opened_again(rig):
    def end():
        rig.sessions[0].is_over = True
        rig.room = 1000

    rig.room = 64  # the end is observed in a poll
    rig.on_idle = [end]
    report = rig.part.write([Chunk(0, ROWS)])
    assert rig.offered == ROWS
    assert report.sessions == 2


def test_answers_that_arrived_before_the_next_rows_are_received_first(rig):
    def rows():
        yield Chunk(0, ROWS[:1])
        rig.reported = 1000
        yield Chunk(1, ROWS[1:2])
        assert rig.reported == 0

    rig.part.write(rows())
    assert rig.offered == ROWS[:2]


def test_session_ending_after_the_last_row_is_no_error(rig):
    def end():
        rig.sessions[0].is_over = True

    rig.on_idle = [end]
    report = rig.part.write([Chunk(0, ROWS)])
    assert (report.rows, report.sessions) == (200, 1)
    assert rig.sessions[0].is_closed


def test_all_answers_of_a_service_are_received(rig):
    rig.reported = 1000
    rig.part.write([Chunk(0, ROWS)])
    assert rig.reported == 0
    assert 200 * MS <= rig.time.now_ns < 5_000 * MS


def test_busy_service_is_polled_for_a_bounded_time(rig):
    rig.reported = 10**9
    rig.part.write([Chunk(0, ROWS)])
    assert rig.sessions[0].is_closed
    assert rig.time.now_ns < 6_000 * MS


def test_a_part_without_rows_needs_no_session(rig):
    assert rig.part.write([]).sessions == 0
    assert rig.sessions == []


def test_a_too_long_payload_is_reported_by_its_row(rig):
    with pytest.raises(RowError, match="partition 3, row 1: payload: expected at most 1000 bytes"):
        rig.part.write([Chunk(0, [b"a", bytes(1001)])])
