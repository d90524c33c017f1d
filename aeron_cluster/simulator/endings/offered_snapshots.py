"""A standby offers a snapshot: the member records it, and copies it when it lacks its own."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import EventCode, StandbySnapshot
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import (
    read_snapshot_sets,
    read_valid_standby_entries,
)
from aeron_cluster.simulator.checks.plain_disk import PlainEntry
from aeron_cluster.simulator.endings.conditions import (
    all_lead,
    furthest_commit_position,
    has_no_election,
    has_no_pending_requests,
    has_settled,
)
from aeron_cluster.simulator.members.standby import archive_of
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost
    from aeron_cluster.simulator.members.standby import Standby

__all__ = ["Flaw", "Offer", "draw_offer", "offer_snapshots"]

_OF_OFFERS: Final = 0x0FFE6
_ONE_IN: Final = 8
_FEWEST_MEMBERS: Final = 3
_REJECTED_ONE_IN: Final = 4
_MODULE: Final = -1
_FRAME_ALIGNMENT: Final = 32
_S: Final = 1_000_000_000
_TIMEOUT_NS: Final = 60 * _S
_RECORDED_NS: Final = 10 * _S
_RULE: Final = "offers of standbys are recorded as they are"

_Snapshots = StandbySnapshot.Snapshots


class Flaw(Enum):
    """Why an offer must be rejected."""

    NO_MODULE = 1
    TWICE = 2  # of one part
    TWO_POSITIONS = 3
    NO_RECORDING = 4
    NO_ENDPOINT = 5


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What is drawn for a standby.

    Parameters
    ----------
    is_accepted : bool
        Whether members are configured to accept snapshots of standbys.
    flaw : Flaw
        Of an offer that precedes the complete one.
    is_repeated : bool
        Whether the complete offer is sent twice.
    """

    is_accepted: bool
    flaw: Flaw
    is_repeated: bool


def draw_offer(seed: int, members: int) -> Offer | None:
    """Return what a standby offers in the end, in one run of eight with three members or more.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        Their number.
    """
    random = SeededRandom(seed ^ _OF_OFFERS)
    if random.below(_ONE_IN) or members < _FEWEST_MEMBERS:
        return None
    flaws = tuple(Flaw)
    return Offer(
        is_accepted=random.below(_REJECTED_ONE_IN) > 0,
        flaw=flaws[random.below(len(flaws))],
        is_repeated=random.below(2) == 0,
    )


def offer_snapshots(host: RunHost, offer: Offer) -> None:
    """Offer a follower the latest snapshot, as a standby does, with the leader's archive as its.

    A flawed offer comes first, and must be rejected. If members accept snapshots of standbys, the
    follower must record the next one. It is started without its own, and must copy the offered
    one, and start with it. Nothing is done if the cluster is suspended.

    Raises
    ------
    InvariantError
        An offer was recorded that had to be rejected, or otherwise than it was; or the member did
        not start with the copy.
    TimeoutExpiredError
        An offer was not rejected, or not recorded, or the member did not catch up.
    """
    cluster = host.cluster
    host.on_step("members take a snapshot as standbys do")
    host.await_until(lambda: all_lead(cluster) and has_settled(cluster), _TIMEOUT_NS)
    leader = cluster.leader()
    assert leader is not None
    if leader.module.state is not ConsensusModuleState.ACTIVE:
        return
    _take_snapshot(host)
    disk = DiskCopies().of(leader)
    sets = [] if disk is None else read_snapshot_sets(disk, DIRECTORY)
    if not sets:
        raise InvariantError("members have the snapshot that they have taken", f"{leader}: none")
    member = next(each for each in cluster.members if each is not leader)
    standby = cluster.add_standby(member)
    try:
        _offer(
            host, member, standby, [_offered(each, archive_of(leader)) for each in sets[-1]], offer
        )
    finally:
        standby.close()


def _take_snapshot(host: RunHost) -> None:
    cluster = host.cluster
    before = [_snapshot_count(each) for each in cluster.members]
    host.toggle(ControlToggle.SNAPSHOT)
    host.await_until(
        lambda: (
            has_no_pending_requests(cluster)
            and all(
                _snapshot_count(each) > count
                for each, count in zip(cluster.members, before, strict=True)
            )
        ),
        _TIMEOUT_NS,
    )


def _snapshot_count(member: Member) -> int:
    counters = member.counters
    return -1 if counters is None else counters.snapshot_count.get()


def _offered(entry: PlainEntry, endpoint: str) -> _Snapshots:
    return _Snapshots(
        recording_id=entry.recording_id,
        leadership_term_id=entry.term_id,
        term_base_log_position=entry.base_position,
        log_position=entry.log_position,
        timestamp=entry.timestamp,
        service_id=entry.service_id,
        archive_endpoint=endpoint,
    )


