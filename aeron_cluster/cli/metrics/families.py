"""The metric of each counter of a driver, an archive or a cluster.

Names, units and labels are listed in ``docs/metrics.md``: units are seconds and bytes, and names of
monotonic counters end in ``_total``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE
from aeron_cluster.cluster.state.module_counters import COMMIT_POSITION_TYPE, SESSION_TYPE
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.shared.stream_counters import stream_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["FAMILIES", "Family", "Kind", "Sample", "samples"]

_NS: Final = 1e-9
_MS: Final = 1e-3
_I32: Final = struct.Struct("<i")
_I64: Final = struct.Struct("<q")
_SERVICE_KEY: Final = struct.Struct("<ii")  # cluster id, service id
_RECORDING_KEY: Final = struct.Struct("<qii")  # recording id, session id, length of the source


class Kind(Enum):
    """The type of a metric, with Prometheus's name."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class _Of(Enum):
    """The object that a counter belongs to, which determines where its labels are.

    The value has the names of the labels. It is no tuple: CPython 3.11.2, of Debian 12, has an
    ``object()`` in place of an empty one.
    """

    DRIVER = ""
    STREAM = "channel stream session registration"
    CHANNEL = "channel"
    ARCHIVE = "archive"
    ARCHIVE_AGENT = "archive agent"
    RECORDING = "archive recording session"
    CLUSTER = "member cluster"
    SERVICE = "member cluster service"
    UNKNOWN = "type counter label"


@dataclass(frozen=True, slots=True)
class Family:
    """A metric.

    Parameters
    ----------
    name : str
        The name without ``_total``.
    kind : Kind
    help_text : str
    of : _Of
    factor : float
        The factor from the counter's unit to the metric's.
    """

    name: str
    kind: Kind
    help_text: str
    of: _Of
    factor: float = 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its labels."""
        return tuple(self.of.value.split())

    @property
    def exported_name(self) -> str:
        """The name of the metric's samples."""
        return f"{self.name}_total" if self.kind is Kind.COUNTER else self.name


@dataclass(frozen=True, slots=True)
class Sample:
    """A value of a metric.

    Parameters
    ----------
    family : Family
    labels : tuple of str
        The values of the family's labels.
    value : float
    """

    family: Family
    labels: tuple[str, ...]
    value: float


# ---- of the driver itself ----

_DRIVER_GAUGES: Final = {
    SystemCounter.SYSTEM_CONTROLLABLE_IDLE_STRATEGY: "",
    SystemCounter.SYSTEM_AERON_VERSION: "",
    SystemCounter.SYSTEM_BYTES_CURRENTLY_MAPPED: "",
    SystemCounter.SYSTEM_CONTROL_PROTOCOL_VERSION: "",
}


def _system_family(counter: SystemCounter) -> Family:
    name = counter.name.removeprefix("SYSTEM_").lower()
    text = f"{name.replace('_', ' ').capitalize()}."
    if name.endswith(("max_cycle_time", "max_time")):
        return Family(f"aeron_driver_{name}_seconds", Kind.GAUGE, text, _Of.DRIVER, _NS)
    kind = Kind.GAUGE if counter in _DRIVER_GAUGES else Kind.COUNTER
    return Family(f"aeron_driver_{name}", kind, text, _Of.DRIVER)


_SYSTEM: Final = {
    counter.value: _system_family(counter)
    for counter in SystemCounter
    if counter is not SystemCounter.SYSTEM_COUNTER_COUNT
}


# ---- counters of streams, archives and clusters, by type ----


def _stream(name: str, text: str, kind: Kind = Kind.GAUGE) -> Family:
    return Family(f"aeron_driver_{name}", kind, text, _Of.STREAM)


def _archive(name: str, text: str, kind: Kind, of: _Of = _Of.ARCHIVE, factor: float = 1) -> Family:
    return Family(f"aeron_archive_{name}", kind, text, of, factor)


def _cluster(name: str, text: str, kind: Kind, of: _Of = _Of.CLUSTER, factor: float = 1) -> Family:
    return Family(f"aeron_cluster_{name}", kind, text, of, factor)


