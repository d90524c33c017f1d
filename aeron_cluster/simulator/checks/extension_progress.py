"""The calls of an extension in one process, compared with the model's log."""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from aeron_cluster.simulator.members.extension_calls import ExtensionCall, ExtensionLife
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster, Seen

__all__ = ["ExtensionProgress", "ExtensionView", "check_snapshot"]

_KINDS: Final = ("term", "open", "close", "foreign")
_FOREIGN: Final = "foreign"
_WORK: Final = ("work", "tick", "settled")
_SESSION_KINDS: Final = ("open", "close")
_STATE: Final = struct.Struct("<qqq")
_HEADER_LENGTH: Final = 8
_LATEST: Final = 8


class ExtensionView:
    """What an extension sees of the log, as far as the model has come.

    Attributes
    ----------
    model : PlainCluster
    items : list of tuple
        The entries, as in `PlainCluster.seen`.
    """

    def __init__(self, model: PlainCluster) -> None:
        self.model = model
        self.items: list[Seen] = []
        self._positions: list[int] = []
        self._count = 0

    def update(self) -> None:
        """Add what the model has read since the last time."""
        seen = self.model.seen
        new = [each for each in seen[self._count :] if each[1] in _KINDS]
        self._count = len(seen)
        self.items += new
        self._positions += [each[0] for each in new]

    def index_after(self, position: int) -> int:
        """Return the index of the first entry that ends after a position."""
        return bisect_right(self._positions, position)

    def state_at(self, position: int) -> tuple[tuple[int, int, int], list[bytes]]:
        """Return what a snapshot at a position has: number, end and checksum; the last ones."""
        last = checksum = 0
        messages = []
        for end, kind, _, _, data in self.items[: self.index_after(position)]:
            if kind == _FOREIGN:
                last = end
                checksum = zlib.crc32(end.to_bytes(8, "little") + data, checksum)
                messages.append(data)
        return (len(messages), last, checksum), messages[-_LATEST:]


def check_snapshot(
    where: str, found: tuple[bytes, ...] | None, view: ExtensionView, position: int
) -> None:
    """Compare a snapshot of an extension with the state at its position.

    Raises
    ------
    InvariantError
        It is missing, or differs.
    """
    state, latest = view.state_at(position)
    known = _STATE.unpack_from(found[0], _HEADER_LENGTH) if found else None
    if not found or known != state or [*found[1:]] != latest:
        raise InvariantError(
            "extensions' snapshots are of their position",
            f"{where}: {known} and {len(found or ()) - 1} messages, expected {state} and"
            f" {len(latest)}",
        )


