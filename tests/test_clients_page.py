"""The examples of docs/clients.md run: its service in a node, its clients and its streams."""

import os
import re
import signal
import subprocess
import sys

from aeron_cluster import Aeron, AeronArchive, ArchivingMediaDriver
from aeron_cluster.config import SURVIVING_CLIENT_OPTIONS
from tests.conftest import PYTHON_PATH, ROOT
from tests.waiting import await_true

PAGE = (ROOT / "docs/clients.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SERVICE = "class Shout"
TIMEOUT_S = 120
LIVE = "aeron:udp?control-mode=dynamic|ssc=true|control={control}"


def block(text):
    (found,) = [each for each in BLOCKS if text in each]
    return found


def environment(**more):
    return {**os.environ, "PYTHONPATH": PYTHON_PATH, **more}


def run(program, folder, **more):
    return subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )


def test_its_clients_receive_from_its_service(tmp_path, shm_dir, free_port):
    clients = [block('client.request(b"hello")'), block("class Answers"), *[block("kept.txt")] * 2]
    (tmp_path / "shout.py").write_text(block(SERVICE))
    directory = shm_dir / "driver"
    base = free_port(10)
    clients = [re.sub(r"localhost:9001[^\"]*", f"localhost:{base + 1}", each) for each in clients]
    node = ["node", "--service", "shout:Shout", "--port-base", str(base)]
    with subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *node, "--aeron-dir", str(directory)],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
    ) as running:
        try:
            ended = [run(client, tmp_path) for client in clients]
        finally:
            running.send_signal(signal.SIGINT)
    assert [each.stdout for each in ended] == [
        "b'HELLO'\n",
        "1 b'BUY'\n2 b'SELL'\n",
        "0\n",
        "1\n",
    ], [each.stderr for each in ended]


def test_its_batches_are_received(tmp_path):
    found = run(block("poll_batch"), tmp_path)
    assert found.returncode == 0, found.stderr
    sums = [float(line.split()[1]) for line in found.stdout.splitlines()]
    assert sum(sums) == 1.5 * 2 + 1.5 * 3


def test_its_persistent_subscription_reads_the_recording(tmp_path, shm_dir, free_port):
    live, archive_port = free_port(1), free_port(1)
    program = block("PersistentSubscription.create")
    program = program.replace("localhost:2000", f"localhost:{live}")
    program = program.replace("localhost:8010", f"localhost:{archive_port}")
    directory = str(shm_dir / "driver")
    output = tmp_path / "output"
    with (
        ArchivingMediaDriver.launch(
            driver={"aeron_dir": directory, "threading_mode": "SHARED"},
            archive={
                "archive_dir": str(tmp_path / "archive"),
                "control_channel": f"aeron:udp?endpoint=localhost:{archive_port}",
                "replication_channel": "aeron:udp?endpoint=localhost:0",
            },
        ),
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(
            aeron=aeron,
            control_channel=f"aeron:udp?endpoint=localhost:{archive_port}",
            control_response_channel="aeron:udp?endpoint=localhost:0",
        ) as archive,
        archive.add_recorded_publication(
            LIVE.format(control=f"localhost:{live}"), 1001
        ) as publication,
    ):
        await_true(lambda: publication.offer(b"recorded"), "the recording", TIMEOUT_S)
        with (
            output.open("wb") as file,
            subprocess.Popen(
                [sys.executable, "-u", "-c", program],
                env=environment(AERON_DIR=directory),
                stdout=file,
                stderr=subprocess.STDOUT,
            ) as running,
        ):
            try:
                await_true(lambda: "b'recorded'" in output.read_text(), "a replay", TIMEOUT_S)
                await_true(lambda: publication.offer(b"live"), "a live message", TIMEOUT_S)
                await_true(lambda: "b'live'" in output.read_text(), "it arrives", TIMEOUT_S)
            finally:
                running.kill()


def test_the_page_names_every_option():
    for option in SURVIVING_CLIENT_OPTIONS:
        assert option.name.removeprefix("aeron.cluster.client") in PAGE
