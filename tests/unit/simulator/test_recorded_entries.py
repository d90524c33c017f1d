"""Entries of recording logs compared with the log: every wrong one is detected."""

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_disk import PlainEntry
from aeron_cluster.simulator.checks.recorded_entries import check_backup_log, check_recording_log
from tests.unit.simulator.test_plain_cluster import log_of_two_terms

MODEL = log_of_two_terms().model
((POSITION, REQUESTED),) = MODEL.requested.items()
BASE = MODEL.terms[1].base_position
TERM_0 = PlainEntry(7, 0, BASE, -1, True, 0, 1)
TERM_3 = PlainEntry(7, 3, BASE, -1, True, BASE, 1)  # without an entry of its own in the log
TERM_4 = PlainEntry(7, 4, -1, -1, True, BASE, 1)
SET = tuple(
    PlainEntry(20 + each, 4, POSITION, each, False, BASE, REQUESTED.event.timestamp)
    for each in (1, 0, -1)
)
ENTRIES = (TERM_0, TERM_3, TERM_4, *SET)
RECORDINGS = dict.fromkeys((7, 8, 19, 20, 21, 22))
IN_A_ROW = "terms in a row"
OF_THE_LOG = "the terms of the log"
OF_THEIR_TERM = "snapshots of their term"
RECORDED = "name their recordings"
# Changes of the entries 0 to 5: each field of a term, of a skipped term and of a snapshot.
WRONG = [
    (0, {"term_id": -1}, rf"{OF_THE_LOG}: member 0: \[0\] are missing"),
    (0, {"term_id": 3}, IN_A_ROW),
    (0, {"base_position": 32}, OF_THE_LOG),
    (0, {"log_position": -1}, IN_A_ROW),
    (0, {"log_position": BASE - 32}, IN_A_ROW),
    (0, {"recording_id": 8}, IN_A_ROW),
    (0, {"service_id": 0}, OF_THE_LOG),
    (1, {"base_position": BASE - 32}, IN_A_ROW),
    (1, {"service_id": 0}, OF_THE_LOG),
    (2, {"term_id": 3}, IN_A_ROW),
    (2, {"base_position": BASE + 32}, IN_A_ROW),
    (2, {"log_position": BASE - 32}, OF_THE_LOG),
    (2, {"log_position": MODEL.position + 32}, OF_THE_LOG),
    (2, {"service_id": 1}, OF_THE_LOG),
    (5, {"recording_id": 23}, RECORDED),
    (5, {"recording_id": 7}, RECORDED),
    (5, {"recording_id": 20}, RECORDED),
    (5, {"term_id": 0}, OF_THEIR_TERM),
    (5, {"base_position": 0}, OF_THEIR_TERM),
    (5, {"timestamp": 0}, OF_THEIR_TERM),
    (5, {"log_position": POSITION + 32}, "were requested"),
    (4, {"service_id": 1}, "sets of snapshots are complete"),
    (4, {"service_id": 2}, "sets of snapshots are complete"),
]


def check(entries, recordings=RECORDINGS):
    check_recording_log(0, entries, MODEL, 2, recordings)


def test_a_correct_recording_log_passes():
    check(ENTRIES)
    check((*ENTRIES, SET[0], SET[1]))
    check(ENTRIES[2:-1])
    check((TERM_0, TERM_3, TERM_4._replace(log_position=MODEL.position), *SET))


def test_a_term_that_is_not_in_the_log_may_have_a_part_of_it():
    """Its member led it without appending, and then copied from a longer log, as upstream."""
    end = TERM_0.log_position
    unlogged = PlainEntry(7, 1, end, -1, True, end - 32, 1)
    check((TERM_0._replace(log_position=end - 32), unlogged, *ENTRIES[1:]))


@pytest.mark.parametrize(("index", "change", "found"), WRONG)
def test_a_wrong_entry_of_a_recording_log_is_detected(index, change, found):
    entries = list(ENTRIES)
    entries[index] = entries[index]._replace(**change)
    with pytest.raises(InvariantError, match=found):
        check(entries)


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ((), OF_THE_LOG),
        ((TERM_0, TERM_0, TERM_4), IN_A_ROW),
        (
            (TERM_0._replace(log_position=BASE - 32), TERM_4._replace(base_position=BASE - 32)),
            OF_THE_LOG,
        ),
        ((TERM_0, TERM_3), f"{OF_THE_LOG}: member 0: .* the log is in 4"),
        ((*ENTRIES[:-3], SET[0], SET[2]), "sets of snapshots are complete"),
        ((*ENTRIES, SET[1]._replace(service_id=2)), "sets of snapshots are complete"),
    ],
)
def test_missing_and_strange_entries_are_detected(entries, found):
    with pytest.raises(InvariantError, match=found):
        check(entries)


def test_without_services_only_a_leader_writes_a_time_of_its_own():
    leader_id = REQUESTED.term.leader_id
    entries = (TERM_0, TERM_3, TERM_4, SET[-1]._replace(timestamp=REQUESTED.event.timestamp + 1))
    check_recording_log(leader_id, entries, MODEL, 0, RECORDINGS)
    with pytest.raises(InvariantError, match=OF_THEIR_TERM):
        check_recording_log(leader_id + 1, entries, MODEL, 0, RECORDINGS)
    check_recording_log(leader_id + 1, (*entries[:3], SET[-1]), MODEL, 0, RECORDINGS)


def test_a_log_without_its_recording_is_detected():
    with pytest.raises(InvariantError, match=RECORDED):
        check(ENTRIES, {20: None, 21: None, 19: None})


def of_backup(**change):
    return (TERM_4._replace(**{"timestamp": -1, **change}), *SET)


def test_a_backup_does_not_know_the_times_of_terms():
    check_backup_log("backup0", of_backup(), MODEL, 2)
    for change in ({"timestamp": 1}, {"service_id": 0}):
        with pytest.raises(InvariantError, match="backups have terms without a time: backup0"):
            check_backup_log("backup0", of_backup(**change), MODEL, 2)
    with pytest.raises(InvariantError, match=OF_THE_LOG):
        check_backup_log("backup0", of_backup(base_position=0), MODEL, 2)
    with pytest.raises(InvariantError, match=OF_THEIR_TERM):
        check_backup_log("backup0", (SET[0]._replace(timestamp=0),), MODEL, 2)
