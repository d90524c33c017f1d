"""Counters of idle members: every wrong one is detected."""

import struct
from dataclasses import replace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.module_counters import (
    AtRest,
    Shown,
    check_counters,
    check_log_start,
    check_session_counters,
    expected_counters,
    read_counter,
)

S = 1_000_000_000
NOW_MS = 50_000
REST = AtRest(
    term_id=5,
    is_leader=False,
    positions=range(640, 672 + 1),
    snapshot_count=3,
    timed_out_counts=range(1, 100),
    election_counts=range(2, 100),
    error_count=4,
    age_ns=20 * S,
    now_ms=NOW_MS,
)
LEADING = replace(REST, is_leader=True)
SCHEDULED = replace(LEADING, snapshot_interval_ns=5 * S, keeps_some_snapshots=True)
# By type and service.
FOLLOWER = {
    (200, -1): 1,
    (201, -1): 0,
    (202, -1): 0,
    (203, -1): 640,
    (205, -1): 2,
    (207, -1): 17,
    (212, -1): 4,
    (213, -1): 1,
    (215, 0): 0,
    (216, -1): 30_000_000,
    (217, -1): 0,
    (218, 0): 30_000_000,
    (219, 0): 0,
    (233, -1): 1,
    (234, -1): 2_000_000,
    (235, -1): 0,
    (236, 0): 1_000_000,
    (237, 0): 0,
    (238, -1): 2,
    (239, -1): 5,
    (1200, -1): 0,
    (1201, -1): 3,
    (1204, -1): NOW_MS - 900,
}
LEADER = FOLLOWER | {(201, -1): 2, (202, -1): 1, (1204, -1): -1}
PURGING = LEADER | {(1202, -1): NOW_MS + 4000, (1203, -1): 64}
WRONG = {
    200: [0, 2, 3, 6],
    201: [1, 2, -1],
    202: [1, 4],
    203: [-999, 0, 639, 673],
    205: [-7, 4],
    207: [0, 16],
    212: [-1, 5],
    213: [-1, 0, 100],
    215: [-1, 5],
    216: [-1, 100_000_001, 41 * S],
    217: [-1, 1],
    218: [-1, 100_000_001, 41 * S],
    219: [-1, 1],
    233: [0, 2],
    234: [-1, S + 1, 41 * S],
    235: [-1, 1, 4],
    236: [-1, S + 1, 41 * S],
    237: [-1, 1],
    238: [-1, 0, 1],
    239: [-1, 4, 6],
    1200: [-1],
    1201: [-1],
    1204: [0, NOW_MS + 1, NOW_MS - 2501],
}


def shown(values, cluster_id=0):
    return [Shown(*place, -1, value) for place, value in _with_cluster(values, cluster_id)]


def _with_cluster(values, cluster_id):
    for (type_id, service_id), value in values.items():
        yield (type_id, cluster_id, service_id), value


def test_correct_counters_of_idle_members_pass():
    check_counters("member 0", shown(FOLLOWER), REST)
    check_counters("member 1", shown(LEADER), LEADING)
    check_counters("member 1", shown(PURGING), SCHEDULED)
    taking = PURGING | {(200, -1): 3, (202, -1): 4, (1202, -1): -1, (1203, -1): -1}
    check_counters("member 1", shown(taking), SCHEDULED)
    check_counters("member 0", shown(FOLLOWER | {(1204, -1): -1}), REST)  # not yet


def test_durations_above_their_threshold_are_counted():
    slow = {(216, -1): S, (217, -1): 1, (234, -1): 2 * S, (235, -1): 3}
    slow |= {(218, 0): S, (219, 0): 9, (236, 0): 2 * S, (237, 0): 1}
    check_counters("member 0", shown(FOLLOWER | slow), REST)


@pytest.mark.parametrize(
    ("type_id", "value"), [(each, value) for each, values in WRONG.items() for value in values]
)
def test_a_wrong_counter_is_detected(type_id, value):
    (place,) = [each for each in FOLLOWER if each[0] == type_id]
    with pytest.raises(InvariantError, match="counters are right at rest: member 0"):
        check_counters("member 0", shown(FOLLOWER | {place: value}), REST)


