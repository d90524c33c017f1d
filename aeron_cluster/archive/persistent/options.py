# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.client.options import ArchiveClientOptions

if TYPE_CHECKING:
    from aeron_cluster.archive.persistent.listener import PersistentSubscriptionListener
    from aeron_cluster.client.counter import Counter

__all__ = ["PersistentSubscriptionOptions"]


class PersistentSubscriptionOptions(ArchiveClientOptions, total=False):
    """The options of `PersistentSubscription` and `PersistentSubscriptionContext.of`."""

    recording_id: int
    live_channel: str
    live_stream_id: int
    replay_channel: str
    replay_stream_id: int
    start_position: int
    listener: PersistentSubscriptionListener
    state_counter: Counter | None
    join_difference_counter: Counter | None
    live_left_counter: Counter | None
    live_joined_counter: Counter | None
