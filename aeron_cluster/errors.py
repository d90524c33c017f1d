"""All exceptions that the package raises deliberately.

The text and the attributes of each one state what was expected and what was found. Each is a
subclass of :class:`AeronClusterError` and of the matching standard exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypedDict, Unpack

__all__ = [
    "AccessFileError",
    "AeronClusterError",
    "AgentTerminationError",
    "ArchiveError",
    "AuthenticationError",
    "BufferUsageError",
    "CallbackError",
    "CallbackPlace",
    "ClosedError",
    "ClusterError",
    "ConfigurationError",
    "CorruptError",
    "DamagedLogError",
    "DamagedRecordingError",
    "DirectoryInUseError",
    "DivergenceError",
    "DriverTimeoutError",
    "ElectionRestartError",
    "FailedSeedError",
    "ForeignDirectoryError",
    "ForeignMessageError",
    "IgnoredMessageError",
    "InsufficientSpaceError",
    "InvariantError",
    "InvariantViolatedError",
    "LappedError",
    "LeadershipTermError",
    "LogMismatchError",
    "MaxPositionExceededError",
    "MemberError",
    "MemberIdMismatchError",
    "MemberListError",
    "MemberVersionError",
    "MessageError",
    "MissingDeduplicationError",
    "MissingFileError",
    "MissingJavaError",
    "MissingPackageError",
    "ModuleEndedError",
    "NativeServiceError",
    "NondeterminismError",
    "NotReconnectedError",
    "OperationError",
    "OtherServicesError",
    "PayloadError",
    "PersistentSubscriptionError",
    "PersistentSubscriptionReason",
    "PlatformError",
    "PortInUseError",
    "PurgedError",
    "PurgedLogError",
    "RegistrationError",
    "RejectedRequestError",
    "RejectedSenderError",
    "RequestFailedError",
    "RequestsInDoubtError",
    "RowError",
    "RowsRejectedError",
    "SchemaError",
    "SegmentError",
    "ServiceCallbackError",
    "ServiceError",
    "ServiceInvariantError",
    "SessionRejectedError",
    "SnapshotError",
    "StateError",
    "SupersededError",
    "TimeoutExpiredError",
    "UnansweredRequestError",
    "UnknownClientError",
    "UnknownMessageError",
    "UnknownSourceError",
    "UnreachableFileError",
    "UnreadableFileError",
    "UserComponentError",
    "VersionError",
]


class AeronClusterError(Exception):
    """The base class of all exceptions of this package."""


class ConfigurationError(AeronClusterError, ValueError):
    """An option, property or channel URI that is invalid.

    Parameters
    ----------
    name : str
        The option, or the part of the URI.
    expected, found : object
        The accepted values, and the given value.
    hint : str
        The nearest valid spelling or value, if any.
    upstream : str
        Aeron's error text: clients and tools may match it, so the text begins with it.
    """

    def __init__(
        self, name: str, expected: object, found: object, hint: str = "", *, upstream: str = ""
    ) -> None:
        self.name = name
        self.expected = expected
        self.found = found
        self.hint = hint
        text = f"{name}: expected {expected}, found {found!r}"
        text = f"{upstream}: {text}" if upstream else text
        super().__init__(f"{text} ({hint})" if hint else text)


class StreamParameterError(ConfigurationError):
    """A channel's parameter of a stream, such as ``mtu``, that is invalid.

    A driver reports it with the generic error code, as upstream's; other parameters make a channel
    invalid.
    """


class AccessFileError(AeronClusterError, ValueError):
    """A file of users or permissions that is invalid.

    Parameters
    ----------
    path : str
        The file.
    line : int
        The line number, from 1; 0 for the whole file.
    expected, found : str
        The accepted values, and the found value; never a password or its hash.
    """

    def __init__(self, path: str, line: int, expected: str, found: str) -> None:
        self.path = path
        self.line = line
        self.expected = expected
        self.found = found
        where = f"{path} line {line}" if line else path
        super().__init__(f"{where}: expected {expected}, found {found}")


class UnreadableFileError(AccessFileError):
    """A file of users or permissions that is missing, or that this process may not read."""


class CorruptError(AeronClusterError, ValueError):
    """A file or shared buffer with damaged or foreign content.

    Parameters
    ----------
    path : str
        The file or the buffer.
    offset : int
        The offset in the payload, in bytes.
    what : str
        The field or rule.
    expected, found : object
        The value that the format requires, and the value found.
    """

    def __init__(self, path: str, offset: int, what: str, expected: object, found: object) -> None:
        self.path = path
        self.offset = offset
        self.what = what
        self.expected = expected
        self.found = found
        super().__init__(f"{path} at {offset}: {what} {found}, expected {expected}")


class DamagedRecordingError(CorruptError):
    """A recording that its archive cannot replay: a frame is damaged, or a segment missing.

    Parameters
    ----------
    recording_id : int
    position : int
        The position of the frame, in bytes; -1 if the archive does not report it.
    message : str
        The archive's text, with expected and found values and the segment file.
    """

    def __init__(self, recording_id: int, position: int, message: str) -> None:
        super().__init__(f"recording {recording_id}", position, "frame", "an intact one", message)
        self.recording_id = recording_id
        self.position = position
        self.args = (f"recording {recording_id}: {message}",)


class ForeignMessageError(CorruptError):
    """A message of the log for a service, or for an extension, that this member does not have."""


class SegmentError(CorruptError):
    """A part of a recording that cannot be read: damaged, truncated or missing.

    Parameters
    ----------
    recording_id : int
    segment : str
        The segment file.
    offset : int
        The offset in the payload, in bytes.
    what : str
        The field or rule.
    expected, found : object
    resume_position : int
        The position at which reading can continue, in bytes of the stream: a frame begins there.
    """

    def __init__(
        self,
        recording_id: int,
        segment: str,
        offset: int,
        what: str,
        expected: object,
        found: object,
        resume_position: int,
    ) -> None:
        super().__init__(segment, offset, what, expected, found)
        self.recording_id = recording_id
        self.segment = segment
        self.resume_position = resume_position
        self.args = (f"recording {recording_id}: {self.args[0]}",)

    def __reduce__(self) -> tuple[object, ...]:
        return (
            type(self),
            (
                self.recording_id,
                self.segment,
                self.offset,
                self.what,
                str(self.expected),
                str(self.found),
                self.resume_position,
            ),
        )


class PurgedError(AeronClusterError, LookupError):
    """A part of a recording that its archive purged before it was read.

    Parameters
    ----------
    recording_id : int
    position : int
        The position at which reading was to continue, in bytes of the stream.
    start_position : int
        The position at which the recording begins now.
    """

    def __init__(self, recording_id: int, position: int, start_position: int) -> None:
        self.recording_id = recording_id
        self.position = position
        self.start_position = start_position
        super().__init__(
            f"recording {recording_id}: expected position {position}, found that it is purged up "
            f"to {start_position}; on_purge=skip continues there"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.recording_id, self.position, self.start_position)


class UnreachableFileError(AeronClusterError, RuntimeError):
    """A remote file system does not answer: whether the file exists is unknown.

    Parameters
    ----------
    url : str
    found : str
        The error of the file system, or of the network.

    Notes
    -----
    Unlike damage of a file it is not an `OSError`, so that a permissive read does not skip the
    data.
    """

    def __init__(self, url: str, found: str) -> None:
        self.url = url
        self.found = found
        super().__init__(f"{url}: expected an answer of its file system, found {found}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.url, self.found)


class SchemaError(AeronClusterError, ValueError):
    """An invalid schema of payloads.

    Parameters
    ----------
    path : str
        The file.
    where : str
        The place in the schema, such as ``Message.group.field``.
    expected, found : object
    """

    def __init__(self, path: str, where: str, expected: object, found: object) -> None:
        self.path = path
        self.where = where
        self.expected = expected
        self.found = found
        super().__init__(f"{path}: {where}: expected {expected}, found {found}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.path, self.where, str(self.expected), str(self.found)))


class PayloadError(AeronClusterError, ValueError):
    """A payload that its decoder cannot read.

    Parameters
    ----------
    index : int
        The index of the payload in the batch that was decoded.
    offset : int
        The offset in the payload, in bytes.
    what : str
        The message or field.
    expected, found : object
    recording_id, position : int
        The recording of the payload, and the position of its message, in bytes of the stream; -1 if
        unknown.
    segment : str
        The segment file.
    """

    def __init__(
        self,
        index: int,
        offset: int,
        what: str,
        expected: object,
        found: object,
        recording_id: int = -1,
        position: int = -1,
        segment: str = "",
    ) -> None:
        self.index = index
        self.offset = offset
        self.what = what
        self.expected = expected
        self.found = found
        self.recording_id = recording_id
        self.position = position
        self.segment = segment
        where = f"payload {index}"
        if position >= 0:
            where = f"recording {recording_id}: {segment}: payload of position {position}"
        super().__init__(f"{where} at {offset}: {what} {found}, expected {expected}")

    def __reduce__(self) -> tuple[object, ...]:
        return (
            type(self),
            (
                self.index,
                self.offset,
                self.what,
                str(self.expected),
                str(self.found),
                self.recording_id,
                self.position,
                self.segment,
            ),
        )


class RowError(AeronClusterError, ValueError):
    """A row that cannot be written into a cluster.

    Parameters
    ----------
    partition : int
        The index of the partition with the row.
    row : int
        The index of the row in the partition, from 0.
    what : str
        The column or property that is wrong.
    expected, found : object
    hint : str
        The remedy, if known.
    """

    def __init__(
        self, partition: int, row: int, what: str, expected: object, found: object, hint: str = ""
    ) -> None:
        self.partition = partition
        self.row = row
        self.what = what
        self.expected = expected
        self.found = found
        self.hint = hint
        text = f"partition {partition}, row {row}: {what}: expected {expected}, found {found}"
        super().__init__(f"{text} ({hint})" if hint else text)

    def __reduce__(self) -> tuple[object, ...]:
        expected, found = str(self.expected), str(self.found)
        return (type(self), (self.partition, self.row, self.what, expected, found, self.hint))


class VersionError(CorruptError):
    """A file, buffer or message of a version that this build does not support."""


class MessageError(AeronClusterError, ValueError):
    """A message that cannot be encoded or decoded.

    Parameters
    ----------
    message : str
        The message or field, as ``schema.Message.field``.
    expected, found : object
        The value that the schema requires, and the value given or read.
    offset : int
        The offset in the buffer, in bytes; -1 if not applicable.
    """

    def __init__(self, message: str, expected: object, found: object, offset: int = -1) -> None:
        self.message = message
        self.expected = expected
        self.found = found
        self.offset = offset
        where = f" at {offset}" if offset >= 0 else ""
        super().__init__(f"{message}{where}: expected {expected}, found {found!r}")


class UnknownMessageError(MessageError):
    """A message with a schema or template that is unknown or was not requested."""


class IgnoredMessageError(MessageError):
    """A dropped message; the first of each kind is in the member's error log, but not counted."""


