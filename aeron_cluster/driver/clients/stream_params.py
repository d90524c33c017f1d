"""A channel's parameters for a publication or subscription, checked.

``io.aeron.driver.PublicationParams``, ``io.aeron.driver.SubscriptionParams``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Self

from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.driver.context import DriverContext

__all__ = ["InitialPosition", "PublicationParams", "SubscriptionParams", "UntetheredTimeouts"]

_MAX_MESSAGE_LENGTH: Final = 16 << 20


class InitialPosition(NamedTuple):
    """The start of a publication: its initial term, and the term and offset to continue at."""

    initial_term_id: int
    term_id: int
    term_offset: int

    def position(self, term_length: int) -> int:
        """Return it in bytes since the stream began."""
        return (self.term_id - self.initial_term_id) % 2**32 * term_length + self.term_offset


class UntetheredTimeouts(NamedTuple):
    """The duration of each state of an untethered subscriber, in ns."""

    window_limit_ns: int
    linger_ns: int
    resting_ns: int

    @classmethod
    def of(cls, uri: ChannelUri, context: DriverContext) -> Self:
        """Return those of a channel; by default the driver's."""
        window_limit_ns = uri.duration_ns(
            "untethered-window-limit-timeout", context.untethered_window_limit_timeout_ns
        )
        default_linger_ns = (
            window_limit_ns
            if "untethered-window-limit-timeout" in uri
            else context.untethered_linger_timeout_ns
        )
        return cls(
            window_limit_ns,
            uri.duration_ns("untethered-linger-timeout", default_linger_ns),
            uri.duration_ns("untethered-resting-timeout", context.untethered_resting_timeout_ns),
        )


