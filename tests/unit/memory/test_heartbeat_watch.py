"""Heartbeats that are replaced or not, whatever steps the wall clock makes around them."""

import pytest

from aeron_cluster.memory.shared.heartbeat_watch import HeartbeatWatch
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

S = 1_000_000_000
HOUR = 3600 * S
TIMEOUT_NS = 10 * S


@pytest.fixture
def clock():
    return VirtualClock(epoch_nanos=10_000 * S)


@pytest.fixture
def watch(clock):
    return HeartbeatWatch(TIMEOUT_NS, clock.epoch_ms(), clock.nano_time())


def is_silent(watch, clock, heartbeat_ms):
    return watch.is_silent(heartbeat_ms, clock.nano_time())


@pytest.mark.parametrize("step_ns", [0, HOUR, -HOUR])
def test_one_that_is_not_replaced_is_silent_after_the_timeout(clock, watch, step_ns):
    heartbeat_ms = clock.epoch_ms()
    clock.advance(4 * S)
    clock.step_wall_clock(step_ns)
    clock.advance(6 * S)
    assert not is_silent(watch, clock, heartbeat_ms)
    clock.advance(1)
    assert is_silent(watch, clock, heartbeat_ms)


def test_the_timeout_begins_when_another_one_is_seen(clock, watch):
    clock.advance(9 * S)
    heartbeat_ms = clock.epoch_ms() - 8_000
    assert not is_silent(watch, clock, heartbeat_ms)
    clock.advance(10 * S)
    assert not is_silent(watch, clock, heartbeat_ms)
    clock.advance(1)
    assert is_silent(watch, clock, heartbeat_ms)
    assert not is_silent(watch, clock, heartbeat_ms + 1)


@pytest.mark.parametrize(
    ("before_ns", "after_ns"),
    [(0, HOUR), (HOUR, 0), (0, -HOUR), (-HOUR, HOUR), (HOUR, -HOUR), (-HOUR // 2, HOUR)],
)
def test_no_steps_around_a_heartbeat_make_its_writer_silent(clock, watch, before_ns, after_ns):
    for _ in range(20):
        clock.advance(S)
        clock.step_wall_clock(before_ns)
        heartbeat_ms = clock.epoch_ms()
        clock.step_wall_clock(after_ns)
        assert not is_silent(watch, clock, heartbeat_ms)
