"""Recordings that are written while they are read: no damage that is not there, no row lost."""

import pytest

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline import read_recording
from tests.unit.pipeline.live_writer import LiveFiles, LiveStore, LiveWriter
from tests.unit.pipeline.written import TERM

pytest.importorskip("pyarrow")

COLUMNS = ["position", "end_position", "flags", "payload"]


@pytest.fixture(params=["files", "store"])
def reading(request, monkeypatch):
    """Return what reads a recording while it is written."""

    def read(writer, **options):
        place = str(writer.directory)
        files = LiveFiles(writer)
        if request.param == "store":
            store = LiveStore(writer)
            monkeypatch.setattr("aeron_cluster.pipeline.url_files.find_store", lambda _: store)
            place, files = "memory://archive", None
        return read_recording(place, columns=COLUMNS, files=files, **options)

    return read


def rows_of(reading):
    return [tuple(row.values()) for row in reading.table().to_pylist()]


@pytest.mark.parametrize("mode", ["strict", "permissive"])
@pytest.mark.parametrize("seed", range(200))
@pytest.mark.sampled(40)
def test_what_is_written_meanwhile_is_no_damage(tmp_path, reading, seed, mode):
    writer = LiveWriter(tmp_path, seed, 5 * TERM)
    position, seen = 0, []
    while not writer.is_done():
        recorded = writer.recorded
        found = reading(writer, from_position=position, mode=mode)
        seen += rows_of(found)
        assert found.left_out == ()
        # All that was recorded when it was asked for, and nothing twice.
        position = seen[-1][1]
        assert position >= min(recorded, writer.written.messages(0, recorded)[-1][1])
    seen += rows_of(reading(writer, from_position=position))
    assert seen == writer.written.messages()


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.sampled(10)
def test_damage_is_found_while_more_is_written(tmp_path, reading, seed):
    writer = LiveWriter(tmp_path, seed, 4 * TERM)
    while writer.recorded < 2.5 * TERM:
        writer.step()
    place = next(f.position for f in writer.written.frames if f.position > 2 * TERM)
    writer.written.damage(tmp_path, place, bytes(32))
    while not writer.is_done() and writer.recorded < 3 * TERM:
        with pytest.raises(SegmentError, match="frame length 0, expected") as caught:
            reading(writer).table()
        assert caught.value.offset == place % (2 * TERM)
