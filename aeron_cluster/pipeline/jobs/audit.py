"""Compare the members of a cluster: logs, terms and snapshots.

No counterpart in Aeron; directories of Java's members are supported too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.jobs.audits.findings import (
    AuditedMember,
    AuditReport,
    Finding,
    FindingKind,
)
from aeron_cluster.pipeline.jobs.audits.frame_difference import name_difference, name_lost_end
from aeron_cluster.pipeline.jobs.audits.log_comparison import LogComparison, compare_logs
from aeron_cluster.pipeline.jobs.audits.log_walk import LogWalk, walk_log
from aeron_cluster.pipeline.jobs.audits.snapshot_audit import (
    compare_snapshots,
    find_stale,
    read_snapshots,
)
from aeron_cluster.pipeline.jobs.audits.term_audit import check_terms, check_terms_of_others
from aeron_cluster.pipeline.jobs.member_log import MemberLog, open_logs
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.scan.pieces import MAX_POSITION

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath

__all__ = ["audit"]


def audit(
    *members: MemberPath,
    recording_id: int | None = None,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> AuditReport:
    """Check whether members of a cluster have the same log, terms and snapshots.

    Every frame of each log is read and compared byte for byte with another log's, except for
    session and stream ids. Terms of the log are compared with the recording log, and snapshots with
    their entries and with each other.

    Parameters
    ----------
    *members : str, PathLike or MemberDirectories
        A node's directory, or a URL of it, for each member; with only one, its log is compared with
        its own recording log and snapshots.
    recording_id : int, optional
        The recording of the log; by default from the recording log, or the only one of stream 100.
    progress : callable, optional
        Called with the name of the current step, its completed bytes and its total bytes.
    files : Files, optional
        The file seam; by default local files and URLs.

    Returns
    -------
    AuditReport
        A difference after the known commit position is only a note if the logs have different
        leadership terms there: the cluster removes such entries.

    Raises
    ------
    ConfigurationError, MissingFileError
        The log is missing.
    CorruptError
        A catalog or a recording log is damaged. Damage of the log itself is a finding.
    """
    files = files or any_files()
    logs = open_logs(files, members, recording_id, "permissive")
    walks = [walk_log(files, each.piece, each.name, progress) for each in logs]
    findings: list[Finding] = []
    notes: list[str] = []
    committed, compared = _compare(files, logs, walks, findings, notes, progress)
    _report_damage(logs, walks, findings)
    for log, walk in zip(logs, walks, strict=True):
        if log.directories.cluster_dir is None:
            notes.append(f"{log.name}: no recording log to compare its terms with")
        else:
            reported = [
                each.position
                for each in findings
                if each.member == log.name and each.kind is FindingKind.DIFFERENT_BYTE
            ]
            findings += check_terms(files, log, walk, reported)
    findings += check_terms_of_others(logs, walks)
    snapshots = []
    for index, log in enumerate(logs):
        progress("read snapshots", index, len(logs))
        read, found = read_snapshots(files, log)
        snapshots.append(read)
        findings += found
    progress("read snapshots", len(logs), len(logs))
    findings += find_stale(logs)
    findings += compare_snapshots(files, logs, snapshots)
    audited = tuple(
        AuditedMember(
            log.name,
            log.piece.archive_dir,
            log.piece.recording_id,
            log.piece.start_position,
            log.piece.end_position,
            len(walk.terms),
            len(read),
        )
        for log, walk, read in zip(logs, walks, snapshots, strict=True)
    )
    return AuditReport(audited, committed, compared, tuple(findings), tuple(notes))


def _compare(
    files: Files,
    logs: Sequence[MemberLog],
    walks: Sequence[LogWalk],
    findings: list[Finding],
    notes: list[str],
    progress: Progress,
) -> tuple[int, int]:
    """Compare the logs; return the commit position, and the number of equal bytes."""
    lengths = Counter(each.piece.term_length for each in logs)
    ((term_length, _),) = lengths.most_common(1)  # the first one if several are equally common
    alike = [each for each in logs if each.piece.term_length == term_length]
    findings += [
        Finding(
            FindingKind.UNREADABLE,
            each.name,
            each.piece.start_position,
            "term length of the recording",
            f"{term_length} as {alike[0].name} has it",
            str(each.piece.term_length),
            each.piece.archive_dir,
        )
        for each in logs
        if each not in alike
    ]
    walk_of = {id(log): walk for log, walk in zip(logs, walks, strict=True)}
    starts = sorted({each.piece.start_position for each in alike})
    committed, length = -1, 0
    # Parts that some members have purged are still compared between the others.
    for begin, limit in zip(starts, [*starts[1:], MAX_POSITION], strict=True):
        there = [
            each
            for each in alike
            if each.piece.start_position <= begin
            # A lagging member counts towards a majority.
            and (begin < each.piece.end_position or limit == MAX_POSITION)
        ]
        compared = compare_logs(files, there, progress, begin, limit)
        length += compared.compared_length
        committed = compared.committed_position
        if limit < MAX_POSITION:
            # Only a part before a snapshot is purged, and that part is committed.
            compared = replace(compared, committed_position=limit)
        elif len(there) > 1 and not compared.has_majority:
            notes.append(f"no majority has the same log up to {compared.committed_position}")
        _report_differences(files, there, walk_of, compared, findings, notes)
        _report_ends(files, there, (begin, limit), compared, findings, notes)
    return committed, length


def _report_differences(
    files: Files,
    logs: Sequence[MemberLog],
    walk_of: Mapping[int, LogWalk],
    compared: LogComparison,
    findings: list[Finding],
    notes: list[str],
) -> None:
    """Report differences of logs whose earlier part was not compared."""
    reference = logs[compared.reference]
    reported = {each.member for each in findings}
    for index, log in enumerate(logs):
        if not compared.differs(index) or log.name in reported:
            continue
        position = compared.same_up_to[index]
        terms = [walk_of[id(each)].term_at(position) for each in (log, reference)]
        if position < compared.committed_position or terms[0] == terms[1]:
            pair = (log, reference)
            # With two logs, the unreadable one is wrong.
            if not compared.has_majority_at(position) and _is_unreadable(pair, walk_of, position):
                pair = (reference, log)
            findings.append(name_difference(files, *pair, position))
        else:
            notes.append(
                f"{log.name}: has another leadership term than {reference.name} from"
                f" {position} on, which is not known to be committed"
            )


def _report_ends(
    files: Files,
    logs: Sequence[MemberLog],
    places: tuple[int, int],
    compared: LogComparison,
    findings: list[Finding],
    notes: list[str],
) -> None:
    """Report logs that end between two positions, without a difference."""
    reference = logs[compared.reference]
    reported = {each.member for each in findings}
    for index, log in enumerate(logs):
        if index == compared.reference or compared.differs(index) or log.name in reported:
            continue
        end = log.piece.end_position
        if places[0] <= end < places[1]:
            _report_end(files, log, reference, compared, findings, notes)
        elif end < places[0] and not any(
            each is not log and each.piece.start_position <= end for each in logs
        ):
            notes.append(f"{log.name}: no common part with {reference.name}, which purged it")


def _is_unreadable(
    pair: tuple[MemberLog, MemberLog], walk_of: Mapping[int, LogWalk], position: int
) -> bool:
    """Return whether the second of two logs cannot be read at a position, and the first can."""
    first, second = (walk_of[id(each)].is_damaged(position) for each in pair)
    return second and not first


def _report_end(
    files: Files,
    log: MemberLog,
    reference: MemberLog,
    compared: LogComparison,
    findings: list[Finding],
    notes: list[str],
) -> None:
    """Report a log that ends without a difference."""
    end = log.piece.end_position
    if end >= reference.piece.end_position:
        return
    lost = name_lost_end(files, log, reference, is_committed=end < compared.committed_position)
    if lost is not None:
        findings.append(lost)
    elif end < compared.committed_position:
        notes.append(f"{log.name}: ends at {end}, before the commit position: it lags")


def _report_damage(
    logs: Sequence[MemberLog], walks: Sequence[LogWalk], findings: list[Finding]
) -> None:
    """Report unreadable parts that no difference covers or explains."""
    reported = list(findings)
    for log, walk in zip(logs, walks, strict=True):
        for each in walk.damage:
            # After a differing frame, the walk may see frames at wrong positions.
            term = log.piece.term_begin(each.from_position)
            after = each.from_position + 32
            if not any(it.member == log.name and term <= it.position < after for it in reported):
                findings.append(
                    Finding(
                        FindingKind.UNREADABLE,
                        log.name,
                        each.from_position,
                        each.what,
                        each.expected,
                        each.found,
                        each.segment,
                        each.offset,
                    )
                )
