"""Read the commands of clients, with every length checked.

``io.aeron.driver.ClientCommandAdapter`` and the flyweights of ``io.aeron.command``.

A command comes from another process, and is not trusted. An invalid one raises
`MalformedCommandError`, which has the correlation id if that is readable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from aeron_cluster.errors import OperationError
from aeron_cluster.memory.shared.commands import Command, ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "AddCounter",
    "AddDestination",
    "AddPublication",
    "AddReceiveDestination",
    "AddStaticCounter",
    "AddSubscription",
    "ClientClose",
    "ClientCommand",
    "ClientKeepalive",
    "CommandError",
    "GetNextAvailableSessionId",
    "MalformedCommandError",
    "RejectImage",
    "RemoveCounter",
    "RemoveDestination",
    "RemoveDestinationById",
    "RemovePublication",
    "RemoveReceiveDestination",
    "RemoveSubscription",
    "TerminateDriver",
    "decode",
]

MAX_REASON_LENGTH: Final = 1023
_REVOKE: Final = 1


class CommandError(OperationError):
    """A command that the driver rejects; the code is one of the control protocol."""


class ChannelClosingError(CommandError):
    """A command that cannot be executed until the other agents have released a channel.

    Parameters
    ----------
    channel : str
        The URI of the channel.
    """

    def __init__(self, channel: str) -> None:
        super().__init__(
            f"{channel}: is being closed, try again",
            ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE,
        )


class MalformedCommandError(CommandError):
    """A command that cannot be read.

    Parameters
    ----------
    what : str
        The command and its field.
    expected, found : object
        What the protocol requires, and what was found.
    correlation_id : int
        The command's correlation id, or 0 if it is too short to have one.
    """

    def __init__(self, what: str, expected: object, found: object, correlation_id: int = 0) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        super().__init__(
            f"{what}: expected {expected}, found {found}",
            ErrorCode.ERROR_MALFORMED_COMMAND,
            correlation_id,
        )


class AddPublication(NamedTuple):
    """Publish a stream on a channel."""

    client_id: int
    correlation_id: int
    stream_id: int
    channel: str
    is_exclusive: bool


class RemovePublication(NamedTuple):
    """Release one reference to a publication."""

    client_id: int
    correlation_id: int
    registration_id: int
    revoke: bool


class AddSubscription(NamedTuple):
    """Subscribe to a stream on a channel."""

    client_id: int
    correlation_id: int
    stream_id: int
    channel: str


class RemoveSubscription(NamedTuple):
    """End a subscription."""

    client_id: int
    correlation_id: int
    registration_id: int


class ClientKeepalive(NamedTuple):
    """Signal that the client is alive, as its heartbeat counter does."""

    client_id: int
    correlation_id: int


class ClientClose(NamedTuple):
    """Signal that the client is closed."""

    client_id: int
    correlation_id: int


class AddDestination(NamedTuple):
    """Add a destination to a publication."""

    client_id: int
    correlation_id: int
    registration_id: int
    channel: str


class RemoveDestination(NamedTuple):
    """Remove a destination from a publication."""

    client_id: int
    correlation_id: int
    registration_id: int
    channel: str


class RemoveDestinationById(NamedTuple):
    """Remove the destination that a command added."""

    client_id: int
    correlation_id: int
    registration_id: int
    destination_registration_id: int


class AddReceiveDestination(NamedTuple):
    """Add a destination to a subscription."""

    client_id: int
    correlation_id: int
    registration_id: int
    channel: str


class RemoveReceiveDestination(NamedTuple):
    """Remove a destination from a subscription."""

    client_id: int
    correlation_id: int
    registration_id: int
    channel: str


class AddCounter(NamedTuple):
    """Allocate a counter that exists as long as its client."""

    client_id: int
    correlation_id: int
    type_id: int
    key: bytes
    label: bytes


class AddStaticCounter(NamedTuple):
    """Find or allocate a counter that outlives its client."""

    client_id: int
    correlation_id: int
    registration_id: int
    type_id: int
    key: bytes
    label: bytes


class RemoveCounter(NamedTuple):
    """Free a counter."""

    client_id: int
    correlation_id: int
    registration_id: int


class TerminateDriver(NamedTuple):
    """Request termination of the driver."""

    client_id: int
    correlation_id: int
    token: bytes


class RejectImage(NamedTuple):
    """Reject an image."""

    client_id: int
    correlation_id: int
    image_correlation_id: int
    position: int
    reason: str


class GetNextAvailableSessionId(NamedTuple):
    """Request a session id that no publication of the stream uses."""

    client_id: int
    correlation_id: int
    stream_id: int


ClientCommand: TypeAlias = (
    AddPublication
    | RemovePublication
    | AddSubscription
    | RemoveSubscription
    | ClientKeepalive
    | ClientClose
    | AddDestination
    | RemoveDestination
    | RemoveDestinationById
    | AddReceiveDestination
    | RemoveReceiveDestination
    | AddCounter
    | AddStaticCounter
    | RemoveCounter
    | TerminateDriver
    | RejectImage
    | GetNextAvailableSessionId
)


class _Reader:
    """A reader of one command; each read names its field."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        self._data = data
        self._offset = 0
        self.correlation_id = 0

    def _read(self, field: str, length: int) -> bytes:
        end = self._offset + length
        if length < 0 or end > len(self._data):
            raise MalformedCommandError(
                f"{self._name}.{field} at {self._offset}",
                f"{length} bytes" if length >= 0 else "a length of at least 0",
                f"{len(self._data) - self._offset} bytes" if length >= 0 else length,
                self.correlation_id,
            )
        data = self._data[self._offset : end]
        self._offset = end
        return data

    def int64(self, field: str) -> int:
        return int.from_bytes(self._read(field, 8), "little", signed=True)

    def int32(self, field: str) -> int:
        return int.from_bytes(self._read(field, 4), "little", signed=True)

    def bytes(self, field: str) -> bytes:
        return self._read(field, self.int32(f"{field}_length"))

    def text(self, field: str) -> str:
        start = self._offset
        try:
            return self.bytes(field).decode("ascii")
        except UnicodeDecodeError as error:
            raise MalformedCommandError(
                f"{self._name}.{field} at {start + 4 + error.start}",
                "ASCII",
                f"byte {error.object[error.start]:#04x}",
                self.correlation_id,
            ) from None

    def align(self, alignment: int) -> None:
        self._offset = min(-(-self._offset // alignment) * alignment, len(self._data))

    @property
    def has_more(self) -> bool:
        return self._offset < len(self._data)


def _add_publication(reader: _Reader, client_id: int, *, is_exclusive: bool) -> AddPublication:
    stream_id = reader.int32("stream_id")
    channel = reader.text("channel")
    return AddPublication(client_id, reader.correlation_id, stream_id, channel, is_exclusive)


def _remove_publication(reader: _Reader, client_id: int) -> RemovePublication:
    registration_id = reader.int64("registration_id")
    # Clients older than the flags send 24 bytes.
    flags = reader.int64("flags") if reader.has_more else 0
    revoke = bool(flags & _REVOKE)
    return RemovePublication(client_id, reader.correlation_id, registration_id, revoke)


def _add_subscription(reader: _Reader, client_id: int) -> AddSubscription:
    reader.int64("registration_correlation_id")
    stream_id = reader.int32("stream_id")
    return AddSubscription(client_id, reader.correlation_id, stream_id, reader.text("channel"))


def _add_counter(reader: _Reader, client_id: int) -> AddCounter:
    type_id = reader.int32("type_id")
    key = reader.bytes("key")
    reader.align(4)
    return AddCounter(client_id, reader.correlation_id, type_id, key, reader.bytes("label"))


def _add_static_counter(reader: _Reader, client_id: int) -> AddStaticCounter:
    registration_id = reader.int64("registration_id")
    type_id = reader.int32("type_id")
    key = reader.bytes("key")
    reader.align(4)
    label = reader.bytes("label")
    return AddStaticCounter(client_id, reader.correlation_id, registration_id, type_id, key, label)


def _reject_image(reader: _Reader, client_id: int) -> RejectImage:
    image = reader.int64("image_correlation_id")
    position = reader.int64("position")
    reason = reader.text("reason")
    if len(reason) > MAX_REASON_LENGTH:
        raise CommandError(
            f"RejectImage.reason: expected at most {MAX_REASON_LENGTH} bytes, found {len(reason)}",
            ErrorCode.ERROR_GENERIC,
            reader.correlation_id,
        )
    return RejectImage(client_id, reader.correlation_id, image, position, reason)


def _destination(
    kind: type[
        AddDestination | RemoveDestination | AddReceiveDestination | RemoveReceiveDestination
    ],
) -> Callable[[_Reader, int], ClientCommand]:
    def read(reader: _Reader, client_id: int) -> ClientCommand:
        registration_id = reader.int64("registration_id")
        channel = reader.text("channel")
        return kind(client_id, reader.correlation_id, registration_id, channel)

    return read


_READERS: Final[dict[int, tuple[str, Callable[[_Reader, int], ClientCommand]]]] = {
    Command.ADD_PUBLICATION: (
        "AddPublication",
        lambda reader, client_id: _add_publication(reader, client_id, is_exclusive=False),
    ),
    Command.ADD_EXCLUSIVE_PUBLICATION: (
        "AddExclusivePublication",
        lambda reader, client_id: _add_publication(reader, client_id, is_exclusive=True),
    ),
    Command.REMOVE_PUBLICATION: ("RemovePublication", _remove_publication),
    Command.ADD_SUBSCRIPTION: ("AddSubscription", _add_subscription),
    Command.REMOVE_SUBSCRIPTION: (
        "RemoveSubscription",
        lambda reader, client_id: RemoveSubscription(
            client_id, reader.correlation_id, reader.int64("registration_id")
        ),
    ),
    Command.CLIENT_KEEPALIVE: (
        "ClientKeepalive",
        lambda reader, client_id: ClientKeepalive(client_id, reader.correlation_id),
    ),
    Command.CLIENT_CLOSE: (
        "ClientClose",
        lambda reader, client_id: ClientClose(client_id, reader.correlation_id),
    ),
    Command.ADD_DESTINATION: ("AddDestination", _destination(AddDestination)),
    Command.REMOVE_DESTINATION: ("RemoveDestination", _destination(RemoveDestination)),
    Command.ADD_RCV_DESTINATION: ("AddReceiveDestination", _destination(AddReceiveDestination)),
    Command.REMOVE_RCV_DESTINATION: (
        "RemoveReceiveDestination",
        _destination(RemoveReceiveDestination),
    ),
    Command.REMOVE_DESTINATION_BY_ID: (
        "RemoveDestinationById",
        lambda reader, client_id: RemoveDestinationById(
            client_id,
            reader.correlation_id,
            reader.int64("resource_registration_id"),
            reader.int64("destination_registration_id"),
        ),
    ),
    Command.ADD_COUNTER: ("AddCounter", _add_counter),
    Command.ADD_STATIC_COUNTER: ("AddStaticCounter", _add_static_counter),
    Command.REMOVE_COUNTER: (
        "RemoveCounter",
        lambda reader, client_id: RemoveCounter(
            client_id, reader.correlation_id, reader.int64("registration_id")
        ),
    ),
    Command.TERMINATE_DRIVER: (
        "TerminateDriver",
        lambda reader, client_id: TerminateDriver(
            client_id, reader.correlation_id, reader.bytes("token")
        ),
    ),
    Command.REJECT_IMAGE: ("RejectImage", _reject_image),
    Command.GET_NEXT_AVAILABLE_SESSION_ID: (
        "GetNextAvailableSessionId",
        lambda reader, client_id: GetNextAvailableSessionId(
            client_id, reader.correlation_id, reader.int32("stream_id")
        ),
    ),
}


def decode(type_id: int, data: bytes) -> ClientCommand:
    """Read one command.

    Parameters
    ----------
    type_id : int
        The type of the record in the ring.
    data : bytes
        The record without its header; may have padding at its end.

    Raises
    ------
    MalformedCommandError
        The bytes are not a command of that type.
    CommandError
        The type is unknown, or a text is too long.
    """
    entry = _READERS.get(type_id)
    if entry is None:
        raise CommandError(
            f"unknown command type {type_id}", ErrorCode.ERROR_UNKNOWN_COMMAND_TYPE_ID, 0
        )
    name, read = entry
    reader = _Reader(name, data)
    client_id = reader.int64("client_id")
    reader.correlation_id = reader.int64("correlation_id")
    return read(reader, client_id)
