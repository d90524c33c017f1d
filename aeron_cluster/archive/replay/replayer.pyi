from collections.abc import Sequence
from enum import IntEnum
from typing import Self, final

from aeron_cluster.archive.agents.session_agent import Session, SessionAgent
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersReader
from aeron_cluster.memory.system.seams import Clock, Files

class ReplayEnd(IntEnum):
    REPLAY_ACTIVE = 0
    REPLAY_COMPLETE = 1
    REPLAY_ABORTED = 2
    REPLAY_CLOSED = 3
    REPLAY_NOT_CONNECTED = 4
    REPLAY_DISCONNECTED = 5
    REPLAY_SEGMENT_MISSING = 6
    REPLAY_READ_FAILED = 7
    REPLAY_UNEXPECTED_END = 8
    REPLAY_CORRUPT = 9
    REPLAY_CHECKSUM_MISMATCH = 10
    REPLAY_MAX_POSITION = 11

@final
class ReplaySession(Session):
    def __init__(
        self,
        publication: ExclusivePublication | LocalLog,
        *,
        recording_id: int,
        position: int,
        limit: int,
        replay_limit: int,
        segment_base: int,
        segment_length: int,
        read_length_limit: int,
        connect_deadline_ns: int,
        counters: CountersReader | None = None,
        limit_counter_id: int = -1,
        limit_registration_id: int = -1,
        checksum: Checksum | None = None,
        checksum_position: int = 0,
        stream_position: int = ...,
        stream_limit: int = ...,
    ) -> None: ...
    @property
    def publication(self) -> ExclusivePublication | LocalLog: ...
    @property
    def recording_id(self) -> int: ...
    @property
    def segment_base(self) -> int: ...
    @property
    def end(self) -> ReplayEnd: ...
    @property
    def final_position(self) -> int: ...
    @property
    def replay_limit(self) -> int: ...
    @property
    def fault_position(self) -> int: ...
    @property
    def error_number(self) -> int: ...
    def abort(self) -> None: ...
    def set_final_limit(self, position: int) -> None: ...
    def set_stream_limit(self, position: int) -> None: ...
    def error_text(self) -> str: ...

@final
class Replayer(SessionAgent[ReplaySession]):
    def __new__(
        cls,
        files: Files,
        clock: Clock,
        directory: str,
        *,
        buffer_length: int = 1048576,
        checksum: Checksum | None = None,
        counters: Sequence[Counter | AtomicCounter | None] = ...,
    ) -> Self: ...
