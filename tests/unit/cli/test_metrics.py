"""Metrics and probes of a driver, and of an archive and a member by their counters."""

import contextlib
import dataclasses
import json
import os
import re
import socket
import socketserver
import struct
import threading
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.metrics.endpoint import listen, url
from aeron_cluster.cli.metrics.families import FAMILIES, Kind, samples
from aeron_cluster.cli.metrics.health import (
    Target,
    find_target,
    liveness_problem,
    readiness_problem,
)
from aeron_cluster.cli.metrics.latency import StageHistogram
from aeron_cluster.cli.metrics.readings import (
    HEALTH_METRICS,
    LATENCY_HELP,
    LATENCY_METRIC,
    find_problem,
    read,
)
from aeron_cluster.cli.metrics.server import MetricsServer
from aeron_cluster.cli.options import watching
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.latency.latency_file import FILE_NAME, Stage, read_latencies
from aeron_cluster.cluster.latency.stage_agents import bucket_of, create_latency_file
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.module_counters import ELECTION_STATE_TYPE, MODULE_STATE_TYPE
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import ConfigurationError, CorruptError, MissingFileError, PortInUseError
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from tests.conftest import IN_SOURCE_TREE, ROOT
from tests.waiting import await_true

parser = pytest.importorskip("prometheus_client.parser")

CHANNEL = "aeron:ipc?term-length=64k|alias=of-the-test"
CLUSTER = struct.pack("<i", 7)
ARCHIVE = struct.pack("<q", 42)
TYPES = {"state": MODULE_STATE_TYPE, "election": ELECTION_STATE_TYPE}


class Running:
    """A driver with a client, both driven by `step`."""

    def __init__(self, driver, aeron):
        self.driver = driver
        self.aeron = aeron
        self.directory = driver.aeron_dir

    def step(self):
        self.driver.invoker.invoke()
        self.aeron.conductor_agent_invoker.invoke()

    def counter(self, type_id, key, label, value):
        self.aeron.add_counter(type_id, label, key).set(value)


@pytest.fixture
def running(shm_dir):
    directory = str(shm_dir / "driver")
    with MediaDriver.launch(aeron_dir=directory, threading_mode="INVOKER") as driver:
        driver.invoker.start()
        with Aeron.connect(
            aeron_dir=directory,
            use_conductor_invoker=True,
            driver_invoker=driver.invoker.invoke,
        ) as aeron:
            yield Running(driver, aeron)


