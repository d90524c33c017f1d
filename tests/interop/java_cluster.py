"""Clusters of several members under test, each Java's or ours.

All members are programs with the arguments and the events of ``java/ClusterNode.java``.
"""

import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.interop.cluster_node import THREADS
from tests.interop.java_peer import Event, JavaPeer, JavaPeers, Peer, key_values

TIMEOUT_S = 120.0
PORTS_A_MEMBER = 10

# Short enough for a test, long enough for a busy machine.
QUICK_ELECTIONS: dict[str, Any] = {
    "canvassMs": 8000,
    "electionMs": 1000,
    "electionStatusMs": 100,
    "heartbeatTimeoutMs": 4000,
    "heartbeatIntervalMs": 200,
}


@dataclass
class ClusterMember:
    """A member that runs or has ended.

    Parameters
    ----------
    kind
        ``"java"``, or one of ours in `THREADS`.
    index
        The member id.
    peer
        The process.
    directory
        The directory of its driver.
    base
        The parent of its cluster and archive directories.
    """

    kind: str
    index: int
    peer: Peer
    directory: Path
    base: Path
    is_paused: bool = field(default=False, init=False)
    lost_leader_at: int = field(default=0, init=False)

    @property
    def cluster_dir(self) -> Path:
        """The directory of its recording log and mark files."""
        return self.base / f"node{self.index}" / "cluster"

    @property
    def archive_dir(self) -> Path:
        """The directory of its recordings."""
        return self.base / f"node{self.index}" / "archive"

    @property
    def is_running(self) -> bool:
        """Whether its process runs and is not paused."""
        return self.peer.code is None and not self.is_paused

    def latest(self, name: str, since: int = 0) -> Event:
        """Return the last event of a name, or an empty one."""
        self.peer.read()
        events = self.peer.events[since:]
        return next((one for one in reversed(events) if one["event"] == name), {})

    @property
    def is_settled(self) -> bool:
        """Whether it is in no election, and has completed one since the leader was lost."""
        return self.latest("election", self.lost_leader_at).get("state") == "CLOSED"

    def expect_election(self) -> None:
        """Note that the leader is lost: the member is settled only after its next election."""
        self.peer.read()
        self.lost_leader_at = len(self.peer.events)

    @property
    def is_leading(self) -> bool:
        """Whether its last reported role is leader."""
        return self.is_running and self.is_settled and self.latest("role").get("role") == "LEADER"

    def state(self) -> Event:
        """Return the state that its service counted; the request does not use the log."""
        since = self.peer.emit("state")
        state: Event = self.peer.await_event("state", TIMEOUT_S, since)["state"]
        return state

    def toggle(self, command: str) -> int:
        """Use a control toggle; return the index of the first event after it."""
        since = self.peer.emit(command)
        answer = self.peer.await_event("toggle", TIMEOUT_S, since)
        assert answer["accepted"], f"{command} at member {self.index}"
        return since


