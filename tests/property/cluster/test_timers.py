"""Both kinds of timers against a dictionary of deadlines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.timers import NO_DEADLINE, POLL_LIMIT, HeapTimers, WheelTimers

KINDS = [HeapTimers, lambda: WheelTimers(0), lambda: WheelTimers(100, 5, 4)]

steps = st.lists(
    st.one_of(
        st.tuples(st.just("schedule"), st.integers(0, 9), st.integers(0, 3000)),
        st.tuples(st.just("cancel"), st.integers(0, 9)),
        st.tuples(st.just("poll"), st.integers(0, 900), st.integers(0, 30)),
        st.tuples(st.just("move"), st.integers(0, 300)),
    ),
    max_size=60,
)


def drain(timers, now, accept):
    fired = []

    def on_expiry(correlation_id):
        if len(fired) == accept:
            return False
        fired.append(correlation_id)
        return True

    return timers.poll(now, on_expiry), fired


@pytest.mark.parametrize("kind", KINDS)
@given(script=steps)
def test_expires_what_is_due_and_nothing_else(kind, script):
    timers, model, now = kind(), {}, 0
    for name, *arguments in script:
        if name == "schedule":
            timers.schedule(*arguments)
            model[arguments[0]] = arguments[1]
        elif name == "cancel":
            assert timers.cancel(arguments[0]) is (model.pop(arguments[0], None) is not None)
        elif name == "move":
            now += arguments[0]
            timers.move_to(now)
        else:
            now += arguments[0]
            due = {key for key, deadline in model.items() if deadline <= now}
            count, fired = drain(timers, now, arguments[1])
            assert count == len(fired) == min(len(due), arguments[1], POLL_LIMIT)
            assert set(fired) <= due
            assert len(set(fired)) == len(fired)
            if isinstance(timers, HeapTimers):
                deadlines = [model[key] for key in fired]
                assert deadlines == sorted(deadlines)
            for key in fired:
                del model[key]
        assert dict(timers) == model
        assert len(timers) == len(model)
        assert timers.next_deadline == min(model.values(), default=NO_DEADLINE)


@pytest.mark.parametrize("kind", KINDS)
def test_one_poll_expires_no_more_than_its_limit(kind):
    timers = kind()
    for key in range(POLL_LIMIT + 5):
        timers.schedule(key, 10)
    assert drain(timers, 10_000, 1000)[0] == POLL_LIMIT
    assert drain(timers, 10_000, 1000)[0] == 5
    assert drain(timers, 10_000, 1000)[0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_may_set_the_timer_again(kind):
    timers = kind()
    timers.schedule(1, 10)

    def again(correlation_id):
        timers.schedule(correlation_id, 5000)
        return True

    assert timers.poll(4000, again) == 1
    assert dict(timers) == {1: 5000}


def test_within_a_tick_the_wheel_goes_by_slot():
    timers = WheelTimers(0, 8)
    for key, deadline in ((1, 7), (2, 3), (3, 5)):
        timers.schedule(key, deadline)
    assert drain(timers, 100, 10)[1] == [1, 2, 3]


def test_a_moved_timer_does_not_grow_the_heap():
    timers = HeapTimers()
    for deadline in range(10_000):
        timers.schedule(1, deadline)
    assert len(timers._heap) < 100


@pytest.mark.parametrize(("resolution", "ticks"), [(0, 128), (8, 0), (8, 100)])
def test_refuses_a_wheel_that_cannot_turn(resolution, ticks):
    with pytest.raises(ValueError, match="expected a tick resolution"):
        WheelTimers(0, resolution, ticks)
