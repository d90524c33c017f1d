"""The options an archive needs to start; its errors begin like those of Java's archive."""

import pytest

from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.errors import ConfigurationError

CHANNEL = "aeron:udp?endpoint=localhost:0"
WHOLE = {"control_channel": CHANNEL, "replication_channel": CHANNEL}


def test_two_channels_are_enough():
    assert ArchiveContext.of(**WHOLE).options.replication_channel == CHANNEL


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"replication_channel": None}, "Archive.Context.replicationChannel must be set"),
        (
            {"replication_channel": None, "control_channel_enabled": False},
            "Archive.Context.replicationChannel must be set",
        ),
        ({"control_channel": None}, "Archive.Context.controlChannel must be set"),
        (
            {"control_channel": "aeron:ipc"},
            "Archive.Context.controlChannel must be UDP media: uri=aeron:ipc",
        ),
        (
            {"local_control_channel": CHANNEL},
            f"local control channel must be IPC media: uri={CHANNEL}",
        ),
        (
            {"recording_events_enabled": True},
            "Archive.Context.recordingEventsChannel must be set if"
            " Archive.Context.recordingEventsEnabled is true",
        ),
        ({"file_sync_level": 1}, "catalogFileSyncLevel 0 < fileSyncLevel 1"),
    ],
)
def test_invalid_configuration_is_reported_with_upstreams_text(options, text):
    with pytest.raises(ConfigurationError) as raised:
        ArchiveContext.of(**WHOLE | options)
    assert str(raised.value).startswith(f"{text}: aeron.archive.")