def get(url):
    """Return the status and the text of a page."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@contextmanager
def serving(target):
    with MetricsServer("127.0.0.1:0", lambda: target) as server:
        yield server.url


def scraped(url):
    """Return every sample, by its name and its labels."""
    status, text = get(f"{url}/metrics")
    assert status == 200
    families = parser.text_string_to_metric_families(text)
    found = {}
    for family in families:
        for one in family.samples:
            found[one.name, tuple(sorted(one.labels.items()))] = one.value
    return found


def test_counters_of_a_driver_are_scraped(running):
    subscription = running.aeron.add_subscription(CHANNEL, 10)
    publication = running.aeron.add_publication(CHANNEL, 10)
    while not publication.is_connected:
        running.step()
    assert publication.offer(b"x" * 100) > 0
    while not subscription.poll(lambda *_: None, 1):
        running.step()
    with serving(Target("driver", running.directory)) as url:
        found = scraped(url)
    assert found["aeron_live", ()] == found["aeron_ready", ()] == 1
    assert found["aeron_driver_clients", ()] == 1
    assert found["aeron_driver_errors_total", ()] == 0
    assert found["aeron_driver_bytes_currently_mapped", ()] > 0
    positions = {
        name: value
        for (name, labels), value in found.items()
        if ("channel", CHANNEL) in labels and ("stream", "10") in labels
    }
    assert positions["aeron_driver_subscriber_position_bytes"] == 160
    assert positions["aeron_driver_publisher_limit_bytes"] > 160


def test_counters_of_archive_and_cluster_are_scraped_with_their_labels(running):
    running.counter(101, ARCHIVE, "Archive Errors - archiveId=42", 3)
    running.counter(103, ARCHIVE, "archive-recorder max cycle time in ns: SHARED", 2_000_000)
    running.counter(106, ARCHIVE, "archive-recorder total write bytes", 4096)
    running.counter(100, struct.pack("<qii", 5, -9, 3) + b"abc" + ARCHIVE, "rec-pos: 5 -9 10", 1024)
    running.counter(201, CLUSTER, "Cluster node role - clusterId=7", 2)
    running.counter(203, CLUSTER, "Cluster commit-pos: - clusterId=7", 960)
    running.counter(241, CLUSTER + struct.pack("<q", 1), "cluster-session: a", 0)
    running.counter(215, CLUSTER + struct.pack("<i", 1), "Cluster Container Errors", 9)
    running.counter(1202, CLUSTER, "Cluster next snapshot deadline in ms", 1_700_000_000_500)
    running.counter(77_777, b"", "of a user", 8)
    with serving(Target("archive", running.directory, None, 2)) as url:
        found = scraped(url)

    def value(name, **labels):
        return found[name, tuple(sorted(labels.items()))]

    labels_of_member = {"member": "2", "cluster": "7"}
    assert value("aeron_archive_errors_total", archive="42") == 3
    assert (
        value("aeron_archive_max_cycle_time_seconds", archive="42", agent="archive-recorder")
        == 0.002
    )
    assert value("aeron_archive_write_bytes_total", archive="42") == 4096
    assert (
        value("aeron_archive_recording_position_bytes", archive="42", recording="5", session="-9")
        == 1024
    )
    assert value("aeron_cluster_role", **labels_of_member) == 2
    assert value("aeron_cluster_commit_position_bytes", **labels_of_member) == 960
    assert value("aeron_cluster_sessions", **labels_of_member) == 1
    assert value("aeron_cluster_service_errors_total", service="1", **labels_of_member) == 9
    assert (
        value("aeron_cluster_next_snapshot_timestamp_seconds", **labels_of_member)
        == 1_700_000_000.5
    )
    (user,) = (key for key in found if ("type", "77777") in key[1])
    assert user[0] == "aeron_counter"
    assert found[user] == 8


def test_a_cluster_without_sessions_has_no_session_counters(running):
    running.counter(203, CLUSTER, "Cluster commit-pos: - clusterId=7", 960)
    with serving(Target("driver", running.directory)) as url:
        found = scraped(url)
    assert found["aeron_cluster_sessions", (("cluster", "7"), ("member", ""))] == 0


def test_metrics_are_named_once_as_prometheus_expects():
    names = [each.exported_name for each in FAMILIES]
    assert len(names) == len(set(names))
    for family in FAMILIES:
        assert re.fullmatch(r"aeron_[a-z0-9_]+", family.name)
        assert not family.name.endswith("_total")
        assert family.help_text.endswith(".")
        if family.name.endswith("_seconds"):
            assert family.factor < 1
        elif family.kind is Kind.GAUGE:
            assert family.factor == 1


def test_two_counters_that_look_the_same_are_one_sample(running):
    key = struct.pack("<i", 3) + b"abc"
    for value in (1, 2):
        running.counter(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS, key, "snd-channel", value)
    counters = running.aeron.counters_reader.counters()
    found = [
        each for each in samples(counters) if each.family.name == "aeron_driver_send_channel_status"
    ]
    assert [(each.labels, each.value) for each in found] == [(("abc",), 1)]


def test_system_counter_of_a_newer_driver_is_no_sample():
    known, unknown = (
        SimpleNamespace(type_id=0, key=struct.pack("<i", each), value=5, label="x")
        for each in (0, 9_999)
    )
    found = list(samples([unknown, known]))
    assert [each.value for each in found if each.family.name != "aeron_driver_clients"] == [5]


# ---- probes ----


def test_a_driver_is_alive_while_its_heartbeat_is_young(running):
    target = Target("driver", running.directory)
    running.step()
    assert liveness_problem(target) is None
    assert readiness_problem(target) is None
    with serving(target) as url:
        assert get(f"{url}/live") == get(f"{url}/ready") == (200, "ok\n")
        assert get(f"{url}/elsewhere")[0] == 404
        running.aeron.close()
        running.driver.close()
        status, text = get(f"{url}/live")
        assert status == 503
        assert "the driver was closed" in text
        assert get(f"{url}/ready")[0] == 503
        found = scraped(url)
        assert found["aeron_live", ()] == found["aeron_ready", ()] == 0


def test_an_archive_is_ready_once_its_counters_are_there(running):
    target = Target("archive", running.directory)
    running.step()
    assert liveness_problem(target) is None
    assert "no archive on this driver" in readiness_problem(target)
    running.counter(101, ARCHIVE, "Archive Errors - archiveId=42", 0)
    assert readiness_problem(target) is None


def test_a_starting_component_is_alive_but_not_ready(tmp_path):
    with serving(None) as url:
        assert get(f"{url}/live") == (200, "ok\n")
        assert get(f"{url}/ready") == (503, "starting\n")
        found = scraped(url)
        assert (found["aeron_live", ()], found["aeron_ready", ()]) == (1, 0)
    missing = str(tmp_path / "nothing")
    with MetricsServer("127.0.0.1:0", lambda: find_target(missing)) as server:
        for path in ("live", "ready"):
            status, text = get(f"{server.url}/{path}")
            assert status == 503
            assert missing in text
        assert scraped(server.url)["aeron_live", ()] == 0


def test_requests_beyond_the_limit_are_closed_and_later_ones_are_answered(tmp_path):
    with serving(Target("driver", str(tmp_path))) as url, contextlib.ExitStack() as stack:
        address = urllib.parse.urlsplit(url)
        place = (address.hostname, address.port)
        waiting = [
            stack.enter_context(socket.create_connection(place, timeout=30)) for _ in range(8)
        ]
        ninth = stack.enter_context(socket.create_connection(place, timeout=30))
        assert ninth.recv(1) == b""
        waiting[0].sendall(b"GET /live HTTP/1.0\r\n\r\n")
        assert waiting[0].recv(12) == b"HTTP/1.0 503"
        while waiting[0].recv(4096):
            pass
        await_true(lambda: is_answered(place), "a request that is answered")


def test_requests_without_a_thread_do_not_count_towards_the_limit(tmp_path, monkeypatch):
    process = socketserver.ThreadingMixIn.process_request
    failures = [RuntimeError("can't start new thread")] * 8

    def process_request(server, *request):
        if failures:
            raise failures.pop()
        process(server, *request)

    monkeypatch.setattr(socketserver.ThreadingMixIn, "process_request", process_request)
    with serving(Target("driver", str(tmp_path))) as url:
        address = urllib.parse.urlsplit(url)
        place = (address.hostname, address.port)
        for _ in range(8):
            with socket.create_connection(place, timeout=30) as found:
                assert found.recv(1) == b""
        assert is_answered(place)


def test_a_server_whose_thread_does_not_start_closes_its_socket(monkeypatch):
    found = []

    def listening(option, endpoint):
        found.append(listen(option, endpoint))
        return found[0]

    def start(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("aeron_cluster.cli.metrics.server.listen", listening)
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError, match="can't start"):
        MetricsServer("127.0.0.1:0", lambda: None)
    assert found[0].fileno() == -1


def is_answered(place):
    with socket.create_connection(place, timeout=30) as found, contextlib.suppress(OSError):
        found.sendall(b"GET /live HTTP/1.0\r\n\r\n")
        return found.recv(12) == b"HTTP/1.0 503"
    return False


def test_a_request_that_fails_is_answered_with_the_error(caplog):
    def find():
        raise PermissionError("not readable")

    with MetricsServer("127.0.0.1:0", find) as server:
        for path in ("metrics", "live", "ready"):
            assert get(f"{server.url}/{path}") == (500, "PermissionError: not readable\n")
    assert [each.getMessage() for each in caplog.records] == [
        f"/{path} cannot be answered" for path in ("metrics", "live", "ready")
    ]


def test_an_empty_directory_has_no_target(tmp_path):
    with pytest.raises(MissingFileError):
        find_target(str(tmp_path))


class Late(SystemClock):
    """A clock half a minute ahead of the driver's."""

    def epoch_ms(self):
        return super().epoch_ms() + 30_000


