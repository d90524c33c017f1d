"""A UDP channel with its addresses resolved and its parts checked.

``io.aeron.driver.media.UdpChannel``.
"""

from __future__ import annotations

import ipaddress
import itertools
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.codecs.channel_uri import RESERVED_OFFSET, ChannelUri
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.address import Address, Interface

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["ControlMode", "UdpChannel", "check_socket_length", "check_timestamp_offset"]

_TIMESTAMPS: Final = ("media-rcv-ts-offset", "channel-rcv-ts-offset", "channel-snd-ts-offset")
_TIMESTAMP_LENGTH: Final = 8
_ANY: Final = {False: "0.0.0.0", True: "::"}  # noqa: S104 - receivers bind what the URI names


class ControlMode(Enum):
    """The control mode of a channel."""

    NONE = ""
    DYNAMIC = "dynamic"
    MANUAL = "manual"
    RESPONSE = "response"


class UdpChannel(NamedTuple):
    """The addresses of a UDP channel, and its URI's socket parameters.

    Lengths are in bytes, 0 if the URI has none; addresses are literal.
    """

    uri: ChannelUri
    text: str
    canonical_form: str
    control_mode: ControlMode
    remote_data: Address
    local_data: Address
    remote_control: Address
    local_control: Address
    is_multicast: bool
    has_explicit_endpoint: bool
    has_explicit_control: bool
    multicast_ttl: int
    tag: int | None
    group_tag: int | None
    nak_delay_ns: int | None
    timestamp_offsets: Mapping[str, int]
    """The offset for timestamps in a frame, by parameter; `RESERVED_OFFSET`: its reserved value."""
    socket_sndbuf_length: int
    socket_rcvbuf_length: int
    receiver_window_length: int

    @staticmethod
    def hosts(uri: ChannelUri) -> Iterator[str]:
        """Yield every host in `uri`; `parse` needs their addresses."""
        for key in ("endpoint", "control"):
            address = uri.socket_address(key)
            if address is not None:
                yield address[0]
        interface = _InterfaceSearch.parse(uri)
        if interface is not None and not interface.name:
            yield interface.host

    @staticmethod
    def names(uri: ChannelUri) -> Iterator[str]:
        """Yield the endpoints in `uri`, as the client wrote them."""
        for key in ("endpoint", "control"):
            text = uri.get(key)
            if text is not None:
                yield text

    @classmethod
    def parse(
        cls,
        text: str,
        uri: ChannelUri,
        resolved: Mapping[str, str],
        interfaces: Iterable[Interface] = (),
        unique_suffixes: Iterator[int] | None = None,
        *,
        is_destination: bool = False,
    ) -> UdpChannel:
        """Check `uri` and determine its addresses.

        Parameters
        ----------
        text : str
            The URI as given by the client, for labels.
        uri : ChannelUri
        resolved : Mapping of str to str
            The address of each of `hosts`.
        interfaces : Iterable of Interface, optional
            The machine's interfaces, for the ``interface`` parameter.
        unique_suffixes : Iterator of int, optional
            Distinguishes channels without a fixed port; a driver has one.
        is_destination : bool, optional
            Whether the URI is a destination of another channel.

        Raises
        ------
        ConfigurationError
            A part is invalid; the error names it.
        """
        if not uri.is_udp:
            raise ConfigurationError(f"channel URI {text!r}: media", "udp", uri.media)
        uri.validate()
        endpoint = _address(uri, "endpoint", resolved)
        control = _address(uri, "control", resolved)
        mode = ControlMode(uri.get("control-mode", ""))
        wildcard_v6 = endpoint is None and control is not None and _is_ipv6(control)
        remote = endpoint or Address(_ANY[wildcard_v6], 0)
        suffix = ""
        if not is_destination and (
            (endpoint is None and control is None)
            or (endpoint is not None and endpoint.port == 0)
            or (control is not None and control.port == 0)
        ):
            unique = f"-{next(unique_suffixes or itertools.count())}"
            suffix = f"#{uri.channel_tag}" if uri.channel_tag is not None else unique
        remote_control = remote
        remote_text = uri.get("endpoint", str(remote))
        local_text: str | None
        if _is_multicast(remote):
            local = _local_address(uri, remote, resolved, interfaces)
            remote_control = _multicast_control(uri, remote)
            local_text, remote_text, suffix = str(local), str(remote), ""
        elif control is not None:
            local, local_text = control, uri.get("control")
        else:
            local = _local_address(uri, remote, resolved, interfaces)
            local_text = str(local)
        return cls(
            uri=uri,
            text=text,
            canonical_form=f"UDP-{local_text}-{remote_text}{suffix}",
            control_mode=mode,
            remote_data=remote,
            local_data=local,
            remote_control=remote_control,
            local_control=local,
            is_multicast=_is_multicast(remote),
            has_explicit_endpoint=endpoint is not None,
            has_explicit_control=control is not None and not _is_multicast(remote),
            multicast_ttl=uri.int32("ttl", 0),
            tag=uri.channel_tag,
            group_tag=uri.int64("gtag", None),
            nak_delay_ns=uri.duration_ns("nak-delay", None),
            timestamp_offsets=_timestamp_offsets(uri),
            socket_sndbuf_length=uri.size("so-sndbuf", 0),
            socket_rcvbuf_length=uri.size("so-rcvbuf", 0),
            receiver_window_length=uri.size("rcv-wnd", 0),
        )

    @property
    def is_multi_destination(self) -> bool:
        """Whether a publication on it sends to any number of destinations."""
        return self.control_mode in {ControlMode.MANUAL, ControlMode.DYNAMIC}

    @property
    def has_group_semantics(self) -> bool:
        """Whether a stream on it may have several receivers."""
        return self.is_multicast or self.is_multi_destination

    @property
    def has_resolvable_endpoint(self) -> bool:
        """Whether the endpoint is a name, which may resolve to another address later."""
        parts = self.uri.socket_address("endpoint")
        return parts is not None and parts[0] != self.remote_data.host and not self.is_multicast

    def any_address_at(self, port: int) -> Address:
        """Return all local addresses of the channel's family, at `port`."""
        return Address(_ANY[_is_ipv6(self.remote_data)], port)

    @property
    def is_tag_only(self) -> bool:
        """Whether it only refers to another channel by its tag."""
        return not (self.has_explicit_endpoint or self.has_explicit_control) and (
            self.tag is not None
        )

    def matches_tag(
        self, other: UdpChannel, local: Address | None = None, remote: Address | None = None
    ) -> bool:
        """Return whether this channel refers to `other` by a common tag.

        Parameters
        ----------
        other : UdpChannel
            An open channel.
        local, remote : Address, optional
            Its addresses, if its names were resolved again since it was opened.

        Raises
        ------
        ConfigurationError
            The tags are equal but the channels are not.
        """
        if self.tag is None or self.tag != other.tag:
            return False
        if self.control_mode not in {ControlMode.NONE, other.control_mode}:
            raise ConfigurationError(
                f"channel URI {self.text!r}: parameter 'control-mode'",
                f"that of the channel with tag {self.tag}: {other.control_mode.value or 'none'}",
                self.control_mode.value,
            )
        if self.is_tag_only:
            return True
        addresses = (local or other.local_data, remote or other.remote_data)
        if (self.local_data, self.remote_data) != addresses:
            raise ConfigurationError(
                f"channel URI {self.text!r}: parameter 'tags'",
                f"the addresses of the channel with tag {self.tag}: {other.text}",
                f"{self.local_data} to {self.remote_data}",
                upstream=f"matching tag={self.tag} has mismatched endpoint or control: "
                f"{self.text} <> {other.text}",
            )
        return True


