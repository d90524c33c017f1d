"""A recording that the catalog does not take is refused to who asked for it."""

import errno

import pytest

from aeron_cluster.archive.catalog import Catalog
from aeron_cluster.archive.error_codes import ArchiveErrorCode
from aeron_cluster.simulator.memory_files import MemoryFiles
from tests.unit.archive.pair_rig import Pair
from tests.unit.archive.recordings_rig import DESCRIPTION


@pytest.fixture
def side():
    made = Pair()
    yield made.src
    made.close()


@pytest.mark.parametrize(
    ("error_number", "code"),
    [(errno.EIO, ArchiveErrorCode.GENERIC), (errno.ENOSPC, ArchiveErrorCode.STORAGE_SPACE)],
)
def test_who_asked_is_told_why_and_the_next_recording_begins(side, error_number, code):
    side.machine.files.fail("write_at", error_number)
    publication = side.archive.add_recorded_exclusive_publication("aeron:ipc", 1001)
    side.pair.run_until(lambda: side.late_errors)
    assert [each.code for each in side.late_errors] == [code]
    publication.close()
    assert side.finished(3, stream_id=1002)[0] == 0


def test_an_extension_is_refused_and_the_recording_stays_as_it_was(side):
    recording_id, position = side.finished(3)
    before = side.archive.list_recording(recording_id)
    publication = side.aeron.add_exclusive_publication(
        f"aeron:ipc?init-term-id={before.initial_term_id}|term-id={before.initial_term_id}"
        f"|term-offset={position}|term-length={before.term_buffer_length}|mtu={before.mtu_length}",
        1001,
    )
    side.machine.files.fail("write_at", errno.EIO)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.pair.run_until(lambda: side.late_errors)
    assert not side.signals
    assert side.archive.get_stop_position(recording_id) == position
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.pair.run_until(lambda: side.signal_names() == ["EXTEND"])


@pytest.mark.parametrize("writes", range(3))
def test_a_catalog_whose_writer_was_killed_on_the_way_is_whole(writes):
    files = MemoryFiles(directories=["/data"])
    with Catalog(files, "/data") as catalog:
        catalog.add(start_position=0, **DESCRIPTION)
        files.fail("write_at", errno.EIO, after=writes)
        with pytest.raises(OSError, match="Input/output"):
            catalog.add(start_position=0, **DESCRIPTION)
        killed = files.copy("/data")
    with Catalog(killed, "/data") as catalog:
        assert catalog.ids_from(0) == [0]
        recording_id = catalog.add(start_position=0, **DESCRIPTION)
        assert catalog.ids_from(0) == [0, recording_id]
