"""The archive's client for asyncio: the same requests as the blocking client, awaited."""

import asyncio
import contextlib
import inspect

import pytest

from aeron_cluster.archive import AeronArchive, ArchiveErrorCode, AsyncAeronArchive
from aeron_cluster.client.async_loop import until
from aeron_cluster.codecs.archive import StartRecordingRequest2
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    ConfigurationError,
    RegistrationError,
    TimeoutExpiredError,
)
from tests.unit.archive.archive_rig import ArchiveRig
from tests.unit.archive.pair_rig import message

STREAM_ID = 1001
IPC = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}
S = 1_000_000_000


@pytest.fixture
def rig(tmp_path):
    with contextlib.closing(ArchiveRig(tmp_path)) as made:
        yield made


class Driving:
    """Drives an archive from the event loop."""

    def __init__(self, rig):
        self.rig = rig
        self.is_paused = False

    async def __aenter__(self):
        self._loop = asyncio.get_running_loop()
        self._drive()
        return self

    def _drive(self):
        if not self.is_paused:
            self.rig.step()
        self._handle = self._loop.call_soon(self._drive)

    async def __aexit__(self, *_):
        self._handle.cancel()


def run(rig, use, **options):
    """Await ``use(archive, driving)`` while the archive is driven."""

    async def main():
        async with (
            Driving(rig) as driving,
            await AsyncAeronArchive.connect(aeron=rig.aeron, **IPC, **options) as archive,
        ):
            return await asyncio.wait_for(use(archive, driving), 120)

    return asyncio.run(main())


def test_a_request_fails_after_the_configured_attempts(rig, monkeypatch):
    async def use(archive, _):
        monkeypatch.setattr(archive._archive, "request", lambda *_, **__: None)  # back pressure
        with pytest.raises(ArchiveError, match="failed to send ListRecordingsRequest"):
            await archive.list_recordings()

    run(rig, use, message_retry_attempts=2)


def test_a_recording_is_recorded_read_and_removed(rig):
    signals = []

    async def use(archive, _):
        publication = await archive.add_recorded_exclusive_publication("aeron:ipc", STREAM_ID)
        await until(lambda: publication.is_connected)
        for number in range(20):
            await until(lambda number=number: publication.offer(message(number, 100)))
        end = publication.position
        [subscription] = await archive.list_recording_subscriptions()
        assert subscription.stream_id == STREAM_ID
        [recording] = await archive.list_recordings()
        assert recording.session_id == publication.session_id
        found = await archive.list_recording(0)
        assert found.original_channel == recording.original_channel
        assert await archive.list_recording(1) is None
        assert len(await archive.list_recordings_for_uri("ipc", STREAM_ID)) == 1
        assert await archive.list_recordings_for_uri("ipc", 7) == []
        while await archive.get_max_recorded_position(0) != end:
            pass
        assert await archive.get_recording_position(0) == end
        assert await archive.get_stop_position(0) == -1
        replayed = await archive.replay(0, "aeron:ipc", 77)
        numbers = []
        await until(
            lambda: (
                replayed.poll(lambda view, _: numbers.append(view[0])) >= 0 and len(numbers) == 20
            )
        )
        assert numbers == list(range(20))
        replayed.close()
        await archive.stop_all_replays()
        assert await archive.try_stop_recording(subscription.subscription_id) is True
        assert await archive.try_stop_recording(subscription.subscription_id) is False
        assert await archive.get_stop_position(0) == end
        await archive.truncate_recording(0, 0)
        assert await archive.get_stop_position(0) == 0
        await archive.purge_recording(0)
        assert await archive.list_recordings() == []
        publication.close()
        shared = await archive.add_recorded_publication("aeron:ipc", STREAM_ID)
        with pytest.raises(ArchiveError, match="already added"):
            await archive.add_recorded_publication("aeron:ipc", STREAM_ID)
        assert await archive.find_last_matching_recording(0, "ipc", 1, 1) == -1
        await archive.stop_recording_publication(shared)
        uri = f"aeron:ipc?session-id={shared.session_id}"
        assert await archive.try_stop_recording_channel(uri, STREAM_ID) is False
        await archive.start_recording(uri, STREAM_ID)
        assert await archive.try_stop_recording_channel(uri, STREAM_ID) is True
        shared.close()

    run(rig, use, recording_signal_handler=lambda each: signals.append(each.signal))
    assert signals


def test_any_number_of_requests_is_in_flight(rig):
    async def use(archive, _):
        publication = await archive.add_recorded_publication("aeron:ipc", STREAM_ID)
        calls = [
            asyncio.ensure_future(archive.get_start_position(number % 2)) for number in range(300)
        ]
        await until(lambda: archive.in_flight > 1)
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert archive.in_flight == 0
        publication.close()
        return found

    found = run(rig, use)
    assert found[::2] == [0] * 150
    assert {type(each) for each in found[1::2]} == {ArchiveError}
    assert {each.code for each in found[1::2]} == {ArchiveErrorCode.UNKNOWN_RECORDING}


