"""What the cluster's sequences of steps are made of: `aeron_cluster.archive.waiting`, whole."""

from aeron_cluster.archive.recording_pos import find_recording_counter
from aeron_cluster.archive.waiting import (
    RunningReplay,
    Task,
    Waiting,
    ask,
    await_counter,
    await_destination,
    await_exclusive_publication,
    await_image,
    await_publication,
    await_recording,
    await_subscription,
    begin_replay,
    connect_archive,
    list_recording,
    list_recordings_for_uri,
    until,
)

__all__ = [
    "RunningReplay",
    "Task",
    "Waiting",
    "ask",
    "await_counter",
    "await_destination",
    "await_exclusive_publication",
    "await_image",
    "await_publication",
    "await_recording",
    "await_subscription",
    "begin_replay",
    "connect_archive",
    "find_recording_counter",
    "list_recording",
    "list_recordings_for_uri",
    "until",
]
