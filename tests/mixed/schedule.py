"""The events of a mixed run and their times, drawn from a seed before it begins."""

import random
from dataclasses import asdict, dataclass

# Drawn without repetition until all are used, so that even a short run has some of each.
_KINDS = ("kill",) * 2 + ("close", "pause") + ("add",) * 3 + ("remove",) * 3
_LASTS_S = {"kill": (0.1, 3.0), "close": (0.1, 2.0), "pause": (0.1, 1.0)}
GAP_S = (0.5, 2.5)


@dataclass(frozen=True)
class Event:
    """Something that happens to a client.

    Parameters
    ----------
    at_s
        The time since the start, in seconds.
    kind
        ``kill`` (SIGKILL) and ``close`` (in order): started again after ``lasts_s``; ``pause``
        (SIGSTOP, shorter than the liveness timeout), ``add`` and ``remove`` (of a stream).
    picks
        Numbers from 0 to 1 that choose the client and the stream from those that exist then.
    lasts_s
        The time until it is undone, in seconds.
    """

    at_s: float
    kind: str
    picks: tuple[float, ...]
    lasts_s: float

    def as_dict(self):
        return asdict(self)


def draw(seed, duration_s, gap_s=GAP_S):
    """Return the events of a seed, in order.

    Parameters
    ----------
    seed
    duration_s
        The time within which events begin, in seconds.
    gap_s
        The shortest and the longest time between two events, in seconds.
    """
    source = random.Random(seed)
    events = []
    at_s = source.uniform(*gap_s)
    kinds = []
    while at_s < duration_s:
        kinds = kinds or source.sample(_KINDS, len(_KINDS))
        kind = kinds.pop()
        picks = tuple(source.random() for _ in range(5))
        lasts_s = source.uniform(*_LASTS_S.get(kind, (0.0, 0.0)))
        events.append(Event(at_s, kind, picks, lasts_s))
        at_s += source.uniform(*gap_s)
    return events
