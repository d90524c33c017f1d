"""A replay of the log: its steps, bounded in time, and how it fails."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.log import log_replay
from aeron_cluster.cluster.log.log_replay import read_on
from aeron_cluster.codecs.archive import StopReplayRequest
from aeron_cluster.errors import (
    ArchiveError,
    ClusterError,
    CorruptError,
    DamagedLogError,
    DamagedRecordingError,
    ForeignMessageError,
    LogMismatchError,
    MessageError,
)
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

FRAGMENTS, FRAME_LENGTH = 50, 96
STOP = 1_000_000


class Log:
    """A log reader, its commit positions, and its clock, which each poll advances."""

    def __init__(self, fragments, poll_ns=0):
        self.is_ready = True
        self.position = 0
        self.committed = []
        self._left = fragments
        self._poll_ns = poll_ns
        self._now_ns = 0

    def poll(self, limit_position, fragment_limit):
        assert limit_position == STOP
        found = min(self._left, fragment_limit)
        self._left -= found
        self.position += found * FRAME_LENGTH
        self._now_ns += self._poll_ns
        return found

    def propose_max(self, position):
        self.committed.append(position)

    def nano_time(self):
        return self._now_ns

    def read_on(self):
        return read_on(self, self, self, STOP, FRAGMENTS)


def test_step_reads_the_available_part_and_commits_after_each_poll():
    log = Log(120)
    assert log.read_on() == 120
    assert log.committed[:3] == [each * FRAME_LENGTH for each in (50, 100, 120)]
    assert log.read_on() == 0
    assert max(log.committed) == 120 * FRAME_LENGTH


@pytest.mark.parametrize(("poll_ns", "polls"), [(0, 40), (10_000, 10), (1_000_000, 1)])
def test_a_step_is_bounded_in_polls_and_in_time(poll_ns, polls):
    assert Log(1_000_000, poll_ns).read_on() == polls * FRAGMENTS


def test_nothing_is_read_after_an_action_until_it_is_done():
    log = Log(120)
    log.propose_max = lambda _: setattr(log, "is_ready", False)
    assert log.read_on() == FRAGMENTS
    assert log.read_on() == 0
    log.is_ready = True
    assert log.read_on() == FRAGMENTS


def test_a_message_that_cannot_be_handled_is_not_committed():
    """Services would read it: it may be damaged."""
    log = Log(120)
    poll = log.poll

    def damaged(*arguments):
        if poll(*arguments) < FRAGMENTS:
            raise CorruptError("log", log.position, "message", "at least 8", 7)
        return FRAGMENTS

    log.poll = damaged
    with pytest.raises(CorruptError):
        log.read_on()
    assert max(log.committed) == 100 * FRAME_LENGTH
    assert log.position == 120 * FRAME_LENGTH


# ---- a whole replay ----

RECORDING, REPLAY, SESSION = 7, 4711, 4711
MEMBERS = [None] * 3
MAX_STEPS = 100


class Replayed:
    """A replay of 10 frames from position 96 on, and the parts of a member that read it."""

    begin, end = 96, 96 + 10 * FRAME_LENGTH

    def __init__(self, monkeypatch, members=MEMBERS):
        self.calls = []
        self.failures = {}  # by the name of the step
        self.image = SimpleNamespace(join_position=96, is_closed=False, is_given_up=False)
        self.left = 10
        self.position = self.begin
        self.is_ready = True
        self.committed = self.begin
        self.replay_id, self.session_id = REPLAY, SESSION
        self.descriptor = SimpleNamespace(
            start_position=0, term_buffer_length=1 << 16, segment_file_length=1 << 17
        )
        self.context = SimpleNamespace(
            options=SimpleNamespace(
                replay_stream_id=103,
                replay_channel="aeron:ipc",
                log_fragment_limit=3,
                member_id=1,
            ),
            members=members,
            seams=SimpleNamespace(clock=VirtualClock()),
        )
        self.subscription = SimpleNamespace(close=lambda: self.calls.append("close"))
        for name in ("begin_replay", "await_subscription", "send_request", "list_recording"):
            monkeypatch.setattr(log_replay, name, getattr(self, name))

    def run(self):
        steps = log_replay.replay_log(
            self.context,
            None,
            None,
            self,
            self,
            self,
            recording_id=RECORDING,
            start_position=self.begin,
            stop_position=self.end,
        )
        for count, _ in enumerate(steps):
            assert count < MAX_STEPS, "the replay does not end"

    def _step(self, name):
        self.calls.append(name)
        if (failure := self.failures.get(name)) is not None:
            raise failure

    # ---- the archive ----

    def begin_replay(self, _archive, *, recording_id, position, length, **_):
        yield
        assert (recording_id, position, length) == (RECORDING, self.begin, self.end - self.begin)
        self._step("replay")
        return self

    def await_subscription(self, *_):
        yield
        return self.subscription

    def await_image(self, subscription):
        assert subscription is self.subscription
        yield
        return self.image

    def check(self, image):
        """Raise the archive's reason, if it has one."""
        assert image is self.image
        yield
        self._step("check")

    def close(self):
        self.calls.append("end")

    def list_recording(self, _archive, recording_id):
        assert recording_id == RECORDING
        yield
        return self.descriptor

    def send_request(self, _archive, kind, *, replay_session_id):
        assert (kind, replay_session_id) == (StopReplayRequest, REPLAY)
        yield
        self._step("stop")

    # ---- the services and the reader ----

    def join_log(self, *, log_session_id, log_channel, is_gone, **_):
        assert (log_session_id, log_channel) == (SESSION, f"aeron:ipc?session-id={SESSION}")
        yield
        self._step("join")
        assert not is_gone()

    def set_image(self, image):
        self.calls.append("read" if image is self.image else "leave")

    def check_fragments(self, recording_id):
        assert recording_id == RECORDING

    def poll(self, limit_position, fragment_limit):
        assert limit_position == self.end
        count = min(self.left, fragment_limit)
        self.left -= count
        self.position += count * FRAME_LENGTH
        if (failure := self.failures.get("poll")) is not None:
            raise failure
        return count

    def propose_max(self, position):
        self.committed = position