@pytest.mark.parametrize(
    ("type_id", "value"),
    [
        (200, 2),
        (201, 0),
        (202, 0),
        (202, 3),
        (1202, NOW_MS - 20_001),
        (1202, NOW_MS + 5002),
        (1203, -2),
        (1203, 673),
        (1204, NOW_MS),
    ],
)
def test_a_wrong_counter_of_a_leader_with_a_schedule_is_detected(type_id, value):
    with pytest.raises(InvariantError, match="counters are right at rest"):
        check_counters("member 1", shown(PURGING | {(type_id, -1): value}), SCHEDULED)


def test_a_next_snapshot_of_a_follower_is_detected():
    scheduled = replace(REST, snapshot_interval_ns=5 * S)
    counters = FOLLOWER | {(1202, -1): -1}
    check_counters("member 0", shown(counters), scheduled)
    with pytest.raises(InvariantError, match="type 1202"):
        check_counters("member 0", shown(counters | {(1202, -1): NOW_MS}), scheduled)
    set_clock = replace(SCHEDULED, has_wrong_clock=True)
    check_counters("member 1", shown(PURGING | {(1202, -1): 1}), set_clock)


def test_a_duration_of_a_snapshot_that_was_not_taken_is_detected():
    none = replace(REST, snapshot_count=0)
    with pytest.raises(InvariantError, match="type 234"):
        check_counters("member 0", shown(FOLLOWER | {(205, -1): 0}), none)


def test_each_counter_has_wrong_values():
    places = expected_counters(REST)
    assert places.keys() == FOLLOWER.keys()
    assert {type_id for type_id, _ in places} == set(WRONG)
    optional = expected_counters(replace(SCHEDULED, accepts_standbys=True))
    assert {type_id for type_id, _ in optional.keys() - places.keys()} == {232, 1202, 1203}
    two = expected_counters(replace(REST, service_count=2))
    assert sorted(two.keys() - places.keys()) == [(each, 1) for each in (215, 218, 219, 236, 237)]


@pytest.mark.parametrize(
    "change",
    [
        lambda counters: counters[1:],
        lambda counters: [*counters, counters[0]],
        lambda counters: [*counters, Shown(204, 0, -1, -1, 0)],  # only while a module recovers
        lambda counters: [*counters, Shown(215, 0, 1, -1, 0)],
        lambda counters: [counters[0]._replace(cluster_id=1), *counters[1:]],
    ],
)
def test_missing_strange_and_foreign_counters_are_detected(change):
    with pytest.raises(InvariantError, match="counters are there once"):
        check_counters("member 0", change(shown(FOLLOWER)), REST)


def test_counters_are_read_with_their_ids():
    assert read_counter(203, struct.pack("<i", 3).ljust(112, b"\0"), 7) == (203, 3, -1, -1, 7)
    assert read_counter(218, struct.pack("<ii", 3, 1), 7) == (218, 3, 1, -1, 7)
    assert read_counter(241, struct.pack("<iq", 3, 9), 9) == (241, 3, -1, 9, 9)
    assert read_counter(1204, struct.pack("<iq", 3, S), 9) == (1204, 3, -1, -1, 9)
    for other in (11, 100, 199, 300, 1199, 1300):
        assert read_counter(other, bytes(112), 0) is None


def test_each_open_session_has_its_counter():
    def of(*pairs):
        return [Shown(241, 0, -1, *pair) for pair in pairs]

    right = of((3, 3), (-1, -1), (1, 1))
    check_session_counters("member 0", [*shown(LEADER), *right], {1: "", 3: ""})
    wrong = [right[0]._replace(cluster_id=1), *right[1:]]
    for counters in (
        of((1, 1)),
        of((1, 1), (3, 3), (4, 4)),
        of((1, 1), (3, 1)),
        of((1, 1), (3, 3), (3, 3)),
        wrong,
    ):
        with pytest.raises(InvariantError, match="sessions have counters"):
            check_session_counters("member 0", counters, {1: "", 3: ""})


def test_the_start_of_the_log_is_that_of_its_recording():
    for start in (-1, 65_536):
        check_log_start("member 0", start, 65_536)
    for start in (0, 65_535, 131_072):
        with pytest.raises(InvariantError, match=f"log starts: member 0: {start}, expected 65536"):
            check_log_start("member 0", start, 65_536)
