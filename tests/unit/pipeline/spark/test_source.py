"""The Spark format without a JVM: what a query reads, and which queries are rejected."""

import json
import pickle
import struct

import pytest

from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.errors import ConfigurationError, PayloadError, SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_log, read_recording
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from aeron_cluster.pipeline.spark.replay_reader import ReplayReader
from aeron_cluster.pipeline.spark.source import AeronClusterSource
from aeron_cluster.pipeline.spark.stream_reader import StreamReader

POSITION = StructType([StructField("position", LongType(), nullable=False)])


@pytest.fixture
def node(tmp_path):
    return log_of_every_kind().write_node(tmp_path / "node0")


def source_of(path, **options):
    return AeronClusterSource({"path": str(path), **options})


def read(source, schema=None):
    """Return the rows as Spark reads them: planned by one process and read by others."""
    reader = source.reader(schema or source.schema())
    parts = pickle.loads(pickle.dumps(reader.partitions()))
    other = pickle.loads(pickle.dumps(reader))
    batches = [batch for part in parts for batch in other.read(part)]
    return [row for batch in batches for row in batch.to_pylist()]


def test_format_is_registered_by_its_name():
    assert AeronClusterSource.name() == "aeron_cluster"


@pytest.mark.parametrize("length", ["", "200"])
def test_log_has_the_same_rows_as_without_spark(node, length):
    options = {"range_length": length} if length else {}
    source = source_of(node, **options)
    assert read(source) == read_log(node).table().to_pylist()
    assert len(source.reader(source.schema()).partitions()) == (13 if length else 1)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, {}),
        ({"assembled": "false"}, {"assembled": False}),
        ({"sessions": "4"}, {"sessions": [4]}),
        ({"from_position": "5000"}, {"from_position": 5000}),
    ],
)
def test_recordings_have_the_same_rows_as_without_spark(tmp_path, options, arguments):
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        for index in range(30):
            written.message(bytes(index * 40))
        written.put(tmp_path)
    found = read(source_of(tmp_path, recording="all", range_length="30000", **options))
    assert found == read_recording(tmp_path, **arguments).table().to_pylist()


def test_several_members_are_distinguished(tmp_path):
    nodes = [log_of_every_kind().write_node(tmp_path / f"node{index}") for index in range(2)]
    names = ["member", "position"]
    source = AeronClusterSource({"paths": json.dumps(list(map(str, nodes))), "columns": "member"})
    assert read(source) == read_log(*nodes, columns=["member"]).table().to_pylist()
    archives = json.dumps([str(each / "archive") for each in nodes])
    clusters = ",".join(str(each / "cluster") for each in nodes)
    options = {"paths": archives, "cluster_dirs": clusters, "columns": ",".join(names)}
    assert read(AeronClusterSource(options)) == read_log(*nodes, columns=names).table().to_pylist()


def test_columns_are_those_of_the_option_or_of_a_schema(node):
    assert source_of(node, columns="payload,position").schema().fieldNames() == [
        "payload",
        "position",
    ]
    found = read(source_of(node), POSITION)
    assert found == read_log(node, columns=["position"]).table().to_pylist()


def prices(*payloads):
    """Return a log of payloads, with the positions of their messages."""
    log = LogBuilder()
    log.begin_term(0)
    return log, [log.emit(1, each) for each in payloads]


JSON = {"payload": "json", "payload_schema": "price int64, name string"}


def test_payloads_are_decoded_into_columns(tmp_path):
    log, (place, _) = prices(b'{"price": 7, "name": "x"}', b'{"price": 8}')
    node = log.write_node(tmp_path)
    options = {"columns": "position,price", "message_types": "SessionMessage", **JSON}
    source = source_of(node, to_position=str(place + 32), **options)
    assert source.schema().fieldNames() == ["position", "price"]
    assert read(source) == [{"position": place, "price": 7}]


@pytest.mark.parametrize("frozen_by", ["schema", "ends"])
def test_rows_end_where_the_recording_ended_at_the_load(tmp_path, frozen_by):
    log = log_of_every_kind()
    node = log.write_node(tmp_path, is_stopped=False)
    end = log.position
    options = {"columns": "position"}
    if frozen_by == "ends":
        options["ends"] = json.dumps([[str(node / "archive"), 0, end]])
    source = source_of(node, **options)
    if frozen_by == "schema":
        source.schema()
    log.emit(2, b"later")
    last = log.frames[-1]
    log.damage(node / "archive", last.position, log.header(last) + last.payload)
    assert len(read(source)) == 13
    assert len(read(source_of(node, columns="position"))) == 14


@pytest.mark.parametrize("end", [0, 4 * 1056])
def test_a_recording_is_read_up_to_its_own_end(tmp_path, end):
    for _ in range(2):
        written = RecordingBuilder()
        for _ in range(20):
            written.message(bytes(1000))
        written.put(tmp_path)
    options = {"recording": "all", "columns": "recording_id,position"}
    ends = [[str(tmp_path), 0, end]]  # the other recording is newer than the load
    found = read(source_of(tmp_path, ends=json.dumps(ends), **options))
    expected = [row[0] for row in written.messages() if row[1] <= end]
    assert found == [{"recording_id": 0, "position": each} for each in expected]


def damaged(path):
    """Write a recording of four terms with an invalid frame in the second."""
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 4 * TERM:
        written.message(bytes(1000))
    written.put(path)
    frame = next(each for each in written.frames if each.position > TERM + 5000)
    written.damage(path, frame.position, struct.pack("<i", 17))
    return written, frame


def test_damage_ends_a_strict_query(tmp_path):
    _, frame = damaged(tmp_path)
    source = source_of(tmp_path, recording="0", range_length=str(TERM))
    with pytest.raises(SegmentError, match=f"at {frame.position - TERM}: frame length 17"):
        read(source)


