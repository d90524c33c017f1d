"""Java archive clients on our archive and our driver, on one thread and on several."""

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver

ONE_THREAD = {"threading_mode": "INVOKER"}
SHARED = {"threading_mode": "SHARED", "shared_idle_strategy": "yield"}


@pytest.mark.parametrize("driver_options", [ONE_THREAD, SHARED], ids=["one thread", "threads"])
def test_java_records_and_replays(java, shm_dir, free_port, driver_options):
    port = free_port()
    errors = []
    both = ArchivingMediaDriver.launch(
        driver={"aeron_dir": str(shm_dir / "driver"), **driver_options},
        archive={
            "archive_dir": str(shm_dir / "archive"),
            "control_channel": f"aeron:udp?endpoint=localhost:{port}",
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            "segment_file_length": 1024 * 1024,
            "error_handler": errors.append,
            "threading_mode": "SHARED",
        },
        idle_strategy="yield",
    )
    with both:
        for control in ("ipc", f"localhost:{port}"):
            common = {"dir": shm_dir / "driver", "control": control, "size": 500}
            recorded = java.run(
                "ArchiveClient",
                cmd="record",
                count=20_000,
                channel="aeron:ipc?term-length=256k",
                **common,
            ).await_event("result")
            replayed = java.run(
                "ArchiveClient", cmd="replay", channel="aeron:ipc", **common
            ).await_event("result")
            assert (replayed["count"], replayed["errors"]) == (20_000, 0)
            assert recorded["position"] > 20_000 * 500
        assert errors == []
    java.run("Inspect", what="verify", archiveDir=shm_dir / "archive")