def _offer(
    host: RunHost, member: Member, standby: Standby, snapshots: Sequence[_Snapshots], offer: Offer
) -> None:
    _reject(host, member, standby, 1, _flawed(snapshots, offer.flaw))
    if not offer.is_accepted:
        _reject(host, member, standby, 2, snapshots)
        return
    _record(host, member, standby, snapshots)
    if offer.is_repeated:
        _record(host, member, standby, snapshots)
    _check_copied(host, member, snapshots[0].log_position)


def _flawed(snapshots: Sequence[_Snapshots], flaw: Flaw) -> list[_Snapshots]:
    """Return a snapshot that cannot be used."""
    flawed = list(map(copy.copy, snapshots))
    match flaw:
        case Flaw.NO_MODULE:
            return [each for each in flawed if each.service_id != _MODULE]
        case Flaw.TWICE:
            return [*flawed, flawed[-1]]
        case Flaw.TWO_POSITIONS:
            flawed[-1].log_position += _FRAME_ALIGNMENT
        case Flaw.NO_RECORDING:
            flawed[-1].recording_id = -1
        case Flaw.NO_ENDPOINT:
            flawed[-1].archive_endpoint = ""
    return flawed


def _reject(
    host: RunHost,
    member: Member,
    standby: Standby,
    correlation_id: int,
    snapshots: Sequence[_Snapshots],
) -> None:
    """Offer something that must be rejected, and wait for that: nothing may be recorded."""
    host.on_step("a member rejects the offer of a standby")
    host.await_until(lambda: standby.try_offer(correlation_id, snapshots), _TIMEOUT_NS)
    host.await_until(partial(_is_rejected, standby, correlation_id), _TIMEOUT_NS)
    _check_recorded(member, [])


def _is_rejected(standby: Standby, correlation_id: int) -> bool:
    standby.poll()
    found = {each.correlation_id: each for each in standby.answers}
    answer = found.get(correlation_id)
    if answer is not None and answer.code is not EventCode.ERROR:
        raise InvariantError("flawed offers of standbys are rejected", f"{standby}: {answer}")
    return answer is not None


def _record(
    host: RunHost, member: Member, standby: Standby, snapshots: Sequence[_Snapshots]
) -> None:
    """Offer a complete snapshot, and wait until it is recorded."""
    host.on_step("a member records the snapshot of a standby")
    standby.poll()
    counted = _offer_count(member)
    host.await_until(lambda: standby.try_offer(0, snapshots), _TIMEOUT_NS)
    host.await_until(lambda: _offer_count(member) > counted, _RECORDED_NS)
    _check_recorded(member, snapshots)
    standby.poll()
    if any(each.correlation_id == 0 for each in standby.answers):
        raise InvariantError(_RULE, f"{member} answered {standby.answers[-1]}, expected nothing")


def _offer_count(member: Member) -> int:
    counters = member.counters
    counter = None if counters is None else counters.standby_snapshots
    return -1 if counter is None else counter.get()


def _check_recorded(member: Member, snapshots: Sequence[_Snapshots]) -> None:
    """Check that the recording log of a member has a standby's snapshot, once, and no other one."""
    expected = {
        (
            PlainEntry(
                each.recording_id,
                each.leadership_term_id,
                each.log_position,
                each.service_id,
                is_term=False,
                base_position=each.term_base_log_position,
                timestamp=each.timestamp,
            ),
            each.archive_endpoint,
        )
        for each in snapshots
    }
    disk = DiskCopies().of(member)
    assert disk is not None
    found = read_valid_standby_entries(disk, DIRECTORY)
    if len(found) != len(expected) or set(found) != expected:
        raise InvariantError(_RULE, f"{member} recorded {found}, expected {expected}")


def _check_copied(host: RunHost, member: Member, position: int) -> None:
    """Start a member without its own latest snapshot: it must copy the offered one before."""
    host.on_step("a member copies the snapshot of a standby")
    member.kill()
    host.prevent_restart(member)
    with RecordingLog(member.machine.files, f"{DIRECTORY}/cluster") as recording_log:
        # As a validation does after an archive has lost the recordings: own snapshots alone.
        for entry in recording_log.entries:
            if entry.is_valid_snapshot and entry.log_position >= position:
                recording_log.invalidate(entry)
    host.start(member)
    host.await_until(partial(_has_caught_up, host.cluster, member), _TIMEOUT_NS)
    loaded = member.loaded
    if loaded is None or loaded.position != position:
        raise InvariantError(
            "a member starts with the snapshot of a standby",
            f"{member} started with that at {loaded and loaded.position}, expected {position}",
        )


def _has_caught_up(cluster: Cluster, member: Member) -> bool:
    return has_no_election(member) and member.commit_position == furthest_commit_position(cluster)
