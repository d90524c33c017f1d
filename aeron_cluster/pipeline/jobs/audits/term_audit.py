"""Compare the leadership terms of a log with those in its recording log.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.jobs.audits.findings import Finding, FindingKind
from aeron_cluster.pipeline.scan.frame_boundaries import find_frame

if TYPE_CHECKING:
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.audits.log_walk import LogWalk, TermBegin
    from aeron_cluster.pipeline.jobs.member_log import MemberLog

__all__ = ["check_terms", "check_terms_of_others"]

_BASE_OFFSET: Final = 16
_END_OFFSET: Final = 24
_NO_POSITION: Final = -1
# The entry that begins a term; if the term buffer has no room for it, it is in the next one.
_ENTRY_LENGTH: Final = 128


def check_terms(
    files: Files, log: MemberLog, walk: LogWalk, reported: Collection[int] = ()
) -> list[Finding]:
    """Return the findings for the terms of one member.

    Parameters
    ----------
    files : Files
    log : MemberLog
        The member, with a recording log.
    walk : LogWalk
        The walk of its log.
    reported : collection of int
        The positions at which the log is known to be wrong; terms that begin there are not reported
        again.
    """
    noted = log.terms
    first_noted = min(noted, default=None)
    found: list[Finding] = []

    def is_reported(begin: int) -> bool:
        return any(begin <= position < begin + _ENTRY_LENGTH for position in reported)

    walk = replace(walk, terms=tuple(it for it in walk.terms if not is_reported(it.position)))
    for term in walk.terms:
        found += _check_begin(log, term)
        entry = noted.get(term.leadership_term_id)
        if entry is None:
            # The recording log of a backup begins with the terms at the time of its start.
            if first_noted is None or term.leadership_term_id > first_noted:
                found.append(_unrecorded_term(log, term))
        elif entry.term_base_log_position != term.term_base_log_position:
            found.append(
                _wrong_boundary(log, entry, "start", term.position, term.term_base_log_position)
            )
    by_id = {each.leadership_term_id: each for each in walk.terms}
    for entry in noted.values():
        if entry.leadership_term_id not in by_id and not is_reported(entry.term_base_log_position):
            found += _check_empty(log, walk, entry)
        if not is_reported(entry.log_position):
            found += _check_end(files, log, walk, entry)
    return found


def _check_begin(log: MemberLog, term: TermBegin) -> list[Finding]:
    gap = term.position - term.term_base_log_position
    has_new_term = term.position % log.piece.term_length == 0
    if gap == 0 or (has_new_term and 0 < gap < _ENTRY_LENGTH):
        return []
    return [
        Finding(
            FindingKind.TERM_BOUNDARY,
            log.name,
            term.position,
            f"base of leadership term {term.leadership_term_id} in the log",
            str(term.position),
            str(term.term_base_log_position),
        )
    ]


def _unrecorded_term(log: MemberLog, term: TermBegin) -> Finding:
    return Finding(
        FindingKind.MISSING_TERM,
        log.name,
        term.position,
        f"leadership term {term.leadership_term_id} in the recording log",
        f"one from {term.term_base_log_position} on, as in the log",
        "none",
        log.recording_log_path,
    )


def _wrong_boundary(
    log: MemberLog, entry: Entry, which: str, position: int, expected: int
) -> Finding:
    is_start = which == "start"
    found = entry.term_base_log_position if is_start else entry.log_position
    return Finding(
        FindingKind.TERM_BOUNDARY,
        log.name,
        position,
        f"{which} of leadership term {entry.leadership_term_id} in the recording log",
        f"{expected}, as in the log",
        str(found),
        log.recording_log_path,
        entry.offset + (_BASE_OFFSET if is_start else _END_OFFSET),
    )


def _check_empty(log: MemberLog, walk: LogWalk, entry: Entry) -> list[Finding]:
    """Check a term that does not begin in the log: some leaders never append anything."""
    base = entry.term_base_log_position
    piece = log.piece
    is_purged_or_new = not piece.start_position <= base < piece.end_position
    if is_purged_or_new or entry.log_position == base or walk.is_damaged(base):
        return []
    return [
        Finding(
            FindingKind.MISSING_TERM,
            log.name,
            base,
            f"leadership term {entry.leadership_term_id} in the log",
            f"one from {base} on, as in the recording log",
            "none",
            log.recording_log_path,
            entry.offset,
        )
    ]


def _check_end(files: Files, log: MemberLog, walk: LogWalk, entry: Entry) -> list[Finding]:
    end = entry.log_position
    piece = log.piece
    if end == _NO_POSITION or not piece.start_position <= end or walk.damage:
        return []
    following = [each for each in walk.terms if each.leadership_term_id > entry.leadership_term_id]
    # A term before the log may be followed by empty terms.
    if following and _has_entries_in(log, walk, entry):
        expected = following[0].term_base_log_position
        return [] if end == expected else [_wrong_boundary(log, entry, "end", expected, expected)]
    if following:
        return []
    if end > piece.end_position:
        return [_wrong_boundary(log, entry, "end", piece.end_position, piece.end_position)]
    try:
        border = find_frame(files, piece, end)
    except SegmentError:
        return []  # reported by the walk, unless it was removed only now
    return [] if border == end else [_wrong_boundary(log, entry, "end", end, border)]


def _has_entries_in(log: MemberLog, walk: LogWalk, entry: Entry) -> bool:
    """Return whether a term has entries in the log: it begins in it, or contains its start."""
    if any(each.leadership_term_id == entry.leadership_term_id for each in walk.terms):
        return True
    start = log.piece.start_position
    if walk.terms[0].position == start:
        return False
    before = [
        each.leadership_term_id
        for each in log.terms.values()
        if each.term_base_log_position < start
        and each.leadership_term_id < walk.terms[0].leadership_term_id
        and each.log_position != each.term_base_log_position
    ]
    return bool(before) and entry.leadership_term_id == max(before)


def check_terms_of_others(logs: Sequence[MemberLog], walks: Sequence[LogWalk]) -> list[Finding]:
    """Return findings where recording logs disagree about terms that were purged.

    If another member's log has the term, it decides; else the majority, or else the first member.
    """
    bases: dict[int, Counter[int]] = {}
    for log, walk in zip(logs, walks, strict=True):
        own = {each.leadership_term_id: each.term_base_log_position for each in walk.terms}
        noted = {term: entry.term_base_log_position for term, entry in log.terms.items()}
        for term, base in (noted | own).items():
            bases.setdefault(term, Counter())[base] += len(logs) if term in own else 1
    found = []
    for log, walk in zip(logs, walks, strict=True):
        in_log = {each.leadership_term_id for each in walk.terms}
        for term, entry in log.terms.items():
            base = entry.term_base_log_position
            expected = bases[term].most_common(1)[0][0]
            is_purged = term not in in_log and base < log.piece.start_position
            if is_purged and base != expected:
                finding = _wrong_boundary(log, entry, "start", base, expected)
                found.append(replace(finding, expected=f"{expected}, as others have it"))
    return found
