"""What members wrote into their recording logs, and when.

A recording log is read when an election of its member begins or ends, when the member has taken a
snapshot, and when one of its processes starts or ends. What is new there was written since the last
reading, so the time of a term is one that the member's wall clock had since then; and the snapshots
of a process are those that are new while it runs. Between two readings a member may take several
snapshots and purge some: while a callback waits, nothing is read. So snapshots that are no longer
valid count, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.member_disk import is_log_missing
from aeron_cluster.simulator.checks.plain_disk import (
    PlainEntry,
    read_entries,
    read_invalid_snapshots,
)
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["RecordingLogsHaveTheirTimes", "check_term_times"]

_CLUSTER_DIR: Final = f"{DIRECTORY}/cluster"
_RECORDING_LOG: Final = f"{_CLUSTER_DIR}/recording.log"
_NS_PER_MS: Final = 1_000_000
_OF_MODULE: Final = -1


@dataclass
class _Written:
    """What is known of the recording log of a member."""

    known: set[PlainEntry] = field(default_factory=set)
    """Without the ends of terms, which are written later."""
    state: tuple[int, int, int] | None = None
    """At the last look."""
    starts: int = -1
    """The number of the member's starts at the last reading."""
    offsets_ns: tuple[int, int] = (0, 0)
    """Of its wall clock from the simulation's time, the least and the highest since then."""
    since_ns: int = 0
    snapshot_count: int = 0
    """How many snapshots its present process has taken, at most."""
    terms: set[int] = field(default_factory=set)
    """Those that its present process has recorded."""


class RecordingLogsHaveTheirTimes(Checker):
    """Terms in a member's recording log have a time at which they were written."""

    def __init__(self) -> None:
        self._written: dict[int, _Written] = {}  # by member

    def check(self, cluster: Cluster) -> None:
        """Read what may have changed."""
        now_ns = cluster.now_ns
        for member in cluster.members:
            written = self._written.get(member.member_id)
            offset_ns = member.machine.clock.epoch_nanos() - now_ns
            if written is None:
                written = self._written[member.member_id] = _Written(
                    offsets_ns=(offset_ns, offset_ns)
                )
            least_ns, highest_ns = written.offsets_ns
            if not least_ns <= offset_ns <= highest_ns:
                written.offsets_ns = min(least_ns, offset_ns), max(highest_ns, offset_ns)
            counters, starts = member.counters, member.process_of_module.start_count
            state = (
                (starts, -1, -1)
                if counters is None
                else (starts, counters.election_state.get(), counters.snapshot_count.get())
            )
            if state != written.state:
                written.state = state
                self._read(cluster, member, written)

    def conclude(self, cluster: Cluster) -> None:
        """Read what was written since the last change."""
        self.check(cluster)
        for member in cluster.members:
            self._read(cluster, member, self._written[member.member_id])

    def snapshot_count(self, member: Member) -> int:
        """Return how many snapshots the present process of a member's module has taken, at most."""
        return self._written[member.member_id].snapshot_count

    def terms(self, member: Member) -> set[int]:
        """Return the terms that the present process of a member's module has recorded."""
        return self._written[member.member_id].terms

    def _read(self, cluster: Cluster, member: Member, written: _Written) -> None:
        files = member.machine.files
        # A part that is missing is put back as it was.
        if not files.is_directory(_CLUSTER_DIR) or is_log_missing(files):
            return
        copy = files.copy(_CLUSTER_DIR)
        entries = {
            each._replace(log_position=-1) if each.is_term else each
            for each in read_entries(copy, _RECORDING_LOG)
        }
        entries.update(read_invalid_snapshots(copy, _RECORDING_LOG))
        new = entries - written.known
        clock_ns = cluster.now_ns + written.offsets_ns[1]
        is_kept = cluster.sync_level or not member.machine.power_loss_count
        if is_kept and cluster.has_timed_terms:
            earliest_ms = (written.since_ns + written.offsets_ns[0]) // _NS_PER_MS
            name = f"member {member.member_id}"
            check_term_times(name, new, earliest_ms, clock_ns // _NS_PER_MS)
        self._count(member, written, new)
        offset_ns = member.machine.clock.epoch_nanos() - cluster.now_ns
        written.known |= new
        written.since_ns, written.offsets_ns = cluster.now_ns, (offset_ns, offset_ns)

    @staticmethod
    def _count(member: Member, written: _Written, new: set[PlainEntry]) -> None:
        count = sum(not each.is_term and each.service_id == _OF_MODULE for each in new)
        starts = member.process_of_module.start_count
        if written.starts == starts:
            written.snapshot_count += count
            written.terms |= {each.term_id for each in new if each.is_term}
        else:
            # They may be of the process that has ended.
            written.snapshot_count = count
            written.terms = set()
            written.starts = starts


def check_term_times(name: str, new: set[PlainEntry], earliest_ms: int, latest_ms: int) -> None:
    """Check the times of terms that were written within some time.

    Parameters
    ----------
    name : str
        Whose recording log it is, for the error.
    new : set of PlainEntry
    earliest_ms, latest_ms : int
        What the wall clock of its member showed in that time, in ms since 1970.

    Raises
    ------
    InvariantError
        One has another time.
    """
    for each in new:
        if each.is_term and not earliest_ms <= each.timestamp <= latest_ms:
            raise InvariantError(
                "recording logs have the times of terms",
                f"{name}: {each}, written from {earliest_ms} to {latest_ms}",
            )
