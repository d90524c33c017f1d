"""Logs written as Parquet, repeatedly and across kills."""

import fcntl
import json
import random
import signal
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip("pyarrow")

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset, parquet

from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
    MissingFileError,
    SegmentError,
    StateError,
    VersionError,
)
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.jobs.compaction import compact
from aeron_cluster.pipeline.jobs.compaction_check import verify
from aeron_cluster.pipeline.jobs.manifest import read_manifest, write_manifest
from aeron_cluster.pipeline.jobs.parquet_parts import FrameCount
from tests.conftest import SEED
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.jobs.clusters import long_log, write_cluster
from tests.unit.pipeline.logs import TIME, LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import BEGIN, END, TERM, WHOLE, RecordingBuilder

NAMES = ["position", "end_position", "message_type", "timestamp_raw", "payload", "session_open"]


def rows_in(directory, names=None):
    """Return all rows of the files in the order of the log, regardless of the manifest."""
    paths = sorted(Path(directory, "data").glob("date=*/[!.]*.parquet"))
    tables = [parquet.ParquetFile(path).read() for path in paths]
    rows = pa.concat_tables(tables).sort_by("position")
    return rows.select(names) if names else rows


def log_of(nodes, names=NAMES):
    return read_log(*nodes, columns=names, assume_committed=True).table()


def files_in(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in Path(directory).rglob("*")
        if path.is_file()
    }


