"""Files of snapshots that an offline run writes."""

import contextlib

from aeron_cluster.cluster.service.offline.source import write_snapshot_file


class Discarding:
    """Files, and one of them, that keep the headers of the written frames alone."""

    def __init__(self):
        self.headers = []

    def open(self, _path, **_):
        return contextlib.nullcontext(self)

    def write_at(self, data, offset):
        self.headers.append((data[:32], offset))


def test_a_snapshot_may_be_longer_than_2_gib():
    files, message = Discarding(), bytes((64 << 20) - 32)
    assert write_snapshot_file(files, "snapshot", [message] * 34) == 34 * 64 << 20
    offsets = [int.from_bytes(header[8:12], "little") for header, _ in files.headers]
    assert offsets == [offset % (1 << 30) for _, offset in files.headers]
    assert files.headers[-1][1] == 33 * 64 << 20
