from dataclasses import dataclass

@dataclass(frozen=True, slots=True)
class FlowControlOptions:
    """How a publication follows its receivers.

    Attributes
    ----------
    strategy
        A ``FlowControlStrategy``.
    retransmit_window_multiple
        How many windows one NAK may ask for.
    """

    strategy: int
    receiver_timeout_ns: int = 5_000_000_000
    group_tag: int = -1
    group_min_size: int = 0
    retransmit_window_multiple: int = 16
    @classmethod
    def parse(
        cls,
        text: str | None,
        *,
        has_group_semantics: bool,
        default_strategy: str = "max",
        receiver_timeout_ns: int = 5_000_000_000,
        group_tag: int = -1,
        group_min_size: int = 0,
        unicast_window_multiple: int = 16,
        multicast_window_multiple: int = 4,
    ) -> FlowControlOptions:
        """Read an `fc` channel parameter (None: the channel has none).

        Raises
        ------
        ConfigurationError
            A strategy or an option that does not exist, or `fc` on a unicast channel.
        """
