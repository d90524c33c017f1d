"""What members show when nothing is under way: counters and mark files, compared with the model.

One leads, in the last term of the log, and all others follow it; the leader shows a counter for
each session that is open, and none for another, and so does each archive; all show where their log
starts after a purge; mark files name their owner and its start, and are as young as an owner that
lives keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.checks.archive_sessions import (
    archive_sessions,
    check_archive_sessions,
)
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.mark_files import (
    check_mark,
    mark_of_module,
    mark_of_service,
    read_mark,
)
from aeron_cluster.simulator.checks.member_disk import find_log, read_log_start
from aeron_cluster.simulator.checks.module_counters import (
    LOG_START,
    AtRest,
    Shown,
    check_counters,
    check_log_start,
    check_session_counters,
    read_counter,
)
from aeron_cluster.simulator.checks.plain_disk import read_frames_end
from aeron_cluster.simulator.model.plain_messages import TIMEOUT
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.checks.recording_logs import RecordingLogsHaveTheirTimes
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["MembersAreAtRest", "at_rest"]

_CLUSTER: Final = f"{DIRECTORY}/cluster"
_ARCHIVE: Final = f"{DIRECTORY}/archive"
_NS_PER_MS: Final = 1_000_000
_PURGE_NS: Final = 1_000_000_000  # longer than it takes to see that a purge is done
_SNAPSHOT_NS: Final = 500_000_000  # in which a service has ended its session for a snapshot
_ATTEMPTS: Final = 6
_UNKNOWN: Final = -1
_MANY: Final = 1 << 31


class MembersAreAtRest(DiskChecker):
    """Counters and mark files of members are those of the log's last term.

    Parameters
    ----------
    followed : MembersFollowTheModel
        Has the model; it concludes before this one.
    written : RecordingLogsHaveTheirTimes
        What members wrote into their recording logs; it concludes before this one.
    disks : DiskCopies, optional
        That others look at, too.
    """

    def __init__(
        self,
        followed: MembersFollowTheModel,
        written: RecordingLogsHaveTheirTimes,
        disks: DiskCopies | None = None,
    ) -> None:
        super().__init__(disks)
        self._followed = followed
        self._written = written

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        model = self._followed.model
        if model is None or not model.terms or not all(each.is_running for each in cluster.members):
            return
        for member in cluster.members:
            counters = _counters_of(member)
            name = f"member {member.member_id}"
            disk = self._disks.of(member)
            rest = at_rest(cluster, member, model, self._written, disk)
            check_counters(name, counters, rest)
            if rest.is_leader:
                check_session_counters(name, counters, model.sessions, rest.cluster_id)
            self._check_log_start(cluster, member)
            _check_archive(cluster, member)
            disk = self._disks.of(member)
            if disk is not None:
                _check_marks(cluster, member, disk)

    def _check_log_start(self, cluster: Cluster, member: Member) -> None:
        for is_last in (False, True):
            shown = _log_start_of(member)
            disk = self._disks.of(member)
            start = 0 if disk is None else read_log_start(disk, DIRECTORY)
            if shown in (_UNKNOWN, start) or is_last:
                check_log_start(f"member {member.member_id}", shown, start)
                return
            cluster.run_for(_PURGE_NS)


def at_rest(
    cluster: Cluster,
    member: Member,
    model: PlainCluster,
    written: RecordingLogsHaveTheirTimes,
    disk: MemoryFiles | None,
) -> AtRest:
    """Return what follows for the counters of a member from what the simulation knows."""
    options = cluster.options.get("consensus_module", {})
    process = member.process_of_module
    log = None if disk is None else find_log(disk, DIRECTORY)
    end = model.position
    if disk is not None and log is not None:
        end = max(end, read_frames_end(disk, _ARCHIVE, log))
    # One that has lost what it had written writes it again.
    is_kept = cluster.sync_level > 0 or not member.machine.power_loss_count
    # Terms in which it led since its start, each after an election.
    own = {
        each.term_id
        for each in model.terms
        if is_kept and each.leader_id == member.member_id and each.term_id in written.terms(member)
    }
    timed_out = sum(
        each.reason == TIMEOUT and each.term_id in own for each in model.closes.values()
    )
    return AtRest(
        term_id=model.terms[-1].term_id,
        is_leader=member.member_id == model.terms[-1].leader_id,
        positions=range(model.position, end + 1),
        snapshot_count=written.snapshot_count(member) if is_kept else _MANY,
        # Those that had not been opened yet are counted, too, and so are those of backups.
        timed_out_counts=range(timed_out, _MANY),
        election_counts=range(max(1, len(own)), _MANY),
        error_count=len(member.errors),
        age_ns=cluster.now_ns - process.started_at_ns,
        now_ms=member.machine.clock.epoch_nanos() // _NS_PER_MS,
        service_count=len(cluster.journals_of(member)),
        cluster_id=options.get("cluster_id", 0),
        snapshot_interval_ns=options.get("snapshot_interval_ns", 0),
        keeps_some_snapshots=bool(options.get("snapshots_kept")),
        accepts_standbys=bool(options.get("accept_standby_snapshots")),
        has_wrong_clock=member.machine.has_wrong_clock,
    )


def _counters_of(member: Member) -> list[Shown]:
    found = member.driver_counters()
    read = (read_counter(each.type_id, each.key, each.value) for each in found)
    return [each for each in read if each is not None]


def _log_start_of(member: Member) -> int:
    found = (each.value for each in _counters_of(member) if each.type_id == LOG_START)
    return next(found, _UNKNOWN)


def _check_archive(cluster: Cluster, member: Member) -> None:
    count, labels = archive_sessions(member.driver_counters())
    for _ in range(_ATTEMPTS):
        if count == len(labels):
            break
        cluster.run_for(_SNAPSHOT_NS)
        count, labels = archive_sessions(member.driver_counters())
    check_archive_sessions(f"member {member.member_id}", count, labels)


def _check_marks(cluster: Cluster, member: Member, disk: MemoryFiles) -> None:
    now_ms = member.machine.clock.epoch_nanos() // _NS_PER_MS
    member_id, name = member.member_id, f"member {member.member_id}"
    process = member.process_of_module
    options = cluster.options.get("consensus_module", {})
    check_mark(
        name,
        read_mark(disk, f"{_CLUSTER}/cluster-mark.dat"),
        mark_of_module(member_id, process.pid, options),
        now_ms,
        process.launched_ns,
    )
    options = cluster.options.get("container", {})
    for service_id in range(len(cluster.journals_of(member))):
        process = member.process_of_service(service_id)
        check_mark(
            f"{name}, service {service_id}",
            read_mark(disk, f"{_CLUSTER}/cluster-mark-service-{service_id}.dat"),
            mark_of_service(member_id, service_id, process.pid, options),
            now_ms,
            process.launched_ns,
        )
