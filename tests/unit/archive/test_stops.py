"""Recordings and replays with an answered stop have ended, in any order of the agents' passes.

The agents are driven one by one, as they would run on separate threads (DEDICATED) or on one
(SHARED).
"""

import contextlib
import itertools

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.control.conductor import ArchiveConductor
from aeron_cluster.archive.recording.recorder import Recorder
from aeron_cluster.archive.recording.recording_events import RecordingEvents
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.codecs.archive import (
    ControlResponseCode,
    MaxRecordedPositionRequest,
    RecordingPositionRequest,
    SourceLocation,
    StartRecordingRequest2,
    StopAllReplaysRequest,
    StopPositionRequest,
    StopRecordingByIdentityRequest,
    StopRecordingRequest,
    StopRecordingSubscriptionRequest,
    StopReplayRequest,
    TruncateRecordingRequest,
)
from aeron_cluster.errors import ArchiveError
from aeron_cluster.memory.agents.agent import AgentInvoker
from tests.unit.archive.pair_rig import Pair

STREAM_ID = 1001
MESSAGE = bytes(1024 - 32)
AGENTS = ("conductor", "recorder", "files")
PASSES = 50


@pytest.fixture
def side():
    with contextlib.closing(Pair()) as pair:
        yield pair.src


class Made:
    """A publication and its recording, which has just requested its next segment."""

    def __init__(self, side):
        self.side, self.archive = side, side.archive
        _, conductor, _, recorder, files = side.both.archive.agents
        self.agents = {"conductor": conductor, "recorder": recorder, "files": files}
        self.publication = side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID)
        self.channel = f"aeron:ipc?session-id={self.publication.session_id}"
        self.subscription_id = self.archive.start_recording(self.channel, STREAM_ID)
        side.await_signal("START")
        self.recording_id = side.signals.pop().recording_id
        side.pair.run_until(lambda: self.publication.is_connected)
        # Half of a segment is 64 KiB; the pass that writes past it requests the next segment.
        side.await_recorded(self.recording_id, self.offer(63))
        self.end = self.offer(2)
        recorder.do_work()

    def offer(self, count):
        for _ in range(count):
            self.side.pair.run_until(lambda: self.publication.offer(MESSAGE))
        return self.publication.position

    def answer_to(self, correlation_id):
        """Return the answer if it has arrived; the archive does no work for it."""
        self.archive.poll()
        answer = self.archive.take_answer(correlation_id)
        return answer and answer.response

    def answer_at_once(self, request, **fields):
        """Send a request that the conductor answers by itself, in one pass."""
        correlation_id = self.archive.request(request, recording_id=self.recording_id, **fields)
        self.agents["conductor"].do_work()
        answer = self.answer_to(correlation_id)
        assert answer.code is ControlResponseCode.OK, answer
        return answer.relevant_id

    def stop(self, form, order):
        """Request the stop and drive the agents in the given order until it is answered."""
        request, fields = {
            "channel": (
                StopRecordingRequest,
                {"stream_id": STREAM_ID, "channel": self.channel},
            ),
            "subscription": (
                StopRecordingSubscriptionRequest,
                {"subscription_id": self.subscription_id},
            ),
            "identity": (
                StopRecordingByIdentityRequest,
                {"recording_id": self.recording_id},
            ),
        }[form]
        correlation_id = self.archive.request(request, **fields)
        for name in itertools.chain(order, AGENTS * PASSES):
            self.agents[name].do_work()
            if answer := self.answer_to(correlation_id):
                return answer
        raise AssertionError("it is not answered")


@pytest.mark.parametrize("form", ["channel", "subscription", "identity"])
def test_a_recording_acknowledged_as_stopped_has_ended(side, form):
    for order in itertools.product(AGENTS, repeat=4):
        made = Made(side)
        answer = made.stop(form, order)
        assert answer.code is ControlResponseCode.OK, answer
        assert answer.relevant_id == (form == "identity")
        assert made.answer_at_once(StopPositionRequest) == made.end
        assert made.answer_at_once(MaxRecordedPositionRequest) == made.end
        assert made.answer_at_once(RecordingPositionRequest) == -1
        assert made.answer_at_once(TruncateRecordingRequest, position=0) == 1
        made.publication.close()
        side.await_signal("DELETE")
        assert side.signal_names() == ["STOP", "DELETE"]
        side.signals.clear()
    assert side.errors == []


