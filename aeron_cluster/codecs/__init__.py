"""Every message and file header, generated from the schemas kept here; channel URIs."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "codecs.channel_uri": ("ChannelUri",),
        "codecs.cluster": (
            "CloseReason",
            "ClusterTimeUnit",
        ),
    },
)
