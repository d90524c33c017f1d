"""Requests to members' archives: each is answered, if only with an error.

A client of an archive waits for an answer for its message timeout, and then states that there was
none. An archive that works all this time has lost the request, or forgotten its answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError, TimeoutExpiredError
from aeron_cluster.simulator.cluster import Checker

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["ArchivesAnswer"]

_NO_ANSWER: Final = "no answer to"
_MESSAGE_TIMEOUT_NS: Final = 10_000_000_000  # of clients of archives, by default
_NEVER_NS: Final = -(1 << 60)


class ArchivesAnswer(Checker):
    """No module and no service waits in vain for its own archive, while all of the member works.

    Members whose disks have failed are not judged.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._disturbed_ns: dict[int, int] = {}
        self._starts: dict[int, int] = {}
        self._changes = -1

    def check(self, cluster: Cluster) -> None:
        """Check the errors since the last call."""
        now_ns = cluster.now_ns
        has_changed = cluster.process_changes != self._changes
        self._changes = cluster.process_changes
        for member in cluster.members:
            member_id = member.member_id
            if (has_changed and self._has_started(member)) or not _is_working(member):
                self._disturbed_ns[member_id] = now_ns
            seen = self._seen.get(member_id, 0)
            if len(member.errors) > seen:
                self._seen[member_id] = len(member.errors)
                for error in member.errors[seen:]:
                    self._check_error(member, error, now_ns)

    def _has_started(self, member: Member) -> bool:
        """Return whether a process has started since the last call."""
        starts = sum(each.start_count for each in member.processes)
        known, self._starts[member.member_id] = self._starts.get(member.member_id), starts
        return starts != known

    def _check_error(self, member: Member, error: Exception, now_ns: int) -> None:
        if not isinstance(error, TimeoutExpiredError) or _NO_ANSWER not in str(error):
            return
        since_ns = self._disturbed_ns.get(member.member_id, _NEVER_NS)
        has_worked = now_ns - since_ns >= _MESSAGE_TIMEOUT_NS
        if has_worked and now_ns < member.machine.disk_fails_from_ns:
            raise InvariantError("archives answer their clients", f"{member}: {error}") from error


def _is_working(member: Member) -> bool:
    """Return whether all processes work, over the driver with which they began.

    One whose driver was started again sends and receives nothing, and notices it seconds later.
    """
    driver_ns = member.process_of_driver.started_at_ns
    for each in member.processes:
        if not each.is_working or each.started_at_ns < driver_ns:
            return False
    return True
