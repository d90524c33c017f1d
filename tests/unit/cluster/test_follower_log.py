"""A follower's handling of the log that the leader replays to it."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.follower_log import FollowerLog
from aeron_cluster.codecs.cluster import AppendPosition
from aeron_cluster.errors import ClusterError, ElectionRestartError
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