@pytest.fixture
def member(running, tmp_path):
    """Return a function that adds a member's files and counters to the driver."""
    running.step()
    directory = tmp_path / "cluster"
    directory.mkdir()
    with contextlib.ExitStack() as stack:

        def add(kind=ClusterComponentType.CONSENSUS_MODULE, **counters):
            content = MarkFileContent(
                component_type=kind, member_id=3, cluster_id=7, aeron_directory=running.directory
            )
            claimed = ClusterMarkFile.claim(
                SystemFiles(), str(directory), content, clock=SystemClock()
            )
            mark = stack.enter_context(claimed)
            for name, value in counters.items():
                running.counter(TYPES[name], CLUSTER, name, value)
            return find_target(str(directory)), mark

        yield add


def test_a_driver_that_stopped_is_not_alive(running, monkeypatch):
    target = Target("driver", running.directory)
    running.step()
    assert liveness_problem(target) is None
    monkeypatch.setattr("aeron_cluster.cli.metrics.health.Seams", lambda: Seams(clock=Late()))
    assert re.fullmatch(
        rf"{running.directory}/cnc\.dat: the driver, process {os.getpid()}, is silent for"
        r" (29|3\d)\.\d s",
        liveness_problem(target),
    )
    assert readiness_problem(target) == liveness_problem(target)


