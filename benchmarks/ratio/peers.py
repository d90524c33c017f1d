"""Starts the two sides of a benchmark as processes, each with only what it needs."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tests.interop.java_peer import Event, JavaPeer, Peer, key_values

TIMEOUT = 300.0
Value: TypeAlias = str | int | float | bool | Path


@dataclass(frozen=True)
class Setting:
    """The settings of a whole run of benchmarks."""

    class_path: str
    starts: int
    port_base: int = 24_700
    """The first of thirty ports for a cluster, or the first of two otherwise."""

    @contextmanager
    def stage(self, parent: str = "/dev/shm") -> Iterator["Stage"]:
        """Yield a stage with a directory for one start of one side, and end its processes."""
        folder = Path(tempfile.mkdtemp(prefix="aeron-cluster-bench-", dir=parent))
        stage = Stage(self.class_path, folder)
        try:
            yield stage
        finally:
            stage.close()
            shutil.rmtree(folder, ignore_errors=True)


class Stage:
    """The processes of one start."""

    def __init__(self, class_path: str, folder: Path) -> None:
        self._class_path = class_path
        self.folder = folder
        self._started: list[Peer] = []

    def _keep(self, make: Callable[[Path], Peer]) -> Peer:
        peer = make(self.folder / f"{len(self._started)}.stderr")
        self._started.append(peer)
        return peer

    def start_java(self, program: str, **arguments: Value) -> Peer:
        """Start a Java program with the JVM's default options, which are its best."""
        return self._keep(
            lambda log: JavaPeer(program, self._class_path, log, arguments, jvm_options=())
        )

    def start(self, program: str, *, ours: bool, **arguments: Value) -> Peer:
        """Start one side's program with its driver embedded."""
        folder = self.folder / f"driver-{len(self._started)}"
        given = {"embedded": True, "threading": "SHARED", "dir": folder, **arguments}
        if not ours:
            return self.start_java(program, **given)
        command = [sys.executable, "-m", "benchmarks.ratio.peer", program, *key_values(given)]
        return self.start_command(command, program)

    def start_command(self, command: Sequence[str], program: str = "ours") -> Peer:
        """Start any program."""
        return self._keep(lambda log: Peer(program, command, log))

    def close(self) -> None:
        """Stop the running processes."""
        for peer in reversed(self._started):
            peer.stop()


def results(peer: Peer) -> list[Event]:
    """Wait for the end of a program, and return its results."""
    code = peer.wait(TIMEOUT)
    assert code == 0, f"{peer}: exit code {code}\n{peer.report()}"
    return [event for event in peer.events if event["event"] == "result"]
