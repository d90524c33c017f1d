"""The faults of a soak and their times, drawn from a seed before it begins."""

import random
from dataclasses import asdict, dataclass

LEADER = -1
"""The leader at the time; any member without one."""
ALL_MEMBERS = -2

# How often each is drawn, of 33.
_SHARES = {
    "kill": 7,
    "kill all": 1,
    "pause": 2,
    "long pause": 1,
    "unplug": 3,
    "sever": 2,
    "block": 2,
    "isolate": 2,
    "deaf": 1,
    "mute": 1,
    "ring": 1,
    "slow": 2,
    "clock": 2,
    "full disk": 1,
    "power": 2,
    "power all": 1,
    "snapshot": 2,
}
KINDS = tuple(_SHARES)
POWER_FAULTS = frozenset({"power", "power all"})
LINK_FAULTS = {"unplug", "sever", "block", "isolate", "deaf", "mute", "ring", "slow"}
_LASTS_S = {
    "kill": (0.1, 3.0),
    "kill all": (0.1, 2.0),
    "pause": (0.1, 6.0),
    "long pause": (11.0, 16.0),
    "unplug": (0.1, 6.0),
    "sever": (0.1, 8.0),
    "block": (0.1, 8.0),
    "isolate": (0.1, 8.0),
    "deaf": (0.1, 8.0),
    "mute": (0.1, 8.0),
    "ring": (0.1, 8.0),
    "slow": (1.0, 8.0),
    "clock": (0.1, 8.0),
    "full disk": (0.5, 6.0),
    "power": (0.1, 3.0),
    "power all": (0.1, 2.0),
    "snapshot": (0.0, 0.0),
}
_GAP_S = (1.0, 5.0)
_SHIFTS_S = (1.0, 10.0, 3600.0)
# After this many events follows a pause for an election and some progress.
_BURST = 5
_CALM_S = 8.0


@dataclass(frozen=True)
class Event:
    """A fault, or a request for a snapshot.

    Parameters
    ----------
    at_s
        The time since the start, in seconds.
    kind
        ``kill``, ``kill all`` (SIGKILL; started again after ``lasts_s``), ``pause`` (SIGSTOP),
        ``long pause`` (longer than every timeout), ``unplug`` (cut off from all), ``sever`` (cut
        off from ``other``; with three members the third one is a bridge), ``block`` (``other``
        receives nothing from it, but not the reverse), ``isolate`` (the other members and it
        receive nothing of each other, clients see all: with three members the two halves),
        ``deaf`` (it receives nothing from members), ``mute`` (members receive nothing from it),
        ``ring`` (each member's packets reach only the next one), ``slow`` (a slow and lossy link),
        ``clock`` (its wall clock jumps by ``shift_s``, and back), ``full disk``, ``power``,
        ``power all`` (its unsynced data is lost, and it is killed; started again after
        ``lasts_s``), ``snapshot`` (requested by an operator).
    member
        The member id, `LEADER` or `ALL_MEMBERS`.
    other
        The index of the second member in the list without the first.
    lasts_s
        The time until the fault is undone, in seconds.
    shift_s
        The jump of a clock, in seconds.
    """

    at_s: float
    kind: str
    member: int
    other: int
    lasts_s: float
    shift_s: float = 0.0

    def __str__(self):
        target = {LEADER: "the leader", ALL_MEMBERS: "all members"}.get(self.member, self.member)
        return f"{self.at_s:7.2f} s  {self.kind} {target} for {self.lasts_s:.2f} s"

    def as_dict(self):
        return asdict(self)


def draw(seed, duration_s, members, left_out=frozenset()):
    """Return the events of a seed, in order."""
    source = random.Random(seed)
    shares = {kind: n for kind, n in _SHARES.items() if kind not in left_out}
    if not shares:
        raise ValueError(f"expected a kind of fault to draw, all are left out: {sorted(left_out)}")
    events = []
    at_s = source.uniform(*_GAP_S)
    while at_s < duration_s:
        (kind,) = source.choices([*shares], [*shares.values()])
        member = LEADER if source.random() < 0.4 else source.randrange(members)
        if kind in ("kill all", "power all", "snapshot"):
            member = LEADER if kind == "snapshot" else ALL_MEMBERS
        lasts_s = source.uniform(*_LASTS_S[kind])
        other = source.randrange(members - 1)
        shift_s = 0.0
        if kind == "clock":
            shift_s = source.choice((-1.0, 1.0)) * source.choice(_SHIFTS_S) * source.random()
        events.append(Event(at_s, kind, member, other, lasts_s, shift_s))
        at_s += source.uniform(*_GAP_S)
        if len(events) % _BURST == 0:
            at_s += _CALM_S
    return events