@pytest.mark.parametrize("request_type", [StopReplayRequest, StopAllReplaysRequest])
@pytest.mark.parametrize("order", [*itertools.product(("conductor", "replayer"), repeat=3)])
def test_a_replay_acknowledged_as_stopped_has_ended(side, request_type, order):
    """A member stops the replays of its log before it truncates that."""
    archive = side.archive
    _, conductor, replayer, *_ = side.both.archive.agents
    agents = {"conductor": conductor, "replayer": replayer}
    recording_id, _ = side.finished(5)

    def answer_to(request, passes, **fields):
        correlation_id = archive.request(request, **fields)
        for name in passes:
            agents[name].do_work()
            archive.poll()
            if answer := archive.take_answer(correlation_id):
                return answer.response
        raise AssertionError("it is not answered")

    with side.aeron.add_subscription("aeron:ipc", STREAM_ID + 1) as subscription:
        replay_id = archive.start_replay(recording_id, "aeron:ipc", STREAM_ID + 1, length=2**63 - 1)
        side.pair.run_until(lambda: subscription.is_connected)
        stopped = {
            StopReplayRequest: {"replay_session_id": replay_id},
            StopAllReplaysRequest: {"recording_id": recording_id},
        }[request_type]
        passes = (*order, "conductor", "replayer", "conductor")
        assert answer_to(request_type, passes, **stopped).code is ControlResponseCode.OK
        truncated = {"recording_id": recording_id, "position": 0}
        answer = answer_to(TruncateRecordingRequest, ["conductor"], **truncated)
        assert answer.code is ControlResponseCode.OK, answer


def published(side, channel="aeron:ipc"):
    """Return a publication and the id of its recording by an existing subscription."""
    publication = side.aeron.add_exclusive_publication(channel, STREAM_ID)
    side.await_signal("START")
    recording_id = side.signals.pop().recording_id
    side.pair.run_until(lambda: publication.is_connected)
    return publication, recording_id


def test_a_stop_is_answered_when_the_last_of_its_recordings_has_ended(side):
    subscription_id = side.archive.start_recording("aeron:ipc", STREAM_ID)
    recordings = [published(side)[1] for _ in range(3)]
    side.archive.stop_recording(subscription_id)
    assert [side.archive.get_stop_position(each) for each in recordings] == [0, 0, 0]
    assert side.archive.try_stop_recording(subscription_id) is False


def test_listed_subscriptions_begin_at_an_index_into_all_of_them(side):
    archive = side.archive
    ids = [
        archive.start_recording(f"aeron:ipc?alias={alias}", stream_id)
        for stream_id, alias in enumerate(("a", "b", "a"), 2001)
    ]

    def listed(index):
        found = archive.list_recording_subscriptions(index, 1, channel_fragment="alias=a")
        return [each.subscription_id for each in found]

    assert [listed(index) for index in (0, 1, 2, 3, -1)] == [ids[:1], ids[2:], ids[2:], [], []]


def test_shared_publication_that_exists_is_not_recorded_from_its_middle(side):
    channel = "aeron:ipc?term-length=64k"
    first = side.aeron.add_publication(channel, 2001)
    with pytest.raises(ArchiveError, match="publication already added for channel=aeron:ipc"):
        side.archive.add_recorded_publication(channel, 2001)
    assert not first.is_closed
    assert side.archive.list_recording_subscriptions() == []


