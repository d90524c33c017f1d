"""Requests in random order to Java's archive and to ours: see ``archive_matrix.py``.

Some of the sequences run by default; ``--whole`` runs all thousand.
"""

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.client import Aeron
from tests.interop.archive_matrix import SEGMENT, Matrix, Side

SEQUENCES = 1000
PER_BATCH = 20


@pytest.fixture
def launch(java, shm_dir, free_port):
    """Start both archives on one driver; return a function that makes the `Matrix`."""
    opened, errors = [], []

    def make(threading_mode):
        java.start("Driver", dir=shm_dir / "driver", idle="backoff").await_event("READY")
        ports = [free_port(), free_port()]
        theirs = java.start(
            "Archive",
            dir=shm_dir / "driver",
            archiveDir=shm_dir / "java",
            driver="false",
            port=ports[0],
            segment=SEGMENT,
            idle="backoff",
        )
        archive = Archive.launch(
            aeron_dir=str(shm_dir / "driver"),
            archive_dir=str(shm_dir / "ours"),
            control_channel=f"aeron:udp?endpoint=localhost:{ports[1]}",
            replication_channel="aeron:udp?endpoint=localhost:0",
            segment_file_length=SEGMENT,
            threading_mode=threading_mode,
            error_handler=errors.append,
        )
        opened.append(archive)
        theirs.await_event("READY")
        aeron = Aeron.connect(aeron_dir=shm_dir / "driver")
        opened.append(aeron)
        sides = [
            Side(name, aeron, f"aeron:udp?endpoint=localhost:{port}", shm_dir / name)
            for name, port in zip(("java", "ours"), ports, strict=True)
        ]
        opened.extend(side.archive for side in sides)
        return Matrix(aeron, *sides)

    yield make
    for each in reversed(opened):
        each.close()
    assert errors == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("batch", range(SEQUENCES // PER_BATCH))
def test_both_archives_give_the_same_results(launch, batch):
    matrix = launch("DEDICATED" if batch % 2 else "SHARED")
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        matrix.run(seed)
    # Requests must not only be rejected.
    assert matrix.requested["TruncateRecordingRequest OK"] > 0
    assert matrix.requested["PurgeSegmentsRequest OK"] > 0
