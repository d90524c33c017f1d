from typing import final

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.seams import Clock, Files

@final
class PageAllocator:
    directory: str
    def __new__(cls, files: Files, clock: Clock, directory: str) -> PageAllocator: ...
    def take_error(self) -> PlatformError | None: ...
