from dataclasses import dataclass

from aeron_cluster.memory.seams import Random

@dataclass(frozen=True, slots=True)
class LossDelayOptions:
    """When a gap becomes a NAK: at once with a fixed retry, or after a random group delay."""

    is_multicast: bool = False
    delay_ns: int = 1_000
    retry_delay_ns: int = 100_000
    group_size: int = 10
    max_backoff_ns: int = 10_000_000
    random: Random | None = None
