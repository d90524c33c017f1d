import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_session
from aeron_cluster.archive.waiting import await_recording, send_request
from aeron_cluster.codecs.archive import ListRecordingRequest
from aeron_cluster.errors import ArchiveError, TimeoutExpiredError
from aeron_cluster.memory.agents.waiting import Task


def counter(counter_id, type_id, recording_id, session_id, identity, archive_id):
    key = struct.pack("<qii", recording_id, session_id, len(identity)) + identity
    key += struct.pack("<q", archive_id)
    return SimpleNamespace(counter_id=counter_id, type_id=type_id, key=key.ljust(112, b"\0"))


def test_finds_the_position_counter_of_a_session_in_its_archive():
    counters = SimpleNamespace(
        counters=lambda _type_id: [
            counter(4, 100, 1, 6, b"aeron:ipc", 9),
            counter(5, 100, 2, 5, b"127.0.0.1:4000", 8),
            counter(6, 100, 3, 5, b"127.0.0.1:4000", 9),
        ]
    )
    assert find_counter_by_session(counters, 5, 9) == (6, 3)
    assert find_counter_by_session(counters, 5, 10) is None


def test_recording_that_never_begins_is_awaited_no_longer_than_an_answer():
    clock = SimpleNamespace(now_ns=0)
    found = []
    archive = SimpleNamespace(
        aeron=SimpleNamespace(
            context=SimpleNamespace(now_ns=lambda: clock.now_ns),
            counters_reader=SimpleNamespace(counters=lambda _type_id: found),
        ),
        archive_id=9,
        context=SimpleNamespace(message_timeout_ns=10),
        poll=lambda: 0,
    )
    late, in_time = Task(await_recording(archive, 5)), Task(await_recording(archive, 5))
    late.do_work()
    in_time.do_work()
    clock.now_ns = 10
    found.append(counter(6, 100, 3, 5, b"127.0.0.1:4000", 9))
    in_time.do_work()
    assert in_time.result == (6, 3)
    found.clear()
    late.do_work()
    clock.now_ns = 11
    with pytest.raises(TimeoutExpiredError, match="no recording of session 5 in time"):
        late.do_work()


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_request_is_offered_as_often_as_configured(attempts):
    offers = []
    archive = SimpleNamespace(
        aeron=SimpleNamespace(context=SimpleNamespace(now_ns=lambda: 0)),
        context=ArchiveClientContext.of(
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
            properties={"aeron.archive.message.retry.attempts": str(attempts)},
        ),
        request=lambda *given, **_: offers.append(given),  # back pressure
    )
    task = Task(send_request(archive, ListRecordingRequest, recording_id=1))
    for _ in range(attempts - 1):
        task.do_work()
    with pytest.raises(ArchiveError, match="failed to send ListRecordingRequest"):
        task.do_work()
    assert len(offers) == attempts
