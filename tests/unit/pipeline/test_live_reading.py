"""Recordings written while they are read: no false damage, no lost row."""

import pytest

from aeron_cluster.archive.storage.catalog import CATALOG_NAME
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import CorruptError, SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_recording
from aeron_cluster.pipeline.jobs.audit import audit
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.live_writer import LiveFiles, LiveStore, LiveWriter
from tests.unit.pipeline.logs import TIME, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyarrow")

COLUMNS = ["position", "end_position", "flags", "payload"]


@pytest.fixture(params=["files", "store"])
def reading(request, monkeypatch):
    """Return a function that reads a recording during writes."""

    def read(writer, **options):
        place = str(writer.directory)
        files = LiveFiles(writer)
        if request.param == "store":
            store = LiveStore(writer)
            monkeypatch.setattr(
                "aeron_cluster.pipeline.files.url_files.find_store", lambda _: store
            )
            place, files = "memory://archive", None
        return read_recording(place, columns=COLUMNS, files=files, **options)

    return read


class WritesMeanwhile(SystemFiles):
    """Files that call a function after a file is opened.

    Parameters
    ----------
    name
        The name of the file.
    then
        Called once, with the file.
    """

    def __init__(self, name, then):
        self.name = name
        self.then = [then]

    def open(self, path, **options):
        file = super().open(path, **options)
        if str(path).endswith(self.name) and self.then:
            file = self.then.pop()(file)
        return file


def rows_of(reading):
    return [tuple(row.values()) for row in reading.table().to_pylist()]


@pytest.mark.parametrize("mode", ["strict", "permissive"])
@pytest.mark.parametrize("seed", range(200))
@pytest.mark.sampled(40)
def test_concurrent_growth_is_no_damage(tmp_path, reading, seed, mode):
    writer = LiveWriter(tmp_path, seed, 5 * TERM)
    position, seen = 0, []
    while not writer.is_done():
        recorded = writer.recorded
        found = reading(writer, from_position=position, mode=mode)
        seen += rows_of(found)
        assert found.left_out == ()
        # Everything recorded at the time of the request, and nothing twice.
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


def test_catalog_changed_during_a_read_is_read_again(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    written.put(tmp_path)

    class Moved:
        """A frame has moved to another one's offset."""

        def __init__(self, file):
            self._file = file
            self.length = file.length
            self.close = file.close

        def read_at(self, length, offset):
            found = self._file.read_at(length, offset)
            return found if offset < 64 else bytes(length // 2)

    files = WritesMeanwhile(CATALOG_NAME, Moved)
    assert rows_of(read_recording(tmp_path, columns=COLUMNS, files=files)) == written.messages()
    assert files.then == []
    (tmp_path / CATALOG_NAME).write_bytes(b"none")
    with pytest.raises(CorruptError, match="length 4"):
        read_recording(tmp_path)


def test_term_beginning_while_logs_are_opened_is_no_finding(tmp_path):
    log = log_of_every_kind()
    node = log.write_node(tmp_path / "node", is_stopped=False)
    growing = Growing(log, node / "archive")

    def elect(file):
        with RecordingLog(SystemFiles(), str(node / "cluster")) as noted:
            noted.commit_log_position(1, log.position)
            noted.append_term(0, 2, log.position, TIME)
        log.begin_term(2)
        growing.write()
        return file

    # The recording was found and terms were read before the next term begins.
    files = WritesMeanwhile(CATALOG_NAME, elect)
    report = audit(node, files=files)
    assert files.then == []
    assert report.findings == ()
