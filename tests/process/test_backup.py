"""``aeron-cluster backup`` and ``restore``, and a node started from their files."""

import json
import signal
import subprocess
import sys

from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.our_services import Plain
from tests.waiting import await_true


def run(*arguments):
    """Return the output of a command."""
    command = [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def launch(directory, port_base):
    return ClusterNode.launch(
        Plain(), directory=directory, members=local_member(0, "localhost", port_base)
    )


def test_a_backup_ends_on_sigint_and_a_node_starts_from_it(tmp_path, shm_dir, free_port):
    port_base, reported = free_port(20), tmp_path / "output"
    copy = tmp_path / "copy"
    consensus = local_member(0, "localhost", port_base).consensus_endpoint
    command = [sys.executable, "-m", "aeron_cluster.cli", "backup", "--of", consensus]
    command += ["--dir", str(copy), "--port-base", str(port_base + 10)]
    command += ["--aeron-dir", str(shm_dir / "backup")]
    with launch(tmp_path / "node", port_base) as node:
        await_true(lambda: node.consensus_module.is_leading, "a leader")
        with (
            reported.open("wb") as stderr,
            subprocess.Popen(command, stdout=stderr, stderr=stderr) as process,
        ):
            try:
                await_true(
                    lambda: "backing up" in reported.read_text() or process.poll() is not None,
                    "a running backup",
                )

                def is_backing_up():
                    (shown,) = json.loads(run("status", copy / "cluster", "--json"))["members"]
                    return shown["backup"]["state"] == "BACKING_UP"

                # A pause of the machine beyond the response timeout restarts the backup.
                await_true(is_backing_up, "the status BACKING_UP")
                process.send_signal(signal.SIGINT)
                assert process.wait(120) == 0, reported.read_text()
            finally:
                process.kill()
    assert reported.read_text().endswith("closed\n")
    assert not (shm_dir / "backup").exists()
    with RecordingLog(SystemFiles(), str(copy / "cluster"), writable=False) as log:
        assert len(log.entries) == 1
    restored = tmp_path / "restored"
    restored_state = json.loads(run("restore", copy, "--dir", restored, "--json"))
    assert restored_state["log_position"] > 0
    assert restored_state["kept"] == ""
    with launch(restored, port_base) as node:
        await_true(lambda: node.consensus_module.is_leading, "a leader")
    # Now the node has more than the backup, and is not changed.
    command = [sys.executable, "-m", "aeron_cluster.cli", "restore", copy, "--dir", restored]
    rejected = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert rejected.returncode == 1
    assert "has all that the backup has" in " ".join(rejected.stderr.split())


def test_a_backup_without_space_for_the_log_does_not_start(tmp_path, shm_dir, free_port):
    command = [sys.executable, "-m", "aeron_cluster.cli", "backup", "--of", "localhost:1"]
    command += ["--dir", str(tmp_path / "copy"), "--port-base", str(free_port(10))]
    command += ["--aeron-dir", str(shm_dir / "backup")]
    command += ["-o", "aeron.archive.low.storage.space.threshold=1048576g"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "bytes free for the log" in line
    assert "make room, or lower aeron.archive.low.storage.space.threshold" in line
