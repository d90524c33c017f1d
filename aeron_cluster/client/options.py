# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from aeron_cluster.client.handlers import CounterHandler, ImageHandler, PublicationErrorHandler
    from aeron_cluster.config import Duration
    from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
    from aeron_cluster.memory.system.process import Processes
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ClientOptions"]


class ClientOptions(TypedDict, total=False):
    """The options of `Aeron.connect` and `ClientContext.of`."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    driver_timeout_ns: Duration | None
    """A driver without a heartbeat for this long is considered dead: aeron.driver.timeout (default:
    10s)."""
    pre_touch_mapped_memory: bool | None
    """Touch each page when it is mapped: aeron.pre.touch.mapped.memory (default: False)."""
    client_name: str | None
    """Shown in the heartbeat counter's label, up to 100 characters: aeron.client.name."""
    client_idle_sleep_duration_ns: Duration | None
    """Time between the conductor's passes: aeron.client.idle.sleep.duration (default: 16ms)."""
    client_resource_linger_duration_ns: Duration | None
    """How long an unavailable image or a closed publication stays mapped:
    aeron.client.resource.linger.duration (default: 3s)."""
    client_close_linger_duration_ns: Duration | None
    """How long close waits for other threads: aeron.client.close.linger.duration (default: 0ns)."""
    keepalive_interval_ns: Duration
    seams: Seams
    processes: Processes
    use_conductor_invoker: bool
    driver_invoker: Callable[[], object] | None
    idle_strategy: IdleStrategy | str | None
    available_image_handler: ImageHandler | None
    unavailable_image_handler: ImageHandler | None
    available_counter_handler: CounterHandler | None
    unavailable_counter_handler: CounterHandler | None
    publication_error_handler: PublicationErrorHandler | None
    error_handler: Callable[[Exception], object]
    close_handler: Callable[[], object] | None
