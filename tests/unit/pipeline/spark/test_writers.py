"""Tasks that write rows, and the commits of their reports, without a JVM or a cluster."""

import json
import pickle
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from aeron_cluster.errors import (
    ConfigurationError,
    MissingFileError,
    RowsRejectedError,
    TimeoutExpiredError,
)
from aeron_cluster.pipeline.sink import applied_rows, offered_rows
from aeron_cluster.pipeline.sink.applied_rows import forget_clients
from aeron_cluster.pipeline.sink.row_ids import client_id_of
from aeron_cluster.pipeline.sink.target import ClusterTarget

pytest.importorskip("pyspark")

from pyspark.sql.types import (
    BinaryType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from aeron_cluster.pipeline.spark import writers
from aeron_cluster.pipeline.spark.source import AeronClusterSource

pa = pytest.importorskip("pyarrow")

UNREACHABLE = {"ingress_endpoints": "0=localhost:1"}
PAYLOAD = StructType([StructField("payload", BinaryType())])


class Client:
    """A fake SurvivingClient whose service answers at once."""

    is_connected = True
    unanswered_count = resend_count = 0
    session_count = 1
    last_error = None

    def __init__(self, cluster, client_id=0, listener=None):
        self.cluster = cluster
        self.client_id = client_id
        self.listener = listener
        self.last_sequence = len(cluster.applied.get(client_id, ()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, payload):
        rows = self.cluster.applied.setdefault(self.client_id, [])
        rows.append(payload)
        self.last_sequence = len(rows)
        if payload in self.cluster.rejected:
            self.listener.on_failure(self.last_sequence, "no")
        else:
            self.listener.on_answer(self.last_sequence, b"")
        return self.last_sequence

    def forget(self, client_id):
        if self.cluster.full_passes > 0:
            return 0
        self.cluster.forgotten.append(client_id)
        return 1

    def do_work(self):
        self.cluster.full_passes -= 1
        return 1

    def close(self):
        self.cluster.closed += 1


class Cluster:
    """What the fake clients did.

    Attributes
    ----------
    full_passes
        The number of passes after which there is room for a request to forget.
    """

    def __init__(self):
        self.applied = {}
        self.rejected = set()
        self.forgotten = []
        self.offered = []
        self.full_passes = self.closed = 0
        self.has_driver = True

    def start(self, listener, client_id, **_options):
        return Client(self, client_id, listener)

    def connect(self, **_options):
        return Client(self)

    def open_driver(self, _seams, aeron_dir):
        if not self.has_driver:
            raise MissingFileError(aeron_dir, "a driver", "start it")
        return SimpleNamespace(close=lambda: None)

    def session(self, _properties, **_options):
        return SimpleNamespace(
            offer=lambda payload: self.offered.append(payload) or 64,
            poll_egress=lambda _limit: 0,
            close=lambda: None,
        )


@pytest.fixture
def cluster(monkeypatch):
    found = Cluster()
    client = SimpleNamespace(start=found.start, connect=found.connect)
    monkeypatch.setattr(applied_rows, "SurvivingClient", client)
    monkeypatch.setattr(applied_rows, "open_driver", found.open_driver)
    monkeypatch.setattr(offered_rows, "AeronCluster", SimpleNamespace(connect=found.session))
    monkeypatch.setattr(offered_rows, "_QUIET_NS", 0)
    return found


@pytest.fixture
def run_task(monkeypatch):
    """Return a function that writes payloads as a task of Spark does."""

    def run(writer, payloads, partition=0, attempt=0, **properties):
        context = SimpleNamespace(
            partitionId=lambda: partition,
            attemptNumber=lambda: attempt,
            getLocalProperty=properties.get,
        )
        monkeypatch.setattr(writers, "TaskContext", SimpleNamespace(get=lambda: context))
        batches = [pa.record_batch({"payload": pa.array([each])}) for each in payloads]
        task = pickle.loads(pickle.dumps(writer))
        return pickle.loads(pickle.dumps(task.write(iter(batches))))

    return run


def batch_of(query_id, batch_id):
    """Return the properties of a task of a stream's batch."""
    return {"sql.streaming.queryId": query_id, "streaming.sql.batchId": str(batch_id)}


def writer_of(**options):
    source = AeronClusterSource({**UNREACHABLE, "timeout_s": "60", **options})
    return source.writer(PAYLOAD, overwrite=False)


def stream_writer_of(**options):
    source = AeronClusterSource({**UNREACHABLE, "timeout_s": "60", **options})
    return source.streamWriter(PAYLOAD, overwrite=False)


def reports(directory):
    return {path.name: json.loads(path.read_text()) for path in directory.iterdir()}


# ---- frames -------------------------------------------------------------------------------------


def test_a_named_write_keeps_its_clients(cluster, run_task, tmp_path):
    writer = writer_of(write_id="day", report_dir=str(tmp_path))
    messages = [run_task(writer, [b"a", b"b"]), run_task(writer, [b"c"], partition=1)]
    ids = [client_id_of("day", -1, partition) for partition in (0, 1)]
    assert cluster.applied == {ids[0]: [b"a", b"b"], ids[1]: [b"c"]}
    assert [each.report.client_id for each in messages] == ids
    writer.commit(messages)
    assert cluster.forgotten == []
    report = reports(tmp_path)["written-day.json"]
    assert (report["parts"], report["rows"], report["acknowledged"]) == (2, 3, 3)
    assert (report["batch_id"], report["promise"]) == (-1, "applied")

    # The same write again: its rows are known.
    again = run_task(writer_of(write_id="day"), [b"a", b"b"], attempt=1)
    assert (again.report.applied_before, again.report.acknowledged) == (2, 0)


def test_clients_of_an_unnamed_write_are_forgotten(cluster, run_task):
    writer = writer_of()
    messages = [
        run_task(writer, payloads, each) for each, payloads in enumerate([[b"a"], [], [b"c"]])
    ]
    assert messages[0].report.write_id == messages[2].report.write_id
    writer.commit(messages)
    # A part without rows had no client.
    assert cluster.forgotten == [messages[0].report.client_id, messages[2].report.client_id]
    other = run_task(writer_of(), [b"a"])
    assert other.report.client_id not in cluster.forgotten


def test_failure_to_forget_does_not_fail_the_write(cluster, run_task, tmp_path):
    writer = writer_of(report_dir=str(tmp_path))
    messages = [run_task(writer, [b"a"])]
    cluster.has_driver = False
    writer.commit(messages)
    assert len(reports(tmp_path)) == 1
    assert cluster.forgotten == []


@pytest.mark.parametrize("kind", ["frame", "stream"])
@pytest.mark.parametrize("rejected", ["fail", "report"])
def test_rejected_rows_fail_the_write_after_its_report(cluster, run_task, tmp_path, rejected, kind):
    cluster.rejected = {b"b"}
    options = {"rejected": rejected, "report_dir": str(tmp_path), "write_id": f"{kind}-{rejected}"}
    writer = writer_of(**options) if kind == "frame" else stream_writer_of(**options)
    messages = [run_task(writer, [b"a", b"b"], **batch_of("q", 0))]
    arguments = (messages,) if kind == "frame" else (messages, 0)
    fails = pytest.raises(RowsRejectedError, match="rejected 1 rows: partition 0, row 1: no")
    with fails if rejected == "fail" else nullcontext():
        writer.commit(*arguments)
    (report,) = reports(tmp_path).values()
    assert (report["rejected"], report["is_complete"]) == (1, True)


def test_rows_are_offered_without_acknowledgement(cluster, run_task, tmp_path):
    writer = writer_of(promise="offered", report_dir=str(tmp_path), write_id="w")
    message = run_task(writer, [b"a", b"b"], partition=3, attempt=1)
    assert (cluster.offered, cluster.applied) == ([b"a", b"b"], {})
    assert (message.report.partition, message.report.attempt) == (3, 1)
    writer.commit([message])
    report = reports(tmp_path)["written-w.json"]
    assert (report["promise"], report["offered"], report["acknowledged"]) == ("offered", 2, 0)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("kind", ["frame", "stream"])
def test_failed_write_reports_the_completed_tasks(run_task, tmp_path, kind):
    options = {"report_dir": str(tmp_path), "write_id": "w"}
    writer = writer_of(**options) if kind == "frame" else stream_writer_of(**options)
    message = run_task(writer, [b"a"], **batch_of("q", 4))
    more = () if kind == "frame" else (4,)
    # The commit failed, and has reported; or no task completed.
    writer.abort([message], *more)
    writer.abort([None, None], *more)
    assert reports(tmp_path) == {}
    writer.abort([message, None], *more)
    ((name, report),) = reports(tmp_path).items()
    assert name.endswith("-partial.json")
    assert (report["parts"], report["is_complete"]) == (1, False)
    assert report["batch_id"] == (-1 if kind == "frame" else 4)


def test_write_without_tasks_has_no_report(cluster, tmp_path):
    writer_of(report_dir=str(tmp_path)).commit([])
    stream_writer_of(report_dir=str(tmp_path)).commit([], 0)
    assert reports(tmp_path) == {}
    assert cluster.forgotten == []


# ---- streams ------------------------------------------------------------------------------------


@pytest.mark.parametrize("write_id", [None, "named"])
def test_each_batch_makes_the_service_forget_the_clients_before(
    cluster, run_task, tmp_path, write_id
):
    options = {"report_dir": str(tmp_path)} | ({"write_id": write_id} if write_id else {})
    query_id = f"query-{write_id}"
    name = write_id or query_id
    for batch_id, partitions in enumerate([(0, 1, 2), (0,)]):
        writer = stream_writer_of(**options)
        messages = [
            run_task(writer, [b"row"], each, **batch_of(query_id, batch_id)) for each in partitions
        ]
        stream_writer_of(**options).commit(messages, batch_id)
    assert set(cluster.applied) == {
        client_id_of(name, batch, part) for batch, part in ((0, 0), (0, 1), (0, 2), (1, 0))
    }
    # The task of a partition forgets its predecessor, and the commit those without a successor.
    assert cluster.forgotten == [client_id_of(name, 0, part) for part in range(3)]
    assert set(reports(tmp_path)) == {f"written-{name}-{batch:020d}.json" for batch in (0, 1)}


def test_request_to_forget_is_repeated_until_there_is_room(cluster, run_task):
    cluster.full_passes = 3
    run_task(stream_writer_of(), [b"row"], **batch_of("q", 7))
    assert cluster.forgotten == [client_id_of("q", 6, 0)]
    assert cluster.full_passes == 0
    cluster.full_passes = 3
    forget_clients(ClusterTarget(timeout_ns=60_000_000_000), [5, 6])
    assert cluster.forgotten[1:] == [5, 6]
    assert cluster.closed == 2


def test_request_to_forget_is_given_up_after_the_timeout(cluster, run_task):
    cluster.full_passes = 10**9
    with pytest.raises(TimeoutExpiredError, match="no room for a request to forget"):
        forget_clients(ClusterTarget(timeout_ns=1), [5])
    with pytest.raises(TimeoutExpiredError, match="expected room for a request to forget within"):
        run_task(stream_writer_of(timeout_s="1e-9"), [b"row"], **batch_of("q", 7))
    assert cluster.closed == 2
    assert cluster.forgotten == []


# ---- rejected before tasks start ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "options", "text"),
    [
        ({"id": LongType()}, {}, "columns: expected payload, found 'id' "),
        (
            {"payload": BinaryType(), "id": LongType()},
            {},
            "columns: expected payload, found 'payload, id' .select the columns",
        ),
        (
            {"payload": BinaryType()},
            {"key": "id"},
            "columns: expected payload and id, found 'payload'",
        ),
        (
            {"payload": LongType()},
            {},
            "payload: expected a column of binary, string, found 'bigint'",
        ),
        (
            {"payload": BinaryType(), "id": DoubleType()},
            {"key": "id"},
            "id: expected a column of .*, found 'double'",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["writer", "streamWriter"])
def test_invalid_columns_are_rejected_before_any_row_is_sent(columns, options, text, kind):
    schema = StructType([StructField(name, type_) for name, type_ in columns.items()])
    source = AeronClusterSource({**UNREACHABLE, **options})
    with pytest.raises(ConfigurationError, match=text):
        getattr(source, kind)(schema, overwrite=False)


@pytest.mark.parametrize("key", ["id", "payload"])
def test_key_may_be_a_column_of_its_own_or_the_payload(key):
    schema = StructType([StructField("payload", StringType())])
    if key == "id":
        schema.add("id", LongType())
    source = AeronClusterSource({**UNREACHABLE, "key": key})
    assert isinstance(source.writer(schema, overwrite=False), writers.BatchWriter)


@pytest.mark.parametrize("kind", ["writer", "streamWriter"])
def test_rows_of_a_cluster_cannot_be_overwritten(kind):
    with pytest.raises(ConfigurationError, match="mode: expected append, found 'overwrite'"):
        getattr(AeronClusterSource(dict(UNREACHABLE)), kind)(PAYLOAD, overwrite=True)


def test_endpoints_of_a_member_are_determined_before_tasks_start(tmp_path, monkeypatch):
    found = []

    def locate(_seams, cluster_dir, target):
        found.append(cluster_dir)
        return ClusterTarget(ingress_endpoints="2=host:9", timeout_ns=target.timeout_ns)

    monkeypatch.setattr(writers, "locate", locate)
    source = AeronClusterSource({"cluster_dir": str(tmp_path), "timeout_s": "7"})
    writer = source.writer(PAYLOAD, overwrite=False)
    assert found == [str(tmp_path)]
    assert writer._options.target.ingress_endpoints == "2=host:9"
    assert writer._options.target.timeout_ns == 7_000_000_000
