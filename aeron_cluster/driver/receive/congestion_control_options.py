"""How the receiver window of an image moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CongestionControlOptions:
    """How an image's receiver window moves.

    Attributes
    ----------
    window_length
        The initial window of the channel, bytes; half a term bounds it.
    strategy
        A ``CongestionControlStrategy``.
    is_tcp_mode
        Whether the cubic window never falls below what TCP would have.
    measures_rtt
        Whether the receiver measures the round trip time.
    initial_rtt_ns
        Taken for the round trip time until it is measured, and for how often the window moves.
    rtt_counter_id, window_counter_id
        Of the cubic strategy; -1 for none.
    """

    window_length: int
    strategy: int = 0
    is_tcp_mode: bool = False
    measures_rtt: bool = False
    initial_rtt_ns: int = 100_000
    rtt_counter_id: int = -1
    window_counter_id: int = -1
