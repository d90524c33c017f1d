"""Time that advances on request, and clocks with configured errors."""

import pytest

from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime

S = 1_000_000_000


def test_nothing_is_allowed_by_default():
    time = VirtualTime()
    clock = VirtualClock(time=time)
    assert time.now_ns == clock.nano_time() == clock.nano_time() == 0
    assert time.advance(5) == 5
    assert clock.nano_time() == 5
    assert time.advance_to(S) == S
    assert clock.nano_time() == S
    with pytest.raises(ValueError, match="now_ns"):
        time.advance(-1)


def test_the_wall_clock_is_a_fixed_day_by_default():
    time = VirtualTime()
    time.advance(S)
    one, other = VirtualClock(time=time), VirtualClock(-3, 7 * S, time=time)
    assert one.epoch_ms() == 1_767_225_601_000
    assert (other.epoch_nanos(), other.nano_time()) == (7 * S, -3)
    time.advance(S)
    assert (other.epoch_nanos(), other.nano_time()) == (8 * S, S - 3)


def test_a_step_moves_the_wall_clock_alone():
    clock = VirtualClock(epoch_nanos=0)
    clock.step_wall_clock(-3600 * S)
    assert clock.epoch_nanos() == -3600 * S
    assert clock.nano_time() == 0


def test_a_drift_begins_now_and_ends():
    time = VirtualTime()
    clock = VirtualClock(epoch_nanos=0, time=time)
    time.advance(S)
    clock.drift(nano_ppm=10_000, epoch_ppm=-10_000)
    time.advance(100 * S)
    assert clock.nano_time() == 102 * S
    assert clock.epoch_nanos() == 100 * S
    clock.drift()
    time.advance(S)
    assert clock.nano_time() == 103 * S


def test_a_clock_can_stop_but_not_run_backwards():
    time = VirtualTime()
    clock = VirtualClock(time=time)
    clock.drift(nano_ppm=-1_000_000)
    time.advance(10 * S)
    assert clock.nano_time() == 0
    with pytest.raises(ValueError, match="ppm"):
        clock.drift(nano_ppm=-1_000_001)


def test_a_drifting_clock_is_right_after_a_century():
    time = VirtualTime()
    clock = VirtualClock(time=time)
    clock.drift(nano_ppm=1)
    time.advance(3_000_000_000 * S)
    assert clock.nano_time() == 3_000_003_000 * S


def test_a_clock_may_have_its_own_time():
    one, other = VirtualClock(S), VirtualClock()
    one.advance(5)
    assert (one.nano_time(), other.nano_time()) == (S + 5, 0)
    assert one.time.now_ns == 5
