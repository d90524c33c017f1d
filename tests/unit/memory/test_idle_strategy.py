"""The strategy of each name."""

import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleKind, IdleStrategy, idle_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("spin", IdleKind.BUSY_SPIN),
        ("yield", IdleKind.YIELDING),
        ("backoff", IdleKind.BACKOFF),
        ("sleep", IdleKind.SLEEPING),
        ("sleep-ns", IdleKind.SLEEPING),
        ("sleep-ms", IdleKind.SLEEPING),
        ("noop", IdleKind.NO_OP),
        ("org.agrona.concurrent.BusySpinIdleStrategy", IdleKind.BUSY_SPIN),
        ("org.agrona.concurrent.BackoffIdleStrategy", IdleKind.BACKOFF),
    ],
)
def test_a_name_means_a_strategy(name, kind):
    assert idle_kind(name) is kind
    strategy = IdleStrategy(name)
    assert strategy.kind is kind
    assert repr(strategy) == f"<IdleStrategy {kind.name.lower()}>"
    for work_count in (1, 0, 0, 1, 0):
        strategy.idle(work_count)
    strategy.reset()


def test_an_unknown_name_is_rejected_with_the_nearest():
    with pytest.raises(ConfigurationError, match=r"backof.*backoff"):
        IdleStrategy("backof")


@pytest.mark.parametrize(
    "options",
    [
        {"min_park_period_ns": 0},
        {"min_park_period_ns": 2, "max_park_period_ns": 1},
        {"sleep_period_ns": 0},
    ],
)
def test_invalid_periods_are_rejected(options):
    with pytest.raises(ConfigurationError):
        IdleStrategy("backoff", **options)


def test_backing_off_passes_through_all_its_phases():
    strategy = IdleStrategy("backoff", max_spins=2, max_yields=2, max_park_period_ns=4_000)
    for _ in range(20):
        strategy.idle()
