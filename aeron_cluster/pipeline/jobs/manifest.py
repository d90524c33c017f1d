"""The manifest of a compaction: its files and their parts of the log.

No counterpart in Aeron. The manifest is the file ``manifest.json``, which is replaced atomically.
Each part has a digest of itself and the previous part, so that a missing part is detected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aeron_cluster.errors import CorruptError, VersionError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "MANIFEST_NAME",
    "Manifest",
    "Part",
    "PartFile",
    "find_damage",
    "read_manifest",
    "write_manifest",
]

_T = TypeVar("_T", "Manifest", "Part", "PartFile")

MANIFEST_NAME: Final = "manifest.json"
_FORMAT: Final = "aeron_cluster compaction"
_VERSION: Final = 1
_UNITS: Final = ("", "ms", "us", "ns")


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file of a part.

    Parameters
    ----------
    path : str
        The path relative to the directory of the compaction.
    rows : int
    length : int
        The length in bytes.
    sha256 : str
    """

    path: str
    rows: int
    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the log with its files.

    Parameters
    ----------
    from_position, to_position : int
        The start and end in the log: each is at a message boundary.
    rows, row_length : int
        The number of messages, and their length in the log.
    frame_count, frame_length : int
        The number and bytes of frames with data, counted separately.
    torn_length : int
        The number and bytes of frames of incomplete messages, which have no rows.
    padding_length : int
        The bytes of padding.
    last_position : int
        The position of the last message; -1 without one.
    files : tuple of PartFile
        The files, one for each date.
    digest : str
        The digest of these fields and the previous part's digest.
    """

    from_position: int
    to_position: int
    rows: int
    row_length: int
    frame_count: int
    frame_length: int
    torn_length: int
    padding_length: int
    last_position: int
    files: tuple[PartFile, ...]
    digest: str = ""

    def sealed(self, before: str) -> Part:
        """Return the part with its digest.

        Parameters
        ----------
        before : str
            The digest of the previous part; empty for the first.
        """
        fields_of = {**asdict(self), "digest": before}
        text = json.dumps(fields_of, sort_keys=True, separators=(",", ":"))
        return replace(self, digest=sha256(text.encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a compaction.

    Parameters
    ----------
    from_position : int
        The start position, in bytes of the log.
    initial_term_id, term_length : int
        Properties that identify the log.
    columns : tuple of str
    part_length : int
        The length of a part, in bytes of the log.
    compression : str
        The compression of the files.
    time_unit : str
        The unit of the log's times, ``ms``, ``us`` or ``ns``; empty until something is written.
    parts : tuple of Part
    pending : int
        The end position of the parts that are being written; -1: none.
    border : str
        The digest of the last message of the last part, which identifies the log; empty: none.
    border_position : int
        The position of that message.
    """

    from_position: int
    initial_term_id: int
    term_length: int
    columns: tuple[str, ...]
    part_length: int
    compression: str
    time_unit: str
    parts: tuple[Part, ...] = ()
    pending: int = -1
    border: str = ""
    border_position: int = -1

    @property
    def to_position(self) -> int:
        """The position up to which the log is written."""
        return self.parts[-1].to_position if self.parts else self.from_position

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(part.rows for part in self.parts)

    def with_part(self, part: Part) -> Manifest:
        """Return the manifest with one more part."""
        before = self.parts[-1].digest if self.parts else ""
        return replace(self, parts=(*self.parts, part.sealed(before)))


def find_damage(manifest: Manifest) -> Iterator[tuple[str, str, str, str]]:
    """Yield the inconsistencies of a manifest.

    Yields
    ------
    tuple of str
        The part or the manifest, the field, the expected and the found value.
    """
    end, digest, border = manifest.from_position, "", -1
    for part in manifest.parts:
        name = f"part {part.from_position} to {part.to_position}"
        if part.from_position != end:
            yield name, "begin", str(end), str(part.from_position)
        sealed = part.sealed(digest).digest
        if sealed != part.digest:
            yield name, "digest", sealed, part.digest
        end, digest = part.to_position, part.digest
        border = max(border, part.last_position)
    if border != manifest.border_position:
        yield MANIFEST_NAME, "last message", str(border), str(manifest.border_position)
    if manifest.pending != -1 and manifest.pending <= end:
        yield MANIFEST_NAME, "pending", f"-1, or after {end}", str(manifest.pending)


def write_manifest(files: Files, directory: str, manifest: Manifest) -> None:
    """Write the manifest durably, replacing the previous one."""
    value = {"format": _FORMAT, "version": _VERSION, **asdict(manifest)}
    text = json.dumps(value, indent=1) + "\n"
    files.replace(f"{directory}/{MANIFEST_NAME}", text.encode())


def read_manifest(files: Files, directory: str) -> Manifest | None:
    """Return the manifest of a compaction; None without one.

    Raises
    ------
    CorruptError, VersionError
        The manifest is invalid, or has another version.
    """
    path = f"{directory}/{MANIFEST_NAME}"
    if not files.is_file(path):
        return None
    try:
        value = json.loads(files.read(path))
        version = value.pop("version") if value.pop("format") == _FORMAT else None
        if version == _VERSION:
            return _manifest(value)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptError(path, 0, "manifest", "that of a compaction", repr(error)) from error
    raise VersionError(path, 0, "version", _VERSION, version)


def _manifest(value: dict[str, Any]) -> Manifest:
    parts = []
    for part in value["parts"]:
        files = tuple(_checked(PartFile(**file)) for file in part["files"])
        for file in files:
            if ".." in PurePosixPath(file.path).parts or file.path.startswith("/"):
                raise ValueError(file.path)
        parts.append(_checked(Part(**{**part, "files": files})))
    known = {each.name for each in fields(Manifest)}
    if set(value) != known:
        raise KeyError(", ".join(sorted(set(value) ^ known)))
    columns = tuple(value["columns"])
    if value["time_unit"] not in _UNITS or (parts and not value["time_unit"]):
        raise ValueError(value["time_unit"])
    return _checked(Manifest(**{**value, "parts": tuple(parts), "columns": columns}))


def _checked(value: _T) -> _T:
    """Return a value after checking the types of its fields."""
    for each in fields(value):
        wanted = {"int": int, "str": str}.get(str(each.type))
        found = getattr(value, each.name)
        if wanted is not None and type(found) is not wanted:
            raise TypeError(f"{each.name}: {found!r}")
    return value
