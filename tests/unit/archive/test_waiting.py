import contextlib
import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_session
from aeron_cluster.archive.waiting import (
    await_recording,
    begin_replay,
    list_recording,
    send_request,
)
from aeron_cluster.codecs.archive import ListRecordingRequest
from aeron_cluster.errors import ArchiveError, DamagedRecordingError, TimeoutExpiredError
from aeron_cluster.memory.agents.waiting import Task
from tests.unit.archive.pair_rig import SEGMENT_LENGTH, Pair, S


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


# ---- replays, with an archive ----


@pytest.fixture
def pair():
    with contextlib.closing(Pair(src={"connect_timeout_ns": S})) as made:
        yield made


def run(pair, generator):
    """Drive everything until a task is done; return its result."""
    task = Task(generator)
    pair.run_until(lambda: task.do_work() >= 0 and task.is_done)
    return task.result


def begin(pair, recording_id=0, **changes):
    values = {
        "position": 0,
        "length": 2**63 - 1,
        "replay_stream_id": 78,
        "file_io_max_length": -1,
        "replay_token": -1,
        "replay_channel": "aeron:ipc",
    } | changes
    return run(pair, begin_replay(pair.src.archive, recording_id=recording_id, **values))


def test_rejected_replay_is_an_error_and_damage_is_distinguished(pair):
    pair.src.finished(3)
    with pytest.raises(ArchiveError, match="unknown recording id: 9") as raised:
        begin(pair, 9)
    assert not isinstance(raised.value, DamagedRecordingError)
    with pytest.raises(DamagedRecordingError, match="does not point to a valid frame") as raised:
        begin(pair, position=64)
    assert (raised.value.recording_id, raised.value.position) == (0, -1)


def test_rejected_list_is_an_error():
    def allows(_protocol, action, *_):
        return action != ListRecordingRequest.template_id

    with contextlib.closing(Pair(src={"authorisation_service": allows})) as pair:
        with pytest.raises(ArchiveError) as raised:
            run(pair, list_recording(pair.src.archive, 0))
        assert raised.value.code == ArchiveErrorCode.UNAUTHORISED_ACTION


def test_replay_that_ends_before_its_image_is_there_is_an_error(pair):
    pair.src.finished(3)
    running = begin(pair)
    other = pair.src.aeron.add_subscription("aeron:ipc", 79)
    with pytest.raises(ArchiveError, match="no connection established") as raised:
        run(pair, running.await_image(other))
    assert not isinstance(raised.value, DamagedRecordingError)
    running.close()


@pytest.mark.parametrize("is_connected", [True, False])
def test_error_of_a_revoked_replay_is_awaited_while_its_archive_is_connected(pair, is_connected):
    pair.src.finished(300)
    pair.src.machine.files.remove(f"/data/0-{SEGMENT_LENGTH}.rec")
    subscription = pair.src.aeron.add_subscription("aeron:ipc", 78)
    running = begin(pair)
    image = run(pair, running.await_image(subscription))

    def is_revoked():
        image.poll(lambda *_: None, 10)
        return image.is_publication_revoked

    pair.run_until(is_revoked)
    if is_connected:
        with pytest.raises(DamagedRecordingError, match="segment not found"):
            run(pair, running.check(image))
    else:
        pair.src.archive.close()
        assert run(pair, running.check(image)) is None
