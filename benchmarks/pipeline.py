"""The time to read recordings into columns, compared with a plain Python loop over the same files.

Represents `read_recording` and `read_log` to Arrow, batch by batch, on one thread, as in a task of
Spark or any reader without it. The plain loop reads a segment, unpacks each header and makes a
memoryview of each payload, but no rows. A worse ratio means that walking frames, filling columns or
the work per batch became slower. Both include the kernel's copy of the files, which "reading alone"
shows as the lower bound.

Usage: ``python -m benchmarks.pipeline [--rounds 5] [--rows 300000]``, after a build. All ways take
turns; figures are medians of CPU time, since other programs share the machine.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_log, read_recording
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader
from benchmarks.large_log import LargeLog
from tests.conftest import SHARED_MEMORY
from tests.unit.pipeline.recording_builder import HEADER, RecordingBuilder

TERM_LENGTH = 64 * 1024 * 1024
WINDOW_LENGTH = 64 * 1024  # the read length of the reader
FEW = ("position", "timestamp", "cluster_session_id", "payload")


def write(path: Path, count: int, length: int) -> RecordingBuilder:
    """Write a log of messages of one length."""
    header = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=1, timestamp=1_700_000_000_000
    )
    written = RecordingBuilder(term_length=TERM_LENGTH, terms_per_segment=1)
    for _ in range(count):
        written.message(header + bytes(length))
    written.put(path)
    return written


def plain_loop(path: Path, written: RecordingBuilder | LargeLog, buffer: bytearray) -> int:
    """Decode every frame and build nothing.

    Parameters
    ----------
    path : Path
        The archive's directory.
    written : RecordingBuilder or LargeLog
        A recording with one segment per term.
    buffer : bytearray
        A buffer of the length of a term.
    """
    unpack = HEADER.unpack_from
    view = memoryview(buffer)
    count = 0
    for base in range(0, written.position, written.term_length):
        with written.segment(path, base).open("rb") as file:
            length = file.readinto(buffer)
        at = 0
        while at < length:
            frame_length, _, _, kind, _, _, _, _, _ = unpack(buffer, at)
            if frame_length <= 0:
                break
            if kind == 1:
                _payload = view[at + 32 : at + frame_length]
                count += 1
            at += (frame_length + 31) & -32
    return count


def reading_alone(path: Path, window: bytearray) -> int:
    """Read all files as the reader does, without decoding."""
    (part,) = read_recording(path).plan.ranges
    with SegmentReader(SystemFiles(), part.piece) as reader:
        at = part.from_position
        while at < part.to_position:
            at += reader.read_into(window, at)
    return at


def main() -> int:
    """Print a table for each length of message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300_000)
    arguments = parser.parse_args()
    for length in (32, 100, 300, 1000):
        with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as directory:
            measure(Path(directory), arguments.rows, length, arguments.rounds)
    return 0


def measure(path: Path, rows: int, length: int, rounds: int) -> None:
    """Measure all ways to read one log, in turns."""
    written = write(path, rows, length)
    buffer = bytearray(b"\1") * TERM_LENGTH  # its pages are allocated
    window = bytearray(WINDOW_LENGTH)
    ways: dict[str, Callable[[], int]] = {
        "plain loop": lambda: plain_loop(path, written, buffer),
        "reading alone": lambda: rows if reading_alone(path, window) == written.position else 0,
        "recording": lambda: sum(each.num_rows for each in read_recording(path).batches()),
        "recording, positions": lambda: sum(
            each.num_rows for each in read_recording(path, columns=["position"]).batches()
        ),
        "log": lambda: sum(each.num_rows for each in read_log(path, time_unit="ms").batches()),
        "log, four columns": lambda: sum(
            each.num_rows for each in read_log(path, time_unit="ms", columns=FEW).batches()
        ),
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.process_time()
            assert way() == rows
            found[name].append((time.process_time() - began) / rows * 1e9)
    plain = statistics.median(found["plain loop"])
    print(f"{rows} messages of {length} bytes, {written.position // rows} bytes each as recorded")
    for name, times in found.items():
        median = statistics.median(times)
        print(f"  {name:21} {median:7.1f} ns a message  {plain / median:5.1f} times a plain loop")


if __name__ == "__main__":
    sys.exit(main())
