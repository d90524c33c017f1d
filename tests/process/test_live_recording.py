"""A recording that is read while another process writes it."""

import subprocess
import sys

import pytest

from aeron_cluster.pipeline import read_recording
from tests.conftest import ROOT
from tests.unit.pipeline.recording_builder import TERM
from tests.waiting import await_true

pytest.importorskip("pyarrow")

WRITER = """
import sys
from pathlib import Path
from tests.unit.pipeline.live_writer import LiveWriter
writer = LiveWriter(Path(sys.argv[1]), int(sys.argv[2]), 2**40)
while True:
    writer.step()
"""
COLUMNS = ["position", "end_position", "flags", "payload"]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sampled(2)
def test_concurrent_writes_are_no_damage(tmp_path, seed):
    command = [sys.executable, "-c", WRITER, str(tmp_path), str(seed)]
    seen = []
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            segment = tmp_path / "0-0.rec"
            await_true(lambda: segment.exists() and process.poll() is None, "written messages")
            while len(seen) < 500 or seen[-1][1] < 20 * TERM:
                position = seen[-1][1] if seen else 0
                found = read_recording(tmp_path, from_position=position, columns=COLUMNS).table()
                seen += [tuple(row.values()) for row in found.to_pylist()]
                assert process.poll() is None
        finally:
            process.kill()
    expected = [
        tuple(row.values()) for row in read_recording(tmp_path, columns=COLUMNS).table().to_pylist()
    ]
    assert seen == expected[: len(seen)]
