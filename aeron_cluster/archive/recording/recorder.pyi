from collections.abc import Sequence
from enum import IntEnum
from typing import Self, final

from typing_extensions import Buffer

from aeron_cluster.archive.agents.session_agent import Session, SessionAgent
from aeron_cluster.archive.recording.segment_files import SegmentFiles
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.image import Image
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import Clock, Files

class RecordingEnd(IntEnum):
    RECORDING_ACTIVE = 0
    RECORDING_STREAM_ENDED = 1
    RECORDING_ABORTED = 2
    RECORDING_CLOSED = 3
    RECORDING_OPEN_FAILED = 4
    RECORDING_WRITE_FAILED = 5
    RECORDING_SYNC_FAILED = 6

@final
class PositionSlots:
    def __init__(self, mapping: MappedFile, offset: int, length: int) -> None: ...
    @property
    def count(self) -> int: ...
    @staticmethod
    def read(data: Buffer) -> dict[int, int]: ...
    def note(self, recording_id: int, position: int) -> None: ...
    def release(self, recording_id: int) -> None: ...

@final
class RecordingSession(Session):
    def __init__(
        self,
        source: Image | LocalLog,
        counter: Counter | AtomicCounter,
        *,
        recording_id: int,
        position: int,
        segment_base: int,
        segment_length: int,
        block_length_limit: int,
        slots: PositionSlots | None = None,
    ) -> None: ...
    @property
    def recording_id(self) -> int: ...
    @property
    def source(self) -> Image | LocalLog: ...
    @property
    def position(self) -> int: ...
    @property
    def end(self) -> RecordingEnd: ...
    @property
    def final_position(self) -> int: ...
    @property
    def is_broken(self) -> bool: ...
    @property
    def error_number(self) -> int: ...
    def abort(self) -> None: ...
    def error_text(self, directory: str) -> str: ...

@final
class Recorder(SessionAgent[RecordingSession]):
    def __new__(
        cls,
        files: Files,
        clock: Clock,
        directory: str,
        segment_files: SegmentFiles,
        *,
        sync_level: int = 0,
        checksum: Checksum | None = None,
        block_length_limit: int = 1048576,
        counters: Sequence[Counter | AtomicCounter | None] = ...,
    ) -> Self: ...
    @property
    def segment_files(self) -> SegmentFiles: ...
