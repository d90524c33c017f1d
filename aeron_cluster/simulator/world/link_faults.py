"""Faults of datagrams from one simulated host to another."""

from dataclasses import dataclass

__all__ = ["LinkFaults"]


@dataclass(frozen=True)
class LinkFaults:
    """The faults of one direction of a link.

    Parameters
    ----------
    loss, duplicate, corrupt, truncate : float
        The share of datagrams, 0 to 1, that are lost, duplicated, corrupted in one byte, or
        truncated.
    min_delay_ns, max_delay_ns : int
        The range of the uniformly distributed delay, in ns; datagrams may overtake each other.
    """

    loss: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    truncate: float = 0.0
    min_delay_ns: int = 0
    max_delay_ns: int = 0

    def __post_init__(self) -> None:
        for name in ("loss", "duplicate", "corrupt", "truncate"):
            share = getattr(self, name)
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"{name}: expected 0 to 1, found {share}")
        if not 0 <= self.min_delay_ns <= self.max_delay_ns:
            raise ValueError(
                f"min_delay_ns: expected 0 to {self.max_delay_ns}, found {self.min_delay_ns}"
            )
