"""What members show when nothing is under way: counters and mark files, compared with the model.

One leads, in the last term of the log, and all others follow it; the leader shows a counter for
each session that is open, and none for another; all show where their log starts after a purge; mark
files name their owner, and are as young as an owner that lives keeps them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import read_log_start
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = [
    "MembersAreAtRest",
    "PlainMark",
    "check_counters",
    "check_log_start",
    "check_mark",
    "check_session_counters",
    "read_mark",
]

_CLUSTER: Final = f"{DIRECTORY}/cluster"
_NS_PER_MS: Final = 1_000_000
_FIRST_TYPE: Final = 200
_STATE: Final = 200
_ROLE: Final = 201
_TOGGLE: Final = 202
_ELECTION: Final = 207
_NODE_TOGGLE: Final = 233
_ELECTIONS: Final = 238
_TERM: Final = 239
_SESSION: Final = 241
_LOG_START: Final = 1203
_SESSION_KEY: Final = struct.Struct("<iq")

_ACTIVE: Final = 1
_SNAPSHOT_STATE: Final = 3
_FOLLOWER: Final = 0
_LEADER: Final = 2
_INACTIVE: Final = 0
_NEUTRAL: Final = 1
_SNAPSHOT_TOGGLE: Final = 4
_NO_ELECTION: Final = 17

_MARK: Final = struct.Struct("<iiqqqqiiiiiiiii")
_MARK_OFFSET: Final = 8
_VERSION: Final = 768
_OF_MODULE: Final = 1
_OF_CONTAINER: Final = 2
_LATEST_MS: Final = 2_500  # a mark is made once a second
_PURGE_NS: Final = 1_000_000_000  # longer than it takes to see that a purge is done
_UNKNOWN: Final = -1


class PlainMark(NamedTuple):
    """The fields of a mark file."""

    version: int
    component: int
    activity_ms: int
    start_ms: int
    pid: int
    candidate_term_id: int
    archive_stream_id: int
    service_stream_id: int
    module_stream_id: int
    ingress_stream_id: int
    member_id: int
    service_id: int
    header_length: int
    error_length: int
    cluster_id: int


class MembersAreAtRest(DiskChecker):
    """Counters and mark files of members are those of the log's last term.

    Parameters
    ----------
    followed : MembersFollowTheModel
        Has the model; it concludes before this one.
    disks : DiskCopies, optional
        That others look at, too.
    """

    def __init__(self, followed: MembersFollowTheModel, disks: DiskCopies | None = None) -> None:
        super().__init__(disks)
        self._followed = followed

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        model = self._followed.model
        if model is None or not model.terms or not all(each.is_running for each in cluster.members):
            return
        is_scheduled = "snapshot_interval_ns" in cluster.options.get("consensus_module", {})
        last = model.terms[-1]
        for member in cluster.members:
            counters, sessions = _counters_of(member)
            name = f"member {member.member_id}"
            leads = member.member_id == last.leader_id
            check_counters(
                name, counters, last.term_id, is_leader=leads, may_take_snapshots=is_scheduled
            )
            if leads:
                check_session_counters(name, sessions, model.sessions)
            self._check_log_start(cluster, member)
            disk = self._disks.of(member)
            now_ms = member.machine.clock.epoch_nanos() // _NS_PER_MS
            if disk is not None:
                self._check_marks(disk, member.member_id, len(cluster.journals), now_ms)

    def _check_log_start(self, cluster: Cluster, member: Member) -> None:
        for is_last in (False, True):
            shown = _counters_of(member)[0].get(_LOG_START, _UNKNOWN)
            disk = self._disks.of(member)
            start = 0 if disk is None else read_log_start(disk, DIRECTORY)
            if shown in (_UNKNOWN, start) or is_last:
                check_log_start(f"member {member.member_id}", shown, start)
                return
            cluster.run_for(_PURGE_NS)

    @staticmethod
    def _check_marks(disk: MemoryFiles, member_id: int, service_count: int, now_ms: int) -> None:
        name = f"member {member_id}"
        mark = read_mark(disk, f"{_CLUSTER}/cluster-mark.dat")
        check_mark(name, mark, _OF_MODULE, member_id, -1, now_ms)
        for service_id in range(service_count):
            mark = read_mark(disk, f"{_CLUSTER}/cluster-mark-service-{service_id}.dat")
            where = f"{name}, service {service_id}"
            check_mark(where, mark, _OF_CONTAINER, member_id, service_id, now_ms)


def _counters_of(member: Member) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Return a member's counters by type, and session id by key and value of those of sessions."""
    node = member.node
    driver = node.driver if node is not None else member.processes[0].part
    counters: dict[int, int] = {}
    sessions = []
    found = driver.counters.counters()  # type: ignore[union-attr]
    for each in found:
        if each.type_id == _SESSION:
            _, session_id = _SESSION_KEY.unpack_from(each.key)
            sessions.append((session_id, each.value))
        elif each.type_id >= _FIRST_TYPE:
            counters[each.type_id] = each.value
    return counters, sessions