def test_a_missing_driver_is_not_alive(tmp_path):
    target = Target("driver", str(tmp_path))
    assert "the driver is not running" in liveness_problem(target)
    assert readiness_problem(target) == liveness_problem(target)
    assert values_of(target) == {"aeron_live": [((), 0)], "aeron_ready": [((), 0)]}


def values_of(target):
    """Return what is read of a target, by its names."""
    return {each.name: each.values for each in read(lambda: target)}


def test_a_damaged_file_is_neither_alive_nor_ready(running):
    damaged = Path(running.directory, "cnc.dat")
    copy = damaged.with_name("copy")
    copy.mkdir()
    (copy / "cnc.dat").write_bytes(b"\xff" * 8192)
    target = Target("driver", str(copy))
    for check in (liveness_problem, readiness_problem):
        assert f"{copy}/cnc.dat" in find_problem(check, target)
    assert values_of(target) == {"aeron_live": [((), 0)], "aeron_ready": [((), 0)]}


@pytest.mark.parametrize(
    ("counters", "problem"),
    [
        ({}, "member 3 is starting"),
        ({"state": ConsensusModuleState.INIT}, "member 3 is in state init"),
        ({"state": ConsensusModuleState.QUITTING}, "member 3 is in state quitting"),
        ({"state": 77}, "member 3 is in state unknown (77)"),
        ({"state": ConsensusModuleState.ACTIVE}, "member 3 is in an election: init"),
        (
            {"state": ConsensusModuleState.ACTIVE, "election": -5},
            "member 3 is in an election: unknown (-5)",
        ),
        (
            {
                "state": ConsensusModuleState.ACTIVE,
                "election": ElectionState.FOLLOWER_LOG_REPLICATION,
            },
            "member 3 is in an election: follower log replication",
        ),
        ({"state": ConsensusModuleState.ACTIVE, "election": ElectionState.CLOSED}, None),
        ({"state": ConsensusModuleState.SUSPENDED, "election": ElectionState.CLOSED}, None),
        ({"state": ConsensusModuleState.SNAPSHOT, "election": ElectionState.CLOSED}, None),
    ],
)
def test_a_member_is_ready_while_it_serves_and_no_election_runs(member, counters, problem):
    target, mark = member(**counters)
    mark.signal_ready()
    assert liveness_problem(target) is None
    assert readiness_problem(target) == problem


def test_a_backup_is_ready_without_elections(member):
    target, mark = member(ClusterComponentType.BACKUP)
    mark.signal_ready()
    assert readiness_problem(target) is None


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (lambda mark: mark.signal_failed_start(), "failed to start"),
        (lambda mark: (mark.signal_ready(), mark.close()), "was closed"),
        (lambda mark: (mark.signal_ready(), mark.update_activity(1)), "is silent, or has ended"),
    ],
    ids=["failed to start", "closed", "silent"],
)
def test_a_member_that_has_ended_is_not_alive(member, end, state):
    target, mark = member(state=ConsensusModuleState.ACTIVE, election=ElectionState.CLOSED)
    end(mark)
    expected = f"{target.cluster_dir}/cluster-mark.dat: process {os.getpid()} {state}"
    assert liveness_problem(target) == expected
    assert readiness_problem(target) == expected