def test_the_rows_are_those_of_the_log(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    done = compact(*nodes, to=tmp_path / "out")
    assert (done.from_position, done.to_position) == (0, log.position)
    assert rows_in(tmp_path / "out", NAMES).equals(log_of(nodes))
    assert done.new_rows == done.rows == len(log.messages())
    assert done.part_count == done.new_part_count == 1
    checked = verify(tmp_path / "out", *nodes)
    assert checked.is_complete, checked.problems
    assert checked.compared_rows == checked.rows == done.rows


def test_parts_are_complete_terms_of_the_stream(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    done = compact(*nodes, to=tmp_path / "out", part_length=1)
    assert done.part_count == -(-log.position // TERM) > 2
    manifest = read_manifest(SystemFiles(), str(tmp_path / "out"))
    assert manifest.part_length == TERM
    assert [part.from_position % TERM for part in manifest.parts] == [0] * done.part_count
    assert rows_in(tmp_path / "out", NAMES).equals(log_of(nodes))
    assert sum(part.torn_length for part in manifest.parts) == 0
    assert sum(part.padding_length for part in manifest.parts) == sum(
        -(-each.length // 32) * 32 for each in log.frames if each.kind == 0
    )
    assert verify(tmp_path / "out", *nodes).is_complete


def test_the_rest_of_unfinished_messages_is_no_gap(tmp_path):
    """A leader that dies inside a message leaves its first fragments before the next term."""
    log = LogBuilder()
    log.begin_term(0)
    log.emit(1, b"x")
    log.frame(bytes(1376), BEGIN)
    log.frame(bytes(1376), 0)
    log.begin_term(1)
    log.frame(bytes(64), END)
    log.emit(1, bytes(4000))
    log.frame(bytes(32), BEGIN).aborted(96).frame(bytes(32), END)
    log.emit(1, b"y")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    done = compact(node, to=tmp_path / "out")
    assert done.rows == len(log.messages()) == 5
    (part,) = read_manifest(SystemFiles(), str(tmp_path / "out")).parts
    assert part.torn_length == 2 * 1408 + 96 + 2 * 64
    assert verify(tmp_path / "out", node).problems == ()


def test_incomplete_messages_are_reported_by_a_plain_count(tmp_path):
    """The result is the same for any batches of frames, across the ends of terms."""
    rng = random.Random(SEED)
    written = RecordingBuilder()
    while len(written.frames) < 700:
        if written.room < 4096:
            written.aborted(written.room)
        flags = rng.choice([BEGIN, BEGIN, 0, END, END, WHOLE])
        written.frame(bytes(rng.randrange(0, 600)), flags)
        if rng.random() < 0.1:
            written.aborted(64)
    written.put(tmp_path)
    frames = written.whole_frames()
    rows = sum(end - begin for begin, end, _, _ in written.messages())
    total = sum(end - begin for begin, end, _, _ in frames)
    for size in (1, 2, 7, 1000):
        found = FrameCount(TERM)
        for at in range(0, len(frames), size):
            columns = [*zip(*frames[at : at + size], strict=True)][:3]
            found.add(*(np.array(each) for each in columns))
        found.finish()
        assert (found.count, found.length) == (len(frames), total)
        assert found.torn_length == total - rows


def test_each_row_is_in_the_partition_of_its_date(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    for _ in range(5):
        log.emit(1, b"x")
        log.time += 43_200_000
    log.entry(b"what has no time")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    compact(node, to=tmp_path / "out")
    found = sorted(path.name for path in (tmp_path / "out/data").iterdir())
    assert found == [
        "date=2023-11-14",
        "date=2023-11-15",
        "date=2023-11-16",
        "date=__HIVE_DEFAULT_PARTITION__",
    ]
    table = dataset.dataset(tmp_path / "out/data", partitioning="hive").to_table()
    for row in table.to_pylist():
        date = None if row["timestamp"] is None else row["timestamp"].date().isoformat()
        assert row["date"] == date
    assert verify(tmp_path / "out", node).is_complete


def purged(path, *, keeps=1):
    """Return a log with a purged first term, without any evidence of its time unit."""
    log = LogBuilder(5 * TERM, unit=ClusterTimeUnit.MICROS)
    log.time *= 1000
    for _ in range(60 * keeps):
        log.emit(1, bytes(3000))
    log.bases = [(0, 0)]
    return log, log.write_node(path, is_shut_down=True)


def test_a_time_without_a_date_is_in_the_null_partition(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    times = [TIME, 253402300800000, -62135596800001, TIME * 1000, 253402300799999, -62135596800000]
    for log.time in times:
        log.emit(1, b"x")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    compact(node, to=tmp_path / "out")
    dates = sorted(each.name for each in (tmp_path / "out/data").iterdir())
    assert dates == [
        "date=0001-01-01",
        "date=2023-11-14",
        "date=9999-12-31",
        "date=__HIVE_DEFAULT_PARTITION__",
    ]
    assert rows_in(tmp_path / "out", NAMES).equals(log_of([node]))
    assert verify(tmp_path / "out", node).is_complete


def test_a_log_without_a_time_unit_is_rejected(tmp_path):
    """Otherwise all rows would have no time and be in the null partition."""
    log, node = purged(tmp_path / "node0")
    archive = MemberDirectories(str(node / "archive"))
    for wanted in ({}, {"recording_id": 0}):
        for place in (node, archive):
            with pytest.raises(ConfigurationError, match="time_unit: expected ms, us or ns"):
                compact(place, to=tmp_path / "out", assume_committed=True, **wanted)
    with pytest.raises(ConfigurationError, match="time_unit"):
        compact(node, to=tmp_path / "out", time_unit="s")
    assert not list((tmp_path / "out/data").iterdir())
    done = compact(node, to=tmp_path / "out", time_unit="us")
    assert done.rows == len(log.messages())
    moments = {
        each["timestamp"].date().isoformat() for each in rows_in(tmp_path / "out").to_pylist()
    }
    assert moments == {"2023-11-14"}
    checked = verify(tmp_path / "out", node)
    assert checked.problems == ()
    assert checked.compared_rows == done.rows


def test_unit_of_the_first_run_applies_later(tmp_path):
    log, node = purged(tmp_path / "node0")
    compact(node, to=tmp_path / "out", time_unit="us")
    later, other = purged(tmp_path / "node1", keeps=2)
    done = compact(other, to=tmp_path / "out")
    assert done.new_rows == len(later.messages()) - len(log.messages())
    assert verify(tmp_path / "out", other).problems == ()
    with pytest.raises(ConfigurationError, match="time_unit: expected us, as"):
        compact(other, to=tmp_path / "out", time_unit="ms")


def test_one_member_with_the_time_unit_is_enough(tmp_path):
    whole = LogBuilder()
    whole.begin_term(0)
    for _ in range(200):
        whole.emit(1, bytes(3000))
    rest = LogBuilder(5 * TERM)
    rest.frames = [each for each in whole.frames if each.position >= rest.start]
    rest.position, rest.bases = whole.position, whole.bases
    for log in (whole, rest):
        log.emit(1, b"x")
    rest.emit(1, b"only here")
    nodes = [log.write_node(tmp_path / name) for log, name in ((whole, "a"), (rest, "b"))]
    with pytest.raises(ConfigurationError, match="time_unit"):
        compact(nodes[1], to=tmp_path / "alone", assume_committed=True)
    done = compact(*nodes, to=tmp_path / "out", assume_committed=True)
    assert (done.from_position, done.to_position) == (rest.start, rest.position)
    assert None not in rows_in(tmp_path / "out")["timestamp"].to_pylist()


def test_a_log_without_an_entry_has_no_unit_yet(tmp_path):
    log = LogBuilder()
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    assert compact(node, to=tmp_path / "out", assume_committed=True).rows == 0
    assert read_manifest(SystemFiles(), str(tmp_path / "out")).time_unit == ""
    growing = Growing(log, node / "archive")
    log.begin_term(0)
    growing.write()
    assert compact(node, to=tmp_path / "out", assume_committed=True).rows == 1
    assert read_manifest(SystemFiles(), str(tmp_path / "out")).time_unit == "ms"
    assert verify(tmp_path / "out", node).is_complete


def test_data_differing_on_each_member_is_not_written(tmp_path):
    nodes, _, _ = write_cluster(tmp_path)
    for index, node in enumerate(nodes):
        compact(node, to=tmp_path / f"out{index}")
    written = [files_in(tmp_path / f"out{index}") for index in range(3)]
    assert written[0] == written[1] == written[2]


def test_a_second_time_writes_nothing(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=TERM)
    before = files_in(tmp_path / "out")
    done = compact(*nodes, to=tmp_path / "out")
    assert (done.new_rows, done.new_part_count, done.removed) == (0, 0, ())
    assert files_in(tmp_path / "out") == before


def test_compaction_continues_at_its_last_end(tmp_path):
    log, _ = long_log()
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    growing = Growing(log, node / "archive")
    ends, rows = [], 0
    for index in range(4):
        done = compact(node, to=tmp_path / "out", assume_committed=True)
        ends.append(done.to_position)
        rows += done.new_rows
        assert done.to_position == log.position
        for _ in range(20 * index):
            log.emit(1, bytes(1000 * index))
        log.emit(2, b"the last of it")
        growing.write()
    done = compact(node, to=tmp_path / "out", assume_committed=True)
    assert ends == sorted(set(ends))
    assert done.rows == rows + done.new_rows == len(log.messages())
    assert rows_in(tmp_path / "out", NAMES).equals(log_of([node]))
    assert verify(tmp_path / "out", node).is_complete


def test_part_proved_by_a_single_members_recording_log_is_written(tmp_path):
    log = log_of_every_kind()
    node = log.write_node(tmp_path / "node0")
    base = log.bases[1][1]
    done = compact(node, to=tmp_path / "out")
    assert done.to_position == done.committed_position == base
    done = compact(node, to=tmp_path / "out", assume_committed=True)
    assert done.to_position == log.position
    assert rows_in(tmp_path / "out", NAMES).equals(log_of([node]))


def test_part_of_a_majority_of_members_is_written(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 3)
    place = log.frames[-5].position
    for index, node in enumerate(nodes):
        log.damage(node / "archive", place + 40, bytes([index]))
    done = compact(*nodes, to=tmp_path / "out")
    assert place - 4096 < done.to_position <= done.committed_position <= place
    assert verify(tmp_path / "out", *nodes).is_complete


@pytest.mark.parametrize("diverged", [0, 1])
@pytest.mark.parametrize("purged", [0, 1, 2])
def test_log_differing_on_two_members_and_purged_elsewhere_is_not_written(
    tmp_path, purged, diverged
):
    whole, _ = long_log(terms_per_segment=1)
    nodes, logs = [], []
    for index in range(3):
        log = LogBuilder(TERM if index == purged else 0, terms_per_segment=1)
        log.frames = [each for each in whole.frames if log.start <= each.position]
        log.position, log.bases, log.term = whole.position, whole.bases, whole.term
        nodes.append(log.write_node(tmp_path / f"node{index}", is_shut_down=True))
        logs.append(log)
    whole_rows = compact(*nodes, to=tmp_path / "right").rows
    assert whole_rows == len(whole.messages())
    frame = whole.frames[30]
    wrong = [index for index in range(3) if index != purged][diverged]
    path = nodes[wrong] / "archive"
    logs[wrong].damage(path, frame.position + 40, bytes([frame.payload[8] ^ 1]))
    rows = read_log(*nodes, columns=["member", "committed", "position", "end_position"]).table()
    for row in rows.to_pylist():
        is_contested = row["member"] != purged and row["end_position"] > frame.position
        assert row["committed"] != is_contested
    # The undisputed part of the log is shorter.
    assert compact(*nodes, to=tmp_path / "out").from_position == TERM
    expected = rows_in(tmp_path / "right", NAMES)
    assert rows_in(tmp_path / "out", NAMES).equals(
        expected.filter(pc.greater_equal(expected["position"], TERM))
    )
    # An additional member with the whole log decides.
    fourth = whole.write_node(tmp_path / "node3", is_shut_down=True)
    compact(*nodes, fourth, to=tmp_path / "whole")
    assert rows_in(tmp_path / "whole", NAMES).equals(expected)


def test_no_message_is_cut(tmp_path):
    """A majority may have only some fragments of a message: it is written once all are present."""
    nodes, log, _ = write_cluster(tmp_path, 2)
    fragment = next(each for each in log.frames if each.flags == 0 and each.kind == 1)
    begin = max(
        each.position
        for each in log.frames
        if each.flags == 0x80 and each.position < fragment.position
    )
    log.damage(nodes[1] / "archive", fragment.position + 40, b"\xee")
    done = compact(*nodes, to=tmp_path / "out")
    assert done.committed_position == fragment.position
    assert done.to_position == begin


KILLED = """
import os, signal, sys
from aeron_cluster.pipeline.jobs.compaction import compact

def progress(what, done, total):
    if what == "write parts" and done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

compact(sys.argv[1], to=sys.argv[2], part_length=1, progress=progress)
"""


@pytest.mark.parametrize("done", [0, 1, 3])
def test_a_killed_run_starts_again(tmp_path, done):
    """The files of a part exist, but the manifest does not list them yet."""
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "whole", part_length=1)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, nodes[0], tmp_path / "out", str(done)],
        check=False,
        timeout=300,
    )
    assert ended.returncode == -signal.SIGKILL
    checked = verify(tmp_path / "out")
    assert not checked.is_complete
    assert checked.part_count == max(0, done - 1)
    # The log may have grown, or be read from another member; parts end at the same positions.
    again = compact(*nodes, to=tmp_path / "out", part_length=1)
    assert len(again.removed) == min(1, done)
    assert files_in(tmp_path / "out") == files_in(tmp_path / "whole")
    assert verify(tmp_path / "out", *nodes).is_complete


def test_unfinished_files_are_removed(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    (day_dir,) = (tmp_path / "out/data").iterdir()
    part = f"part-{7:020}-{9:020}.parquet"
    names = [f".{part}.{uuid4().hex}.tmp", part]
    for name in names:
        (day_dir / name).write_bytes(b"half of it")
    found = [problem.where for problem in verify(tmp_path / "out").problems]
    assert [name.rpartition("/")[2] for name in found] == names
    assert compact(*nodes, to=tmp_path / "out").removed == tuple(found)
    assert verify(tmp_path / "out").is_complete


def test_unknown_files_are_left_unchanged_and_reported(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    (day_dir,) = (tmp_path / "out/data").iterdir()
    names = ["mine.parquet", "notes.txt", "part-7.parquet"]
    for name in names:
        (day_dir / name).write_bytes(b"somebody's")
    assert compact(*nodes, to=tmp_path / "out").removed == ()
    assert [each.where for each in verify(tmp_path / "out").problems] == [
        f"data/{day_dir.name}/{name}" for name in names
    ]
    assert all((day_dir / name).read_bytes() == b"somebody's" for name in names)


def test_two_simultaneous_runs_are_rejected(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    with (tmp_path / "out/_lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(DirectoryInUseError, match="another compaction"):
            compact(*nodes, to=tmp_path / "out")
    compact(*nodes, to=tmp_path / "out")


def edit(directory, change):
    path = directory / "manifest.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def lose_part(value):
    del value["parts"][1]


def lose_last_part(value):
    del value["parts"][-1]


def lose_rows(value):
    value["parts"][1]["rows"] -= 1


def move_file(value):
    value["parts"][0]["files"][0]["path"] += "x"


def end_before(value):
    value["pending"] = 1000


def lose_length(value):
    value["parts"][1]["row_length"] -= 32


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lose_part, "begin"),
        (lose_last_part, "file"),
        (lose_rows, "rows"),
        (lose_length, "bytes of rows"),
    ],
)
def test_damaged_manifest_is_found(tmp_path, change, what):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=1)
    edit(tmp_path / "out", change)
    assert what in [each.what for each in verify(tmp_path / "out").problems]


@pytest.mark.parametrize(
    "change",
    [lose_part, lose_last_part, lose_rows, move_file, end_before],
    ids=lambda it: it.__name__,
)
def test_contradictory_manifest_costs_no_file(tmp_path, change):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=1)
    right = files_in(tmp_path / "out")
    edit(tmp_path / "out", change)
    assert not verify(tmp_path / "out").is_complete
    with pytest.raises(CorruptError, match=r"manifest\.json"):
        compact(*nodes, to=tmp_path / "out")
    (tmp_path / "out/manifest.json").write_bytes(right["manifest.json"])
    assert files_in(tmp_path / "out") == right
    assert verify(tmp_path / "out", *nodes).is_complete


def test_a_missing_or_changed_file_is_found(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=1)
    paths = sorted((tmp_path / "out/data").glob("date=*/*"))
    data = bytearray(paths[0].read_bytes())
    data[len(data) // 2] ^= 1
    paths[0].write_bytes(data)
    paths[1].write_bytes(paths[1].read_bytes()[:-1])
    paths[2].unlink()
    found = {each.where: each.what for each in verify(tmp_path / "out").problems}
    names = [str(path.relative_to(tmp_path / "out")) for path in paths[:3]]
    assert found == {names[0]: "SHA-256", names[1]: "length", names[2]: "file"}


def test_rows_differing_from_the_log_are_found(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    frame = next(  # a client message
        each
        for each in log.frames[50:]
        if each.flags == 0xC0 and each.payload[2:4] == b"\1\0" and len(each.payload) > 75
    )
    log.damage(nodes[0] / "archive", frame.position + 75, b"\xee")
    assert verify(tmp_path / "out").is_complete
    (problem,) = verify(tmp_path / "out", *nodes).problems
    assert problem.what == f"payload of the row at {frame.position}"


def in_parts(path):
    """Write a node with a log of three terms of the stream, and compact it to a part for each."""
    log = LogBuilder()
    for term in range(3):
        log.begin_term(term)
        for _ in range(5):
            log.emit(1, b"x")
        log.aborted(log.room)
    compact(log.write_node(path / "node", is_shut_down=True), to=path / "out", part_length=1)
    assert len(read_manifest(SystemFiles(), str(path / "out")).parts) == 3


def rewritten(directory, change_rows=lambda rows: rows, **changed):
    """Change the first part, and its rows in its only file, with right digests."""
    manifest = read_manifest(SystemFiles(), str(directory))
    first, *rest = manifest.parts
    (file,) = first.files
    path = directory / file.path
    parquet.write_table(change_rows(parquet.ParquetFile(path).read()), path)
    data = path.read_bytes()
    file = replace(file, length=len(data), sha256=sha256(data).hexdigest())
    values = {"files": (file,)}
    values |= {name: change(getattr(first, name)) for name, change in changed.items()}
    again = replace(manifest, parts=())
    for part in (replace(first, **values), *rest):
        again = again.with_part(part)
    write_manifest(SystemFiles(), str(directory), again)


def reverse(rows):
    return rows.take(list(range(rows.num_rows))[::-1])


def end_with_part(value):
    value["border_position"] = value["parts"][0]["last_position"]


def less(count):
    return lambda value: value - count


def more(count):
    return lambda value: value + count


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"change_rows": reverse}, ["order"]),
        ({"padding_length": more(32)}, ["bytes of the log"]),
        ({"rows": less(1)}, ["rows"]),
        ({"change_rows": lambda rows: rows.slice(0, 0)}, ["rows"]),
        ({"change_rows": lambda rows: rows.slice(1)}, ["rows", "bytes of rows"]),
        ({"torn_length": more(32)}, ["rows"]),
    ],
    ids=["nothing", "order", "padding", "count", "no rows", "fewer rows", "parts of messages"],
)
def test_part_that_contradicts_its_rows_is_found(tmp_path, change, found):
    in_parts(tmp_path)
    part = read_manifest(SystemFiles(), str(tmp_path / "out")).parts[0]
    rewritten(tmp_path / "out", **change)
    problems = verify(tmp_path / "out").problems
    assert [each.what for each in problems] == found
    name = f"part {part.from_position} to {part.to_position}"
    assert {each.where for each in problems} <= {name}


