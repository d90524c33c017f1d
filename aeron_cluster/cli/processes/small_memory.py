"""Options of drivers and logs for little shared memory, such as the 64 MB of containers."""

from __future__ import annotations

from typing import Final

__all__ = ["SMALL_DRIVER_OPTIONS", "SMALL_LOG_CHANNEL"]

SMALL_DRIVER_OPTIONS: Final = {
    "aeron.counters.buffer.length": "1m",
    "aeron.term.buffer.length": "1m",
    "aeron.ipc.term.buffer.length": "1m",
}
"""Properties of a driver."""

SMALL_LOG_CHANNEL: Final = "aeron:udp?term-length=2m"
"""Parameters of the channel of a cluster's log."""
