"""Counters of an archive's sessions: one too many, and one too few, is found."""

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
from aeron_cluster.simulator.checks.archive_sessions import (
    archive_sessions,
    check_archive_sessions,
)

SESSION_COUNT, SESSION, OTHER = 102, 113, 100


def counter(type_id, value=0, label=""):
    return CounterDescriptor(0, type_id, value, 0, 0, 0, b"", label)


def test_sessions_are_counted_beside_other_counters():
    shown = [counter(SESSION_COUNT, 2), counter(OTHER, 7, "rec"), counter(SESSION, 5, "one")]
    assert archive_sessions([]) == (0, [])
    assert archive_sessions(shown) == (2, ["one"])
    # Of an archive before it, too, until the driver has released them.
    assert archive_sessions([*shown, counter(SESSION_COUNT, 1)]) == (3, ["one"])


def test_a_session_without_a_counter_and_a_counter_without_a_session_are_found():
    check_archive_sessions("member 0", 0, [])
    check_archive_sessions("member 0", 2, ["one", "two"])
    for count, labels in ((1, []), (0, ["one"]), (2, ["one"])):
        with pytest.raises(InvariantError, match=f"have counters: member 0: {count} sessions"):
            check_archive_sessions("member 0", count, labels)
