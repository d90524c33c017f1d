"""Where the services of several members can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CALLBACKS_OF_THE_LOG", "Checkpoint", "divergence_file_name"]

CALLBACKS_OF_THE_LOG: Final = {
    "on_session_open": 1,
    "on_session_close": 2,
    "on_session_message": 3,
    "on_timer_event": 4,
    "on_new_leadership_term_event": 5,
}
"""Those that every member makes at the same position, by the number that counts for a failure."""


def divergence_file_name(service_id: int) -> str:
    """Return how the file of a service's checkpoints is called, in the cluster directory."""
    return f"divergence-{service_id}.dat"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a service had done when it had read the log up to a position.

    Parameters
    ----------
    position : int
        Of the log, after the last event that it covers, in bytes.
    leadership_term_id : int
        The term of that event.
    previous_position : int
        Where its interval begins: that of the checkpoint before.
    base_position : int
        Where the hash began: 0, or where the member started from another member's snapshot.
    hash : int
        Of all effects since the base, 64 bits without a sign.
    interval_hash : int
        Of those of the interval.
    log_hash : int
        Of the log's events since the base: where they end, and their times. Where that differs,
        the log does, and not what was made of it.
    claim_hash : int
        Of the payloads that were claimed on egresses and committed in the interval.
    effect_count : int
        How many effects there were since the base.
    is_snapshot : bool
        Whether a snapshot was taken here.
    is_unsent : bool
        Whether a claim on an egress failed and was given up, as it can on the leader alone: its
        payload is unknown, and `claim_hash` has no meaning.
    """

    position: int
    leadership_term_id: int
    previous_position: int
    base_position: int
    hash: int
    interval_hash: int
    log_hash: int
    claim_hash: int
    effect_count: int
    is_snapshot: bool = False
    is_unsent: bool = False

    def is_of_another_log(self, other: Checkpoint) -> bool:
        """Return whether another member received something else by the same position."""
        return self.base_position == other.base_position and self.log_hash != other.log_hash

    def differs_from(self, other: Checkpoint) -> bool:
        """Return whether another member did something else by the same position, of the same log.

        What began at different positions is compared by the interval, where that is the same.
        """
        if self.is_of_another_log(other):
            return False
        if self.base_position == other.base_position and self.hash != other.hash:
            return True
        if self.previous_position != other.previous_position:
            return False
        if self.interval_hash != other.interval_hash:
            return True
        return self.claim_hash != other.claim_hash and not (self.is_unsent or other.is_unsent)
