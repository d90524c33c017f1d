"""When a gap of an image becomes a NAK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random


@dataclass(frozen=True, slots=True)
class LossDelayOptions:
    """When a gap becomes a NAK: after a fixed time, or in a group after a random one.

    Attributes
    ----------
    is_multicast
        Whether the delay is drawn, so that one receiver's NAK speaks for all.
    delay_ns, retry_delay_ns
        The fixed delays before the first NAK and between two, ns.
    group_size, max_backoff_ns
        How many receivers are expected, and the longest drawn delay, ns.
    random
        What the delay is drawn from; needed where it is drawn.
    """

    is_multicast: bool = False
    delay_ns: int = 1_000
    retry_delay_ns: int = 100_000
    group_size: int = 10
    max_backoff_ns: int = 10_000_000
    random: Random | None = None