def test_rows_beyond_their_part_are_found(tmp_path):
    in_parts(tmp_path)

    def move(rows):
        columns = [
            pc.add(rows[name], TERM) if name in ("position", "end_position") else rows[name]
            for name in rows.schema.names
        ]
        return pa.table(columns, schema=rows.schema)

    rewritten(tmp_path / "out", move)
    (problem,) = verify(tmp_path / "out").problems
    assert problem.expected == "rows of the part"
    assert problem.found.startswith(f"{TERM} to ")


@pytest.mark.parametrize(
    ("change", "expected", "found"),
    [(lambda rows: rows.slice(0, 5), "at least 6", "5"), (None, "5", "6")],
    ids=["fewer", "more"],
)
def test_rows_that_the_log_or_the_part_lacks_are_found(tmp_path, change, expected, found):
    log = LogBuilder()
    log.begin_term(0)
    for _ in range(5):
        log.emit(1, b"x")
    node = log.write_node(tmp_path / "node", is_shut_down=True)
    compact(node, to=tmp_path / "out")
    if change is not None:
        lost = log.frames[-1].length // 32 * 32 + 32
        rewritten(
            tmp_path / "out",
            change,
            rows=less(1),
            row_length=less(lost),
            torn_length=more(lost),
            last_position=less(lost),
        )
        edit(
            tmp_path / "out",
            lambda value: value.update(border_position=value["parts"][0]["last_position"]),
        )
    else:
        last = log.frames[-1]
        log.frames[-1].flags = BEGIN  # the log has only the first part of the last message
        log.damage(node / "archive", last.position, log.header(last))
    (problem,) = verify(tmp_path / "out", node).problems
    assert (problem.what, problem.expected) == ("rows", f"{expected}, as in the log")
    assert problem.found == found


