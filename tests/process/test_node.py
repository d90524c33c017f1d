"""The node's command as a process: a user's service, signals, a kill and a restart."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.demo import order_client
from aeron_cluster.cli.demo.order_client import Measurement, OrderClient, Shadow, difference
from aeron_cluster.cli.main import main
from aeron_cluster.client import Aeron
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.module_counters import CONTROL_TOGGLE_TYPE
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.status import read_status
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from benchmarks.native.build import build_service
from tests.conftest import PYTHON_PATH
from tests.waiting import await_true

TIMEOUT_S = 120.0
SERVICE = '''
from aeron_cluster.client import ADMIN_ACTION, BACK_PRESSURED
from aeron_cluster.cluster.service.clustered_service import ClusteredService


class Adder(ClusteredService):
    """Sums the numbers that it receives, and replies with the sum."""

    def __init__(self):
        self.total = 0

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, timestamp, message, header):
        self.total += int(bytes(message))
        while session.offer(b"%d" % self.total) in (BACK_PRESSURED, ADMIN_ACTION):
            self.cluster.idle()
'''


class Answers(EgressListener):
    def __init__(self):
        self.observed = []

    def on_message(self, _timestamp, message, _header):
        self.observed.append(int(bytes(message)))


@pytest.fixture
def place(tmp_path, shm_dir, free_port):
    """Return the arguments for a node's directories and port."""
    (tmp_path / "adder.py").write_text(SERVICE)
    port = free_port(10)
    return {
        "folder": tmp_path,
        "port": port,
        "driver": shm_dir / "driver",
        "arguments": [
            *("--dir", str(tmp_path / "data"), "--port-base", str(port)),
            *("--aeron-dir", str(shm_dir / "driver")),
            *("-o", "aeron.cluster.log.channel=aeron:udp?term-length=1m"),
            # Longer than a test waits, so that a pause of a busy machine ends no component.
            *("-o", "aeron.client.liveness.timeout=600s"),
            *("-o", "aeron.publication.unblock.timeout=700s"),
            *("-o", "aeron.cluster.session.timeout=600s"),
            *("-o", "aeron.cluster.leader.heartbeat.timeout=25s"),
        ],
    }


def command(place, *arguments):
    return [sys.executable, "-m", "aeron_cluster.cli", "node", *place["arguments"], *arguments]


def environment():
    return {**os.environ, "PYTHONPATH": PYTHON_PATH}


@contextmanager
def started(place, *arguments, service="adder:Adder"):
    """Run a node until it serves; its output is in ``reported``."""
    process = subprocess.Popen(
        command(place, "--service", service, *arguments),
        stderr=subprocess.PIPE,
        text=True,
        cwd=place["folder"],
        env=environment(),
    )
    process.reported = []
    try:
        for line in process.stderr:
            process.reported.append(line)
            if "Ctrl-C ends it" in line:
                break
        assert process.reported, process.wait(TIMEOUT_S)
        assert "serving clients" in "".join(process.reported), process.reported
        yield process
    finally:
        process.kill()
        process.communicate()


def connected(place, driver, listener):
    return AeronCluster.connect(
        aeron_dir=driver.aeron_dir,
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0=localhost:{place['port'] + 1}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        listener=listener,
    )


def add(place, *numbers):
    """Send numbers; return the sums."""
    answers = Answers()
    deadline = time.monotonic() + TIMEOUT_S
    with (
        MediaDriver.launch(threading_mode="SHARED") as driver,
        connected(place, driver, answers) as cluster,
    ):
        for number in numbers:
            while not cluster.offer(b"%d" % number):
                assert time.monotonic() < deadline
                cluster.poll_egress()
        while len(answers.observed) < len(numbers):
            assert time.monotonic() < deadline, answers.observed
            cluster.poll_egress()
    return answers.observed


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_a_node_runs_a_users_service_on_any_number_of_threads(place, threads):
    with started(place, "--threads", threads) as process:
        assert add(place, 1, 2, 3) == [1, 3, 6]
        threads_of = len(list(Path(f"/proc/{process.pid}/task").iterdir()))
        assert threads_of >= {"one": 2, "two": 3, "each": 9}[threads]


def test_killed_node_continues_with_its_state_after_a_restart(place):
    total = 0
    killed = None
    for number in range(1, 4):
        with started(place) as process:
            reported = "".join(process.reported)
            for part in ("driver", "archive-mark.dat", "cluster-mark.dat"):
                taken_over = f"{part}: taken over from process {killed}, which has ended"
                assert (taken_over in reported) == (killed is not None)
            total += number
            assert add(place, number) == [total]
            process.kill()
            process.wait()
            killed = process.pid


