"""What docs/clients.md shows runs: its service in a node, and its client."""

import os
import re
import signal
import subprocess
import sys

from aeron_cluster.config import SURVIVING_CLIENT_OPTIONS
from tests.conftest import ROOT

PAGE = (ROOT / "docs/clients.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_its_clients_receive_from_its_service(tmp_path, shm_dir, free_port):
    clients = [block for block in BLOCKS if "client.request" in block]
    (service,) = [block for block in BLOCKS if "class Shout" in block]
    (tmp_path / "shout.py").write_text(service)
    directory = shm_dir / "driver"
    base = free_port(10)
    clients = [re.sub(r"localhost:9001[^\"]*", f"localhost:{base + 1}", each) for each in clients]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    node = ["node", "--service", "shout:Shout", "--port-base", str(base)]
    with subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *node, "--aeron-dir", str(directory)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
    ) as running:
        try:
            ended = [
                subprocess.run(
                    [sys.executable, "-c", client],
                    check=False,
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=120,
                )
                for client in clients
            ]
        finally:
            running.send_signal(signal.SIGINT)
    assert [each.stdout for each in ended] == ["b'HELLO'\n"], [each.stderr for each in ended]


def test_it_names_every_option():
    for option in SURVIVING_CLIENT_OPTIONS:
        assert option.name.removeprefix("aeron.cluster.client") in PAGE