class PlatformError(AeronClusterError, OSError):
    """A call to the operating system that failed; ``errno`` and ``filename`` are set."""

    def __init__(self, errno_: int, strerror: str, filename: str | None = None) -> None:
        super().__init__(errno_, strerror, filename)


class MissingFileError(AeronClusterError, FileNotFoundError):
    """A missing file or directory, with the remedy.

    Parameters
    ----------
    path : str
        The file or directory.
    what : str
        The expected content.
    hint : str
        The remedy.
    """

    def __init__(self, path: str, what: str, hint: str) -> None:
        self.path = path
        self.what = what
        self.hint = hint
        super().__init__(f"{path}: expected {what}, found none; {hint}")


class MissingPackageError(AeronClusterError, ImportError):
    """An optional package that is needed here and not installed.

    Parameters
    ----------
    package : str
    extra : str
        The requirement to install, such as ``aeron-cluster[arrow]``.
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"expected the package {package}, found none: pip install '{extra}'", name=package
        )


class MissingJavaError(AeronClusterError, OSError):
    """No Java was found that Spark can use.

    Parameters
    ----------
    min_version : int
    found : str
    """

    def __init__(self, min_version: int, found: str) -> None:
        self.min_version = min_version
        self.found = found
        super().__init__(
            f"expected Java {min_version} or later for Spark, found {found}: install one and "
            "set JAVA_HOME; everything else works without Java"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.min_version, self.found)


class InsufficientSpaceError(PlatformError):
    """Insufficient space: on the disk, in shared memory, or in a table of fixed size."""


class PortInUseError(AeronClusterError, OSError):
    """A port of a node that another process or node already uses.

    Parameters
    ----------
    endpoint : str
        The port, as ``host:port``.
    purpose : str
        The node's use of the port.
    protocol : {"udp", "tcp"}
    remedy : str
    """

    def __init__(
        self,
        endpoint: str,
        purpose: str,
        protocol: str = "udp",
        remedy: str = "choose other ports (--port-base, or aeron.cluster.members)",
    ) -> None:
        self.endpoint = endpoint
        self.purpose = purpose
        super().__init__(f"{endpoint}/{protocol} ({purpose}) is in use: {remedy}")


class DirectoryInUseError(AeronClusterError, RuntimeError):
    """A directory that a live process is using.

    Parameters
    ----------
    path : str
        The directory or its mark file.
    pid : int
        The process id, or 0 if unknown.
    """

    def __init__(self, path: str, pid: int, detail: str = "") -> None:
        self.path = path
        self.pid = pid
        owner = f"process {pid}" if pid > 0 else "a live process"
        super().__init__(f"{path}: in use by {owner}" + (f": {detail}" if detail else ""))


class ForeignDirectoryError(AeronClusterError, PermissionError):
    """The directory belongs to another user; nothing in it was changed.

    Parameters
    ----------
    path : str
        The directory.
    what : str
        The purpose of the directory.
    expected, found : int
        The user of this process, and the directory's owner.
    """

    def __init__(self, path: str, what: str, expected: int, found: int) -> None:
        self.path = path
        self.expected = expected
        self.found = found
        super().__init__(
            f"{what} {path}: expected one of user {expected}, found one of user {found}"
            " in a parent directory that anyone can write to; choose another, or have it removed"
        )


class NativeServiceError(AeronClusterError, ValueError):
    """A native service that cannot be used, because of its library, factory or table.

    Parameters
    ----------
    service : str
        The library and symbol, such as ``/srv/book.so:order_matching``.
    what : str
        The part that does not match.
    expected, found : object
        The supported value, and the value found.
    """

    def __init__(self, service: str, what: str, expected: object, found: object) -> None:
        self.service = service
        self.what = what
        self.expected = expected
        self.found = found
        super().__init__(f"{service}: {what}: expected {expected}, found {found}")


class AgentTerminationError(AeronClusterError):
    """Raised by an agent to end the runner that calls it.

    Parameters
    ----------
    message : str
    is_expected : bool
        Whether the termination was requested, such as by a shutdown of the cluster.
    """

    def __init__(self, message: str = "", *, is_expected: bool = False) -> None:
        self.is_expected = is_expected
        super().__init__(message)


class StateError(AeronClusterError, RuntimeError):
    """A call that the object's state does not allow."""


