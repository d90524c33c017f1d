"""When a standby's offer of a snapshot is recorded."""

import errno

import pytest

from aeron_cluster.cluster.snapshots.standby_snapshots import StandbySnapshots, problem_of
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.cluster import StandbySnapshot
from aeron_cluster.errors import InsufficientSpaceError
from aeron_cluster.memory.system.seams import SystemFiles

TERM, BASE = 3, 64
DELAY_NS = 1000
NEVER = 2**63 - 1
MODULE = -1


def offer(position, *, base=BASE, endpoint="standby:1", term_id=TERM):
    """Return an offer of a snapshot of one service, in the order of its ids."""
    return [
        StandbySnapshot.Snapshots(
            recording_id=10 + service_id,
            leadership_term_id=term_id,
            term_base_log_position=base,
            log_position=position,
            timestamp=1,
            service_id=service_id,
            archive_endpoint=endpoint,
        )
        for service_id in (MODULE, 0)
    ]


class Rig:
    def __init__(self, log):
        self.log = log
        self.errors, self.logged, self.noted = [], [], []
        self.standbys = StandbySnapshots(
            log, DELAY_NS, lambda: self.noted.append(1), self.logged.append, self.errors.append
        )

    @property
    def recorded(self):
        return [
            (each.log_position, each.service_id, each.archive_endpoint)
            for each in self.log.entries
            if each.entry_type is EntryType.STANDBY_SNAPSHOT
        ]


@pytest.fixture
def rig(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(7, TERM, BASE, 1000)
        yield Rig(log)


def test_an_offer_is_recorded_a_while_after_its_position_was_committed(rig):
    standbys = rig.standbys
    assert standbys.next_deadline_ns(5) == NEVER
    standbys.add(offer(640))
    assert 5 < standbys.next_deadline_ns(5) < NEVER  # the position is checked repeatedly
    assert standbys.do_work(639, 10) == 0
    assert standbys.do_work(640, 20) == 1
    assert standbys.next_deadline_ns(20) == 20 + DELAY_NS
    assert standbys.do_work(700, 19 + DELAY_NS) == 0
    assert rig.recorded == []
    assert standbys.do_work(700, 20 + DELAY_NS) == 1
    # The module's entry is last: with it the set is valid.
    assert rig.recorded == [(640, 0, "standby:1"), (640, MODULE, "standby:1")]
    assert [each.service_id for each in rig.logged] == [0, MODULE]
    assert (len(rig.noted), rig.errors) == (1, [])
    assert standbys.next_deadline_ns(20) == NEVER


def note(rig, *offers):
    for each in offers:
        rig.standbys.add(each)
    rig.standbys.do_work(1 << 40, 0)
    rig.standbys.do_work(1 << 40, DELAY_NS)


def test_an_offer_is_recorded_once(rig):
    note(rig, offer(640), offer(640))
    assert len(rig.recorded) == 2
    note(rig, offer(640, endpoint="standby:2"), offer(704))
    assert len(rig.recorded) == 6


def again(offered, recording_id):
    """Return an offer of the same snapshot in other recordings, from this one on."""
    for each in offered:
        each.recording_id = recording_id + each.service_id
    return offered


def test_a_standby_that_was_set_up_anew_offers_its_new_recordings(rig):
    """It replays the log, and takes snapshots at the same positions into another archive."""
    note(rig, offer(640))
    note(rig, again(offer(640), 70))
    (found,) = rig.log.find_latest_standby_snapshots(1).values()
    assert [each.recording_id for each in found] == [70, 69]
    assert len(rig.recorded) == 2
    assert [each.recording_id for each in rig.logged] == [10, 9, 70, 69]


@pytest.mark.parametrize("written", range(4))
def test_no_set_of_a_standby_mixes_the_recordings_of_two_offers(
    rig, tmp_path, monkeypatch, written
):
    note(rig, offer(640))
    write, count = rig.log._write, []

    def limited(*values):
        count.append(values)
        if len(count) > written:
            raise InsufficientSpaceError(errno.ENOSPC, "no space", "recording.log")
        write(*values)

    monkeypatch.setattr(rig.log, "_write", limited)
    with pytest.raises(InsufficientSpaceError):
        note(rig, again(offer(640), 70))
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as log:
        found = [
            [each.recording_id for each in entries]
            for entries in log.find_latest_standby_snapshots(1).values()
        ]
    assert found == ([[10, 9]] if written == 0 else [])


@pytest.mark.parametrize("changed", [{"base": 32}, {"term_id": 4}])
def test_a_snapshot_of_another_log_is_reported_and_not_used(rig, changed):
    note(rig, offer(640, **changed), offer(704))
    (error,) = rig.errors
    assert "standby snapshot at 640 of standby:1: expected term" in str(error)
    assert [position for position, *_ in rig.recorded] == [704, 704]


@pytest.mark.parametrize("position", [-5, BASE - 64, 1024])
def test_a_snapshot_outside_of_its_term_is_reported_and_not_used(rig, position):
    """An entry at a negative position would make the recording log unreadable."""
    rig.log.append_term(7, TERM + 1, 992, 1000)
    note(rig, offer(position), offer(992))
    (error,) = rig.errors
    assert f"standby snapshot at {position} of standby:1: expected term {TERM}" in str(error)
    assert [position for position, *_ in rig.recorded] == [992, 992]


def test_an_offer_with_two_bases_of_its_term_is_incomplete():
    module, service = offer(640)
    service.term_base_log_position = -7
    assert problem_of([module, service], 1) == "expected one position in one term"


def test_of_too_many_offers_the_oldest_is_dropped(rig):
    """A standby may offer anything, at any rate."""
    offers = [offer(640 + 64 * number) for number in range(1000)]
    for each in offers:
        rig.standbys.add(each)
    count = rig.standbys.do_work(1 << 40, 0)
    assert 0 < count < 1000
    rig.standbys.do_work(1 << 40, DELAY_NS)
    positions = sorted({position for position, *_ in rig.recorded})
    assert positions == [each[0].log_position for each in offers[-count:]]
