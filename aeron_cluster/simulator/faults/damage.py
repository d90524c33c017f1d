"""Damage, used in separate runs, and the invariants that must still hold.

Some damage cannot be repaired, so each kind defines which invariants it may break.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.context import CLUSTER_CHECKSUMS
from aeron_cluster.simulator.checks.backup_invariants import BackupsArePrefixes
from aeron_cluster.simulator.checks.divergence_invariants import GuardsNameDivergedMembers
from aeron_cluster.simulator.checks.invariants import (
    CommitHasAMajority,
    OneLeaderATerm,
    ServicesSeeTheSame,
    standard_checkers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.simulator.checks.invariants import Checker

__all__ = ["DAMAGES", "Damage", "checkers_of", "options_of"]

_INTERVAL: Final = 4096


class Damage(Enum):
    """The kinds of damage."""

    NOTHING = "nothing"
    """No damage: everything is checked."""
    DATAGRAMS = "datagrams"
    """Corrupted datagrams arrive: no crash, no hang, and only typed errors."""
    CHECKED_BITS = "checked bits"
    """Recorded messages of one member, with checksums enabled: no service receives them."""
    SERVICE = "what a service does"
    """A service of one member diverges once: the guards name member and position."""
    BITS = "bits"
    """Any data on disks: no crash, no hang, and only typed errors."""

    @property
    def is_of_data(self) -> bool:
        """Whether a reader may find corrupt data."""
        return self not in (Damage.NOTHING, Damage.SERVICE)

    @property
    def is_of_all(self) -> bool:
        """Whether data may be wrong anywhere, so that only errors are checked."""
        return self in (Damage.DATAGRAMS, Damage.BITS)


DAMAGES: Final = tuple(each for each in Damage if each is not Damage.NOTHING)
"""The kinds drawn by default."""


def checkers_of(damage: Damage) -> list[Checker]:
    """Return the checks during a run."""
    match damage:
        case Damage.NOTHING:
            return [*standard_checkers(), BackupsArePrefixes()]
        case Damage.SERVICE:
            return [*standard_checkers(), GuardsNameDivergedMembers()]
        case Damage.CHECKED_BITS:
            # Only checkers that do not read disks.
            leaders = OneLeaderATerm()
            return [ServicesSeeTheSame(), CommitHasAMajority(leaders), leaders]
        case _:
            return []


def options_of(
    damage: Damage, options: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the options of members that detect the damage: checksums or guards."""
    found = {part: dict(given) for part, given in options.items()}
    if damage is Damage.CHECKED_BITS:
        found["archive"] = {**CLUSTER_CHECKSUMS, **found.get("archive", {})}
    if damage is Damage.SERVICE:
        guards = {"divergence_interval": _INTERVAL}
        found["container"] = {**guards, **found.get("container", {})}
    return found
