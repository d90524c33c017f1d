from typing import final

from aeron_cluster.driver.events import Address
from aeron_cluster.memory.counters import CountersManager
from aeron_cluster.memory.seams import Network

@final
class SendEndpoint:
    """The sockets of one send channel and where its datagrams go."""

    def __new__(
        cls,
        network: Network,
        counters: CountersManager,
        *,
        registration_id: int,
        mode: int,
        has_group_semantics: bool = False,
        is_multicast: bool = False,
        is_resolvable: bool = False,
        status_counter_id: int = -1,
        destinations_counter_id: int = -1,
    ) -> SendEndpoint: ...
    registration_id: int
    mode: int
    """A ``SendMode``."""
    def open(
        self,
        *,
        bind: Address | None = None,
        connect: Address | None = None,
        control_bind: Address | None = None,
        control_group: Address | None = None,
        multicast_interface: Address | None = None,
        multicast_ttl: int = 0,
        send_buffer_length: int = 0,
        receive_buffer_length: int = 0,
    ) -> None:
        """Open the data socket, and the control socket of a multicast channel.

        Raises
        ------
        OSError
            The system refused; nothing stays open.
        """
    @property
    def local_address(self) -> Address | None: ...
    @property
    def buffer_lengths(self) -> tuple[int, int]:
        """SO_SNDBUF and SO_RCVBUF of the data socket, bytes."""
    @property
    def destination_count(self) -> int: ...
    @property
    def is_open(self) -> bool: ...
    def close(self) -> None:
        """Close the sockets; only after the sender released the endpoint."""
