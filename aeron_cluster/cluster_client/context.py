"""The configuration of a cluster client.

Upstream: AeronCluster.Context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self, TypeVar, Unpack

from aeron_cluster.client.context import MAX_CLIENT_NAME_LENGTH, limited_handler, log_error
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster_client.options import ClusterClientOptions
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import CLUSTER_CLIENT_OPTIONS, check_keywords, construct, parse_digits
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy, as_strategy
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster_client.egress_listener import EgressListener
    from aeron_cluster.cluster_client.options import SessionOptions
    from aeron_cluster.memory.system.seams import Network

__all__ = [
    "ClusterClientContext",
    "leader_endpoint",
    "parse_ingress_endpoints",
    "with_endpoints",
]


@dataclass(kw_only=True)
class ClusterClientContext:
    """The options of a cluster client, with Aeron's defaults.

    Parameters
    ----------
    ingress_channel : str
        ``aeron:ipc``, or ``aeron:udp``, to which the members' endpoints are added; the default is
        the latter if there are endpoints.
    ingress_endpoints : str, optional
        ``id=host:port`` separated by commas, or ``host:port`` of members 0, 1, ...; not for IPC.
    egress_channel : str
        The channel on which the cluster answers; port 0 means any free port. By default, if there
        are endpoints, any port of the local address that reaches the first of them.
    ingress_stream_id, egress_stream_id : int
    message_timeout_ns : int
        The timeout of the whole connect, and of the first send after a change of leader.
    new_leader_timeout_ns : int
        How long to wait for a new leader; 0 or -1: twice the cluster's heartbeat timeout.
    client_name : str
        Sent to the cluster, at most 100 characters.
    is_ingress_exclusive : bool
        Whether ingress is an exclusive publication, which only one thread may use.
    credentials : Credentials
    aeron : Aeron, optional
        The transport client; by default one is created, and closed with the cluster client.
    aeron_dir : str
        The directory of its driver, for the default transport client.
    agent_invoker : Callable, optional
        Called repeatedly while waiting, to drive an embedded driver.
    listener : EgressListener, optional
    error_handler : Callable[[Exception], object], optional
        Called with errors that no caller receives: those of a transport client that the cluster
        client creates, and invalid streams from strangers while it connects. By default they are
        logged.
    idle_strategy : IdleStrategy or str
        How to idle while waiting: a strategy, or its name.
    """

    ingress_channel: str
    egress_channel: str
    ingress_endpoints: str | None
    ingress_stream_id: int
    egress_stream_id: int
    message_timeout_ns: int
    client_name: str
    aeron_dir: str
    new_leader_timeout_ns: int = 0
    is_ingress_exclusive: bool = True
    credentials: Credentials = field(default_factory=Credentials)
    aeron: Aeron | None = None
    agent_invoker: Callable[[], object] | None = None
    listener: EgressListener | None = None
    error_handler: Callable[[Exception], object] = log_error
    idle_strategy: IdleStrategy = field(default_factory=lambda: IdleStrategy("backoff"))

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ClusterClientOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown, missing or invalid.
        """
        check_keywords(options, ClusterClientOptions.__annotations__)
        context = construct(cls, CLUSTER_CLIENT_OPTIONS, options, properties)
        if context.ingress_endpoints:
            context.complete()
        context.conclude()
        return context

    def complete(self) -> None:
        """Set the options that derive from the members' endpoints."""
        assert self.ingress_endpoints
        if "=" not in self.ingress_endpoints:
            endpoints = [each.strip() for each in self.ingress_endpoints.split(",")]
            if not all(map(_ENDPOINT.fullmatch, endpoints)):
                raise ConfigurationError(
                    "endpoints", "host:port[,host:port]", self.ingress_endpoints
                )
            self.ingress_endpoints = ",".join(f"{i}={each}" for i, each in enumerate(endpoints))
        if vars(self)["ingress_channel"] is None:
            self.ingress_channel = "aeron:udp"
        if vars(self)["egress_channel"] is None:
            first = next(iter(parse_ingress_endpoints(self.ingress_endpoints).values()))
            self.egress_channel = f"aeron:udp?endpoint={_local_host(self._seams.network, first)}:0"

    @property
    def _seams(self) -> Seams:
        return Seams() if self.aeron is None else self.aeron.context.seams

    def conclude(self) -> None:
        """Check the combination of options; look up a named idle strategy."""
        self.idle_strategy = as_strategy(self.idle_strategy)
        self.error_handler = limited_handler(self.error_handler, self._seams.clock)
        for name in ("ingress_channel", "egress_channel"):
            if not getattr(self, name):
                first, second = name.split("_")
                raise ConfigurationError(
                    name,
                    "a channel URI",
                    getattr(self, name),
                    upstream=f"{first}{second.capitalize()} must be specified",
                )
        if ChannelUri.parse(self.ingress_channel).is_ipc and self.ingress_endpoints:
            raise ConfigurationError(
                "ingress_endpoints",
                "none for an IPC ingress channel",
                self.ingress_endpoints,
                upstream="AeronCluster.Context ingressEndpoints must be null when using IPC"
                " ingress",
            )
        if len(self.client_name) > MAX_CLIENT_NAME_LENGTH:
            raise ConfigurationError(
                "client_name",
                f"at most {MAX_CLIENT_NAME_LENGTH} characters",
                self.client_name,
                upstream="AeronCluster.Context.clientName length must be <="
                f" {MAX_CLIENT_NAME_LENGTH}",
            )
        if self.ingress_endpoints:
            parse_ingress_endpoints(self.ingress_endpoints)
        if self.new_leader_timeout_ns == NULL_VALUE:
            self.new_leader_timeout_ns = 0
        if self.new_leader_timeout_ns < 0:
            raise ConfigurationError(
                "new_leader_timeout_ns",
                "a time, or 0 or -1 for twice the cluster's heartbeat timeout",
                self.new_leader_timeout_ns,
                upstream="newLeaderTimeoutNs must be positive or -1, but was"
                f" {self.new_leader_timeout_ns}",
            )


