"""Plans: their ranges and recordings, created without Arrow."""

import pickle
import re
import subprocess
import sys
import tomllib

import pytest

from aeron_cluster.errors import ConfigurationError, CorruptError, MissingPackageError, SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.files.members import MemberDirectories, find_member
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.frame_boundaries import cut, find_frame
from aeron_cluster.pipeline.sources import plans
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.plans import cut_plan, plan_log, plan_recordings
from tests.conftest import IN_SOURCE_TREE, ROOT
from tests.unit.pipeline.logs import log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

FILES = SystemFiles()


def recording(path, count=500, **options):
    written = RecordingBuilder(**options)
    for index in range(count):
        written.message(bytes(index % 3000))
    written.put(path)
    return written


def test_ranges_of_a_term_or_more_are_cut_without_reading_files(tmp_path):
    written = recording(tmp_path)
    plan = plan_recordings(FILES, str(tmp_path))
    for file in tmp_path.glob("*.rec"):
        file.unlink()
    for length in (TERM, TERM + 1, 3 * TERM):
        ranges = cut_plan(FILES, plan, length).ranges
        assert all(part.from_position % TERM == 0 for part in ranges)
        assert all(part.length <= length + TERM for part in ranges)
        assert sum(part.length for part in ranges) == written.position


def test_shorter_parts_begin_where_a_frame_does(tmp_path):
    written = recording(tmp_path)
    plan = plan_recordings(FILES, str(tmp_path))
    places = {frame.position for frame in written.frames}
    ranges = cut_plan(FILES, plan, 5000).ranges
    assert all(part.from_position in places for part in ranges)
    assert all(part.length <= 5000 + 1408 for part in ranges)
    with pytest.raises(ConfigurationError, match="range_length"):
        cut_plan(FILES, plan, 63)


def test_nothing_is_cut_between_damage_and_the_next_term(tmp_path):
    written = recording(tmp_path)
    place = next(frame.position for frame in written.frames if frame.position > TERM + 20_000)
    written.damage(tmp_path, place, bytes(32))
    (whole,) = plan_recordings(FILES, str(tmp_path), mode="permissive").ranges
    borders = [part.from_position for part in cut(FILES, whole, 3000)]
    assert not [border for border in borders if place < border < 2 * TERM]
    assert [border for border in borders if TERM < border <= place]


def test_the_first_frame_at_or_after_a_position(tmp_path):
    written = recording(tmp_path)
    (piece,) = read_pieces(FILES, str(tmp_path))
    places = [*(frame.position for frame in written.frames), written.position]
    for position in (0, 1, 31, 32, TERM - 1, TERM, TERM + 12_345, written.position):
        expected = next(place for place in places if place >= position)
        assert find_frame(FILES, piece, position) == expected
    assert find_frame(FILES, piece, 2**62) == written.position
    written.damage(tmp_path, TERM + 2000 - (TERM + 2000) % 32, bytes(4000))
    with pytest.raises(SegmentError):
        find_frame(FILES, piece, 2 * TERM - 64)
    assert TERM < find_frame(FILES, piece, 2 * TERM - 64, "permissive") <= TERM + 4000


def test_terms_of_many_frames_are_walked_to_any_of_them(tmp_path):
    written = RecordingBuilder(term_length=16 * TERM)
    for _ in range(20_000):
        written.frame()
    written.put(tmp_path)
    (piece,) = read_pieces(FILES, str(tmp_path))
    for position in (17_000 * 32, 18_000 * 32 + 1):
        assert find_frame(FILES, piece, position) == -(-position // 32) * 32
    (whole,) = plan_recordings(FILES, str(tmp_path)).ranges
    first, second = cut(FILES, whole, 17_000 * 32)
    assert (first.from_position, second.from_position) == (0, 17_000 * 32)
    assert second.to_position == written.position


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"term_length": 65536 * 3}, "term length"),
        ({"terms_per_segment": 0}, "segment length"),
        ({"start": 33}, "start position"),
    ],
)
def test_a_catalog_with_impossible_values_is_rejected(tmp_path, options, what):
    RecordingBuilder().put(tmp_path)
    RecordingBuilder(**options).put(tmp_path)
    with pytest.raises(CorruptError, match=f"archive.catalog at 224: recording 1: {what}"):
        read_pieces(FILES, str(tmp_path))
    assert len(read_pieces(FILES, str(tmp_path), [0])) == 1


