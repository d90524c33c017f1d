"""Recordings and replays that cannot begin, or are stopped before: what their client receives."""

import contextlib
import errno

import pytest

from aeron_cluster.archive.control.conductor import ArchiveConductor
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client.conductor import ClientConductor
from aeron_cluster.codecs.archive import (
    BoundedReplayRequest,
    ControlResponseCode,
    PurgeRecordingRequest,
    ReplayRequest,
    StopAllReplaysRequest,
    StopRecordingByIdentityRequest,
    StopRecordingRequest,
    TruncateRecordingRequest,
)
from aeron_cluster.errors import ArchiveError, OperationError, RegistrationError
from tests.unit.archive.pair_rig import SEGMENT_LENGTH, TERM_LENGTH, Pair, S

STREAM_ID = 1001
REPLAY_STREAM_ID = 78
FRAME_LENGTH = 1056
COUNTER_TYPE = 1001
POSITION_COUNTER_TYPE = 100


@pytest.fixture
def side():
    with contextlib.closing(Pair()) as pair:
        yield pair.src


def drive_for(pair, duration_ns):
    end_ns = pair.world.time.now_ns + duration_ns
    pair.run_until(lambda: pair.world.time.now_ns >= end_ns, 2 * duration_ns)


def rejected(code, text):
    @contextlib.contextmanager
    def check():
        with pytest.raises(ArchiveError, match=text) as raised:
            yield
        assert raised.value.code == code

    return check()


def await_answer(side, request):
    found = []

    def answer():
        side.archive.poll()
        return side.archive.take_answer(request)

    side.pair.run_until(lambda: found.append(answer()) or found[-1] is not None)
    return found[-1].response


def late_error(side):
    """Return the next error that the client receives after the answer to its request."""
    side.pair.run_until(lambda: side.archive.poll() >= 0 and side.late_errors)
    return side.late_errors.pop(0)


# ---- recordings ----


def test_channel_that_the_driver_rejects_is_reported_each_time(side):
    for _ in range(2):
        with rejected(ArchiveErrorCode.GENERIC, "nowhere.example"):
            side.archive.start_recording("aeron:udp?endpoint=nowhere.example:1", STREAM_ID)
        assert side.archive.list_recording_subscriptions() == []


def extending_publication(side, recording_id):
    recording = side.archive.list_recording(recording_id)
    position = recording.stop_position
    return side.aeron.add_exclusive_publication(
        f"aeron:ipc?term-length={TERM_LENGTH}|init-term-id={recording.initial_term_id}"
        f"|term-id={recording.initial_term_id + position // TERM_LENGTH}"
        f"|term-offset={position % TERM_LENGTH}",
        STREAM_ID,
    )


def test_second_of_two_extensions_at_a_time_is_rejected(side):
    recording_id, position = side.finished(3)
    first, second = (extending_publication(side, recording_id) for _ in range(2))
    for each in (first, second):
        channel = f"aeron:ipc?session-id={each.session_id}"
        with pytest.MonkeyPatch.context() as without_images:
            # Neither request has its image when the other one is checked.
            without_images.setattr(
                "aeron_cluster.archive.recording.recordings.Recordings._poll_images", lambda _: 0
            )
            side.archive.extend_recording(recording_id, channel, STREAM_ID)
    error = late_error(side)
    assert error.code == ArchiveErrorCode.ACTIVE_RECORDING
    assert f"cannot extend active recording {recording_id}" in str(error)
    side.await_signal("EXTEND")
    assert side.archive.list_recording(recording_id).session_id == first.session_id
    end = side.publish(first, 3)
    side.await_recorded(recording_id, end)
    assert end > position


def test_extension_over_a_segment_that_cannot_be_deleted_is_rejected(side):
    recording_id, position = side.finished(3)
    left = f"/data/{recording_id}-{SEGMENT_LENGTH}.rec"
    with side.machine.files.open(left, write=True, create=True) as file:
        file.write_at(b"left", 0)
    publication = extending_publication(side, recording_id)
    side.machine.files.fail("remove", errno.EACCES)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.archive.extend_recording(recording_id, channel, STREAM_ID, auto_stop=True)
    error = late_error(side)
    assert error.code == ArchiveErrorCode.GENERIC
    assert f"unable to delete segment file: {left}: " in str(error)
    assert side.archive.get_stop_position(recording_id) == position
    side.archive.extend_recording(recording_id, channel, STREAM_ID, auto_stop=True)
    side.await_signal("EXTEND")
    assert not side.machine.files.exists(left)