class ExtensionProgress:
    """Compares the calls of one process with the log.

    A follower, and a replay, has each event of the log once, in order, with its position. A leader
    reads the messages, and has the events of sessions when it appends them, which may be undone.

    Parameters
    ----------
    life : ExtensionLife
    view : ExtensionView

    Attributes
    ----------
    message_count : int
        The number of messages that were compared.
    """

    def __init__(self, life: ExtensionLife, view: ExtensionView) -> None:
        self.message_count = 0
        self._life = life
        self._view = view
        self._count = 0  # of the calls
        self._index = 0  # of the next entry of the log
        self._is_leading = False
        self._joined = 0
        self._term_id = -1
        self._appended: list[tuple[str, int, object]] = []

    def check(self) -> None:
        """Compare the calls since the last time, as far as the log is read.

        Raises
        ------
        InvariantError
            They differ.
        """
        calls = self._life.calls
        while self._count < len(calls) and self._is_compared(calls[self._count]):
            self._count += 1

    def check_end(self, position: int) -> None:
        """Check a process that runs: nothing is missing up to the member's commit position.

        Raises
        ------
        InvariantError
            Something is missing, or is not in the log.
        """
        calls, view = self._life.calls, self._view
        if self._count < len(calls):
            self._fail(calls[self._count], "nothing of the log")
        expected = view.items[self._index : view.index_after(position)]
        missing = [each for each in expected if each[1] == _FOREIGN or not self._is_leading]
        if missing:
            self._fail(None, missing[0])
        if self._is_leading:
            self._check_appended(position)
        not_done = {*_WORK} - {each.kind for each in calls}
        if not_done:
            raise InvariantError("extensions work", f"{self._life}: never {sorted(not_done)}")

    def check_ended(self) -> None:
        """Check a process that has ended: a leader had the sessions that it had appended.

        The log may have nothing of its last term, and another term from the same position.

        Raises
        ------
        InvariantError
            The log has others, or lacks something.
        """
        if self._count < len(self._life.calls):
            self._fail(self._life.calls[self._count], "nothing of the log")
        model, term = self._view.model, self._joined
        later = [each.base_position for each in model.terms if each.base_position > term]
        if self._is_leading and any(each.term_id == self._term_id for each in model.terms):
            self._check_appended(later[0] if later else model.position)

    # ---- one call ----

    def _is_compared(self, call: ExtensionCall) -> bool:
        """Compare a call; return False if the log is not read so far."""
        match call.kind:
            case "start":
                return self._has_started(call)
            case "elected":
                return self._is_elected(call)
            case "prepare":
                return self._has_prepared(call)
            case "open" | "close" if self._is_leading:
                self._appended.append((call.kind, call.key, call.detail))
                return True
            case "read":
                return self._is_message_read(call)
            case "message" | "term" | "open" | "close":
                return self._is_event_seen(call)
            case _:
                return True

    def _has_started(self, call: ExtensionCall) -> bool:
        if self._view.model.position < call.position:
            return False
        self._index = self._view.index_after(call.position)
        assert call.detail is None or isinstance(call.detail, tuple)
        if call.position or call.detail is not None:
            check_snapshot(f"{self._life}: {call.kind}", call.detail, self._view, call.position)
        return True

    def _is_elected(self, call: ExtensionCall) -> bool:
        assert isinstance(call.detail, tuple)
        leader_id, is_leading = call.detail
        model = self._view.model
        if model.position < call.position:
            return False
        if is_leading and model.term_id < call.key:
            return False
        term = next((each for each in model.terms if each.term_id == call.key), None)
        if term is not None and term.leader_id != leader_id:
            self._fail(call, term)
        if is_leading != (leader_id == self._life.member_id):
            self._fail(call, "the leader alone leads")
        if is_leading and term is not None and term.base_position != call.position:
            self._fail(call, term)
        if self._view.index_after(call.position) != self._index:
            self._fail(call, self._view.items[self._index : self._index + 1])
        self._is_leading, self._joined, self._term_id = is_leading, call.position, call.key
        self._appended.clear()
        return True

    def _has_prepared(self, call: ExtensionCall) -> bool:
        if not self._is_leading:
            return True
        view, end = self._view, call.position
        if view.model.position < end:
            return False
        index = view.index_after(end)
        unread = [each for each in view.items[self._index : index] if each[1] == _FOREIGN]
        if unread:
            self._fail(call, unread[0])
        self._check_appended(end)
        self._index, self._is_leading = index, False
        return True

    def _is_message_read(self, call: ExtensionCall) -> bool:
        items = self._view.items
        index = self._index
        while index < len(items) and items[index][1] != _FOREIGN:
            index += 1
        if index == len(items):
            return False
        if (items[index][0], items[index][4]) != (call.position, call.detail):
            self._fail(call, items[index])
        self._index = index + 1
        self.message_count += 1
        return True

    def _is_event_seen(self, call: ExtensionCall) -> bool:
        items = self._view.items
        if self._index == len(items):
            return False
        position, kind, key, _, data = items[self._index]
        match call.kind:
            case "message":
                is_equal = (kind, position, data) == (_FOREIGN, call.position, call.detail)
                self.message_count += 1
            case "term":
                found = call.kind, call.key, call.position, call.detail
                is_equal = kind == "term" and found == (kind, key, position, int(data))
            case "open":
                is_equal = (kind, key) == ("open", call.key)
            case _:
                is_equal = kind == "close" and (call.key, call.detail) == (key, int(data))
        if not is_equal:
            self._fail(call, items[self._index])
        self._index += 1
        return True

    def _check_appended(self, position: int) -> None:
        """Compare the sessions of a leader's term up to a position with those that it opened."""
        view = self._view
        begin, end = view.index_after(self._joined), view.index_after(position)
        expected = [
            (kind, key, int(data) if data else None)
            for _, kind, key, _, data in view.items[begin:end]
            if kind in _SESSION_KINDS
        ]
        found = self._appended[: len(expected)]
        if found != expected:
            self._fail(None, f"{expected}, it appended {self._appended}")

    def _fail(self, call: ExtensionCall | None, expected: object) -> None:
        raise InvariantError(
            "extensions see the log",
            f"{self._life} saw {call or 'nothing more'}, the log has {expected}",
        )