def test_status_of_a_stopped_leader_is_printed_at_once(place):
    directory = place["folder"] / "data"
    with started(place) as process:
        os.kill(process.pid, signal.SIGSTOP)
        # Its driver, which is stopped too, would answer after 10 s or never.
        [problem] = read_status(ClusterDirectory(str(directory))).problems
        assert re.search("within 1 s, found no response of its driver|not queried", problem)

        def found():
            return read_status(ClusterDirectory(str(directory)), query_members=False)

        await_true(lambda: found().is_silent, "the silence of the stopped leader")
        done = CliRunner().invoke(main, ["status", str(directory)])
        assert re.search(r"0  was leader  silent for [2-9]\.\d s, election at 25 s", done.stdout)
        assert "silent for" in done.stdout.partition("problem")[2]
        os.kill(process.pid, signal.SIGCONT)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", ["one", "each"])
def test_a_native_service_reaches_the_state_of_the_one_in_python(
    place, tmp_path, threads, monkeypatch
):
    # On a terminal 10 s would be too long; here the machine may be busy.
    monkeypatch.setattr(order_client, "_ANSWER_TIMEOUT_NS", 120_000_000_000)
    library = build_service("order_matching", tmp_path / "native")
    client = OrderClient(SystemClock(), lambda: None)
    shadow = Shadow(lambda: None)
    for _ in range(2):
        with (
            started(place, "--threads", threads, service=f"{library}:order_matching") as process,
            MediaDriver.launch(threading_mode="SHARED") as driver,
            connected(place, driver, client) as cluster,
        ):
            client.cluster = cluster
            client.resume_after(client.state().last_order_id)
            client.measure(Measurement("", 64), 200_000_000)
            client.run(64, 100_000_000)
            process.kill()
            client.run(64, 50_000_000)
            session_id = cluster.cluster_session_id
        with (
            started(place, "--threads", threads, service=f"{library}:order_matching"),
            MediaDriver.launch(threading_mode="SHARED") as driver,
            connected(place, driver, client) as cluster,
        ):
            client.cluster = cluster
            assert difference(client.state(), shadow, client, session_id) is None


