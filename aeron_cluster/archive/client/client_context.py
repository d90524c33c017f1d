"""The configuration of an archive client.

``io.aeron.archive.client.AeronArchive.Context``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self, Unpack

from aeron_cluster.archive.client.options import ArchiveClientOptions
from aeron_cluster.archive.protocol.error_codes import PROTOCOL_VERSION
from aeron_cluster.client.context import MAX_CLIENT_NAME_LENGTH, limited_handler, log_error
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import ARCHIVE_CLIENT_OPTIONS, check_keywords, construct
from aeron_cluster.errors import ArchiveError, ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy, as_strategy
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.message import Message

__all__ = ["PROTOCOL_VERSION", "ArchiveClientContext"]

# The channels that must be set, with their names in Aeron's texts.
_CHANNELS: Final = {
    "control_channel": "controlRequestChannel",
    "control_response_channel": "controlResponseChannel",
}


@dataclass(kw_only=True)
class ArchiveClientContext:
    """The options of an archive client, with Aeron's defaults.

    Parameters
    ----------
    control_channel, control_response_channel : str
        The channels of requests and of responses; port 0 of the second means any free port.
    control_stream_id, control_response_stream_id : int
    control_term_buffer_length, control_mtu_length : int
        Term and MTU length of both streams, in bytes, unless set in the channels; MTU 0: the
        driver's default.
    control_term_buffer_sparse : bool
    message_timeout_ns : int
        The timeout of each answer, restarted by each descriptor of a listing, and of the whole
        connect.
    message_retry_attempts : int, optional
        How often a request is offered under back pressure before it fails; by default until the
        message timeout (upstream: 3 times).
    client_name : str
        Sent to the archive, at most 100 characters.
    aeron_dir : str
        The driver's directory, if no `aeron` is given.
    credentials : Credentials
    aeron : Aeron, optional
        The transport client; by default one is created, and closed with the archive client.
    agent_invoker : Callable, optional
        Called repeatedly while waiting, to drive an embedded driver or archive.
    recording_signal_handler : Callable, optional
        Called with each ``RecordingSignalEvent`` of this client's recordings.
    error_handler : Callable
        Called with errors that do not belong to a pending request.
    idle_strategy : IdleStrategy or str
        How to idle while waiting: a strategy, or its name.
    """

    control_channel: str
    control_response_channel: str
    control_stream_id: int
    control_response_stream_id: int
    control_term_buffer_length: int
    control_term_buffer_sparse: bool
    control_mtu_length: int
    message_timeout_ns: int
    message_retry_attempts: int | None
    client_name: str
    aeron_dir: str
    credentials: Credentials = field(default_factory=Credentials)
    aeron: Aeron | None = None
    agent_invoker: Callable[[], object] | None = None
    recording_signal_handler: Callable[[RecordingSignalEvent], object] | None = None
    error_handler: Callable[[Exception], object] = log_error
    idle_strategy: IdleStrategy = field(default_factory=lambda: IdleStrategy("backoff"))

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveClientOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown, missing or invalid.
        """
        check_keywords(options, ArchiveClientOptions.__annotations__)
        context = construct(cls, ARCHIVE_CLIENT_OPTIONS, options, properties)
        context.conclude()
        return context

    def conclude(self) -> None:
        """Check the combination of options, and complete what has a default or a short form."""
        self.idle_strategy = as_strategy(self.idle_strategy)
        seams = Seams() if self.aeron is None else self.aeron.context.seams
        self.error_handler = limited_handler(self.error_handler, seams.clock)
        for name, own in _CHANNELS.items():
            if not getattr(self, name):
                raise ConfigurationError(
                    name,
                    "a channel URI",
                    getattr(self, name),
                    upstream=f"AeronArchive.Context.{own} must be set",
                )
        if len(self.client_name) > MAX_CLIENT_NAME_LENGTH:
            raise ConfigurationError(
                "client_name",
                f"at most {MAX_CLIENT_NAME_LENGTH} characters",
                self.client_name,
                upstream="AeronArchive.Context.clientName length must be <="
                f" {MAX_CLIENT_NAME_LENGTH}",
            )
        self.control_channel = self._complete(self.control_channel)
        self.control_response_channel = self._complete(self.control_response_channel)

    def check_attempts(self, attempts: int, kind: type[Message]) -> None:
        """Reject further attempts to offer a request.

        Raises
        ------
        ArchiveError
            It was offered as often as allowed.
        """
        allowed = self.message_retry_attempts
        if allowed is not None and attempts >= allowed:
            raise ArchiveError(
                f"failed to send {kind.__name__}: back pressure, {attempts} attempts"
            )

    def _complete(self, channel: str) -> str:
        uri = ChannelUri.parse(channel)
        wanted: dict[str, int | bool] = {}
        if "term-length" not in uri:
            wanted["term-length"] = self.control_term_buffer_length
        if "mtu" not in uri and self.control_mtu_length:
            wanted["mtu"] = self.control_mtu_length
        if "sparse" not in uri:
            wanted["sparse"] = self.control_term_buffer_sparse
        return str(uri.with_params(wanted))
