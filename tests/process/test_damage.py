"""A node with default settings whose files are damaged while it is down: it fails to start, or
loses nothing.
"""

import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.memory.system.seams import SeededRandom, SystemFiles
from tests.process.test_node import (
    TIMEOUT_S,
    add,
    command,
    environment,
    place,
    started,
    toggle,
)

__all__ = ["place"]

SERVICE = '''
from aeron_cluster.client import ADMIN_ACTION, BACK_PRESSURED
from aeron_cluster.cluster.service.clustered_service import ClusteredService


class Adder(ClusteredService):
    """Sums the numbers that it receives, replies with the sum, and writes it into snapshots."""

    def __init__(self):
        self.total = 0

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        if snapshot_image is not None:

            def load(message, header):
                self.total = int(bytes(message))

            # As many services do, it does not check that the snapshot is complete.
            while not snapshot_image.is_end_of_stream and not snapshot_image.is_closed:
                cluster.idle(snapshot_image.poll(load, 10))

    def on_session_message(self, session, timestamp, message, header):
        self.total += int(bytes(message))
        while session.offer(b"%d" % self.total) in (BACK_PRESSURED, ADMIN_ACTION):
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication):
        while not snapshot_publication.offer(b"%d" % self.total):
            self.cluster.idle()
'''
COUNT = 100
SMALL = ("-o", "aeron.archive.segment.file.length=1m")
HEADER_LENGTH = 32
# Fields of a frame's header that no checksum covers: see docs/operating.md.
UNCOVERED = (*range(5), *range(5 * 8, 6 * 8), *range(16 * 8, 20 * 8), *range(24 * 8, 32 * 8))


class Kept:
    """The files of a node that has acknowledged a number of requests."""

    def __init__(self, place, *, has_snapshot=False):
        (place["folder"] / "adder.py").write_text(SERVICE)
        self.place = place
        self.data = place["folder"] / "data"
        self.kept = place["folder"] / "kept"
        with started(place, *SMALL) as process:
            self.total = add(place, *range(1, COUNT + 1))[-1]
            if has_snapshot:
                toggle(place, ControlToggle.SHUTDOWN)
            else:
                process.send_signal(signal.SIGTERM)
            _, reported = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 0, reported
        shutil.copytree(self.data, self.kept)

    def again(self):
        """Restore the original files."""
        shutil.rmtree(self.data)
        shutil.copytree(self.kept, self.data)

    def recordings(self):
        """Return the recording of the log, and the recordings of snapshots by service id."""
        with RecordingLog(SystemFiles(), str(self.kept / "cluster"), writable=False) as log:
            terms = [each for each in log.entries if each.entry_type is EntryType.TERM]
            snapshots = {
                each.service_id: each.recording_id
                for each in log.entries
                if each.entry_type is EntryType.SNAPSHOT
            }
        return terms[0].recording_id, snapshots

    def frames(self, recording_id):
        """Return the offset and the length of each data frame."""
        segment = (self.kept / "archive" / f"{recording_id}-0.rec").read_bytes()
        with Catalog(SystemFiles(), str(self.kept / "archive"), writable=False) as catalog:
            end = catalog.get(recording_id).descriptor.stop_position
        found, offset = [], 0
        while offset < end:
            length, _, _, kind = struct.unpack_from("<iBBH", segment, offset)
            if kind == 1:
                found.append((offset, length))
            offset += -(-length // 32) * 32
        return found

    def flip(self, recording_id, bit):
        path = self.data / "archive" / f"{recording_id}-0.rec"
        with path.open("r+b") as file:
            file.seek(bit // 8)
            (value,) = file.read(1)
            file.seek(bit // 8)
            file.write(bytes([value ^ 1 << bit % 8]))

    def rejection(self):
        """Start the node; return its exit code and last line, or the next sum if it runs."""
        process = subprocess.Popen(
            command(self.place, "--service", "adder:Adder", *SMALL),
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.place["folder"],
            env=environment(),
        )
        reported = []
        try:
            for line in process.stderr:
                reported.append(line)
                if "Ctrl-C ends it" in line:
                    return 0, add(self.place, 0)[-1]
            return process.wait(TIMEOUT_S), reported[-1]
        finally:
            process.kill()
            process.communicate()


def chosen(frames, random):
    """Return the number of a bit that a checksum covers, and the start of its frame."""
    begin, length = frames[random.below(len(frames))]
    while (bit := random.below(length * 8)) in UNCOVERED:
        pass
    return begin * 8 + bit, begin


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sampled(1)
def test_flipped_bit_in_the_log_is_reported_and_nothing_is_lost(place, seed):
    node = Kept(place)
    log, _ = node.recordings()
    frames = node.frames(log)
    random = SeededRandom(seed)
    for _ in range(2):
        bit, begin = chosen(frames, random)
        node.again()
        node.flip(log, bit)
        code, line = node.rejection()
        assert code == 4, line
        assert f"recording {log}: " in line, line
        assert re.search(rf"at position={begin} \(segmentOffset={begin}\): .*", line), line
        assert f"segmentFile={log}-0.rec" in line, line
        assert "aeron-cluster restore" in line, line
        assert "Traceback" not in line
    node.again()
    assert node.rejection() == (0, node.total)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sampled(1)
def test_flipped_bit_in_a_snapshot_is_reported_and_nothing_is_lost(place, seed):
    node = Kept(place, has_snapshot=True)
    _, snapshots = node.recordings()
    assert sorted(snapshots) == [-1, 0]
    random = SeededRandom(seed)
    for recording_id in snapshots.values():
        bit, begin = chosen(node.frames(recording_id), random)
        node.again()
        node.flip(recording_id, bit)
        code, line = node.rejection()
        assert code == 4, line
        assert f"recording {recording_id}: " in line, line
        assert f"at position={begin} (segmentOffset={begin}): " in line, line
        assert "invalidate-latest-snapshot" in line, line
    # The remedy that the error names.
    done = subprocess.run(
        [
            *(sys.executable, "-m", "aeron_cluster.cli"),
            *("invalidate-latest-snapshot", str(node.data / "cluster"), "--yes"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    assert node.rejection() == (0, node.total)


def test_a_missing_snapshot_is_reported_with_cause_and_remedy(place):
    node = Kept(place, has_snapshot=True)
    _, snapshots = node.recordings()
    for recording_id in snapshots.values():
        node.again()
        (node.data / "archive" / f"{recording_id}-0.rec").unlink()
        code, line = node.rejection()
        assert code == 4, line
        assert f"segmentFile={recording_id}-0.rec" in line or f"{recording_id}-0.rec" in line, line
        assert "invalidate-latest-snapshot" in line, line


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sampled(1)
def test_damaged_recording_log_is_reported_or_loses_nothing(place, seed):
    node = Kept(place, has_snapshot=True)
    random = SeededRandom(seed)
    path = node.data / "cluster" / "recording.log"
    for _ in range(3):
        node.again()
        data = bytearray(path.read_bytes())
        bit = random.below(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        began = time.monotonic()
        code, found = node.rejection()
        place_of = f"bit {bit} of byte {bit // 8 % 64} of entry {bit // 512}"
        if code == 0:
            assert found == node.total, place_of
        else:
            assert code == 4, (place_of, found, time.monotonic() - began)
            assert found.startswith("error: "), (place_of, found)