class ModuleEndedError(StateError, AgentTerminationError):
    """A request of a service to a consensus module that has ended: so does the container.

    It is no failure of the service, and none of a client's request: other members handle the same
    event, and this one handles it again once it has started again.
    """


class OtherServicesError(StateError):
    """A snapshot taken with a different number of services."""


class PurgedLogError(StateError):
    """A log that begins after the position to be read."""


class ConductorServiceTimeoutError(StateError, TimeoutError):
    """A client conductor was not serviced within the client liveness timeout; the client closes.

    Parameters
    ----------
    gap_ns : int
        The time for which it was not serviced, in ns.
    limit_ns : int
        The driver's client liveness timeout, in ns.
    """

    def __init__(self, gap_ns: int, limit_ns: int) -> None:
        self.gap_ns = gap_ns
        self.limit_ns = limit_ns
        super().__init__(
            f"service interval exceeded: timeout={limit_ns / 1e9:.1f}s,"
            f" interval={gap_ns / 1e9:.1f}s of the client conductor, by the driver's client"
            " liveness timeout: the process was stopped, or a callback took too long"
        )


class CallbackError(StateError):
    """A call of a service that is not allowed in the current callback.

    Parameters
    ----------
    call : str
        The call.
    callback : str
        The callback.
    """

    def __init__(self, call: str, callback: str) -> None:
        self.call = call
        self.callback = callback
        super().__init__(f"{call} is not allowed from {callback}")