def test_a_missing_answer_is_an_error_after_the_timeout(rig):
    async def use(archive, driving):
        driving.is_paused = True
        with pytest.raises(TimeoutExpiredError, match="no answer to ListRecordingRequest in time"):
            await archive.list_recording(0)
        assert archive.in_flight == 0
        cancelled = asyncio.ensure_future(archive.list_recording(0))
        await until(lambda: archive.in_flight == 1)
        cancelled.cancel()
        await asyncio.wait([cancelled])
        assert archive.in_flight == 0
        driving.is_paused = False
        assert await archive.list_recordings() == []

    run(rig, use, message_timeout_ns=S // 2)


def test_closing_ends_requests_in_flight(rig):
    async def use(archive, driving):
        driving.is_paused = True
        pending = asyncio.ensure_future(archive.list_recording(0))
        await until(lambda: archive.in_flight == 1)
        await archive.close()
        await archive.close()
        with pytest.raises(ClosedError):
            await pending
        assert archive.is_closed
        with pytest.raises(ClosedError):
            await archive.list_recording(0)
        driving.is_paused = False

    run(rig, use)


@pytest.mark.parametrize("stream", ["_responses", "_requests"])
def test_the_end_of_the_archive_ends_requests_in_flight(rig, stream):
    async def use(archive, driving):
        driving.is_paused = True
        pending = asyncio.ensure_future(archive.list_recording(0))
        await until(lambda: archive.in_flight == 1)
        getattr(archive._archive, stream).close()
        with pytest.raises(ClosedError):
            await pending
        assert not archive.is_connected
        with pytest.raises(ClosedError):
            await archive.list_recording(0)
        driving.is_paused = False

    run(rig, use)


def test_answer_to_a_cancelled_request_does_not_end_the_others(rig):
    async def use(archive, driving):
        driving.is_paused = True
        cancelled, other = (asyncio.ensure_future(archive.list_recording(0)) for _ in range(2))
        await until(lambda: archive.in_flight == 2)
        cancelled.cancel()
        futures = [*archive._in_flight.values()]
        rig.await_that(lambda: archive._do_work() and futures[1].done())
        assert futures[0].cancelled()
        assert await other is None
        driving.is_paused = False

    run(rig, use)


def test_invalid_requests_are_rejected_before_they_are_sent(rig):
    async def use(archive, _):
        with pytest.raises(ConfigurationError, match="replay_channel"):
            await archive.start_replay(
                0,
                "aeron:udp?control-mode=response|control=localhost:1",
                7,
                subscription_registration_id=1,
            )
        with pytest.raises(RegistrationError):
            await archive.add_recorded_publication("aeron:udp?endpoint=nowhere.example:1", 7)
        assert archive.in_flight == 0

    run(rig, use)
    with pytest.raises(ConfigurationError, match="idle_strategy"):
        asyncio.run(AsyncAeronArchive.connect(**IPC, idle_strategy=None))


def test_publication_that_cannot_be_recorded_is_closed(tmp_path):
    def allow(_protocol, action, *_):
        return action != StartRecordingRequest2.template_id

    async def use(archive, _):
        reader = rig.aeron.add_subscription("aeron:ipc", STREAM_ID)
        with pytest.raises(ArchiveError) as raised:
            await archive.add_recorded_publication("aeron:ipc", STREAM_ID)
        assert raised.value.code == ArchiveErrorCode.UNAUTHORISED_ACTION
        await until(lambda: not reader.is_connected)

    with contextlib.closing(ArchiveRig(tmp_path, authorisation_service=allow)) as rig:
        run(rig, use)


def test_an_own_aeron_client_is_closed_with_the_archive_client(rig, tmp_path):
    async def main():
        async with (
            Driving(rig),
            await AsyncAeronArchive.connect(aeron_dir=str(tmp_path / "driver"), **IPC) as archive,
        ):
            assert archive.aeron is not rig.aeron
            assert await archive.list_recordings() == []
            assert archive.archive_id == rig.archive.archive_id
            assert archive.control_session_id >= 0
            assert repr(archive).startswith("<AsyncAeronArchive ")
        return archive

    archive = asyncio.run(main())
    assert archive.aeron.is_closed
    assert not rig.aeron.is_closed


OTHERS = {"connect", "close", "request", "poll", "take_answer", "forget", "post", "route_errors"}


def test_the_client_has_every_request_of_the_blocking_client():
    requests = {
        name
        for name, method in inspect.getmembers(AeronArchive, inspect.isfunction)
        if not name.startswith("_")
    }
    requests -= {*OTHERS, "segment_base_position"}
    # Its duty cycle polls: errors and signals are passed to their handlers.
    requests -= {"poll_for_error_response", "poll_for_recording_signals"}
    assert len(requests) == 34
    for name in requests:
        ours = getattr(AsyncAeronArchive, name)
        assert inspect.iscoroutinefunction(ours)
        expected = inspect.signature(getattr(AeronArchive, name))
        assert list(inspect.signature(ours).parameters) == list(expected.parameters)
