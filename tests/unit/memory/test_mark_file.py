"""Which process may claim a directory, and when."""

import os
import struct
from pathlib import Path

import pytest

from aeron_cluster.errors import (
    ClosedError,
    CorruptError,
    DirectoryInUseError,
    InsufficientSpaceError,
    StateError,
    VersionError,
)
from aeron_cluster.memory.shared.mark_file import MarkFile, MarkFileLayout, OldForm
from aeron_cluster.memory.system.process import ProcessIdentity, SystemProcesses
from aeron_cluster.memory.system.seams import CachedClock, SystemClock, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles

LAYOUT = MarkFileLayout(header_length=256, version=8, activity_timestamp=16, pid=32, owner=224)
LENGTH = 8192
TIMEOUT_MS = 10_000
VERSION = 0x030104


class OtherProcesses:
    """Every process is as configured; the own process has the given identity."""

    def __init__(self, own, alive):
        self.identity = own
        self.alive = alive
        self.requested = []

    def own_identity(self):
        return self.identity

    def is_alive(self, identity):
        self.requested.append(identity)
        return self.alive


@pytest.fixture
def files():
    return SystemFiles()


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "mark.dat")


@pytest.fixture
def claim(files, path):
    own_path = path
    clock = CachedClock(SystemClock())

    def check(version, _header):
        if version != 0 and version >> 16 != 3:
            raise VersionError(path, 8, "version", 3, version >> 16)

    def claim(processes=None, files=files, path=own_path, **options):
        clock.update()
        return MarkFile.claim(
            files,
            path,
            LENGTH,
            LAYOUT,
            clock=clock,
            timeout_ms=TIMEOUT_MS,
            check=check,
            processes=processes,
            **options,
        )

    claim.clock = clock
    return claim


def put(path, form, value, offset):
    with Path(path).open("r+b") as file:
        file.seek(offset)
        file.write(struct.pack(form, value))


def foreign(path, *, age_ms, clock, version=VERSION, pid=1):
    """Write the file as another implementation would."""
    Path(path).write_bytes(bytes(LENGTH))
    put(path, "<i", version, LAYOUT.version)
    put(path, "<q", clock.epoch_ms() - age_ms, LAYOUT.activity_timestamp)
    put(path, "<q", pid, LAYOUT.pid)


def test_a_new_file_is_claimed_and_made_ready(files, path, claim):
    own = ProcessIdentity(77, 5, 6, 7)
    with claim(OtherProcesses(own, None)) as mark:
        assert mark.previous_header == b""
        header = files.read(path)
        assert len(header) == LENGTH
        assert struct.unpack_from("<i", header, LAYOUT.version) == (0,)
        assert struct.unpack_from("<q", header, LAYOUT.pid) == (77,)
        assert ProcessIdentity.unpack(77, header[224:256]) == own
        mark.write_header(b"rest", 100)
        mark.signal_ready(VERSION)
        header = files.read(path)
        assert struct.unpack_from("<i", header, LAYOUT.version) == (VERSION,)
        assert header[100:104] == b"rest"
        mark.update_activity(1234)
        assert mark.activity_timestamp_ms == 1234
    header = files.read(path)
    assert struct.unpack_from("<q", header, LAYOUT.activity_timestamp) == (-1,)
    assert struct.unpack_from("<i", header, LAYOUT.version) == (VERSION,)


def test_a_closed_file_can_be_claimed_at_once(claim):
    first = claim()
    first.signal_ready(VERSION)
    first.close()
    first.close()
    with claim() as second:
        assert struct.unpack_from("<i", second.previous_header, LAYOUT.version) == (VERSION,)
    with pytest.raises(ClosedError):
        first.update_activity(1)


def test_a_live_process_retains_its_directory_claim(claim):
    with claim() as first:
        with pytest.raises(DirectoryInUseError) as raised:
            claim()
        assert raised.value.pid == SystemProcesses().own_identity().pid
        assert str(raised.value.pid) in str(raised.value)
        assert raised.value.path == first.path
        first.signal_ready(VERSION)


