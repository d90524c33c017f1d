"""The client's C functions on threads without the GIL, while its conductor changes their
objects.
"""

import threading
import time
from pathlib import Path

import pytest

from aeron_cluster.client import Aeron, FragmentAssembler
from aeron_cluster.errors import StateError
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.shared.counters_layout import CounterType

BOUND_S = 120.0
ROUNDS = 300


@pytest.fixture(scope="module")
def agents(build_extension):
    return build_extension(Path(__file__).parent / "stream_agents.pyx")


def turn(driver, aeron):
    driver.do_work()
    aeron.conductor_agent_invoker.invoke()


def await_true(condition):
    deadline = time.monotonic() + BOUND_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        pause.wait(0.0002)


def churn(driver, aeron, subscription, is_polled):
    """Add images with messages, and remove each once it is read."""
    for number in range(ROUNDS):
        publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
        for _ in range(3):
            assert publication.offer(b"x" * 900)
        path = driver.directory / f"{publication.registration_id}.logbuffer"
        driver.available_image(subscription.registration_id, publication.registration_id, path)
        turn(driver, aeron)
        if number % 3 == 0:
            is_polled()
        # Closed even while the poller reads it: the mapping is released immediately.
        driver.unavailable_image(subscription.registration_id, publication.registration_id)
        publication.close()
        turn(driver, aeron)
        path.unlink()
        for counters in (driver.limits, driver.positions):
            driver.counters.free(counters.pop(publication.registration_id), now_ms=-2000)
    turn(driver, aeron)


def test_images_are_added_and_removed_under_a_poller_without_the_gil(agents, driver, aeron):
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    agent = agents.PollingAgent(subscription)

    def is_polled():
        before = agent.passes
        await_true(lambda: agent.passes > before + 1)

    with AgentRunner([agent], idle_strategy="yield"):
        churn(driver, aeron, subscription, is_polled)
        assert subscription.images == ()
        await_true(subscription.reap)
        assert agent.was_connected
        assert agent.messages > 0
        with pytest.raises(StateError, match="one poller"):
            agents.PollingAgent(subscription).on_start()
    assert subscription.reap()


def test_images_are_added_and_removed_under_a_poller_in_python(driver, aeron):
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    seen = []
    stop = threading.Event()
    polls = [0]
    failures = []

    def poll():
        assembler = FragmentAssembler(lambda message, _: seen.append(bytes(message[:1])))
        try:
            while not stop.is_set():
                subscription.poll(assembler if polls[0] % 2 else lambda *_: seen.append(b"x"), 2)
                polls[0] += 1
        except Exception as failure:  # noqa: BLE001 - the test's main thread asserts it
            failures.append(failure)

    def is_polled():
        before = polls[0]
        await_true(lambda: polls[0] > before + 1 or failures)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        churn(driver, aeron, subscription, is_polled)
    finally:
        stop.set()
        thread.join()
    assert failures == []
    assert set(seen) == {b"x"}


def test_a_publication_may_be_closed_under_a_loop_without_the_gil(agents, driver, aeron):
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    agent = agents.OfferingAgent(publication)
    with AgentRunner([agent], idle_strategy="yield"):
        await_true(lambda: agent.accepted > 100)
        assert agent.is_connected
        assert agent.limit == 32768
        publication.close()
        turn(driver, aeron)
        await_true(lambda: agent.last_result == -4)
        accepted = agent.accepted
        assert (agent.position, agent.limit) == (-4, -4)
        assert not agent.is_connected
    assert agent.accepted == accepted


def test_client_may_be_closed_during_polls_and_offers(agents, driver, aeron):
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    path = driver.directory / f"{publication.registration_id}.logbuffer"
    driver.available_image(subscription.registration_id, publication.registration_id, path)
    turn(driver, aeron)
    poller, offerer = agents.PollingAgent(subscription), agents.OfferingAgent(publication)
    with (
        AgentRunner([poller], idle_strategy="yield"),
        AgentRunner([offerer], idle_strategy="yield"),
    ):
        await_true(lambda: poller.messages > 100)
        aeron.close()
        await_true(lambda: offerer.last_result == -4)
        before = poller.passes
        await_true(lambda: poller.passes > before + 10)
    assert subscription.images == ()


def heartbeats(client):
    kind = CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT
    return sum(
        each.type_id == kind and each.registration_id == client.client_id
        for each in client.counters_reader.counters()
    )


def test_blocking_calls_work_beside_the_conductors_thread(driver):
    """Both run passes of one conductor; no event is lost, and neither ends the other's wait."""
    stop = threading.Event()

    def drive():
        while not stop.wait(0.0001):
            driver.do_work()

    errors = []
    thread = threading.Thread(target=drive)
    thread.start()
    try:
        with Aeron.connect(
            aeron_dir=driver.directory,
            keepalive_interval_ns=1,  # every pass checks the driver
            idle_strategy="yield",
            error_handler=errors.append,
            client_resource_linger_duration_ns=0,
        ) as client:
            publication = client.add_publication("aeron:udp?control-mode=manual", 1001)
            for _ in range(ROUNDS):
                publication.add_destination("aeron:udp?endpoint=localhost:20121")
            await_true(lambda: heartbeats(client) == 1)
            assert not client.is_closed
    finally:
        stop.set()
        thread.join()
    assert errors == []
