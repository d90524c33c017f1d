"""The delay of NAKs for a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random


@dataclass(frozen=True, slots=True)
class LossDelayOptions:
    """The delay of NAKs for a gap: fixed, or random in a group.

    Attributes
    ----------
    is_multicast
        Whether the delay is random, so that one receiver's NAK serves all.
    delay_ns, retry_delay_ns
        The fixed delays before the first NAK and between two NAKs, in ns.
    group_size, max_backoff_ns
        The expected number of receivers, and the longest random delay, in ns.
    random
        The random source; needed for random delays.
    """

    is_multicast: bool = False
    delay_ns: int = 1_000
    retry_delay_ns: int = 100_000
    group_size: int = 10
    max_backoff_ns: int = 10_000_000
    random: Random | None = None
