"""Show the highest step of the project that works today, by doing it (``make demo``).

A media driver with an archive runs as a process of its own. A client here sends to a client in
another process and gets its messages back, over shared memory, then over UDP; then it publishes a
recorded stream. The driver and archive are killed with SIGKILL and started again on the directories
that they left: the messages flow again, and what the archive had acknowledged is replayed from it.
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
from typing import Any

from aeron_cluster.archive.archive_client import AeronArchive
from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.client import Aeron, ExclusivePublication, Header, MessageView, Subscription

STREAM_OUT, STREAM_BACK = 1001, 1002
SEQUENCE = struct.Struct("<q")
CHANNELS = {
    "shared memory": ("aeron:ipc", "aeron:ipc"),
    "UDP": ("aeron:udp?endpoint=localhost:24810", "aeron:udp?endpoint=localhost:24811"),
}
MESSAGES = {"shared memory": 20_000, "UDP": 5_000}
RECORDED = 50_000
CONTROL: dict[str, Any] = {
    "control_channel": "aeron:ipc",
    "control_response_channel": "aeron:ipc",
}
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


def serve(folder: str) -> None:
    """Run a driver and an archive on one thread until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    driver = {"aeron_dir": f"{folder}/driver", "threading_mode": "INVOKER"}
    archive = {
        "archive_dir": f"{folder}/archive",
        "control_channel": "aeron:udp?endpoint=localhost:24812",
        "segment_file_length": 1 << 20,
    }
    with ArchivingMediaDriver.launch(driver, archive, idle_strategy="backoff"):
        print("ready", file=sys.stderr, flush=True)
        while True:
            signal.pause()


def record(directory: str) -> tuple[int, int]:
    """Publish a recorded stream; return the recording's id and its acknowledged position."""
    with (
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(aeron=aeron, **CONTROL) as archive,
        archive.add_recorded_exclusive_publication("aeron:ipc?term-length=64k", 7) as publication,
    ):
        began = time.perf_counter()
        for sequence in range(RECORDED):
            while not publication.offer(SEQUENCE.pack(sequence)):
                os.sched_yield()
        (recording,) = archive.list_recordings()
        while archive.get_recording_position(recording.recording_id) < publication.position:
            os.sched_yield()
        seconds = time.perf_counter() - began
        print(
            f"  recorded       {RECORDED:,} messages to position {publication.position:,}"
            f" in {seconds * 1e3:.0f} ms"
        )
        return recording.recording_id, publication.position


def replay(directory: str, recording_id: int, position: int) -> None:
    """Read the recording up to a position, and compare it with what was sent."""
    found: list[int] = []
    deadline = time.monotonic() + TIMEOUT_S
    with (
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(aeron=aeron, **CONTROL) as archive,
        archive.replay(recording_id, "aeron:ipc", 8, position=0, length=position) as subscription,
    ):
        while len(found) < RECORDED and time.monotonic() < deadline:
            if (
                subscription.poll(lambda message, _: found.append(*SEQUENCE.unpack_from(message)))
                == 0
            ):
                os.sched_yield()
    if found != list(range(RECORDED)):
        raise AssertionError(f"expected {RECORDED} messages in order, found {len(found)}")
    print(f"  replayed       {len(found):,} messages, each once and in order")


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
    print("The step shown: driver, client and archive. A cluster node is not there yet.")
    server = ("-m", "tools.demo", "serve", str(folder))
    try:
        with process(*server, speaks=True) as first:
            print(f"Driver and archive: process {first.pid}, directories in {folder}")
            for transport in CHANNELS:
                ping(directory, transport)
            recording_id, position = record(directory)
            first.send_signal(signal.SIGKILL)
            first.wait(TIMEOUT_S)
            print(f"Process {first.pid} killed with SIGKILL; its directories are still there.")
        with process(*server, speaks=True) as second:
            print(f"Driver and archive: process {second.pid} takes the directories over")
            ping(directory, "shared memory")
            replay(directory, recording_id, position)
        print("Both sides closed; nothing is left behind.")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["echo", directory, transport]:
            echo(directory, transport)
        case ["serve", folder]:
            serve(folder)
        case _:
            main()
