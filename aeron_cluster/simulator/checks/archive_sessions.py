"""The sessions of an archive's clients when nothing is in progress: each has its counter.

An archive counts the sessions that it has, and each of them has a counter of its own while it is
open. One that remains belongs to a session that has ended: the archive retains its resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["archive_sessions", "check_archive_sessions"]

_SESSION_COUNT: Final = 102
_SESSION: Final = 113


def archive_sessions(counters: Iterable[CounterDescriptor]) -> tuple[int, list[str]]:
    """Return how many sessions an archive counts, and the labels of their counters.

    Parameters
    ----------
    counters : iterable of CounterDescriptor
        All of its driver.
    """
    count = 0
    labels: list[str] = []
    for each in counters:
        if each.type_id == _SESSION_COUNT:
            count += each.value
        elif each.type_id == _SESSION:
            labels.append(each.label)
    return count, labels


def check_archive_sessions(name: str, count: int, labels: Sequence[str]) -> None:
    """Check that each session of an archive has a counter, and no ended one has.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    count, labels : int, sequence of str
        As of `archive_sessions`.

    Raises
    ------
    InvariantError
        One is missing, or remains.
    """
    if count != len(labels):
        raise InvariantError(
            "sessions of archives have counters", f"{name}: {count} sessions, counters {labels}"
        )
