# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster_client.options import SessionOptions

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.request_listener import RequestListener
    from aeron_cluster.config import Duration

__all__ = ["SurvivingClientOptions"]


class SurvivingClientOptions(SessionOptions, total=False):
    """What `SurvivingClient.connect`, `start` and `SurvivingContext.of` take."""

    window_length: int | None
    """Requests sent and not answered, at most: aeron.cluster.client.window.length (default:
    256)."""
    resend_timeout_ns: Duration | None
    """A request not answered is sent again: aeron.cluster.client.resend.timeout (default: 1s)."""
    silence_timeout_ns: Duration | None
    """A silent service is probed over another session: aeron.cluster.client.silence.timeout
    (default: 5s)."""
    keep_alive_interval_ns: Duration | None
    """A session is kept open: aeron.cluster.client.keep.alive.interval (default: 1s)."""
    reconnect_min_interval_ns: Duration | None
    """Between the first two attempts; it doubles: aeron.cluster.client.reconnect.min.interval
    (default: 50ms)."""
    reconnect_max_interval_ns: Duration | None
    """Between two attempts, at most: aeron.cluster.client.reconnect.max.interval (default: 5s)."""
    reconnect_timeout_ns: Duration | None
    """Without a word of the service the client gives up; 0: never:
    aeron.cluster.client.reconnect.timeout (default: 0ns)."""
    client_id: int | None
    last_sequence: int
    listener: RequestListener
    """Gets answers, failures and changes of state."""