# Timeouts that a close could wait for: also longer than a test waits.
LONG_TIMEOUTS = (
    *("-o", "aeron.image.liveness.timeout=600s"),
    *("-o", "aeron.publication.linger.timeout=600s"),
    *("-o", "aeron.archive.message.timeout=600s"),
    *("-o", "aeron.archive.replay.linger.timeout=600s"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_node_in_order_and_it_restarts(place, number):
    for total in (5, 10):
        with started(place, *LONG_TIMEOUTS) as process:
            assert add(place, 5) == [total]
            process.send_signal(number)
            # The end waits for no timeout.
            _, reported = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 0, reported
            assert reported.rstrip().endswith("closed")


def toggle(place, request):
    """Send a request to the node as a tool does, by its counter in shared memory."""
    with CncFile.open(SystemFiles(), place["driver"] / "cnc.dat") as cnc:
        counters = cnc.counters_manager()
        (found,) = [each for each in counters.counters() if each.type_id == CONTROL_TOGGLE_TYPE]
        requested = AtomicCounter(counters, found.counter_id)
        assert requested.compare_and_set(ControlToggle.NEUTRAL, request)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_a_requested_shutdown_ends_with_a_snapshot(place, threads):
    with started(place, "--threads", threads) as process:
        assert add(place, 5) == [5]
        toggle(place, ControlToggle.SHUTDOWN)
        _, reported = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0, reported
        assert reported.rstrip().endswith("closed")
    # It starts from the snapshot, which is empty for this service.
    with started(place, "--threads", threads):
        assert add(place, 5) == [5]


BROKEN = """
from aeron_cluster.cluster.service.clustered_service import ClusteredService


class Broken(ClusteredService):
    def on_start(self, cluster, snapshot_image):
        raise ValueError("no table of prices")
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_service_failing_to_start_ends_the_node_with_the_cause(place, threads):
    (place["folder"] / "broken.py").write_text(BROKEN)
    done = run(place, "--service", "broken:Broken", "--threads", threads)
    assert done.returncode == 1, done.stderr
    assert "no table of prices" in done.stderr
    reported = " ".join(done.stderr.split())
    assert re.search(r"closed error: the node ended unexpectedly: .*failed to start", reported), (
        reported
    )


@pytest.mark.parametrize(
    ("raised", "code", "named"),
    [
        ("SystemExit(7)", 1, "on_start failed at log position 0, member 0, term -1"),
        ("KeyboardInterrupt", 130, "the node ended unexpectedly: KeyboardInterrupt"),
    ],
)
def test_service_ending_the_process_ends_the_node_by_name(place, raised, code, named):
    (place["folder"] / "broken.py").write_text(
        BROKEN.replace('ValueError("no table of prices")', raised)
    )
    done = run(place, "--service", "broken:Broken")
    assert done.returncode == code, done.stderr
    assert named in " ".join(done.stderr.split()), done.stderr


def test_raising_callback_ends_the_node_if_configured(place):
    with (
        started(place, "--on-callback-error", "terminate") as process,
        MediaDriver.launch(threading_mode="SHARED") as driver,
        connected(place, driver, Answers()) as cluster,
    ):
        session_id = cluster.cluster_session_id
        await_true(lambda: cluster.offer(b"no number"), "room")
        _, reported = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 1, reported
    assert "ValueError: invalid literal for int()" in reported
    assert "adder.py" in reported
    named = rf"on_session_message failed at log position \d+, session {session_id}"
    assert re.search(named, " ".join(reported.split())), reported


UNMADE = """
from aeron_cluster.cluster.service.clustered_service import ClusteredService


class Unmade(ClusteredService):
    def __init__(self):
        raise ValueError("no table of prices")
"""


def test_failed_construction_of_a_service_is_reported_in_one_line(place, shm_dir):
    (place["folder"] / "unmade.py").write_text(UNMADE)
    done = run(place, "--service", "unmade:Unmade")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    reported = done.stderr.replace("\n", "")
    assert "ValueError: no table of prices" in reported
    assert "unmade.py:7" in reported
    assert not (place["folder"] / "data").exists()
    assert not (shm_dir / "driver").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import nothing_such", "ModuleNotFoundError: No module named 'nothing_such'"),
        ("x = 1\nan error", "SyntaxError: invalid syntax"),
        ("raise OSError('no prices')", "OSError: no prices"),
    ],
)
def test_failed_import_of_a_module_is_reported_in_one_line(place, text, expected):
    (place["folder"] / "unmade.py").write_text(text)
    done = run(place, "--service", "unmade:Unmade")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    reported = done.stderr.replace("\n", "")
    assert expected in reported.replace("  ", " ")
    assert re.search(rf"unmade\.py:{len(text.splitlines())}\)", reported), reported


def test_default_driver_directory_is_removed_at_the_end(place):
    at = place["arguments"].index("--aeron-dir")
    del place["arguments"][at : at + 2]
    driver = Path(f"{default_aeron_dir()}-node-{place['port']}-0")
    with started(place) as process:
        assert driver.is_dir()
        process.send_signal(signal.SIGHUP)
        _, reported = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0, reported
    assert not driver.exists()


def test_node_reports_its_directory_and_when_it_serves_clients(place):
    with started(place) as process:
        reported = "".join(process.reported)
        assert f"process {process.pid}" in reported
        assert str(place["folder"] / "data") in reported
        assert re.search(r"\d\.\d\d s  leader in term 0, log at [\d,]+", reported)
        assert f"serving clients at localhost:{place['port'] + 1}" in reported


def run(place, *arguments):
    return subprocess.run(
        command(place, *arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
        cwd=place["folder"],
        env=environment(),
    )


def test_a_second_node_on_the_same_data_is_rejected(place, shm_dir, free_port):
    with started(place) as process:
        elsewhere = ("--aeron-dir", str(shm_dir / "other"), "--port-base", str(free_port(10)))
        done = run(place, "--service", "adder:Adder", *elsewhere)
        assert done.returncode == 3, done.stderr
        assert f"process {process.pid}" in done.stderr.replace("\n", " ")
        assert not (shm_dir / "other").exists()
        assert add(place, 7) == [7]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "--service"),
        (("--service", "adder:Ader"), "did you mean adder:Adder"),
        (
            ("--service", "adder:Adder", "--member-id", "1", "--members", "0,a:1,a:2,a:3,a:4,a:5"),
            "1",
        ),
        (("--service", "adder:Adder", "-o", "aeron.cluster.sesion.timeout=1s"), "session.timeout"),
        (("--service", "adder:Adder", "-o", "aeorn.cluster.log.channel=x"), "cluster.log.channel"),
        (("--service", "adder:Adder", "-o", "aeron.mtu.length=1400"), "nearest: 1408"),
        (("--service", "adder:Adder", "-o", "aeron.threading.mode=FAST"), "SHARED_NETWORK"),
        (("--service", "adder.py:Adder"), "did you mean adder:Adder"),
        (("--service", "adder:Adder", "--cpus", "all"), "0,2-3"),
        (("--service", "adder:Adder", "--cpus", "8191"), "expected some of ["),
        (("--service", "adder:Adder", "--threads", "three"), "each"),
        # No property is ignored silently.
        (("--service", "adder:Adder", "-o", "aeron.cluster.dir=elsewhere"), "found 'elsewhere'"),
    ],
)
def test_an_invalid_value_is_rejected_and_leaves_nothing(place, shm_dir, arguments, expected):
    done = run(place, *arguments)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr.replace("\n", "")
    assert not (place["folder"] / "data").exists()
    assert not (shm_dir / "driver").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_a_node_ends_with_a_failure_if_its_drivers_directory_is_removed(place, threads):
    with (
        started(place, "--threads", threads) as process,
        Aeron.connect(aeron_dir=place["driver"]) as aeron,
    ):
        shutil.rmtree(place["driver"])
        with pytest.raises(AeronClusterError):
            aeron.add_publication("aeron:ipc?term-length=64k", 10)
        _, reported = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 1, reported
        assert "error: the node ended unexpectedly" in reported
        assert "it was removed" in reported
