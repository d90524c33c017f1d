"""The media driver of a mixed run: its process, its counters and what it holds."""

import sys
from collections import Counter
from pathlib import Path

from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import Seams
from tests.interop.java_peer import Peer

CLIENT_LIVENESS_S = 4
_PROCESSES = Path("/proc")
# Printed when all of its threads run.
_STARTED = "media driver in "
# Data, NAK, status message, error, setup and RTT measurement frames.
_TYPES = "7e"


class Driver:
    """One driver, as ``aeron-cluster driver`` runs it.

    Parameters
    ----------
    directory
    log
        The file of its output.
    threading
        The threading mode.
    loss_rate
        The share of received datagrams that senders and receivers drop.
    seed
        The seed of the losses.
    """

    def __init__(self, directory, log, threading, loss_rate, seed):
        self.directory = directory
        options = {
            "aeron.client.liveness.timeout": f"{CLIENT_LIVENESS_S}s",
            "aeron.publication.unblock.timeout": f"{CLIENT_LIVENESS_S + 2}s",
            "aeron.timer.interval": "200ms",
            "aeron.dir.delete.on.shutdown": "true",
            "aeron.udp.channel.incoming.interceptors": "loss",
            "aeron.udp.channel.transport.bindings.loss.args": (
                f"rate={loss_rate}|seed={seed}|recv-msg-mask={_TYPES}"
            ),
        }
        given = [part for item in options.items() for part in ("-o", "=".join(item))]
        command = [sys.executable, "-m", "aeron_cluster.cli", "driver", "--dir", str(directory)]
        self.process = Peer("driver", [*command, "--threading", threading, *given], log)
        self._log = log
        self._cnc = None

    def open(self):
        """Map its file if all of it has started; return whether it has."""
        if _STARTED not in self.process.stderr:
            return False
        try:
            self._cnc = open_driver(Seams(), str(self.directory))
        except AeronClusterError:
            return False
        return True

    def value(self, counter):
        """Return the value of a system counter."""
        return self._cnc.counters_reader().value(counter)

    def owned_count(self):
        """Return the number of counters that belong to clients and streams."""
        return sum(each.type_id != CounterType.COUNTER_TYPE_SYSTEM for each in self._counters())

    def _counters(self):
        return self._cnc.counters_reader().counters()

    def errors(self):
        """Return the entries of its error log."""
        return self._cnc.error_log().entries()

    def log_file_count(self):
        """Return the number of log buffer files."""
        return len(self._log_files())

    def _log_files(self):
        return sorted(str(each) for each in self.directory.rglob("*.logbuffer"))

    def held(self):
        """Return what it holds for streams and clients: lists of names, and numbers of what is
        counted by the system, without those where /proc is missing.
        """
        found = {
            "counters": sorted(each.label for each in self._counters()),
            "log files": self._log_files(),
        }
        process = _PROCESSES / str(self._cnc.pid)
        if process.is_dir():
            maps = (process / "maps").read_text().splitlines()
            found |= {
                "descriptors": len([*(process / "fd").iterdir()]),
                "threads": len([*(process / "task").iterdir()]),
                "mapped logs": sum(".logbuffer" in each for each in maps),
            }
        return found

    def resident_kib(self):
        """Return its resident memory without shared files, in KiB; 0 where /proc is missing."""
        status = _PROCESSES / str(self._cnc.pid) / "status"
        if not status.exists():
            return 0
        lines = status.read_text().splitlines()
        return next(int(each.split()[1]) for each in lines if each.startswith("RssAnon"))

    def stop(self):
        """Request its end; return the exit code."""
        self._cnc.close()
        self._cnc = None
        return self.process.stop()

    def close(self):
        """Release it; kill it if it runs."""
        if self._cnc is not None:
            self._cnc.close()
        self.process.close()


def left_over(before, now):
    """Return what a driver holds now and did not hold before; empty if nothing is left."""
    found = {}
    for name, value in now.items():
        if isinstance(value, list):
            found[name] = sorted((Counter(value) - Counter(before[name])).elements())
        else:
            found[name] = max(value - before[name], 0)
    return {name: value for name, value in found.items() if value}
