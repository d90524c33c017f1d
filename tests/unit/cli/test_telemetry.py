"""The metrics of a driver, exported by OpenTelemetry's exporter to a collector on this machine."""

import gzip
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.metrics import telemetry
from aeron_cluster.cli.metrics.health import Target
from aeron_cluster.cli.metrics.readings import LATENCY_METRIC
from aeron_cluster.cli.metrics.telemetry import MetricsExport, otlp_exporter
from aeron_cluster.cluster.latency.latency_file import Stage
from aeron_cluster.errors import ConfigurationError
from tests.unit.cli.test_metrics import CLUSTER, running, write_latencies
from tests.waiting import await_true

pytest.importorskip("opentelemetry.exporter.otlp.proto.http.metric_exporter")
protocol = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")

__all__ = ["running"]
LONG_S = 10_000
TIMEOUT_S = 60


class Collector:
    """A collector that decodes each export, and answers with a status."""

    def __init__(self):
        self.exports = Queue()
        self.status = 200
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.exports.put((self.path, self.headers, body))
                self.send_response(collector.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def next(self):
        """Return the path, the headers and the decoded request of the next export."""
        path, headers, body = self.exports.get(timeout=TIMEOUT_S)
        return path, headers, protocol.ExportMetricsServiceRequest.FromString(body)

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def collector():
    found = Collector()
    yield found
    found.close()


def metrics_of(request):
    """Return the metrics of an export by name, and its resource's attributes."""
    (resource,) = request.resource_metrics
    (scope,) = resource.scope_metrics
    attributes = {each.key: each.value.string_value for each in resource.resource.attributes}
    return {each.name: each for each in scope.metrics}, attributes


def labels(point):
    return {each.key: each.value.string_value for each in point.attributes}


def test_the_metrics_are_exported_with_labels_units_and_kinds(running, collector):
    running.counter(203, CLUSTER, "Cluster commit-pos: - clusterId=7", 960)
    running.counter(215, CLUSTER + struct.pack("<i", 1), "Cluster Container Errors", 9)
    write_latencies(running.directory, {Stage.LOG: [500, 3000, 10**6], Stage.TOTAL: [10**11]})
    target = Target("member", running.directory, None, 2)
    with MetricsExport(otlp_exporter(collector.url), lambda: target, LONG_S):
        path, headers, request = collector.next()
    assert path == "/v1/metrics"
    assert headers["Content-Type"] == "application/x-protobuf"
    metrics, resource = metrics_of(request)
    assert resource["service.name"] == "aeron-cluster"

    (live,) = metrics["aeron_live"].gauge.data_points
    assert (live.as_double, labels(live)) == (1, {})
    committed = metrics["aeron_cluster_commit_position_bytes"]
    (point,) = committed.gauge.data_points
    assert (committed.unit, point.as_double or point.as_int) == ("By", 960)
    assert labels(point) == {"member": "2", "cluster": "7"}
    errors = metrics["aeron_cluster_service_errors"].sum
    assert errors.is_monotonic
    assert errors.aggregation_temporality == 2  # cumulative
    (point,) = errors.data_points
    assert (point.as_double or point.as_int) == 9
    assert labels(point) == {"member": "2", "cluster": "7", "service": "1"}
    assert 0 < point.start_time_unix_nano < point.time_unix_nano

    latency = metrics[LATENCY_METRIC]
    assert latency.unit == "s"
    points = {labels(each)["stage"]: each for each in latency.histogram.data_points}
    log = points["log"]
    assert (log.count, log.sum) == (3, pytest.approx(1_003_500e-9))
    by_bound = dict(zip(log.explicit_bounds, log.bucket_counts, strict=False))
    assert {bound: count for bound, count in by_bound.items() if count} == {
        1.024e-06: 1,
        4.096e-06: 1,
        0.001048576: 1,
    }
    assert len(log.bucket_counts) == len(log.explicit_bounds) + 1
    assert points["total"].bucket_counts[-1] == 1


def test_it_exports_at_each_interval_and_at_the_end(running, collector):
    value = 1.0
    target = Target("driver", running.directory)
    with MetricsExport(otlp_exporter(collector.url), lambda: target, 0.01):
        for _ in range(3):
            metrics, _ = metrics_of(collector.next()[2])
            (live,) = metrics["aeron_live"].gauge.data_points
            assert live.as_double == value
        running.aeron.close()
        running.driver.close()
    requests = [collector.next()[2] for _ in range(collector.exports.qsize())]
    (last,) = metrics_of(requests[-1])[0]["aeron_live"].gauge.data_points
    assert last.as_double == 0


def test_a_collector_that_fails_is_logged_once_and_tried_again(running, collector, caplog):
    collector.status = 400
    target = Target("driver", running.directory)
    with MetricsExport(otlp_exporter(collector.url), lambda: target, 0.01):
        for _ in range(3):
            collector.next()
        collector.status = 200
        await_true(lambda: len(caplog.records) > 1, "the end of the failures")
    assert [each.getMessage().partition(" code: 400")[0] for each in caplog.records] == [
        "metrics are not exported; tried again every 0.01 s: Failed to export metrics batch",
        "metrics are exported again",
    ]


def test_metrics_that_cannot_be_read_are_logged_once_and_nothing_is_exported(collector, caplog):
    attempts = []

    def find():
        attempts.append(True)
        raise PermissionError("not readable")

    export = MetricsExport(otlp_exporter(collector.url), find, 0.01)
    await_true(lambda: len(attempts) > 2, "three attempts")
    export.close()
    count = len(attempts)
    export.close()
    assert len(attempts) == count, "no more attempts once it is closed"
    assert [each.getMessage() for each in caplog.records] == [
        "metrics are not exported; tried again every 0.01 s: PermissionError: not readable"
    ]
    assert collector.exports.empty()


def test_a_missing_collector_is_left_at_the_end(running, collector, caplog, monkeypatch):
    monkeypatch.setattr(telemetry, "_END_TIMEOUT_S", 0.01)
    collector.close()
    target = Target("driver", running.directory)
    with MetricsExport(otlp_exporter(collector.url), lambda: target, LONG_S):
        pass
    assert [each.name for each in caplog.records if each.name.startswith("opentelemetry")] == []


def test_the_variables_of_opentelemetry_apply(running, collector, monkeypatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "exchange")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "site=north")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=of-the-test")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "10000000")
    target = Target("driver", running.directory)
    with MetricsExport(otlp_exporter(f"{collector.url}/"), lambda: target):
        path, headers, request = collector.next()
    assert (path, headers["api-key"]) == ("/v1/metrics", "of-the-test")
    assert headers["Content-Encoding"] == "gzip"
    resource = metrics_of(request)[1]
    assert (resource["service.name"], resource["site"]) == ("exchange", "north")


def test_an_invalid_url_or_interval_is_rejected(monkeypatch):
    with pytest.raises(ConfigurationError, match="--otlp: expected a URL"):
        otlp_exporter("localhost:4318")
    for interval in ("1m", "0", "9" * 5000):
        monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", interval)
        with pytest.raises(ConfigurationError, match="OTEL_METRIC_EXPORT_INTERVAL"):
            MetricsExport(otlp_exporter("http://localhost:4318"), lambda: None)


@pytest.mark.parametrize(
    "command",
    [
        ["driver"],
        [
            *("archive", "-o", "aeron.archive.control.channel.enabled=false"),
            *("--replication-channel", "aeron:udp?endpoint=localhost:0"),
        ],
        ["node", "--service", "aeron_cluster.cli.accounts:Accounts"],
        ["metrics", "nowhere", "--listen", "localhost:0"],
    ],
    ids=lambda command: command[0],
)
def test_without_the_package_the_extra_is_named(monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    name = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
    monkeypatch.setitem(sys.modules, name, None)
    done = CliRunner().invoke(main, [*command, "--otlp", "http://localhost:4318"])
    assert done.exit_code == 3
    assert "pip install 'aeron-cluster[otel]'" in done.stderr
