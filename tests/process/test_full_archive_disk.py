"""A full disk: recordings stop with an error, reported data is not lost, a node ends at once."""

import os
import subprocess
import sys
import textwrap

import pytest

from aeron_cluster.cli.exit_codes import ExitCode
from tests.conftest import PYTHON_PATH, ROOT
from tests.process.test_full_shared_memory import IN_NAMESPACE, may_mount

PROGRAM = """
import os, sys, time
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client import Aeron
from aeron_cluster.errors import ArchiveError
from aeron_cluster.memory.shared.error_log import read_error_log

disk, shared, mode = sys.argv[1:]
assert os.system(f"mount -t tmpfs -o size=24m tmpfs {disk}") == 0
directory = f"{shared}/driver"
CHANNEL = "aeron:ipc?term-length=64k"
BOUND_S = 120

def message(index):
    return index.to_bytes(8, "little") * 100

def launch():
    return ArchivingMediaDriver.launch(
        driver={"aeron_dir": directory, "threading_mode": mode, "shared_idle_strategy": "yield"},
        archive={"archive_dir": f"{disk}/archive", "control_channel_enabled": False,
         "replication_channel": "aeron:udp?endpoint=localhost:0",
         "segment_file_length": "4m", "low_storage_space_threshold": 0,
         "threading_mode": "SHARED", "error_handler": lambda error: None},
        idle_strategy="yield" if mode == "INVOKER" else None)

def record(archive, aeron, errors, limit):
    archive.start_recording(CHANNEL, 1001)
    with aeron.add_exclusive_publication(CHANNEL, 1001) as publication:
        sent = 0
        deadline = time.monotonic() + BOUND_S
        while sent < limit and not errors:
            assert time.monotonic() < deadline
            if publication.offer(message(sent)) > 0:
                sent += 1
            else:
                archive.poll()
        found = [each for each in archive if each.stream_id == 1001][-1].recording_id
        while not errors and archive.get_recording_position(found) < publication.position:
            assert time.monotonic() < deadline
        return found, sent

def replay(archive, aeron, recording_id):
    end = archive.get_stop_position(recording_id)
    count = position = 0
    def check(view, header):
        nonlocal count, position
        assert bytes(view) == message(count), count
        count += 1
        position = header.position
    with archive.replay(recording_id, CHANNEL, 1002, length=end) as subscription:
        deadline = time.monotonic() + BOUND_S
        while position < end:
            assert time.monotonic() < deadline, (count, position, end)
            subscription.poll(check, 100)
    return count

with launch(), Aeron.connect(aeron_dir=directory) as aeron:
    errors = []
    with AeronArchive.connect(aeron=aeron, control_channel="aeron:ipc",
                              control_response_channel="aeron:ipc",
                              message_timeout_ns=120_000_000_000,
                              error_handler=errors.append) as archive:
        full, sent = record(archive, aeron, errors, 1_000_000)
        (error,) = errors
        assert error.code == ArchiveErrorCode.STORAGE_SPACE, error
        print(error)
        count = replay(archive, aeron, full)
        assert 20_000 < count <= sent, (count, sent)
names = sorted(os.listdir(f"{disk}/archive"))
assert not [name for name in names if name.endswith(".new")], names
with open(f"{disk}/archive/archive-mark.dat", "rb") as mark:
    (entry,) = read_error_log(mark.read()[8192:])
assert "No space left on device" in entry.text, entry

# An archive started on the full disk has all data; after a purge it records again.
with launch(), Aeron.connect(aeron_dir=directory) as aeron:
    errors = []
    with AeronArchive.connect(aeron=aeron, control_channel="aeron:ipc",
                              control_response_channel="aeron:ipc",
                              message_timeout_ns=120_000_000_000,
                              error_handler=errors.append) as archive:
        assert replay(archive, aeron, full) == count
        archive.stop_all_replays(full)
        deadline = time.monotonic() + BOUND_S
        while True:
            try:
                archive.purge_recording(full)
                break
            except ArchiveError as error:
                assert "active replay" in str(error)
                assert time.monotonic() < deadline
        while any(name.startswith(f"{full}-") for name in os.listdir(f"{disk}/archive")):
            assert time.monotonic() < deadline
            archive.poll()
        again, sent = record(archive, aeron, errors, 1000)
        assert not errors, errors
        archive.stop_recording_channel(CHANNEL, 1001)
        while archive.get_stop_position(again) < 0:
            assert time.monotonic() < deadline
        assert replay(archive, aeron, again) == sent == 1000
"""


@pytest.mark.sampled(1)
@pytest.mark.skipif(not may_mount(), reason="only root may mount a private file system")
@pytest.mark.parametrize("mode", ["INVOKER", "SHARED"])
def test_recording_stops_and_its_reported_part_remains(tmp_path, shm_dir, mode):
    program = (sys.executable, "-c", textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [*IN_NAMESPACE, *program, tmp_path, shm_dir, mode],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        timeout=360.0,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No space left on device" in done.stdout
    assert f"{tmp_path}/archive/0-" in done.stdout


NODE = """
import os, subprocess, sys, time
from aeron_cluster import SurvivingClient
from aeron_cluster.errors import AeronClusterError

disk, shared, port_base = sys.argv[1:]
BOUND_S = 120
assert os.system(f"mount -t tmpfs -o size=24m tmpfs {disk}") == 0
node = subprocess.Popen(
    [sys.executable, "-m", "aeron_cluster.cli", "node",
     "--service", "aeron_cluster.cli.accounts:Accounts", "--dir", f"{disk}/node",
     "--aeron-dir", f"{shared}/driver", "--port-base", port_base,
     "-o", "aeron.cluster.log.channel=aeron:udp?term-length=64k",
     "-o", "aeron.archive.segment.file.length=4m",
     "-o", "aeron.archive.low.storage.space.threshold=0"])
deadline = time.monotonic() + BOUND_S
try:
    with SurvivingClient.connect(f"localhost:{int(port_base) + 1}") as client:
        while node.poll() is None and time.monotonic() < deadline:
            try:
                client.request(bytes(8000), timeout_ns=1_000_000_000)
            except AeronClusterError as error:
                print(error)
finally:
    node.kill()
sys.exit(node.wait())
"""


@pytest.mark.skipif(not may_mount(), reason="only root may mount a private file system")
def test_a_node_ends_with_its_reason_on_one_line(tmp_path, shm_dir, free_port):
    done = subprocess.run(
        [*IN_NAMESPACE, sys.executable, "-c", NODE, tmp_path, shm_dir, str(free_port(10))],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        timeout=240.0,
        check=False,
    )
    assert done.returncode == ExitCode.NOT_REACHABLE, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    (line,) = [each for each in done.stderr.splitlines() if each.startswith("error: ")]
    assert line.endswith("(code 11): make room, and start it again"), line
