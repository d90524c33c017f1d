"""Entries of recording logs compared with the log: terms, snapshots, and what they name.

Terms are in a row and begin where the log has them; snapshots are those of their position, in
complete sets; each entry names a recording of its own.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aeron_cluster.simulator.checks.plain_disk import PlainEntry, PlainRecording
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster

__all__ = ["check_backup_log", "check_bases", "check_recording_log", "check_sets"]

_OF_MODULE: Final = -1
_OPEN: Final = -1
_UNKNOWN: Final = -1


def check_recording_log(
    member_id: int,
    entries: Sequence[PlainEntry],
    model: PlainCluster,
    service_count: int,
    recordings: Mapping[int, PlainRecording],
) -> None:
    """Compare the entries of a member's recording log with the log.

    Parameters
    ----------
    member_id : int
    entries : sequence of PlainEntry
        That are valid.
    model : PlainCluster
    service_count : int
    recordings : mapping
        Those of the member's archive, by their ids.

    Raises
    ------
    InvariantError
        A term begins or ends elsewhere, or is missing; a set of snapshots is not complete, or
        has others; a recording is not there, or that of something else.
    """
    name = f"member {member_id}"
    terms = [each for each in entries if each.is_term]
    bases = {each.term_id: each.base_position for each in model.terms}
    for before, after in itertools.pairwise(terms):
        if (
            before.term_id >= after.term_id
            or before.base_position > after.base_position
            or before.log_position != after.base_position
            or before.recording_id != after.recording_id
        ):
            raise InvariantError(
                "recording logs have terms in a row", f"{name}: {before}, then {after}"
            )
    check_bases(name, terms, model)
    last_id = terms[-1].term_id if terms else _UNKNOWN
    if last_id < model.term_id:
        raise InvariantError(
            "recording logs have the terms of the log",
            f"{name}: terms up to {last_id}, the log is in {model.term_id}",
        )
    known = {each.term_id for each in terms}
    missing = [each for each in bases if terms and each not in known and each >= terms[0].term_id]
    if missing:
        raise InvariantError(
            "recording logs have the terms of the log", f"{name}: {missing} are missing"
        )
    if terms:
        _check_last_term(name, terms[-1], model)
    for entry in terms:
        _check_term(name, entry)
    snapshots = [each for each in entries if not each.is_term]
    check_sets(name, snapshots, model, service_count, member_id)
    _check_recordings(name, entries, recordings)


def _check_last_term(name: str, entry: PlainEntry, model: PlainCluster) -> None:
    """Check the end of the last term: it has none, or one that its member came to before."""
    if entry.log_position != _OPEN and not (
        entry.base_position <= entry.log_position <= model.position
    ):
        raise InvariantError(
            "recording logs have the terms of the log",
            f"{name}: {entry}, the log ends at {model.position}",
        )


def _check_term(name: str, entry: PlainEntry) -> None:
    """Check that a term is of no service.

    One that its leader did not append to the log may have a part of it all the same: what its
    member then copied from the next leader, whose log was longer, as upstream.
    """
    if entry.service_id != _OF_MODULE:
        raise InvariantError("recording logs have the terms of the log", f"{name}: {entry}")


def _check_recordings(
    name: str, entries: Sequence[PlainEntry], recordings: Mapping[int, PlainRecording]
) -> None:
    """Check that entries name recordings of their own: the log's, or that of one snapshot."""
    owners: dict[int, tuple[int, int]] = {}
    for entry in entries:
        owner = (_OPEN, _OF_MODULE) if entry.is_term else (entry.log_position, entry.service_id)
        if entry.recording_id not in recordings or (
            owners.setdefault(entry.recording_id, owner) != owner
        ):
            raise InvariantError(
                "recording logs name their recordings",
                f"{name}: {entry}, the archive has {sorted(recordings)}",
            )


def check_bases(name: str, entries: Iterable[PlainEntry], model: PlainCluster) -> None:
    """Check where the terms begin that members and backups have in their recording logs.

    Raises
    ------
    InvariantError
        One begins elsewhere in the log.
    """
    bases = {each.term_id: each.base_position for each in model.terms}
    for entry in entries:
        if bases.get(entry.term_id, entry.base_position) != entry.base_position:
            raise InvariantError(
                "recording logs have the terms of the log",
                f"{name}: {entry}, its term begins at {bases[entry.term_id]}",
            )


def check_backup_log(
    name: str, entries: Sequence[PlainEntry], model: PlainCluster, service_count: int
) -> None:
    """Compare the entries of a backup's recording log with the log.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    entries : sequence of PlainEntry
    model : PlainCluster
    service_count : int

    Raises
    ------
    InvariantError
        A term begins elsewhere, or has a time, which backups do not know; a snapshot is another
        one than at its position.
    """
    check_bases(name, entries, model)
    for entry in entries:
        if entry.is_term and (entry.timestamp, entry.service_id) != (_UNKNOWN, _OF_MODULE):
            raise InvariantError("backups have terms without a time", f"{name}: {entry}")
    check_sets(name, [each for each in entries if not each.is_term], model, service_count, None)


def check_sets(
    name: str,
    snapshots: Sequence[PlainEntry],
    model: PlainCluster,
    service_count: int,
    member_id: int | None,
) -> None:
    """Compare the entries of snapshots in a recording log with the requests for these.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    snapshots : sequence of PlainEntry
    model : PlainCluster
    service_count : int
    member_id : int, optional
        The member that took them; None of a backup, whose copies may be a leader's.

    Raises
    ------
    InvariantError
        One was not requested, or is of another term, or a set is not complete.
    """
    sets: dict[int, list[PlainEntry]] = {}
    for entry in snapshots:
        sets.setdefault(entry.log_position, []).append(entry)
    for position, entries in sets.items():
        requested = model.requested.get(position)
        if requested is None:
            raise InvariantError("snapshots were requested", f"{name}: {entries[0]}")
        event, term = requested.event, requested.term
        for entry in entries:
            found = entry.term_id, entry.base_position, entry.timestamp
            # Without services a leader writes the time at which it takes the snapshot.
            is_known = service_count or member_id not in (None, term.leader_id)
            timestamp = event.timestamp if is_known else entry.timestamp
            expected = event.term_id, term.base_position, timestamp
            if found != expected:
                raise InvariantError(
                    "recording logs have snapshots of their term",
                    f"{name}: {entry}, expected term, base and timestamp {expected}",
                )
        has = sorted(each.service_id for each in entries)
        owners = {_OF_MODULE, *range(service_count)}
        if not set(has) <= owners or (_OF_MODULE in has and not owners <= set(has)):
            raise InvariantError(
                "sets of snapshots are complete", f"{name}, at {position}: of services {has}"
            )