class LappedError(StateError):
    """A transmitter overwrote messages before the receiver read them: they are lost."""


class ClosedError(StateError):
    """A call on an object that was closed, or inherited over a fork."""


class MaxPositionExceededError(StateError):
    """A stream that has reached its maximum position."""


class BufferUsageError(StateError, BufferError):
    """A view of a message that was used after its callback returned."""


class CallbackExitError(AeronClusterError):
    """A user's callback raised something other than an `Exception`, such as `SystemExit`.

    Parameters
    ----------
    callback : str
    raised : BaseException
    """

    def __init__(self, callback: str, raised: BaseException) -> None:
        self.callback = callback
        self.raised = raised
        super().__init__(
            f"{callback}: expected an Exception or none, found {type(raised).__name__}({raised});"
            " an AgentTerminationError ends its caller"
        )
        self.__cause__ = raised


class UserComponentError(AeronClusterError):
    """A component of the user, such as a cluster clock, raised or returned an invalid value.

    Parameters
    ----------
    component : str
        The kind of component and its class, such as ``cluster clock shop.clocks.MarketClock``.
    call : str
        The called function.
    expected : str
    found : object
        The returned value, or what was raised.
    """

    def __init__(self, component: str, call: str, expected: str, found: object) -> None:
        self.component = component
        self.call = call
        self.expected = expected
        self.found = found
        is_raised = isinstance(found, BaseException)
        text = f"{type(found).__name__}({found})" if is_raised else repr(found)
        super().__init__(f"{component}: {call}: expected {expected}, found {text}")


