"""Response channels of clients: the allowed ones, and the cluster's changes to them.

Upstream: ``refineResponseChannel`` of ConsensusModuleAgent. Upstream passes any channel of a client
to its driver. So an unauthenticated client can create publications in this member's name: to the
ingress, log or consensus stream of the cluster itself, to the IPC streams of its module and
services, or on any port of this machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.security.source_identity import IPC, LOOPBACK, canonical_host, host_of
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import format_duration_ns, format_size
from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from aeron_cluster.cluster.members.members import Member

__all__ = ["ResponseChannels"]

# Parameters that open a local port, or set the identity or the start of our stream.
_NOT_THE_CLIENTS: Final = (
    "control",
    "control-mode",
    "session-id",
    "init-term-id",
    "term-id",
    "term-offset",
    "response-correlation-id",
)
_MAX_TERM_LENGTH: Final = 64 << 20
# The limit of memory that is allocated immediately, for a client that may never connect.
_MAX_DENSE_TERM_LENGTH: Final = 1 << 20
_MAX_LINGER_NS: Final = 10_000_000_000


class ResponseChannels:
    """Checks the response channels of requests, and adds the cluster's own parameters.

    Parameters
    ----------
    members : Sequence of Member
    own_stream_ids : iterable of int
        Streams that members, module and services read; responses are never sent to them.
    egress_channel : str, optional
        ``aeron.cluster.egress.channel``: its parameters override a UDP client's, and it replaces an
        IPC channel if IPC clients are not allowed.
    is_ipc_allowed : bool
        Whether IPC clients are allowed.
    """

    def __init__(
        self,
        members: Sequence[Member],
        own_stream_ids: Iterable[int],
        *,
        egress_channel: str | None = None,
        is_ipc_allowed: bool = False,
    ) -> None:
        self._own_stream_ids = frozenset(own_stream_ids)
        self._own_ports = {
            _port(endpoint) for member in members for endpoint in member.endpoints.split(",")
        }
        self._egress = ChannelUri.parse(egress_channel) if egress_channel is not None else None
        self._egress_channel = egress_channel
        self._is_ipc_allowed = is_ipc_allowed

    def refine(self, channel: str, stream_id: int, source_identity: str) -> str:
        """Return the channel of responses to a client.

        Parameters
        ----------
        channel : str
            The channel requested by the client.
        stream_id : int
            The stream requested by the client.
        source_identity : str
            The source of its request.

        Raises
        ------
        ConfigurationError
            The channel is invalid, or not allowed for clients.
        """
        uri = ChannelUri.parse(channel)
        if uri.is_spy:
            raise _rejected("a channel that can be published to", channel)
        if uri.is_ipc and self._egress_channel is not None and not self._is_ipc_allowed:
            return self._egress_channel
        for name in _NOT_THE_CLIENTS:
            if name in uri:
                raise _rejected(f"no {name}", channel)
        if "tags" in uri:
            # Tags belong to the client's driver. In this driver they could match a channel of the
            # member, such as its log when it next becomes the leader.
            uri = uri.with_params(tags=None)
            channel = str(uri)
        _check_cost(uri, channel)
        if uri.is_ipc:
            self._check_ipc(channel, stream_id, source_identity)
        elif self._egress is not None:
            uri = uri.with_params(self._egress.params)
            channel = str(uri)
        if uri.is_udp:
            self._check_udp(uri, channel, stream_id)
        return channel

    def _check_ipc(self, channel: str, stream_id: int, source_identity: str) -> None:
        if source_identity != IPC and canonical_host(host_of(source_identity)) != LOOPBACK:
            raise _rejected(f"a UDP channel of a client at {source_identity}", channel)
        if stream_id in self._own_stream_ids:
            raise _rejected("a stream that is not the cluster's own", f"{channel} {stream_id}")

    def _check_udp(self, uri: ChannelUri, channel: str, stream_id: int) -> None:
        endpoint = uri.get("endpoint")
        if endpoint is None:
            raise _rejected("an endpoint", channel)
        # Under any name or address: no client subscribes to such a stream at such a port.
        if stream_id in self._own_stream_ids and _port(endpoint) in self._own_ports:
            raise _rejected("a stream that is not the cluster's own", f"{channel} {stream_id}")


def _port(endpoint: str) -> int | None:
    _, colon, port = endpoint.rpartition(":")
    return int(port) if colon and port.isdecimal() else None


def _check_cost(uri: ChannelUri, channel: str) -> None:
    term_length = uri.size("term-length", None)
    most = _MAX_TERM_LENGTH
    if uri.boolean("sparse", True) is False:
        most = _MAX_DENSE_TERM_LENGTH
        if term_length is None:
            raise _rejected(f"a term-length of at most {format_size(most)} with sparse", channel)
    if term_length is not None and term_length > most:
        raise _rejected(f"a term-length of at most {format_size(most)}", channel)
    if uri.duration_ns("linger", 0) > _MAX_LINGER_NS:
        raise _rejected(f"a linger of at most {format_duration_ns(_MAX_LINGER_NS)}", channel)


def _rejected(expected: str, found: str) -> ConfigurationError:
    return ConfigurationError("response channel", expected, found)
