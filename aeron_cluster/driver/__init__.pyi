from aeron_cluster.driver.context import DriverContext as DriverContext
from aeron_cluster.driver.media_driver import MediaDriver as MediaDriver

__all__ = [
    "DriverContext",
    "MediaDriver",
]
