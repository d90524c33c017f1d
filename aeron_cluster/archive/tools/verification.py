"""Verify what an archive recorded: descriptors, segments and frames.

Upstream: ``verify`` of ArchiveTool. Finding problems is separate from applying changes, so that a
dry run checks the same things; the texts of problems begin as upstream's.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.archive.repair import LastFrame, find_last_frame
from aeron_cluster.archive.storage.catalog_editor import CatalogEditor
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segment_frames import walk_frames
from aeron_cluster.archive.storage.segments import start_term_base
from aeron_cluster.codecs.archive import RecordingState
from aeron_cluster.codecs.frame_layout import (
    DATA_TYPE,
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
    NULL_VALUE,
)
from aeron_cluster.errors import CorruptError, PlatformError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory, Segment

__all__ = ["RECORDED", "Progress", "Verdict", "apply_verdicts", "no_progress", "verify"]

Progress: TypeAlias = Callable[[str, int, int], object]
"""Called with the name of the operation, the number of finished items and the total."""

RECORDED: Final = "recorded"
"""In place of a checksum's name: the checksum that the catalog names for each recording."""

_HEADER: Final = struct.Struct("<iBBHiiii")
_KNOWN: Final = ("CRC-32", "CRC-32C")


def no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of verifying a recording.

    Parameters
    ----------
    recording : Recording
        Its catalog entry.
    problem : str
        The problem that was found; empty if there was none.
    is_skipped : bool
        Whether it was not verified, because it is neither valid nor invalid.
    has_segments : bool
    stop_position : int
        The end of its frames; -1 if a problem was found before.
    torn : LastFrame, optional
        The last frame, if it may have been written only partly.
    """

    recording: Recording
    problem: str = ""
    is_skipped: bool = False
    has_segments: bool = False
    stop_position: int = NULL_VALUE
    torn: LastFrame | None = None

    @property
    def recording_id(self) -> int:
        """The id of the recording."""
        return self.recording.descriptor.recording_id

    @property
    def is_ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problem and not self.is_skipped

    @property
    def new_state(self) -> RecordingState | None:
        """The state that the recording should have; None if it already has it."""
        state = self.recording.state
        if self.problem and state is RecordingState.VALID:
            return RecordingState.INVALID
        if self.is_ok and state is RecordingState.INVALID and self.has_segments:
            return RecordingState.VALID
        return None

    def new_stop_position(self, *, is_cut: bool) -> int | None:
        """Return the stop position that it should have; None if it already has it.

        Parameters
        ----------
        is_cut : bool
            Whether a possibly torn frame is cut off.
        """
        if not self.is_ok:
            return None
        end = self.stop_position
        if is_cut and self.torn is not None:
            end = self.torn.base + self.torn.begin
        return None if end == self.recording.descriptor.stop_position else end


def verify(
    directory: ArchiveDirectory,
    recording_id: int | None = None,
    *,
    all_segments: bool = False,
    checksum: str | None = None,
    progress: Progress = no_progress,
) -> Iterator[Verdict]:
    """Yield the result for each recording, or for one; nothing is changed.

    Parameters
    ----------
    directory : ArchiveDirectory
    recording_id : int, optional
    all_segments : bool
        Verify all segments instead of only the last one.
    checksum : str, optional
        The checksum that descriptors and frames must have; `RECORDED` for the one that the catalog
        names, if any.
    progress : Progress, optional

    Raises
    ------
    OperationError
        No recording has that id.
    ConfigurationError
        The checksum is unknown.
    """
    recordings = directory.recordings(recording_id)
    named = None if checksum in (None, RECORDED) else Checksum(checksum)
    segments = directory.segments()
    chosen = [
        _chosen(segments.get(each.descriptor.recording_id, []), all_segments=all_segments)
        for each in recordings
    ]
    total = sum(map(len, chosen))
    done = 0
    for recording, own in zip(recordings, chosen, strict=True):
        used = named
        if checksum == RECORDED and recording.frames is not None:
            used = Checksum.of_code(recording.frames.code)
        check = _Check(directory, recording, used, is_named=named is not None)

        def advance() -> None:
            nonlocal done
            done += 1
            progress("segments verified", done, total)

        yield check.verdict(segments.get(recording.descriptor.recording_id, []), own, advance)


def _chosen(segments: list[Segment], *, all_segments: bool) -> list[Segment]:
    return segments if all_segments else segments[-1:]


class _Check:
    """The check of one recording."""

    def __init__(
        self,
        directory: ArchiveDirectory,
        recording: Recording,
        checksum: Checksum | None,
        *,
        is_named: bool,
    ) -> None:
        self._directory = directory
        self._recording = recording
        self._descriptor = recording.descriptor
        self._checksum = checksum
        self._is_named = is_named

    def verdict(
        self, segments: list[Segment], chosen: list[Segment], advance: Callable[[], None]
    ) -> Verdict:
        recording = self._recording
        if recording.state not in (RecordingState.VALID, RecordingState.INVALID):
            return Verdict(recording=recording, is_skipped=True)
        last: LastFrame | None = None
        try:
            problem = self._position_problem() or self._segment_problem(segments)
            if not problem:
                last = find_last_frame(
                    self._directory.seams.files,
                    self._directory.path,
                    self._descriptor,
                    self._checksum,
                    recording.frames,
                )
                problem = self._descriptor_problem()
            if not problem and len(chosen) > 1:
                problem = self._gap(segments)
            for each in chosen if not problem else ():
                problem = self._frame_problem(each)
                advance()
                if problem:
                    break
        except (CorruptError, PlatformError) as error:
            problem = str(error)
        if problem:
            return Verdict(recording=recording, problem=problem, has_segments=bool(segments))
        start = self._descriptor.start_position
        return Verdict(
            recording=recording,
            has_segments=bool(segments),
            stop_position=start if last is None else max(last.base + last.frames_end, start),
            torn=None if last is None or last.is_complete else last,
        )

    def _position_problem(self) -> str:
        start, stop = self._descriptor.start_position, self._descriptor.stop_position
        term_length = self._descriptor.term_buffer_length
        if start < 0:
            return f"Negative startPosition={start}"
        if start % FRAME_ALIGNMENT:
            return f"Non-aligned startPosition={start}"
        if stop != NULL_VALUE and stop < start:
            return f"Invariant violation stopPosition={stop} is before startPosition={start}"
        if stop != NULL_VALUE and stop % FRAME_ALIGNMENT:
            return f"Non-aligned stopPosition={stop}"
        if not MIN_TERM_LENGTH <= term_length <= MAX_TERM_LENGTH or term_length & (term_length - 1):
            return f"Invalid termBufferLength={term_length}"
        return ""

    def _segment_problem(self, segments: list[Segment]) -> str:
        if not segments:
            return ""
        if segments[0].base < 0:
            return f"no position encoded in the segment file: {segments[0].name}"
        start, stop = self._descriptor.start_position, self._descriptor.stop_position
        limit = segments[-1].base + self._descriptor.segment_file_length - 1
        if start > limit or stop > limit:
            return (
                f"Invariant violation: startPosition={start} and/or stopPosition={stop} exceed max"
                f" segment file position={limit}"
            )
        return ""

    def _gap(self, segments: list[Segment]) -> str:
        """Return the problem of a segment missing between others, or ""."""
        length = self._descriptor.segment_file_length
        for before, after in pairwise(segments):
            if after.base != before.base + length:
                expected = f"{before.recording_id}-{before.base + length}.rec"
                return f"missing segment file {expected}, the next one is {after.name}"
        return ""

    def _descriptor_problem(self) -> str:
        if self._checksum is None or (not self._is_named and self._recording.checksum == 0):
            return ""
        found = self._recording.checksum
        files, path = self._directory.seams.files, self._directory.path
        with CatalogEditor(files, path, writable=False) as catalog:
            expected = self._checksum(catalog.body(self._recording))
        if found != expected:
            return f"invalid Catalog checksum: expected={expected}, actual={found}"
        return ""

    def _frame_problem(self, segment: Segment) -> str:
        descriptor = self._descriptor
        term_length = descriptor.term_buffer_length
        first_base = start_term_base(descriptor.start_position, term_length)
        offset = descriptor.start_position - first_base if segment.base == first_base else 0
        path = f"{self._directory.path}/{segment.name}"
        with self._directory.seams.files.open(path) as file:
            limit = min(descriptor.segment_file_length, file.length)
            if file.length < offset + FRAME_HEADER_LENGTH:
                return f"{path}: failed to read fragment header"
            for begin, frame in walk_frames(file, offset, limit):
                problem = self._problem_of(frame, segment.base + begin)
                if problem:
                    return f"{path} at {begin}: {problem}"
        return ""

    def _problem_of(self, frame: memoryview, position: int) -> str:
        if len(frame) < FRAME_HEADER_LENGTH:
            return "failed to read fragment header"
        length, _, _, kind, term_offset, session_id, stream_id, term_id = _HEADER.unpack_from(frame)
        descriptor = self._descriptor
        term_length = descriptor.term_buffer_length
        expected_offset = position % term_length
        expected_term = descriptor.initial_term_id + position // term_length
        expected_term = (expected_term + 2**31) % 2**32 - 2**31
        if (term_offset, term_id, stream_id) != (
            expected_offset,
            expected_term,
            descriptor.stream_id,
        ):
            return (
                f"fragment termOffset={term_offset} (expected={expected_offset}),"
                f" termId={term_id} (expected={expected_term}),"
                f" streamId={stream_id} (expected={descriptor.stream_id})"
            )
        if not FRAME_HEADER_LENGTH <= length <= term_length - expected_offset:
            limit = term_length - expected_offset
            return f"frame length {length}, expected {FRAME_HEADER_LENGTH} to {limit}"
        aligned = -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
        if len(frame) < aligned:
            return f"failed to read {aligned - FRAME_HEADER_LENGTH} byte(s) of data"
        checksum = self._checksum
        if checksum is None or kind != DATA_TYPE or not self._is_summed(position):
            return ""
        expected = checksum(frame[FRAME_HEADER_LENGTH:])
        if expected != session_id:
            return f"checksum failed recorded={session_id} (expected={expected})"
        return ""

    def _is_summed(self, position: int) -> bool:
        """Return whether the frame at a position has a checksum in place of its session id."""
        frames = self._recording.frames
        return self._is_named or (frames is not None and position >= frames.position)


def apply_verdicts(
    directory: ArchiveDirectory, verdicts: Sequence[Verdict], *, cut_torn: bool = False
) -> int:
    """Update the catalog with the results; return the number of changed recordings.

    Faulty recordings become invalid, intact ones valid; the stop position of an intact recording
    becomes the end of its frames.

    Parameters
    ----------
    directory : ArchiveDirectory
    verdicts : sequence of Verdict
    cut_torn : bool
        Whether to cut off possibly torn last frames; otherwise they are retained.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    """
    directory.require_stopped()
    files = directory.seams.files
    count = 0
    with CatalogEditor(files, directory.path) as catalog:
        for each in verdicts:
            stop = each.new_stop_position(is_cut=cut_torn)
            if each.torn is not None and cut_torn and each.is_ok:
                with files.open(each.torn.path, write=True) as segment:
                    segment.truncate(each.torn.begin)
                    segment.truncate(each.recording.descriptor.segment_file_length)
                    segment.sync()
            if stop is not None:
                checksum = _descriptor_checksum(each.recording, catalog)
                catalog.stop(each.recording, stop, directory.seams.clock.epoch_ms(), checksum)
            if each.new_state is not None:
                catalog.set_state(each.recording, each.new_state)
            count += stop is not None or each.new_state is not None
    return count


def _descriptor_checksum(recording: Recording, catalog: CatalogEditor) -> Checksum | None:
    """Return the algorithm of a descriptor's checksum; None if it has none or a wrong one."""
    if recording.checksum == 0:
        return None
    body = catalog.body(recording)
    known = (Checksum(name) for name in _KNOWN)
    return next((each for each in known if each(body) == recording.checksum), None)
