"""The wall clock without its latest steps: who lives is not taken for dead, who is dead is."""

import pytest

from aeron_cluster.memory.step_watch import StepWatch
from aeron_cluster.simulator.virtual_clock import VirtualClock

MS = 1_000_000
S = 1000 * MS
HOUR = 3600 * S


@pytest.fixture
def clock():
    return VirtualClock(epoch_nanos=1000 * S)


@pytest.fixture
def watch(clock):
    return StepWatch(clock, 10 * S)


def test_without_steps_it_is_the_wall_clock(clock, watch):
    clock.drift(epoch_ppm=10_000)
    for _ in range(100):
        clock.advance(S)
        assert watch.now_ms() == clock.epoch_ms()


def test_a_step_forward_is_left_out_for_a_timeout(clock, watch):
    clock.advance(S)
    clock.step_wall_clock(HOUR)
    assert watch.now_ms() == 1001_000
    clock.advance(9 * S)
    assert watch.now_ms() == 1010_000
    clock.advance(S)
    assert watch.now_ms() == clock.epoch_ms() == 1011_000 + 3600_000


def test_steps_add_up_and_one_back_takes_one_forward_back(clock, watch):
    for step_ns in (HOUR, HOUR, -HOUR):
        clock.advance(S)
        clock.step_wall_clock(step_ns)
        watch.now_ms()
    assert watch.now_ms() == clock.epoch_ms() - 3600_000 == 1003_000


def test_a_step_back_alone_is_the_wall_clocks_own(clock, watch):
    clock.step_wall_clock(-100 * S)
    assert watch.now_ms() == clock.epoch_ms() == 900_000


def test_who_fell_silent_before_a_step_is_found_as_early_as_without_one(clock, watch):
    heartbeat_ms = clock.epoch_ms()
    clock.advance(4 * S)
    watch.now_ms()
    clock.step_wall_clock(HOUR)
    clock.advance(6 * S)
    assert watch.now_ms() - heartbeat_ms == 10_000
    clock.advance(MS)
    assert watch.now_ms() - heartbeat_ms == 10_001
