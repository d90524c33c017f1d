"""What archives record at rest: the log alone; what has ended and remains is found."""

from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
from aeron_cluster.simulator.checks.archive_recordings import wrong_counters, wrong_streams
from aeron_cluster.simulator.checks.plain_disk import PlainRecording
from aeron_cluster.simulator.members.archive_operator import RecordedStream

LOG, SNAPSHOT = 100, 107
ENDED, ACTIVE = 96, -1


def recording(number, session_id, stream_id, stop_position=ENDED):
    ids = {"session_id": session_id, "stream_id": stream_id}
    return PlainRecording(number, 0, stop_position, 1 << 16, 1 << 16, **ids)


def stream(session_id, stream_id):
    return RecordedStream(stream_id, f"aeron:ipc?session-id={session_id}|alias=any")


OF_LOG = recording(0, 7, LOG, ACTIVE)
OF_SNAPSHOT = recording(1, -8, SNAPSHOT)


def wrong(*streams, is_recorded=True):
    return wrong_streams(streams, OF_LOG, [OF_LOG, OF_SNAPSHOT], is_recorded=is_recorded)


def counter(recording_id):
    return CounterDescriptor(0, 100, 0, 0, 0, 0, recording_id.to_bytes(8, "little") + bytes(8), "")


def test_the_log_must_be_recorded_once():
    assert wrong(stream(7, LOG)) == []
    assert wrong() == ["0 subscriptions of the log's session 7"]
    assert wrong(is_recorded=False) == []
    assert wrong(*[stream(7, LOG)] * 2) == ["2 subscriptions of the log's session 7"]
    assert wrong(*[stream(7, LOG)] * 2, is_recorded=False) != []


def test_a_subscription_of_an_ended_recording_is_found():
    ended = stream(-8, SNAPSHOT)
    expected = "aeron:ipc?session-id=-8|alias=any of stream 107 is still requested"
    assert wrong(stream(7, LOG), ended) == [expected]
    unlimited = RecordedStream(SNAPSHOT, "aeron:ipc")
    assert wrong(stream(7, LOG), unlimited) == ["aeron:ipc of stream 107 is still requested"]


def test_a_recording_that_never_began_is_no_fault():
    assert wrong(stream(7, LOG), stream(9, SNAPSHOT), stream(-8, LOG)) == []


def test_a_counter_of_an_ended_recording_is_found():
    recordings = {each.recording_id: each for each in (OF_LOG, OF_SNAPSHOT)}
    assert wrong_counters([counter(0), counter(5)], recordings) == []
    assert wrong_counters([counter(0), counter(1)], recordings) == [
        "the position of recording 1 is still counted"
    ]
