"""The parameters of a run, and the versions of what its seed draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.clients.reference import ReferenceLoad, ReferenceService
from aeron_cluster.simulator.faults.damage import DAMAGES, Damage
from aeron_cluster.simulator.faults.fault_plan import CONSENSUS_FAMILIES

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.clients.client import Load
    from aeron_cluster.simulator.members.layouts import Layout

__all__ = [
    "DRAWS",
    "MAX_DRAWS",
    "WITHOUT_ADDED_SURVIVORS",
    "WITHOUT_KILLS_IN_SNAPSHOTS",
    "WITHOUT_KNOWN_MEMBERS",
    "WITHOUT_LIMITS",
    "WITHOUT_LOSSES",
    "WITHOUT_LOST_LOGS",
    "WITHOUT_NATIVE",
    "WITHOUT_REFUSALS",
    "WITHOUT_SILENCES",
    "WITHOUT_STRIKES",
    "WITHOUT_SUPERSEDED",
    "WITH_CLOSES",
    "LoadMaker",
    "Settings",
    "light_load",
]

DRAWS: Final = 14
"""How the shape of a cluster is drawn, unless given otherwise."""

MAX_DRAWS: Final = 14
"""The latest version of drawing."""

WITH_CLOSES: Final = 3
"""The first draws in which services close sessions, and clusters may have seven members."""

# The last draws without what the name states.
WITHOUT_LOSSES: Final = 3  # nor options by which members differ
WITHOUT_STRIKES: Final = 4
WITHOUT_LOST_LOGS: Final = 5
WITHOUT_KILLS_IN_SNAPSHOTS: Final = 6
WITHOUT_KNOWN_MEMBERS: Final = 7
WITHOUT_ADDED_SURVIVORS: Final = 8
WITHOUT_REFUSALS: Final = 9  # nor starts in vain, nor requests for snapshots of standbys
# Nor quiet clients, nor power lost after appends, within snapshots, and in turn without syncs.
WITHOUT_SILENCES: Final = 10
WITHOUT_LIMITS: Final = 11  # of sessions, nor requests that services reject, nor extensions
WITHOUT_SUPERSEDED: Final = 12  # clients, nor requests that end while archives begin them
WITHOUT_NATIVE: Final = 13  # services, nor frames that are torn in writes, nor claims left open

_S: Final = 1_000_000_000
_SPEEDUP: Final = 5
_OF_CONSENSUS: Final = ("service", "rare", "overtaken", "aimed", "leave", "struck", "lost")

LoadMaker = Callable[[int, "Random"], "Load"]
"""Creates a load from a client's number and a `Random`."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parameters of a run, besides its seed.

    Parameters
    ----------
    services : tuple of callables
        The factories of services; the default is the reference service, with checked answers.
    make_load : callable, optional
        Creates a load from a client's number and a `Random`; not used with the reference service.
        By default clients of other services send seeded bytes, as surviving clients if a service
        uses `Deduplication`.
    members : int
        With 0 drawn from the seed: from 1 to 5, 3 most often, or 7.
    service_count : int
        The number of reference services, if no others are given; with 0 drawn from the seed.
    has_survivors : bool
        Whether the seed makes some clients surviving ones, with a de-duplicating reference service.
    is_judged : bool
        Whether the services themselves are judged: exceptions of callbacks and nondeterministic
        calls fail the run, and divergence guards are enabled. At the end members are restored from
        a snapshot and from the log alone, and their answers are compared with the others'; replays
        of the log, from its beginning and from each snapshot, are compared with the members'
        effects.
    allowed : tuple of type
        The exceptions that callbacks of judged services may raise.
    is_joined : bool
        Whether the members form one cluster; otherwise each is a separate one.
    clients : int
    duration_ns : int
        The time in which faults begin, in ns of virtual time.
    sync_level : int, optional
        The sync level of all files; by default the seed decides.
    families : tuple of str, optional
        The allowed kinds of faults, of `FAMILIES` and `ADDED_FAMILIES`, from which the seed
        selects; by default all.
    speedup : int
        The factor by which faults are more frequent and shorter, and timeouts shorter, so that as
        many elections need less virtual time.
    layout : str, optional
        As for `Cluster`; by default, one seed in four has separate processes for each member's
        components.
    damages : tuple of Damage
        The kinds of damage; one run of eight has one of them, with a smaller load.
    longest_step_ns, options : int, dict
        As for `Cluster`.
    mode, draws : str, int
        The mode of the settings, for the command that repeats a run: see `of`.
    """

    services: tuple[Callable[[], ClusteredService], ...] = (ReferenceService,)
    make_load: LoadMaker | None = None
    members: int = 3
    service_count: int = 1
    has_survivors: bool = False
    is_judged: bool = False
    allowed: tuple[type[BaseException], ...] = ()
    is_joined: bool = True
    clients: int = 2
    duration_ns: int = 30 * _S
    sync_level: int | None = None
    families: tuple[str, ...] | None = None
    speedup: int = 1
    layout: Layout | None = None
    damages: tuple[Damage, ...] = DAMAGES
    longest_step_ns: int = 1_000_000
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    mode: str = "whole"
    draws: int = 1

    @classmethod
    def of(cls, mode: str, *, draws: int = DRAWS, **given: Any) -> Settings:  # noqa: ANN401
        """Return the settings of a mode.

        Parameters
        ----------
        mode : str
            ``whole``: all faults, under load. ``consensus``: faults for elections and recovery
            (processes, partitions, pauses, clocks, operators), with little load and short timeouts,
            for several times as many seeds per hour.
        draws : int
            Which drawing: with 1 a seed is what it was when all clusters were of three members,
            with one service and plain clients; with 2 it decides about these, too; with 3 some
            clusters have seven members, and services close sessions; with 4 members differ in
            options, surviving clients come back, and something is lost once more in the end; with
            5 elections are struck; with 6 parts of logs are lost, or had by a new leader alone;
            with 7 members are killed in their snapshots; with 8 some surviving clients are given
            the endpoint of one member, and lose it; with 9 some clusters of the mode ``consensus``
            have a surviving client besides.
        **given
            Fields that differ from the mode's.
        """
        if mode not in ("whole", "consensus"):
            raise ConfigurationError("mode", "whole or consensus", mode)
        if not 1 <= draws <= MAX_DRAWS:
            raise ConfigurationError("draws", f"1 to {MAX_DRAWS}", draws)
        drawn: dict[str, Any] = {"mode": mode, "draws": draws}
        if mode == "consensus":
            drawn |= {
                "families": (*CONSENSUS_FAMILIES, *_OF_CONSENSUS),
                "clients": 1,
                "make_load": light_load,
                "speedup": _SPEEDUP,
                "duration_ns": 30 * _S // _SPEEDUP,
                "longest_step_ns": 4_000_000,
            }
        if draws > 1:
            drawn |= {
                "members": 0,
                "service_count": 0,
                "has_survivors": mode == "whole" or draws > WITHOUT_ADDED_SURVIVORS,
                # Compensates for the longer runs of larger clusters.
                "duration_ns": drawn.get("duration_ns", cls.duration_ns) * 9 // 10,
            }
        return cls(**{**drawn, **given})


def light_load(number: int, random: Random) -> ReferenceLoad:
    """Return a load of about ten short requests per second."""
    return ReferenceLoad(
        number, random, interval_ns=100_000_000, longest_padding=8, answer_timeout_ns=_S // _SPEEDUP
    )