def test_recording_stopped_by_its_identity_frees_its_subscription(side):
    archive = side.archive
    subscription_id = archive.start_recording("aeron:ipc", STREAM_ID)
    first, second = published(side), published(side)
    assert archive.try_stop_recording_by_identity(first[1])
    assert archive.get_stop_position(first[1]) == 0
    assert archive.get_stop_position(second[1]) == -1
    # It is no longer listed, so another one may be started in its place.
    assert archive.list_recording_subscriptions(stream_id=STREAM_ID) == []
    assert not archive.try_stop_recording(subscription_id)
    # The other recording must be stopped too, although its subscription is no longer listed.
    assert not archive.try_stop_recording_by_identity(second[1])
    assert archive.get_stop_position(second[1]) == 0
    assert not archive.try_stop_recording_by_identity(second[1])
    side.signals.clear()
    with side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID) as publication:
        end_ns = side.pair.world.time.now_ns + 100_000_000
        side.pair.run_until(lambda: side.pair.world.time.now_ns >= end_ns)
        assert not publication.is_connected
    assert side.signal_names() == []


def test_nothing_begins_after_its_subscription_was_stopped(side, monkeypatch):
    archive = side.archive
    subscription_id = archive.start_recording("aeron:ipc", STREAM_ID)
    _, recording_id = published(side)
    with monkeypatch.context() as without_conductor:
        without_conductor.setattr(ArchiveConductor, "do_work", lambda _: 0)
        publication = side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID)
        side.pair.run_until(lambda: publication.is_connected)
        # The next pass handles its image and the stop request, which waits for the other recording.
        archive.request(StopRecordingSubscriptionRequest, subscription_id=subscription_id)
    side.pair.run_until(lambda: not publication.is_connected)
    assert side.signal_names() == ["STOP"]
    assert [each.recording_id for each in archive.list_recordings()] == [recording_id]


def test_immediately_stopped_start_is_answered(side):
    archive = side.archive
    kinds = (StartRecordingRequest2, StopRecordingRequest)
    fields = {"channel": "aeron:ipc", "stream_id": STREAM_ID}
    more = {"source_location": SourceLocation.LOCAL, "auto_stop": False}
    started = archive.request(kinds[0], **fields, **more)
    stopped = archive.request(kinds[1], **fields)
    answers = []

    def is_answered():
        archive.poll()
        answers.extend(filter(None, map(archive.take_answer, (started, stopped))))
        return len(answers) == 2

    side.pair.run_until(is_answered)
    assert {each.response.code for each in answers} == {ControlResponseCode.OK}
    assert archive.list_recording_subscriptions(stream_id=STREAM_ID) == []


@pytest.mark.parametrize("is_closed", [False, True])
def test_raising_end_of_a_recording_prevents_no_other_end(is_closed, side, monkeypatch):
    made = [side.record(STREAM_ID + number, "aeron:ipc") for number in range(3)]
    ended = []

    def stopped(_, recording_id, *positions):
        assert len(positions) == 2
        if recording_id == made[0][1]:
            raise ValueError("of one recording")
        ended.append(recording_id)

    monkeypatch.setattr(RecordingEvents, "stopped", stopped)
    if is_closed:
        side.both.archive.close()
    else:
        for publication, _ in made:
            publication.close()
        side.pair.run_until(lambda: len(ended) == 2)
    assert sorted(ended) == sorted(recording_id for _, recording_id in made[1:])
    assert any("of one recording" in str(each) for each in side.errors)
    side.errors.clear()


def test_conductor_that_ends_alone_stores_no_end_of_what_is_still_recorded(monkeypatch):
    agents = ArchivingMediaDriver.agents.fget
    monkeypatch.setattr(
        ArchivingMediaDriver,
        "agents",
        property(lambda both: tuple(each for each in agents(both) if type(each) is not Recorder)),
    )
    with contextlib.closing(Pair()) as pair:
        side = pair.src
        _, conductor, _, recorder, _ = side.both.archive.agents
        thread = AgentInvoker([recorder])
        thread.start()
        side.invokers.append(thread)
        publication, recording_id = side.record(STREAM_ID)
        end = side.publish(publication, 3)
        side.await_recorded(recording_id, end)
        conductor.on_close()
        # The recorder may be writing at this moment, and count it as recorded.
        with Catalog(side.machine.files, "/data", writable=False) as catalog:
            assert catalog.get(recording_id).descriptor.stop_position == -1
        side.kill()
        monkeypatch.undo()
        side.start()
        side.connect()
        assert side.archive.get_stop_position(recording_id) == end
