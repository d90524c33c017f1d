"""The embedded media driver: conductor, sender, receiver, endpoints."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "driver.context": ("DriverContext",),
        "driver.media_driver": ("MediaDriver",),
    },
)
