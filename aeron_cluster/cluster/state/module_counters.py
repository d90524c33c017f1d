"""The counters of a consensus module.

Upstream: ClusterCounters, RecoveryState and the counters of ConsensusModule.Context. Tools and
services find them by type and by the cluster's id in the key.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.client.waiting import await_counter
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import format_duration_ns
from aeron_cluster.errors import DirectoryInUseError
from aeron_cluster.memory.agents.waiting import Waiting
from aeron_cluster.memory.shared.counter_descriptor import MAX_LABEL_LENGTH
from aeron_cluster.memory.system.version import VERSION_TEXT

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.cluster.state.recovery_plan import RecoveryPlan
    from aeron_cluster.config import Configuration

__all__ = [
    "COMMIT_POSITION_TYPE",
    "LEADER_ACTIVITY_TYPE",
    "LOG_START_TYPE",
    "NEXT_SNAPSHOT_TYPE",
    "RECOVERY_TYPE",
    "REJECTED_CONNECTS_TYPE",
    "REJECTED_SOURCES_TYPE",
    "SESSION_TYPE",
    "ModuleCounters",
    "add_recovery_counter",
    "heartbeat_timeout_of",
    "leader_activity_key",
    "session_counter_key",
    "session_counter_label",
]

MODULE_STATE_TYPE: Final = 200
NODE_ROLE_TYPE: Final = 201
CONTROL_TOGGLE_TYPE: Final = 202
COMMIT_POSITION_TYPE: Final = 203
RECOVERY_TYPE: Final = 204
SNAPSHOT_COUNT_TYPE: Final = 205
ELECTION_STATE_TYPE: Final = 207
ERRORS_TYPE: Final = 212
TIMED_OUT_CLIENTS_TYPE: Final = 213
MAX_CYCLE_TIME_TYPE: Final = 216
CYCLE_TIME_EXCEEDED_TYPE: Final = 217
STANDBY_SNAPSHOTS_TYPE: Final = 232
NODE_TOGGLE_TYPE: Final = 233
MAX_SNAPSHOT_DURATION_TYPE: Final = 234
SNAPSHOT_DURATION_EXCEEDED_TYPE: Final = 235
ELECTION_COUNT_TYPE: Final = 238
LEADERSHIP_TERM_ID_TYPE: Final = 239
SESSION_TYPE: Final = 241
# Our own type ids: those of Aeron end at 999.
REJECTED_CONNECTS_TYPE: Final = 1200
REJECTED_SOURCES_TYPE: Final = 1201
NEXT_SNAPSHOT_TYPE: Final = 1202
"""ms since 1970; -1 if this member is not the leader."""
LOG_START_TYPE: Final = 1203
LEADER_ACTIVITY_TYPE: Final = 1204
"""ms since 1970; -1 if this member does not follow a leader."""

_LEADER_ACTIVITY_KEY: Final = struct.Struct("<iq")


class ModuleCounters(NamedTuple):
    """The counters of one module, all closed with its client."""

    module_state: Counter
    node_role: Counter
    control_toggle: Counter
    commit_position: Counter
    snapshot_count: Counter
    election_state: Counter
    errors: Counter
    timed_out_clients: Counter
    max_cycle_time: Counter
    cycle_exceeded: Counter
    node_toggle: Counter
    max_snapshot_duration: Counter
    snapshot_duration_exceeded: Counter
    election_count: Counter
    leadership_term_id: Counter
    rejected_connects: Counter
    rejected_sources: Counter
    leader_activity: Counter
    standby_snapshots: Counter | None = None
    """Only if standbys' snapshots are accepted."""
    next_snapshot: Counter | None = None
    """Only if snapshots are scheduled."""
    log_start: Counter | None = None
    """Only if old snapshots, and the log before them, are purged."""

    @classmethod
    def add(cls, options: Configuration, cluster_dir: str, aeron: Aeron) -> Waiting[ModuleCounters]:
        """Request all counters from the driver.

        Raises
        ------
        DirectoryInUseError
            A module with the same cluster id is active on the driver.
        """
        cluster_id = options.cluster_id
        key = struct.pack("<i", cluster_id)
        for found in aeron.counters_reader.counters(MODULE_STATE_TYPE):
            if found.key[:4] == key:
                raise DirectoryInUseError(
                    cluster_dir,
                    0,
                    f"a consensus module with clusterId={cluster_id} is running on the driver",
                )

        def label(name: str, end: str = "") -> str:
            return f"{name} - clusterId={cluster_id}{end}"

        cycle = format_duration_ns(options.cycle_threshold_ns)
        snapshot = format_duration_ns(options.total_snapshot_threshold_ns)
        added = []
        for type_id, text in (
            (MODULE_STATE_TYPE, label("Consensus Module state")),
            (NODE_ROLE_TYPE, label("Cluster node role")),
            (CONTROL_TOGGLE_TYPE, label("Cluster control toggle")),
            (COMMIT_POSITION_TYPE, label("Cluster commit-pos:")),
            (SNAPSHOT_COUNT_TYPE, label("Cluster snapshot count")),
            (ELECTION_STATE_TYPE, label("Cluster election state")),
            (ERRORS_TYPE, label("Cluster Errors", f" {VERSION_TEXT}")),
            (TIMED_OUT_CLIENTS_TYPE, label("Cluster timed out client count")),
            (MAX_CYCLE_TIME_TYPE, label("Cluster max cycle time in ns")),
            (
                CYCLE_TIME_EXCEEDED_TYPE,
                label(f"Cluster work cycle time exceeded count: threshold={cycle}"),
            ),
            (NODE_TOGGLE_TYPE, label("Node control toggle")),
            (MAX_SNAPSHOT_DURATION_TYPE, label("Total max snapshot duration in ns")),
            (
                SNAPSHOT_DURATION_EXCEEDED_TYPE,
                label(f"Total max snapshot duration exceeded count: threshold={snapshot}"),
            ),
            (ELECTION_COUNT_TYPE, label("Cluster election count")),
            (LEADERSHIP_TERM_ID_TYPE, label("Cluster leadership term id")),
            (REJECTED_CONNECTS_TYPE, label("Cluster connect requests rejected without a response")),
            (REJECTED_SOURCES_TYPE, label("Cluster consensus messages rejected by source")),
        ):
            added.append((yield from await_counter(aeron, type_id, text, key)))
        heartbeat_ns = options.leader_heartbeat_timeout_ns
        name = f"Cluster leader's last message in ms: timeout={format_duration_ns(heartbeat_ns)}"
        added.append(
            (
                yield from await_counter(
                    aeron,
                    LEADER_ACTIVITY_TYPE,
                    label(name),
                    leader_activity_key(cluster_id, heartbeat_ns),
                )
            )
        )
        requested: dict[str, Counter] = {}
        for is_wanted, field, type_id, name in (
            (
                options.accept_standby_snapshots,
                "standby_snapshots",
                STANDBY_SNAPSHOTS_TYPE,
                "Cluster standby snapshots received",
            ),
            (
                options.snapshot_interval_ns,
                "next_snapshot",
                NEXT_SNAPSHOT_TYPE,
                "Cluster next snapshot deadline in ms",
            ),
            (
                options.snapshots_kept,
                "log_start",
                LOG_START_TYPE,
                "Cluster log start position",
            ),
        ):
            if is_wanted:
                requested[field] = yield from await_counter(aeron, type_id, label(name), key)
        counters = cls(*added, **requested)
        counters.leadership_term_id.set(NULL_VALUE)
        counters.leader_activity.set(NULL_VALUE)
        return counters