class ServiceCallbackError(AeronClusterError):
    """A callback of a clustered service raised an exception: its cause and log position.

    Parameters
    ----------
    service : str
        The service.
    callback : str
    log_position : int
        The log position after the event of the callback, in bytes.
    cluster_session_id : int or None
        The session that sent the message, or was opened or closed.
    member_id, leadership_term_id : int
        The member and its term.
    """

    def __init__(
        self,
        service: str,
        callback: str,
        log_position: int,
        cluster_session_id: int | None,
        *,
        member_id: int,
        leadership_term_id: int,
    ) -> None:
        self.service = service
        self.callback = callback
        self.log_position = log_position
        self.cluster_session_id = cluster_session_id
        self.member_id = member_id
        self.leadership_term_id = leadership_term_id
        session = "" if cluster_session_id is None else f", session {cluster_session_id}"
        super().__init__(
            f"{service}: {callback} failed at log position {log_position}{session}, member"
            f" {member_id}, term {leadership_term_id}: fix the service wherever it runs: every"
            f" member receives the same events, and again when it replays the log"
        )


class NondeterminismError(AeronClusterError, RuntimeError):
    """A call in a service's callback whose result is not the same on every member.

    Parameters
    ----------
    call : str
        The name of the called function, such as ``time.time``.
    callback : str
        The callback.
    log_position : int
        The log position after the event of the callback, in bytes; -1 before the first.
    kind : str
        ``clock``, ``randomness``, ``thread`` or ``I/O``.
    """

    def __init__(self, call: str, callback: str, log_position: int, kind: str) -> None:
        self.call = call
        self.callback = callback
        self.log_position = log_position
        self.kind = kind
        super().__init__(
            f"{call} ({kind}) in {callback} at log position {log_position}: expected only"
            " calls with the same result on every member"
        )


class DivergenceError(AeronClusterError, RuntimeError):
    """The effects of a service differ between two runs over the same log, or the logs differ.

    Parameters
    ----------
    service_id : int
    agreed_position : int
        The last position at which they were equal, in bytes of the log.
    position : int
        The first position at which they differ.
    leadership_term_id : int
        The leadership term at that position.
    hashes : dict of str to int
        The hash of each at that position, by the name of the member or run.
    is_of_logs : bool
        Whether the logs differ; otherwise the services' effects differ.
    member_id : int
        The member that was compared with the runs; -1 if members were compared with each other.

    Attributes
    ----------
    remedy : str
        The remedy for an operator.
    """

    def __init__(
        self,
        service_id: int,
        agreed_position: int,
        position: int,
        leadership_term_id: int,
        hashes: dict[str, int],
        *,
        is_of_logs: bool = False,
        member_id: int = -1,
    ) -> None:
        self.service_id = service_id
        self.member_id = member_id
        self.is_of_logs = is_of_logs
        self.agreed_position = agreed_position
        self.position = position
        self.leadership_term_id = leadership_term_id
        self.hashes = hashes
        self.remedy = (
            "aeron-cluster check finds forbidden calls in a service; to repair a single differing"
            " member, start it without its archive and cluster directories"
        )
        found = ", ".join(f"{name} {value:016x}" for name, value in hashes.items())
        what = "log of service" if is_of_logs else "service"
        whose = f"member {member_id}, " if member_id >= 0 else ""
        super().__init__(
            f"{whose}{what} {service_id}: expected identical effects between log positions"
            f" {agreed_position} and {position} (term {leadership_term_id}), found {found};"
            f" {self.remedy}"
        )


class TimeoutExpiredError(AeronClusterError, TimeoutError):
    """A user-facing call that did not finish by its deadline."""


class DriverTimeoutError(TimeoutExpiredError):
    """The media driver is not running, or does not answer."""


class OperationError(AeronClusterError, RuntimeError):
    """A peer answered a request with an error.

    Parameters
    ----------
    message : str
        The peer's error text.
    code : int
        The peer's error code; -1 if the error is local.
    correlation_id : int
        The correlation id of the request, or -1.
    """

    def __init__(self, message: str, code: int = -1, correlation_id: int = -1) -> None:
        self.message = message
        self.code = code
        self.correlation_id = correlation_id
        super().__init__(message if code == -1 else f"{message} (code {code})")


class RegistrationError(OperationError):
    """The media driver rejected a publication, subscription, destination or counter."""


class ArchiveError(OperationError):
    """The archive rejected a session or a request; ``code`` is an ``ArchiveErrorCode``."""


class PersistentSubscriptionReason(Enum):
    """Why a persistent subscription cannot go on.

    Upstream: ``io.aeron.archive.client.PersistentSubscriptionException.Reason``.
    """

    GENERIC = 0
    RECORDING_NOT_FOUND = 1
    STREAM_ID_MISMATCH = 2
    INVALID_START_POSITION = 3


class PersistentSubscriptionError(AeronClusterError, RuntimeError):
    """A persistent subscription that ended: its recording cannot be replayed from its position.

    Parameters
    ----------
    reason : PersistentSubscriptionReason
    message : str
    """

    def __init__(self, reason: PersistentSubscriptionReason, message: str) -> None:
        self.reason = reason
        self.message = message
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.reason, self.message)


class ClusterError(OperationError):
    """The cluster rejected a session or a request."""


