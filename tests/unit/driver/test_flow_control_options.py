"""The `fc` channel parameter."""

import pytest

from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.errors import ConfigurationError


def parse(text, **options):
    return FlowControlOptions.parse(text, has_group_semantics=True, **options)


def test_a_unicast_channel_has_one_strategy():
    options = FlowControlOptions.parse(None, has_group_semantics=False)
    assert options.strategy == FlowControlStrategy.FLOW_CONTROL_UNICAST
    assert options.retransmit_window_multiple == 16


def test_a_group_follows_the_furthest_by_default():
    assert parse(None).strategy == FlowControlStrategy.FLOW_CONTROL_MAX
    assert parse(None).retransmit_window_multiple == 4
    assert parse(None, default_strategy="min").strategy == FlowControlStrategy.FLOW_CONTROL_MIN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max,rrwm:8", (FlowControlStrategy.FLOW_CONTROL_MAX, 5_000_000_000, -1, 0, 8)),
        ("min,t:5s,g:/3", (FlowControlStrategy.FLOW_CONTROL_MIN, 5_000_000_000, -1, 3, 4)),
        (
            "tagged,t:250ms,g:101/3",
            (FlowControlStrategy.FLOW_CONTROL_TAGGED, 250_000_000, 101, 3, 4),
        ),
        ("tagged,g:-7", (FlowControlStrategy.FLOW_CONTROL_TAGGED, 5_000_000_000, -7, 0, 4)),
    ],
)
def test_options_of_a_strategy(text, expected):
    assert parse(text) == FlowControlOptions(*expected)


@pytest.mark.parametrize(
    "text",
    ["", "maxx", "min,t:", "min,t:0s", "min,g:", "min,g:x", "min,q:1", "max,rrwm:0",
     "tagged,g:9223372036854775808", "min,g:/2147483648"],
)  # fmt: skip
def test_an_invalid_value_is_rejected(text):
    with pytest.raises(ConfigurationError):
        parse(text)


def test_the_nearest_strategy_is_named():
    with pytest.raises(ConfigurationError, match=r"\(tagged\)"):
        parse("taged")


def test_unicast_has_no_group():
    with pytest.raises(ConfigurationError):
        FlowControlOptions.parse("max", has_group_semantics=False)