class PublicationParams(NamedTuple):
    """The channel parameters of one publication; lengths in bytes."""

    uri: ChannelUri
    session_id: int | None
    session_id_tag: int | None
    entity_tag: int | None
    term_length: int
    mtu_length: int
    window_length: int
    initial_position: InitialPosition | None
    linger_timeout_ns: int
    untethered: UntetheredTimeouts
    max_resend: int
    is_sparse: bool
    signals_end_of_stream: bool
    spies_simulate_connection: bool
    is_response: bool
    response_correlation_id: int

    @classmethod
    def read(
        cls,
        uri: ChannelUri,
        stream_id: int,
        context: DriverContext,
        tagged: tuple[int, int, int] | None = None,
    ) -> PublicationParams:
        """Read the parameters of `uri` that concern publications.

        Parameters
        ----------
        uri : ChannelUri
        stream_id : int
            The stream id of the command; a parameter with another value is rejected.
        context : DriverContext
            The defaults.
        tagged : tuple of int, optional
            Session id, MTU length and term length of the publication that ``session-id=tag:``
            names.

        Raises
        ------
        ConfigurationError
            A parameter is invalid; the error names it.
        """
        uri.validate()
        _check_stream_id(uri, stream_id)
        is_ipc = uri.is_ipc
        default_term = context.ipc_term_buffer_length if is_ipc else context.term_buffer_length
        default_mtu = context.ipc_mtu_length if is_ipc else context.mtu_length
        session_id = uri.session_id
        if tagged is not None:
            session_id, default_mtu, default_term = tagged
        term_length = uri.size("term-length", default_term)
        mtu_length = uri.size("mtu", default_mtu)
        if tagged is not None and (mtu_length, term_length) != tagged[1:]:
            raise _reject(
                uri,
                "parameters 'mtu' and 'term-length'",
                f"those of the tagged publication: {tagged[1]} and {tagged[2]}",
                f"{mtu_length} and {term_length}",
            )
        # The table of parameters allows 32, which leaves no space for payload.
        max_message_length = min(term_length // 8, _MAX_MESSAGE_LENGTH)
        if not 32 < mtu_length <= max_message_length:  # noqa: PLR2004 - a header
            raise _reject(
                uri,
                "parameter 'mtu'",
                f"more than 32 and at most {max_message_length}, an eighth of the term",
                mtu_length,
                f"MTU greater than max message length for term length: mtu={mtu_length} "
                f"maxMessageLength={max_message_length} termLength={term_length} channel={uri}"
                if mtu_length > max_message_length
                else f"mtuLength={mtu_length} <= HEADER_LENGTH=32",
            )
        configured = (
            context.ipc_publication_term_window_length
            if is_ipc
            else context.publication_term_window_length
        )
        window_length = min(term_length // 2, configured or term_length // 2)
        if "pub-wnd" in uri:
            window_length = uri.size("pub-wnd", window_length)
            if not mtu_length <= window_length <= term_length // 2:
                raise _reject(
                    uri,
                    "parameter 'pub-wnd'",
                    f"{mtu_length} (mtu) to {term_length // 2} (half a term)",
                    window_length,
                    f"pub-wnd={window_length} cannot be less than the mtu={mtu_length}"
                    if window_length < mtu_length
                    else f"pub-wnd={window_length} must not exceed half the "
                    f"term-length={term_length}",
                )
        response_correlation_id = uri.response_correlation_id
        return cls(
            uri=uri,
            session_id=session_id,
            session_id_tag=uri.session_id_tag,
            entity_tag=uri.entity_tag,
            term_length=term_length,
            mtu_length=mtu_length,
            window_length=window_length,
            initial_position=_initial_position(uri, term_length),
            linger_timeout_ns=uri.duration_ns("linger", context.publication_linger_timeout_ns),
            untethered=UntetheredTimeouts.of(uri, context),
            max_resend=uri.int32("max-resend", context.max_resend),
            is_sparse=uri.boolean("sparse", context.term_buffer_sparse_file),
            signals_end_of_stream=uri.boolean("eos", True),
            spies_simulate_connection=uri.boolean("ssc", context.spies_simulate_connection),
            is_response=uri.get("control-mode") == "response",
            response_correlation_id=(
                NULL_VALUE if response_correlation_id is None else response_correlation_id
            ),
        )

    def check_sndbuf(self, sndbuf_length: int) -> None:
        """Reject an MTU that exceeds a socket's send buffer (bytes)."""
        if self.mtu_length > sndbuf_length:
            raise CommandError(
                f"MTU greater than SO_SNDBUF for channel: mtu={self.mtu_length} "
                f"so-sndbuf={sndbuf_length} channel={self.uri}: parameter 'mtu': expected at most "
                f"{sndbuf_length}",
                ErrorCode.ERROR_GENERIC,
            )


class SubscriptionParams(NamedTuple):
    """The channel parameters of one subscription."""

    session_id: int | None
    is_reliable: bool
    is_tethered: bool
    is_rejoining: bool
    is_sparse: bool
    is_response: bool
    group: bool | None
    """Whether streams have several receivers; None: determined by the channel and the sender."""
    window_length: int

    @classmethod
    def read(cls, uri: ChannelUri, context: DriverContext) -> SubscriptionParams:
        """Read the parameters of `uri` that concern subscriptions.

        Raises
        ------
        ConfigurationError
            A parameter is invalid; the error names it.
        """
        uri.validate()
        if uri.session_id_tag is not None:
            raise _reject(
                uri, "parameter 'session-id'", "a number on a subscription", uri.get("session-id")
            )
        considered = {"FORCE_TRUE": True, "FORCE_FALSE": False}.get(
            context.receiver_group_consideration
        )
        return cls(
            session_id=uri.session_id,
            is_reliable=uri.boolean("reliable", context.reliable_stream),
            is_tethered=uri.boolean("tether", context.tether_subscriptions),
            is_rejoining=uri.boolean("rejoin", context.rejoin_stream),
            is_sparse=uri.boolean("sparse", context.term_buffer_sparse_file),
            is_response=uri.get("control-mode") == "response",
            group=uri.boolean("group", considered),
            window_length=uri.size("rcv-wnd", context.rcv_initial_window_length),
        )


def _reject(
    uri: ChannelUri, part: str, expected: str, found: object, upstream: str = ""
) -> ConfigurationError:
    return ConfigurationError(
        f"channel URI {str(uri)!r}: {part}", expected, found, upstream=upstream
    )


def _check_stream_id(uri: ChannelUri, stream_id: int) -> None:
    if uri.int32("stream-id", stream_id) != stream_id:
        raise _reject(
            uri,
            "parameter 'stream-id'",
            f"that of the publication: {stream_id}",
            uri.get("stream-id"),
            f"stream-id={uri.get('stream-id')} does not match provided streamId={stream_id}",
        )


def _initial_position(uri: ChannelUri, term_length: int) -> InitialPosition | None:
    initial_term_id = uri.int32("init-term-id", None)
    term_id = uri.int32("term-id", None)
    term_offset = uri.int32("term-offset", None)
    # The URI was validated: it has all of them or none.
    if initial_term_id is None or term_id is None or term_offset is None:
        return None
    if term_offset > term_length:
        raise _reject(
            uri,
            "parameter 'term-offset'",
            f"at most the term length {term_length}",
            term_offset,
            f"term-offset={term_offset} > term-length={term_length}: channel={uri}",
        )
    return InitialPosition(initial_term_id, term_id, term_offset)
