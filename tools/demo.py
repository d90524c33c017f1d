"""Show the highest step of the project that works today, by doing it (``make demo``).

A media driver runs as a process of its own; a client here sends to a client in another process and
gets its messages back, over shared memory, then over UDP. Then the driver is killed with SIGKILL,
started again in the directory that it left, and the messages flow again.
"""

import os
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeron_cluster.client import Aeron, ExclusivePublication, Header, MessageView, Subscription

STREAM_OUT, STREAM_BACK = 1001, 1002
SEQUENCE = struct.Struct("<q")
CHANNELS = {
    "shared memory": ("aeron:ipc", "aeron:ipc"),
    "UDP": ("aeron:udp?endpoint=localhost:24810", "aeron:udp?endpoint=localhost:24811"),
}
MESSAGES = {"shared memory": 20_000, "UDP": 5_000}
TIMEOUT_S = 20.0


@contextmanager
def process(*command: str, speaks: bool = False) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program beside this one, from its first line if it ``speaks``, and end it."""
    stderr = subprocess.PIPE if speaks else subprocess.DEVNULL
    with subprocess.Popen([sys.executable, *command], stderr=stderr, text=True) as started:
        try:
            if started.stderr is not None and not (line := started.stderr.readline()):
                raise RuntimeError(f"{command} ended with {started.wait(TIMEOUT_S)}: {line}")
            yield started
        finally:
            started.terminate()
            started.wait(TIMEOUT_S)


@contextmanager
def driver(directory: str) -> Iterator[subprocess.Popen[str]]:
    """Run a media driver: ``aeron-cluster driver``."""
    code = "from aeron_cluster.cli.main import main; main()"
    options = ("--dir", directory, "--threading", "shared")
    with process("-c", code, "driver", *options, speaks=True) as running:
        yield running


def echo(directory: str, transport: str) -> None:
    """Send everything back to where it came from, until killed."""
    out, back = CHANNELS[transport]
    with Aeron.connect(aeron_dir=directory) as aeron:
        subscription = aeron.add_subscription(out, STREAM_OUT)
        publication = aeron.add_exclusive_publication(back, STREAM_BACK)

        def send_back(message: MessageView, _: Header) -> None:
            while not publication.offer(message):
                pass

        while True:
            if subscription.poll(send_back) == 0:
                os.sched_yield()


class Pinger:
    """Sends a number, waits for its echo, and notes how long that took."""

    def __init__(self, publication: ExclusivePublication, subscription: Subscription) -> None:
        self.publication = publication
        self.subscription = subscription
        self.seen = -1

    def on_message(self, message: MessageView, _: Header) -> None:
        """Take an echo."""
        (self.seen,) = SEQUENCE.unpack_from(message)

    def run(self, count: int) -> list[int]:
        """Return the round trips of ``count`` messages, ns."""
        deadline = time.monotonic() + TIMEOUT_S
        while not (self.publication.is_connected and self.subscription.is_connected):
            if time.monotonic() > deadline:
                raise TimeoutError("the echo did not connect")
            time.sleep(0.001)
        times = []
        for sequence in range(count):
            began = time.perf_counter_ns()
            while not self.publication.offer(SEQUENCE.pack(sequence)):
                pass
            while self.seen != sequence:
                if self.subscription.poll(self.on_message) == 0:
                    os.sched_yield()
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"no echo of message {sequence}")
            times.append(time.perf_counter_ns() - began)
        return times


def ping(directory: str, transport: str) -> None:
    """Connect, send and receive; print what it took."""
    out, back = CHANNELS[transport]
    began = time.perf_counter()
    with (
        process("-m", "tools.demo", "echo", directory, transport),
        Aeron.connect(aeron_dir=directory) as aeron,
        aeron.add_subscription(back, STREAM_BACK) as subscription,
        aeron.add_exclusive_publication(out, STREAM_OUT) as publication,
    ):
        pinger = Pinger(publication, subscription)
        pinger.run(1)
        first_ms = (time.perf_counter() - began) * 1e3
        times = pinger.run(MESSAGES[transport])
    percentiles = statistics.quantiles(times, n=100)
    rate = len(times) / (sum(times) / 1e9)
    print(
        f"  {transport:14} first echo after {first_ms:4.0f} ms; {len(times):,} messages to another"
        f" process and back, one at a time:\n{'':17}p50 {percentiles[49] / 1e3:.1f} us,"
        f" p99 {percentiles[98] / 1e3:.1f} us, {rate:,.0f} round trips/s"
    )


def main() -> None:
    """Show it."""
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix="aeron-cluster-demo-", dir=base))
    directory = str(folder / "driver")
    print("The step shown: its own media driver and client. A cluster node is not there yet.")
    try:
        with driver(directory) as first:
            print(f"Media driver: process {first.pid}, directory {directory}")
            for transport in CHANNELS:
                ping(directory, transport)
            first.send_signal(signal.SIGKILL)
            first.wait(TIMEOUT_S)
            print(f"Driver {first.pid} killed with SIGKILL; its directory is still there.")
        with driver(directory) as second:
            print(f"Media driver: process {second.pid} takes the directory over")
            ping(directory, "shared memory")
        print("Both sides closed; nothing is left behind.")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["echo"]:
        echo(*sys.argv[2:])
    else:
        main()
