"""``aeron-cluster pipeline sessions`` and ``latency``: figures, files, and exit codes."""

import json

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from tests.conftest import IN_SOURCE_TREE
from tests.pages import block_of
from tests.unit.pipeline.jobs.days import BusyDay
from tests.unit.pipeline.jobs.in_process_spark import InProcessSpark
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM

pytest.importorskip("pyarrow")


sessions, latency = "sessions", "latency"


def run(command, *arguments):
    return CliRunner().invoke(main, ["pipeline", command, *(str(each) for each in arguments)])


@pytest.mark.parametrize("command", [sessions, latency])
def test_help_has_an_example(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"aeron-cluster pipeline {command} node0 --out {command}" in result.output


def test_sessions_are_reported_and_written(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    result = run(sessions, node, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "sessions:    2 of clients, 1 open at the end\n  TIMEOUT: 1\n" in result.output
    assert f"report: {tmp_path}/out/report.html" in result.output
    assert (tmp_path / "out/report.html").is_file()
    assert (tmp_path / "out/sessions.parquet").is_file()


def test_figures_alone_are_json(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    result = json.loads(run(sessions, node, "--json").stdout)
    assert (result["sessions"], result["messages"], result["written"]) == (2, 5, [])


def test_latency_is_reported_with_egress(tmp_path):
    node, egress = BusyDay(count=300).put(tmp_path)
    result = run(latency, node, "--egress", f"{egress.archive_dir}:{egress.recording_id}")
    assert result.exit_code == 0
    assert "between entries:    p50 " in result.output
    assert "request to answer:  p50 " in result.output
    assert "--out DIR writes a page" in result.output
    narrow = run(latency, node, "--from-term", 1, "--to-term", 2, "--json")
    assert json.loads(narrow.stdout)["leadership_terms"] == 1


@IN_SOURCE_TREE
def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    node, egress = BusyDay(count=300).put(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = block_of("docs/pipeline.md", "aeron-cluster pipeline sessions").text
    text = text.replace("clients/archive:3", f"{egress.archive_dir}:{egress.recording_id}")
    for line in text.replace(" node0 ", f" {node} ").splitlines():
        name, *words = line.split()
        assert name == "aeron-cluster"
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "sessions/report.html").is_file()
    assert (tmp_path / "latency/report.html").is_file()


JVM = """An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: org.apache.spark.SparkException: Invalid master URL: spark://nowhere
\tat org.apache.spark.util.Utils$.extractHostPortFromSparkUrl(Utils.scala:2402)
"""


@pytest.mark.parametrize("verb", ["sessions", "compact", "state-at"])
@pytest.mark.parametrize("moment", ["begin", "job", "end"])
def test_a_failure_of_spark_is_reported_in_one_line(tmp_path, monkeypatch, verb, moment):
    """The master is missing, or the JVM ended during the job."""
    py4j = pytest.importorskip("py4j.protocol")
    errors = pytest.importorskip("pyspark.errors")
    ended = errors.PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})

    class Session(InProcessSpark):
        def parallelize(self, things, count):
            if moment == "job":
                raise py4j.Py4JError(JVM)
            return super().parallelize(things, count)

        def stop(self):
            if moment == "end":
                raise ended

    def local_session(*_):
        if moment == "begin":
            raise py4j.Py4JError(JVM)
        return Session()

    monkeypatch.setattr("aeron_cluster.pipeline.spark.local_session", local_session)
    node = log_of_every_kind().write_node(tmp_path / "node0", is_shut_down=True)
    more = {
        "sessions": (),
        "compact": ("--to", tmp_path / "lake"),
        "state-at": (
            *("--to", tmp_path / "states", "--position", 0),
            *("--service", "tests.unit.pipeline.jobs.tally:Tally"),
        ),
    }[verb]
    result = run(verb, node, *more, "--spark", "spark://nowhere")
    assert result.exit_code == 3, result.output
    assert "Traceback" not in result.output
    text = "[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number."
    if moment != "end":
        text = "org.apache.spark.SparkException: Invalid master URL: spark://nowhere"
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert line == f"error: Spark with master spark://nowhere: {text}"


def test_error_that_is_not_of_spark_is_not_blamed_on_it(tmp_path, monkeypatch):
    class Session(InProcessSpark):
        def parallelize(self, _things, _count):
            raise ZeroDivisionError("a mistake of the job")

        def stop(self):
            pass

    monkeypatch.setattr("aeron_cluster.pipeline.spark.local_session", lambda *_: Session())
    node = log_of_every_kind().write_node(tmp_path / "node0", is_shut_down=True)
    result = run(sessions, node, "--spark", "local[1]")
    assert isinstance(result.exception, ZeroDivisionError)


def test_clocks_that_go_back_and_damaged_parts_are_reported(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    for step in (5, 5, -3, 5, -7):
        log.time += step
        log.emit(1, b"of the test")
    node = log.write_node(tmp_path / "node0")
    assert "clocks went back:   2 times, by 7.00 ms at most\n" in run(latency, node).output
    log.damage(node / "archive", log.frames[-1].position, b"\x11\0\0\0")
    kept = run(latency, node, "--permissive")
    assert kept.exit_code == 0, kept.output
    assert "left out:           1 damaged parts\n" in kept.output


def test_log_of_one_entry_has_nothing_to_measure(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    shown = run(latency, log.write_node(tmp_path / "node0")).output
    assert "between messages:   nothing to measure\n" in shown
    assert "clocks went back" not in shown
    assert "left out" not in shown


def test_only_committed_entries_are_counted_on_request(tmp_path):
    log = log_of_every_kind()
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    every = json.loads(run(sessions, node, "--json").stdout)
    committed = json.loads(run(sessions, node, "--only-committed", "--json").stdout)
    assert committed["messages"] < every["messages"]
    assert committed["to_position"] < every["to_position"]


def test_each_mistake_has_its_code(tmp_path):
    log = BusyDay(count=300).log
    node = log.write_node(tmp_path / "node0")
    assert run(sessions).exit_code == 2
    assert run(sessions, node, "--interval", 0).exit_code == 2
    assert run(sessions, node, "--out", "s3://reports/today").exit_code == 2
    assert run(sessions, node, "--from-time", "soon").exit_code == 2
    assert run(latency, node, "--egress", "clients").exit_code == 2
    assert run(latency, node, "--egress", f"clients:{'9' * 5000}").exit_code == 2
    assert run(latency, tmp_path / "nowhere").exit_code == 3
    assert run(latency, node, "--egress", f"{tmp_path}/nowhere:1").exit_code == 3
    log.damage(node / "archive", TERM, b"\x11\0\0\0")
    damaged = run(sessions, node)
    assert damaged.exit_code == 4
    assert "frame length 17" in damaged.stderr
    kept = run(sessions, node, "--permissive")
    assert kept.exit_code == 0
    assert "left out:    1 damaged parts" in kept.output
