"""A follower whose program is killed repeatedly writes every position once."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import SCHEMA, SessionMessageHeader
from aeron_cluster.memory.system.seams import SystemFiles
from tests.conftest import SEED
from tests.spark.programs.follow import follow
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.logs import LogBuilder
from tests.unit.pipeline.recording_builder import RecordingBuilder
from tests.waiting import await_true

pytest.importorskip("pyspark")

PROGRAM = Path(__file__).parent / "programs" / "follow.py"
BATCH = 30


class GrowingRecording:
    """A recording of messages, all of which may be read.

    Parameters
    ----------
    path : Path
        The folder to write.
    """

    recording = "0"

    def __init__(self, path):
        self.path = path / "archive"
        self.written = RecordingBuilder(terms_per_segment=1)
        self.written.message(b"first")
        self.written.put(self.path, is_stopped=False)
        self._growing = Growing(self.written, self.path)

    def grow(self, count):
        """Record more messages."""
        for index in range(count):
            self.written.message(bytes([index % 256]) * 2000)
        self._growing.write()

    def mark_committed(self):
        """Do nothing: all recorded data may be read."""

    def rows(self):
        """Return the position and payload of all that may be read."""
        return [(row[0], row[3]) for row in self.written.messages()]


class GrowingLog:
    """The log of a stopped node, whose recording log shows the commit position.

    Parameters
    ----------
    path : Path
        The folder to write.
    """

    recording = "log"

    def __init__(self, path):
        self.path = path / "node0"
        self.written = LogBuilder(terms_per_segment=1)
        self.written.begin_term(0)
        self.written.open(1)
        self.written.write_node(self.path, snapshots=[self.written.position], is_stopped=False)
        self._growing = Growing(self.written, self.path / "archive")
        self._proven = self.written.position

    def grow(self, count):
        """Record more entries; some begin a term or belong to a timer."""
        for index in range(count):
            self.written.timer(index)
            self.written.emit(1, bytes([index % 256]) * 2000)
        self._growing.write()

    def mark_committed(self):
        """Mark the recorded entries as committed, by a snapshot and a new term."""
        position = self.written.position
        with RecordingLog(SystemFiles(), str(self.path / "cluster")) as log:
            log.append_snapshot(99, self.written.term, 0, position, self.written.time, -1)
            self.written.begin_term(self.written.term + 1)
            self._growing.write()
            log.append_term(0, self.written.term, position, self.written.time)
        self._proven = position

    def rows(self):
        """Return the position and payload of all that may be read."""
        sent = SessionMessageHeader.template_id
        return [
            (begin, message[32:] if SCHEMA.decode(message).template_id == sent else None)
            for begin, end, _, message in self.written.messages()
            if end <= self._proven
        ]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [GrowingRecording, GrowingLog], ids=["recording", "log"])
def test_every_position_occurs_once_after_kills(request, spark, spark_environment, tmp_path, kind):
    followed = kind(tmp_path)
    offsets = tmp_path / "checkpoint" / "offsets"

    def batches():
        return sum(1 for each in offsets.glob("*") if each.name.isdecimal())

    chosen = random.Random(SEED)
    for _ in range(20 if request.config.getoption("whole") else 2):
        followed.grow(4 * BATCH)
        followed.mark_committed()
        wanted = batches() + chosen.randint(1, 3)
        command = [sys.executable, PROGRAM, followed.path, followed.recording, tmp_path]
        with (tmp_path / "output").open("w") as log:
            process = subprocess.Popen(
                [str(each) for each in command],
                stdout=log,
                stderr=log,
                env=spark_environment,
                start_new_session=True,  # the whole process group, with its JVM and workers
            )
        try:
            await_true(
                lambda: batches() >= wanted or process.poll() is not None,  # noqa: B023
                f"batch {wanted}",
                # a session's start and first batch take up to a minute on a busy machine
                timeout_s=400,
            )
            assert process.poll() is None, (tmp_path / "output").read_text()[-4000:]
            followed.grow(chosen.randint(0, BATCH))
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(120)
    place = str(tmp_path)
    follow(spark, str(followed.path), followed.recording, place, until_killed=False)
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    rows = [(row.position, row.payload and bytes(row.payload)) for row in found]
    assert sorted(rows) == followed.rows()
