"""A consensus module and a service container as processes, with Java's part on the other side."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.conftest import ROOT
from tests.interop.test_service_container import (
    SESSION_TIMEOUT_MS,
    TIMEOUT_S,
    Echoes,
    echo_messages,
    exchange,
    node,
    until,
)

__all__ = ["node"]

pytestmark = pytest.mark.java

LOG = "aeron:udp?term-length=1m"


@contextmanager
def part(*arguments):
    """Run a part of the node as a process, until it has started."""
    process = subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stderr is not None
        reported = process.stderr.readline()
        assert ", process " in reported, reported + process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate()


def place(node):
    return ["--aeron-dir", node.directory, "--dir", node.base / "node0" / "cluster"]


def start_java(node, parts):
    node.peer = node.java.start(
        "ClusterNode",
        dir=node.directory,
        base=node.base,
        portBase=node.port,
        parts=parts,
        idle="backoff",
        log=LOG,
        sessionTimeoutMs=SESSION_TIMEOUT_MS,
    )
    node.peer.await_event("READY", TIMEOUT_S)


@contextmanager
def container_of(node):
    with part(
        "container", "--service", "tests.interop.echo_service:EchoService", *place(node)
    ) as it:
        yield it


def test_javas_module_drives_our_container_process(node):
    for begin in (0, 500):
        start_java(node, "driver,archive,consensus")
        with container_of(node) as process:
            until(lambda: node.is_leading)
            echoes = Echoes()
            with node.connect(echoes) as client:
                exchange(client, echoes, echo_messages(500, seed=begin))
            # With a snapshot of the service in it, from which the second round starts.
            since = node.toggle("shutdown")
            node.peer.await_event("terminationHook", TIMEOUT_S, since)
            assert process.wait(TIMEOUT_S) == 0
            assert "closed" in process.stderr.read()
        node.peer.stop()
        node.peer = None


def test_our_module_process_drives_javas_container(node):
    start_java(node, "driver,archive,service")
    for seed in (1, 2):
        with part(
            "module",
            *place(node),
            "--port-base",
            node.port,
            *("-o", f"aeron.cluster.log.channel={LOG}"),
            *("-o", f"aeron.cluster.session.timeout={SESSION_TIMEOUT_MS}ms"),
        ) as process:
            echoes = Echoes()
            with node.connect(echoes) as client:
                exchange(client, echoes, echo_messages(500, seed=seed))
            process.send_signal(signal.SIGTERM)
            assert process.wait(TIMEOUT_S) == 0
        # Java's container ends with its module, and a new one starts with the next.
        node.peer.await_event("terminationHook", TIMEOUT_S)
        node.peer.stop()
        if seed == 1:
            start_java(node, "driver,archive,service")
        else:
            node.peer = None