def _timestamp_offsets(uri: ChannelUri) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in _TIMESTAMPS:
        offset = uri.timestamp_offset(key)
        if offset is None:
            continue
        if offset < 0 and offset != RESERVED_OFFSET:
            raise ConfigurationError(
                f"channel URI {str(uri)!r}: parameter {key!r}",
                "an offset in bytes of at least 0, or reserved",
                offset,
            )
        for other, taken in found.items():
            if abs(taken - offset) < _TIMESTAMP_LENGTH:
                raise ConfigurationError(
                    f"channel URI {str(uri)!r}: parameter {key!r}",
                    f"{_TIMESTAMP_LENGTH} bytes or more from {other!r} at {taken}",
                    offset,
                    upstream=f"{other} and {key} overlap",
                )
        found[key] = offset
    return found


def check_timestamp_offset(key: str, channel: UdpChannel, existing: UdpChannel) -> None:
    """Reject a channel with other timestamp offsets than the open one.

    Raises
    ------
    ConfigurationError
        The channels differ; the error names the parameter.
    """
    wanted, found = channel.timestamp_offsets.get(key), existing.timestamp_offsets.get(key)
    if wanted != found and not channel.is_tag_only:
        shown = "none" if wanted is None else channel.uri.get(key)
        raise ConfigurationError(
            f"channel URI {channel.text!r}: parameter {key!r}",
            f"that of the open channel {existing.text!r}: {existing.uri.get(key, 'none')}",
            shown,
            upstream=f"option conflicts with existing subscription: {key}={shown} "
            f"existingChannel={existing.text} channel={channel.text}",
        )


