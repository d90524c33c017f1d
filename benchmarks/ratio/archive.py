"""The rate at which an archive records a stream over IPC.

A Java client publishes to each side's archive, so that only the archive and its driver differ. The
two processes of a start run concurrently, with three busy threads on two cores. Ours has archive
and driver on one thread, Java its best threading there (SHARED, backoff); both allocate the pages
of their logs before the first message. The time ends when the archive reports the last byte as
recorded. A worse figure means a slower scan or write of blocks, or a conductor that opens the
window late.

On a disk nothing is synced: written data stays in the page cache until the system writes it. For
comparison the rate of plain writes to the same directory is measured before each start.
"""

import os
import time
from pathlib import Path

from benchmarks.ratio.peers import Setting, Stage, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate

IN_MEMORY = Goal("archive record, 256 B, /dev/shm", "MB/s", 1.0, more_is_better=True)
ON_DISK = Goal("archive record, 256 B, disk", "MB/s", None, more_is_better=True)
PLAIN = Goal("plain writes to that disk", "MB/s", None, more_is_better=True)
DISK = os.environ.get("AERON_CLUSTER_BENCH_DISK", "/tmp")
SIZE, COUNT = 256, 2_000_000
FRAME_LENGTH = 288
OURS: dict[str, Value] = {"threading": "INVOKER", "idle": "backoff"}
JAVA: dict[str, Value] = {"threading": "SHARED", "idle": "backoff"}
BLOCK = bytes(1024 * 1024)


def measure(setting: Setting) -> list[Figure]:
    """Measure both sides in turns."""
    return alternate(
        (IN_MEMORY, ON_DISK, PLAIN),
        lambda: rounds(setting, ours=True),
        lambda: rounds(setting, ours=False),
        setting.starts,
    )


def rounds(setting: Setting, *, ours: bool) -> Rounds:
    """Start one side once for each directory."""
    with setting.stage() as stage:
        in_memory = record(stage, stage.folder, ours=ours)
    with setting.stage() as stage, setting.stage(DISK) as disk:
        plain = [write_plainly(disk.folder / "plain")]
        on_disk = record(stage, disk.folder, ours=ours)
    return {IN_MEMORY.name: in_memory, ON_DISK.name: on_disk, PLAIN.name: plain}


def record(stage: Stage, place: Path, *, ours: bool) -> list[float]:
    """Return the payload rate of each recording except the first, in MB/s."""
    driver = stage.folder / "driver"
    options = OURS if ours else JAVA
    archive = stage.start(
        "Archive", ours=ours, **options, dir=driver, archiveDir=place / "archive", port=25010
    )
    archive.await_event("READY")
    # Java's compiler needs the first recording to warm up, in the client of both sides.
    client = stage.start_java(
        "ArchiveClient", cmd="record", dir=driver, size=SIZE, count=COUNT, runs=4
    )
    return [float(each["payloadMBPerSec"]) for each in results(client)[1:]]


def write_plainly(path: Path) -> float:
    """Return the rate of writing the bytes of a recording in blocks of 1 MiB, in MB/s."""
    length = COUNT * FRAME_LENGTH
    began = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for _ in range(length // len(BLOCK)):
            file.write(BLOCK)
    elapsed = time.perf_counter() - began
    path.unlink()
    return length / elapsed / 1e6