def use_all_counters(side):
    """Add counters until the driver has no more, as other programs may; return them."""
    counters = []
    with contextlib.suppress(RegistrationError):
        while True:
            awaited = [side.aeron.async_add_counter(COUNTER_TYPE, "x") for _ in range(200)]
            while awaited:
                side.pair.drive()
                if (found := side.aeron.get_counter(awaited[0])) is not None:
                    counters.append(found)
                    del awaited[0]
    return counters


def test_recording_without_room_for_its_counter_ends_and_is_reported():
    with contextlib.closing(Pair(src={"driver": {"counters_buffer_length": 1 << 20}})) as pair:
        side = pair.src
        publication = side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID)
        channel = f"aeron:ipc?session-id={publication.session_id}"
        counters = use_all_counters(side)
        counters.pop().close()  # room for that of the archive's image
        drive_for(pair, 3 * S)
        side.archive.start_recording(channel, STREAM_ID)
        error = late_error(side)
        assert error.code == ArchiveErrorCode.GENERIC
        assert "counter" in str(error)
        assert side.signal_names() == ["STOP"]
        [recording] = side.archive.list_recordings()
        assert recording.stop_position == recording.start_position == 0
        assert side.counter("Archive Recording Sessions") == 0
        side.archive.stop_recording_channel(channel, STREAM_ID)
        for _ in range(10):
            counters.pop().close()
        drive_for(pair, 3 * S)
        side.signals.clear()
        side.archive.start_recording(channel, STREAM_ID)
        side.await_signal("START")


@contextlib.contextmanager
def full_command_ring():
    """The driver's command ring has no space for further counters."""

    def add_counter(*_):
        raise OperationError("the driver's command ring is full")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ClientConductor, "begin_counter", add_counter)
        yield


@pytest.mark.parametrize("auto_stop", [False, True])
@pytest.mark.parametrize("is_extension", [False, True])
def test_recording_whose_counter_cannot_be_requested_ends_and_is_reported(
    side, is_extension, auto_stop
):
    recording_id, position = side.finished(3) if is_extension else (0, 0)
    make = extending_publication if is_extension else new_publication
    publication = make(side, recording_id)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    with full_command_ring():
        if is_extension:
            side.archive.extend_recording(recording_id, channel, STREAM_ID, auto_stop=auto_stop)
        else:
            side.archive.start_recording(channel, STREAM_ID, auto_stop=auto_stop)
        error = late_error(side)
    assert error.code == ArchiveErrorCode.GENERIC
    assert "command ring is full" in str(error)
    assert side.signal_names() == ["STOP"]
    assert side.archive.get_stop_position(recording_id) == position
    assert side.counter("Archive Recording Sessions") == 0
    if not auto_stop:
        side.archive.stop_recording_channel(channel, STREAM_ID)
    side.pair.run_until(lambda: not publication.is_connected)
    assert side.errors == []


def new_publication(side, _recording_id):
    return side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID)


# ---- recordings whose counter the driver has not created yet ----


class Uncounted:
    """A recording that has no counter until the driver runs."""

    def __init__(self, side, **start):
        self.side = side
        _, self.conductor, *_ = side.both.archive.agents
        side.archive.start_recording("aeron:ipc", STREAM_ID, **start)
        with pytest.MonkeyPatch.context() as without_conductor:
            without_conductor.setattr(ArchiveConductor, "do_work", lambda _: 0)
            self.publication = side.aeron.add_exclusive_publication("aeron:ipc", STREAM_ID)
            side.pair.run_until(lambda: self.publication.is_connected)
        self.conductor.do_work()
        assert self.counters() == []

    def counters(self):
        return [*self.side.aeron.counters_reader.counters(POSITION_COUNTER_TYPE)]

    def send(self, kind, **fields):
        """Send a request and let the conductor handle it, while the driver does not run."""
        request = self.side.archive.request(kind, **fields)
        self.conductor.do_work()
        return request


