from typing import Self, final

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication

@final
class SessionWatch:
    is_quiet: bool
    ping_ns: int
    def __new__(
        cls,
        responses: ExclusivePublication,
        requests: Image,
        ping: bytes,
        ping_ns: int,
        interval_ns: int,
    ) -> Self: ...