def test_a_silent_live_process_of_ours_retains_its_directory_claim(claim):
    mark = claim()
    mark.update_activity(claim.clock.epoch_ms() - 3_600_000)
    with pytest.raises(DirectoryInUseError):
        claim()


@pytest.mark.parametrize("ready", [False, True])
def test_a_killed_process_of_ours_is_replaced_at_once_and_reported(claim, path, ready, caplog):
    mark = claim()
    if ready:
        mark.signal_ready(VERSION)
    assert caplog.text == ""
    gone = OtherProcesses(ProcessIdentity(78, 9), False)
    with claim(gone) as second:
        assert second.activity_timestamp_ms >= 0
    (requested,) = gone.requested
    assert requested == SystemProcesses().own_identity()
    reported = f"{path}: taken over from process {requested.pid}, which has ended"
    assert caplog.messages == [reported]


def test_unknown_process_is_judged_by_its_heartbeat(claim):
    mark = claim()
    unknown = OtherProcesses(ProcessIdentity(78, 9), None)
    with pytest.raises(DirectoryInUseError, match="last sign of life"):
        claim(unknown)
    mark.update_activity(claim.clock.epoch_ms() - TIMEOUT_MS)
    claim(unknown).close()


@pytest.mark.parametrize(("age_ms", "taken"), [(0, False), (9_000, False), (10_000, True)])
def test_a_foreign_process_is_judged_by_its_heartbeat(path, claim, age_ms, taken):
    foreign(path, age_ms=age_ms, clock=claim.clock, pid=2**22 + 1)
    if taken:
        claim().close()
    else:
        with pytest.raises(DirectoryInUseError) as raised:
            claim()
        assert raised.value.pid == 2**22 + 1


def test_another_process_killed_during_its_start_does_not_block_the_file(path, claim):
    foreign(path, age_ms=0, clock=claim.clock, pid=1)
    put(path, "<q", 2**63 - 1, LAYOUT.activity_timestamp)
    with pytest.raises(DirectoryInUseError):
        claim()
    put(path, "<q", 2**22 + 1, LAYOUT.pid)
    claim().close()


@pytest.mark.parametrize(("age_ms", "taken"), [(TIMEOUT_MS - 5000, False), (TIMEOUT_MS, True)])
def test_a_foreign_process_after_one_of_ours_is_judged_by_its_heartbeat(path, claim, age_ms, taken):
    # Upstream leaves our record of the previous owner where it is.
    claim().close()
    put(path, "<q", claim.clock.epoch_ms() - age_ms, LAYOUT.activity_timestamp)
    put(path, "<q", os.getppid(), LAYOUT.pid)
    put(path, "<i", VERSION, LAYOUT.version)
    if taken:
        claim().close()
    else:
        with pytest.raises(DirectoryInUseError) as raised:
            claim()
        assert raised.value.pid == os.getppid()


def test_the_record_of_an_earlier_version_has_no_process_id():
    own = ProcessIdentity(77, 5, 6, 7)
    record = struct.pack("<8sqqq", b"ac-owner", 5, 6, 7)
    assert ProcessIdentity.unpack(77, record) == own
    assert ProcessIdentity.unpack(78, own.pack()) is None


def test_liveness_is_unknown_after_another_boot_or_in_another_namespace():
    own = SystemProcesses().own_identity()
    processes = SystemProcesses()
    assert processes.is_alive(own) is True
    gone = ProcessIdentity(2**22 + 1, 1, own.namespace, own.boot)
    assert processes.is_alive(gone) is False
    again = ProcessIdentity(own.pid, own.start_ticks - 1, own.namespace, own.boot)
    assert processes.is_alive(again) is False
    assert processes.is_alive(ProcessIdentity(1, 0, own.namespace, own.boot)) is None
    assert processes.is_alive(ProcessIdentity(gone.pid, 1, own.namespace + 1, own.boot)) is None
    assert processes.is_alive(ProcessIdentity(gone.pid, 1, own.namespace, own.boot + 1)) is None
    for pid in (0, 1 << 31):  # the content of a damaged file
        assert processes.is_alive(ProcessIdentity(pid, 1, own.namespace, own.boot)) is None


