"""Recordings and logs as Spark DataFrames: the rows equal those read without Spark."""

import json
import struct

import pytest

from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_log, read_recording
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyspark")

from pyspark.errors import AnalysisException, PythonException

from aeron_cluster.pipeline.spark import load

pytestmark = pytest.mark.usefixtures("spark")

# The offset in a recording's frame of the catalog: after the frame's header, in the descriptor.
STOP_POSITION = 32 + 48


def plain(rows):
    """Return Spark's rows as dicts."""
    return [row.asDict(recursive=True) for row in rows]


def naive(rows):
    """Return rows with times as Spark returns them: local times without a zone."""
    return [
        {
            name: value.astimezone().replace(tzinfo=None)
            if name == "timestamp" and value
            else value
            for name, value in row.items()
        }
        for row in rows
    ]


@pytest.fixture
def node(tmp_path):
    return log_of_every_kind().write_node(tmp_path / "node0")


@pytest.mark.parametrize("length", [None, 200])
def test_log_has_the_same_rows_as_without_spark(spark, node, length):
    frame = load(spark, node, range_length=length)
    assert plain(frame.collect()) == naive(read_log(node).table().to_pylist())
    assert frame.rdd.getNumPartitions() == (13 if length else 1)


def test_recordings_have_the_same_rows_as_without_spark(spark, tmp_path):
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        for index in range(100):
            written.message(bytes(index * 40))
        written.put(tmp_path)
    for options in ({}, {"assembled": False}, {"sessions": [4]}, {"from_position": 5000}):
        frame = load(spark, tmp_path, recording="all", range_length=30_000, **options)
        assert plain(frame.collect()) == read_recording(tmp_path, **options).table().to_pylist()
    assert load(spark, tmp_path, recording="1").select("session_id").distinct().count() == 1


def test_several_members_are_distinguished(spark, tmp_path):
    nodes = [log_of_every_kind().write_node(tmp_path / f"node{index}") for index in range(3)]
    frame = load(spark, *nodes, columns=["member", "position", "committed"])
    assert plain(frame.collect()) == read_log(*nodes, columns=frame.columns).table().to_pylist()
    assert {row["committed"] for row in frame.collect()} == {True}
    archives = [each / "archive" for each in nodes]
    clusters = ",".join(str(each / "cluster") for each in nodes)
    assert load(spark, *archives, cluster_dirs=clusters).count() == frame.count()


def test_the_format_works_by_its_name_and_in_sql(spark, node):
    by_name = spark.read.format("aeron_cluster").option("columns", "position").load(str(node))
    assert by_name.count() == 13
    spark.sql(
        f"CREATE TEMPORARY VIEW log USING aeron_cluster OPTIONS (path '{node}', sessions '1,2')"
    )
    found = spark.sql("SELECT message_type, count(*) FROM log GROUP BY 1 ORDER BY 1").collect()
    assert [tuple(row) for row in found] == [
        ("SessionCloseEvent", 1),
        ("SessionMessage", 4),
        ("SessionOpenEvent", 2),
    ]


def test_a_schema_chooses_columns_as_the_option_does(spark, node):
    text = "timestamp timestamp, position bigint NOT NULL, timer struct<correlation_id: bigint>"
    frame = load(spark, node, schema=text)
    assert frame.columns == ["timestamp", "position", "timer"]
    built = read_log(node, columns=frame.columns).table().to_pylist()
    assert plain(frame.collect()) == naive(built)
    assert load(spark, node, columns=["payload", "position"]).columns == ["payload", "position"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"schema": "position int"}, "schema: expected position bigint, found 'position int'"),
        ({"schema": "price double"}, "columns: expected some of member, .* found 'price'"),
        ({"schema": "payload binary NOT NULL"}, "expected payload, which can be null"),
        ({"schema": "position bigint", "columns": "payload"}, "expected columns=payload"),
        ({"columns": "price"}, "columns: expected some of"),
        ({"recording": "9"}, "recording_id: expected one of .*: 0, found 9"),
        ({"recording": "0", "message_types": "Timer"}, "no such option beside recording=0"),
        ({"assembled": "true"}, "no such option beside recording=log"),
        ({"from_positions": "9"}, "option: expected one of path, .*, found 'from_positions'"),
        ({"from_position": "ten"}, "from_position: expected a whole number, found 'ten'"),
        ({"only_committed": "yes"}, "only_committed: expected true or false"),
        ({"mode": "lenient"}, "mode: expected strict or permissive"),
        ({"table": "left_out"}, "mode: expected permissive"),
        ({"cluster_dirs": "a,b"}, "cluster_dirs: expected one for each of 1 paths"),
    ],
)
def test_an_invalid_value_is_rejected_with_the_option(spark, node, options, text):
    with pytest.raises(
        AnalysisException, match=rf"aeron_cluster\.errors.ConfigurationError: .*{text}"
    ):
        load(spark, node, **options).collect()


def test_a_directory_without_an_archive_is_rejected_at_the_load(spark, tmp_path):
    with pytest.raises(AnalysisException, match=r"MissingFileError: .*the catalog of an archive"):
        load(spark, tmp_path)


def test_options_choose_rows(spark, node):
    def positions(**options):
        frame = load(spark, node, columns=["position"], **options)
        found = [row.position for row in frame.collect()]
        assert found == [
            row["position"]
            for row in read_log(node, columns=["position"], **options).table().to_pylist()
        ]
        return found

    everything = positions()
    assert positions(from_position=everything[3], to_position=everything[5]) == everything[3:5]
    assert len(positions(message_types=["TimerEvent", "Unknown"])) == 2
    assert len(positions(sessions=[2])) == 3
    assert len(positions(from_term=1)) == 5
    assert len(positions(from_time="2023-11-14T22:13:22.000+00:00")) == 1
    assert positions(only_committed=True)


