"""Clients in an event loop with a node in this process: requests, events and the end."""

import asyncio
import threading

import pytest

from aeron_cluster import (
    Aeron,
    AsyncClusterClient,
    AsyncPublication,
    AsyncSubscription,
    ClusteredService,
    ClusterNode,
    Deduplication,
    MediaDriver,
    local_member,
)
from aeron_cluster.client.async_loop import until
from aeron_cluster.cluster_client import ServiceMessage
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    DriverTimeoutError,
    NotReconnectedError,
    RejectedRequestError,
    RequestFailedError,
    TimeoutExpiredError,
)
from tests.process.test_node_layouts import SMALL_LOG

LOOPS = ["asyncio", "uvloop"]


class Shout(ClusteredService):
    """Replies in upper case; sends an unrequested message; rejects questions; ignores some
    requests.
    """

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster
        self.requests = Deduplication(cluster)

    def on_session_message(self, session, timestamp, message, _header):
        def shout(request):
            if request.payload.endswith(b"?"):
                raise RejectedRequestError("no questions")
            if request.payload == b"greet":
                while not session.offer(b"good day"):
                    self.cluster.idle()
            return request.payload.upper()

        if message[-6:] == b"silent":
            self.requests.accept(session, timestamp, message)
        else:
            self.requests.handle(session, timestamp, message, shout)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory, free_port):
    node = ClusterNode.launch(
        Shout(),
        directory=tmp_path_factory.mktemp("node"),
        members=local_member(base_port=free_port(10)),
        properties=SMALL_LOG,
    )
    with node:
        yield node.member.ingress_endpoint


@pytest.fixture(autouse=True)
def no_driver_named(monkeypatch):
    monkeypatch.delenv("AERON_DIR", raising=False)


def thread_names():
    """Return the threads of drivers and nodes, except those of name resolution."""
    return {
        each.name for each in threading.enumerate() if not each.name.startswith("aeron-executor")
    }


async def go_round():
    """Run the due callbacks of the loop."""
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(done.set_result, None)
    await done


def run(coroutine, loop="asyncio"):
    factory = pytest.importorskip("uvloop").new_event_loop if loop == "uvloop" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(asyncio.wait_for(coroutine, 120))


@pytest.mark.parametrize("loop", LOOPS)
def test_thousands_of_requests_are_in_flight_from_one_thread(endpoint, loop):
    async def send_request():
        async with await AsyncClusterClient.connect(endpoint) as client:
            tasks = [asyncio.ensure_future(client.request(b"a %d" % n)) for n in range(3000)]
            await go_round()
            assert client.in_flight > 2000  # some may be answered already
            answers = await asyncio.gather(*tasks)
            assert client.in_flight == 0
        return answers

    assert run(send_request(), loop) == [b"A %d" % n for n in range(3000)]


def test_a_client_has_no_thread(endpoint):
    async def connect(directory):
        async with await AsyncClusterClient.connect(endpoint, aeron_dir=directory) as client:
            return await client.request(b"hello"), thread_names()

    with MediaDriver.launch(threading_mode="SHARED") as driver:
        before = thread_names()
        assert run(connect(driver.aeron_dir)) == (b"HELLO", before)


def test_other_tasks_run_and_the_loop_sleeps_without_pending_requests(endpoint):
    async def send_request():
        passes = 0

        async def count_passes():
            nonlocal passes
            while True:
                passes += 1
                await go_round()

        async with await AsyncClusterClient.connect(endpoint) as client:
            other_task = asyncio.ensure_future(count_passes())
            assert await client.request(b"now", "60s") == b"NOW"
            assert passes > 0
            other_task.cancel()
            await until(lambda: client._duty_cycle.is_sleeping)
            assert await client.request(b"again") == b"AGAIN"

    run(send_request())


def test_events_reach_each_iterator_and_end_with_the_client(endpoint):
    async def listen(client, seen):
        async for event in client.events():
            seen.append(event)

    async def send_request():
        seen = [[], []]
        client = await AsyncClusterClient.connect(endpoint)
        tasks = [asyncio.ensure_future(listen(client, each)) for each in seen]
        await go_round()
        assert await client.request(b"greet") == b"GREET"
        await until(lambda: all(seen))
        await client.close()
        await asyncio.gather(*tasks)
        return seen

    first, second = run(send_request())
    assert first == second
    assert [each.payload for each in first if isinstance(each, ServiceMessage)] == [b"good day"]


def test_rejection_timeout_and_end_reach_the_awaiting_caller(endpoint):
    async def send_request():
        client = await AsyncClusterClient.connect(endpoint)
        with pytest.raises(RequestFailedError, match="no questions"):
            await client.request(b"why?")
        with pytest.raises(TimeoutExpiredError, match=r"no answer within 0\.05 s"):
            await client.request(b"silent", "50ms")
        cancelled = asyncio.ensure_future(client.request(b"silent"))
        await go_round()
        cancelled.cancel()
        assert await client.request(b"alive") == b"ALIVE"
        awaited = asyncio.ensure_future(client.request(b"silent"))
        await go_round()
        await client.close()
        await client.close()
        with pytest.raises(ClosedError):
            await awaited
        with pytest.raises(ClosedError):
            await client.request(b"late")
        assert client.client.state is SurvivalState.CLOSED

    run(send_request())


SILENCE = r"127\.0\.0\.1:9: no message from the service for 0\.1 s, .*; is the cluster up\?$"


def test_failed_connect_reports_the_reason(tmp_path):
    async def send_request():
        with pytest.raises(DriverTimeoutError, match="aeron-cluster driver --dir"):
            await AsyncClusterClient.connect("127.0.0.1:9", aeron_dir=tmp_path)
        with pytest.raises(ConfigurationError, match="listener"):
            await AsyncClusterClient.connect("127.0.0.1:9", listener=None)
        with pytest.raises(NotReconnectedError, match=SILENCE):
            await AsyncClusterClient.connect("127.0.0.1:9", connect_timeout_ns="100ms")
        with pytest.raises(NotReconnectedError, match=SILENCE):
            SurvivingClient.connect("127.0.0.1:9", connect_timeout_ns="100ms")

    run(send_request())


@pytest.mark.parametrize("loop", LOOPS)
def test_publication_and_subscription_can_be_awaited(loop):
    async def talk(aeron):
        subscription = aeron.add_subscription("aeron:ipc", 1001)
        publication = AsyncPublication(aeron.add_publication("aeron:ipc", 1001))
        received = AsyncSubscription(subscription)
        with pytest.raises(TimeoutExpiredError, match=r"a message: not within 0\.01 s"):
            await received.poll(lambda *_: None, timeout_ns="10ms")
        await publication.connected("60s")
        await received.connected("60s")
        count, length = 5000, 1024  # more than fits into a term

        async def send():
            for number in range(count):
                await publication.offer(number.to_bytes(length, "little"))

        sending = asyncio.ensure_future(send())
        got = []
        async for payload, header in received:
            got.append(int.from_bytes(payload, "little"))
            assert header.stream_id == 1001
            if len(got) == count // 2:
                break
        while len(got) < count:
            with await received.poll_batch(timeout_ns="60s") as batch:
                got += batch.records("<i8").tolist()
        await sending
        after = asyncio.ensure_future(anext(aiter(received), None))
        await go_round()
        subscription.close()
        assert await after is None
        return got

    with (
        MediaDriver.launch(threading_mode="SHARED", ipc_term_buffer_length="1m") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
    ):
        got = run(talk(aeron), loop)
    assert got == list(range(5000))
