from enum import IntEnum
from typing import final

from typing_extensions import Buffer

from aeron_cluster.memory.shared.buffer_memory import BufferMemory

class BroadcastStatus(IntEnum):
    BROADCAST_OK = 0
    BROADCAST_NOTHING = -1
    BROADCAST_LAPPED = -2
    BROADCAST_INVALID_TYPE = -3
    BROADCAST_MESSAGE_TOO_LONG = -4
    BROADCAST_CORRUPT = -5
    BROADCAST_INVALID_CAPACITY = -6
    BROADCAST_SCRATCH_TOO_SMALL = -7

@final
class BroadcastTransmitter(BufferMemory):
    def __init__(self, buffer: Buffer) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def max_message_length(self) -> int: ...
    def transmit(self, message_type: int, data: Buffer) -> None: ...

@final
class BroadcastReceiver(BufferMemory):
    def __init__(self, buffer: Buffer) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def lapped_count(self) -> int: ...
    def receive(self) -> tuple[int, bytes] | None: ...
