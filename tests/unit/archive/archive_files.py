"""The directory of a stopped archive, written by hand."""

from aeron_cluster.archive.control.mark_file import VERSION
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.codecs.mark_header import message_header
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.recordings_rig import DESCRIPTION, Rig

MARK_FIELDS = {
    "version": VERSION,
    "activity_timestamp": -1,
    "start_timestamp": 1_700_000_000_000,
    "pid": 4242,
    "control_stream_id": 10,
    "local_control_stream_id": 10,
    "events_stream_id": 30,
    "header_length": 8192,
    "error_buffer_length": 0,
    "archive_id": 7,
    "control_channel": "aeron:udp?endpoint=localhost:8010",
    "local_control_channel": "aeron:ipc",
    "events_channel": "",
    "aeron_directory": "/nowhere",
}


def write_mark(directory, **fields):
    """Write the mark file, by default that of a stopped archive."""
    header = message_header(MarkFileHeader) + MarkFileHeader.encode_body(**MARK_FIELDS | fields)
    (directory / "archive-mark.dat").write_bytes(header.ljust(8192, b"\0"))


def make_archive(directory, message_counts=(200, 3, 0), checksum=None, start=0):
    """Record the given number of messages of 1,000 bytes in each recording; return their ends."""
    code = 0 if checksum is None else checksum.code
    options = {"checksum": checksum, "frame_checksum_code": code}
    ends = []
    with Catalog(SystemFiles(), str(directory), capacity=8192, **options) as catalog:
        for count in message_counts:
            recording_id = catalog.add(start_position=start, **DESCRIPTION)
            rig = Rig(directory, checksum=checksum)
            log = rig.log(position=start)
            session = rig.record(log, position=start, recording_id=recording_id)
            for number in range(count):
                while log.offer(number.to_bytes(4, "little") * 250) < 0:
                    rig.drain()
                rig.drain()
            rig.recorder.on_close()
            catalog.stop(recording_id, session.position, 99)
            ends.append(session.position)
    write_mark(directory)
    for path in directory.glob("*.new"):
        path.unlink()
    return ends
