"""The members of a soak: ``aeron-cluster node`` each, with the reference service."""

import contextlib
import mmap
import os
import shutil
import signal
import sys
from pathlib import Path

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.module_counters import (
    COMMIT_POSITION_TYPE,
    ELECTION_STATE_TYPE,
    LEADERSHIP_TERM_ID_TYPE,
    NODE_ROLE_TYPE,
)
from aeron_cluster.cluster.state.recording_log import (
    CONSENSUS_MODULE_SERVICE_ID,
    EntryType,
    RecordingLog,
)
from aeron_cluster.cluster.tools.node_counters import NodeCounters, open_driver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.logbuffer.log_buffers import LogBuffer
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from tests.interop.java_peer import Peer
from tests.soak.clocks import ShiftedClock
from tests.waiting import await_true

COUNT = 3
CLUSTER_ID = 0
# Short enough for a fault every few seconds, long enough for a busy machine.
CANVASS_S, HEARTBEAT_S, ELECTION_S = 5, 2, 1
_TIMEOUTS = {
    "aeron.cluster.startup.canvass.timeout": f"{CANVASS_S}s",
    "aeron.cluster.leader.heartbeat.timeout": f"{HEARTBEAT_S}s",
    "aeron.cluster.election.timeout": f"{ELECTION_S}s",
    "aeron.cluster.session.timeout": "5s",
}
_FILES = {
    # Small segments: a member writes two recordings for each snapshot.
    "aeron.cluster.log.channel": "aeron:udp?term-length=1m",
    "aeron.archive.segment.file.length": "2m",
    "aeron.term.buffer.length": "1m",
    "aeron.ipc.term.buffer.length": "1m",
}