def test_a_member_is_found_by_any_of_its_directories(tmp_path):
    node = log_of_every_kind().write_node(tmp_path)
    expected = MemberDirectories(f"{node}/archive", f"{node}/cluster")
    for place in (node, node / "archive", node / "cluster", str(node)):
        assert find_member(FILES, place) == expected
    assert find_member(FILES, expected) == expected


def test_directories_of_a_member_mean_the_same_wherever_they_are_read(tmp_path, monkeypatch):
    node = log_of_every_kind().write_node(tmp_path / "node")
    monkeypatch.chdir(tmp_path)
    found = find_member(FILES, MemberDirectories("node/archive", "node/cluster"))
    assert found == MemberDirectories(f"{node}/archive", f"{node}/cluster")
    found = find_member(FILES, MemberDirectories("node/archive"))
    assert found == MemberDirectories(f"{node}/archive")
    plan = plan_log(FILES, [MemberDirectories("node/archive")], columns=["position"])
    assert plan.ranges[0].piece.archive_dir == f"{node}/archive"


def test_a_log_of_several_members_has_the_range_of_each(tmp_path):
    nodes = [log_of_every_kind().write_node(tmp_path / str(index)) for index in range(3)]
    plan = plan_log(FILES, nodes, columns=["position"])
    assert [part.piece.member for part in plan.ranges] == [0, 1, 2]
    assert pickle.loads(pickle.dumps(plan)) == plan


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ([-1, -1, -1], [0, 1, 2]),
        ([2, 0, 1], [2, 0, 1]),
        ([1, -1, -1], [1, 3, 2]),
        ([1, -1, 7], [1, 8, 7]),
        ([-1, -1, 0], [3, 1, 0]),
    ],
)
def test_each_member_has_its_own_number(tmp_path, monkeypatch, reported, expected):
    nodes = [log_of_every_kind().write_node(tmp_path / str(index)) for index in range(3)]
    ids = {f"{node}/cluster": each for node, each in zip(nodes, reported, strict=True)}
    monkeypatch.setattr(plans, "member_id_in", lambda _, directory: ids[directory])
    plan = plan_log(FILES, nodes, columns=["position", "committed"])
    assert [part.piece.member for part in plan.ranges] == expected


def test_two_directories_of_one_member_are_rejected(tmp_path, monkeypatch):
    nodes = [log_of_every_kind().write_node(tmp_path / str(index)) for index in range(3)]
    monkeypatch.setattr(plans, "member_id_in", lambda *_: 5)
    with pytest.raises(ConfigurationError, match=r"member 5 in .*/0/archive and in .*/1/archive"):
        plan_log(FILES, nodes)
    assert plan_log(FILES, nodes[:1]).ranges[0].piece.member == 5


def test_a_missing_package_is_named_with_its_remedy():
    with pytest.raises(MissingPackageError, match=r"pip install 'aeron-cluster\[arrow\]'"):
        require("pyarrow_of_another_world", "arrow")
    with pytest.raises(ImportError):
        require("pyarrow_of_another_world", "arrow")


@IN_SOURCE_TREE
def test_named_extras_install_the_packages():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = [
        use
        for path in (ROOT / "aeron_cluster").rglob("*.py")
        for use in re.findall(r"""require\("(\w+)[\w.]*", "(\w+)"\)""", path.read_text())
    ]
    assert {"pandas", "polars", "duckdb", "pyarrow", "pyspark"} <= {package for package, _ in found}
    for package, extra in found:
        wanted = extras["optional-dependencies"][extra]
        distribution = package.replace("_", "-")
        assert package == "aeron_cluster" or any(each.startswith(distribution) for each in wanted)


def test_package_is_imported_without_arrow():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import aeron_cluster.pipeline as pipeline\n"
        "from aeron_cluster.errors import MissingFileError\n"
        "try: pipeline.read_recording('.')\n"
        "except MissingFileError: pass\n"
        "assert not {'pandas', 'polars', 'duckdb', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
