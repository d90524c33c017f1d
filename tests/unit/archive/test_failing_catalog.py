"""A recording that the catalog does not take is refused to who asked for it."""

import errno

import pytest

from aeron_cluster.archive.error_codes import ArchiveErrorCode
from tests.unit.archive.pair_rig import Pair


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
