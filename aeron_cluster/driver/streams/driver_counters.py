"""Allocate the driver's counters with the keys and labels that clients and tools expect.

``io.aeron.driver.status.StreamCounter``, ``io.aeron.driver.status.SubscriberPos`` and similar
classes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.shared.counter_descriptor import MAX_KEY_LENGTH
from aeron_cluster.memory.shared.counters_layout import CounterType

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.shared.counters import CountersManager
    from aeron_cluster.memory.system.address import Address
    from aeron_cluster.memory.system.seams import Clock

__all__ = [
    "BOOTSTRAP_NEIGHBOR_TYPE",
    "RESOLVER_NAMES_TYPE",
    "RESOLVER_NEIGHBORS_TYPE",
    "DriverCounters",
]

RESOLVER_NEIGHBORS_TYPE: Final = 15
RESOLVER_NAMES_TYPE: Final = 16
BOOTSTRAP_NEIGHBOR_TYPE: Final = 21

NULL_ID: Final = -1
_STREAM_KEY: Final = struct.Struct("<qiii")
_INT: Final = struct.Struct("<i")
_TWO_INTS: Final = struct.Struct("<ii")
_LONG: Final = struct.Struct("<q")


def _channel_bytes(channel: str, used: int) -> bytes:
    return channel.encode("ascii", "replace")[: MAX_KEY_LENGTH - used]


class DriverCounters:
    """The counters of one driver.

    Parameters
    ----------
    manager : CountersManager
    clock : Clock
        The clock for the reuse timeout.
    make_room : Callable, optional
        Allocates the disk blocks of a number of counters and some more, and returns the number; by
        default all are allocated.
    """

    def __init__(
        self,
        manager: CountersManager,
        clock: Clock,
        make_room: Callable[[int], int] | None = None,
    ) -> None:
        self.manager = manager
        self._clock = clock
        self._make_room = make_room
        self._room = 0

    def allocate(
        self,
        type_id: int,
        key: bytes,
        label: str,
        *,
        registration_id: int,
        owner_id: int = NULL_ID,
        reference_id: int = 0,
        value: int = 0,
    ) -> int:
        """Return the id of a new counter.

        Raises
        ------
        InsufficientSpaceError
            All counters are in use, or the disk is full.
        """
        self._check_room()
        return self.manager.allocate(
            label,
            type_id,
            key,
            now_ms=self._clock.epoch_ms(),
            registration_id=registration_id,
            owner_id=owner_id,
            reference_id=reference_id,
            value=value,
        )

    def _check_room(self) -> None:
        """Allocate the blocks of a new counter, and of the next record, which readers access."""
        needed = self.manager.used_count + 2
        if self._make_room is not None and needed > self._room:
            self._room = self._make_room(needed)

    def free(self, counter_id: int) -> None:
        """Free a counter; its id is not reused for a while. -1 is ignored."""
        if counter_id != NULL_ID:
            self.manager.free(counter_id, now_ms=self._clock.epoch_ms())

    def value(self, counter_id: int) -> int:
        """Return the value of a counter."""
        return self.manager.value(counter_id)

    def set_value(self, counter_id: int, value: int) -> None:
        """Write the value of a counter; -1 is ignored."""
        if counter_id != NULL_ID:
            self.manager.set_value(counter_id, value)

    def stream(
        self,
        type_id: int,
        name: str,
        *,
        owner_id: int,
        registration_id: int,
        session_id: int,
        stream_id: int,
        channel: str,
        reference_id: int = 0,
        value: int = 0,
        suffix: str = "",
    ) -> int:
        """Allocate a counter of one stream: ``name: registration session stream channel``."""
        text = _channel_bytes(channel, _STREAM_KEY.size)
        return self.allocate(
            type_id,
            _STREAM_KEY.pack(registration_id, session_id, stream_id, len(text)) + text,
            f"{name}: {registration_id} {session_id} {stream_id} {channel}{suffix}",
            registration_id=registration_id,
            owner_id=owner_id,
            reference_id=reference_id,
            value=value,
        )

    def subscriber_position(
        self,
        *,
        owner_id: int,
        registration_id: int,
        image_id: int,
        session_id: int,
        stream_id: int,
        channel: str,
        join_position: int,
    ) -> int:
        """Allocate the position of one subscription in one image."""
        return self.stream(
            CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION,
            "sub-pos",
            owner_id=owner_id,
            registration_id=registration_id,
            session_id=session_id,
            stream_id=stream_id,
            channel=channel,
            reference_id=image_id,
            value=join_position,
            suffix=f" @{join_position}",
        )

    def channel_status(self, name: str, channel: str, registration_id: int) -> int:
        """Allocate the status of an endpoint; `name` is ``snd-channel`` or ``rcv-channel``."""
        is_send = name == "snd-channel"
        text = _channel_bytes(channel, _INT.size)
        return self.allocate(
            CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS
            if is_send
            else CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS,
            _INT.pack(len(text)) + text,
            f"{name}: {channel}",
            registration_id=registration_id,
        )

    def append_bound_address(self, counter_id: int, address: Address) -> None:
        """Append the bound address of an endpoint to the label of its status."""
        self.manager.append_to_label(counter_id, f" {address}")

    def replace_bound_address(self, counter_id: int, former: Address, address: Address) -> None:
        """Replace the bound address in the label of the status of an endpoint."""
        label = self.manager.label(counter_id).removesuffix(f" {former}")
        self.manager.set_label(counter_id, f"{label} {address}")

    def local_address(
        self, name: str, status_counter_id: int, address: Address, registration_id: int
    ) -> int:
        """Allocate the counter by which clients find the bound address of an endpoint."""
        text = _channel_bytes(str(address), _TWO_INTS.size)
        return self.allocate(
            CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS,
            _TWO_INTS.pack(status_counter_id, len(text)) + text,
            f"{name}: {status_counter_id} {address}",
            registration_id=registration_id,
            value=1,
        )

    def destinations(self, channel: str, registration_id: int) -> int:
        """Allocate the count of a channel's destinations."""
        text = _channel_bytes(channel, _INT.size)
        return self.allocate(
            CounterType.COUNTER_TYPE_MDC_DESTINATIONS,
            _INT.pack(len(text)) + text,
            f"mdc-num-dest: {channel}",
            registration_id=registration_id,
        )

    def client_heartbeat(self, client_id: int) -> int:
        """Allocate the heartbeat counter of a client."""
        return self.allocate(
            CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT,
            _LONG.pack(client_id),
            f"client-heartbeat: id={client_id}",
            registration_id=client_id,
            owner_id=client_id,
            value=self._clock.epoch_ms(),
        )
