"""Counters and mark files of idle members: every wrong one is detected."""

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.rest import (
    PlainMark,
    check_counters,
    check_log_start,
    check_mark,
    check_session_counters,
)

FOLLOWER = {200: 1, 201: 0, 202: 0, 203: 640, 207: 17, 233: 1, 238: 1, 239: 5}
LEADER = FOLLOWER | {201: 2, 202: 1}
MARK = PlainMark(768, 1, 10_000, 1, 7, -1, 10, 104, 105, 101, 2, -1, 8192, 1 << 20, 0)


def test_correct_counters_of_idle_members_pass():
    check_counters("member 0", FOLLOWER, 5, is_leader=False)
    check_counters("member 1", LEADER, 5, is_leader=True)
    taking = LEADER | {200: 3, 202: 4}
    check_counters("member 1", taking, 5, is_leader=True, may_take_snapshots=True)


@pytest.mark.parametrize(
    ("counters", "is_leader"),
    [
        (FOLLOWER, True),
        (LEADER, False),
        (FOLLOWER | {239: 4}, False),
        (FOLLOWER | {207: 1}, False),
        (FOLLOWER | {202: 1}, False),
        (FOLLOWER | {233: 0}, False),
        (LEADER | {200: 2}, True),
        (LEADER | {200: 3}, True),
        (LEADER | {202: 4}, True),
        ({}, False),
    ],
)
def test_a_wrong_counter_is_detected(counters, is_leader):
    with pytest.raises(InvariantError, match="counters are those of the last term"):
        check_counters("member 0", counters, 5, is_leader=is_leader)


def test_uncounted_elections_are_detected():
    with pytest.raises(InvariantError, match="elections are counted"):
        check_counters("member 0", FOLLOWER | {238: 0}, 5, is_leader=False)


def test_each_open_session_has_its_counter():
    check_session_counters("member 0", [(3, 3), (-1, -1), (1, 1)], {1: "", 3: ""})
    for shown in ([(1, 1)], [(1, 1), (3, 3), (4, 4)], [(1, 1), (3, 1)], [(1, 1), (3, 3), (3, 3)]):
        with pytest.raises(InvariantError, match="sessions have counters"):
            check_session_counters("member 0", shown, {1: "", 3: ""})


def test_the_start_of_the_log_is_that_of_its_recording():
    for shown in (-1, 65_536):
        check_log_start("member 0", shown, 65_536)
    for shown in (0, 65_535, 131_072):
        with pytest.raises(InvariantError, match=f"log starts: member 0: {shown}, expected 65536"):
            check_log_start("member 0", shown, 65_536)


@pytest.mark.parametrize("activity_ms", [10_000, 8_000])
def test_a_correct_mark_file_passes(activity_ms):
    check_mark("member 2", MARK._replace(activity_ms=activity_ms), 1, 2, -1, 10_000)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"version": 0}, "name their owner"),
        ({"component": 2}, "name their owner"),
        ({"member_id": 1}, "name their owner"),
        ({"service_id": 0}, "name their owner"),
        ({"activity_ms": 7_000}, "are young"),
        ({"activity_ms": 10_001}, "are young"),
        ({"activity_ms": -1}, "are young"),
    ],
)
def test_a_wrong_mark_file_is_detected(change, found):
    with pytest.raises(InvariantError, match=f"mark files {found}"):
        check_mark("member 2", MARK._replace(**change), 1, 2, -1, 10_000)
