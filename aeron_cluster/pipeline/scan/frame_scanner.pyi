from typing import Protocol, Self, final

from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.columns.column_buffers import ColumnBuffers

class _Source(Protocol):
    def read_into(self, buffer: bytearray, position: int) -> int: ...
    def error(self, position: int, what: str, expected: object, found: object) -> SegmentError: ...

@final
class FrameScanner:
    def __new__(
        cls,
        source: _Source,
        buffers: ColumnBuffers,
        *,
        from_position: int,
        to_position: int,
        end_position: int,
        initial_term_id: int,
        term_length: int,
        is_log: bool,
        is_assembled: bool,
        has_payload: bool,
        time_unit: int,
        max_rows: int,
        max_length: int,
    ) -> Self: ...
    def select(
        self,
        *,
        terms: tuple[int, int] | None = None,
        times: tuple[int, int] | None = None,
        template_ids: int = 0,
        sessions: list[int] | None = None,
    ) -> None: ...
    @property
    def position(self) -> int: ...
    @property
    def is_behind(self) -> bool: ...
    def replace_session_id(self, session_id: int) -> None: ...
    def check(self, checksum: Checksum) -> None: ...
    def skip_to(self, position: int) -> None: ...
    def next_batch(self) -> bool: ...
