"""Files of drivers, archives and members: read, or rejected with a typed error."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.verification import verify
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard, read_divergence_file
from aeron_cluster.cluster.service.offline.source import read_snapshot_file, write_snapshot_file
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.membership import parse_membership
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.codecs.cluster import ClusterMembersExtendedResponse
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.driver.directory import LOSS_REPORT_FILE
from aeron_cluster.driver.loss_report_reader import read_loss_report
from aeron_cluster.errors import AeronClusterError, PlatformError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.counters import CountersManager, CountersReader
from aeron_cluster.memory.shared.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Target
from tests.fuzz.targets.messages import of_bytes
from tests.golden.mark_files import old_mark_file
from tests.golden.vectors import codec_vectors
from tests.unit.archive.recordings_rig import DESCRIPTION, SEGMENT_LENGTH, Recorded

__all__ = ["TARGETS"]

_DIRECTORY = "/data"
_CNC_HEADER_LENGTH = 128
_MARK_LENGTH = 8192 + 512
_NODE_STATE_LENGTH = 512  # of the file's part that is not empty
_RENEWAL = 2000
_ERRORS = (AeronClusterError, PlatformError)


def _of_file(
    name: str,
    path: str,
    corpus: Callable[[], Sequence[bytes]],
    read: Callable[[MemoryFiles], object],
    others: Callable[[], dict[str, bytes]] = dict,
    length: int = 0,
    share: int = 8,
) -> Target:
    """Return a target of the reader of a file, which is padded with zeros to a length."""

    @contextlib.contextmanager
    def begin(seed: int) -> Iterator[Feed]:
        files = MemoryFiles(directories=(_DIRECTORY,))
        for other, data in others().items():
            files.replace(other, data)
        mutator = Mutator(corpus(), seed)

        def feed() -> bool:
            files.replace(path, mutator.draw().ljust(length, b"\0"))
            read(files)
            return True

        yield feed

    return Target(name, begin, errors=_ERRORS, renewal=_RENEWAL, share=share)


# ---- of a member ----


@cache
def _recording_log() -> list[bytes]:
    files = MemoryFiles(directories=(_DIRECTORY,))
    with RecordingLog(files, _DIRECTORY) as log:
        log.append_term(1, 0, 0, 1000)
        log.append_snapshot(2, 0, 0, 1024, 1001, 0)
        log.append_snapshot(3, 0, 0, 1024, 1001, -1)
        log.append_term(1, 1, 2048, 1002)
        log.append_snapshot(4, 1, 2048, 4096, 1003, -1, archive_endpoint="localhost:8010")
        return [files.read(log.path)]


def _read_recording_log(files: MemoryFiles) -> object:
    with RecordingLog(files, _DIRECTORY, writable=False) as log:
        log.find_last_term()
        return log.entries, log.find_snapshots(1), log.find_latest_snapshots(1)


@cache
def _node_state() -> list[bytes]:
    files = MemoryFiles(directories=(_DIRECTORY,))
    with NodeState(files, _DIRECTORY) as state:
        state.update(5, 4096, 1000)
        return [files.read(state.path)[:_NODE_STATE_LENGTH]]


def _read_node_state(files: MemoryFiles) -> object:
    with NodeState(files, _DIRECTORY, writable=False) as state:
        return state.candidate_term


@cache
def _cluster_mark() -> list[bytes]:
    files = SystemFiles()
    content = MarkFileContent(
        component_type=ClusterComponentType.CONSENSUS_MODULE,
        aeron_directory="/dev/shm/nobody",
        control_channel="aeron:ipc",
    )
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-") as directory:
        with ClusterMarkFile.claim(files, directory, content, clock=SystemClock()) as mark:
            mark.signal_ready()
            mark.record_error(ValueError("of the test"), 1234)
        found = (Path(directory) / "cluster-mark.dat").read_bytes()
    return [found[:_MARK_LENGTH], bytes(old_mark_file("cluster-mark.dat", 1))[:_MARK_LENGTH]]


def _read_cluster_mark(files: MemoryFiles) -> object:
    component = ClusterDirectory(_DIRECTORY, Seams(files=files)).component()
    return repr(component), component.is_alive


@cache
def _snapshot_file() -> list[bytes]:
    files = MemoryFiles(directories=(_DIRECTORY,))
    path = f"{_DIRECTORY}/state"
    write_snapshot_file(files, path, [bytes([n]) * (n * 30 % 500) for n in range(20)])
    return [files.read(path)]


@cache
def _divergence_file() -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-") as directory:
        path = Path(directory) / "divergence-0.dat"
        guard = DivergenceGuard.open(SystemFiles(), path, interval=64, capacity=8)
        guard.begin(0)
        guard.mark_snapshot(1)
        guard.close()
        return [path.read_bytes()]


@cache
def _membership() -> list[bytes]:
    named = ClusterMembersExtendedResponse
    return [each.encoded for each in codec_vectors() if each.message_type is named]


# ---- of an archive ----


@cache
def _archive() -> dict[str, bytes]:
    messages = [bytes([n]) * (n * 150 % 3000) for n in range(12)]
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-") as directory:
        recorded = Recorded(Path(directory), messages)
        with Catalog(SystemFiles(), directory) as catalog:
            catalog.add(start_position=4096, **DESCRIPTION | {"source_identity": "10.0.0.1:40"})
        names = (CATALOG_NAME, "0-0.rec")
        found = {f"{_DIRECTORY}/{name}": (Path(directory) / name).read_bytes() for name in names}
        # Where nothing is recorded, nothing is changed.
        found[f"{_DIRECTORY}/{names[1]}"] = found[f"{_DIRECTORY}/{names[1]}"][: recorded.stop]
    return found


def _catalog() -> list[bytes]:
    return [_archive()[f"{_DIRECTORY}/{CATALOG_NAME}"][:2048]]


def _read_catalog(files: MemoryFiles) -> object:
    with Catalog(files, _DIRECTORY, writable=False) as catalog:
        found = list(catalog)
        return found, [catalog.has_wrong_checksum(each) for each in catalog.scan()]


def _segment() -> list[bytes]:
    return [_archive()[f"{_DIRECTORY}/0-0.rec"]]


def _read_segment(files: MemoryFiles) -> object:
    with Catalog(files, _DIRECTORY, writable=False) as catalog:
        descriptor = catalog.get(0).descriptor
    return sum(len(message) for message, _ in read_recording(files, _DIRECTORY, descriptor))


def _verify(files: MemoryFiles) -> object:
    directory = ArchiveDirectory(_DIRECTORY, Seams(files=files))
    return list(verify(directory, all_segments=True))


@cache
def _archive_mark() -> list[bytes]:
    named = MarkFileHeader
    found = [each.encoded for each in codec_vectors() if each.message_type is named]
    return [*found, bytes(old_mark_file("archive-mark.dat", 1))[:_MARK_LENGTH]]


def _read_archive_mark(files: MemoryFiles) -> object:
    return ArchiveDirectory(_DIRECTORY, Seams(files=files)).mark()


# ---- of a driver ----


@cache
def _cnc() -> bytes:
    files = MemoryFiles(directories=(_DIRECTORY,))
    path = f"{_DIRECTORY}/cnc.dat"
    cnc = CncFile.create(
        files,
        path,
        to_driver_buffer_length=4096 + 768,
        to_clients_buffer_length=4096 + 128,
        counters_values_buffer_length=16384,
        error_log_buffer_length=4096,
        client_liveness_timeout_ns=10**10,
        start_timestamp_ms=1,
        pid=1,
    )
    cnc.counters_manager().allocate("a counter", 1, now_ms=0, value=5)
    cnc.error_log().record("an error", now_ms=1)
    cnc.signal_ready(1)
    cnc.close()
    return files.read(path)


def _read_cnc(files: MemoryFiles) -> object:
    path = f"{_DIRECTORY}/cnc.dat"
    head = files.read(path)[:_CNC_HEADER_LENGTH].ljust(_CNC_HEADER_LENGTH, b"\0")
    files.replace(path, head + _cnc()[_CNC_HEADER_LENGTH:])
    with CncFile.open(files, path) as cnc:
        cnc.to_clients_receiver()
        return (
            cnc.section_lengths,
            cnc.counters_reader().counters(),
            cnc.error_log().entries(),
            cnc.to_driver().consumer_position,
        )


@cache
def _counters() -> list[bytes]:
    """Return values after metadata of eight counters."""
    metadata, values = bytearray(512 * 8), bytearray(128 * 8)
    manager = CountersManager(metadata, values)
    for number in range(5):
        manager.allocate(f"counter {number}", number, now_ms=0, key=b"key", registration_id=number)
    manager.free(2, now_ms=0)
    return [bytes(metadata + values)]


def _read_counters(data: bytes) -> object:
    whole = bytearray(data[: 640 * 8].ljust(640 * 8, b"\0"))
    view = memoryview(whole)
    with contextlib.closing(CountersReader(view[: 512 * 8], view[512 * 8 :])) as reader:
        return [(each, reader.key(each.counter_id)) for each in reader.counters()]


@cache
def _error_log() -> list[bytes]:
    memory = bytearray(2048)
    log = DistinctErrorLog(memory)
    for number in range(4):
        log.record(f"error {number % 3} with a text", now_ms=number)
    return [bytes(memory)]


@cache
def _loss_report() -> list[bytes]:
    text = b"aeron:udp?endpoint=localhost:4000"
    entry = b"".join(
        (
            *(number.to_bytes(8, "little") for number in (3, 1408, 1000, 2000)),
            *(number.to_bytes(4, "little") for number in (7, 1001)),
            len(text).to_bytes(4, "little") + text.ljust(36, b"\0"),
            (9).to_bytes(4, "little") + b"127.0.0.1",
        )
    )
    return [entry.ljust(128, b"\0") * 3]


TARGETS = (
    _of_file("recording logs", f"{_DIRECTORY}/recording.log", _recording_log, _read_recording_log),
    _of_file("node states", f"{_DIRECTORY}/node-state.dat", _node_state, _read_node_state),
    _of_file(
        "mark files of members", f"{_DIRECTORY}/cluster-mark.dat", _cluster_mark, _read_cluster_mark
    ),
    _of_file(
        "snapshot files",
        f"{_DIRECTORY}/state",
        _snapshot_file,
        lambda files: list(read_snapshot_file(files, f"{_DIRECTORY}/state")),
    ),
    _of_file(
        "divergence files",
        f"{_DIRECTORY}/divergence-0.dat",
        _divergence_file,
        lambda files: read_divergence_file(files, f"{_DIRECTORY}/divergence-0.dat"),
    ),
    of_bytes("lists of members from a module", _membership, parse_membership, share=4),
    _of_file("catalogs", f"{_DIRECTORY}/{CATALOG_NAME}", _catalog, _read_catalog, length=4096),
    _of_file(
        "segments", f"{_DIRECTORY}/0-0.rec", _segment, _read_segment, _archive, SEGMENT_LENGTH, 4
    ),
    _of_file(
        "verified segments", f"{_DIRECTORY}/0-0.rec", _segment, _verify, _archive, SEGMENT_LENGTH, 4
    ),
    _of_file(
        "mark files of archives",
        f"{_DIRECTORY}/archive-mark.dat",
        _archive_mark,
        _read_archive_mark,
    ),
    _of_file("CnC files", f"{_DIRECTORY}/cnc.dat", lambda: [_cnc()[:128]], _read_cnc),
    of_bytes("counters", _counters, _read_counters, share=4),
    of_bytes("error logs", _error_log, read_error_log, share=4),
    _of_file(
        "loss reports",
        f"{_DIRECTORY}/{LOSS_REPORT_FILE}",
        _loss_report,
        lambda files: read_loss_report(files, _DIRECTORY),
    ),
)
