"""Rows that Spark writes into clusters: each is applied once, or only offered if so requested."""

import json

import pytest

from aeron_cluster.cli.accounts import ENTRY, Accounts
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.errors import ConfigurationError
from tests.interop.cluster_node import ClusterNodes
from tests.interop.echo_service import COMMAND, NUMBER, TIMER
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.recording_builder import RecordingBuilder
from tests.waiting import await_true

pytest.importorskip("pyspark")

from pyspark.errors import AnalysisException

from aeron_cluster.pipeline.spark.source import AeronClusterSource

UNREACHABLE = {"ingress_endpoints": "0=localhost:1"}
SCHEMA = "id bigint, payload binary"


@pytest.fixture
def nodes(shm_dir, tmp_path, free_port):
    with ClusterNodes("ours-one-thread", None, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def entries(ids):
    """Return rows that book on one account each."""
    return [(each, ENTRY.pack(each, each + 1)) for each in ids]


def unanswered(ids):
    """Return rows that an echo service answers only after an hour."""
    return [(COMMAND.pack(TIMER, 0, each, 0) + NUMBER.pack(3_600_000),) for each in ids]


def booked(ids):
    return {str(each): each + 1 for each in ids}


def write(frame, **options):
    frame.write.format("aeron_cluster").mode("append").options(**options).save()


def reports(directory):
    found = [json.loads(path.read_text()) for path in sorted(directory.glob("written-*.json"))]
    return [{name: value for name, value in each.items() if value} for each in found]


def test_rows_are_booked_once_and_acknowledged(spark, nodes, tmp_path):
    node = nodes.start(service="accounts").await_leader()
    options = {
        "ingress_endpoints": node.ingress_endpoints,
        "aeron_dir": str(node.directory),
        "report_dir": str(tmp_path / "reports"),
        "timeout_s": 100,
    }
    bad = [(700, ENTRY.pack(5, -1000)), (701, b"what?")]
    frame = spark.createDataFrame([*entries(range(700)), *bad], SCHEMA)
    write(frame, key="id", write_id="a", rejected="report", **options)
    assert node.state()["balances"] == booked(range(700))
    (report,) = reports(tmp_path / "reports")
    assert (report["write_id"], report["promise"], report["parts"]) == ("a", "applied", 2)
    assert (report["rows"], report["acknowledged"], report["rejected"]) == (702, 702, 2)
    assert report["first_rejected"][1]["key"] == "701"
    assert report["sessions"] >= 2
    assert report["is_complete"]
    assert not {"offered", "applied_before"} & report.keys()

    # A write with the same name is the same write; nothing is sent again.
    write(frame, key="id", write_id="a", **options)
    assert node.state()["balances"] == booked(range(700))
    (report,) = reports(tmp_path / "reports")
    assert (report["rows"], report["applied_before"]) == (702, 702)
    assert not {"acknowledged", "unconfirmed"} & report.keys()
    assert report["rejected"] == 2  # the first report
    assert node.state()["clients"] == 2

    # A write of another name is sent, and its clients are forgotten after its end.
    text = (
        "RowsRejectedError: the service rejected 2 rows: partition 0, row 0: account 5 would have"
        " -994; partition 0, row 1: expected 16 bytes, found 5"
    )
    with pytest.raises(Exception, match=text):
        write(spark.createDataFrame(bad, SCHEMA).coalesce(1).drop("id"), **options)
    found = reports(tmp_path / "reports")
    assert [each["rejected"] for each in found] == [2, 2]
    assert all(each["is_complete"] for each in found)
    await_true(lambda: node.state()["clients"] == 2, "the clients are forgotten")
    assert node.state()["balances"] == booked(range(700))


def test_killed_task_is_retried_and_nothing_is_booked_twice(nodes, run_program, tmp_path):
    node = nodes.start(service="accounts").await_leader()
    run_program("write.py", node.directory, node.cluster_dir, tmp_path / "reports", 4000)
    assert node.state()["balances"] == booked(range(4000))
    (report,) = reports(tmp_path / "reports")
    assert report["rows"] == 4000
    assert report["acknowledged"] + report["applied_before"] == 4000
    assert report["applied_before"] >= 90  # the rows that were committed at the kill
    assert report["unconfirmed"] == report["applied_before"]


def test_a_restarted_stream_books_nothing_twice(spark, nodes, tmp_path):
    node = nodes.start(service="accounts").await_leader()
    written = RecordingBuilder(terms_per_segment=1)
    for _, payload in entries(range(200)):
        written.message(payload)
    written.put(tmp_path / "archive", is_stopped=False)
    growing = Growing(written, tmp_path / "archive")
    checkpoint = tmp_path / "checkpoint"

    def run():
        # All batches except the last have two partitions.
        source = {"recording": "0", "columns": "payload", "max_bytes_per_batch": "5000"}
        frame = spark.readStream.format("aeron_cluster").options(range_length=3000, **source)
        query = (
            frame.load(str(tmp_path / "archive"))
            .writeStream.format("aeron_cluster")
            .option("ingress_endpoints", node.ingress_endpoints)
            .option("aeron_dir", str(node.directory))
            .option("timeout_s", 100)
            .option("report_dir", str(tmp_path / "reports"))
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(240)

    run()
    assert node.state()["balances"] == booked(range(200))
    first = reports(tmp_path / "reports")
    assert len(first) >= 2
    assert sum(each["acknowledged"] for each in first) == 200
    assert [each["parts"] for each in first[-2:]] == [2, 1]
    # After each batch the clients of the one before are forgotten, whatever its partitions.
    await_true(lambda: node.state()["clients"] == 1, "the clients are forgotten")

    # As after a kill before the commit of the last batch was noted.
    last = max(int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdigit())
    for path in (checkpoint / "commits").glob(f"*{last}*"):
        path.unlink()
    for _, payload in entries(range(200, 300)):
        written.message(payload)
    growing.write()
    run()
    assert node.state()["balances"] == booked(range(300))
    second = reports(tmp_path / "reports")
    again = second[len(first) - 1]
    assert again["applied_before"] == first[-1]["acknowledged"]
    assert "acknowledged" not in again
    assert sum(each["acknowledged"] for each in second[len(first) :]) == 100


def test_service_without_deduplication_is_offered_rows(spark, nodes, tmp_path):
    node = nodes.start().await_leader()
    frame = spark.createDataFrame(unanswered(range(500)), "data binary")
    options = {
        "cluster_dir": str(node.cluster_dir),
        "report_dir": str(tmp_path),
        "payload": "data",
    }
    write(frame, promise="offered", timeout_s=100, **options)
    await_true(lambda: node.state()["messages"] >= 500, "every row")
    (report,) = reports(tmp_path)
    assert (report["promise"], report["rows"], report["offered"]) == ("offered", 500, 500)
    assert "acknowledged" not in report

    def reports_missing_deduplication(timeout_s):
        with pytest.raises(Exception, match="within") as error:
            write(frame.coalesce(1), timeout_s=timeout_s, **options)
        return "MissingDeduplicationError: expected a service that uses" in str(error.value)

    # A session alone may take some time on a busy machine.
    assert any(reports_missing_deduplication(timeout_s) for timeout_s in (2, 10, 60))


@pytest.fixture
def java_nodes(java, shm_dir, tmp_path, free_port):
    with ClusterNodes("java", java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def offer_to_java(spark, nodes, options):
    node = nodes.start().await_leader()
    frame = spark.createDataFrame(unanswered(range(300)), "payload binary")
    write(frame, cluster_dir=str(node.cluster_dir), promise="offered", **options)
    await_true(lambda: node.state()["messages"] >= 300, "every row")
    return "offered"


def apply_beside_java(spark, nodes, options):
    node = nodes.start(parts="driver,archive,consensus")
    node.peer.await_event("READY", 120)
    service = Accounts()
    with ClusteredServiceContainer.launch(
        service=service, aeron_dir=node.directory, cluster_dir=node.cluster_dir
    ):
        node.await_leader()
        frame = spark.createDataFrame(entries(range(300)), SCHEMA).drop("id")
        write(frame, cluster_dir=str(node.cluster_dir), **options)
        assert service.balances == {each: each + 1 for each in range(300)}
    return "acknowledged"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", [offer_to_java, apply_beside_java])
def test_javas_cluster_accepts_rows(spark, java_nodes, tmp_path, way):
    options = {"report_dir": str(tmp_path / "reports"), "timeout_s": 100}
    count = way(spark, java_nodes, options)
    (report,) = reports(tmp_path / "reports")
    assert (report["rows"], report[count]) == (300, 300)


@pytest.mark.parametrize(
    ("columns", "options", "text"),
    [
        ("id", {}, "columns: expected payload, found 'id' "),
        ("payload, id", {}, "columns: expected payload, found 'payload, id' .select the columns"),
        ("payload", {"key": "id"}, "columns: expected payload and id, found 'payload'"),
        ("id AS payload", {}, "payload: expected a column of binary, string, found 'bigint'"),
        ("payload, id / 2 AS id", {"key": "id"}, "id: expected a column of .*, found 'double'"),
        ("payload", {"promise": "certain"}, "promise: expected applied or offered"),
    ],
)
def test_invalid_rows_are_rejected_before_any_is_sent(spark, columns, options, text):
    frame = spark.createDataFrame(entries([1]), SCHEMA).selectExpr(*columns.split(", "))
    with pytest.raises(AnalysisException, match=text):
        write(frame, **{**UNREACHABLE, **options})


def test_unsorted_keys_are_rejected(spark):
    frame = spark.createDataFrame(entries([1, 3, 2]), SCHEMA).coalesce(1)
    with pytest.raises(Exception, match="RowError: partition 0, row 2: key: expected one above 3"):
        write(frame, key="id", **UNREACHABLE)


def test_nothing_but_append_is_accepted(spark):
    frame = spark.createDataFrame(entries([1]), SCHEMA)
    writer = frame.drop("id").write.format("aeron_cluster").options(**UNREACHABLE)
    with pytest.raises(AnalysisException, match="mode: expected append, found 'overwrite'"):
        writer.mode("overwrite").save()
    with pytest.raises(AnalysisException, match=r"(?i)append"):  # rejected by Spark
        writer.mode("error").save()
    # As in a stream with output mode "complete".
    with pytest.raises(ConfigurationError, match="cannot be removed"):
        AeronClusterSource(dict(UNREACHABLE)).streamWriter(frame.schema, overwrite=True)
