"""A node that cannot start prints the reason in a line; one that is not closed leaves nothing."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.process.test_full_shared_memory import IN_NAMESPACE, may_mount

TIMEOUT_S = 120
SERVICE = ("--service", "aeron_cluster.cli.accounts:Accounts")
LEFT_OPEN = """
import sys
from aeron_cluster.cli.accounts import Accounts
from aeron_cluster.cluster.assembly import ClusterNode, local_member
directory, port_base, threads = sys.argv[1:]
node = ClusterNode.launch(
    Accounts(), directory=directory, members=str(local_member(0, "localhost", int(port_base))),
    threads=threads)
print(node.driver.aeron_dir)
"""


def start(directory, port_base, *before):
    command = [*before, sys.executable, "-m", "aeron_cluster.cli", "node", *SERVICE]
    command += ["--dir", str(directory), "--port-base", str(port_base)]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=TIMEOUT_S
    )


@pytest.mark.parametrize(
    ("offset", "purpose"), [(1, "clients' ingress"), (2, "consensus between members")]
)
def test_a_port_in_use_is_named_with_its_purpose(tmp_path, free_port, offset, purpose):
    base = free_port(6)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", base + offset))
        done = start(tmp_path / "data", base)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: localhost:{base + offset}/udp ({purpose}) is in use: ")


def test_single_member_starts_with_the_logs_port_in_use(tmp_path, free_port):
    base = free_port(6)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", base + 3))
        done = subprocess.run(
            [sys.executable, "-c", LEFT_OPEN, str(tmp_path / "data"), str(base), "one"],
            check=False,
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=TIMEOUT_S,
        )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not may_mount(), reason="private namespaces cannot be made here")
def test_full_disk_is_reported_in_one_line(tmp_path, free_port):
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=20m tmpfs {disk} && exec "$@"'
    done = start(disk / "data", free_port(6), *IN_NAMESPACE, "sh", "-c", script, "sh")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {disk}/data/archive: expected more than 134,217,728 bytes free")


@pytest.mark.skipif(not may_mount(), reason="private namespaces cannot be made here")
def test_shared_memory_too_small_for_the_log_is_reported_in_one_line(tmp_path, free_port):
    memory = tmp_path / "memory"
    memory.mkdir()
    # The default size in containers.
    script = f'mount -t tmpfs -o size=64m tmpfs {memory} && AERON_DIR={memory}/driver exec "$@"'
    done = start(tmp_path / "data", free_port(6), *IN_NAMESPACE, "sh", "-c", script, "sh")
    assert done.returncode == 3
    _, line = done.stderr.splitlines()  # the first line is the driver's warning
    assert line.startswith(f"error: {memory}/driver: expected 201,330,688 bytes free")


@pytest.mark.parametrize("threads", ["one", "none"])
def test_a_node_left_open_removes_its_directory(tmp_path, free_port, threads):
    done = subprocess.run(
        [sys.executable, "-c", LEFT_OPEN, str(tmp_path / "data"), str(free_port(6)), threads],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    assert "aeron-" in done.stdout
    assert not Path(done.stdout.strip()).exists()
