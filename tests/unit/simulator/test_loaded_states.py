"""Loaded states compared once the model has come to them; without a snapshot they are empty."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.module_snapshot import SessionRecord, TrackerState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import loaded_states
from aeron_cluster.simulator.checks.loaded_states import (
    LoadedStatesAreThoseOfTheModel,
    as_snapshot,
    check_without_snapshot,
)
from aeron_cluster.simulator.members.load_watch import LoadedState
from aeron_cluster.simulator.model.plain_messages import (
    ABSENT_REASON,
    LoggedMessage,
    PlainSession,
    first_service_id,
)

MS = 1_000_000
BASE = first_service_id(0)
OFFERED = TrackerState(
    service_id=0, next_service_session_id=BASE + 2, log_service_session_id=BASE + 1
)
NOTHING = TrackerState(service_id=0, next_service_session_id=BASE + 1, log_service_session_id=BASE)
BLANK = LoadedState(0, -1, 1, [], {}, [NOTHING])
SESSION = SessionRecord(
    cluster_session_id=2,
    correlation_id=72,
    opened_log_position=192,
    response_stream_id=102,
    response_channel="aeron:udp",
)


def test_a_member_without_a_snapshot_has_nothing():
    check_without_snapshot("member 0", BLANK)


@pytest.mark.parametrize(
    "changes",
    [
        {"next_session_id": 2},
        {"sessions": [SESSION]},
        {"timers": {7: 10}},
        {
            "trackers": [
                TrackerState(
                    service_id=0, next_service_session_id=BASE + 2, log_service_session_id=BASE + 1
                )
            ]
        },
    ],
)
def test_what_a_member_without_a_snapshot_has_is_detected(changes):
    with pytest.raises(InvariantError, match="begins with nothing: member 0"):
        check_without_snapshot("member 0", BLANK._replace(**changes))


def test_a_loaded_state_is_compared_as_a_snapshot():
    message = b"".join(
        each.to_bytes(8, "little", signed=True) for each in (0, 4, BASE + 2, 2**63 - 1)
    )
    tracker = TrackerState(
        service_id=0,
        next_service_session_id=BASE + 3,
        log_service_session_id=BASE + 1,
        messages=(message + b"left",),
    )
    found = as_snapshot(LoadedState(640, 4, 3, [SESSION], {7: 10}, [tracker]))
    assert found == (
        640,
        4,
        3,
        [PlainSession(2, 72, 192, ABSENT_REASON, 102, b"aeron:udp")],
        {7: 10},
        {0: (BASE + 3, BASE + 1)},
        [LoggedMessage(4, BASE + 2, 2**63 - 1, b"left")],
    )


class Followed:
    """A model of the log that comes to a position later, or never."""

    def __init__(self, model=None):
        self.model = model
        self.is_lost = False
        self.asked = 0

    def model_at(self, _, position):
        self.asked += 1
        return self.model if self.model and self.model.position >= position else None


class Start:
    """A member that has loaded something, and the checker that looks at it."""

    def __init__(self, monkeypatch, position=640):
        self.compared = []
        monkeypatch.setattr(
            loaded_states, "check_module_snapshot", lambda *given: self.compared.append(given)
        )
        self.latest = position
        monkeypatch.setattr(
            loaded_states,
            "read_snapshot_sets",
            lambda *_: [[SimpleNamespace(log_position=self.latest)]] if self.latest else [],
        )
        self.followed = Followed()
        self.checker = LoadedStatesAreThoseOfTheModel(
            self.followed, SimpleNamespace(of=lambda _: object())
        )
        self.snapshot_count = 0
        self.member = SimpleNamespace(
            member_id=0,
            loaded=BLANK._replace(position=position),
            services=(),
            counters=SimpleNamespace(
                snapshot_count=SimpleNamespace(get=lambda: self.snapshot_count)
            ),
        )
        self.cluster = SimpleNamespace(members=[self.member], journals=(), is_joined=True, now_ns=0)

    def check(self, now_ns=0):
        self.cluster.now_ns = now_ns
        self.checker.check(self.cluster)

    def come_to(self, position, *requested):
        self.followed.model = SimpleNamespace(
            position=position, requested=dict.fromkeys(requested), fired={}
        )
        self.followed.model.requested = dict.fromkeys(requested, "state")


def test_a_state_is_compared_once_the_log_is_read_up_to_it(monkeypatch):
    start = Start(monkeypatch)
    start.check()
    start.check(99 * MS)
    assert start.followed.asked == 1
    start.come_to(640, 640)
    for now_ns in (100 * MS, 110 * MS, 300 * MS):
        start.check(now_ns)
    ((where, snapshot, requested, *_),) = start.compared
    assert (where, snapshot.log_position, requested) == ("member 0 loaded at 640", 640, "state")
    assert start.checker.counts()["starts from snapshots compared"] == 1


def test_each_start_is_compared(monkeypatch):
    start = Start(monkeypatch)
    start.come_to(640, 640)
    start.check()
    start.member.loaded = None
    start.check(1)
    start.member.loaded = BLANK._replace(position=640)
    start.check(2)
    assert len(start.compared) == 2


def test_a_state_of_a_position_without_a_request_is_detected(monkeypatch):
    start = Start(monkeypatch)
    start.come_to(640, 320)
    with pytest.raises(InvariantError, match="snapshots were requested: member 0 loaded at 640"):
        start.check()


def test_nothing_is_compared_without_a_model_of_all_members(monkeypatch):
    start = Start(monkeypatch)
    start.followed.is_lost = True
    start.check()
    assert start.compared == []
    start = Start(monkeypatch)
    start.cluster.is_joined = False
    start.come_to(640, 640)
    start.check()
    assert start.compared == []


def test_a_start_from_another_than_the_latest_snapshot_is_detected(monkeypatch):
    for position, latest in ((320, 640), (0, 640), (640, 0)):
        start = Start(monkeypatch, position)
        start.latest = latest
        with pytest.raises(InvariantError, match="start from their latest snapshot: member 0"):
            start.check()
        start.snapshot_count = 1  # it may have taken the later one since
        start.come_to(640, 320, 640)
        start.check()