DAMAGE = DamagedRecordingError(RECORDING, 131_072 + 640, "checksum mismatch")
RELEASED = ["end", "close"]


@pytest.fixture
def replayed(monkeypatch):
    return Replayed(monkeypatch)


def test_services_join_a_replay_before_it_is_read_and_committed(replayed):
    replayed.run()
    assert replayed.calls == ["replay", "join", "read", "leave", *RELEASED, "stop"]
    assert replayed.position == replayed.committed == replayed.end


def test_a_replay_that_has_ended_itself_needs_no_stop(replayed):
    replayed.failures["stop"] = ArchiveError("unknown replay", 5)
    replayed.run()
    assert replayed.committed == replayed.end


def test_a_replay_that_begins_elsewhere_is_rejected(replayed):
    replayed.image.join_position = 128
    with pytest.raises(ClusterError, match="joinPosition=128 expected startPosition=96"):
        replayed.run()
    assert replayed.calls == ["replay", *RELEASED]


@pytest.mark.parametrize(
    ("members", "remedy"), [(MEMBERS, "from the others"), (MEMBERS[:1], "from a backup")]
)
@pytest.mark.parametrize("step", ["replay", "check", "poll"])
def test_a_damaged_log_ends_the_member_with_its_place(monkeypatch, members, remedy, step):
    replayed = Replayed(monkeypatch, members)
    replayed.failures[step] = DAMAGE
    if step == "check":
        replayed.image.is_closed, replayed.left = True, 4
        replayed.failures["join"] = ClusterError("the log is gone")
    with pytest.raises(DamagedLogError) as raised:
        replayed.run()
    error = raised.value
    assert (error.member_id, error.log_position) == (1, DAMAGE.position)
    assert "checksum mismatch" in str(error)
    assert ("segmentFile=7-131072.rec" in str(error)) == (step == "poll")
    assert ("segmentOffset=640" in str(error)) == (step == "poll")
    assert remedy in error.remedy
    assert step == "replay" or replayed.calls[-2:] == RELEASED


def test_damage_in_an_unknown_recording_is_reported_without_a_file(replayed):
    replayed.failures["poll"], replayed.descriptor = DAMAGE, None
    with pytest.raises(DamagedLogError) as raised:
        replayed.run()
    assert "segmentFile" not in str(raised.value)


@pytest.mark.parametrize(
    ("error", "kind", "remedies"),
    [
        (CorruptError("log", 7, "message of 7 bytes", "a complete one", "another"), "damage", []),
        (MessageError("cluster.TimerEvent", ">= 24 bytes", 7), "damage", []),
        (ForeignMessageError("log", 7, "service id", "below 1", 1), "parts", ["the services"]),
    ],
)
@pytest.mark.parametrize(
    ("members", "remedy"), [(MEMBERS, "from the others"), (MEMBERS[:1], "from a backup")]
)
def test_a_message_that_cannot_be_read_ends_the_member_with_its_place(
    monkeypatch, members, remedy, error, kind, remedies
):
    """Every election would read it again."""
    replayed = Replayed(monkeypatch, members)
    replayed.failures["poll"] = error
    with pytest.raises(LogMismatchError) as raised:
        replayed.run()
    found = raised.value
    assert found.is_damage == isinstance(found, DamagedLogError) == (kind == "damage")
    assert (found.member_id, found.log_position) == (1, replayed.begin + 3 * FRAME_LENGTH)
    assert found.__cause__ is error
    assert str(error) in str(found)
    assert all(each in found.remedy for each in [remedy, *remedies])
    assert replayed.committed == replayed.begin
    assert replayed.calls[-2:] == RELEASED


@pytest.mark.parametrize("name", ["is_closed", "is_given_up", None])
def test_a_log_that_the_services_cannot_join_is_reported(replayed, name):
    """With the archive's reason, if the replay has ended early."""
    error = replayed.failures["join"] = ClusterError("the services did not join")
    if name is not None:
        setattr(replayed.image, name, True)
    with pytest.raises(ClusterError) as raised:
        replayed.run()
    assert raised.value is error
    assert replayed.calls == ["replay", "join", *["check"] * (name is not None), *RELEASED]


@pytest.mark.parametrize("name", ["is_closed", "is_given_up"])
def test_a_replay_that_ends_early_is_reported(replayed, name):
    replayed.left = 4
    joined = replayed.join_log

    def join_log(**given):
        yield from joined(**given)
        setattr(replayed.image, name, True)

    replayed.join_log = join_log
    with pytest.raises(ClusterError, match=f"position={96 + 4 * FRAME_LENGTH}, expected 1056"):
        replayed.run()
    assert replayed.calls == ["replay", "join", "read", "check", "leave", *RELEASED]