def check_counters(
    name: str,
    counters: Mapping[int, int],
    term_id: int,
    *,
    is_leader: bool,
    may_take_snapshots: bool = False,
) -> None:
    """Check the counters of a member's module.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    counters : mapping of int to int
        By type.
    term_id : int
        The last term of the log.
    is_leader : bool
        Whether it leads in that.
    may_take_snapshots : bool
        Whether it may just be taking one.

    Raises
    ------
    InvariantError
        One has another value, or is not there.
    """
    snapshot = may_take_snapshots
    expected = {
        _STATE: (_ACTIVE, _SNAPSHOT_STATE) if snapshot else (_ACTIVE,),
        _ROLE: (_LEADER,) if is_leader else (_FOLLOWER,),
        _TOGGLE: (_INACTIVE,)
        if not is_leader
        else (_NEUTRAL, _SNAPSHOT_TOGGLE)
        if snapshot
        else (_NEUTRAL,),
        _ELECTION: (_NO_ELECTION,),
        _NODE_TOGGLE: (_NEUTRAL,),
        _TERM: (term_id,),
    }
    for type_id, values in expected.items():
        value = counters.get(type_id)
        if value not in values:
            raise InvariantError(
                "counters are those of the last term",
                f"{name}: {value} of type {type_id}, expected {values}, in term {term_id}",
            )
    if counters.get(_ELECTIONS, 0) < 1:
        raise InvariantError("elections are counted", f"{name}: {counters.get(_ELECTIONS)}")


def check_session_counters(
    name: str, counters: Iterable[tuple[int, int]], sessions: Iterable[int]
) -> None:
    """Check that a leader has a counter for each session that is open.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    counters : iterable of tuple
        The session of the key, and the value; -1 of what is no client's session.
    sessions : iterable of int
        That are open.

    Raises
    ------
    InvariantError
        One is missing, or of another session than it shows.
    """
    shown = [each for each in counters if each[0] > 0]
    found = sorted(session_id for session_id, _ in shown)
    if found != sorted(sessions):
        raise InvariantError(
            "sessions have counters", f"{name}: {found}, open are {sorted(sessions)}"
        )
    wrong = [each for each in shown if each[1] != each[0]]
    if wrong:
        raise InvariantError("sessions have counters", f"{name}: {wrong}")


def check_log_start(name: str, shown: int, start: int) -> None:
    """Check the counter of the position up to which the log was purged.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    shown : int
        Its value, in bytes; -1 before the first purge since the member's start.
    start : int
        Where the recording of the log starts, in bytes.

    Raises
    ------
    InvariantError
        It shows another position.
    """
    if shown not in (_UNKNOWN, start):
        raise InvariantError(
            "members show where their log starts", f"{name}: {shown}, expected {start}"
        )


def read_mark(disk: MemoryFiles, path: str) -> PlainMark:
    """Return the fields of a mark file."""
    with disk.open(path) as file:
        data = file.read_at(_MARK_OFFSET + _MARK.size, 0)
    return PlainMark(*_MARK.unpack_from(data, _MARK_OFFSET))


def check_mark(
    name: str, mark: PlainMark, component: int, member_id: int, service_id: int, now_ms: int
) -> None:
    """Check a mark file of a component that lives.

    Raises
    ------
    InvariantError
        It is of another one, or not as young as it should be.
    """
    found = mark.version, mark.component, mark.member_id, mark.service_id
    expected = _VERSION, component, member_id, service_id
    if found != expected:
        raise InvariantError("mark files name their owner", f"{name}: {mark}, expected {expected}")
    if not now_ms - _LATEST_MS <= mark.activity_ms <= now_ms:
        raise InvariantError("mark files are young", f"{name}: {mark}, at {now_ms}")
