from enum import IntEnum
from typing import final

from typing_extensions import Buffer

from aeron_cluster.memory.shared.buffer_memory import BufferMemory
from aeron_cluster.memory.shared.error_text import ErrorLogEntry

class ErrorLogStatus(IntEnum):
    ERROR_LOG_NEW = 1
    ERROR_LOG_OK = 0
    ERROR_LOG_FULL = -1
    ERROR_LOG_INVALID_CAPACITY = -2
    ERROR_LOG_NO_MEMORY = -3

def read_error_log(buffer: Buffer, *, since_ms: int = 0) -> list[ErrorLogEntry]: ...

@final
class DistinctErrorLog(BufferMemory):
    def __init__(self, buffer: Buffer) -> None: ...
    def record(self, error: BaseException | str, *, now_ms: int) -> bool: ...
    def entries(self, *, since_ms: int = 0) -> list[ErrorLogEntry]: ...
