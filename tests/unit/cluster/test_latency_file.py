"""Files of a node's latencies that are damaged, or of another version."""

import struct

import pytest

from aeron_cluster.cluster.latency.latency_file import FILE_NAME, Stage, read_latencies
from aeron_cluster.cluster.latency.stage_agents import create_latency_file
from aeron_cluster.errors import CorruptError, MissingFileError, VersionError
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles


@pytest.fixture
def path(tmp_path):
    path = tmp_path / FILE_NAME
    create_latency_file(SystemFiles(), str(path), SystemClock()).close()
    return path


def test_the_file_of_a_new_node_has_no_latencies(path):
    found = read_latencies(SystemFiles(), str(path.parent))
    assert list(found) == list(Stage)
    assert {(each.count, len(each.buckets)) for each in found.values()} == {(0, 0)}


def test_a_new_file_replaces_that_of_an_earlier_node(path):
    content = path.read_bytes()
    path.write_bytes(content[:128] + b"\x01" * (len(content) - 128))
    create_latency_file(SystemFiles(), str(path), SystemClock()).close()
    assert path.read_bytes()[128:] == content[128:]


def test_another_version_is_rejected(path):
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 8, 2)
    path.write_bytes(content)
    with pytest.raises(VersionError, match="version"):
        read_latencies(SystemFiles(), str(path.parent))


@pytest.mark.parametrize("length", [128, 5000, 100_000])
def test_a_truncated_file_is_rejected(path, length):
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(CorruptError, match="histogram"):
        read_latencies(SystemFiles(), str(path.parent))


@pytest.mark.parametrize("content", [b"", b"AERON", b"?" * 4096])
def test_another_file_is_rejected(path, content):
    path.write_bytes(content)
    with pytest.raises(CorruptError, match="magic"):
        read_latencies(SystemFiles(), str(path.parent))


def test_a_node_that_does_not_measure_has_no_file(tmp_path):
    with pytest.raises(MissingFileError, match="--latency"):
        read_latencies(SystemFiles(), str(tmp_path))