class ElectionRestartError(ClusterError):
    """An election begins, or begins again, for a reason that is expected of a cluster.

    It is logged without traceback, and its text begins with ``WARN - ``, as of Aeron's
    ``ClusterEvent``.
    """


class SessionRejectedError(ClusterError):
    """A client was rejected and notified; this is in the member's error log, but not counted."""


class _Place(TypedDict):
    """The member, its term, and its log position in bytes."""

    member_id: int
    leadership_term_id: int
    log_position: int


class MemberError(ClusterError):
    """A permanent problem of one member; the rest of the cluster continues.

    Parameters
    ----------
    condition : str
    member_id : int
    leadership_term_id : int
        The term in which it was detected; -1 if none.
    log_position : int
        The log position at which it was detected, in bytes; -1 if unknown.
    remedy : str
        The remedy for an operator.
    """

    def __init__(
        self,
        condition: str,
        *,
        member_id: int,
        leadership_term_id: int,
        log_position: int,
        remedy: str,
    ) -> None:
        self.condition = condition
        self.member_id = member_id
        self.leadership_term_id = leadership_term_id
        self.log_position = log_position
        self.remedy = remedy
        super().__init__(
            f"member {member_id}, term {leadership_term_id}, log position {log_position}:"
            f" {condition}; {remedy}"
        )


class MemberVersionError(MemberError):
    """A member has an incompatible version of the protocol or of the services."""


class LogMismatchError(MemberError):
    """A member's recording of the log contradicts its recording log or its module.

    Parameters
    ----------
    condition, member_id, leadership_term_id, log_position, remedy
        As for `MemberError`.
    is_damage : bool
        Whether files contradict each other. If not, they are intact, but the number of services
        differs or the needed beginning of the log was purged.
    """

    def __init__(
        self, condition: str, *, remedy: str, is_damage: bool = False, **place: Unpack[_Place]
    ) -> None:
        super().__init__(condition, remedy=remedy, **place)
        self.is_damage = is_damage


class DamagedLogError(LogMismatchError):
    """A member's recording of the log is damaged; the cause has the file and offset."""

    def __init__(self, condition: str, *, remedy: str, **place: Unpack[_Place]) -> None:
        super().__init__(condition, remedy=remedy, is_damage=True, **place)


class LeadershipTermError(MemberError):
    """A term that is implausibly high, for example due to a flipped bit.

    Parameters
    ----------
    where : str
        The source of the term: a file, or a message.
    expected : int
        The highest plausible term.
    found : int
        The claimed term.
    member_id : int
        The source of the term.
    leadership_term_id, log_position : int
        The last term that the rejecting member knows, and its commit position.
    """

    def __init__(
        self,
        where: str,
        expected: int,
        found: int,
        **place: Unpack[_Place],
    ) -> None:
        self.where = where
        self.expected = expected
        self.found = found
        super().__init__(
            f"{where}: expected a term up to {expected}, found {found}",
            remedy="its files are damaged: stop it, and start it from a backup: aeron-cluster"
            " restore BACKUP --dir DIR",
            **place,
        )


class MemberListError(MemberError):
    """A member and its leader have different lists of members, and therefore different majorities.

    Parameters
    ----------
    difference : str
        The members that differ.
    expected, found : str
        The list of the reporting member, and the leader's, in the format of
        ``aeron.cluster.members``.
    leader_member_id : int
    member_id, leadership_term_id, log_position : int
        Those of the reporting member.
    """

    def __init__(
        self,
        difference: str,
        expected: str,
        found: str,
        *,
        leader_member_id: int,
        **place: Unpack[_Place],
    ) -> None:
        self.difference = difference
        self.expected = expected
        self.found = found
        self.leader_member_id = leader_member_id
        super().__init__(
            f"its list of members differs from that of the leader, member {leader_member_id}"
            f" ({difference}): expected {expected}, found {found}",
            remedy="stop all members, and start them with the same aeron.cluster.members:"
            " majorities of different lists may have no common member",
            **place,
        )


class SnapshotError(MemberError):
    """A member's snapshot cannot be loaded; the reason is in the cause."""


class ServiceError(MemberError):
    """A member's services failed to start, or no longer make progress."""


class LostRequestsError(ServiceError):
    """Answered requests of a surviving client that are missing in a member's service.

    Parameters
    ----------
    client_id : int
    first, last : int
        The requests that the client claims: a client other than `SurvivingClient` may claim
        anything.
    service_id : int
    member_id, leadership_term_id, log_position : int
        The log position after the missing requests, where the problem was detected.
    """

    def __init__(
        self,
        client_id: int,
        first: int,
        last: int,
        *,
        service_id: int,
        **place: Unpack[_Place],
    ) -> None:
        self.client_id = client_id
        self.first = first
        self.last = last
        super().__init__(
            f"service {service_id} lacks requests {first} to {last} of surviving client"
            f" {client_id}, which has their answers",
            remedy="its log or a snapshot may be damaged: restore the member, see Damage in"
            " docs/operating.md",
            **place,
        )