def test_part_without_messages_has_no_rows(tmp_path):
    """Of a leader's messages, only the first fragments may be in the log."""
    log = LogBuilder()
    log.begin_term(0)
    log.emit(1, b"x")
    log.aborted(log.room)
    log.frame(bytes(1376), BEGIN)
    log.aborted(log.room)
    log.emit(1, b"y")
    node = log.write_node(tmp_path / "node", is_shut_down=True)
    compact(node, to=tmp_path / "out", part_length=1)
    parts = read_manifest(SystemFiles(), str(tmp_path / "out")).parts
    assert [(part.rows, part.last_position >= 0) for part in parts] == [
        (2, True),
        (0, False),
        (1, True),
    ]
    checked = verify(tmp_path / "out", node)
    assert (checked.problems, checked.compared_rows) == ((), 3)
    assert compact(node, to=tmp_path / "out").new_rows == 0


def test_interrupted_run_needs_its_part_to_be_committed(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=1)
    end = log.position + 4096
    edit(tmp_path / "out", lambda value: value.update(pending=end))
    text = f"expected it to be committed up to {end}, .* interrupted run, found {log.position}"
    with pytest.raises(StateError, match=text):
        compact(*nodes, to=tmp_path / "out")


def test_log_that_ends_before_the_written_one_is_another(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    short = LogBuilder()
    short.begin_term(0)
    node = short.write_node(tmp_path / "short", is_shut_down=True)
    with pytest.raises(ConfigurationError, match="members: expected the log that"):
        compact(node, to=tmp_path / "out")
    assert short.position < log.position


def test_directory_with_other_files_may_be_used(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    day = tmp_path / "out/data/date=2023-11-14"
    day.mkdir(parents=True)
    (day / "mine.parquet").write_bytes(b"somebody's")
    assert compact(*nodes, to=tmp_path / "out").rows == len(log.messages())
    assert (day / "mine.parquet").read_bytes() == b"somebody's"


@pytest.mark.parametrize("purged", [0, 2])
@pytest.mark.parametrize("is_behind", [False, True])
def test_the_rest_of_a_part_in_the_log_is_compared(tmp_path, purged, is_behind):
    nodes, whole, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    log = LogBuilder(purged * TERM)
    end = 5 * TERM if is_behind else whole.position
    log.frames = [each for each in whole.frames if log.start <= each.position < end]
    log.bases = [each for each in whole.bases if each[1] < end]
    log.position = end
    node = log.write_node(tmp_path / "left")
    checked = verify(tmp_path / "out", node)
    assert checked.is_complete, checked.problems
    assert checked.compared_rows == len(log.messages())
    frame = next(  # a client message
        each
        for each in log.frames
        if each.flags == 0xC0 and each.payload[2:4] == b"\1\0" and len(each.payload) > 75
    )
    log.damage(node / "archive", frame.position + 75, b"\xee")
    (problem,) = verify(tmp_path / "out", node).problems
    assert problem.what == f"payload of the row at {frame.position}"


def test_a_different_log_is_reported(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    (problem,) = verify(tmp_path / "out", log_of_every_kind().write_node(tmp_path / "day")).problems
    assert problem.where.startswith("part ")
    later = LogBuilder(initial_term_id=8)
    later.begin_term(0)
    found = verify(tmp_path / "out", later.write_node(tmp_path / "later")).problems
    assert (found[0].where, found[0].what) == ("manifest.json", "initial term id")
    assert (found[0].expected, found[0].found) == ("8, as member 0 has it", "7")
    longer = LogBuilder(term_length=2 * TERM)
    longer.begin_term(0)
    (problem,) = verify(tmp_path / "out", longer.write_node(tmp_path / "longer")).problems
    assert problem.what == "term length"


def test_a_damaged_log_ends_the_job_and_written_parts_stay(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    log.damage(nodes[0] / "archive", 2 * TERM, bytes([7, 0, 0, 0]))
    with pytest.raises(SegmentError):
        compact(*nodes, to=tmp_path / "out", part_length=1)
    assert verify(tmp_path / "out").to_position == 2 * TERM
    log.damage(
        nodes[0] / "archive",
        2 * TERM,
        log.header(next(each for each in log.frames if each.position == 2 * TERM)),
    )
    compact(*nodes, to=tmp_path / "out")
    assert verify(tmp_path / "out", *nodes).is_complete


def test_another_log_is_rejected(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    other, _ = long_log()
    last = other.frames[-1]
    last.payload = last.payload[:-1] + b"!"
    node = other.write_node(tmp_path / "other", is_shut_down=True)
    with pytest.raises(ConfigurationError, match="the log that"):
        compact(node, to=tmp_path / "out")


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["position"]},
        {"part_length": 3 * TERM},
        {"compression": "snappy"},
        {"time_unit": "ns"},
    ],
)
def test_options_other_than_the_first_ones_are_rejected(tmp_path, options):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    with pytest.raises(ConfigurationError, match="was begun with"):
        compact(*nodes, to=tmp_path / "out", **options)


@pytest.mark.parametrize(
    "options",
    [{"columns": ["no such"]}, {"part_length": 0}, {"compression": "no such"}],
)
def test_invalid_options_are_rejected(tmp_path, options):
    nodes, _, _ = write_cluster(tmp_path, 1)
    with pytest.raises(ConfigurationError):
        compact(*nodes, to=tmp_path / "out", **options)


def test_columns_are_the_requested_and_proving_ones(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", columns=["payload"])
    assert rows_in(tmp_path / "out").schema.names == [
        "payload",
        "position",
        "end_position",
        "timestamp",
    ]
    assert verify(tmp_path / "out", *nodes).is_complete


def test_archive_without_proof_of_a_commit_is_rejected(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    with pytest.raises(ConfigurationError, match="assume_committed"):
        compact(MemberDirectories(str(node / "archive")), to=tmp_path / "out")


def test_a_part_purged_before_it_is_written_is_reported(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out")
    later = LogBuilder(log.segment_length * 9)
    later.begin_term(9)
    later.emit(1, b"x")
    node = later.write_node(tmp_path / "later", is_shut_down=True)
    with pytest.raises(StateError, match="purged up to"):
        compact(node, to=tmp_path / "out")


def test_parts_without_their_manifest_are_left_unchanged(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "out", part_length=1)
    (tmp_path / "out/manifest.json").rename(tmp_path / "manifest.json")
    right = files_in(tmp_path / "out")
    with pytest.raises(StateError, match=r"manifest\.json: expected a manifest, .* restore it"):
        compact(*nodes, to=tmp_path / "out")
    assert files_in(tmp_path / "out") == right
    (tmp_path / "manifest.json").rename(tmp_path / "out/manifest.json")
    assert compact(*nodes, to=tmp_path / "out").new_rows == 0


def test_an_invalid_manifest_is_rejected(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    with pytest.raises(MissingFileError, match="manifest"):
        verify(tmp_path / "out")
    compact(*nodes, to=tmp_path / "out")
    path = tmp_path / "out/manifest.json"
    right = path.read_text()
    changed = [
        right.replace('"pending"', '"pendng"'),
        right.replace('"pending": -1', '"pending": null'),
        right.replace('"rows": ', '"rows": 0.'),
        right.replace('"path": "data/', '"path": "../data/'),
        right.replace('"path": "data/', '"path": "/data/'),
        right.replace('"parts": [', '"parts": [1,'),
        right.replace('"time_unit": "ms"', '"time_unit": ""'),
        right.replace('"time_unit": "ms"', '"time_unit": "s"'),
    ]
    assert right not in changed
    for text in ("", "[]", "{}", "null", right[:-20], *changed):
        path.write_text(text)
        with pytest.raises(CorruptError, match="manifest"):
            compact(*nodes, to=tmp_path / "out")
    path.write_text(right.replace('"version": 1', '"version": 2'))
    with pytest.raises(VersionError):
        verify(tmp_path / "out")