_ENDPOINT: Final = re.compile(r"(\[[^\]\s]+\]|[^\s:;,/\[\]]+):\d+")
_O = TypeVar("_O", bound="SessionOptions")


def with_endpoints(endpoints: str | None, options: _O) -> _O:
    """Return options with the members' endpoints added.

    Raises
    ------
    ConfigurationError
        The options contain endpoints already.
    """
    if endpoints is not None:
        if options.get("ingress_endpoints") is not None:
            raise ConfigurationError(
                "ingress_endpoints", "nothing beside the endpoints", options["ingress_endpoints"]
            )
        options["ingress_endpoints"] = endpoints
    return options


def _local_host(network: Network, endpoint: str) -> str:
    """Return the local address that reaches an endpoint, in the form for a channel.

    Raises
    ------
    ConfigurationError
        There is no local address for it.
    """
    host, _, port = endpoint.rpartition(":")
    host = host.strip("[]")
    try:
        for address in network.resolve(host):
            with network.open(connect=Address(address, int(port))) as socket:
                found = socket.local_address.host
                return f"[{found}]" if ":" in found else found
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            "egress_channel", f"a channel, since {endpoint} has no route yet", None, str(error)
        ) from error
    raise ConfigurationError("egress_channel", f"a channel, since {host} has no address", None)


def parse_ingress_endpoints(text: str) -> dict[int, str]:
    """Read ``id=host:port`` separated by commas.

    Raises
    ------
    ConfigurationError
        If a part has no id, no endpoint, or an id that occurs twice.
    """
    endpoints: dict[int, str] = {}
    for part in text.split(","):
        member, separator, endpoint = part.partition("=")
        member_id = parse_digits(member)
        if not endpoint or member_id is None:
            upstream = "" if separator else f"endpoint missing '=' separator: {text}"
            raise ConfigurationError(
                "ingress endpoint", "id=host:port", part, text, upstream=upstream
            )
        if member_id in endpoints:
            raise ConfigurationError("ingress endpoints", "each id once", member, text)
        endpoints[member_id] = endpoint
    return endpoints


def leader_endpoint(text: str, leader_member_id: int) -> str:
    """Return the leader's endpoint among those that the cluster sent.

    Raises
    ------
    ConfigurationError
        If they cannot be parsed, or the leader is not among them.
    """
    endpoints = parse_ingress_endpoints(text)
    if leader_member_id not in endpoints:
        raise ConfigurationError("ingress endpoints", f"one of leader {leader_member_id}", text)
    return endpoints[leader_member_id]
