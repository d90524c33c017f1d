"""The options of the Spark source, parsed from strings.

No counterpart in Aeron.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.members import MemberDirectories, MemberPath
from aeron_cluster.pipeline.files.urls import absolute
from aeron_cluster.pipeline.scan.pieces import Mode
from aeron_cluster.pipeline.scan.replayed_segments import RemoteArchive
from aeron_cluster.pipeline.spark.option_values import (
    Ends,
    Parser,
    as_is,
    directory,
    ends,
    flag,
    numbers,
    one_of,
    positive,
    seconds,
    time,
    whole,
    words,
)

__all__ = ["OPTION_NAMES", "SourceOptions", "is_permissive", "option_text", "parse_options"]


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The options of the source.

    Parameters
    ----------
    members : tuple of str or MemberDirectories
    is_log : bool
        Whether the log is read; otherwise recordings.
    recording_ids : tuple of int, optional
        The recordings to read, by default all; for a log one id, or none to use the recording log.
    selection : dict
        The arguments of `plan_log` or `plan_recordings` that were given.
    columns : tuple of str, optional
    range_length : int, optional
        The number of bytes of the stream that a task reads.
    table : str
        ``rows``, or ``left_out`` for the parts that a permissive pass could not read.
    report_dir : str, optional
        The directory for tasks' reports of skipped parts.
    ends : Ends, optional
        The ends of recordings, if already determined.
    stream : dict
        Only for streams.
    payload : dict of str
        The options for `decoder_from_options`.
    remote : RemoteArchive, optional
        The archive that replays recordings, instead of directories.
    """

    members: tuple[MemberPath, ...]
    is_log: bool
    recording_ids: tuple[int, ...] | None
    selection: dict[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None
    range_length: int | None = None
    table: str = "rows"
    report_dir: str | None = None
    ends: Ends | None = None
    stream: dict[str, Any] = field(default_factory=dict)
    payload: dict[str, str] = field(default_factory=dict)
    remote: RemoteArchive | None = None

    @property
    def mode(self) -> Mode:
        """``strict`` or ``permissive``."""
        return "permissive" if is_permissive(self.selection) else "strict"


_LOG: Final[dict[str, Parser]] = {
    "from_time": time,
    "to_time": time,
    "time_unit": as_is,
    "time_slack_s": seconds,
    "message_types": words,
    "only_committed": flag,
    "assume_committed": flag,
}
_RECORDINGS: Final[dict[str, Parser]] = {"assembled": flag}
_BOTH: Final[dict[str, Parser]] = {
    "from_position": whole,
    "to_position": whole,
    "from_term": whole,
    "to_term": whole,
    "sessions": numbers,
    "mode": one_of("strict", "permissive"),
}
# The options that filter rows.
_BOUNDS: Final = (
    "from_position",
    "to_position",
    "from_term",
    "to_term",
    "sessions",
    "message_types",
)
_OF_THE_SOURCE: Final[dict[str, Parser]] = {
    "columns": words,
    "range_length": positive,
    "table": one_of("rows", "left_out"),
    "report_dir": directory,
    "ends": ends,
}
_STREAM: Final[dict[str, Parser]] = {
    "max_bytes_per_batch": positive,
    "on_purge": one_of("fail", "skip"),
}
_REMOTE: Final[dict[str, Parser]] = {
    "control_channel": as_is,
    "response_channel": as_is,
    "replay_channel": as_is,
    "aeron_dir": as_is,
}
_PLACES: Final = ("path", "paths", "cluster_dirs", "recording")
# The prefix of the decoders' options.
_PAYLOAD: Final = "payload"
# The names in the plan, if different.
_ARGUMENTS: Final = {"assembled": "is_assembled"}

OPTION_NAMES: Final = (
    *_PLACES,
    *_BOTH,
    *_LOG,
    *_RECORDINGS,
    *_OF_THE_SOURCE,
    *_STREAM,
    *_REMOTE,
)


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Return options as values.

    Raises
    ------
    ConfigurationError
        An option is unknown, does not apply, or has an invalid value.
    """
    given = {name.lower(): text for name, text in options.items()}
    if "pushdown" in given:
        hint = (
            "Spark keeps one plan for each load, so a frame that was filtered twice had wrong"
            f" rows: load again for each query, with {', '.join(_BOUNDS)}"
        )
        raise ConfigurationError("pushdown", "no removed option", given["pushdown"], hint)
    for name in given:
        # Names with a dot are table properties, which Spark passes with the options.
        if name not in OPTION_NAMES and "." not in name and not name.startswith(_PAYLOAD):
            raise ConfigurationError("option", f"one of {', '.join(OPTION_NAMES)}", name)
    recording = given.get("recording", "log")
    is_log, recording_ids = _recording(recording)
    for name, text in given.items():
        if name in (_RECORDINGS if is_log else _LOG):
            raise ConfigurationError(name, f"no such option beside recording={recording}", text)
    remote = _remote(given, recording, is_log=is_log)
    members = () if remote is not None else _members(given)
    if not is_log and len(members) > 1:
        raise ConfigurationError("path", "one archive beside recording ids", len(members))
    selection = _parsed(given, {**_BOTH, **(_LOG if is_log else _RECORDINGS)})
    own = _parsed(given, _OF_THE_SOURCE)
    stream = _parsed(given, _STREAM)
    leaves_out = is_permissive(selection) or stream.get("on_purge") == "skip"
    if not leaves_out and ("report_dir" in own or own.get("table") == "left_out"):
        raise ConfigurationError("mode", "permissive with table=left_out", "strict")
    return SourceOptions(
        members,
        is_log,
        recording_ids,
        {_ARGUMENTS.get(name, name): value for name, value in selection.items()},
        stream=stream,
        remote=remote,
        payload={name: text for name, text in given.items() if name.startswith(_PAYLOAD)},
        **own,
    )


def is_permissive(selection: Mapping[str, Any]) -> bool:
    """Return whether a pass continues after damage."""
    return selection.get("mode") == "permissive"


def option_text(value: object) -> str:
    """Return the option for a Python value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return ",".join(map(str, value))
    return str(value)


def _parsed(given: Mapping[str, str], parsers: Mapping[str, Parser]) -> dict[str, Any]:
    return {name: parse(name, given[name]) for name, parse in parsers.items() if name in given}


def _recording(text: str) -> tuple[bool, tuple[int, ...] | None]:
    """Return whether the log is read, and the recording ids.

    ``log``, ``log:7``, ``all`` or ``3,5``.
    """
    kind, _, number = text.partition(":")
    if kind == "log":
        return True, (whole("recording", number),) if number else None
    if text == "all":
        return False, None
    ids = numbers("recording", text)
    if not ids:
        raise ConfigurationError("recording", "log, log:ID, all, or ids", text)
    return False, ids


def _remote(given: Mapping[str, str], recording: str, *, is_log: bool) -> RemoteArchive | None:
    remote = _parsed(given, _REMOTE)
    if not remote:
        return None
    if "control_channel" not in remote:
        raise ConfigurationError("control_channel", "that of an archive", "none")
    if is_log:
        raise ConfigurationError("recording", "ids, of an archive that replays", recording)
    for name in ("path", "paths", "cluster_dirs"):
        if name in given:
            raise ConfigurationError(name, "none beside control_channel", given[name])
    return RemoteArchive(**remote)


def _members(given: Mapping[str, str]) -> tuple[MemberPath, ...]:
    if "path" not in given and "paths" not in given:
        raise ConfigurationError("path", "a node's directory or an archive directory", "none")
    paths = [str(each) for each in json.loads(given["paths"])] if "paths" in given else []
    if "path" in given:
        paths.insert(0, given["path"])
    if "cluster_dirs" not in given:
        return tuple(paths)
    cluster_dirs = words("cluster_dirs", given["cluster_dirs"])
    if len(cluster_dirs) != len(paths):
        raise ConfigurationError(
            "cluster_dirs", f"one for each of {len(paths)} paths", cluster_dirs
        )
    # Absolute paths: tasks run in other directories.
    return tuple(
        MemberDirectories(absolute(path), absolute(cluster_dir))
        for path, cluster_dir in zip(paths, cluster_dirs, strict=True)
    )
