"""The counters of the driver itself.

``io.aeron.driver.status.SystemCounterDescriptor``, ``io.aeron.driver.status.SystemCounters``.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.config import format_duration_ns
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.system.version import AERON_VERSION, VERSION_TEXT

if TYPE_CHECKING:
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.streams.driver_counters import DriverCounters

__all__ = ["SystemCounters"]

_CONTROL_PROTOCOL_VERSION: Final = 1 << 16
_KEY: Final = struct.Struct("<i")

_LABELS: Final = (
    "Bytes sent",
    "Bytes received",
    "Failed offers to ReceiverProxy",
    "Failed offers to SenderProxy",
    "Failed offers to DriverConductorProxy",
    "NAKs sent",
    "NAKs received",
    "Status Messages sent",
    "Status Messages received",
    "Heartbeats sent",
    "Heartbeats received",
    "Retransmits sent",
    "Flow control under runs",
    "Flow control over runs",
    "Invalid packets",
    "Errors: {version}",
    "Short sends",
    "Failed attempts to free log buffers",
    "Sender flow control limits, i.e. back-pressure events",
    "Unblocked Publications",
    "Unblocked Control Commands",
    "Possible TTL Asymmetry",
    "ControllableIdleStrategy status",
    "Loss gap fills",
    "Client liveness timeouts",
    "Resolution changes: driverName={name}",
    "Conductor max cycle time doing its work in ns: {mode}",
    "Conductor work cycle exceeded threshold count: threshold={conductor} {mode}",
    "Sender max cycle time doing its work in ns: {mode}",
    "Sender work cycle exceeded threshold count: threshold={sender} {mode}",
    "Receiver max cycle time doing its work in ns: {mode}",
    "Receiver work cycle exceeded threshold count: threshold={receiver} {mode}",
    "NameResolver max time in ns",
    "NameResolver exceeded threshold count: threshold={resolver}",
    "Aeron software: {version}",
    "Bytes currently mapped",
    "Retransmitted bytes",
    "Retransmit Pool Overflow count",
    "Error Frames received",
    "Error Frames sent",
    "Publications Revoked",
    "Publication Images Revoked",
    "Images rejected",
    "Control protocol version",
    "Status Messages rejected",
    "Failed offers to AsyncExecutorProxy",
)


class SystemCounters:
    """The system counters: each one's id is its number in ``SystemCounter``.

    Parameters
    ----------
    counters : DriverCounters
        The counters of a driver, before any was allocated.
    context : DriverContext
        The configuration, for the labels.
    """

    def __init__(self, counters: DriverCounters, context: DriverContext) -> None:
        words = {
            "version": VERSION_TEXT,
            "name": "null"
            if context.driver_resolver_name is None
            else context.driver_resolver_name,
            "mode": context.threading_mode,
            "conductor": format_duration_ns(context.driver_conductor_cycle_threshold_ns),
            "sender": format_duration_ns(context.driver_sender_cycle_threshold_ns),
            "receiver": format_duration_ns(context.driver_receiver_cycle_threshold_ns),
            "resolver": format_duration_ns(context.name_resolver_threshold_ns),
        }
        for system_id, label in enumerate(_LABELS):
            counter_id = counters.allocate(
                CounterType.COUNTER_TYPE_SYSTEM,
                _KEY.pack(system_id),
                label.format(**words),
                registration_id=system_id,
            )
            assert counter_id == system_id, "system counters come first"
        self._counters = [AtomicCounter(counters.manager, each) for each in range(len(_LABELS))]
        major, minor, patch = map(int, AERON_VERSION.split("."))
        self.set_value(SystemCounter.SYSTEM_AERON_VERSION, major << 16 | minor << 8 | patch)
        self.set_value(SystemCounter.SYSTEM_CONTROL_PROTOCOL_VERSION, _CONTROL_PROTOCOL_VERSION)

    def add(self, counter: SystemCounter, delta: int = 1) -> None:
        """Add to a counter."""
        self._counters[counter].get_and_add(delta)  # other agents also add to some of them

    def propose_max(self, counter: SystemCounter, value: int) -> None:
        """Raise a counter to `value`; never lower it."""
        self._counters[counter].propose_max(value)

    def value(self, counter: SystemCounter) -> int:
        """Return the value of a counter."""
        return self._counters[counter].get()

    def set_value(self, counter: SystemCounter, value: int) -> None:
        """Write a counter."""
        self._counters[counter].set(value)
