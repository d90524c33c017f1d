"""What members call of the extensions of their consensus modules, process by process."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EXTENSION_SCHEMA", "ExtensionCall", "ExtensionJournal", "ExtensionLife"]

EXTENSION_SCHEMA = 733
"""The id of the schema of its messages."""


class ExtensionCall(NamedTuple):
    """A callback of an extension, or a message that a leader's extension read from the log.

    Parameters
    ----------
    kind : str
        ``start``, ``prepare``, ``elected``, ``term``, ``open``, ``close``, ``message``,
        ``ingress``, ``snapshot``, ``closed``; ``work``, ``tick`` and ``settled`` for the first call
        of each kind of work after another call; ``read`` for a message that a leader read.
    position : int
        The log position of its argument; of ``start`` and ``prepare`` the commit position.
    key : int
        A term, a session, or of ``ingress`` an image.
    detail : object
        Its other arguments, or its result.
    """

    kind: str
    position: int = -1
    key: int = -1
    detail: object = None


class ExtensionLife:
    """The calls of one process of a member.

    Parameters
    ----------
    journal : ExtensionJournal
    member_id : int
    start_count : int
        The number of the process.

    Attributes
    ----------
    calls : list of ExtensionCall
    raised : list of Exception
        What it raised in its start, and in callbacks for events of the log.
    """

    def __init__(self, journal: ExtensionJournal, member_id: int, start_count: int) -> None:
        self.member_id = member_id
        self.start_count = start_count
        self.calls: list[ExtensionCall] = []
        self.raised: list[Exception] = []
        self._journal = journal

    def __repr__(self) -> str:
        return f"member {self.member_id}, process {self.start_count}"

    def add(self, call: ExtensionCall) -> None:
        """Add a call."""
        if not self.calls:
            self._journal.lives.append(self)
        self.calls.append(call)


class ExtensionJournal:
    """The calls of the extensions of all members.

    Parameters
    ----------
    raises_one_in : int
        One of so many callbacks for events of the log raises; 0 for none.
    read_interval_ns : int
        How often a leader's reads the log; 0 for each call.
    fails_starts_one_in : int
        One of so many starts raises, until they are stopped; 0 for none.

    Attributes
    ----------
    is_stopped : bool
        Whether they append nothing of their own.
    lives : list of ExtensionLife
        In the order of their first calls.
    last_term : int
        The last term of the log that one of them saw.
    """

    def __init__(
        self, raises_one_in: int = 0, read_interval_ns: int = 0, fails_starts_one_in: int = 0
    ) -> None:
        self.raises_one_in = raises_one_in
        self.read_interval_ns = read_interval_ns
        self.fails_starts_one_in = fails_starts_one_in
        self.is_stopped = False
        self.lives: list[ExtensionLife] = []
        self.last_term = -1

    def on_term(self, term_id: int) -> None:
        """Record a term of the log."""
        self.last_term = max(self.last_term, term_id)

    def last_life(self, member_id: int) -> ExtensionLife | None:
        """Return the last process of a member that has an extension; None before one."""
        return next((each for each in reversed(self.lives) if each.member_id == member_id), None)
