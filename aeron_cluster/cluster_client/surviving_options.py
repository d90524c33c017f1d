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
    """The options of `SurvivingClient.connect`, `start` and `SurvivingContext.of`."""

    window_length: int | None
    """Highest number of unanswered requests: aeron.cluster.client.window.length (default: 256)."""
    resend_timeout_ns: Duration | None
    """Time after which an unanswered request is resent: aeron.cluster.client.resend.timeout
    (default: 1s)."""
    silence_timeout_ns: Duration | None
    """Time after which a silent service is probed over another session:
    aeron.cluster.client.silence.timeout (default: 5s)."""
    keep_alive_interval_ns: Duration | None
    """Interval of keep-alives: aeron.cluster.client.keep.alive.interval (default: 1s)."""
    reconnect_min_interval_ns: Duration | None
    """Delay between the first two connection attempts; doubled each time:
    aeron.cluster.client.reconnect.min.interval (default: 50ms)."""
    reconnect_max_interval_ns: Duration | None
    """Longest delay between connection attempts: aeron.cluster.client.reconnect.max.interval
    (default: 5s)."""
    reconnect_timeout_ns: Duration | None
    """Time without a message from the service after which the client fails; 0: never:
    aeron.cluster.client.reconnect.timeout (default: 0ns)."""
    client_id: int | None
    last_sequence: int
    listener: RequestListener
    """Receives answers, failures and changes of state."""
