"""An asyncio client between a service driven by the test: queued, late and failed requests."""

import asyncio

import pytest

from aeron_cluster.client.async_loop import until
from aeron_cluster.cluster_client.async_client import AsyncClusterClient, StateChange, _Listener
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind, FailureCause
from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    MessageError,
    NotReconnectedError,
    RequestFailedError,
    SupersededError,
    TimeoutExpiredError,
)
from tests.unit.cluster_client.test_surviving_client import Rig, S

TOO_LONG = bytes(4096)


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs the body of a test with a rig and its connected client."""

    def run(body, **options):
        async def connected():
            listener = _Listener()
            rig = Rig(monkeypatch, listener=listener, **options)
            async with AsyncClusterClient(rig.client, listener) as client:
                await client._await_connected(60 * S)
                await body(rig, client)

        asyncio.run(connected())

    return run


async def begun(client, *payloads):
    """Begin requests that are not answered yet, in order; return their tasks."""
    tasks = [asyncio.create_task(client.request(payload)) for payload in payloads]
    await until(lambda: client.in_flight == len(tasks), "60s")
    return tasks


def test_queued_request_is_rejected_by_itself(run):
    async def body(rig, client):
        rig.is_driven = False
        first, second, long, last = await begun(client, b"first", b"second", TOO_LONG, b"last")
        assert client.in_flight == 4
        rig.is_driven = True
        assert [await first, await second] == [b"done first", b"done second"]
        with pytest.raises(MessageError, match="found 4096"):
            await long
        assert await last == b"done last"
        assert rig.cluster.applied == [1, 2, 3]

    run(body, window_length=1)


def test_cancelled_request_is_not_sent_from_the_queue(run):
    async def body(rig, client):
        rig.is_driven = False
        first, cancelled, last = await begun(client, b"first", b"cancelled", b"last")
        cancelled.cancel()
        await asyncio.wait([cancelled])
        rig.is_driven = True
        assert [await first, await last] == [b"done first", b"done last"]
        assert rig.cluster.applied == [1, 2]

    run(body, window_length=1)


def fail(rig, sequence):
    """Reply as a service that failed to handle a request."""
    of = rig.client.client_id, rig.client._incarnation
    envelope = Envelope(EnvelopeKind.FAILURE, *of, sequence, FailureCause.FAILED)
    rig.session.egress.append(envelope.encode(b"KeyError"))


def test_request_with_an_invalid_timeout_is_not_sent(run):
    async def body(rig, client):
        with pytest.raises(ConfigurationError, match="timeout_ns"):
            await client.request(b"never", "10")
        assert client.in_flight == 0
        assert rig.cluster.applied == []

    run(body)


@pytest.mark.parametrize("outcome", ["answer", "failure"])
def test_outcome_after_the_timeout_is_dropped(run, outcome):
    async def body(rig, client):
        rig.is_driven = False
        with pytest.raises(TimeoutExpiredError, match="no answer within"):
            await client.request(b"slow", "1ms")
        assert client.in_flight == 1
        if outcome == "failure":
            fail(rig, 1)
        rig.is_driven = True
        await until(lambda: not client.in_flight, "60s")
        assert await client.request(b"next") == b"done next"

    run(body)


def test_failure_in_the_service_is_raised(run):
    async def body(rig, client):
        rig.is_driven = False
        (pending,) = await begun(client, b"cake")
        fail(rig, 1)
        with pytest.raises(RequestFailedError, match="failed in the service: KeyError") as caught:
            await pending
        assert caught.value.is_rejected is False

    run(body)


def test_failed_client_raises_its_error_to_all(run):
    async def body(rig, client):
        events = client.events()
        following = asyncio.create_task(anext(events))
        later = Envelope(EnvelopeKind.OPEN, client.client.client_id, 2**62, 0)
        rig.cluster.log.append((99, later.encode()))
        answers = await asyncio.gather(
            *map(client.request, (b"one", b"two")), return_exceptions=True
        )
        assert [type(each) for each in answers] == [SupersededError] * 2
        assert await following == StateChange(SurvivalState.FAILED, str(client.client.failure))
        with pytest.raises(SupersededError):
            await anext(events)
        with pytest.raises(SupersededError):
            await client.request(b"three")
        assert client.in_flight == 0

    run(body, window_length=1)


def test_failure_of_the_client_is_no_timeout_of_a_request(run):
    async def body(rig, client):
        rig.is_driven = False
        request = asyncio.create_task(client.request(b"one", "3600s"))
        await until(lambda: client.in_flight, "60s")
        rig.time.advance(100 * S)
        with pytest.raises(NotReconnectedError, match="no message from the service") as caught:
            await request
        assert caught.value.in_doubt == (1,)
        assert caught.value is rig.client.failure

    run(body, reconnect_timeout_ns=60 * S)


def test_pending_requests_end_although_closing_fails(run):
    async def body(rig, client):
        rig.is_driven = False
        (pending,) = await begun(client, b"one")
        errors = [LookupError("of the user")]
        close = rig.session.close

        def fail():
            close()
            raise errors.pop()

        rig.session.close = fail
        with pytest.raises(LookupError, match="of the user"):
            await client.close()
        await asyncio.wait({pending}, timeout=10)
        assert pending.done()
        with pytest.raises(ClosedError, match="it was closed"):
            pending.result()

    run(body)


def test_closed_client_raises_to_pending_and_later_requests(run):
    async def body(rig, client):
        rig.is_driven = False
        (pending,) = await begun(client, b"one")
        await client.close()
        with pytest.raises(ClosedError, match="it was closed"):
            await pending
        with pytest.raises(ClosedError, match="it was closed"):
            await client.request(b"two")

    run(body)