_C, _G = Kind.COUNTER, Kind.GAUGE
_BY_TYPE: Final[dict[int, Family]] = {
    CounterType.COUNTER_TYPE_PUBLISHER_LIMIT: _stream(
        "publisher_limit_bytes", "The first position that may not be published yet."
    ),
    CounterType.COUNTER_TYPE_SENDER_POSITION: _stream(
        "sender_position_bytes", "The position that was sent."
    ),
    CounterType.COUNTER_TYPE_RECEIVER_HWM: _stream(
        "receiver_hwm_bytes", "The highest position that was received."
    ),
    CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION: _stream(
        "subscriber_position_bytes", "The position that a subscriber has read."
    ),
    CounterType.COUNTER_TYPE_RECEIVER_POSITION: _stream(
        "receiver_position_bytes", "The position up to which a stream was received without gaps."
    ),
    CounterType.COUNTER_TYPE_SENDER_LIMIT: _stream(
        "sender_limit_bytes", "The first position that may not be sent yet."
    ),
    CounterType.COUNTER_TYPE_PUBLISHER_POSITION: _stream(
        "publisher_position_bytes", "The published position when the conductor last read it."
    ),
    CounterType.COUNTER_TYPE_SENDER_BACK_PRESSURE: _stream(
        "sender_back_pressure", "How often flow control stopped the sender.", _C
    ),
    CounterType.COUNTER_TYPE_SENDER_NAKS_RECEIVED: _stream(
        "sender_naks_received", "Received requests for retransmission.", _C
    ),
    CounterType.COUNTER_TYPE_RECEIVER_NAKS_SENT: _stream(
        "receiver_naks_sent", "Sent requests for retransmission.", _C
    ),
    CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS: Family(
        "aeron_driver_send_channel_status",
        _G,
        "-1 errored, 0 initializing, 1 active, 2 closing.",
        _Of.CHANNEL,
    ),
    CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS: Family(
        "aeron_driver_receive_channel_status",
        _G,
        "-1 errored, 0 initializing, 1 active, 2 closing.",
        _Of.CHANNEL,
    ),
    POSITION_COUNTER_TYPE: _archive(
        "recording_position_bytes", "The recorded position.", _G, _Of.RECORDING
    ),
    101: _archive("errors", "Errors of the archive.", _C),
    102: _archive("control_sessions", "Open sessions of clients.", _G),
    103: _archive("max_cycle_time_seconds", "The longest duty cycle.", _G, _Of.ARCHIVE_AGENT, _NS),
    104: _archive(
        "cycle_time_exceeded", "Duty cycles longer than the threshold.", _C, _Of.ARCHIVE_AGENT
    ),
    105: _archive("max_write_seconds", "The longest write of the recorder.", _G, factor=_NS),
    106: _archive("write_bytes", "Bytes that the recorder wrote.", _C),
    107: _archive("write_seconds", "The total time of writes.", _C, factor=_NS),
    108: _archive("max_read_seconds", "The longest read of the replayer.", _G, factor=_NS),
    109: _archive("read_bytes", "Bytes that the replayer read.", _C),
    110: _archive("read_seconds", "The total time of reads.", _C, factor=_NS),
    111: _archive("recording_sessions", "Active recordings.", _G),
    112: _archive("replay_sessions", "Active replays.", _G),
    200: _cluster(
        "module_state",
        "0 init, 1 active, 2 suspended, 3 snapshot, 4 quitting, 5 terminating, 6 closed.",
        _G,
    ),
    201: _cluster("role", "0 follower, 1 candidate, 2 leader.", _G),
    202: _cluster("control_toggle", "The pending request to the cluster; 1 none.", _G),
    203: _cluster("commit_position_bytes", "The committed position of the log.", _G),
    205: _cluster("snapshots", "Snapshots that were taken.", _C),
    207: _cluster("election_state", "The state of the election; 17 if none runs.", _G),
    208: _cluster("backup_state", "The state of the backup.", _G),
    209: _cluster("backup_log_position_bytes", "The position of the backup's log.", _G),
    210: _cluster(
        "backup_next_query_timestamp_seconds",
        "When the backup queries next, in seconds since 1970.",
        _G,
        factor=_MS,
    ),
    211: _cluster("backup_errors", "Errors of the backup.", _C),
    212: _cluster("errors", "Errors of the consensus module.", _C),
    213: _cluster("timed_out_clients", "Sessions that timed out.", _C),
    215: _cluster("service_errors", "Errors of the service's container.", _C, _Of.SERVICE),
    216: _cluster("max_cycle_time_seconds", "The longest duty cycle.", _G, factor=_NS),
    217: _cluster("cycle_time_exceeded", "Duty cycles longer than the threshold.", _C),
    218: _cluster(
        "service_max_cycle_time_seconds",
        "The longest duty cycle of the service's container.",
        _G,
        _Of.SERVICE,
        _NS,
    ),
    219: _cluster(
        "service_cycle_time_exceeded",
        "Duty cycles of the service's container that were longer than the threshold.",
        _C,
        _Of.SERVICE,
    ),
    232: _cluster("standby_snapshots", "Snapshots received from standbys.", _C),
    233: _cluster("node_toggle", "The pending request to the node; 1 none.", _G),
    234: _cluster("max_snapshot_duration_seconds", "The longest snapshot.", _G, factor=_NS),
    235: _cluster("snapshot_duration_exceeded", "Snapshots longer than the threshold.", _C),
    236: _cluster(
        "service_max_snapshot_duration_seconds",
        "The longest snapshot of the service.",
        _G,
        _Of.SERVICE,
        _NS,
    ),
    237: _cluster(
        "service_snapshot_duration_exceeded",
        "Snapshots of the service that were longer than the threshold.",
        _C,
        _Of.SERVICE,
    ),
    238: _cluster("elections", "Elections that this member took part in.", _C),
    239: _cluster("leadership_term", "The leadership term; -1 before the first.", _G),
    240: _cluster("backup_snapshots_retrieved", "Snapshots that the backup retrieved.", _C),
    1200: _cluster("rejected_connects", "Requests to connect that were not answered.", _C),
    1201: _cluster("rejected_sources", "Rejected consensus messages of other hosts.", _C),
    1202: _cluster(
        "next_snapshot_timestamp_seconds",
        "When the next snapshot is due, in seconds since 1970.",
        _G,
        factor=_MS,
    ),
    1203: _cluster("log_start_position_bytes", "The start position of the log.", _G),
    1204: _cluster(
        "leader_activity_timestamp_seconds",
        "When a follower received the last message of its leader, in seconds since 1970.",
        _G,
        factor=_MS,
    ),
}
_CLIENTS: Final = Family("aeron_driver_clients", _G, "Clients of the driver.", _Of.DRIVER)
_SESSIONS: Final = _cluster("sessions", "Open sessions of clients.", _G)
_UNKNOWN: Final = Family(
    "aeron_counter", _G, "A counter without its own metric, such as a user's.", _Of.UNKNOWN
)
# Counters whose value is a text, or part of another metric.
_NOT_EXPORTED: Final = frozenset(
    (
        CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS,
        CounterType.COUNTER_TYPE_PER_IMAGE,
        113,  # one for each session of a client of the archive
        204,  # a recovery; its positions are in the key
    )
)

