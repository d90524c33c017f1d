"""A follower whose whole program is killed again and again has every position once."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SEED
from tests.spark.programs.follow import follow
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.written import Written
from tests.waiting import await_true

pytest.importorskip("pyspark")

PROGRAM = Path(__file__).parent / "programs" / "follow.py"
BATCH = 30


def grow(growing, count):
    for index in range(count):
        growing.written.message(bytes([index % 256]) * 2000)
    growing.write()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_position_is_there_once_after_kills(request, spark, spark_environment, tmp_path):
    written = Written(terms_a_segment=1)
    written.message(b"first")
    written.put(tmp_path / "archive", is_stopped=False)
    growing = Growing(written, tmp_path / "archive")
    offsets = tmp_path / "checkpoint" / "offsets"

    def batches():
        return sum(1 for each in offsets.glob("*") if each.name.isdecimal())

    chosen = random.Random(SEED)
    for _ in range(20 if request.config.getoption("whole") else 2):
        grow(growing, 4 * BATCH)
        wanted = batches() + chosen.randint(1, 3)
        command = [sys.executable, PROGRAM, tmp_path / "archive", tmp_path]
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(
                [str(each) for each in command],
                stdout=log,
                stderr=log,
                env=spark_environment,
                start_new_session=True,  # its JVM and its workers are killed with it
            )
        try:
            await_true(
                lambda: batches() >= wanted or process.poll() is not None,  # noqa: B023
                f"batch {wanted}",
            )
            assert process.poll() is None, (tmp_path / "log").read_text()[-4000:]
            grow(growing, chosen.randint(0, BATCH))
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
    follow(spark, str(tmp_path / "archive"), str(tmp_path), until_killed=False)
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted((row.position, bytes(row.payload)) for row in found) == [
        (row[0], row[3]) for row in written.messages()
    ]
