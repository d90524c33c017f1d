"""Mark files of components that run: each wrong field is detected."""

import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.mark_files import (
    PlainMark,
    check_mark,
    mark_of_module,
    mark_of_service,
    read_mark,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles

MS = 1_000_000
LAUNCHED = (4_000 * MS, 4_003 * MS)
MODULE = mark_of_module(2, 1007, {})
FOUND = MODULE._replace(activity_ms=10_000, start_ms=4_001)
# Each field's wrong values; those of a time are also in another test.
WRONG = {
    "message": [(128, 200, 110, 1), (120, 200, 110, 2), (128, 201, 110, 2), (128, 200, 111, 2)],
    "version": [0, -1, 769],
    "component": [0, 2, 3],
    "activity_ms": [7_499, 10_001, -1, 2**63 - 1],
    "start_ms": [3_999, 4_004, 0, -123_456_789],
    "pid": [1006, 0, -1],
    "candidate_term_id": [0, 5],
    "archive_stream_id": [100, 0],
    "service_stream_id": [105, 0],
    "module_stream_id": [104, 0],
    "ingress_stream_id": [-1, 102],
    "member_id": [1, -1],
    "service_id": [0, 2],
    "header_length": [8191, 0, 1 << 20],
    "error_length": [8192, (1 << 20) - 1],
    "cluster_id": [1, -1],
    "texts": [
        ("/dev/shm/other", *MODULE.texts[1:]),
        (MODULE.texts[0], "aeron:ipc", *MODULE.texts[2:]),
        (*MODULE.texts[:2], "", *MODULE.texts[3:]),
        (*MODULE.texts[:3], "clustered-service-0-0", *MODULE.texts[4:]),
        (*MODULE.texts[:4], "", MODULE.texts[5]),
        (*MODULE.texts[:5], ""),
    ],
    "length": [8192, 8192 + (1 << 20) + 4096],
}


def check(mark):
    check_mark("member 2", mark, MODULE, 10_000, LAUNCHED)


@pytest.mark.parametrize("activity_ms", [10_000, 7_500])
def test_a_correct_mark_file_passes(activity_ms):
    check(FOUND._replace(activity_ms=activity_ms))


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in WRONG.items() for value in values]
)
def test_a_wrong_field_of_a_mark_file_is_detected(field, value):
    with pytest.raises(InvariantError, match=r"mark files (name|have|are)"):
        check(FOUND._replace(**{field: value}))


def test_each_field_has_wrong_values():
    assert set(WRONG) == set(PlainMark._fields)


def test_a_file_is_read_field_by_field():
    texts = ("/dev/shm/aeron", "aeron:ipc?term-length=128k", "", "clustered-service-0-1", "", "")
    fields = (2, 10_000, 4_001, 1007, -1, 10, 104, 105, -1, 2, 1, 8192, 1 << 20, 0)
    data = struct.pack("<4H2i4q9i", 128, 200, 110, 2, 768, *fields).ljust(136, b"\0")
    data += b"".join(struct.pack("<I", len(each)) + each.encode() for each in texts)
    files = MemoryFiles(directories=("/data/cluster",))
    with files.open("/data/cluster/mark", write=True, create=True) as file:
        file.truncate(8192 + (1 << 20))
        file.write_at(data, 0)
    found = read_mark(files, "/data/cluster/mark")
    assert found == PlainMark((128, 200, 110, 2), 768, *fields, texts, 8192 + (1 << 20))
    check_mark("member 2", found, mark_of_service(2, 1, 1007, {}), 10_000, LAUNCHED)


def test_options_are_those_that_the_owner_was_given():
    supplier = SimpleNamespace(__module__="of", __qualname__="Guard")
    options = {
        "authenticator_supplier": supplier,
        "cluster_id": 3,
        "control_channel": "aeron:ipc?alias=control",
        "error_buffer_length": 1 << 21,
        "ingress_channel": "aeron:udp?mtu=1408",
        "ingress_stream_id": 201,
        "service_stream_id": 204,
        "consensus_module_stream_id": 205,
    }
    mark = mark_of_module(0, 1, options)
    assert mark.texts[1:5] == ("aeron:ipc?alias=control", "aeron:udp?mtu=1408", "", "of.Guard")
    assert mark[8:11] == (204, 205, 201)
    assert (mark.error_length, mark.cluster_id, mark.length) == (1 << 21, 3, 8192 + (1 << 21))
    given = {"cluster_id": 3, "service_error_buffer_length": (1 << 20) + 1}
    mark = mark_of_service(0, 1, 1, given)
    assert mark.texts[3] == "clustered-service-3-1"
    assert mark.length == 8192 + (1 << 20) + 4096
    assert mark_of_service(0, 1, 1, {"service_name": "orders"}).texts[3] == "orders"
