"""The rows are the same if tasks run in separate processes, the executors of a small cluster."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.unit.pipeline.recording_builder import RecordingBuilder
from tests.waiting import await_true

pytest.importorskip("pyspark")

import pyspark

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def archive(tmp_path):
    """Return an archive's directory and the rows expected from it."""
    count = positions = length = 0
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        for index in range(300):
            written.message(bytes(index * 7))
        written.put(tmp_path / "archive")
        messages = written.messages()
        count += len(messages)
        positions += sum(row[0] for row in messages)
        length += sum(len(row[3]) for row in messages)
    return tmp_path / "archive", [count, positions, length, count]


@pytest.fixture
def master(spark_environment, free_port, tmp_path):
    """Start a standalone master and a worker."""
    spark_class = Path(pyspark.__file__).parent / "bin/spark-class"
    port = free_port()
    started = []
    host = ["--host", "127.0.0.1", "--webui-port", "0"]
    commands = [
        ["org.apache.spark.deploy.master.Master", *host, "--port", str(port)],
        ["org.apache.spark.deploy.worker.Worker", *host, "--cores", "2", "--memory", "1g"],
    ]
    commands[1].append(f"spark://127.0.0.1:{port}")
    try:
        for index, (command, word) in enumerate(
            zip(commands, ["ALIVE", "Successfully registered"], strict=True)
        ):
            log = tmp_path / f"{index}.log"
            with log.open("w") as out:
                started.append(
                    subprocess.Popen(
                        [str(spark_class), *command],
                        stdout=out,
                        stderr=out,
                        env=spark_environment,
                    )
                )
            await_true(lambda log=log, word=word: word in log.read_text(), word)
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(120)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("kind", "hosts"), [("local-cluster", 3), ("standalone", 2)])
def test_separate_executors_read_the_same(request, run_program, archive, kind, hosts):
    path, wanted = archive
    if kind == "standalone":
        master = request.getfixturevalue("master")
    else:
        master = "local-cluster[2,1,1024]"
    result = json.loads(run_program("count_rows.py", master, path, 100_000).splitlines()[-1])
    assert result["found"] == wanted
    assert result["partitions"] > 4
    assert result["hosts"] == hosts  # one of them is Spark's driver