class ClusterMembers:
    """Starts the members of one cluster, each of any kind, and ends those left running.

    Parameters
    ----------
    java
        The starter of Java programs; None if all members are ours.
    folder
        The folder of the members' files.
    shared_memory
        The folder of the drivers' directories.
    free_port
        The fixture, which returns the first of a number of adjacent free ports.
    count
        The number of members.
    **arguments
        Arguments of all members, besides `QUICK_ELECTIONS`; those of `start_member` override them.

    Examples
    --------
    >>> with ClusterMembers(java, tmp_path, shm_dir, free_port) as cluster:  # doctest: +SKIP
    ...     cluster.start_all("java", "java", "ours-one-thread")
    ...     leader = cluster.await_leader()
    ...     cluster.kill(leader.index)
    ...     cluster.await_leader()
    """

    def __init__(
        self,
        java: JavaPeers | None,
        folder: Path,
        shared_memory: Path,
        free_port: Callable[[int], int],
        count: int = 3,
        **arguments: Any,
    ) -> None:
        self.count = count
        self.running: dict[int, ClusterMember] = {}
        self.port_base = free_port(PORTS_A_MEMBER * count)
        self.base = folder / "cluster"
        self._java = java
        self._shared_memory = shared_memory
        self._arguments = QUICK_ELECTIONS | arguments
        self._started: list[ClusterMember] = []
        self._killed: set[int] = set()
        shared_memory.mkdir(parents=True, exist_ok=True)
        self.base.mkdir(parents=True, exist_ok=True)

    @property
    def members(self) -> str:
        """All members as ``id,ingress,consensus,log,catchup,archive``, joined by ``|``."""
        each = (local_member(i, "localhost", self.port_base) for i in range(self.count))
        return "|".join(map(str, each))

    @property
    def ingress_endpoints(self) -> str:
        """The ingress endpoints, as a client is configured."""
        each = (local_member(i, "localhost", self.port_base) for i in range(self.count))
        return ",".join(f"{one.member_id}={one.ingress_endpoint}" for one in each)

    @property
    def peers(self) -> JavaPeers:
        """The starter of Java programs."""
        assert self._java is not None
        return self._java

    # ---- members ----

    def start_member(self, kind: str, index: int, **arguments: Any) -> ClusterMember:
        """Start a member on the directories of its earlier process.

        Parameters
        ----------
        kind
            ``"java"``, ``"ours-one-thread"``, ``"ours-two-threads"`` or ``"ours-thread-an-agent"``.
        index
            The member id.
        **arguments
            Further arguments of the program.
        """
        assert index not in self.running, f"member {index} runs"
        directory = self._shared_memory / f"node{index}"
        given = {
            "member": index,
            "members": self.count,
            "clusterMembers": self.members,
            "dir": directory,
            "base": self.base,
            "portBase": self.port_base,
            "idle": "backoff",
            "log": "aeron:udp?term-length=4m",
            "segment": 4 * 1024 * 1024,
            # Long, since a busy machine may delay a client.
            "sessionTimeoutMs": 60_000,
            **self._arguments,
            **arguments,
        }
        peer = self._start_java(given) if kind == "java" else self._start_ours(kind, given)
        member = ClusterMember(kind, index, peer, directory, self.base)
        self.running[index] = member
        self._started.append(member)
        return member

    def start_all(self, *kinds: str, **arguments: Any) -> list[ClusterMember]:
        """Start every member, of the kinds in order; a single kind is used for all."""
        each = kinds * self.count if len(kinds) == 1 else kinds
        assert len(each) == self.count
        return [self.start_member(kind, i, **arguments) for i, kind in enumerate(each)]

    def _start_java(self, arguments: dict[str, Any]) -> JavaPeer:
        # A killed node's mark files keep a Java node from starting for 10 s: without them it starts
        # immediately, as it would after that time.
        if arguments["member"] in self._killed:
            for path in self.base.glob(f"node{arguments['member']}/*/*mark*.dat"):
                path.unlink()
        return self.peers.start("ClusterNode", **arguments)

    def _start_ours(self, kind: str, arguments: dict[str, Any]) -> Peer:
        given = {"threads": THREADS[kind], **arguments}
        command = [sys.executable, "-m", "tests.interop.our_node", *key_values(given)]
        log = self.base / f"member-{arguments['member']}-{len(self._started)}.stderr"
        return Peer(f"our member {arguments['member']}", command, log)

    def kill(self, index: int) -> None:
        """End a member with SIGKILL, as a crash would."""
        self._expect_election(index)
        self.running.pop(index).peer.kill()
        self._killed.add(index)

    def stop(self, index: int) -> int:
        """Ask a member to close; return its exit code."""
        self._expect_election(index)
        self._killed.discard(index)
        return self.running.pop(index).peer.stop()

    def pause(self, index: int) -> None:
        """Stop a member with SIGSTOP: it exists, but does not run."""
        self._expect_election(index)
        self.running[index].is_paused = True
        self.running[index].peer.pause()

    def resume(self, index: int) -> None:
        """Continue after `pause`."""
        self.running[index].peer.resume()
        self.running[index].is_paused = False

    def _expect_election(self, lost: int) -> None:
        if self.running[lost].is_leading:
            for index, one in self.running.items():
                if index != lost:
                    one.expect_election()

    # ---- waiting ----

    def await_leader(self, but: Collection[int] = (), timeout: float = TIMEOUT_S) -> ClusterMember:
        """Wait for a leader that all running members follow; a new one if the last was lost.

        Parameters
        ----------
        but
            Members to ignore, such as a deposed leader that does not know it yet.
        timeout
            Seconds until the wait fails.
        """

        def leader() -> ClusterMember | None:
            present = [one for i, one in self.running.items() if i not in but and one.is_running]
            if not all(one.is_settled for one in present):
                return None
            leaders = [one for one in present if one.is_leading]
            return leaders[0] if len(leaders) == 1 else None

        deadline = time.monotonic() + timeout
        idle = IdleStrategy("backoff")
        while (found := leader()) is None:
            for one in self.running.values():
                assert one.peer.code is None, f"{one.peer}: ended\n{one.peer.report()}"
            assert time.monotonic() < deadline, f"no leader in {timeout} s\n{self.report()}"
            idle.idle()
        return found

    @property
    def followers(self) -> list[ClusterMember]:
        """The running followers."""
        return [one for one in self.running.values() if one.is_running and not one.is_leading]

    def client(self, **arguments: Any) -> JavaPeer:
        """Start a Java client of the cluster, on a separate driver."""
        given = {
            "dir": self._shared_memory / f"client-{len(self.peers.started)}",
            "embedded": True,
            "endpoints": self.ingress_endpoints,
            "warmup": 0,
        }
        return self.peers.start("ClusterClient", **given | arguments)

    # ---- the end ----

    def report(self) -> str:
        """Return the output of every member, for a failed assertion."""
        return "\n\n".join(f"{one.peer}\n{one.peer.report()}" for one in self._started)

    def close(self) -> None:
        """End the running members concurrently."""
        for member in self.running.values():
            if member.is_paused:
                member.peer.resume()
        for member in self.running.values():
            member.peer.stop()
        self.running.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