class StalledError(MemberError):
    """A member or its service was stalled for longer than its driver's client timeout.

    Parameters
    ----------
    component : str
        The component that ends.
    stalled_ns : int
        The duration, in ns.
    limit_ns : int
        The driver's client liveness timeout, in ns.
    cause : str
        The reason, as far as it is known.
    member_id, leadership_term_id, log_position : int
        The member, its term and its log position.
    """

    def __init__(
        self,
        component: str,
        stalled_ns: int,
        limit_ns: int,
        cause: str,
        **place: Unpack[_Place],
    ) -> None:
        self.stalled_ns = stalled_ns
        self.limit_ns = limit_ns
        super().__init__(
            f"{component} stalled for {stalled_ns / 1e9:.1f} s, and its driver timed it out"
            f" after {limit_ns / 1e9:.1f} s: {cause}",
            remedy="do long work outside of callbacks; to pass this log position, start all"
            " members with"
            " a longer aeron.client.liveness.timeout, and aeron.publication.unblock.timeout above"
            " it, and take a snapshot",
            **place,
        )


class RejectedSenderError(MemberError):
    """Base class: a sender on the consensus stream was rejected.

    Parameters
    ----------
    found : str
        The source address.
    expected : str
        The members that may send the message, or the senders allowed at that address.
    member_id, leadership_term_id, log_position : int
        Those of the rejecting member, at that time.
    """

    _condition: ClassVar[str]
    _remedy: ClassVar[str]

    def __init__(
        self,
        found: str,
        expected: str,
        **place: Unpack[_Place],
    ) -> None:
        self.found = found
        self.expected = expected
        super().__init__(
            self._condition.format(found=found, expected=expected),
            remedy=self._remedy,
            **place,
        )


class UnknownSourceError(RejectedSenderError):
    """A sender on the consensus stream whose host is not a member's.

    The expected hosts are those of the members, with their resolved addresses.
    """

    _condition = "consensus message from {found} rejected: expected a member's host, {expected}"
    _remedy = (
        "give every member the same aeron.cluster.members, the hosts of backups and standbys as"
        " aeron.cluster.consensus.source.hosts, or behind address translation"
        " aeron.cluster.consensus.source.check=false"
    )


class MemberIdMismatchError(RejectedSenderError):
    """A member claims another member's id, or an id that is not in the list of members.

    `member_id` is the claimed id; the expected ids are those of the members at that address, or of
    all members.
    """

    _condition = "consensus message under this id from {found} rejected: expected one of {expected}"
    _remedy = (
        "give every member the same aeron.cluster.members, and each its own"
        " aeron.cluster.member.id in it"
    )


class RejectedRequestError(AeronClusterError):
    """Raised by a service to reject a request; the client receives the reason; not logged."""


class RequestFailedError(ClusterError):
    """A request that the service rejected or failed to handle: it counts as applied.

    Parameters
    ----------
    sequence : int
        The sequence number of the request.
    reason : str
        The service's reason, such as the name of an exception.
    is_rejected : bool, optional
        Whether the service rejected it; None if the service is of a version that does not send
        that.
    """

    def __init__(self, sequence: int, reason: str, is_rejected: bool | None = None) -> None:
        self.sequence = sequence
        self.reason = reason
        self.is_rejected = is_rejected
        if is_rejected is None:
            what = "rejected by the service, or failed there"
        else:
            what = "rejected by the service" if is_rejected else "failed in the service"
        super().__init__(f"request {sequence}: {what}: {reason}")

    @property
    def outcome(self) -> str:
        """``rejected``, or ``failed``, also if that is not known."""
        return "rejected" if self.is_rejected else "failed"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.sequence, self.reason, self.is_rejected))


