"""Java archive clients with our archive on a Java driver; Java's tools on its files."""

import pytest

from aeron_cluster.archive.archive import Archive

SEGMENT_LENGTH = 1024 * 1024


@pytest.fixture
def driver(java, shm_dir):
    java.start("Driver", dir=shm_dir / "driver", idle="backoff").await_event("READY")
    return shm_dir / "driver"


@pytest.fixture
def launch(driver, shm_dir, free_port):
    launched = []

    def launch_archive(**options):
        archive = Archive.launch(
            **{
                "aeron_dir": str(driver),
                "archive_dir": str(shm_dir / "archive"),
                "control_channel": f"aeron:udp?endpoint=localhost:{free_port()}",
                "replication_channel": "aeron:udp?endpoint=localhost:0",
                "segment_file_length": SEGMENT_LENGTH,
                "threading_mode": "SHARED",
                "error_handler": errors.append,
            }
            | options
        )
        archive.errors = errors
        launched.append(archive)
        return archive

    errors = []
    yield launch_archive
    for archive in reversed(launched):
        archive.close()


@pytest.mark.parametrize("mode", ["SHARED", "DEDICATED"])
def test_a_java_client_records_over_ipc_and_java_tools_accept_the_files(
    java, driver, shm_dir, launch, mode
):
    with launch(threading_mode=mode) as archive:
        client = java.run(
            "ArchiveClient",
            dir=driver,
            cmd="record",
            control="ipc",
            count=20_000,
            size=300,
            channel="aeron:ipc?term-length=128k",
        )
        result = client.await_event("result")
        assert [event["signal"] for event in client.events if event["event"] == "signal"] == [
            "START",
            "STOP",
        ]
        assert archive.errors == []
    seen = java.run("Inspect", what="catalog", archiveDir=shm_dir / "archive")
    recording = seen.await_event("recording")
    assert recording["stopPosition"] == result["position"]
    java.run("Inspect", what="archivemark", archiveDir=shm_dir / "archive")
    java.run("Inspect", what="verify", archiveDir=shm_dir / "archive")


def test_java_replays_lists_and_truncates_over_ipc_and_udp(java, driver, launch):
    archive = launch()
    control = archive.context.options.control_channel.rpartition("=")[2]
    common = {"dir": driver, "size": 200}
    recorded = java.run(
        "ArchiveClient",
        cmd="record",
        control="ipc",
        count=30_000,
        channel="aeron:ipc?term-length=128k",
        **common,
    ).await_event("result")
    for where in ("ipc", control):
        for channel in ("aeron:ipc", "aeron:udp?endpoint=localhost:0"):
            if channel.endswith(":0"):
                continue  # Java's replay() needs to know the port in advance
            replayed = java.run(
                "ArchiveClient", cmd="replay", control=where, channel=channel, **common
            ).await_event("result")
            assert (replayed["count"], replayed["errors"]) == (30_000, 0)
    # From the middle, after 1000 messages of 256 bytes of log each.
    replayed = java.run(
        "ArchiveClient",
        cmd="replay",
        control=control,
        channel="aeron:ipc",
        position=256_000,
        verify=False,
        **common,
    ).await_event("result")
    assert replayed["count"] == 29_000 if recorded["position"] % 131072 else True

    listed = java.run("ArchiveClient", dir=driver, cmd="list", control=control)
    assert listed.await_event("listed")["archiveId"] == archive.archive_id
    recording = listed.await_event("recording")
    assert recording["stopPosition"] == recorded["position"]
    assert recording["originalChannel"] == "aeron:ipc?term-length=128k"
    assert recording["strippedChannel"] == "aeron:ipc"

    position = 4 * 1024 * 1024 + 256
    truncated = java.run(
        "ArchiveClient", dir=driver, cmd="truncate", control="ipc", recordingId=0, position=position
    )
    assert truncated.await_event("truncated")["segmentsDeleted"] == 3
    listed = java.run("ArchiveClient", dir=driver, cmd="list", control="ipc")
    assert listed.await_event("recording")["stopPosition"] == position
    replayed = java.run(
        "ArchiveClient", cmd="replay", control="ipc", channel="aeron:ipc", **common
    ).await_event("result")
    assert (replayed["count"], replayed["errors"]) == (position // 256, 0)
    purged = java.run("ArchiveClient", dir=driver, cmd="purge", control="ipc", recordingId=0)
    assert purged.await_event("purged")["segmentsDeleted"] == 5
    listed = java.run("ArchiveClient", dir=driver, cmd="list", control="ipc")
    assert listed.await_event("listed")["count"] == 0
    assert archive.errors == []