@pytest.mark.parametrize("auto_stop", [False, True])  # with it, its image is closed at once
@pytest.mark.parametrize("form", ["identity", "channel"])
def test_recording_is_stopped_before_its_counter_exists(side, form, auto_stop):
    made = Uncounted(side, auto_stop=auto_stop)
    if form == "identity":
        request = made.send(StopRecordingByIdentityRequest, recording_id=0)
    else:
        request = made.send(StopRecordingRequest, channel="aeron:ipc", stream_id=STREAM_ID)
    assert await_answer(side, request).code is ControlResponseCode.OK
    side.await_signal("STOP")
    assert side.archive.get_stop_position(0) == 0
    assert side.counter("Archive Recording Sessions") == 0
    side.pair.run_until(lambda: made.counters() == [])
    assert side.errors == []


def test_recording_whose_image_is_released_before_its_counter_exists_is_empty(side):
    made = Uncounted(side, auto_stop=True)
    request = made.send(StopRecordingRequest, channel="aeron:ipc", stream_id=STREAM_ID)
    client, *_ = side.both.archive.agents
    side.pair.world.time.advance(5 * S)  # a closed image's log stays mapped for a while
    client.do_work()
    assert await_answer(side, request).code is ControlResponseCode.OK
    side.await_signal("STOP")
    assert side.archive.get_stop_position(0) == 0
    assert side.errors == []


def replay_fields(recording_id, **changes):
    return {
        "recording_id": recording_id,
        "position": 0,
        "length": 2**63 - 1,
        "replay_stream_id": REPLAY_STREAM_ID,
        "file_io_max_length": -1,
        "replay_token": -1,
        "replay_channel": "aeron:ipc",
    } | changes


def numbers_of(side, subscription, count):
    numbers = []

    def take(view, _):
        numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    side.pair.run_until(lambda: subscription.poll(take, 10) >= 0 and len(numbers) >= count)
    return numbers


def test_replay_of_a_recording_without_its_counter_waits_and_follows_it(side):
    subscription = side.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    made = Uncounted(side)
    request = made.send(ReplayRequest, **replay_fields(0))
    assert await_answer(side, request).code is ControlResponseCode.OK
    side.publish(made.publication, 5)
    assert numbers_of(side, subscription, 5) == list(range(5))


def test_replay_that_has_not_begun_is_stopped(side):
    subscription = side.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    made = Uncounted(side)
    begun = made.send(ReplayRequest, **replay_fields(0))
    stopped = made.send(StopAllReplaysRequest, recording_id=-1)
    assert await_answer(side, stopped).code is ControlResponseCode.OK
    answer = await_answer(side, begun)
    assert answer.code is ControlResponseCode.ERROR
    assert answer.error_message == "all replays were stopped before this one began: recording 0"
    drive_for(side.pair, S)
    assert not subscription.is_connected
    assert side.counter("Archive Replay Sessions") == 0
    assert side.errors == []


# ---- replays ----


@pytest.fixture
def recorded(side):
    """The archive with a recording of two segments that has stopped."""
    side.finished(200)
    return side


def replay(side, **changes):
    """Request a replay of the recording; return the answer."""
    return await_answer(side, side.archive.request(ReplayRequest, **replay_fields(0, **changes)))


@pytest.mark.parametrize("counter_id", [-2, 1 << 20, "freed"])
def test_replay_bounded_by_no_counter_is_rejected(recorded, counter_id):
    if counter_id == "freed":
        counter = recorded.aeron.add_counter(COUNTER_TYPE, "limit")
        counter_id = counter.counter_id
        counter.close()
        drive_for(recorded.pair, S)
    fields = replay_fields(0, limit_counter_id=counter_id)
    request = recorded.archive.request(BoundedReplayRequest, **fields)
    answer = await_answer(recorded, request)
    assert answer.code is ControlResponseCode.ERROR
    assert answer.relevant_id == ArchiveErrorCode.GENERIC
    assert answer.error_message == f"unable to create replay limit counter id= {counter_id}"


ALL_AND_STOP = -2