def test_unsupported_version_is_rejected_unchanged(files, path, claim):
    foreign(path, age_ms=3_600_000, clock=claim.clock, version=0x040000)
    before = files.read(path)
    with pytest.raises(VersionError):
        claim()
    assert files.read(path) == before


def test_a_file_too_short_to_be_one_is_rejected_untouched(files, path, claim):
    Path(path).write_bytes(b"notes")
    with pytest.raises(CorruptError) as raised:
        claim()
    assert (raised.value.path, raised.value.found) == (path, 5)
    assert files.read(path) == b"notes"


def test_empty_file_counts_as_missing(path, claim):
    Path(path).touch()
    claim().close()


@pytest.mark.parametrize("is_new", [True, False])
def test_claim_without_space_has_no_effect(claim, is_new):
    files, path = MemoryFiles(capacity=4096), "/tmp/mark.dat"
    header = b"" if is_new else bytes(LAYOUT.header_length)
    with files.open(path, create=True) as file:
        file.write_at(header, 0)
    with pytest.raises(InsufficientSpaceError):
        claim(files=files, path=path)
    assert files.read(path) == header
    files.capacity = 4 * LENGTH
    with claim(files=files, path=path) as mark:
        assert len(files.read(path)) == LENGTH
        assert mark.previous_header == header


def test_one_of_two_simultaneous_starts_is_rejected(files, path, claim):
    with files.open(path, create=True) as gate:
        assert gate.lock()
        with pytest.raises(DirectoryInUseError, match="at this moment"):
            claim()
    claim().close()


def test_a_longer_file_stays_as_long(files, path, claim):
    Path(path).write_bytes(bytes(4 * LENGTH))
    claim().close()
    assert len(files.read(path)) == 4 * LENGTH


@pytest.mark.parametrize("offset", [5, 11, 16, 23, 32, 220, 255])
def test_the_fields_of_the_owner_are_not_written_over(claim, offset):
    with claim() as mark, pytest.raises(StateError, match="overlaps"):
        mark.write_header(bytes(8), offset)


# ---- a file in an older format ----

MARK = b"new form"
OLD_FORM = OldForm(lambda head: not head.startswith(MARK), lambda head: MARK + head[: -len(MARK)])
TEXT_OFFSET = 100


def write_old(path, timestamp_ms):
    """Write a file without MARK at its beginning."""
    data = bytearray(LENGTH)
    struct.pack_into("<i", data, LAYOUT.version - len(MARK), VERSION)
    struct.pack_into("<q", data, LAYOUT.activity_timestamp - len(MARK), timestamp_ms)
    struct.pack_into("<q", data, LAYOUT.pid - len(MARK), 4711)
    data[TEXT_OFFSET : TEXT_OFFSET + 4] = b"text"
    Path(path).write_bytes(data)
    return bytes(data)


@pytest.mark.parametrize("age_ms", [None, TIMEOUT_MS], ids=["closed", "silent"])
def test_a_file_of_the_old_format_is_converted_after_its_owner_ended(claim, path, age_ms):
    write_old(path, -1 if age_ms is None else claim.clock.epoch_ms() - age_ms)
    with claim(old_form=OLD_FORM) as mark:
        converted = Path(path).read_bytes()
        assert converted.startswith(MARK)
        assert converted[TEXT_OFFSET + 8 : TEXT_OFFSET + 12] == b"text"
        assert struct.unpack_from("<i", converted, LAYOUT.version) == (0,)
        assert struct.unpack_from("<i", mark.previous_header, LAYOUT.version) == (VERSION,)
    claim(old_form=OLD_FORM).close()


def test_a_file_of_the_old_format_is_unchanged_while_its_owner_is_active(claim, path):
    before = write_old(path, claim.clock.epoch_ms())
    with pytest.raises(DirectoryInUseError) as raised:
        claim(old_form=OLD_FORM)
    assert raised.value.pid == 4711
    assert Path(path).read_bytes() == before
