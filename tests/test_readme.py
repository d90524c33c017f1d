"""The README's examples run, and the files that it names exist."""

import os
import re
import signal
import subprocess
import sys

from tests.conftest import PYTHON_PATH, ROOT
from tests.pages import block_of

README = (ROOT / "README.md").read_text()


def test_its_client_receives_from_its_service(tmp_path, shm_dir, free_port):
    service, client = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (command,) = re.findall(r"^    aeron-cluster (node .*)$", README, re.MULTILINE)
    (name,) = re.findall(r"^# (\w+\.py)\n", service)
    (tmp_path / name).write_text(service)
    base = free_port(10)
    assert "localhost:9001" in client
    # The client starts before the node, and waits for it, also on a busy machine.
    timeouts = {"AERON_CLUSTER_MESSAGE_TIMEOUT": "120s"}
    environment = {**os.environ, "PYTHONPATH": PYTHON_PATH, **timeouts}
    arguments = [*command.split(), "--port-base", str(base), "--aeron-dir", str(shm_dir / "driver")]
    with subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *arguments], cwd=tmp_path, env=environment
    ) as node:
        try:
            done = subprocess.run(
                [sys.executable, "-c", client.replace(":9001", f":{base + 1}")],
                check=False,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=240,
            )
        finally:
            node.send_signal(signal.SIGINT)
    assert (done.returncode, done.stdout) == (0, "b'HELLO'\n"), done.stderr
    assert node.returncode == 0


def test_its_make_targets_run_the_commands():
    lines = block_of("README.md", "make demo").text.splitlines()
    plans = {}
    outside = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    for line in lines:
        target = line.split()[1]
        plans[target] = subprocess.run(
            ["make", "--dry-run", target],
            check=True,
            cwd=ROOT,
            env=outside,
            capture_output=True,
            text=True,
        ).stdout
    assert plans["demo"].endswith(".venv/bin/python -m aeron_cluster.cli demo\n")
    assert ".venv/bin/python -m pytest -q -n" in plans["test"]


def test_every_named_file_exists():
    named = re.findall(r"`((?:aeron_cluster|tests|benchmarks|docs|tools)/[\w./-]+)`", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