def add_recovery_counter(cluster_id: int, aeron: Aeron, plan: RecoveryPlan) -> Waiting[Counter]:
    """Add the counter that notifies the services of their snapshots, until all have loaded."""
    snapshot = plan.snapshot
    services = [entry.recording_id for entry in plan.snapshots[1:]]
    term_id = snapshot.leadership_term_id if snapshot else NULL_VALUE
    timestamp = snapshot.timestamp if snapshot else 0
    position = plan.snapshot_position
    key = struct.pack("<qqqii", term_id, position, timestamp, cluster_id, len(services))
    key += struct.pack(f"<{len(services)}q", *services)
    label = (
        f"Cluster recovery: leadershipTermId={term_id} logPosition={position}"
        f" clusterId={cluster_id}"
    )
    return await_counter(aeron, RECOVERY_TYPE, label, key)


def leader_activity_key(cluster_id: int, heartbeat_timeout_ns: int) -> bytes:
    """Return the key of the counter of the leader's last message: it has the timeout."""
    return _LEADER_ACTIVITY_KEY.pack(cluster_id, heartbeat_timeout_ns)


def heartbeat_timeout_of(key: bytes) -> int:
    """Return the leader heartbeat timeout of a member, in ns, by the key of that counter."""
    return int(_LEADER_ACTIVITY_KEY.unpack_from(key)[1])


def session_counter_key(cluster_id: int, cluster_session_id: int) -> bytes:
    """Return the key of a session's counter."""
    return struct.pack("<iq", cluster_id, cluster_session_id)


def session_counter_label(cluster_id: int, about: str) -> str:
    """Return the label of a session's counter, cut to what fits."""
    begin, end = "cluster-session: ", f" - clusterId={cluster_id}"
    return begin + about[: MAX_LABEL_LENGTH - len(begin) - len(end)] + end
