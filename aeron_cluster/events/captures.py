"""Record the messages between clients and a driver or an archive.

``io.aeron.agent.CmdInterceptor``, ``ControlInterceptor``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.events.archive_messages import MESSAGE_EVENTS
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.memory.shared.commands import Command
from aeron_cluster.memory.shared.commands import Event as ClientEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Buffer

    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["capture_command", "capture_message", "capturing"]

_EVENTS: Final[Mapping[int, DriverEvent]] = {
    Command.ADD_PUBLICATION: DriverEvent.CMD_IN_ADD_PUBLICATION,
    Command.REMOVE_PUBLICATION: DriverEvent.CMD_IN_REMOVE_PUBLICATION,
    Command.ADD_EXCLUSIVE_PUBLICATION: DriverEvent.CMD_IN_ADD_EXCLUSIVE_PUBLICATION,
    Command.ADD_SUBSCRIPTION: DriverEvent.CMD_IN_ADD_SUBSCRIPTION,
    Command.REMOVE_SUBSCRIPTION: DriverEvent.CMD_IN_REMOVE_SUBSCRIPTION,
    Command.CLIENT_KEEPALIVE: DriverEvent.CMD_IN_KEEPALIVE_CLIENT,
    Command.ADD_DESTINATION: DriverEvent.CMD_IN_ADD_DESTINATION,
    Command.REMOVE_DESTINATION: DriverEvent.CMD_IN_REMOVE_DESTINATION,
    Command.ADD_COUNTER: DriverEvent.CMD_IN_ADD_COUNTER,
    Command.REMOVE_COUNTER: DriverEvent.CMD_IN_REMOVE_COUNTER,
    Command.CLIENT_CLOSE: DriverEvent.CMD_IN_CLIENT_CLOSE,
    Command.ADD_RCV_DESTINATION: DriverEvent.CMD_IN_ADD_RCV_DESTINATION,
    Command.REMOVE_RCV_DESTINATION: DriverEvent.CMD_IN_REMOVE_RCV_DESTINATION,
    Command.TERMINATE_DRIVER: DriverEvent.CMD_IN_TERMINATE_DRIVER,
    Command.REJECT_IMAGE: DriverEvent.CMD_IN_REJECT_IMAGE,
    Command.REMOVE_DESTINATION_BY_ID: DriverEvent.CMD_IN_REMOVE_DESTINATION_BY_ID,
    ClientEvent.ON_ERROR: DriverEvent.CMD_OUT_ERROR,
    ClientEvent.ON_AVAILABLE_IMAGE: DriverEvent.CMD_OUT_AVAILABLE_IMAGE,
    ClientEvent.ON_PUBLICATION_READY: DriverEvent.CMD_OUT_PUBLICATION_READY,
    ClientEvent.ON_OPERATION_SUCCESS: DriverEvent.CMD_OUT_ON_OPERATION_SUCCESS,
    ClientEvent.ON_UNAVAILABLE_IMAGE: DriverEvent.CMD_OUT_ON_UNAVAILABLE_IMAGE,
    ClientEvent.ON_EXCLUSIVE_PUBLICATION_READY: DriverEvent.CMD_OUT_EXCLUSIVE_PUBLICATION_READY,
    ClientEvent.ON_SUBSCRIPTION_READY: DriverEvent.CMD_OUT_SUBSCRIPTION_READY,
    ClientEvent.ON_COUNTER_READY: DriverEvent.CMD_OUT_COUNTER_READY,
    ClientEvent.ON_UNAVAILABLE_COUNTER: DriverEvent.CMD_OUT_ON_UNAVAILABLE_COUNTER,
    ClientEvent.ON_CLIENT_TIMEOUT: DriverEvent.CMD_OUT_ON_CLIENT_TIMEOUT,
}


def capture_command(events: EventRecorder, type_id: int, data: bytes) -> None:
    """Record a message between a client and the driver, if upstream has an event for it."""
    event = _EVENTS.get(type_id)
    if event is not None:
        events.capture(event, data)


def capturing(
    events: EventRecorder, transmit: Callable[[int, bytes], None]
) -> Callable[[int, bytes], None]:
    """Return a function that records what it transmits; `transmit` itself if none is enabled."""
    if events.log is None:
        return transmit

    def record_and_transmit(type_id: int, data: bytes) -> None:
        capture_command(events, type_id, data)
        transmit(type_id, data)

    return record_and_transmit


def capture_message(events: EventRecorder, message: Buffer) -> None:
    """Record a message between a client and an archive, if upstream has an event for it."""
    if events.log is not None:
        event = MESSAGE_EVENTS.get(int.from_bytes(memoryview(message)[2:4], "little"))
        if event is not None:
            events.capture(event, message)
