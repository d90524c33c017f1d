"""Both kinds of timers, compared with a dictionary of deadlines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.cluster.context.timers import NO_DEADLINE, POLL_LIMIT, HeapTimers, WheelTimers

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


def poll_once(timers, now, accept):
    fired = []

    def on_expiry(correlation_id, _):
        if len(fired) == accept:
            return False
        fired.append(correlation_id)
        return True

    return timers.poll(now, on_expiry), fired


@pytest.mark.parametrize("kind", KINDS)
@given(script=steps)
def test_expires_due_timers_only(kind, script):
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
            count, fired = poll_once(timers, now, arguments[1])
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
    assert poll_once(timers, 10_000, 1000)[0] == POLL_LIMIT
    assert poll_once(timers, 10_000, 1000)[0] == 5
    assert poll_once(timers, 10_000, 1000)[0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_may_set_the_timer_again(kind):
    timers = kind()
    timers.schedule(1, 10)

    def again(correlation_id, _):
        timers.schedule(correlation_id, 5000)
        return True

    assert timers.poll(4000, again) == 1
    assert dict(timers) == {1: 5000}


def test_within_a_tick_the_wheel_expires_by_slot():
    timers = WheelTimers(0, 8)
    for key, deadline in ((1, 7), (2, 3), (3, 5)):
        timers.schedule(key, deadline)
    assert poll_once(timers, 100, 10)[1] == [1, 2, 3]


@given(
    deadlines=st.lists(st.integers(0, 7), min_size=1, max_size=POLL_LIMIT),
    cancelled=st.sets(st.integers(0, POLL_LIMIT - 1)),
    polls=st.lists(st.integers(0, 7), max_size=8).map(sorted),
)
def test_each_poll_within_a_tick_expires_by_slot_without_the_cancelled(deadlines, cancelled, polls):
    timers, pending = WheelTimers(0, 8), dict(enumerate(deadlines))
    for key, deadline in enumerate(deadlines):
        timers.schedule(key, deadline)
    for key in cancelled & pending.keys():
        assert timers.cancel(key)
        del pending[key]
    for now in [*polls, 7]:
        due = [key for key, deadline in pending.items() if deadline <= now]
        assert poll_once(timers, now, POLL_LIMIT)[1] == due
        for key in due:
            del pending[key]


def test_a_moved_timer_does_not_grow_the_heap():
    timers = HeapTimers()
    for deadline in range(10_000):
        timers.schedule(1, deadline)
    assert len(timers._deadlines._heap) < 100


@pytest.mark.parametrize("kind", KINDS)
def test_clock_set_far_ahead_costs_at_most_one_turn_of_the_wheel(kind):
    timers = kind()
    for key, deadline in ((1, 10**17), (2, 3000), (3, 10**18)):
        timers.schedule(key, deadline)
    assert poll_once(timers, 10**16, 10)[1] == [2]
    timers.schedule(4, 10**16 + 5000)
    assert poll_once(timers, 10**16 + 4999, 10)[1] == []
    assert poll_once(timers, 10**16 + 5000, 10)[1] == [4]
    assert sorted(poll_once(timers, 10**18, 10)[1]) == [1, 3]


class Counted(int):
    """A deadline that counts its reads."""

    looks = 0

    def __lt__(self, other):
        Counted.looks += 1
        return int(self) < other

    def __le__(self, other):
        Counted.looks += 1
        return int(self) <= other


@pytest.mark.parametrize("kind", KINDS)
def test_polls_of_thousands_of_equal_deadlines_do_not_visit_all_each_time(kind):
    timers, count, fired = kind(), 3000, []
    Counted.looks = 0
    for key in range(count):
        timers.schedule(key, Counted(1000))
        assert timers.next_deadline == 1000
    while expired := poll_once(timers, 2000, POLL_LIMIT)[1]:
        fired += expired
    assert sorted(fired) == list(range(count))
    assert Counted.looks < 100 * count


class Bounded(Counted):
    """A deadline that fails the test after too many reads, instead of reading forever."""

    def __le__(self, other):
        assert Counted.looks < 1000
        return super().__le__(other)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("now", [110, 2000, 10**12])
def test_one_poll_visits_the_ticks_of_one_turn_at_most(kind, now):
    timers = kind()
    Counted.looks = 0
    for key, deadline in ((1, 105), (2, now), (3, now + 1)):
        timers.schedule(key, Bounded(deadline))
    assert sorted(poll_once(timers, now, 10)[1]) == [1, 2]
    assert poll_once(timers, now, 10)[1] == []
    assert poll_once(timers, now + 1, 10)[1] == [3]


def test_the_wheel_retains_no_room_for_removed_timers():
    timers = WheelTimers(0, 8)
    for key in range(1000):
        timers.schedule(key, 1000)
    for key in range(1000):
        timers.cancel(key)
    assert not any(timers._spokes)
    assert not any(timers._free)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=60), st.integers(1, 3))
def test_a_declined_wheel_continues_where_it_stopped(deadlines, accept):
    timers, order = WheelTimers(0, 8), []
    for key, deadline in enumerate(deadlines):
        timers.schedule(key, deadline)
    while expired := poll_once(timers, 100, accept)[1]:
        order += expired
    wanted = sorted(range(len(deadlines)), key=lambda key: (deadlines[key] // 8, key))
    assert order == wanted


@pytest.mark.parametrize(("resolution", "ticks"), [(0, 128), (8, 0), (8, 100)])
def test_rejects_an_invalid_wheel(resolution, ticks):
    with pytest.raises(ValueError, match="expected a tick resolution"):
        WheelTimers(0, resolution, ticks)


log_steps = st.lists(
    st.tuples(
        st.sampled_from(["message", "event"]),
        st.integers(0, 2),  # the time that has passed
        # The requests of the service's callback: deadlines from now, or None to cancel.
        st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=2),
    ),
    max_size=12,
)


@given(steps=log_steps, order=st.lists(st.booleans(), max_size=24))
def test_pending_timer_does_not_depend_on_which_of_log_and_service_is_ahead(steps, order):
    log, now = [], 10
    expected = None
    for number, (kind, elapsed, requests) in enumerate(steps, 1):
        now += elapsed
        if kind == "event" and expected is not None and expected <= now:
            expected = None
        deadlines = [None if each is None else now + each for each in requests]
        expected = deadlines[-1] if deadlines else expected
        log.append((64 * number, kind, now, deadlines))
    timers = ModuleTimers(HeapTimers(), lambda *_: -1)
    own, of_service = iter(log), iter(log)

    def read():
        for position, kind, timestamp, _ in own:
            if kind == "event":
                timers.on_replay(7, timestamp, position)
            return

    def serve():
        for position, _, _, deadlines in of_service:
            for deadline in deadlines:
                if deadline is None:
                    timers.cancel(7)
                else:
                    timers.schedule(7, deadline, position)
            return

    for is_module in [*order, *[True] * len(log), *[False] * len(log)]:
        read() if is_module else serve()
    assert timers.items() == ([] if expected is None else [(7, expected)])
