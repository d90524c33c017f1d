"""The start of a cluster of one member under test, Java's or ours.

Both are programs with the arguments and the events of ``java/ClusterNode.java``.
"""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.java_peer import Event, JavaPeer, JavaPeers, Peer, key_values
from tests.waiting import await_true

TIMEOUT_S = 120.0
KINDS = (
    pytest.param("java", marks=[pytest.mark.java, pytest.mark.reference]),
    "ours-one-thread",
    "ours-thread-an-agent",
)
THREADS = {"ours-one-thread": "one", "ours-two-threads": "two", "ours-thread-an-agent": "each"}


@dataclass
class ClusterNode:
    """A member that runs or has ended.

    Parameters
    ----------
    peer
        The process.
    directory
        The directory of its driver.
    base
        The parent of its cluster and archive directories.
    port_base
        The first of its ports; the ingress has the next one.
    """

    peer: Peer
    directory: Path
    base: Path
    port_base: int

    @property
    def cluster_dir(self) -> Path:
        """The directory of its recording log and mark files."""
        return self.base / "node0" / "cluster"

    @property
    def archive_dir(self) -> Path:
        """The directory of its recordings."""
        return self.base / "node0" / "archive"

    @property
    def ingress_endpoints(self) -> str:
        """The ingress endpoints, as a client is configured."""
        return f"0=localhost:{self.port_base + 1}"

    def await_leader(self) -> "ClusterNode":
        """Wait until it leads."""
        self.peer.await_event("READY", TIMEOUT_S)
        self.peer.await_event("election", TIMEOUT_S, where=lambda one: one["state"] == "CLOSED")
        return self

    def await_module(self, state: str, since: int = 0) -> Event:
        """Wait until its consensus module is in a state."""
        return self.peer.await_event(
            "module", TIMEOUT_S, since, where=lambda one: one["state"] == state
        )

    def state(self) -> Event:
        """Return the state that its service counted; the request does not use the log."""
        since = self.peer.emit("state")
        state: Event = self.peer.await_event("state", TIMEOUT_S, since)["state"]
        return state

    def settled_state(self) -> Event:
        """Return the state once the service has processed the end of every session.

        A client may end before the log contains the end of its session.
        """
        states: list[Event] = []

        def is_settled() -> bool:
            states.append(self.state())
            return bool(states[-1]["opened"] == states[-1]["closed"])

        await_true(is_settled, "the end of every session", TIMEOUT_S)
        return states[-1]

    def snapshot(self) -> None:
        """Take a snapshot, and wait for it."""
        since = self.peer.emit("snapshot")
        self.peer.await_event("snapshotDone", TIMEOUT_S, since)


class ClusterNodes:
    """Starts nodes of one kind, one at a time, on the same directories.

    Parameters
    ----------
    kind
        One of ``KINDS``.
    java
        The starter of Java programs; for our kind only of clients and tools.
    folder
        The folder of its files; the driver's directory is in ``shared_memory``.
    port_base
        The first of ten free ports.
    """

    def __init__(
        self,
        kind: str,
        java: JavaPeers | None,
        folder: Path,
        shared_memory: Path,
        port_base: int,
    ) -> None:
        self.kind = kind
        self.started: list[ClusterNode] = []
        self._java = java
        shared_memory.mkdir(parents=True, exist_ok=True)
        self._base = folder / "cluster"
        self._directory = shared_memory / "node"
        self._port_base = port_base

    @property
    def peers(self) -> JavaPeers:
        """The starter of Java programs."""
        assert self._java is not None
        return self._java

    def start(self, **arguments: Any) -> ClusterNode:
        """Start a node, with further arguments."""
        given = {
            "dir": self._directory,
            "base": self._base,
            "portBase": self._port_base,
            "idle": "backoff",
            "log": "aeron:udp?term-length=16m",
            "segment": 16 * 1024 * 1024,
            # Long, since a busy machine may delay a client.
            "sessionTimeoutMs": 60_000,
        } | arguments
        peer = self._start_java(given) if self.kind == "java" else self._start_ours(given)
        node = ClusterNode(peer, self._directory, self._base, self._port_base)
        self.started.append(node)
        return node

    def _start_java(self, arguments: dict[str, Any]) -> JavaPeer:
        # A killed node's mark files keep a Java node from starting for 10 s: without them it starts
        # immediately, as it would after that time.
        killed = self.started and self.started[-1].peer.code not in (None, 0, 143)
        if killed:
            for path in self._base.glob("node0/*/*mark*.dat"):
                path.unlink()
        return self.peers.start("ClusterNode", **arguments)

    def _start_ours(self, arguments: dict[str, Any]) -> Peer:
        given = {"threads": THREADS[self.kind], **arguments}
        command = [sys.executable, "-m", "tests.interop.our_node", *key_values(given)]
        log = self._base.parent / f"node-{len(self.started)}.stderr"
        return Peer("our node", command, log)

    def report(self) -> str:
        """Return what each node printed, and the counters of the running one."""
        reported = [f"{node.peer}\n{node.peer.report()}" for node in self.started]
        if self.started and self.started[-1].peer.code is None:
            with (
                contextlib.suppress(OSError, AeronClusterError),  # no counters yet
                CncFile.open(SystemFiles(), self._directory / "cnc.dat") as cnc,
            ):
                reported += [
                    f"{each.counter_id} {each.value} {each.label}"
                    for each in cnc.counters_reader().counters()
                ]
        return "\n".join(reported)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the running processes."""
        for node in self.started:
            node.peer.stop()

    def client(self, **arguments: Any) -> JavaPeer:
        """Start a Java client of the node."""
        given = {"dir": self._directory, "portBase": self._port_base, "warmup": 0}
        return self.peers.start("ClusterClient", **given | arguments)

    def run_client(self, code: int = 0, **arguments: Any) -> JavaPeer:
        """Run a Java client of the node to its end."""
        client = self.client(**arguments)
        ended = client.wait(TIMEOUT_S)
        assert ended == code, f"{client}: exit code {ended}, expected {code}\n{client.report()}"
        return client
