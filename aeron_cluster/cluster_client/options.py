# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.credentials import Credentials
    from aeron_cluster.cluster_client.egress_listener import EgressListener
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration
    from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

__all__ = ["ClusterClientOptions", "SessionOptions"]


class SessionOptions(TypedDict, total=False):
    """The options of every client of a cluster."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    ingress_channel: str | ChannelUri | None
    """Channel from clients to the leader: aeron.cluster.ingress.channel."""
    ingress_stream_id: int | None
    """Stream of ingress: aeron.cluster.ingress.stream.id (default: 101)."""
    message_timeout_ns: Duration | None
    """How long to wait for an answer: aeron.cluster.message.timeout (default: 5s)."""
    ingress_endpoints: str | None
    """Ingress endpoints of the members, as id=host:port,...: aeron.cluster.ingress.endpoints."""
    egress_channel: str | ChannelUri | None
    """Channel on which the cluster answers: aeron.cluster.egress.channel."""
    egress_stream_id: int | None
    """Stream of egress: aeron.cluster.egress.stream.id (default: 102)."""
    client_name: str | None
    """Sent to the cluster: aeron.cluster.client.name."""
    new_leader_timeout_ns: Duration
    is_ingress_exclusive: bool
    credentials: Credentials
    aeron: Aeron | None
    agent_invoker: Callable[[], object] | None
    error_handler: Callable[[Exception], object]
    idle_strategy: IdleStrategy | str


class ClusterClientOptions(SessionOptions, total=False):
    """The options of `AeronCluster.connect` and `ClusterClientContext.of`."""

    listener: EgressListener | None
    """Receives the messages of the cluster."""