def test_permissive_query_returns_the_rest_and_reports_the_skipped_part(tmp_path):
    written, frame = damaged(tmp_path / "archive")
    report = tmp_path / "report"
    options = {"recording": "0", "range_length": str(TERM), "mode": "permissive"}
    rows = read(source_of(tmp_path / "archive", report_dir=str(report), **options))
    whole = read_recording(tmp_path / "archive", mode="permissive")
    assert rows == whole.table().to_pylist()
    assert 0 < len(rows) < len(written.messages())

    table = read(source_of(tmp_path / "archive", table="left_out", **options))
    assert table == whole.left_out_table().to_pylist()
    (part,) = table
    assert (part["from_position"], part["to_position"]) == (frame.position, 2 * TERM)
    (path,) = report.iterdir()
    assert [json.loads(line) for line in path.read_text().splitlines()] == table

    # A read after the repair removes the report.
    written.damage(tmp_path / "archive", frame.position, struct.pack("<i", frame.length))
    found = read(source_of(tmp_path / "archive", report_dir=str(report), **options))
    assert len(found) == len(written.messages())
    assert not list(report.iterdir())


@pytest.mark.parametrize(
    ("columns", "is_decoded"), [("", True), ("position,price", True), ("position", False)]
)
def test_skipped_payloads_are_those_that_the_columns_need(tmp_path, columns, is_decoded):
    log, (_, place) = prices(b'{"price": 1}', b"no JSON")
    node = log.write_node(tmp_path)
    options = {"from_position": "96", **JSON}
    if columns:
        options["columns"] = columns
    table = read(source_of(node, table="left_out", mode="permissive", **options))
    assert [each["from_position"] for each in table] == ([place] if is_decoded else [])
    if is_decoded:
        with pytest.raises(PayloadError):
            read(source_of(node, **options))


def test_recording_with_an_invalid_descriptor_is_reported(tmp_path):
    archive, report = tmp_path / "archive", tmp_path / "report"
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        written.message(b"an order")
        written.put(archive)
    sound = (archive / CATALOG_NAME).read_bytes()
    with Catalog(SystemFiles(), str(archive)) as catalog:
        catalog.set_stop_position(1, 33)
    options = {"recording": "all", "mode": "permissive"}
    assert len(read(source_of(archive, report_dir=str(report), **options))) == 1
    (found,) = read(source_of(archive, table="left_out", **options))
    assert (found["recording_id"], found["from_position"], found["to_position"]) == (1, 0, 33)
    assert [json.loads(path.read_text()) for path in report.iterdir()] == [found]

    (archive / CATALOG_NAME).write_bytes(sound)
    assert len(read(source_of(archive, report_dir=str(report), **options))) == 2
    assert not list(report.iterdir())


@pytest.mark.parametrize("table", ["rows", "left_out"])
def test_partition_of_no_plan_has_no_rows(tmp_path, table):
    """Spark passes its own object if there are no partitions."""
    LogBuilder().write_node(tmp_path)
    source = source_of(tmp_path, mode="permissive", table=table)
    reader = source.reader(source.schema())
    assert reader.partitions() == []
    assert list(reader.read(None)) == []


# ---- rejected queries ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "fields", "text"),
    [
        ({}, [("position", IntegerType(), True)], "position bigint, found 'position int'"),
        ({}, [("payload", BinaryType(), False)], "payload, which can be null, found 'NOT NULL'"),
        ({"columns": "payload"}, [("position", LongType(), True)], "expected columns=payload"),
    ],
)
@pytest.mark.parametrize("kind", ["reader", "streamReader"])
def test_schema_that_rows_do_not_have_is_rejected(node, options, fields, text, kind):
    schema = StructType([StructField(*each) for each in fields])
    with pytest.raises(ConfigurationError, match=f"schema: .*{text}"):
        getattr(source_of(node, **options), kind)(schema)


def test_table_of_skipped_parts_has_its_own_schema(node):
    source = source_of(node, table="left_out", mode="permissive")
    changed = StructType([*source.schema()])
    changed.fields[0] = StructField(changed[0].name, BinaryType(), nullable=True)
    with pytest.raises(ConfigurationError, match=f"schema: expected {changed[0].name} "):
        source.reader(changed)
    with pytest.raises(ConfigurationError, match="table: expected rows for a stream"):
        source.streamReader(source.schema())


def test_a_log_of_several_members_has_no_single_recording(node):
    paths = json.dumps([str(node), str(node)])
    with pytest.raises(ConfigurationError, match=r"recording: .*, found 'log:0'"):
        AeronClusterSource({"paths": paths, "recording": "log:0"}).schema()
    found = read(source_of(node, recording="log:0", columns="position"))
    assert found == read_log(node, columns=["position"]).table().to_pylist()


REMOTE = {"control_channel": "aeron:udp?endpoint=localhost:8010", "recording": "0"}


def test_remote_archive_is_read_by_streams_only():
    source = AeronClusterSource(REMOTE)
    with pytest.raises(ConfigurationError, match="control_channel: expected a stream"):
        source.reader(POSITION)
    assert type(source.streamReader(POSITION)) is ReplayReader


def test_stream_reads_directories_of_this_machine(node):
    assert type(source_of(node).streamReader(POSITION)) is StreamReader
    url = f"local://{node}"
    assert len(read(source_of(url, columns="position"))) == 13
    for options in (
        {"path": url},
        {"path": f"{url}/archive", "cluster_dirs": f"{url}/cluster"},
    ):
        with pytest.raises(ConfigurationError, match="a directory, or control_channel, for a str"):
            AeronClusterSource(options).streamReader(POSITION)
