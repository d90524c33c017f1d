"""A node, a driver and an archive as processes, whose metrics are read while they run."""

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from tests.conftest import PYTHON_PATH
from tests.unit.cli.test_telemetry import collector, metrics_of
from tests.waiting import await_true

pytest.importorskip("prometheus_client")

__all__ = ["collector"]

SERVICE = ("--service", "aeron_cluster.cli.accounts:Accounts")
SMALL_LOG = ("-o", "aeron.cluster.log.channel=aeron:udp?term-length=1m")
ADDRESS = re.compile(r"metrics .*at (http://127\.0\.0\.1:\d+)/metrics")


@contextmanager
def started(*arguments):
    """Run a command, and yield the URL of its metrics once it serves them."""
    process = subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    )
    printed = []
    try:
        for line in process.stderr:
            printed.append(line)
            if "Ctrl-C ends it" in line:
                break
        address = next(filter(None, map(ADDRESS.match, printed)), None)
        assert address, printed
        yield address[1]
        process.terminate()
        assert process.wait(60) == 0, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_node_serves_its_metrics_and_so_does_a_separate_process(
    tmp_path, shm_dir, free_port, monkeypatch, collector
):
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "100")
    port = free_port(10)
    data = tmp_path / "data"
    with started(
        *("node", "--dir", data, "--port-base", port, "--aeron-dir", shm_dir / "driver"),
        *(*SERVICE, *SMALL_LOG, "--metrics", "127.0.0.1:0", "--latency"),
        *("--otlp", collector.url),
    ) as url:
        assert get(f"{url}/ready") == get(f"{url}/live") == (200, "ok\n")
        status, text = get(f"{url}/metrics")
        assert status == 200
        assert 'aeron_cluster_role{cluster="0",member="0"} 2.0' in text
        assert 'aeron_cluster_election_state{cluster="0",member="0"} 17.0' in text
        assert re.search(r'aeron_archive_recording_sessions\{archive="0"\} 1\.0', text)
        assert re.search(r"aeron_driver_bytes_currently_mapped [1-9]", text)
        assert 'aeron_cluster_stage_latency_seconds_count{member="0",stage="total"}' in text
        await_true(lambda: "aeron_cluster_role" in metrics_of(collector.next()[2])[0], "an export")
        with started("metrics", data, "--listen", "127.0.0.1:0") as other:
            assert get(f"{other}/ready") == (200, "ok\n")
            assert 'aeron_cluster_role{cluster="0",member="0"} 2.0' in get(f"{other}/metrics")[1]
        command = [sys.executable, "-m", "aeron_cluster.cli", "ready", str(data)]
        assert subprocess.run(command, check=False).returncode == 0
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_an_archive_serves_its_metrics(tmp_path, shm_dir):
    with started(
        *("archive", "--dir", tmp_path / "archive", "--metrics", "127.0.0.1:0"),
        *("-o", f"aeron.dir={shm_dir / 'driver'}"),
        *("-o", "aeron.archive.control.channel.enabled=false"),
        *("--replication-channel", "aeron:udp?endpoint=localhost:0"),
    ) as url:
        assert get(f"{url}/ready") == (200, "ok\n")
        assert re.search(
            r"aeron_archive_errors_total\{archive=\"-?\d+\"\} 0\.0", get(f"{url}/metrics")[1]
        )
        with started("metrics", shm_dir / "driver", "--listen", "127.0.0.1:0") as other:
            assert get(f"{other}/live") == (200, "ok\n")
