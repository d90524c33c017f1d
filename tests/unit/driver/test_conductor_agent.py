"""The driver's timer: it calls Python only in exceptional cases."""

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.driver.control.conductor import Conductor
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

SECOND = 1_000_000_000
CHANNEL = "aeron:ipc?term-length=64k"


class Rig:
    """A driver and a client, driven by the test, with a clock advanced by the test."""

    def __init__(self, directory, monkeypatch):
        self.clock = VirtualClock(SECOND, 1_700_000_000 * SECOND)
        seams = Seams(clock=self.clock, network=MemoryNetwork())
        self.calls = 0
        do_work = Conductor.do_work

        def counted(conductor):
            self.calls += 1
            return do_work(conductor)

        monkeypatch.setattr(Conductor, "do_work", counted)
        self.driver = MediaDriver.launch(
            seams=seams, aeron_dir=str(directory), threading_mode="INVOKER"
        )
        self.driver.invoker.start()
        self.aeron = Aeron.connect(
            aeron_dir=str(directory),
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=self.driver.invoker.invoke,
        )
        self.cnc = CncFile.open(SystemFiles(), directory / "cnc.dat")
        self.ring = self.cnc.to_driver()

    def step(self):
        self.driver.invoker.invoke()
        self.aeron.conductor_agent_invoker.invoke()

    def pass_seconds(self, seconds, *, is_client_alive=True):
        for _ in range(20 * seconds):
            self.clock.advance(SECOND // 20)
            if is_client_alive:
                self.aeron.conductor_agent_invoker.invoke()
            self.driver.invoker.invoke()

    def count(self, counter):
        return self.driver.counters.value(counter)

    def close(self):
        self.cnc.close()
        self.aeron.close()
        self.driver.close()


@pytest.fixture
def rig(shm_dir, monkeypatch):
    rig = Rig(shm_dir / "driver", monkeypatch)
    try:
        yield rig
    finally:
        rig.close()


def test_pass_before_the_start_does_not_count_as_long(shm_dir):
    seams = Seams(clock=VirtualClock(SECOND, 1_700_000_000 * SECOND), network=MemoryNetwork())
    with MediaDriver.launch(
        seams=seams, aeron_dir=str(shm_dir / "driver"), threading_mode="INVOKER"
    ) as driver:
        for agent in driver.agents:
            agent.do_work()
        for counter in (
            SystemCounter.SYSTEM_CONDUCTOR_MAX_CYCLE_TIME,
            SystemCounter.SYSTEM_CONDUCTOR_CYCLE_TIME_EXCEEDED,
            SystemCounter.SYSTEM_SENDER_MAX_CYCLE_TIME,
            SystemCounter.SYSTEM_RECEIVER_MAX_CYCLE_TIME,
        ):
            assert driver.counters.value(counter) == 0, counter


def streams(rig):
    """Add a stream of each kind."""
    added = [rig.aeron.add_subscription(CHANNEL, 1), rig.aeron.add_publication(CHANNEL, 1)]
    added.append(rig.aeron.add_exclusive_publication(CHANNEL, 1))
    channel = "aeron:udp?endpoint=127.0.0.1:24325|term-length=64k"
    added += [rig.aeron.add_subscription(channel, 2), rig.aeron.add_publication(channel, 2)]
    for _ in range(50):
        rig.step()
        rig.clock.advance(SECOND // 100)
    return added


def test_idle_seconds_do_not_call_the_conductor(rig):
    kept = streams(rig)
    rig.pass_seconds(2)
    rig.calls = 0
    before = rig.ring.consumer_heartbeat_ms
    rig.pass_seconds(20)
    assert rig.calls == 0
    assert 19_000 <= rig.ring.consumer_heartbeat_ms - before <= 21_000
    assert rig.count(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 0
    assert all(not each.is_closed for each in kept)


def test_a_silent_client_is_detected_after_quiet_seconds(rig):
    streams(rig)
    rig.pass_seconds(20)
    rig.pass_seconds(9, is_client_alive=False)
    assert rig.count(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 0
    rig.pass_seconds(3, is_client_alive=False)
    assert rig.count(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 1


def test_unfinished_command_is_unblocked_after_its_timeout(rig):
    streams(rig)
    rig.pass_seconds(60)
    rig.ring.try_claim(7, 100)
    rig.pass_seconds(9)
    assert rig.count(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS) == 0
    rig.pass_seconds(4)
    assert rig.count(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS) == 1


def test_unfinished_claim_is_unblocked_after_quiet_seconds(rig):
    _, publication, *_ = streams(rig)
    rig.pass_seconds(30)
    claim = BufferClaim()
    assert publication.try_claim(100, claim)
    rig.pass_seconds(13)
    assert rig.count(SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS) == 0
    rig.pass_seconds(5)
    assert rig.count(SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS) == 1


def test_an_untethered_subscriber_is_checked_by_the_conductor(rig):
    rig.aeron.add_subscription(CHANNEL + "|tether=false", 1)
    rig.pass_seconds(2)
    rig.calls = 0
    rig.pass_seconds(5)
    assert rig.calls >= 4
