"""The wall clock corrected by its latest steps: live clients stay alive, dead ones time out."""

from bisect import bisect_left

import pytest

from aeron_cluster.memory.shared.step_watch import StepWatch
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

MS = 1_000_000
S = 1000 * MS
HOUR = 3600 * S
TIMEOUT_MS = 10_000


@pytest.fixture
def clock():
    return VirtualClock(epoch_nanos=1000 * S)


@pytest.fixture
def watch(clock):
    return StepWatch(clock, TIMEOUT_MS * MS)


def judged_ms(watch, clock):
    """Observe, and return the time used to judge heartbeats."""
    watch.observe()
    return bisect_left(
        range(clock.epoch_ms() + 1), True, key=lambda each: not watch.is_silent(each - TIMEOUT_MS)
    )


def test_without_steps_the_wall_clock_is_followed(clock, watch):
    clock.drift(epoch_ppm=10_000)
    for _ in range(100):
        clock.advance(S)
        assert judged_ms(watch, clock) == clock.epoch_ms()


def test_a_step_forward_is_left_out_for_a_timeout(clock, watch):
    clock.advance(S)
    clock.step_wall_clock(HOUR)
    assert judged_ms(watch, clock) == 1001_000
    clock.advance(9 * S)
    assert judged_ms(watch, clock) == 1010_000
    clock.advance(S)
    assert judged_ms(watch, clock) == clock.epoch_ms() == 1011_000 + 3600_000


def test_steps_add_up_and_a_step_back_cancels_one_forward(clock, watch):
    for step_ns in (HOUR, HOUR, -HOUR):
        clock.advance(S)
        clock.step_wall_clock(step_ns)
        watch.observe()
    assert judged_ms(watch, clock) == clock.epoch_ms() - 3600_000 == 1003_000


def test_step_back_alone_is_followed(clock, watch):
    clock.step_wall_clock(-100 * S)
    assert judged_ms(watch, clock) == clock.epoch_ms() == 900_000


def test_a_silent_client_before_a_clock_step_is_detected_as_early_as_without(clock, watch):
    heartbeat_ms = clock.epoch_ms()
    clock.advance(4 * S)
    watch.observe()
    clock.step_wall_clock(HOUR)
    clock.advance(6 * S)
    watch.observe()
    assert not watch.is_silent(heartbeat_ms)
    clock.advance(MS)
    watch.observe()
    assert watch.is_silent(heartbeat_ms)


@pytest.mark.parametrize("is_seen", [True, False])
def test_heartbeat_from_before_a_step_back_expires_after_a_timeout(clock, is_seen):
    watch = StepWatch(clock, TIMEOUT_MS * MS) if is_seen else None
    heartbeat_ms = clock.epoch_ms()
    clock.advance(S)
    clock.step_wall_clock(-HOUR // 10)
    watch = watch or StepWatch(clock, TIMEOUT_MS * MS)
    for _ in range(10):
        watch.observe()
        assert not watch.is_silent(heartbeat_ms)  # a live client may not have written again yet
        clock.advance(S)
    watch.observe()
    assert watch.is_silent(heartbeat_ms)
    assert not watch.is_silent(clock.epoch_ms())


def test_a_reading_just_after_the_check_is_not_in_the_future(clock, watch):
    clock.advance(HOUR)
    watch.observe()
    assert not watch.is_silent(clock.epoch_ms() + 5_000)
