"""Sends hostile datagrams, in a separate process.

``python -m tests.hostile.attacker key=value...``: ``seed``, ``kind`` (``stranger`` or ``insider``),
``ports`` (``host:port:stream`` joined by commas), ``processes`` (``host:pid`` joined by commas, for
their other ports), ``dirs`` (directories of the drivers whose streams an insider knows, joined by
commas), ``rate`` (datagrams per second). It prints how many datagrams it sent, and ends when it
reads a line.
"""

import contextlib
import mmap
import os
import random
import selectors
import socket
import sys
import time
from collections import Counter
from pathlib import Path

from aeron_cluster.codecs import archive, cluster
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.logbuffer.log_buffers import LogBuffer
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import SystemFiles
from tests.hostile.attacks import INSIDER, STRANGER, Live, Port
from tests.hostile.frames import Stream
from tests.interop.our_services import emit

_ARCHIVE_STREAMS = range(10, 21)
_STREAMS = (10, 20, 100, 101, 102, 108)
_BURST_S = 0.02
_REPORT_INTERVAL_S = 1.0
_POLL_INTERVAL_S = 0.5


def live_streams(aeron_dir):
    """Return the streams that a driver receives now, by the port in their channel."""
    streams = {}
    for path in Path(aeron_dir).glob("images/*.logbuffer"):
        with contextlib.suppress(OSError, ValueError, AeronClusterError):
            stream = _read(path)
            streams[stream.session_id, stream.stream_id] = stream
    found = {}
    for session_id, stream_id, port, position in _positions(aeron_dir):
        if (session_id, stream_id) in streams:
            live = Live(streams[session_id, stream_id], position)
            found.setdefault(port, []).append(live)
    return found


def _read(path):
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory,
        LogBuffer(memory, str(path)) as log,
    ):
        return Stream(
            log.session_id, log.stream_id, log.initial_term_id, log.term_length, log.mtu_length
        )


def _positions(aeron_dir):
    try:
        with CncFile.open(SystemFiles(), f"{aeron_dir}/cnc.dat") as cnc:
            found = [*cnc.counters_reader().counters()]
    except (OSError, ValueError, AeronClusterError):
        return  # the driver has not started yet
    for each in found:
        if each.type_id == CounterType.COUNTER_TYPE_RECEIVER_POSITION:
            # rcv-pos: registration session stream channel
            words = each.label.split(":", 1)[1].split()
            port = words[3].partition("endpoint=")[2].partition("|")[0]
            yield int(words[1]), int(words[2]), port.rpartition(":")[2], each.value


def open_ports(pid):
    """Return the UDP ports at which a process receives from any source."""
    folder = Path(f"/proc/{pid}")
    sockets, found = set(), set()
    with contextlib.suppress(OSError):  # the process has ended
        for each in (folder / "fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(str(each.readlink()))
        for line in (folder / "net/udp").read_text().splitlines()[1:]:
            _, local, remote, *_, inode, _, _, _ = line.split()
            if f"socket:[{inode}]" in sockets and remote.endswith(":0000"):
                found.add(int(local.rpartition(":")[2], 16))
    return found


class Attacker:
    """Sends at a bounded rate until it is asked to stop."""

    def __init__(self, given):
        self._chance = random.Random(f"{given['kind']} {given['seed']}")
        self._attacks = INSIDER if given["kind"] == "insider" else STRANGER
        self._dirs = [each for each in given.get("dirs", "").split(",") if each]
        self._named = [self._port(each) for each in given["ports"].split(",")]
        self._ports = self._named
        self._processes = [each.rsplit(":", 1) for each in given.get("processes", "").split(",")]
        self._rate = float(given["rate"])
        self._counts = Counter()
        self._next_update_at = self._report_at = 0.0
        self._selector = selectors.DefaultSelector()
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    @staticmethod
    def _port(text):
        host, port, stream_id = text.rsplit(":", 2)
        schema = archive if int(stream_id) in _ARCHIVE_STREAMS else cluster
        return Port(host, int(port), int(stream_id), (schema,))

    def run(self):
        """Send until a line arrives on standard input."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            while not self._is_stopped():
                self._update_ports()
                left = self._rate * _BURST_S
                while left > 0:
                    left -= self._send(out)
                self._log()
        self._report_at = 0.0
        self._log()

    def _send(self, out):
        attack = self._chance.choice(self._attacks)
        port = self._chance.choice(self._ports)
        frames = attack(self._chance, port)
        for frame in frames:
            # The error belongs to an earlier datagram, sent to a port that no process has open.
            with contextlib.suppress(ConnectionError):
                out.sendto(frame, (port.host, port.port))
        self._counts[attack.__name__] += len(frames)
        return len(frames)

    def _update_ports(self):
        """Update the ports and the streams that can be forged, at an interval."""
        if time.monotonic() < self._next_update_at:
            return
        self._next_update_at = time.monotonic() + _POLL_INTERVAL_S
        live = {}
        for each in self._dirs:
            for port, streams in live_streams(each).items():
                live.setdefault(port, []).extend(streams)
        for port in self._named:
            port.live = live.get(str(port.port), [])
        every = [each for streams in live.values() for each in streams]
        self._ports = [*self._named, *self._other_ports(every)]

    def _other_ports(self, live):
        """Return the ports that the system chose: those of senders and of responses."""
        known = {(each.host, each.port) for each in self._named}
        return [
            Port(host, port, self._chance.choice(_STREAMS), (archive, cluster), live)
            for host, pid in filter(lambda each: len(each) == 2, self._processes)
            for port in sorted(open_ports(pid))
            if (host, port) not in known
        ]

    def _log(self):
        if time.monotonic() >= self._report_at:
            self._report_at = time.monotonic() + _REPORT_INTERVAL_S
            live = sum(len(port.live) for port in self._named)
            others = len(self._ports) - len(self._named)
            emit("progress", live=live, others=others, sent=dict(self._counts))

    def _is_stopped(self):
        if self._selector.select(_BURST_S):
            os.read(sys.stdin.fileno(), 4096)
            return True
        return False


if __name__ == "__main__":
    Attacker(dict(each.split("=", 1) for each in sys.argv[1:])).run()
    emit("CLOSED")
