"""The congestion control of an image."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CongestionControlOptions:
    """The congestion control of an image.

    Attributes
    ----------
    window_length
        The initial window of the channel, in bytes; limited to half a term.
    strategy
        A ``CongestionControlStrategy``.
    is_tcp_mode
        Whether the cubic window never falls below TCP's.
    measures_rtt
        Whether the receiver measures the round trip time.
    initial_rtt_ns
        The assumed round trip time until it is measured, and the interval of window changes.
    rtt_counter_id, window_counter_id
        The id of the cubic strategy's counter; -1 for none.
    """

    window_length: int
    strategy: int = 0
    is_tcp_mode: bool = False
    measures_rtt: bool = False
    initial_rtt_ns: int = 100_000
    rtt_counter_id: int = -1
    window_counter_id: int = -1