@pytest.mark.parametrize("options", [{}, {"schema": "position bigint"}])
def test_a_frame_ends_where_the_recording_ended_when_it_was_loaded(spark, tmp_path, options):
    log = log_of_every_kind()
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    frame = load(spark, node, **options)
    log.emit(2, b"later")
    last = log.frames[-1]
    log.damage(node / "archive", last.position, log.header(last) + last.payload)
    assert frame.count() == 13
    assert load(spark, node).count() == 14
    assert frame.count() == 13


def test_two_filters_of_one_load_have_the_rows_of_both(spark, node):
    frame = load(spark, node, columns=["position"])
    low, high = frame.filter("position < 300"), frame.filter("position >= 300")
    assert low.union(high).count() == 13
    assert (low.count(), frame.count(), high.count()) == (3, 13, 10)


@pytest.fixture
def pushes_filters(spark):
    """Make Spark push filters down to sources that accept them."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    yield
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


@pytest.mark.usefixtures("pushes_filters")
def test_one_load_has_the_rows_of_each_filter_where_spark_pushes_them(spark, node):
    frame = load(spark, node, columns=["position"], range_length=200)
    assert frame.count() == 13
    assert frame.where("position < 300").count() == 3
    assert frame.count() == 13


def damaged(path):
    """Write a recording of four terms with an invalid frame in the second."""
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 4 * TERM:
        written.message(bytes(1000))
    written.put(path)
    frame = next(each for each in written.frames if each.position > TERM + 5000)
    written.damage(path, frame.position, struct.pack("<i", 17))
    return written, frame


def test_the_first_damage_ends_a_strict_query_with_its_position(spark, tmp_path):
    _, frame = damaged(tmp_path)
    segment = f"0-{TERM}.rec"
    text = f"SegmentError: .*{segment} at {frame.position - TERM}: frame length 17, expected"
    with pytest.raises(PythonException, match=text):
        load(spark, tmp_path, recording="0", range_length=TERM).collect()


def test_a_permissive_query_returns_the_rest_and_reports_the_left_out_part(spark, tmp_path):
    written, frame = damaged(tmp_path / "archive")
    options = {"recording": "0", "range_length": TERM, "mode": "permissive"}
    report = tmp_path / "report"
    rows = load(spark, tmp_path / "archive", report_dir=report, **options).collect()
    whole = read_recording(tmp_path / "archive", mode="permissive")
    assert plain(rows) == whole.table().to_pylist()
    assert 0 < len(rows) < len(written.messages())

    table = load(spark, tmp_path / "archive", table="left_out", **options)
    assert plain(table.collect()) == whole.left_out_table().to_pylist()
    (left_out,) = whole.left_out
    assert (left_out.from_position, left_out.to_position) == (frame.position, 2 * TERM)

    (path,) = report.iterdir()
    assert [json.loads(line) for line in path.read_text().splitlines()] == plain(table.collect())
    assert plain(spark.read.json(str(report)).collect())[0]["offset"] == frame.position - TERM

    # A second read, after the repair, removes the report.
    written.damage(tmp_path / "archive", frame.position, struct.pack("<i", frame.length))
    repaired = load(spark, tmp_path / "archive", report_dir=report, **options)
    assert repaired.count() == len(written.messages())
    assert not list(report.iterdir())


def set_stop_position(path, recording_id, position):
    """Write a stop position into the catalog, invalid ones included."""
    with Catalog(SystemFiles(), str(path), writable=False) as catalog:
        offset = catalog.get(recording_id).offset
    with (path / CATALOG_NAME).open("r+b") as file:
        file.seek(offset + STOP_POSITION)
        file.write(struct.pack("<q", position))


def test_a_permissive_query_returns_the_rest_beside_an_invalid_descriptor(spark, tmp_path):
    archive, report = tmp_path / "archive", tmp_path / "report"
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        written.message(b"an order")
        written.put(archive)
    options = {"recording": "all", "mode": "permissive"}
    set_stop_position(archive, 1, 33)
    with pytest.raises(AnalysisException, match="recording 1: stop position 33, expected a multip"):
        load(spark, archive, recording="all").count()

    assert load(spark, archive, report_dir=report, **options).count() == 1
    table = load(spark, archive, table="left_out", **options)
    (found,) = plain(table.collect())
    assert (found["recording_id"], found["from_position"], found["to_position"]) == (1, 0, 33)
    assert found["segment"].endswith("archive.catalog")
    assert [json.loads(path.read_text()) for path in report.iterdir()] == [found]
    rows = read_recording(archive, [0, 1], mode="permissive")
    assert (rows.table().num_rows, rows.left_out_table().to_pylist()) == (1, [found])

    set_stop_position(archive, 1, written.position)
    assert load(spark, archive, report_dir=report, **options).count() == 2
    assert not list(report.iterdir())


def test_a_limit_stops_reading(spark, tmp_path):
    damaged(tmp_path)
    frame = load(spark, tmp_path, recording="0", range_length=TERM)
    assert len(frame.limit(5).collect()) == 5  # the second term is damaged


def test_a_log_without_rows_is_empty(spark, tmp_path):
    log = LogBuilder()
    log.write_node(tmp_path)
    assert load(spark, tmp_path).collect() == []
