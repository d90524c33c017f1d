"""Check that a member has recorded the term of a position before it reports the position.

A reported position counts for a commit. A member that is restarted before it has recorded in which
term that part of its log is would take its log for one of the term before, vote for a leader that
lacks the part, and truncate it. That loss needs a second failure at the right moment, so the
recording logs are compared with the leader's instead. These reads do not count as calls to the
disks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_disk import PlainEntry, read_entries
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["ReportedTermsAreRecorded"]

_CLUSTER_DIR: Final = f"{DIRECTORY}/cluster"
_RECORDING_LOG: Final = f"{DIRECTORY}/cluster/recording.log"


class ReportedTermsAreRecorded(Listener):
    """A follower's recording log has the term of each position that it reports as appended.

    The recording log of the leader at that time defines which term that is.
    """

    def __init__(self) -> None:
        self._leaders: dict[int, int] = {}  # by term
        # The last term that a member had recorded, with the number of its start.
        self._recorded: dict[int, tuple[int, int]] = {}

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record the leader of a term."""
        self._leaders[term.leadership_term_id] = term.leader_member_id

    def on_new_append(self, cluster: Cluster, term_id: int, position: int, member_id: int) -> None:
        """Compare the term of a reported position with the disk of its member."""
        member = cluster.members[member_id]
        start_count, recorded = self._recorded.get(member_id, (-1, -1))
        if recorded >= term_id and start_count == member.start_count:
            return
        if member.machine.power_loss_count and not cluster.sync_level:
            return
        entries = _read_terms(member)
        if not entries:
            return  # removed, or lost with its log, after the report
        recorded = max(each.term_id for each in entries)
        self._recorded[member_id] = member.start_count, recorded
        expected = self._term_of(cluster, term_id, position)
        if recorded < expected:
            raise InvariantError(
                "reported terms are recorded",
                f"member {member_id} reported {position}, of term {expected}, its disk has the"
                f" terms up to {recorded}",
            )

    def _term_of(self, cluster: Cluster, term_id: int, position: int) -> int:
        """Return the term in which a position of a leader's log is; -1 if that is unknown."""
        leader_id = self._leaders.get(term_id)
        entries = [] if leader_id is None else _read_terms(cluster.members[leader_id])
        if any(each.term_id > term_id for each in entries):
            return -1  # it follows another leader, whose log may differ
        return max((each.term_id for each in entries if each.base_position < position), default=-1)


def _read_terms(member: Member) -> list[PlainEntry]:
    files = member.machine.files
    if not files.is_directory(_CLUSTER_DIR):
        return []
    found = read_entries(files.copy(_CLUSTER_DIR), _RECORDING_LOG)
    return [each for each in found if each.is_term]
