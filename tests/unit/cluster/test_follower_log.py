"""A follower's log: where it is received, and the part that the leader replays to it."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election import follower_log
from aeron_cluster.cluster.election.follower_log import FollowerLog
from aeron_cluster.codecs.cluster import AppendPosition
from aeron_cluster.errors import (
    ClusterError,
    DriverTimeoutError,
    ElectionRestartError,
    RegistrationError,
    StateError,
)
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.doubles import create_with_doubles

FRAGMENTS, FRAME_LENGTH = 50, 96
OPTIONS = {
    "log_fragment_limit": FRAGMENTS,
    "leader_heartbeat_interval_ns": 100,
    "leader_heartbeat_timeout_ns": 1000,
    "member_id": 2,
}


class Replay:
    """A follower's parts, with a log replayed and recorded up to a position."""

    def __init__(self, recorded):
        self.status = SimpleNamespace(can_read_log=True, is_active=True, leadership_term_id=3)
        self.recording = SimpleNamespace(position=recorded)
        self.counters = SimpleNamespace(commit_position=self)
        self.context = SimpleNamespace(
            options=SimpleNamespace(**OPTIONS), seams=SimpleNamespace(clock=VirtualClock())
        )
        self.log_adapter = self
        self.position = self.committed = 0
        self.reported = []
        self.follower_log = create_with_doubles(FollowerLog, self, link=self)
        self.follower_log._leader = SimpleNamespace(member_id=0)
        self.follower_log._image = SimpleNamespace(is_closed=False, is_given_up=False)

    def set_image(self, image):
        pass

    def check_fragments(self, recording_id):
        pass

    def poll(self, limit_position, fragment_limit):
        count = min(fragment_limit, (limit_position - self.position) // FRAME_LENGTH)
        self.position += count * FRAME_LENGTH
        return count

    def propose_max(self, position):
        self.committed = max(self.committed, position)

    def send(self, member_id, message):
        self.reported.append((member_id, AppendPosition.decode(message).log_position))
        return True

    def step(self, limit_position, now_ns=1):
        return self.follower_log.poll_catchup(limit_position, now_ns)


def test_a_step_reads_many_batches_and_notifies_the_leader_once():
    replay = Replay(recorded=1000 * FRAME_LENGTH)
    assert replay.step(1 << 40) == 1000
    assert replay.committed == replay.position == 1000 * FRAME_LENGTH
    assert replay.reported == [(0, 1000 * FRAME_LENGTH)]


def test_step_reads_only_the_recorded_and_committed_part():
    replay = Replay(recorded=400 * FRAME_LENGTH)
    replay.step(300 * FRAME_LENGTH)
    assert replay.committed == 300 * FRAME_LENGTH
    replay.step(500 * FRAME_LENGTH)
    assert replay.committed == 400 * FRAME_LENGTH


def test_nothing_is_read_while_a_logged_snapshot_is_taken():
    replay = Replay(recorded=1000 * FRAME_LENGTH)
    replay.status.can_read_log = False
    assert replay.step(1 << 40) == 0
    assert (replay.committed, replay.reported) == (0, [])


def test_leader_receives_positions_with_the_term_read_from_the_log():
    # "AppendPosition in catch-up carries the CM's term, which still may be an older one until the
    # NewLeadershipTermEvent has been read; StopCatchup must echo exactly that."
    replay = Replay(recorded=2 * FRAME_LENGTH)
    sent = []
    replay.send = lambda _, message: sent.append(AppendPosition.decode(message)) or True
    replay.step(FRAME_LENGTH)
    replay.status.leadership_term_id = 4
    replay.recording.position += FRAME_LENGTH
    replay.step(2 * FRAME_LENGTH)
    assert [(each.leadership_term_id, each.flags) for each in sent] == [(3, 1), (4, 1)]


@pytest.mark.parametrize("lost", ["recording", "image"])
def test_replay_ending_early_is_named(lost):
    replay = Replay(recorded=0)
    if lost == "recording":
        replay.recording.position = None
    else:
        replay.follower_log._image.is_closed = True
    with pytest.raises(
        ClusterError, match=r"unexpected (recording stop|image close) during catchup: position=0"
    ):
        replay.step(1 << 40)


def test_a_stalled_replay_is_named():
    replay = Replay(recorded=10 * FRAME_LENGTH)
    replay.step(1 << 40, now_ns=500)
    replay.step(1 << 40, now_ns=1500)
    with pytest.raises(ClusterError, match="no catchup progress: appendPosition=960"):
        replay.step(1 << 40, now_ns=1501)


@pytest.mark.parametrize(
    ("is_catchup", "join_position", "text"),
    [
        (False, 608, "WARN - followerLogAwait - joinPosition=608 greater than logPosition=512"),
        (True, 448, "WARN - followerCatchupAwait - joinPosition=448 less than logPosition=512"),
    ],
)
def test_a_log_that_begins_elsewhere_is_named_as_by_aeron(is_catchup, join_position, text):
    image = SimpleNamespace(join_position=join_position)
    log = SimpleNamespace(
        _opened=SimpleNamespace(image_by_session_id={7: image}.get),
        _session_id=7,
        has_catchup_destination=is_catchup,
    )
    with pytest.raises(ElectionRestartError, match=text):
        list(FollowerLog.await_image(log, 512))


# ---- its destinations ----


class Opened:
    """An open log without destinations, of a member with the given endpoints."""

    def __init__(self, monkeypatch, log_channel="aeron:udp", catchup_endpoint="h2:4"):
        self.added, self.removed, self.collected = [], [], []
        self.answer = True
        self.subscription = SimpleNamespace(
            resolved_endpoint=None,
            channel_status=1,
            channel="aeron:udp?control-mode=manual",
            registration_id=7,
            image_by_session_id=lambda _: None,
            async_remove_destination=self._remove,
            close=lambda: None,
        )
        monkeypatch.setattr(follower_log, "await_destination", self._add)
        parts = SimpleNamespace(
            context=SimpleNamespace(
                options=SimpleNamespace(log_channel=log_channel),
                member=SimpleNamespace(catchup_endpoint=catchup_endpoint, log_endpoint="h2:3"),
            ),
            log_adapter=SimpleNamespace(set_image=lambda _: None, check_fragments=None, poll=None),
            aeron=SimpleNamespace(is_done=self._is_done),
        )
        self.log = create_with_doubles(FollowerLog, parts)
        self.log._subscription = self.subscription

    def _remove(self, destination):
        self.removed.append(destination)
        return len(self.removed)

    def _is_done(self, request_id):
        self.collected.append(request_id)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def _add(self, _aeron, subscription, destination):
        assert subscription is self.subscription
        self.added.append(destination)
        yield


@pytest.mark.parametrize(
    ("answer", "collected"),
    [
        (True, [1, 2]),
        (False, [1, 1, 2]),
        (RegistrationError("unknown destination", 5, 1), [1, 2]),
        (DriverTimeoutError("no answer"), [1, 2]),
    ],
)
def test_results_of_removals_are_collected_at_the_next_one(monkeypatch, answer, collected):
    """The client retains a result until it is polled: a member has many elections."""
    opened = Opened(monkeypatch)
    opened.answer = answer
    for _ in range(3):
        list(opened.log.add_catchup_destination())
        opened.log.remove_catchup_destination()
    assert opened.removed == ["aeron:udp?endpoint=h2:4"] * 3
    assert opened.collected == collected


def result(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_the_leader_is_sent_the_endpoint_of_the_replay(monkeypatch):
    opened = Opened(monkeypatch)
    assert result(opened.log.add_catchup_destination()) == "h2:4"
    assert opened.added == ["aeron:udp?endpoint=h2:4"]
    assert opened.log.has_catchup_destination


def test_the_leader_is_sent_the_bound_port_of_an_endpoint_without_one(monkeypatch):
    opened = Opened(monkeypatch, catchup_endpoint="h2:0")
    steps = opened.log.add_catchup_destination()
    for _ in range(3):
        next(steps)  # it is not bound yet
    opened.subscription.resolved_endpoint = "10.0.0.2:40123"
    assert result(steps) == "h2:40123"


@pytest.mark.parametrize(
    ("log_channel", "destination"),
    [
        ("aeron:udp", "aeron:udp?endpoint=h2:3"),
        ("aeron:udp?endpoint=224.20.30.39:24326", "aeron:udp?endpoint=224.20.30.39:24326"),
    ],
)
def test_the_live_log_is_received_at_the_endpoint_of_all_or_of_the_member(
    monkeypatch, log_channel, destination
):
    opened = Opened(monkeypatch, log_channel)
    list(opened.log.add_live_destination())
    assert opened.added == [destination]
    assert opened.log.has_live_destination


def test_a_closed_log_releases_its_destinations(monkeypatch):
    opened = Opened(monkeypatch)
    list(opened.log.add_catchup_destination())
    list(opened.log.add_live_destination())
    assert opened.log.close() == 7
    assert opened.removed == ["aeron:udp?endpoint=h2:4", "aeron:udp?endpoint=h2:3"]
    assert not opened.log.has_live_destination
    assert not opened.log.has_catchup_destination
    assert opened.log.close() is None
    with pytest.raises(StateError, match="expected it to be open"):
        list(opened.log.add_live_destination())


@pytest.mark.parametrize(
    ("name", "destination"),
    [
        ("add_catchup_destination", "aeron:udp?endpoint=h2:4"),
        ("add_live_destination", "aeron:udp?endpoint=h2:3"),
    ],
)
def test_a_closed_log_releases_a_destination_that_the_driver_may_still_add(
    monkeypatch, name, destination
):
    """Services that joined this log would keep its address bound, and no election continue."""
    opened = Opened(monkeypatch)
    steps = getattr(opened.log, name)()
    next(steps)
    steps.close()  # the election failed meanwhile
    opened.log.close()
    assert opened.removed == [destination]


@pytest.mark.parametrize(("is_catchup", "kind"), [(True, "catchup"), (False, "live")])
def test_a_log_that_cannot_be_received_is_named_as_by_aeron(monkeypatch, is_catchup, kind):
    opened = Opened(monkeypatch)
    if is_catchup:
        list(opened.log.add_catchup_destination())
    steps = opened.log.await_image(512)
    next(steps)
    opened.subscription.channel_status = -1
    with pytest.raises(ClusterError, match=f"failed to add {kind} log as follower"):
        next(steps)


@pytest.mark.parametrize(
    ("term_length", "behind", "is_near"),
    [
        (64 << 10, 16 << 10, True),
        (64 << 10, (16 << 10) + 1, False),
        (64 << 10, -64, True),
    ],
)
def test_the_live_log_is_joined_within_a_quarter_of_a_term(
    monkeypatch, term_length, behind, is_near
):
    opened = Opened(monkeypatch)
    assert not opened.log.is_near(0)  # there is no image yet
    opened.log._image = SimpleNamespace(term_buffer_length=term_length, position=1 << 20)
    assert opened.log.is_near((1 << 20) + behind) == is_near
