"""Which filters narrow a plan, and how far: never below what they let through."""

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.datasource import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
)

from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.pushed_reader import narrow

POSITION, SESSION, TERM = ("position",), ("cluster_session_id",), ("leadership_term_id",)
TYPE = ("message_type",)
MAX = 2**63 - 1


@pytest.mark.parametrize(
    ("given", "filters", "narrower"),
    [
        ({}, [GreaterThanOrEqual(POSITION, 5)], {"from_position": 5, "to_position": MAX}),
        ({}, [GreaterThan(POSITION, 5)], {"from_position": 6, "to_position": MAX}),
        ({}, [LessThan(POSITION, 5)], {"from_position": 0, "to_position": 5}),
        ({}, [LessThanOrEqual(POSITION, 5)], {"from_position": 0, "to_position": 6}),
        ({}, [EqualTo(POSITION, 5)], {"from_position": 5, "to_position": 6}),
        ({}, [LessThan(POSITION, -5)], {"from_position": 0, "to_position": 0}),
        (
            {"from_position": "3"},
            [GreaterThan(POSITION, 1), LessThan(POSITION, 9)],
            {"to_position": 9},
        ),
        (
            {},
            [GreaterThan(POSITION, 9), LessThan(POSITION, 3)],
            {"from_position": 10, "to_position": 10},
        ),
        ({}, [LessThan(TERM, 3)], {"from_term": -MAX, "to_term": 3}),
        ({}, [EqualTo(SESSION, 7)], {"sessions": (7,)}),
        ({"sessions": "1,2"}, [In(SESSION, [2, 3])], {"sessions": (2,)}),
        ({"sessions": "1,2"}, [EqualTo(SESSION, 3)], {}),
        ({}, [In(TYPE, ["TimerEvent", "None"])], {"message_types": ("TimerEvent",)}),
        ({}, [EqualTo(TYPE, "None")], {}),
        ({}, [IsNotNull(POSITION), Not(EqualTo(POSITION, 5)), EqualTo(("flags",), 5)], {}),
        ({}, [EqualTo(("timer", "correlation_id"), 5)], {}),
    ],
)
def test_a_filter_narrows_what_it_can(given, filters, narrower):
    assert narrow(parse_options({"path": "node0", **given}), filters) == narrower


def test_of_recordings_the_streams_session_is_chosen():
    options = parse_options({"path": "archive", "recording": "all"})
    assert narrow(options, [EqualTo(("session_id",), 7)]) == {"sessions": (7,)}
    assert narrow(options, [EqualTo(SESSION, 7), LessThan(TERM, 3)]) == {}
