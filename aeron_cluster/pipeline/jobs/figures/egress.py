"""Compare recorded egress of a cluster with the requests in its log.

No counterpart in Aeron. An egress message has the cluster time of the log entry that the service
was processing, so both sides use the same clock.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.pipeline.files.members import find_member
from aeron_cluster.pipeline.jobs.figures.distribution import Distribution
from aeron_cluster.pipeline.jobs.figures.outlier_times import outlier_time
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema
from aeron_cluster.pipeline.scan.log_times import NS_PER_S
from aeron_cluster.pipeline.sources.plans import plan_recordings

if TYPE_CHECKING:
    import numpy.typing as npt

    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.figures.entries import Entries

__all__ = ["Answered", "Answers", "EgressRecording", "Moment", "compare_egress"]

_HEADER: Final = np.dtype(
    [
        ("block_length", "<u2"),
        ("template", "<u2"),
        ("schema", "<u2"),
        ("version", "<u2"),
        ("term", "<i8"),
        ("session", "<i8"),
        ("time", "<i8"),
    ]
)


class EgressRecording(NamedTuple):
    """A recording of the egress of one or several clients.

    Parameters
    ----------
    archive_dir : path-like
    recording_id : int
    """

    archive_dir: str | os.PathLike[str]
    recording_id: int


class Moment(NamedTuple):
    """The time of an entry: leadership term and timestamp, as each term has its own clock.

    Parameters
    ----------
    term, time : int
    """

    term: int
    time: int


@dataclass(slots=True)
class Answered:
    """The requests and answers of one session.

    Parameters
    ----------
    requested, answered : int
        The number of requests in the log, and of answers in the recordings.
    unrequested : int
        Answers before the first request in the selected part of the log.
    total_delay, longest_delay : int
        The delays of the other answers, in the log's unit.
    """

    requested: int = 0
    answered: int = 0
    unrequested: int = 0
    total_delay: int = 0
    longest_delay: int = 0


@dataclass(slots=True)
class Answers:
    """The answers of a cluster, compared with the requests.

    Parameters
    ----------
    unit_ns : int
        Of its times.
    timeline : Timeline
        Of ``requested`` and ``answered``.
    delays : Distribution
        The time from the session's last request to each answer, in cluster time.
    sessions : dict of int to Answered
    """

    unit_ns: int
    timeline: Timeline
    delays: Distribution
    sessions: dict[int, Answered] = field(default_factory=dict)
    _last_request_times: dict[int, int] = field(default_factory=dict)

    def add_requests(self, messages: Entries) -> None:
        """Add the next requests; answers before their last time are already counted."""
        ones = np.ones_like(messages.times)
        self.timeline.put(messages.times, requested=ones, answered=np.zeros_like(ones))
        sessions, counts = np.unique(messages.sessions, return_counts=True)
        for session, count in zip(sessions.tolist(), counts.tolist(), strict=True):
            self._of(session).requested += count
        self._last_request_times.update(
            zip(messages.sessions.tolist(), messages.times.tolist(), strict=True)
        )

    def answer(
        self,
        requested: Entries | None,
        sessions: npt.NDArray[np.int64],
        times: npt.NDArray[np.int64],
    ) -> None:
        """Count answers.

        Parameters
        ----------
        requested : Entries, optional
            The requests up to these answers that are not counted yet.
        sessions, times : numpy.ndarray
        """
        if not len(times):
            return
        ones = np.ones_like(times)
        self.timeline.put(times, requested=np.zeros_like(ones), answered=ones)
        known = [each for each in np.unique(sessions).tolist() if each in self._last_request_times]
        request_sessions = [np.array(known, np.int64)]
        request_times = [np.array([self._last_request_times[each] for each in known], np.int64)]
        if requested is not None:
            request_sessions.append(requested.sessions)
            request_times.append(requested.times)
        count = sum(map(len, request_sessions))
        all_sessions = np.concatenate([*request_sessions, sessions])
        all_times = np.concatenate([*request_times, times])
        is_answer = np.arange(len(all_times)) >= count
        order = np.lexsort((is_answer, all_times, all_sessions))
        all_sessions, all_times = all_sessions[order], all_times[order]
        is_answer = is_answer[order]
        last = np.maximum.accumulate(np.where(is_answer, -1, np.arange(len(order))))
        has_request = (last >= 0) & (all_sessions[last] == all_sessions)
        delays = np.where(has_request, all_times - all_times[last], -1)[is_answer]
        self._count(all_sessions[is_answer], delays)

    def _count(self, sessions: npt.NDArray[np.int64], delays: npt.NDArray[np.int64]) -> None:
        """Count answers sorted by session; a delay of -1 means that no request preceded it."""
        self.delays.record(delays[delays >= 0])
        begins = np.flatnonzero(np.append(True, sessions[1:] != sessions[:-1]))
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(sessions)], strict=True):
            found = delays[begin:end]
            request_sessions = found[found >= 0]
            session = self._of(int(sessions[begin]))
            session.answered += len(found)
            session.unrequested += len(found) - len(request_sessions)
            session.total_delay += int(request_sessions.sum())
            session.longest_delay = max(session.longest_delay, int(found.max()))

    def _of(self, session: int) -> Answered:
        return self.sessions.setdefault(session, Answered())


def compare_egress(
    files: Files,
    log: Iterable[Entries],
    recordings: Iterable[EgressRecording],
    unit_ns: int,
    timeline: Timeline,
    begin: Moment | None = None,
    end: Moment | None = None,
) -> Answers:
    """Compare the answers of a cluster with the requests, in one pass.

    Parameters
    ----------
    files : Files
    log : iterable of Entries
        The entries of the log, in order.
    recordings : iterable of EgressRecording
    unit_ns : int
        Of the log's times.
    timeline : Timeline
        The timeline of ``requested`` and ``answered``; it is filled.
    begin, end : Moment, optional
        For a part of the log, the times of its first and last entry: earlier and later answers are
        ignored.
    """
    found = Answers(unit_ns, timeline, Distribution(unit_ns))
    far = outlier_time(NS_PER_S // unit_ns)
    egress = [_Egress(files, each, far, begin, end) for each in recordings]
    for entries in log:
        messages = entries.messages().of_clients()
        if not len(messages):
            continue
        # The next batch may have more requests with the same time.
        now = int(messages.times.max())
        for each in egress:
            found.answer(messages, *each.before(now))
        found.add_requests(messages)
    for each in egress:
        found.answer(None, *each.before(None))
    return found


class _Egress:
    """Reads the messages of a recording in steps of time."""

    def __init__(
        self,
        files: Files,
        recording: EgressRecording,
        far: int,
        begin: Moment | None,
        end: Moment | None,
    ) -> None:
        self._far = far
        self._begin = begin
        self._end = end
        archive_dir = find_member(files, recording.archive_dir).archive_dir
        plan = plan_recordings(files, archive_dir, [recording.recording_id], columns=["payload"])
        schema = plan_schema(plan)
        self._batches: Iterator[Any] = (
            batch for part in plan.ranges for batch in arrow_batches(files, plan, part, [], schema)
        )
        self._rest = np.zeros(0, _HEADER)

    def before(self, limit: int | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the sessions and times of the next answers before a time, or of all."""
        parts = []
        while True:
            is_late = np.zeros(0, bool) if limit is None else self._rest["time"] >= limit
            if is_late.any():
                count = int(is_late.argmax())
                parts.append(self._rest[:count])
                self._rest = self._rest[count:]
                break
            parts.append(self._rest)
            batch = next(self._batches, None)
            if batch is None:
                self._rest = np.zeros(0, _HEADER)
                break
            self._rest = self._wanted(_messages(batch.column("payload")))
        found = np.concatenate(parts)
        return found["session"].copy(), found["time"].copy()

    def _wanted(self, messages: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the answers within the selected part of the log."""
        terms, times = messages["term"], messages["time"]
        # Entries with an invalid time are not used either.
        is_wanted = (-self._far < times) & (times < self._far)
        if self._begin is not None:
            term, time = self._begin
            is_wanted &= (terms > term) | (terms == term) & (times >= time)
        if self._end is not None:
            term, time = self._end
            is_wanted &= (terms < term) | (terms == term) & (times <= time)
        return messages[is_wanted]


def _messages(payloads: Any) -> npt.NDArray[Any]:
    """Return the headers of the session messages among payloads."""
    _, offsets, data = payloads.buffers()
    places = np.frombuffer(offsets, np.int32)[payloads.offset :][: len(payloads) + 1]
    begins = places[:-1][np.diff(places) >= _HEADER.itemsize]
    if not len(begins):
        return np.zeros(0, _HEADER)
    octets = np.frombuffer(data, np.uint8)
    matrix = octets[begins[:, None] + np.arange(_HEADER.itemsize)]
    headers: npt.NDArray[Any] = matrix.reshape(-1).view(_HEADER)
    is_message = headers["template"] == SessionMessageHeader.template_id
    is_message &= headers["schema"] == SessionMessageHeader.schema.schema_id
    messages: npt.NDArray[Any] = headers[is_message]
    return messages