class Member:
    """One member: its process, restarted on the same directory.

    Parameters
    ----------
    index
        The member id.
    links
        The network; the member is the host with the same index.
    port_base
        The first port of the cluster.
    folder
        The folder of its data and output.
    shared_memory
        The folder of its driver's directory.
    threads
        The thread layout of the node.
    failover
        The command's option, in place of the timeouts of a soak.
    library
        The library that shifts its clock, or None.
    properties
        Further options of the node.
    """

    def __init__(
        self,
        index,
        links,
        port_base,
        folder,
        shared_memory,
        threads,
        failover=None,
        library=None,
        properties=None,
    ):
        self.index = index
        self.directory = folder / f"member-{index}"
        self.clock = ShiftedClock(library, shared_memory / f"clock-{index}")
        self.seams = Seams(clock=self.clock)
        self.disk = None
        self.is_paused = False
        self.process = None
        self.start_count = 0
        self._links = links
        self._aeron_dir = shared_memory / f"driver-{index}"
        self._folder = folder
        self._arguments = {
            "service": "tests.soak.service:Service",
            "dir": self.directory,
            "hosts": ",".join(links.addresses[:COUNT]),
            "host": links.addresses[index],
            "member-id": index,
            "port-base": port_base,
            "aeron-dir": self._aeron_dir,
            "threads": threads,
            "idle": "backoff",
        }
        self._properties = _FILES | (properties or {})
        if failover is None:
            self._properties |= _TIMEOUTS
        else:
            self._arguments["failover"] = failover

    @property
    def is_running(self):
        """Whether its process runs."""
        return self.process is not None and self.process.code is None

    @property
    def aeron_dir(self):
        """The directory of its driver."""
        return self._aeron_dir

    @property
    def log(self):
        """The file that its latest process writes to."""
        return self._folder / f"member-{self.index}-{self.start_count}.log"

    def start(self):
        """Start a process."""
        self.start_count += 1
        self.is_paused = False
        given = [part for name, value in self._arguments.items() for part in (f"--{name}", value)]
        given += [part for each in self._properties.items() for part in ("-o", "=".join(each))]
        command = [sys.executable, "-m", "aeron_cluster.cli", "node", *map(str, given)]
        command = self._links.command(self.index, self.clock.command(command))
        if setpriv := shutil.which("setpriv"):
            # TERM would wait for a process that is paused.
            command = [setpriv, "--pdeathsig", "KILL", *command]
        self.process = Peer(f"member {self.index}", command, self.log)

    def kill(self):
        """Send SIGKILL to the process, without waiting for its end."""
        self.is_paused = False
        os.kill(self.process.pid, signal.SIGKILL)

    def await_end(self):
        """Wait for the end of the process; return its exit code."""
        code = self.process.wait(60.0)
        self.process.close()
        return code

    def pause(self):
        """Stop it with SIGSTOP."""
        self.process.pause()
        self.is_paused = True

    def await_pause(self):
        """Wait until each of its threads is stopped, or it has ended."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        await_true(
            lambda: all(_state(each) in "TtZX" for each in tasks.glob("*/stat")),
            f"member {self.index} is paused",
        )

    def resume(self):
        """Resume it."""
        self.is_paused = False
        if self.is_running:
            self.process.resume()

    def counters(self):
        """Return the values of its counters by type; empty while it does not run."""
        if not self.is_running or self.is_paused:
            return {}
        try:
            with NodeCounters(self.seams, str(self._aeron_dir), CLUSTER_ID) as found:
                # Those of a killed process stay until the next one has started.
                if found.driver_pid != self.process.pid:
                    return {}
                return {each.type_id: each.value for each in found.of_cluster()}
        except (AeronClusterError, OSError):
            return {}  # no counters yet

    def write_state(self):
        """Write its driver's counters, streams and errors to a file, to read after a failure."""
        lines = []
        with contextlib.suppress(AeronClusterError, OSError):  # its driver has not started
            lines = [*self._counter_lines(), *self._stream_lines()]
        (self._folder / f"state-{self.index}.txt").write_text("".join(f"{x}\n" for x in lines))

    def _counter_lines(self):
        with open_driver(Seams(), str(self._aeron_dir), alive=False) as cnc:
            with contextlib.closing(cnc.counters_reader()) as reader:
                for each in reader.counters():
                    yield f"{each.counter_id:5} {each.type_id:5} {each.value:20} {each.label}"
            for each in cnc.error_log().entries():
                yield f"{each.observation_count} times: {each.text}"

    def _stream_lines(self):
        for path in sorted(self._aeron_dir.glob("*/*.logbuffer")):
            with (
                contextlib.suppress(AeronClusterError, OSError, ValueError),
                path.open("rb") as file,
            ):
                yield _describe_stream(file, path)

    def leading_term(self):
        """Return the term that it leads, as far as it knows, or -1."""
        values = self.counters()
        is_settled = values.get(ELECTION_STATE_TYPE) == ElectionState.CLOSED
        if not is_settled or values.get(NODE_ROLE_TYPE) != Role.LEADER:
            return -1
        return values.get(LEADERSHIP_TERM_ID_TYPE, -1)

    @property
    def state(self):
        """Its state, in a word or two."""
        if not self.is_running or self.is_paused:
            return "paused" if self.is_paused else "down"
        position = self.commit_position
        return "not settled" if position < 0 else f"at {position}"

    @property
    def last_snapshot_position(self):
        """The log position of its last snapshot, in bytes; -1 without one."""
        with RecordingLog(SystemFiles(), f"{self.directory}/cluster", writable=False) as log:
            snapshots = [
                each.log_position
                for each in log.entries
                if each.entry_type is EntryType.SNAPSHOT
                and each.is_valid
                and each.service_id == CONSENSUS_MODULE_SERVICE_ID
            ]
        return max(snapshots, default=-1)

    @property
    def commit_position(self):
        """Its commit position, in bytes; -1 while it is down or in an election."""
        values = self.counters()
        if values.get(ELECTION_STATE_TYPE) != ElectionState.CLOSED:
            return -1
        return values.get(COMMIT_POSITION_TYPE, -1)


def _state(stat):
    """Return the state of a thread, a letter; X if it has ended."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def _describe_stream(file, path):
    with (
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory,
        LogBuffer(memory, str(path)) as log,
    ):
        return (
            f"{path.parent.name} {path.name}: session {log.session_id}, stream {log.stream_id},"
            f" initial term {log.initial_term_id}, term length {log.term_length},"
            f" connected {log.is_connected}, transports {log.active_transport_count},"
            f" published {log.producer_position}, end {log.end_of_stream_position}"
        )