class RowsRejectedError(ClusterError):
    """Rows that a service rejected or failed to handle; they count as applied, like the others.

    Parameters
    ----------
    count : int
        The number of such rows.
    first : sequence of str
        The first of them, with the service's reasons.
    """

    def __init__(self, count: int, first: Sequence[str]) -> None:
        self.count = count
        self.first = tuple(first)
        super().__init__(f"the service rejected {count} rows: {'; '.join(self.first)}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.count, self.first))


class MissingDeduplicationError(ClusterError, TimeoutError):
    """The cluster's service does not support surviving clients.

    Parameters
    ----------
    timeout_s : float
        How long the client waited for an answer.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        super().__init__(
            f"expected a service that uses Deduplication, found no answer within {timeout_s:g} s;"
            f" promise=offered works with any service, but only offers the rows"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.timeout_s,))


class RequestsInDoubtError(ClusterError):
    """A surviving client that cannot continue, with unanswered requests.

    Parameters
    ----------
    client_id : int
    why : str
    in_doubt : sequence of int
        The requests that were sent and not answered; they may have been applied.
    """

    def __init__(self, client_id: int, why: str, in_doubt: Sequence[int]) -> None:
        self.client_id = client_id
        self.in_doubt = tuple(in_doubt)
        doubt = f"; in doubt: {_ranges(self.in_doubt)}" if self.in_doubt else ""
        super().__init__(f"surviving client {client_id}: {why}{doubt}")


class UnknownClientError(RequestsInDoubtError):
    """The service does not know the client, or lacks requests that it had acknowledged."""


class UnansweredRequestError(RequestsInDoubtError):
    """A request was resent repeatedly without an answer, although the service answers others.

    Parameters
    ----------
    client_id : int
    sequence : int
        The sequence number of the request.
    length : int
        The length of the request, in bytes.
    is_applied : bool
        Whether the service applied the request; then only its answer does not arrive.
    in_doubt : sequence of int
    """

    def __init__(
        self, client_id: int, sequence: int, length: int, is_applied: bool, in_doubt: Sequence[int]
    ) -> None:
        self.sequence = sequence
        self.length = length
        self.is_applied = is_applied
        what = f"request {sequence} of {length} bytes"
        if is_applied:
            why = f"{what} was applied, and its answer never arrives: longer than egress accepts?"
        else:
            why = f"{what} never reaches the service: longer than the cluster's log accepts?"
        super().__init__(client_id, why, in_doubt)


class SupersededError(RequestsInDoubtError):
    """Another process took over the client id."""


class NotReconnectedError(RequestsInDoubtError, TimeoutExpiredError):
    """A surviving client found no leader within its time limit."""


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers in short form: ``3-7, 9``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)


class AuthenticationError(ArchiveError, ClusterError):
    """An archive or a cluster does not accept the client's credentials."""


class InvariantError(AeronClusterError, AssertionError):
    """A violated invariant.

    Parameters
    ----------
    invariant : str
        The invariant.
    found : str
        The contradicting value, and the place.

    Attributes
    ----------
    invariant, found : str
    """

    def __init__(self, invariant: str, found: str) -> None:
        super().__init__(f"{invariant}: {found}")
        self.invariant = invariant
        self.found = found


@dataclass(frozen=True, slots=True)
class CallbackPlace:
    """A place in a clustered service.

    Parameters
    ----------
    service : str
        The class of the service.
    callback : str
    log_position : int
        The log position after the event of the callback, in bytes.
    member_id : int
    path : str
        The source file of the service; empty if unknown.
    line : int
    """

    service: str
    callback: str
    log_position: int
    member_id: int
    path: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f" ({self.path.rpartition('/')[2]}:{self.line})" if self.path else ""
        return f"at log position {self.log_position}, member {self.member_id}{where}"


class ServiceInvariantError(InvariantError):
    """A clustered service violates a rule for services.

    Parameters
    ----------
    invariant : str
    found : str
        The violation and its place.
    place : CallbackPlace
        The place as an object.

    Attributes
    ----------
    place : CallbackPlace
    """

    def __init__(self, invariant: str, found: str, place: CallbackPlace) -> None:
        super().__init__(invariant, found)
        self.place = place


class FailedSeedError(AeronClusterError, AssertionError):
    """A service failed in a simulated cluster.

    Parameters
    ----------
    seed : int
        The seed; the same seed repeats the run.
    invariant : str
        The violated invariant.
    text : str
        The contradicting value, the place, and the command that repeats the run.
    place : CallbackPlace or None
        The place in the service, if known.
    """

    def __init__(self, seed: int, invariant: str, text: str, place: CallbackPlace | None) -> None:
        super().__init__(text)
        self.seed = seed
        self.invariant = invariant
        self.place = place


class InvariantViolatedError(InvariantError, AgentTerminationError):
    """An agent or a client detected that its own state is invalid.

    It ends instead of continuing with that state: the agent is not called again, and its component
    ends as after any other failure. The cause is a defect of this package, or overwritten memory.

    Parameters
    ----------
    invariant : str
        The invariant.
    place : str
        The function that detected the violation.
    value, bound : int
        The value found, and the value with which it was compared.

    Attributes
    ----------
    place : str
    value, bound : int
    is_reported : bool
        Whether an error handler received the error.
    """

    def __init__(self, invariant: str, place: str, value: int, bound: int) -> None:
        super().__init__(invariant, f"found {value}, compared with {bound}, in {place}")
        self.place = place
        self.value = value
        self.bound = bound
        self.is_reported = False
