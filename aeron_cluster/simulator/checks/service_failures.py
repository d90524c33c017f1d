"""What services raise is reported with its place, and they are notified of their roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import InvariantError, OperationError, ServiceCallbackError
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.members.service_faults import SimulatedServiceError

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.service_faults import RaisedError

__all__ = ["FailuresAreReported", "RolesAreRight", "is_report_of"]

_FAILED: Final = -7  # AC_SERVICE_FAILED of service.h
_LONGEST_TEXT: Final = 255  # that `explain` of service.h keeps
_LONGEST_REPORT_NS: Final = 20_000_000_000  # of a snapshot, with an archive that does not answer
_SNAPSHOT: Final = "on_take_snapshot"


class FailuresAreReported(Checker):
    """Each exception of a callback is reported once, with service, callback, place and session.

    A container reports it before it does anything else, and one of a snapshot when it has
    acknowledged that. A process that was killed meanwhile reports nothing. A native service
    returns a code and a text, so its container has no exception.
    """

    def __init__(self) -> None:
        self._count = 0
        self._first: dict[int, int] = {}  # by member: the first report to compare
        self._since_ns: dict[RaisedError, int] = {}

    def counts(self) -> dict[str, int]:
        """Count what was compared."""
        return {"failures of services compared": self._count}

    def check(self, cluster: Cluster) -> None:
        """Compare what was raised since the last check."""
        for member in cluster.members:
            if member.service_faults.raised:
                self._check_member(cluster, member, is_end=False)
            else:
                self._first[member.member_id] = len(member.errors)

    def conclude(self, cluster: Cluster) -> None:
        """Compare the rest."""
        for member in cluster.members:
            self._check_member(cluster, member, is_end=True)

    def _check_member(self, cluster: Cluster, member: Member, *, is_end: bool) -> None:
        raised = member.service_faults.raised
        reports = member.errors[self._first.get(member.member_id, 0) :]
        left = []
        for each in raised:
            is_native = each.service_id in cluster.native_services
            # The container reports no exception of these.
            if is_native and each.detail:
                raise InvariantError("errors are expected ones", f"{member}: {each.detail}")
            index = next(
                (
                    index
                    for index, report in enumerate(reports)
                    if is_report_of(report, each, member.member_id, is_native=is_native)
                ),
                None,
            )
            if index is not None:
                del reports[index]
                self._count += 1
            elif self._may_be_late(cluster, each) and not is_end and _is_due(member, each):
                left.append(each)
            elif _is_due(member, each):
                raise InvariantError(
                    "failures of services are reported",
                    f"{member}: {each.callback} of service {each.service_id} raised {each.kind}:"
                    f" {each.text}, at {each.log_position} in term {each.leadership_term_id} for"
                    f" session {each.session_id}; it reported {reports}",
                )
        raised[:] = left
        if not left:
            self._first[member.member_id] = len(member.errors)

    def _may_be_late(self, cluster: Cluster, raised: RaisedError) -> bool:
        """Return whether its report may still follow."""
        if raised.callback != _SNAPSHOT:
            return False
        since_ns = self._since_ns.setdefault(raised, cluster.now_ns)
        return cluster.now_ns < since_ns + _LONGEST_REPORT_NS


def _is_due(member: Member, raised: RaisedError) -> bool:
    """Return whether the process that raised still has to report it."""
    if raised.callback == _SNAPSHOT and raised.kind != SimulatedServiceError.__name__:
        return False  # the end of the recording may be reported in its place
    service = member.services[raised.service_id]
    is_same = getattr(service, "life", None) is raised.life
    return is_same and member.process_of_service(raised.service_id).is_running


def is_report_of(
    error: BaseException, raised: RaisedError, member_id: int, *, is_native: bool
) -> bool:
    """Return whether a member's error is the report of what a callback raised.

    Parameters
    ----------
    error : Exception
        What the member reported.
    raised : RaisedError
    member_id : int
    is_native : bool
        Whether the service is a native one.
    """
    if not isinstance(error, ServiceCallbackError):
        return False
    place = error.callback, error.log_position, error.leadership_term_id, error.member_id
    if place != (raised.callback, raised.log_position, raised.leadership_term_id, member_id):
        return False
    if not error.service.endswith(f"-{raised.service_id}"):
        return False
    if raised.session_id is not None and error.cluster_session_id != raised.session_id:
        return False
    cause = error.__cause__
    if not is_native:
        return (type(cause).__name__, str(cause)) == (raised.kind, raised.text)
    explained = f"{raised.kind}: {raised.text}".encode()[:_LONGEST_TEXT].decode(errors="replace")
    return (
        isinstance(cause, OperationError)
        and cause.code == _FAILED
        and cause.message.endswith(f": {explained}")
    )


class RolesAreRight(Checker):
    """In the end the services of the leader have its role, and those of followers have theirs."""

    def conclude(self, cluster: Cluster) -> None:
        """Compare the last role that each service was notified of."""
        for member in cluster.members:
            if not member.is_running:
                continue
            expected = Role.LEADER if member.is_leading else Role.FOLLOWER
            observed = (each for each in member.services if isinstance(each, ClusteredService))
            for service_id, service in enumerate(observed):
                role = getattr(service, "role", None) or Role.FOLLOWER
                if role is not expected:
                    raise InvariantError(
                        "services are notified of their roles",
                        f"{member}: service {service_id} has the role {role!r}",
                    )
