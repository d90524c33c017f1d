from enum import IntEnum
from typing import Self, final

from aeron_cluster.pipeline.columns.column_memory import Buffer

class ColumnId(IntEnum):
    RECORDING_ID = 0
    MEMBER = 1
    POSITION = 2
    END_POSITION = 3
    TERM_ID = 4
    TERM_OFFSET = 5
    SESSION_ID = 6
    STREAM_ID = 7
    FLAGS = 8
    RESERVED_VALUE = 9
    FRAME_LENGTH = 10
    PAYLOAD = 11
    LOG_PAYLOAD = 12
    TEMPLATE_ID = 13
    MESSAGE_TYPE = 14
    LEADERSHIP_TERM_ID = 15
    CLUSTER_SESSION_ID = 16
    TIMESTAMP = 17
    TIMESTAMP_RAW = 18
    TIMESTAMP_UNIT = 19
    CORRELATION_ID = 20
    COMMITTED = 21
    SESSION_OPEN = 22
    SESSION_OPEN_CORRELATION_ID = 23
    SESSION_OPEN_RESPONSE_STREAM_ID = 24
    SESSION_OPEN_RESPONSE_CHANNEL = 25
    SESSION_OPEN_ENCODED_PRINCIPAL = 26
    SESSION_CLOSE = 27
    SESSION_CLOSE_REASON = 28
    TIMER = 29
    TIMER_CORRELATION_ID = 30
    CLUSTER_ACTION = 31
    CLUSTER_ACTION_LOG_POSITION = 32
    CLUSTER_ACTION_ACTION = 33
    CLUSTER_ACTION_FLAGS = 34
    NEW_LEADERSHIP_TERM = 35
    NEW_LEADERSHIP_TERM_LOG_POSITION = 36
    NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION = 37
    NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID = 38
    NEW_LEADERSHIP_TERM_LOG_SESSION_ID = 39
    NEW_LEADERSHIP_TERM_TIME_UNIT = 40
    NEW_LEADERSHIP_TERM_APP_VERSION = 41

@final
class ColumnBuffers:
    def __new__(cls, ids: list[ColumnId], row_capacity: int) -> Self: ...
    def set_constants(
        self,
        recording_id: int,
        member: int,
        time_unit: int,
        committed_position: int,
        is_rest_uncommitted: bool,
    ) -> None: ...
    def __len__(self) -> int: ...
    def take(self) -> list[tuple[int, Buffer | None, Buffer, Buffer | None]]: ...
