"""A user's cluster clock, timer service, application versions and consumer of cluster time."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.cluster.context.cluster_clock import ClusterClock
from aeron_cluster.cluster.context.timer_service import UserTimers
from aeron_cluster.cluster.state.app_version import (
    SEMANTIC_VERSIONING_VALIDATOR,
    AppVersionValidator,
    expected_version,
    is_compatible,
)
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.errors import (
    AgentTerminationError,
    ClusterError,
    ConfigurationError,
    UserComponentError,
)
from tests.unit.cluster.module_rig import EPOCH_NS, ModuleRig, session_message
from tests.unit.cluster.test_module_context import at, context
from tests.unit.cluster.user_components import DictTimers, MicrosClock

HERE = "tests.unit.cluster.user_components"


def micros_clock(epoch_ns=EPOCH_NS):
    return MicrosClock(lambda: epoch_ns)


# ---- the clock ----


def test_own_clock_gives_cluster_time_in_its_unit():
    made = context(clock=micros_clock(), seams=at(5))
    assert made.time_unit is ClusterTimeUnit.MICROS
    assert made.cluster_time() == EPOCH_NS // 1000
    assert made.cluster_time_ms(made.cluster_time()) == EPOCH_NS // 1_000_000
    assert made.epoch_ms() == 0  # the system's, for files


def test_the_unit_of_own_clock_is_ms_by_default():
    class Clock(ClusterClock):
        def time(self):
            return 12

    made = context(clock=Clock())
    assert (made.time_unit, made.cluster_time()) == (ClusterTimeUnit.MILLIS, 12)


@pytest.mark.parametrize("unit", [ClusterTimeUnit.NULL_VALUE, "ms", 7, None])
def test_own_clock_of_another_unit_is_rejected(unit):
    clock = micros_clock()
    clock.time_unit = unit
    with pytest.raises(ConfigurationError, match="time_unit of MILLIS, MICROS, NANOS") as error:
        context(clock=clock)
    assert error.value.name == "aeron.cluster.clock"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (-1, "found -1"),
        (2**63, f"found {2**63}"),
        ((2**63 - 1) // 1000 + 1, "expected an int from 0 to 9223372036854775"),
        (1.5, "found 1.5"),
        (True, "found True"),
        ("now", "found 'now'"),
        (ValueError("no time"), "found ValueError(no time)"),
        (SystemExit(3), "found SystemExit(3)"),
    ],
)
def test_failing_clock_is_named(found, text):
    clock = micros_clock()
    made = context(clock=clock)
    clock.failure = found
    with pytest.raises(UserComponentError) as error:
        made.cluster_time()
    assert str(error.value).startswith(f"cluster clock {HERE}.MicrosClock: time: expected an int")
    assert text in str(error.value)
    with pytest.raises(UserComponentError, match="MicrosClock"):  # before anything is started
        context(clock=clock)


def test_clock_that_is_none_is_rejected():
    with pytest.raises(ConfigurationError, match="a known name or a ClusterClock"):
        context(clock=lambda: 5)


# ---- the clock and the consumer in a duty cycle ----


def with_components(streams, clock=None, consumer=None):
    return ModuleRig(
        streams,
        unit=ClusterTimeUnit.MICROS,
        user_clock=context(clock=clock).cluster_time if clock else None,
        time_consumer=consumer,
    )


def test_messages_have_the_time_of_own_clock(streams):
    clock = micros_clock(EPOCH_NS + 7_000)
    rig = with_components(streams, clock)
    rig.ingress(stream := streams.stream(1, 101))
    rig.open_session(9)
    stream.publication.offer(session_message(9, b"x"))
    assert rig.pass_all() > 0
    (logged,) = rig.logged()
    assert SessionMessageHeader.decode(logged).timestamp == EPOCH_NS // 1000 + 7


def test_duty_cycle_without_a_time_does_no_work(streams):
    clock = micros_clock()
    rig = with_components(streams, clock)
    rig.ingress(stream := streams.stream(1, 101))
    rig.open_session(9)
    stream.publication.offer(session_message(9, b"x"))
    clock.failure = OSError("no clock device")
    with pytest.raises(UserComponentError, match=r"MicrosClock.*no clock device"):
        rig.agent.do_work()
    assert rig.logged() == []
    assert rig.conductor.take_calls() == []
    # Nor does it commit, or send a heartbeat: it would remain the leader.
    rig.recorded.set(rig.log.position + 96)
    assert rig.commit.do_work() == 0
    clock.failure = None
    rig.pass_all()
    assert len(rig.logged()) == 1  # it was not lost


def test_clock_that_fails_within_a_duty_cycle_is_reported_at_its_end(streams):
    clock = micros_clock()
    rig = with_components(streams, clock)
    rig.ingress(stream := streams.stream(1, 101))
    rig.open_session(9)
    rig.agent.set_next(0, is_busy=True)

    def fail(_):
        clock.failure = OSError("no clock device")
        return 1

    rig.conductor.do_work = fail
    stream.publication.offer(session_message(9, b"x"))
    with pytest.raises(UserComponentError, match="no clock device"):
        rig.agent.do_work()
    (logged,) = rig.logged()  # at the time that the duty cycle began
    assert SessionMessageHeader.decode(logged).timestamp == EPOCH_NS // 1000


def test_clock_may_end_the_module(streams):
    clock = micros_clock()
    rig = with_components(streams, clock)
    clock.failure = AgentTerminationError("enough")
    with pytest.raises(AgentTerminationError, match="enough"):
        rig.agent.do_work()


def test_consumer_receives_the_time_of_each_duty_cycle(streams):
    times = []
    clock = micros_clock()
    rig = with_components(streams, clock, times.append)
    rig.agent.do_work()
    clock.epoch_nanos = lambda: EPOCH_NS + 3_000
    rig.agent.do_work()
    assert times == [EPOCH_NS // 1000, EPOCH_NS // 1000 + 3]


def test_consumer_that_raises_is_reported_and_the_work_is_done(streams):
    def consume(_):
        raise ValueError("no room")

    rig = with_components(streams, consumer=consume)
    rig.ingress(stream := streams.stream(1, 101))
    rig.open_session(9)
    stream.publication.offer(session_message(9, b"x"))
    with pytest.raises(ValueError, match="no room"):
        rig.agent.do_work()
    assert len(rig.logged()) == 1


def test_consumer_must_be_callable():
    with pytest.raises(ConfigurationError, match="cluster_time_consumer"):
        context(cluster_time_consumer=5)


# ---- timers ----


@pytest.fixture
def log():
    return SimpleNamespace(events=[], is_full=False)


@pytest.fixture
def timers(log):
    made = []

    def supply(time_unit, handler):
        made.append(DictTimers(time_unit, handler))
        return made[-1]

    def append(correlation_id, timestamp):
        if log.is_full:
            return -2
        log.events.append((correlation_id, timestamp))
        return 64 * len(log.events)

    timers = UserTimers(supply, ClusterTimeUnit.NANOS)
    return SimpleNamespace(
        own=made[0], inner=timers, module=ModuleTimers(timers, append), supply=supply
    )


def test_own_timer_service_expires_timers(timers, log):
    assert timers.own.time_unit is ClusterTimeUnit.NANOS
    timers.module.load([(6, 50), (7, 100)], 20)
    assert timers.own.times == [20]
    timers.module.schedule(8, 300)
    timers.module.schedule(9, 110)
    timers.module.cancel(6)
    timers.module.cancel(60)
    assert timers.module.next_deadline == 100
    assert timers.module.poll(120) == 2
    assert log.events == [(7, 120), (9, 120)]
    assert timers.module.snapshot() == timers.module.items() == [(8, 300)]
    timers.module.restore_uncommitted(64)
    assert sorted(timers.module.items()) == [(8, 300), (9, 110)]
    timers.module.move_to(400)
    assert timers.own.times == [20, 400]


def test_own_timer_service_retains_what_does_not_fit_the_log(timers, log):
    timers.module.schedule(7, 100)
    log.is_full = True
    assert timers.module.poll(200) == 0
    log.is_full = False
    assert timers.module.poll(200) == 1


def test_own_timer_service_expires_a_bounded_number(timers, log):
    for each in range(50):
        timers.module.schedule(each, 100)
    assert [timers.module.poll(200) for _ in range(4)] == [20, 20, 10, 0]
    assert len(log.events) == 50


def test_failure_of_the_log_is_no_failure_of_the_timer_service(timers):
    def append(*_):
        raise ClusterError("the log has failed")

    module = ModuleTimers(timers.inner, append)
    module.schedule(7, 100)
    with pytest.raises(ClusterError, match="the log has failed"):
        module.poll(200)
    assert module.items() == [(7, 100)]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("poll", lambda timers: timers.poll(200)),
        ("schedule_timer_for_correlation_id", lambda timers: timers.schedule(8, 100)),
        ("cancel_timer_by_correlation_id", lambda timers: timers.cancel(7)),
        ("snapshot", lambda timers: timers.snapshot()),
        ("current_time", lambda timers: timers.move_to(5)),
    ],
)
def test_timer_service_that_raises_is_named(timers, name, call):
    timers.module.schedule(7, 100)
    timers.own.failure = KeyError("lost")
    with pytest.raises(UserComponentError) as error:
        call(timers.module)
    assert str(error.value).startswith(f"timer service {HERE}.DictTimers: {name}: expected")
    assert "found KeyError('lost')" in str(error.value)
    timers.own.failure = None
    # A cancelled timer does not fire, even if the service failed to cancel it.
    is_cancelled = name == "cancel_timer_by_correlation_id"
    assert timers.module.items() == ([] if is_cancelled else [(7, 100)])


def cancel_in_vain(timers):
    """Cancel timer 7, which the service retains."""
    timers.module.schedule(7, 100)
    timers.own.failure = KeyError("lost")
    with pytest.raises(UserComponentError, match="cancel_timer_by_correlation_id"):
        timers.module.cancel(7)
    timers.own.failure = None


def test_a_timer_that_the_service_failed_to_cancel_expires_without_an_event(timers, log):
    cancel_in_vain(timers)
    timers.module.schedule(8, 110)
    assert timers.module.next_deadline == 110
    assert timers.module.snapshot() == [(8, 110)]
    assert timers.module.poll(120) == 2
    assert log.events == [(8, 120)]
    assert timers.own.deadlines == {}


def test_a_timer_scheduled_again_after_a_failed_cancellation_expires(timers, log):
    cancel_in_vain(timers)
    timers.module.schedule(7, 200)
    assert timers.module.snapshot() == [(7, 200)]
    assert timers.module.poll(200) == 1
    assert log.events == [(7, 200)]


def test_a_failed_cancellation_is_complete_once_it_is_repeated(timers, log):
    cancel_in_vain(timers)
    timers.own.deadlines.clear()
    timers.module.cancel(7)  # unknown by now
    timers.own.deadlines[7] = 100
    with pytest.raises(UserComponentError, match="timer 7 with deadline None"):
        timers.module.poll(200)
    assert log.events == []


def take(*_):
    return True


@pytest.mark.parametrize(
    ("name", "wrong", "call", "text"),
    [
        ("poll", lambda _: None, lambda each: each.poll(99, take), "poll: expected 0"),
        ("poll", lambda _: True, lambda each: each.poll(99, take), "found True"),
        ("poll", lambda _: 1, lambda each: each.poll(99, take), "poll: expected 0"),
        (
            "cancel_timer_by_correlation_id",
            lambda _: False,
            lambda each: each.cancel(7),
            "expected True for timer 7, found False",
        ),
        (
            "cancel_timer_by_correlation_id",
            lambda _: None,
            lambda each: each.cancel(8),
            "expected False for timer 8, found None",
        ),
        ("snapshot", lambda _: None, lambda each: each.snapshot(), "found 'none for (7, 100)'"),
        ("snapshot", lambda taker: taker(7, 101), lambda each: each.snapshot(), "found (7, 101)"),
        ("snapshot", lambda taker: taker(8, 100), lambda each: each.snapshot(), "found (8, 100)"),
        ("snapshot", lambda taker: taker(7), lambda each: each.snapshot(), "found TypeError("),
    ],
)
def test_invalid_result_of_a_timer_service_is_named(timers, name, wrong, call, text):
    timers.inner.schedule(7, 100)
    timers.own.__dict__[name] = wrong
    with pytest.raises(UserComponentError, match="DictTimers") as error:
        call(timers.inner)
    assert text in str(error.value)


@pytest.mark.parametrize(("correlation_id", "found"), [(7, 100), (8, None)])
def test_timer_that_is_not_due_has_no_event(timers, log, correlation_id, found):
    timers.module.schedule(7, 100)

    def poll(_):
        try:
            timers.own.handler(correlation_id)
        except UserComponentError:
            return 0  # the module notices it even so
        return 1

    timers.own.poll = poll
    with pytest.raises(UserComponentError, match=f"timer {correlation_id} with deadline {found}"):
        timers.module.poll(99)
    assert log.events == []


def test_timer_has_no_event_outside_of_poll(timers):
    timers.module.schedule(7, 100)
    with pytest.raises(UserComponentError, match="no expired timer outside of it"):
        timers.own.handler(7)


def test_context_makes_own_timers(timers):
    made = context(timer_service_supplier=timers.supply, clock="micros").make_timers()
    made.schedule(7, 100)
    assert made.snapshot() == [(7, 100)]
    assert made._service.time_unit is ClusterTimeUnit.MICROS


def test_supplier_that_fails_is_named():
    def supply_nothing(*_):
        return object()

    def supply_late(*_):
        raise OSError("no room")

    with pytest.raises(UserComponentError, match=r"supply_nothing.*with the method poll"):
        context(timer_service_supplier=supply_nothing).make_timers()
    with pytest.raises(UserComponentError, match=r"timer service supplier .*supply_late.*no room"):
        context(timer_service_supplier=supply_late).make_timers()
    with pytest.raises(ConfigurationError, match="a known name or a TimerServiceSupplier"):
        context(timer_service_supplier=5)


# ---- versions ----


class SameMinor(AppVersionValidator):
    def is_version_compatible(self, context_app_version, app_version_under_test):
        return context_app_version >> 8 == app_version_under_test >> 8


def test_versions_of_one_major_number_are_compatible_by_default():
    assert is_compatible(SEMANTIC_VERSIONING_VALIDATOR, 0x010203, 0x01FF00)
    assert not is_compatible(SEMANTIC_VERSIONING_VALIDATOR, 0x010203, 0x020203)
    assert expected_version(SEMANTIC_VERSIONING_VALIDATOR, 0x010203) == "1.x.y"


def test_own_validator_decides():
    assert is_compatible(SameMinor(), 0x010203, 0x010299)
    assert not is_compatible(SameMinor(), 0x010203, 0x010303)
    assert expected_version(SameMinor(), 0x010203) == "one that SameMinor accepts beside 1.2.3"


@pytest.mark.parametrize(
    ("verdict", "text"), [(None, "found None"), (1, "found 1"), (OSError("x"), "found OSError(x)")]
)
def test_failing_validator_is_named(verdict, text):
    class Failing(AppVersionValidator):
        def is_version_compatible(self, *_):
            if isinstance(verdict, Exception):
                raise verdict
            return verdict

    with pytest.raises(UserComponentError, match=r"application version validator .*Failing") as e:
        is_compatible(Failing(), 1, 1)
    assert text in str(e.value)


def test_validator_must_be_one():
    with pytest.raises(ConfigurationError, match="an AppVersionValidator"):
        context(app_version_validator=take)


def test_expired_timers_are_logged_by_a_module_with_own_clock(streams):
    clock = micros_clock()
    rig = with_components(streams, clock)
    rig.agent.set_timer_deadline(EPOCH_NS // 1000 + 5)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    assert rig.agent.next_due_ns == rig.clock.nano_time() + 5_000
    clock.epoch_nanos = lambda: EPOCH_NS + 5_000
    rig.agent.do_work()
    assert [name for name, *_ in rig.conductor.take_calls()] == ["on_timers_due"]
