"""The text of an error in an error log."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType

# Of a deep recursion both ends are included.
_FRAMES = 30
_CAUSES = 8
# Longer texts are truncated: an exception's text may quote a client's message.
_MAX_LENGTH = 8192
_CUT_LENGTH = 1024


@dataclass(frozen=True, slots=True)
class ErrorLogEntry:
    """An entry of a distinct error log.

    Parameters
    ----------
    observation_count : int
        The number of observations.
    first_observation_ms, last_observation_ms : int
        The times of the first and last observation, in ms since 1970.
    text : str
        The error.
    """

    observation_count: int
    first_observation_ms: int
    last_observation_ms: int
    text: str


def cut_text(text: str) -> str:
    """Return a text of at most 8,192 characters unchanged, and the beginning of a longer one."""
    if len(text) <= _MAX_LENGTH:
        return text
    return f"{text[:_CUT_LENGTH]}... ({len(text)} characters)"


def describe_error(error: BaseException) -> str:
    """Return the class, text, place and causes of an error; the place of raising comes first.

    The same error from the same place gives the same text, wherever the sources are installed. Long
    texts of exceptions are truncated.
    """
    lines: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(lines) < _CAUSES * (_FRAMES + 1):
        name = f"{type(cause).__module__}.{type(cause).__qualname__}".removeprefix("builtins.")
        lines.append(f"{'Caused by: ' if lines else ''}{name}: {cut_text(str(cause))}")
        lines += _describe_frames(cause.__traceback__)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\n".join(lines)


def _describe_frames(trace: TracebackType | None) -> list[str]:
    frames = [*traceback.walk_tb(trace)][::-1]
    if len(frames) > _FRAMES:
        frames[_FRAMES // 2 : -_FRAMES // 2] = []
    return [f"\tat {frame.f_code.co_name} ({_file_of(frame)}:{line})" for frame, line in frames]


def _file_of(frame: FrameType) -> str:
    """Return the path of a frame's source file from its top-level package on.

    Error logs are on the disks that the simulator hashes: with the directory of an installation in
    them, a seed would give another run in another checkout.
    """
    parts = frame.f_code.co_filename.split("/")
    depth = str(frame.f_globals.get("__name__", "")).count(".") + 1
    if parts[-1].startswith("__init__."):
        depth += 1
    return "/".join(parts[-depth:])


def saved_errors_path(directory: str, now_ms: int) -> str:
    """Return the path for errors of the previous driver: beside its directory, with the time."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    return f"{directory}-{now:%Y-%m-%d-%H-%M-%S}-{now_ms % 1000:03d}+0000-error.log"
