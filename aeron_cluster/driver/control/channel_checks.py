"""Check new channels and destinations against existing ones.

``io.aeron.driver.DriverConductor``'s ``validate`` methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from aeron_cluster.driver.clients.commands import ChannelClosingError, CommandError
from aeron_cluster.driver.clients.udp_channel import ControlMode
from aeron_cluster.driver.control.receive_channel import ReceiveChannel
from aeron_cluster.driver.control.send_channel import SendChannel
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.driver.clients.stream_params import PublicationParams
    from aeron_cluster.driver.clients.udp_channel import UdpChannel
    from aeron_cluster.driver.control.managed_ipc_publication import ManagedIpcPublication
    from aeron_cluster.driver.control.managed_network_publication import ManagedNetworkPublication

__all__ = [
    "check_destination",
    "check_publication_channel",
    "check_same_parameters",
    "have_compatible_tags",
    "needs_interfaces",
    "require_open",
]

_UPSTREAM_NAMES: Final = {"ssc": "spiesSimulateConnection"}
_ChannelT = TypeVar("_ChannelT", SendChannel, ReceiveChannel)


def require_open(channel: _ChannelT) -> _ChannelT:
    """Return `channel`; raise if it is closing: another agent may still use it."""
    if channel.is_closing:
        raise ChannelClosingError(channel.udp_channel.text)
    return channel


def have_compatible_tags(wanted: UdpChannel, found: UdpChannel) -> bool:
    """Return whether the tags of two channels allow sharing one."""
    return wanted.tag is None or found.tag is None or wanted.tag == found.tag


def needs_interfaces(uri: ChannelUri) -> bool:
    """Return whether the meaning of `uri` depends on the machine's interfaces."""
    text = uri.get("interface") or ""
    return uri.is_udp and ("{" in text or "/" in text or _may_be_multicast(uri))


def _may_be_multicast(uri: ChannelUri) -> bool:
    parts = uri.socket_address("endpoint")
    return parts is not None and (parts[0][:2] == "ff" or parts[0][:3].isdigit())


def check_publication_channel(channel: UdpChannel) -> None:
    """Reject a channel on which nothing can be sent."""
    found = None
    if (
        channel.has_explicit_control
        and not channel.has_explicit_endpoint
        and channel.control_mode is ControlMode.NONE
    ):
        found = "'control' parameter requires that either 'endpoint' or 'control-mode' is specified"
    elif (
        channel.has_explicit_endpoint
        and channel.remote_data.port == 0
        and not channel.is_multi_destination
    ):
        found = "endpoint has port=0 for publication"
    if found is not None:
        raise CommandError(f"{found}: channel={channel.text}", ErrorCode.ERROR_GENERIC)


def check_destination(uri: ChannelUri, text: str, *, may_be_local: bool) -> None:
    """Reject a destination with parameters that only its channel may have."""
    if not may_be_local and (uri.is_spy or uri.is_ipc):
        raise ConfigurationError(
            f"channel URI {text!r}: destination",
            "aeron:udp",
            text.partition("?")[0],
            upstream=f"Aeron spies are invalid as send destinations: channel={text}"
            if uri.is_spy
            else f"incorrect URI format for destination: {text}",
        )
    rejected = ("mtu", "rcv-wnd", "so-rcvbuf", "so-sndbuf", "response-correlation-id")
    for name in rejected:
        if name in uri:
            raise ConfigurationError(
                f"channel URI {text!r}: parameter {name!r}",
                "none on a destination",
                uri.get(name),
                upstream=f"destinations must not contain the key: {name} channel={text}",
            )
    if uri.get("control-mode") == "response":
        raise ConfigurationError(
            f"channel URI {text!r}: parameter 'control-mode'",
            "not response",
            "response",
            upstream="destinations may not specify control-mode=response",
        )


def check_same_parameters(
    publication: ManagedIpcPublication | ManagedNetworkPublication, params: PublicationParams
) -> None:
    """Reject sharing a publication whose parameters differ from the URI's."""
    existing, uri = publication.params, params.uri
    position, wanted_position = publication.initial_position, params.initial_position
    checks: list[tuple[str, object, object]] = [
        ("mtu", params.mtu_length, existing.mtu_length),
        ("term-length", params.term_length, existing.term_length),
        ("session-id", params.session_id, publication.session_id),
    ]
    if wanted_position is not None:
        checks += [
            ("init-term-id", wanted_position.initial_term_id, position.initial_term_id),
            ("term-id", wanted_position.term_id, position.term_id),
            ("term-offset", wanted_position.term_offset, position.term_offset),
        ]
    differing = [each for each in checks if each[0] in uri and each[1] != each[2]]
    if params.spies_simulate_connection != existing.spies_simulate_connection:
        differing.append(
            ("ssc", params.spies_simulate_connection, existing.spies_simulate_connection)
        )
    if differing:
        name, wanted, found = differing[0]
        raise CommandError(
            f"existing publication has different '{_UPSTREAM_NAMES.get(name, name)}': "
            f"existing={found} requested={wanted} existingChannel={publication.channel} "
            f"channel={uri}: parameter {name!r}: expected {found}",
            ErrorCode.ERROR_GENERIC,
        )
