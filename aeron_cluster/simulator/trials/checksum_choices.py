"""Members whose operator enables or disables checksums between their starts.

So a recording has checksums from a position in the middle on, or up to one, and other members'
recordings of the same log have them elsewhere.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.context import NO_CHECKSUM, RECORDED_CHECKSUMS
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import ChooseChecksums
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["chosen_checksums", "draw_checksum_choices"]

_SALT: Final = 0xC4EC5
_ONE_IN: Final = 4
_MOST_STARTS: Final = 1 << 16
_UNVERIFIED_ONE_IN: Final = 4


def chosen_checksums(seed: int, member_id: int, start_count: int) -> dict[str, str]:
    """Return what a member's archive records and verifies, drawn for each of its starts.

    Parameters
    ----------
    seed, member_id : int
    start_count : int
        The number of the start; the first is 1.
    """
    random = SeededRandom(seed + member_id * _MOST_STARTS + start_count)
    is_recorded = random.below(2) == 0
    is_verified = random.below(_UNVERIFIED_ONE_IN) > 0
    return {
        "record_checksum": "CRC-32C" if is_recorded else NO_CHECKSUM,
        "replay_checksum": RECORDED_CHECKSUMS if is_verified else NO_CHECKSUM,
    }


def draw_checksum_choices(seed: int, settings: Settings, damage: Damage) -> ChooseChecksums | None:
    """Return the choices of a run: in one run of four, unless damage or its options need others.

    Parameters
    ----------
    seed : int
    settings : Settings
    damage : Damage
        That of the run's plan.
    """
    random = SeededRandom(seed ^ _SALT)
    is_given = "record_checksum" in settings.options.get("archive", {})
    if random.below(_ONE_IN) or is_given or damage is not Damage.NOTHING:
        return None
    return partial(chosen_checksums, random.next()) if settings.draws > WITHOUT_NATIVE else None
