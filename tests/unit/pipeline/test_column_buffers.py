"""Buffers of columns, and the limits of a batch."""

import pytest

from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.columns.column_buffers import ColumnBuffers, ColumnId
from aeron_cluster.pipeline.scan.frame_scanner import FrameScanner
from aeron_cluster.pipeline.scan.pieces import Range
from aeron_cluster.pipeline.scan.range_scan import open_scanner
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from tests.unit.pipeline.recording_builder import RecordingBuilder

IDS = [ColumnId.POSITION, ColumnId.PAYLOAD]


@pytest.mark.parametrize("capacity", [0, -1])
def test_batch_has_room_for_a_row(capacity):
    with pytest.raises(ValueError, match=f"row_capacity: expected at least 1, found {capacity}"):
        ColumnBuffers(IDS, capacity)


def test_batch_without_rows_has_empty_columns():
    buffers = ColumnBuffers(IDS, 4)
    assert len(buffers) == 0
    (_, _, positions, none), (_, _, payloads, offsets) = buffers.take()
    assert none is None
    assert (len(positions), len(payloads)) == (0, 0)
    assert bytes(offsets) == bytes(4)


@pytest.fixture
def reader(tmp_path):
    written = RecordingBuilder()
    for length in (3, 0, 40):
        written.message(bytes([7]) * length)
    written.put(tmp_path)
    (piece,) = read_pieces(SystemFiles(), str(tmp_path))
    with SegmentReader(SystemFiles(), piece) as found:
        yield found, Range(piece, 0, piece.end_position)


def test_length_of_a_buffer_is_that_of_its_values(reader):
    scanner, buffers = open_scanner(*reader, IDS)
    assert not scanner.next_batch()
    assert len(buffers) == 3
    (_, _, positions, _), (_, _, payloads, offsets) = buffers.take()
    assert (len(positions), len(payloads), len(offsets)) == (3 * 8, 43, 4 * 4)
    assert bytes(payloads) == bytes([7]) * 43


@pytest.mark.parametrize("limits", [{"max_length": 0}, {"max_length": 2**30}, {"max_length": -1}])
def test_batch_of_invalid_length_is_rejected(reader, limits):
    text = "expected at most 16384 rows and 1073741823 bytes a batch, found 16384 and "
    with pytest.raises(ValueError, match=f"{text}{limits['max_length']}"):
        open_scanner(*reader, IDS, **limits)


def test_batch_of_more_rows_than_its_columns_is_rejected(reader):
    source, part = reader
    with pytest.raises(ValueError, match=r"expected at most 4 rows .*, found 5 and 100"):
        FrameScanner(
            source,
            ColumnBuffers(IDS, 4),
            from_position=0,
            to_position=part.to_position,
            end_position=part.to_position,
            initial_term_id=0,
            term_length=part.piece.term_length,
            is_log=False,
            is_assembled=True,
            has_payload=True,
            time_unit=-1,
            max_rows=5,
            max_length=100,
        )
