"""The embedded media driver: conductor, sender, receiver, endpoints."""

from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.media_driver import MediaDriver

__all__ = ["DriverContext", "MediaDriver"]
