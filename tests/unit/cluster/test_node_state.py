import struct

import pytest

from aeron_cluster.cluster.state.node_state import CandidateTermState, NodeState
from aeron_cluster.errors import CorruptError, VersionError
from aeron_cluster.memory.system.seams import SystemFiles


def content(tmp_path):
    return (tmp_path / "node-state.dat").read_bytes()


def open_state(tmp_path, **options):
    return NodeState(SystemFiles(), str(tmp_path), **options)


def test_a_new_file_has_the_documented_layout(tmp_path):
    with open_state(tmp_path) as state:
        assert state.is_new
        assert state.candidate_term == CandidateTermState(-1, -1, -1)
    data = content(tmp_path)
    assert len(data) == 1024 * 1024
    assert struct.unpack_from("<iiHHHHiiqqq", data) == (
        *(768, 0),
        *(24, 301, 112, 10, 40, 0),
        *(-1, -1, -1),
    )
    assert struct.unpack_from("<HHHHi", data, 48) == (0, 304, 112, 10, 16)
    assert not any(data[64:])


def test_candidate_term_is_retained_after_reopening(tmp_path):
    with open_state(tmp_path) as state:
        assert state.propose(3, 4096, 1000) == 3
    assert struct.unpack_from("<qqq", content(tmp_path), 24) == (3, 1000, 4096)
    with open_state(tmp_path, writable=False) as again:
        assert not again.is_new
        assert again.candidate_term == CandidateTermState(3, 1000, 4096)


def test_a_file_of_an_earlier_version_is_worked_with(tmp_path):
    """Until 1.42, dynamic members were stored between the term and the end."""
    members = b"0,localhost:20110,localhost:20220,localhost:20330,localhost:20440,localhost:8010"
    body = struct.pack("<qiiI", 10001, 10002, 10003, len(members)) + members
    length = -(-(16 + len(body)) // 8) * 8
    data = (
        struct.pack("<iiHHHHiiqqq", 768, 0, 24, 301, 112, 10, 40, 0, 982374, 30, 20)
        + struct.pack("<HHHHii", 16, 303, 112, 10, length, 0)
        + body.ljust(length - 16, b"\0")
        + struct.pack("<HHHHii", 0, 304, 112, 10, 16, 0)
    )
    (tmp_path / "node-state.dat").write_bytes(data.ljust(1024 * 1024, b"\0"))
    with open_state(tmp_path) as state:
        assert not state.is_new
        assert state.candidate_term == CandidateTermState(982374, 30, 20)
        assert state.propose(982474, 40, 50) == 982474
    with open_state(tmp_path, writable=False) as again:
        assert again.candidate_term == CandidateTermState(982474, 50, 40)


def test_a_lower_or_equal_term_changes_nothing(tmp_path):
    with open_state(tmp_path) as state:
        state.propose(3, 4096, 1000)
        assert state.propose(3, 8192, 2000) == 3
        assert state.propose(2, 8192, 2000) == 3
        assert state.candidate_term == CandidateTermState(3, 1000, 4096)


def test_an_update_is_stored_over_any_content(tmp_path):
    with open_state(tmp_path) as state:
        state.propose(3, 4096, 1000)
        state.update(1, 64, 2000)
        assert state.candidate_term == CandidateTermState(1, 2000, 64)


@pytest.mark.parametrize(
    ("offset", "data", "error", "at"),
    [
        (0, struct.pack("<i", 0), VersionError, 0),
        (0, struct.pack("<i", 1 << 16), VersionError, 0),
        (8 + 2, struct.pack("<H", 999), CorruptError, 8),
        (8 + 4, struct.pack("<H", 111), CorruptError, 8),
        (8 + 8, struct.pack("<i", 0), CorruptError, 16),
        (8 + 8, struct.pack("<i", -40), CorruptError, 16),
        (8 + 8, struct.pack("<i", 1 << 30), CorruptError, 16),
        (8 + 8, struct.pack("<i", 20), CorruptError, 8),
        (48 + 8, struct.pack("<i", 8), CorruptError, 56),
    ],
)
def test_rejects_damage_with_its_offset_and_changes_nothing(tmp_path, offset, data, error, at):
    with open_state(tmp_path) as state:
        state.update(3, 96, 1000)
    path = tmp_path / "node-state.dat"
    damaged = bytearray(path.read_bytes())
    damaged[offset : offset + len(data)] = data
    path.write_bytes(damaged)
    with pytest.raises(error) as caught:
        open_state(tmp_path)
    assert caught.value.offset == at
    assert content(tmp_path) == bytes(damaged)


@pytest.mark.parametrize("length", [1, 7, 8, 23, 47, 48, 63])
def test_rejects_a_file_cut_short(tmp_path, length):
    open_state(tmp_path).close()
    path = tmp_path / "node-state.dat"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(CorruptError):
        open_state(tmp_path)


def test_rejects_a_footer_before_any_candidate_term(tmp_path):
    open_state(tmp_path).close()
    path = tmp_path / "node-state.dat"
    data = path.read_bytes()
    path.write_bytes(data[:8] + data[48:])
    with pytest.raises(CorruptError, match="a candidate term before it"):
        open_state(tmp_path)


@pytest.mark.parametrize("length", [0, 1, 30, 56, 1 << 20])
def test_a_file_without_a_version_is_created_again(tmp_path, length):
    open_state(tmp_path).close()
    path = tmp_path / "node-state.dat"
    whole = path.read_bytes()
    path.write_bytes(bytes(8) + whole[8:length].ljust(len(whole) - 8, b"\0"))
    with open_state(tmp_path) as state:
        assert state.is_new
        assert state.candidate_term == CandidateTermState(-1, -1, -1)
    assert content(tmp_path) == whole