@pytest.mark.parametrize("command", ["ready", "live"])
def test_probes_end_with_a_code(running, tmp_path, command):
    running.step()
    good = CliRunner().invoke(main, [command, running.directory])
    assert (good.exit_code, good.output) == (0, "")
    shown = CliRunner().invoke(main, [command, running.directory, "--json"])
    assert shown.output == f'{{"is_{command}": true, "problem": null}}\n'
    running.aeron.close()
    running.driver.close()
    bad = CliRunner().invoke(main, [command, running.directory])
    assert bad.exit_code == 1
    assert "was closed" in bad.stderr
    bad = CliRunner().invoke(main, [command, running.directory, "--json"])
    assert bad.exit_code == 1
    assert "was closed" in bad.output
    none = CliRunner().invoke(main, [command, str(tmp_path)])
    assert none.exit_code == 3


# ---- latencies of stages ----


def write_latencies(directory, durations):
    """Make a node's file of latencies in a driver's directory; durations by stage, in ns."""
    path = f"{directory}/{FILE_NAME}"
    if not Path(path).exists():
        create_latency_file(SystemFiles(), path, SystemClock()).close()
    length = 128 + 8 * 3712
    with Path(path).open("r+b") as file:
        for stage, values in durations.items():
            begin = 128 + stage * length
            file.seek(begin)
            file.write(struct.pack("<qqqq", len(values), max(values), sum(values), 0))
            for value in values:
                file.seek(begin + 128 + 8 * bucket_of(value))
                file.write(
                    struct.pack("<q", sum(bucket_of(one) == bucket_of(value) for one in values))
                )


def test_latencies_are_shown_by_percentile(running):
    write_latencies(running.directory, {Stage.LOG: [1000] * 98 + [50_000, 2_000_000]})
    done = CliRunner().invoke(main, ["latency", running.directory, "--json"])
    stages = json.loads(done.output)["stages"]
    log = stages["LOG"]
    assert (log["count"], log["max_ns"]) == (100, 2_000_000)
    assert log["p50_ns"] == pytest.approx(1000, rel=1 / 128)
    assert log["p99_ns"] == pytest.approx(50_000, rel=1 / 128)
    assert set(stages["TOTAL"].values()) == {0}
    shown = CliRunner().invoke(main, ["latency", running.directory]).output
    (row,) = (line for line in shown.splitlines() if line.startswith("ingress to log"))
    cells = ["100", "1.00 us", "1.00 us", "50.2 us", "2.00 ms", "2.00 ms"]
    assert row.split()[3:] == " ".join(cells).split()


def test_latencies_counted_before_are_left_out(running):
    write_latencies(running.directory, {Stage.LOG: [1000, 9_000_000]})
    before = read_latencies(SystemFiles(), running.directory)[Stage.LOG]
    write_latencies(running.directory, {Stage.LOG: [1000, 9_000_000, 3000, 3000]})
    found = read_latencies(SystemFiles(), running.directory)[Stage.LOG]
    since = StageHistogram(found, before)
    assert (since.count, since.sum_ns) == (2, 6000)
    assert since.max_ns == pytest.approx(3000, rel=1 / 128)
    nothing = StageHistogram(found, found)
    assert (nothing.count, nothing.percentile_ns(50)) == (0, 0)


def test_watched_latencies_are_those_since_the_last_update(running, monkeypatch):
    write_latencies(running.directory, {Stage.LOG: [1000, 9_000_000]})
    more = iter([[1000, 9_000_000, 3000, 3000]])

    def pause(_):
        values = next(more, None)
        if values is None:
            raise KeyboardInterrupt
        write_latencies(running.directory, {Stage.LOG: values})

    monkeypatch.setattr(watching.time, "sleep", pause)

    def counts(*options):
        arguments = ["latency", running.directory, "--json", "--watch", *options]
        lines = CliRunner().invoke(main, arguments).output.splitlines()
        return [json.loads(line)["stages"]["LOG"]["count"] for line in lines]

    assert counts() == [2, 2]
    more = iter([[1000, 9_000_000, 3000, 3000, 5000]])
    assert counts("--since-start") == [4, 5]


