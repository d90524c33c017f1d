"""An extension that records its calls, and appends messages of its own to the log."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
from aeron_cluster.simulator.members.extension_calls import EXTENSION_SCHEMA, ExtensionCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.context.extension import (
        ConsensusControlState,
        ConsensusModuleControl,
    )
    from aeron_cluster.codecs.cluster import CloseReason
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.members.extension_calls import ExtensionJournal, ExtensionLife

__all__ = ["ExtensionRecorder", "SimulatedExtensionError"]

_HEADER: Final = struct.Struct("<HHHH")  # length of the block, template, schema, version
_OWN: Final = struct.Struct("<qqq")
_STATE: Final = struct.Struct("<qqq")
_ACTION: Final = struct.Struct("<qqqii")
_CLUSTER_SCHEMA: Final = 111
_ACTION_TEMPLATE: Final = 23
_TERM_TEMPLATE: Final = 24
_SNAPSHOT: Final = 2, 0  # the action and its flags
_OF_EXTENSION: Final = 2
_OF_SNAPSHOT: Final = 3
_LATEST: Final = 8
_LONGEST_PAUSE_NS: Final = 200_000_000
_DECLINES_ONE_IN: Final = 8
_FRAGMENTS: Final = 20
_COMPLETE: Final = 0xC0  # the flags of a message of one fragment


class SimulatedExtensionError(OSError):
    """The exception that an extension raises by a plan."""


class ExtensionRecorder(ConsensusModuleExtension):
    """Records its calls.

    A leader's appends clients' messages to the log, and some of its own. Its state, which it writes
    into snapshots, is of the messages of its schema in the log: their number, the position after
    the last one, a checksum of all with their positions, and the last eight.

    Parameters
    ----------
    journal : ExtensionJournal
    life : ExtensionLife
        Gets the calls.
    random : Random
        Chooses when to append, and what to decline or to raise.
    raises_one_in : int
        One of so many callbacks for events of the log raises once it has done its work; 0 for none.
    """

    supported_schema_id = EXTENSION_SCHEMA

    def __init__(
        self, journal: ExtensionJournal, life: ExtensionLife, random: Random, raises_one_in: int
    ) -> None:
        self._journal = journal
        self._life = life
        self._random = random
        self._raises_one_in = raises_one_in
        self._control: ConsensusModuleControl | None = None
        self._state: ConsensusControlState | None = None
        self._work: set[str] = set()
        self._own_count = 0
        self._next_append_ns = 0
        self._next_read_ns = 0
        self._is_declining = False
        self._count = 0
        self._last_position = 0
        self._checksum = 0
        self._latest: tuple[bytes, ...] = ()
        self._requested: tuple[bytes, ...] | None = None

    # ---- callbacks ----

    def on_start(self, control: ConsensusModuleControl, snapshot: Sequence[bytes] | None) -> None:
        """Load the state, or fail."""
        content = None if snapshot is None else tuple(bytes(each) for each in snapshot)
        self._add("start", control.commit_position, detail=content)
        if not self._journal.is_stopped:
            self._raise_one_in(self._journal.fails_starts_one_in)
        self._control = control
        if content:
            state = _STATE.unpack_from(content[0], _HEADER.size)
            self._count, self._last_position, self._checksum = state
            self._latest = content[1:]

    def do_work(self, now_ns: int) -> int:  # noqa: ARG002 - as of its base class
        """Record the first call."""
        self._add_work("work")
        return 0

    def slow_tick_work(self, now_ns: int) -> int:  # noqa: ARG002 - as of its base class
        """Record the first call."""
        self._add_work("tick")
        return 0

    def consensus_work(self, now_ns: int) -> int:
        """Read the log, which may be late while clients send, and append to it."""
        self._add_work("settled")
        state = self._state
        if state is None or state.log_publication is None:
            return 0
        work_count = 0
        if now_ns >= self._next_read_ns or self._journal.is_stopped:
            self._next_read_ns = now_ns + self._journal.read_interval_ns
            work_count = self._read_log()
        if now_ns >= self._next_append_ns and not self._journal.is_stopped:
            self._next_append_ns = now_ns + 1 + self._random.below(_LONGEST_PAUSE_NS)
            place = self._life.member_id, self._life.start_count, self._own_count
            if state.log_publication.offer(_message(_OF_EXTENSION, _OWN.pack(*place))) > 0:
                self._own_count += 1
                work_count += 1
        return work_count

    def on_prepare_for_new_leadership(self) -> None:
        """Read what is committed, and stop leading."""
        assert self._control is not None
        self._read_log()
        self._add("prepare", self._control.commit_position)
        self._state = self._requested = None

    def on_election_complete(self, state: ConsensusControlState) -> None:
        """Lead or follow."""
        self._add(
            "elected",
            state.log_position,
            state.leadership_term_id,
            (state.leader_member_id, state.is_leader),
        )
        self._state = state

    def on_new_leadership_term(self, state: ConsensusControlState) -> None:
        """Record the term."""
        self._add("term", state.log_position, state.leadership_term_id, state.leader_member_id)
        self._journal.on_term(state.leadership_term_id)
        self._raise_sometimes()

    def on_session_opened(self, cluster_session_id: int) -> None:
        """Record the session."""
        self._add("open", key=cluster_session_id)
        self._raise_sometimes()

    def on_session_closed(self, cluster_session_id: int, close_reason: CloseReason) -> None:
        """Record the session."""
        self._add("close", key=cluster_session_id, detail=int(close_reason))
        self._raise_sometimes()

    def on_ingress_message(self, message: bytes, image: Image) -> bool:
        """Append a message to the log on a leader; it is dropped on a follower."""
        is_accepted = self._is_accepted(message)
        self._add("ingress", key=image.correlation_id, detail=(bytes(message), is_accepted))
        return is_accepted

    def on_log_message(self, message: bytes, log_position: int) -> None:
        """Apply a message of the log."""
        self._add("message", log_position, detail=bytes(message))
        self._apply(bytes(message), log_position)
        self._raise_sometimes()

    def on_take_snapshot(self) -> Iterable[bytes]:
        """Return the state: a leader's at the request for a snapshot that it read last."""
        if self._state is not None and self._state.is_leader:
            self._read_log()
        taken = self._snapshot() if self._requested is None else self._requested
        self._requested = None
        self._add("snapshot", detail=taken)
        return taken

    def close(self) -> None:
        """Record the end."""
        self._add("closed")

    # ---- what it does ----

    def _add(self, kind: str, position: int = -1, key: int = -1, detail: object = None) -> None:
        self._work.clear()
        self._life.add(ExtensionCall(kind, position, key, detail))

    def _add_work(self, kind: str) -> None:
        if kind not in self._work:
            self._life.add(ExtensionCall(kind))
            self._work.add(kind)

    def _raise_sometimes(self) -> None:
        self._raise_one_in(self._raises_one_in)

    def _raise_one_in(self, count: int) -> None:
        if count and self._random.below(count) == 0:
            error = SimulatedExtensionError(f"of {self._life}, after {self._life.calls[-1].kind}")
            self._life.raised.append(error)
            raise error

    def _is_accepted(self, message: bytes) -> bool:
        state, control = self._state, self._control
        if state is None or state.log_publication is None or control is None:
            return True
        self._is_declining = not self._is_declining and not self._random.below(_DECLINES_ONE_IN)
        if self._is_declining or state.log_publication.offer(message) <= 0:
            return False
        _, _, session_id = _OWN.unpack_from(message, _HEADER.size)
        session = control.client_session(session_id)
        if session is not None:
            session.keep_alive()
        return True

    def _read_log(self) -> int:
        """Read the leader's log up to the commit position; return the number of fragments."""
        state, control, total = self._state, self._control, 0
        if state is None or state.log_subscription is None or control is None:
            return 0
        limit = control.commit_position
        for image in state.log_subscription.images:
            while count := image.bounded_poll(self._on_fragment, limit, _FRAGMENTS):
                total += count
        return total

    def _on_fragment(self, message: MessageView, header: Header) -> None:
        data = bytes(message)
        if header.flags & _COMPLETE != _COMPLETE:
            return  # its own are of one fragment
        _, template, schema, _ = _HEADER.unpack_from(data)
        if schema == EXTENSION_SCHEMA:
            self._add("read", header.position, detail=data)
            self._apply(data, header.position)
        elif schema == _CLUSTER_SCHEMA and template == _TERM_TEMPLATE:
            self._journal.on_term(int.from_bytes(data[8:16], "little", signed=True))
        elif (
            schema == _CLUSTER_SCHEMA
            and template == _ACTION_TEMPLATE
            and _ACTION.unpack_from(data, _HEADER.size)[3:] == _SNAPSHOT
        ):
            self._requested = self._snapshot()

    def _apply(self, data: bytes, position: int) -> None:
        self._count += 1
        self._last_position = position
        self._checksum = zlib.crc32(position.to_bytes(8, "little") + data, self._checksum)
        self._latest = (*self._latest, data)[-_LATEST:]

    def _snapshot(self) -> tuple[bytes, ...]:
        state = _STATE.pack(self._count, self._last_position, self._checksum)
        return (_message(_OF_SNAPSHOT, state), *self._latest)


def _message(template: int, content: bytes) -> bytes:
    return _HEADER.pack(len(content), template, EXTENSION_SCHEMA, 0) + content
