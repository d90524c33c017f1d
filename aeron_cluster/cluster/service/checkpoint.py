"""Checkpoints for comparing the services of several members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CALLBACKS_OF_THE_LOG", "Checkpoint", "divergence_file_name"]

CALLBACKS_OF_THE_LOG: Final = {
    "on_session_open": 1,
    "on_session_close": 2,
    "on_session_message": 3,
    "on_session_messages": 3,
    "on_timer_event": 4,
    "on_new_leadership_term_event": 5,
}
"""The effects that all members have at the same position; a failure counts as the last one."""


def divergence_file_name(service_id: int) -> str:
    """Return the name of a service's checkpoint file in the cluster directory."""
    return f"divergence-{service_id}.dat"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The effects of a service up to a log position, as hashes.

    Parameters
    ----------
    position : int
        The log position after the last event that it covers, in bytes.
    leadership_term_id : int
        The term of that event.
    previous_position : int
        The position of the previous checkpoint, where its interval begins.
    base_position : int
        The position where the hash began: 0, or that of another member's snapshot.
    hash : int
        The hash of all effects since the base, 64 bits unsigned.
    interval_hash : int
        The hash of the effects of the interval.
    log_hash : int
        The hash of the log's events since the base: their positions and times. If it differs, the
        log differs, not the effects.
    claim_hash : int
        The hash of the payloads that were claimed on egresses and committed in the interval.
    effect_count : int
        The number of effects since the base.
    is_snapshot : bool
        Whether a snapshot was taken here.
    is_unsent : bool
        Whether a claim on an egress failed and was given up, which only happens on the leader: its
        payload is unknown, and `claim_hash` is meaningless.
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
        """Return whether another member received different events up to the same position."""
        return self.base_position == other.base_position and self.log_hash != other.log_hash

    def differs_from(self, other: Checkpoint) -> bool:
        """Return whether another member had different effects up to the same position.

        With different bases the hashes of the interval are compared, if it is the same.
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