def test_latencies_in_other_buckets_are_rejected(running):
    write_latencies(running.directory, {Stage.LOG: [1000]})
    found = read_latencies(SystemFiles(), running.directory)[Stage.LOG]
    with pytest.raises(CorruptError, match="bits of a bucket"):
        StageHistogram(dataclasses.replace(found, bits=found.bits + 1))


def test_latencies_are_scraped_as_a_histogram(running):
    write_latencies(running.directory, {Stage.LOG: [500, 3000, 10**6], Stage.TOTAL: [10**11]})
    with serving(Target("member", running.directory, None, 1)) as url:
        found = scraped(url)

    def count(stage, bound):
        labels = {"member": "1", "stage": stage, "le": bound}
        return found[f"{LATENCY_METRIC}_bucket", tuple(sorted(labels.items()))]

    assert count("log", "1.024e-06") == 1
    assert count("log", "4.096e-06") == 2
    assert count("log", "0.001048576") == 3
    assert count("log", "+Inf") == 3
    assert count("total", "17.179869184") == 0
    assert count("total", "+Inf") == 1
    total = found[f"{LATENCY_METRIC}_sum", (("member", "1"), ("stage", "log"))]
    assert total == pytest.approx(1_003_500e-9)
    assert found[f"{LATENCY_METRIC}_count", (("member", "1"), ("stage", "log"))] == 3


def test_a_damaged_file_of_latencies_is_named(running):
    path = Path(running.directory) / FILE_NAME
    path.write_bytes(b"x" * 64)
    done = CliRunner().invoke(main, ["latency", running.directory])
    assert done.exit_code == 4
    assert str(path) in done.stderr
    path.unlink()
    done = CliRunner().invoke(main, ["latency", running.directory])
    assert done.exit_code == 3
    assert "start it with --latency" in done.stderr


# ---- the address ----


@pytest.mark.parametrize(
    "endpoint", ["9100", "localhost", "localhost:x", "localhost:99999", f"localhost:{'9' * 5000}"]
)
def test_an_invalid_endpoint_is_rejected(endpoint):
    with pytest.raises(ConfigurationError, match="host:port"):
        listen("--metrics", endpoint)


@pytest.mark.parametrize("host", ["192.0.2.1", "a..b", f"{'a' * 64}.b"])
def test_an_address_of_another_machine_is_rejected(host):
    with pytest.raises(ConfigurationError, match="an address of this machine"):
        listen("--metrics", f"{host}:9100")


def test_a_port_in_use_is_named_with_the_option():
    with socket.create_server(("127.0.0.1", 0)) as other:
        endpoint = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(PortInUseError, match=re.escape(f"{endpoint}/tcp (--metrics)")):
            listen("--metrics", endpoint)
        done = CliRunner().invoke(main, ["metrics", "nowhere", "--listen", endpoint])
        assert done.exit_code == 3
        assert "choose another one (--listen)" in done.stderr


def test_without_a_host_the_server_listens_at_all_addresses():
    with listen("--metrics", ":0") as bound:
        assert bound.getsockname()[0] == "0.0.0.0"
        assert url(bound) == f"http://localhost:{bound.getsockname()[1]}"


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client.core", None)
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client.exposition", None)
    done = CliRunner().invoke(main, ["metrics", "nowhere", "--listen", "localhost:0"])
    assert done.exit_code == 3
    assert "pip install 'aeron-cluster[metrics]'" in done.stderr


# ---- documentation ----


@IN_SOURCE_TREE
def test_every_metric_is_in_the_documentation():
    page = (ROOT / "docs" / "metrics.md").read_text()
    rows = [f"| `{name}` | gauge | | {text} |" for name, text in HEALTH_METRICS.items()]
    for each in FAMILIES:
        labels = ", ".join(each.labels)
        rows.append(
            f"| `{each.exported_name}` | {each.kind.value} | {labels}{' ' * bool(labels)}"
            f"| {each.help_text} |"
        )
    rows.append(f"| `{LATENCY_METRIC}` | histogram | member, stage | {LATENCY_HELP} |")
    assert [row for row in rows if row not in page] == []