def test_replay_up_to_the_present_end_of_a_recording_stops_there(side):
    subscription = side.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    publication, recording_id = side.record()
    empty = replay(side, length=ALL_AND_STOP)
    assert empty.relevant_id == ArchiveErrorCode.EMPTY_RECORDING
    side.await_recorded(recording_id, side.publish(publication, 5))
    assert replay(side, length=ALL_AND_STOP).code is ControlResponseCode.OK
    side.publish(publication, 5, start=5)
    assert numbers_of(side, subscription, 5) == list(range(5))
    side.pair.run_until(lambda: not subscription.is_connected)


def test_replay_from_beyond_the_end_of_a_recording_in_progress_is_rejected(side):
    publication, recording_id = side.record()
    position = side.publish(publication, 5)
    side.await_recorded(recording_id, position)
    answer = replay(side, position=position + FRAME_LENGTH)
    assert answer.relevant_id == ArchiveErrorCode.INVALID_POSITION
    assert f"must be less than the limit position={position} " in answer.error_message


def test_replay_with_reads_shorter_than_a_frame_is_rejected(recorded):
    answer = replay(recorded, file_io_max_length=1024)
    assert answer.relevant_id == ArchiveErrorCode.GENERIC
    assert answer.error_message.startswith("fileIoMaxLength=1024 < mtuLength=1408")


@pytest.mark.parametrize(
    ("damage", "code", "text"),
    [
        ("missing", ArchiveErrorCode.GENERIC, "recording segment file not created: 0-0.rec"),
        ("cut", ArchiveErrorCode.INVALID_POSITION, "not point to a valid frame: the file ends"),
    ],
)
def test_replay_from_a_damaged_segment_is_rejected(recorded, damage, code, text):
    path = "/data/0-0.rec"
    if damage == "missing":
        recorded.machine.files.remove(path)
    else:
        with recorded.machine.files.open(path, write=True) as file:
            file.truncate(FRAME_LENGTH + 16)
    answer = replay(recorded, position=FRAME_LENGTH)
    assert answer.code is ControlResponseCode.ERROR
    assert answer.relevant_id == code
    assert text in answer.error_message
    assert recorded.counter("Archive Replay Sessions") == 0


@pytest.mark.parametrize(
    ("message", "fields"),
    [(PurgeRecordingRequest, {}), (TruncateRecordingRequest, {"position": 10 * FRAME_LENGTH})],
)
def test_recording_whose_replay_has_not_begun_is_not_removed(recorded, message, fields):
    """The replay would begin with the end that the recording had at the request."""
    subscription = recorded.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    begun = recorded.archive.request(ReplayRequest, **replay_fields(0))
    removed = recorded.archive.request(message, recording_id=0, **fields)
    answer = await_answer(recorded, removed)
    assert answer.relevant_id == ArchiveErrorCode.ACTIVE_RECORDING
    assert answer.error_message.endswith("replay session pending")
    assert await_answer(recorded, begun).code is ControlResponseCode.OK
    assert numbers_of(recorded, subscription, 200) == list(range(200))


def test_only_the_replays_of_a_recording_are_stopped(recorded):
    recorded.finished(3, stream_id=1002)
    recorded.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    recorded.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID + 1)
    replay(recorded)  # waits for its subscriber, which never polls
    for stopped, left in ((1, 1), (0, 0)):
        request = recorded.archive.request(StopAllReplaysRequest, recording_id=stopped)
        assert await_answer(recorded, request).code is ControlResponseCode.OK
        drive_for(recorded.pair, S)
        assert recorded.counter("Archive Replay Sessions") == left


# ---- deletions ----


def test_segments_that_are_gone_already_count_as_deleted(recorded):
    _, conductor, *_ = recorded.both.archive.agents
    request = recorded.archive.request(PurgeRecordingRequest, recording_id=0)
    conductor.do_work()
    left = [name for name in recorded.machine.files.list("/data") if name.startswith("0-")]
    assert left
    for name in left:
        recorded.machine.files.remove(f"/data/{name}")
    assert await_answer(recorded, request).relevant_id == 2
    recorded.await_signal("DELETE")
    assert recorded.late_errors == recorded.errors == []
