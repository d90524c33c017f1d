"""Replace the members of a running Java cluster by ours, one by one: followers, then the leader.

Run it with the jar of Aeron 1.51.0 (``io.aeron:aeron-all:1.51.0``), and a JDK 17 on the path::

    python -m examples.rolling_replacement aeron-all-1.51.0.jar

Three Java members are started, and a snapshot is taken. Then each is ended, and a member of ours is
started on its directory with the same properties. A client requests the sum after each step. The
Java service and ours have the same messages, answers and snapshot (`JavaMember.java`, `total.py`).
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeron_cluster import AeronCluster, EgressListener, Header, IdleStrategy, MessageView
from aeron_cluster.cluster import ClusterDirectory, local_member, read_status
from aeron_cluster.errors import AeronClusterError
from examples.rolling_replacement.total import AMOUNT
from examples.single_node import PORTS

FOLDER = Path(__file__).parent
COUNT = 3
# Agrona and Aeron reach into the JDK.
JVM_OPTIONS = [
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
]
# Of every member, Java's and ours. The timeouts are shorter than Aeron's, for a quick example.
PROPERTIES = {
    "aeron.cluster.ingress.channel": "aeron:udp",
    "aeron.cluster.log.channel": "aeron:udp?term-length=4m",
    "aeron.cluster.replication.channel": "aeron:udp?endpoint=localhost:0",
    "aeron.cluster.startup.canvass.timeout": "8s",
    "aeron.cluster.leader.heartbeat.timeout": "4s",
    "aeron.archive.replication.channel": "aeron:udp?endpoint=localhost:0",
    "aeron.archive.segment.file.length": "16m",
    "aeron.dir.delete.on.shutdown": "true",
}


class Sum(EgressListener):
    """Keeps the latest answer."""

    value: int | None = None

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        """Keep it."""
        (self.value,) = AMOUNT.unpack(message)


class Members:
    """Three members, each with a directory.

    Parameters
    ----------
    folder : Path
        What has their directories.
    jar : str
        Aeron's.
    """

    def __init__(self, folder: Path, jar: str) -> None:
        base_port = int(os.environ.get(PORTS, "9000"))
        self.members = [local_member(index, base_port=base_port) for index in range(COUNT)]
        self.directories = [folder / f"member-{index}" for index in range(COUNT)]
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._jar = jar

    def start(self, index: int, kind: str) -> None:
        """Start a member, of Java's or ours, on its directory."""
        member, directory = self.members[index], self.directories[index]
        properties = {
            **PROPERTIES,
            "aeron.dir": f"{directory}-driver",
            "aeron.archive.dir": str(directory / "archive"),
            "aeron.archive.control.channel": f"aeron:udp?endpoint={member.archive_endpoint}",
            "aeron.cluster.dir": str(directory / "cluster"),
            "aeron.cluster.members": "|".join(map(str, self.members)),
            "aeron.cluster.member.id": str(index),
        }
        if kind == "java":
            settings = [f"-D{name}={value}" for name, value in properties.items()]
            source = FOLDER / "JavaMember.java"
            command = ["java", *JVM_OPTIONS, *settings, "-cp", self._jar, str(source)]
        else:
            service = "examples.rolling_replacement.total:Total"
            command = [sys.executable, "-m", "aeron_cluster.cli", "node", "--service", service]
            command += ["--dir", str(directory)]
            for name, value in properties.items():
                command += ["-o", f"{name}={value}"]
        self.processes[index] = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def stop(self, index: int) -> None:
        """End a member in order, as by SIGTERM."""
        process = self.processes.pop(index)
        process.terminate()
        process.wait()

    def leader(self) -> int | None:
        """Return the leader, once all others follow it."""
        leaders = []
        for index, directory in enumerate(self.directories):
            try:
                live = read_status(ClusterDirectory(str(directory)), query_members=False).live
            except AeronClusterError:
                return None  # it has no files yet
            if live is None or live.election_state.name != "CLOSED":
                return None
            if live.is_leader:
                leaders.append(index)
        return leaders[0] if len(leaders) == 1 else None

    def await_leader(self) -> int:
        """Wait until all members are in the cluster again, and return the leader."""
        idle = IdleStrategy("sleep-ms")
        while (leader := self.leader()) is None:
            for index, process in self.processes.items():
                if process.poll() is not None:
                    raise SystemExit(f"member {index} ended with {process.returncode}")
            idle.idle()
        return leader

    def add(self, amount: int) -> int:
        """Send an amount in a new session, and return the sum."""
        answer = Sum()
        endpoints = ",".join(member.ingress_endpoint for member in self.members)
        idle = IdleStrategy("backoff")
        with AeronCluster.connect(endpoints, listener=answer) as session:
            while not session.offer(AMOUNT.pack(amount)):
                idle.idle(session.poll_egress())
            while answer.value is None:
                idle.idle(session.poll_egress())
        return answer.value


@contextmanager
def java_members(jar: str) -> Iterator[Members]:
    """Start three Java members, and end what runs in their places afterwards."""
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-example-") as folder:
        members = Members(Path(folder), jar)
        try:
            for index in range(COUNT):
                members.start(index, "java")
            yield members
        finally:
            for index in tuple(members.processes):
                members.stop(index)


def main(jar: str) -> None:
    """Replace three members."""
    with java_members(jar) as members:
        leader = members.await_leader()
        print(f"three Java members, member {leader} leads: the sum is {members.add(1)}", flush=True)
        command = [sys.executable, "-m", "aeron_cluster.cli", "snapshot"]
        subprocess.run([*command, str(members.directories[leader])], check=True)
        for index in sorted(range(COUNT), key=lambda each: each == leader):
            members.stop(index)
            members.start(index, "ours")
            now = members.await_leader()
            total = members.add(1)
            print(f"member {index} is ours, member {now} leads: the sum is {total}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
