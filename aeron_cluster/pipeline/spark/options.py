"""The options of the Spark source: strings, as Spark hands them over, made into values once.

Stands for nothing of Java's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.members import MemberDirectories, MemberPath
from aeron_cluster.pipeline.pieces import Mode

__all__ = ["OPTION_NAMES", "Ends", "SourceOptions", "option_text", "parse_options"]

# Archive directory, recording and end position.
Ends: TypeAlias = tuple[tuple[str, int, int], ...]
_Parser: TypeAlias = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What somebody asks the source for.

    Parameters
    ----------
    members : tuple of str or MemberDirectories
    is_log : bool
        Whether the log is read, or recordings.
    recording_ids : tuple of int, optional
        All where it is missing; of a log one, or what the recording log says.
    selection : dict
        The arguments of `plan_log` or `plan_recordings` that were given.
    columns : tuple of str, optional
    range_length : int, optional
        Bytes of the stream that a task reads.
    table : str
        ``rows``, or ``left_out``: what a permissive pass could not read.
    report_dir : str, optional
        Where tasks write what they left out.
    pushdown : bool
        Whether filters of a query become part of its plan.
    ends : Ends, optional
        Where recordings end, of somebody who looked before.
    stream : dict
        What streams alone have.
    payload : dict of str
        What says how payloads become columns, for `decoder_from_options`.
    """

    members: tuple[MemberPath, ...]
    is_log: bool
    recording_ids: tuple[int, ...] | None
    selection: dict[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None
    range_length: int | None = None
    table: str = "rows"
    report_dir: str | None = None
    pushdown: bool = False
    ends: Ends | None = None
    stream: dict[str, Any] = field(default_factory=dict)
    payload: dict[str, str] = field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        """``strict`` or ``permissive``."""
        return "permissive" if is_permissive(self.selection) else "strict"


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ConfigurationError(name, "true or false", text)
    return text.lower() == "true"


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConfigurationError(name, "a whole number", text) from None


def _positive(name: str, text: str) -> int:
    value = _whole(name, text)
    if value <= 0:
        raise ConfigurationError(name, "a number above 0", text)
    return value


def _seconds(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(name, "a number of seconds", text) from None


def _text(_name: str, text: str) -> str:
    return text


def _directory(_name: str, text: str) -> str:
    return str(Path(text).absolute())  # tasks run in directories of their own


def _one_of(*words: str) -> _Parser:
    def parse(name: str, text: str) -> str:
        if text not in words:
            raise ConfigurationError(name, " or ".join(words), text)
        return text

    return parse


def _words(_name: str, text: str) -> tuple[str, ...]:
    return tuple(word for each in text.split(",") if (word := each.strip()))


def _numbers(name: str, text: str) -> tuple[int, ...]:
    return tuple(_whole(name, word) for word in _words(name, text))


def _time(_name: str, text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _ends(name: str, text: str) -> Ends:
    try:
        return tuple((str(place), int(id_), int(end)) for place, id_, end in json.loads(text))
    except (TypeError, ValueError):
        raise ConfigurationError(name, "what `load` made", text) from None


_LOG: Final[dict[str, _Parser]] = {
    "from_time": _time,
    "to_time": _time,
    "time_unit": _text,
    "time_slack_s": _seconds,
    "message_types": _words,
    "only_committed": _flag,
    "assume_committed": _flag,
}
_RECORDINGS: Final[dict[str, _Parser]] = {"assembled": _flag}
_BOTH: Final[dict[str, _Parser]] = {
    "from_position": _whole,
    "to_position": _whole,
    "from_term": _whole,
    "to_term": _whole,
    "sessions": _numbers,
    "mode": _one_of("strict", "permissive"),
}
_OF_THE_SOURCE: Final[dict[str, _Parser]] = {
    "columns": _words,
    "range_length": _positive,
    "table": _one_of("rows", "left_out"),
    "report_dir": _directory,
    "pushdown": _flag,
    "ends": _ends,
}
_STREAM: Final[dict[str, _Parser]] = {
    "max_bytes_per_batch": _positive,
    "on_purge": _one_of("fail", "skip"),
}
_PLACES: Final = ("path", "paths", "cluster_dirs", "recording")
# How payloads become columns is said by options of that room.
_PAYLOAD: Final = "payload"
# As the plan calls them, where that is another name.
_ARGUMENTS: Final = {"assembled": "is_assembled"}

OPTION_NAMES: Final = (*_PLACES, *_BOTH, *_LOG, *_RECORDINGS, *_OF_THE_SOURCE, *_STREAM)


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Return options as values.

    Raises
    ------
    ConfigurationError
        One is not known, does not belong to what is read, or has no such value.
    """
    given = {name.lower(): text for name, text in options.items()}
    for name in given:
        # Names with a dot are of tables' properties, which Spark hands over with the options.
        if name not in OPTION_NAMES and "." not in name and not name.startswith(_PAYLOAD):
            raise ConfigurationError("option", f"one of {', '.join(OPTION_NAMES)}", name)
    recording = given.get("recording", "log")
    is_log, recording_ids = _recording(recording)
    for name, text in given.items():
        if name in (_RECORDINGS if is_log else _LOG):
            raise ConfigurationError(name, f"no such option beside recording={recording}", text)
    members = _members(given)
    if not is_log and len(members) > 1:
        raise ConfigurationError("path", "one archive beside recording ids", len(members))
    selection = _parsed(given, {**_BOTH, **(_LOG if is_log else _RECORDINGS)})
    own = _parsed(given, _OF_THE_SOURCE)
    stream = _parsed(given, _STREAM)
    leaves_out = is_permissive(selection) or stream.get("on_purge") == "skip"
    if not leaves_out and ("report_dir" in own or own.get("table") == "left_out"):
        raise ConfigurationError("mode", "permissive where something may be left out", "strict")
    return SourceOptions(
        members,
        is_log,
        recording_ids,
        {_ARGUMENTS.get(name, name): value for name, value in selection.items()},
        stream=stream,
        payload={name: text for name, text in given.items() if name.startswith(_PAYLOAD)},
        **own,
    )


def is_permissive(selection: Mapping[str, Any]) -> bool:
    """Tell whether a pass goes on behind damage."""
    return selection.get("mode") == "permissive"


def option_text(value: object) -> str:
    """Return a value of Python's as the option that stands for it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return ",".join(map(str, value))
    return str(value)


def _parsed(given: Mapping[str, str], parsers: Mapping[str, _Parser]) -> dict[str, Any]:
    return {name: parse(name, given[name]) for name, parse in parsers.items() if name in given}


def _recording(text: str) -> tuple[bool, tuple[int, ...] | None]:
    """Return whether it is the log, and which recordings it names.

    ``log``, ``log:7``, ``all`` or ``3,5``.
    """
    kind, _, number = text.partition(":")
    if kind == "log":
        return True, (_whole("recording", number),) if number else None
    if text == "all":
        return False, None
    ids = _numbers("recording", text)
    if not ids:
        raise ConfigurationError("recording", "log, log:ID, all, or ids", text)
    return False, ids


def _members(given: Mapping[str, str]) -> tuple[MemberPath, ...]:
    if "path" not in given and "paths" not in given:
        raise ConfigurationError("path", "a node's directory or an archive directory", "none")
    paths = [str(each) for each in json.loads(given["paths"])] if "paths" in given else []
    if "path" in given:
        paths.insert(0, given["path"])
    if "cluster_dirs" not in given:
        return tuple(paths)
    cluster_dirs = _words("cluster_dirs", given["cluster_dirs"])
    if len(cluster_dirs) != len(paths):
        raise ConfigurationError(
            "cluster_dirs", f"one for each of {len(paths)} paths", cluster_dirs
        )
    return tuple(map(MemberDirectories, paths, cluster_dirs))
