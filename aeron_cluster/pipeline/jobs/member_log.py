"""The logs of members with their recording logs.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aeron_cluster.cluster.state.mark_file import member_id_in
from aeron_cluster.cluster.state.recording_log import FILE_NAME, Entry, RecordingLog
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.members import MemberDirectories, MemberPath, find_member
from aeron_cluster.pipeline.scan.log_times import find_time_unit
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.plans import find_log

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Mode, Piece

__all__ = ["MemberLog", "open_logs"]


@dataclass(frozen=True, slots=True)
class MemberLog:
    """The log of a member.

    Parameters
    ----------
    name : str
        The member's name, such as ``member 0``; with its archive if that is not unique.
    directories : MemberDirectories
    piece : Piece
        The recording.
    entries : tuple of Entry
        The entries of the recording log; empty without a cluster directory.
    """

    name: str
    directories: MemberDirectories
    piece: Piece
    entries: tuple[Entry, ...]

    @property
    def recording_log_path(self) -> str:
        """The path of the recording log."""
        return f"{self.directories.cluster_dir}/{FILE_NAME}"

    @property
    def terms(self) -> dict[int, Entry]:
        """The terms in the recording log, by their ids."""
        return {each.leadership_term_id: each for each in self.entries if each.is_valid_term}

    @property
    def snapshots(self) -> tuple[Entry, ...]:
        """The valid snapshots in the recording log."""
        return tuple(each for each in self.entries if each.is_valid_snapshot)


def open_logs(
    files: Files,
    members: Sequence[MemberPath],
    recording_id: int | None = None,
    mode: Mode = "strict",
) -> list[MemberLog]:
    """Find the logs of members.

    Parameters
    ----------
    files : Files
    members : sequence of str, PathLike or MemberDirectories
    recording_id : int, optional
        The recording of each log; by default from the recording log, or the only one of its stream.
    mode : str
        Whether to ignore damage at the end of an active recording; its readers report it.

    Raises
    ------
    ConfigurationError, MissingFileError
        A log is missing, or no member is given.
    CorruptError
        A catalog or a recording log is damaged.
    """
    if not members:
        raise ConfigurationError("members", "at least one directory", "none")
    found = [
        _open(files, find_member(files, path), index, recording_id, mode)
        for index, path in enumerate(members)
    ]
    names = [each.name for each in found]
    return [
        replace(each, name=f"{each.name} in {each.directories.archive_dir}")
        if names.count(each.name) > 1
        else each
        for each in found
    ]


def _open(
    files: Files,
    member: MemberDirectories,
    index: int,
    recording_id: int | None,
    mode: Mode,
) -> MemberLog:
    if recording_id is None:
        recording_id = find_log(files, member)
    member_id = -1 if member.cluster_dir is None else member_id_in(files, member.cluster_dir)
    entries = _entries(files, member.cluster_dir)
    while True:
        (piece,) = read_pieces(files, member.archive_dir, [recording_id], mode)
        # A running node adds terms: the recording log and the recording are consistent if the
        # recording log has not changed in between.
        before, entries = entries, _entries(files, member.cluster_dir)
        if entries == before:
            break
    piece = replace(
        piece,
        member=member_id if member_id >= 0 else index,
        time_unit=find_time_unit(files, piece, entries),
    )
    return MemberLog(f"member {piece.member}", member, piece, entries)


def _entries(files: Files, cluster_dir: str | None) -> tuple[Entry, ...]:
    """Return the entries of a recording log; empty without a recording log."""
    if cluster_dir is None:
        return ()
    with RecordingLog(files, cluster_dir, writable=False) as recording_log:
        return recording_log.entries