FAMILIES: Final = (
    *_SYSTEM.values(),
    _CLIENTS,
    *_BY_TYPE.values(),
    _SESSIONS,
    _UNKNOWN,
)
"""All metrics of counters."""


def samples(counters: Iterable[CounterDescriptor], member: str = "") -> Iterator[Sample]:
    """Return the values of metrics, for the counters of a driver.

    Parameters
    ----------
    counters : iterable of CounterDescriptor
        The counters in any order; sessions and clients are only counted.
    member : str
        The member's id; it is not in the keys of a cluster's counters.
    """
    seen = set()
    for sample in _samples(counters, member):
        # Keys truncate long channels: two samples may have equal labels, which Prometheus rejects.
        identity = (sample.family.name, sample.labels)
        if identity not in seen:
            seen.add(identity)
            yield sample


def _samples(counters: Iterable[CounterDescriptor], member: str) -> Iterator[Sample]:
    clients = 0
    sessions: dict[str, int] = {}
    for counter in counters:
        if counter.type_id == CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT:
            clients += 1
        elif counter.type_id == SESSION_TYPE:
            cluster = _text_of(_I32, counter.key)
            sessions[cluster] = sessions.get(cluster, 0) + 1
        elif counter.type_id == CounterType.COUNTER_TYPE_SYSTEM:
            family = _SYSTEM.get(_I32.unpack_from(counter.key)[0])
            if family is not None:
                yield Sample(family, (), counter.value * family.factor)
        elif counter.type_id not in _NOT_EXPORTED:
            family = _BY_TYPE.get(counter.type_id, _UNKNOWN)
            if counter.type_id == COMMIT_POSITION_TYPE:  # a consensus module is running
                sessions.setdefault(_text_of(_I32, counter.key), 0)
            labels = _labels(family.of, counter, member)
            yield Sample(family, labels, counter.value * family.factor)
    yield Sample(_CLIENTS, (), clients)
    for cluster, count in sessions.items():
        yield Sample(_SESSIONS, (member, cluster), count)


def _text_of(form: struct.Struct, key: bytes) -> str:
    return str(form.unpack_from(key)[0])


def _labels(of: _Of, counter: CounterDescriptor, member: str) -> tuple[str, ...]:
    match of:
        case _Of.STREAM:
            registration_id, (session, stream, channel) = stream_key(counter)
            return (channel, str(stream), str(session), str(registration_id))
        case _Of.CHANNEL:
            (length,) = _I32.unpack_from(counter.key)
            return (counter.key[_I32.size : _I32.size + max(0, length)].decode("ascii", "replace"),)
        case _Of.ARCHIVE:
            return (_text_of(_I64, counter.key),)
        case _Of.ARCHIVE_AGENT:
            return (_text_of(_I64, counter.key), counter.label.partition(" ")[0])
        case _Of.RECORDING:
            return _recording_labels(counter.key)
        case _Of.CLUSTER:
            return (member, _text_of(_I32, counter.key))
        case _Of.SERVICE:
            cluster, service = _SERVICE_KEY.unpack_from(counter.key)
            return (member, str(cluster), str(service))
        case _:
            return (str(counter.type_id), str(counter.counter_id), counter.label)


def _recording_labels(key: bytes) -> tuple[str, ...]:
    recording, session, length = _RECORDING_KEY.unpack_from(key)
    end = _RECORDING_KEY.size + max(0, length)
    archive = str(_I64.unpack_from(key, end)[0]) if end + _I64.size <= len(key) else ""
    return (archive, str(recording), str(session))