def check_socket_length(name: str, channel: UdpChannel, existing: UdpChannel, found: int) -> None:
    """Reject a channel with another length (bytes) than the open one; 0: the system's default.

    Raises
    ------
    ConfigurationError
        The channels differ; the error names the parameter.
    """
    wanted = channel.uri.size(name, 0)
    if wanted not in {0, found}:
        raise ConfigurationError(
            f"channel URI {channel.text!r}: parameter {name!r}",
            f"that of the open channel {existing.text!r}: {found or 'that of the system'}",
            wanted,
            upstream=f"{name}={wanted} does not match existing value of {found or 'OS default'}: "
            f"existingChannel={existing.text} channel={channel.text}",
        )


def _address(uri: ChannelUri, key: str, resolved: Mapping[str, str]) -> Address | None:
    parts = uri.socket_address(key)
    return None if parts is None else Address(resolved[parts[0]], parts[1])


def _is_ipv6(address: Address) -> bool:
    return ":" in address.host


def _is_multicast(address: Address) -> bool:
    return ipaddress.ip_address(address.host).is_multicast


@dataclass(frozen=True, slots=True)
class _InterfaceSearch:
    """The ``interface`` parameter: ``addr[:port][/prefix]`` or ``{name}[:port]``."""

    text: str
    name: str
    host: str
    port: int
    prefix_length: int | None

    @classmethod
    def parse(cls, uri: ChannelUri) -> _InterfaceSearch | None:
        text = uri.get("interface")
        if text is None:
            return None
        name, host = "", ""
        address, slash, prefix = text.partition("/")
        if address.startswith("{"):
            name, _, port = address[1:].partition("}")
        elif address.startswith("["):
            host, _, port = address[1:].partition("]")
        else:
            host, colon, port = address.partition(":")
            port = colon + port
        port = port.removeprefix(":") or "0"
        is_port = port.isascii() and port.isdigit() and int(port) < 2**16
        longest = 128 if ":" in host else 32
        is_prefix = not slash or (
            not name and prefix.isascii() and prefix.isdigit() and int(prefix) <= longest
        )
        if not (name or host) or not is_port or not is_prefix:
            raise ConfigurationError(
                f"channel URI {str(uri)!r}: parameter 'interface'",
                "address[:port][/prefix] or {name}[:port]",
                text,
            )
        return cls(text, name, host.partition("%")[0], int(port), int(prefix) if slash else None)


def _local_address(
    uri: ChannelUri,
    remote: Address,
    resolved: Mapping[str, str],
    interfaces: Iterable[Interface],
) -> Address:
    """Return the address of the URI's interface, or of any interface."""
    search = _InterfaceSearch.parse(uri)
    if search is None:
        if not _is_multicast(remote):
            return Address(_ANY[_is_ipv6(remote)], 0)
        usable = _usable(remote, interfaces)
        return Address(usable[0].address.host, 0) if usable else Address(_ANY[_is_ipv6(remote)], 0)
    if not search.name and search.prefix_length is None:
        local = Address(resolved[search.host], search.port)
        if _is_ipv6(local) == _is_ipv6(remote):
            return local
    else:
        for interface in _usable(remote, interfaces):
            if _matches(search, interface, resolved):
                return Address(interface.address.host, search.port)
    raise ConfigurationError(
        f"channel URI {str(uri)!r}: parameter 'interface'",
        f"an interface of this machine with an address of the family of {remote}",
        search.text,
        upstream=f"unknown interface {search.name}"
        if search.name
        else "Unable to find multicast or loopback interface matching criteria:"
        f" /{search.host}/{search.prefix_length}",
    )


def _usable(remote: Address, interfaces: Iterable[Interface]) -> list[Interface]:
    """Return the interfaces from which `remote` is reachable, the preferred ones first."""
    needs_multicast = _is_multicast(remote)
    return sorted(
        (
            each
            for each in interfaces
            if _is_ipv6(each.address) == _is_ipv6(remote)
            and (each.is_multicast or each.is_loopback or not needs_multicast)
        ),
        key=lambda each: (each.is_loopback, -each.prefix_length),
    )


def _matches(search: _InterfaceSearch, interface: Interface, resolved: Mapping[str, str]) -> bool:
    if search.name:
        return interface.name == search.name
    host = resolved[search.host]
    if (":" in host) != _is_ipv6(interface.address):
        return False
    network = ipaddress.ip_network(f"{host}/{search.prefix_length}", strict=False)
    return ipaddress.ip_address(interface.address.host) in network


def _multicast_control(uri: ChannelUri, data: Address) -> Address:
    """Return the control group of receivers: the next address, so the data's must be odd."""
    address = ipaddress.ip_address(data.host)
    if int(address) % 2 == 0:
        raise ConfigurationError(
            f"channel URI {str(uri)!r}: parameter 'endpoint'",
            "a multicast address whose last byte is odd",
            str(data),
            f"nearest: {address + 1}",
            upstream="multicast data address must be odd",
        )
    return Address(str(address + 1), data.port)
