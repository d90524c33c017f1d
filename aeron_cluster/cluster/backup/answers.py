"""A backup's answers to queries of members before they purge their log.

No counterpart in Aeron: it is the query that backups send, and Java's members never send it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.members import NULL_VALUE, parse_members
from aeron_cluster.cluster.security.source_identity import canonical_host, host_of
from aeron_cluster.cluster.state.backup_response import backup_response
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import AeronClusterError, ConfigurationError
from aeron_cluster.memory.system.closeable import close_reporting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.state.recording_log import RecordingLog

__all__ = ["BackupAnswers"]

_MAX_WAITING: Final = 16
_ANSWER_TIMEOUT_NS: Final = 5_000_000_000


class _Answer:
    """A pending answer."""

    def __init__(self, message: bytes, registration_id: int, deadline_ns: int) -> None:
        self.message = message
        self.registration_id = registration_id
        self.deadline_ns = deadline_ns
        self.publication: ExclusivePublication | None = None


class BackupAnswers:
    """Answers members only: publications are added to their hosts only.

    Parameters
    ----------
    aeron : Aeron
    recording_log : RecordingLog
    error_handler : callable
    """

    def __init__(
        self,
        aeron: Aeron,
        recording_log: RecordingLog,
        error_handler: Callable[[Exception], object],
    ) -> None:
        self._aeron = aeron
        self._log = recording_log
        self._error_handler = error_handler
        self._hosts: frozenset[str] = frozenset()
        self._answers: list[_Answer] = []

    def set_members(self, members: str) -> None:
        """Store the list of members, as reported by one of them."""
        self._hosts = frozenset(
            canonical_host(host_of(member.consensus_endpoint)) for member in parse_members(members)
        )

    def on_query(self, query: codecs.BackupQuery, log_position: int, now_ns: int) -> None:
        """Handle a query.

        Parameters
        ----------
        query : BackupQuery
        log_position : int
            The recorded position of the log; if it is unknown (-1), nothing is sent.
        now_ns : int
        """
        if len(self._answers) >= _MAX_WAITING or not self._may_answer(query):
            return
        message = self._message(query, log_position)
        try:
            registration_id = self._aeron.async_add_exclusive_publication(
                query.response_channel, query.response_stream_id
            )
        except AeronClusterError as error:
            self._error_handler(error)
            return
        self._answers.append(_Answer(message, registration_id, now_ns + _ANSWER_TIMEOUT_NS))

    def _may_answer(self, query: codecs.BackupQuery) -> bool:
        try:
            channel = ChannelUri.parse(query.response_channel)
        except ConfigurationError:
            return False
        endpoint = channel.get("endpoint")
        if not channel.is_udp or endpoint is None or set(channel) - {"endpoint", "alias"}:
            return False
        return canonical_host(host_of(endpoint)) in self._hosts

    def _message(self, query: codecs.BackupQuery, log_position: int) -> bytes:
        """Offer the newest snapshot that the local log covers."""
        snapshots = [
            entry
            for entry in self._log.entries
            if entry.is_valid_snapshot and entry.log_position <= log_position
        ]
        newest = max((entry.log_position for entry in snapshots), default=NULL_VALUE)
        return backup_response(
            query.correlation_id,
            self._log.find_last_term(),
            (entry for entry in snapshots if entry.log_position == newest),
        )

    def do_work(self, now_ns: int) -> int:
        """Send pending answers as far as possible; return the number of completed ones."""
        if not self._answers:
            return 0
        waiting = [each for each in self._answers if not self._is_finished(each, now_ns)]
        count = len(self._answers) - len(waiting)
        self._answers = waiting
        return count

    def _is_finished(self, answer: _Answer, now_ns: int) -> bool:
        try:
            if answer.publication is None:
                answer.publication = self._aeron.get_exclusive_publication(answer.registration_id)
            publication = answer.publication
            is_sent = publication is not None and publication.offer(answer.message) > 0
        except AeronClusterError as error:
            self._error_handler(error)
            if answer.publication is not None:
                self._drop(answer)
            return True
        if is_sent or now_ns >= answer.deadline_ns:
            self._drop(answer)
            return True
        return False

    def _drop(self, answer: _Answer) -> None:
        if answer.publication is not None:
            close_reporting(answer.publication.close, self._error_handler)
        else:
            close_reporting(
                partial(self._aeron.abandon, answer.registration_id), self._error_handler
            )

    def close(self) -> None:
        """Stop answering. Calling it again does nothing."""
        for each in self._answers:
            self._drop(each)
        self._answers.clear()
