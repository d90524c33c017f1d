from dataclasses import dataclass

@dataclass(frozen=True, slots=True)
class CongestionControlOptions:
    """How an image's receiver window moves.

    Attributes
    ----------
    strategy
        A ``CongestionControlStrategy``.
    window_length
        The initial window of the channel, bytes; half a term bounds it.
    """

    window_length: int
    strategy: int = 0
    is_tcp_mode: bool = False
    measures_rtt: bool = False
    rtt_counter_id: int = -1
    window_counter_id: int = -1
