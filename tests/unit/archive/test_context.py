"""The options an archive needs to start; its errors begin like those of Java's archive."""

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.driver.media_driver import MediaDriver
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


@pytest.mark.parametrize("role", ["", "recorder_", "replayer_"])
def test_an_unknown_idle_strategy_is_reported_with_its_option(role):
    with pytest.raises(ConfigurationError) as raised:
        ArchiveContext.of(**WHOLE, **{f"{role}idle_strategy": "bakcoff"})
    name = f"aeron.archive.{role.replace('_', '.')}idle.strategy"
    assert str(raised.value).startswith(f"{name}: expected one of ")
    assert "did you mean backoff?" in str(raised.value)


@pytest.mark.parametrize(
    ("option", "expected"),
    [("record", "CRC-32, CRC-32C, none"), ("replay", "CRC-32, CRC-32C, none, recorded")],
)
def test_an_unknown_checksum_ends_the_start_with_its_option(shm_dir, option, expected):
    with (
        MediaDriver.launch(aeron_dir=str(shm_dir / "driver"), threading_mode="SHARED") as driver,
        pytest.raises(ConfigurationError) as raised,
    ):
        Archive.launch(
            **WHOLE,
            archive_dir=str(shm_dir / "archive"),
            aeron_dir=driver.aeron_dir,
            **{f"{option}_checksum": "CRC-32D"},
        )
    name = f"aeron.archive.{option}.checksum"
    assert str(raised.value).startswith(f"{name}: expected {expected}, found 'CRC-32D'")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "AeronArchive.Context.controlRequestChannel must be set: control_channel"),
        (
            {"control_channel": CHANNEL},
            "AeronArchive.Context.controlResponseChannel must be set: control_response_channel",
        ),
        (
            {
                "control_channel": CHANNEL,
                "control_response_channel": CHANNEL,
                "client_name": "x" * 101,
            },
            "AeronArchive.Context.clientName length must be <= 100: client_name",
        ),
        (
            {
                "control_channel": CHANNEL,
                "control_response_channel": CHANNEL,
                "message_retry_attempts": 0,
            },
            "AeronArchive.Context.messageRetryAttempts must be > 0, got: 0: message_retry_attempts",
        ),
    ],
)
def test_invalid_client_is_reported_with_upstreams_text(options, text):
    with pytest.raises(ConfigurationError) as raised:
        ArchiveClientContext.of(**options)
    assert str(raised.value).startswith(text)


def test_errors_of_a_client_are_logged_unless_it_has_a_handler(caplog):
    context = ArchiveClientContext.of(control_channel=CHANNEL, control_response_channel=CHANNEL)
    for _ in range(10):
        context.error_handler(ValueError("late"))
    assert {(each.name, each.getMessage()) for each in caplog.records} == {
        ("aeron_cluster.client", "late")
    }
    assert len(caplog.records) == 3  # further ones are counted
