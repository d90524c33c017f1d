from aeron_cluster.codecs.channel_uri import ChannelUri as ChannelUri
from aeron_cluster.codecs.cluster import (
    CloseReason as CloseReason,
)
from aeron_cluster.codecs.cluster import (
    ClusterTimeUnit as ClusterTimeUnit,
)

__all__ = [
    "ChannelUri",
    "CloseReason",
    "ClusterTimeUnit",
]
