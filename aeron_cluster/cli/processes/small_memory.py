"""Options of drivers and logs that fit where shared memory is scarce, as in containers: 64 MB."""

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
"""The channel of a cluster's log."""
