"""A node's parts as processes: driver and archive, consensus module, service containers."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest

from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from tests.conftest import ROOT
from tests.waiting import await_true

TIMEOUT_S = 120


class Answers(EgressListener):
    def __init__(self):
        self.observed = []

    def on_message(self, _timestamp, message, _header):
        self.observed.append(bytes(message))


@contextmanager
def part(*arguments):
    """Run a part until it has started; its first line is in ``reported``."""
    process = subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stderr is not None
        process.reported = process.stderr.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
        timeout=TIMEOUT_S,
        env=os.environ | environment,
    )


@pytest.fixture
def place(tmp_path, shm_dir, free_port):
    """Run driver and archive; give the arguments of the other parts, and the port."""
    port = free_port(10)
    driver = shm_dir / "driver"
    with part(
        "archive",
        *("--dir", tmp_path / "archive", "--threading", "shared", "-o", f"aeron.dir={driver}"),
        *("--control-channel", f"aeron:udp?endpoint=localhost:{port + 5}"),
        *("--replication-channel", "aeron:udp?endpoint=localhost:0"),
        *("-o", "aeron.archive.segment.file.length=1m"),
        # A pause of the machine must end no component.
        *("-o", "aeron.client.liveness.timeout=600s"),
        *("-o", "aeron.publication.unblock.timeout=700s"),
    ) as archive:
        assert "archive " in archive.reported, archive.reported + archive.stderr.read()
        yield ["--aeron-dir", driver, "--dir", tmp_path / "cluster"], port


def module_arguments(arguments, port):
    return [
        *("module", *arguments, "--port-base", port, "--services", 2, "--idle", "backoff"),
        *("-o", "aeron.cluster.log.channel=aeron:udp?term-length=1m"),
        *("-o", "aeron.cluster.session.timeout=600s"),
    ]


SERVICE = "tests.interop.echo_service:EchoService"


def test_module_and_two_containers_serve_until_they_are_shut_down(place):
    arguments, port = place
    with ExitStack() as stack:
        containers = [
            stack.enter_context(
                part("container", "--service", SERVICE, "--service-id", each, *arguments)
            )
            for each in range(2)
        ]
        for each, container in enumerate(containers):
            assert f"clustered-service-0-{each} in " in container.reported, container.reported
        module = stack.enter_context(part(*module_arguments(arguments, port)))
        assert f"clients reach it at localhost:{port + 1}" in module.reported, (
            module.reported + module.stderr.read()
        )
        answers = Answers()
        with AeronCluster.connect(
            aeron_dir=str(arguments[1]),
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0=localhost:{port + 1}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=TIMEOUT_S * 1_000_000_000,
            listener=answers,
        ) as client:
            await_true(lambda: client.offer(bytes(24)) > 0, "a message")
            await_true(lambda: client.poll_egress() >= 0 and len(answers.observed) == 2, "echoes")
        # A second module finds the directory in use.
        rejected = run(*module_arguments(arguments, port))
        assert rejected.returncode == 3
        assert "in use" in rejected.stderr
        ended = run("shutdown", arguments[3], "--yes")
        assert ended.returncode == 0, ended.stderr
        for process in (module, *containers):
            assert process.wait(TIMEOUT_S) == 0, process.stderr.read()
            assert "closed" in process.stderr.read()


def test_a_signal_ends_a_container_before_its_module_is_there(place):
    arguments, _ = place
    with part("container", "--service", SERVICE, *arguments) as container:
        assert "clustered-service-0-0" in container.reported
        container.send_signal(signal.SIGINT)
        assert container.wait(TIMEOUT_S) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["module", "--members", "0,a,b"], 2, "id,ingress"),
        (["module", "--failover", "slow"], 2, "--failover"),
        (["module", "--hosts", "a,b", "--members", "0,a:1,a:2,a:3,a:4,a:5"], 2, "--hosts"),
        (["container", "--service", "nothing"], 2, "module:Class"),
        (["container", "--service", SERVICE, "--service-id", "10"], 2, "--service-id"),
        (["container", "--service", SERVICE, "--service-option", "odd"], 2, "key=value"),
    ],
)
def test_wrong_arguments_are_rejected(arguments, code, text, tmp_path):
    ended = run(*arguments, "--dir", tmp_path / "cluster", "--aeron-dir", tmp_path / "driver")
    assert ended.returncode == code, ended.stderr
    assert text in ended.stderr


@pytest.mark.parametrize("kind", [["module"], ["container", "--service", SERVICE]])
def test_a_part_without_a_driver_ends_with_the_remedy(kind, tmp_path):
    ended = run(
        *kind,
        *("--dir", tmp_path / "cluster", "--aeron-dir", tmp_path / "driver"),
        AERON_DRIVER_TIMEOUT="100ms",
    )
    assert ended.returncode == 3, ended.stderr
    assert str(tmp_path / "driver") in ended.stderr
    assert "Traceback" not in ended.stderr
