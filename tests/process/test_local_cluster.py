"""A local cluster on a terminal: its screen, its keys and the command line's clients.

The tests of this file share one cluster of three, in their order; each leaves three running
members. The last tests have clusters of one member, which they end.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.config import default_aeron_dir
from tests.conftest import PYTHON_PATH, ROOT
from tests.pages import block_of, shape
from tests.terminal import Terminal
from tests.waiting import await_true

SERVICE = """
from pathlib import Path

from aeron_cluster import ClusteredService, Deduplication
from aeron_cluster.errors import RejectedRequestError


class Shout(ClusteredService):
    def on_start(self, cluster, snapshot_image):
        print("shouting", flush=True)
        self.requests = Deduplication(cluster)
        if snapshot_image is not None:
            self.requests.load_all(snapshot_image)

    def on_session_message(self, session, timestamp, message, header):
        if not self.requests.is_request(message):
            session.offer(b"plain " + bytes(message))
        self.requests.handle(session, timestamp, message, self.shout)

    def shout(self, request):
        if request.payload == b"quiet":
            raise RejectedRequestError("never")
        if request.payload == b"broken":
            raise KeyError("not sent: it may differ between members")
        if request.payload == b"hold":
            Path("hold").read_bytes()  # a pipe: until the test has opened and closed it
        return request.payload.upper()

    def on_take_snapshot(self, snapshot_publication):
        self.requests.write_snapshot(snapshot_publication)
"""


SHELL = block_of("docs/local.md", "cluster> hello").text


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The directory with the service, the port reservations and the shell's home."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "shout.py").write_text(SERVICE)
    return folder


def options(port_base, *arguments):
    ports = ("--port-base", str(port_base))
    # Longer than any pause of a busy machine.
    timeouts = ("-o", "aeron.cluster.session.timeout=60s")
    timeouts += ("-o", "aeron.cluster.leader.heartbeat.timeout=3s")
    return ("local", *arguments, "--service", "shout:Shout", *ports, *timeouts)


@pytest.fixture(scope="module")
def cluster(place, free_port):
    port_base = free_port(30)
    arguments = options(port_base, "3", "--failover", "fast", "--ping", "ping")
    arguments += ("-o", "aeron.event.cluster.log=all")
    arguments += ("-o", f"aeron.event.log.filename={place / 'events.txt'}")
    with Terminal(*arguments, "--dir", "data", cwd=place, TMPDIR=str(place)) as terminal:
        terminal.endpoints = f"localhost:{port_base + 1}"
        terminal.await_screen(r"^\d leader ")
        yield terminal
        terminal.press("q")
        assert terminal.await_end() == 0, terminal.text[-4000:]
        assert termios.tcgetattr(terminal.slave) == terminal.mode
        assert not list(Path(default_aeron_dir()).parent.glob(f"*-local-{port_base}-*"))


def pid_alone(terminal):
    """Return the process id of a cluster's only member."""
    return int(terminal.await_screen(r"^  active, process (\d+), ")[1])


def leader_of(cluster):
    return cluster.await_screen(r"^(\d) leader ")[1]


def await_whole(cluster):
    """Wait until the screen shows a leader whose election is over, and two followers."""
    cluster.await_screen(
        r"(?s)\A(?=.*^\d leader [^\n]*\n  active)(?=.*^\d follower .*^\d follower )"
    )


def invoke(cluster, monkeypatch, *arguments, data=None):
    """Run a command in this process; it finds the cluster as a separate process would."""
    monkeypatch.setattr("tempfile.tempdir", str(cluster_dir(cluster)))
    done = CliRunner().invoke(main, list(arguments), input=data)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def cluster_dir(cluster):
    return Path(f"/proc/{cluster.process.pid}/cwd").resolve()


# ---- the cluster of three ----


def test_the_screen_shows_the_members_in_80_columns(cluster):
    await_whole(cluster)
    cluster.await_screen(r"request: .*\b[1-9]\d* answered")
    cluster.await_screen(r"(?s)(active, process \d+, disk \d+\.\d \w+, elections \d.*){3}")
    screen = cluster.screen
    assert all(len(line.rstrip()) <= 80 for line in screen), screen
    assert len(screen) <= 24
    text = "\n".join(screen)
    assert cluster.endpoints in text
    for head in ("role", "term", "committed", "appended", "behind", "log/s", "sessions"):
        assert f" {head} " in text
    assert " k  kill" in screen[-1]
    # The page shows such a screen.
    shown = block_of("docs/local.md", "shout:Shout: 3 members").text.splitlines()
    begins = ("shout:Shout", "clients:", "  role", "request:", "-- log of", " k  kill")
    fixed = [line for line in shown if line.startswith(begins)]
    assert len(fixed) == len(begins)
    assert {shape(line) for line in fixed} <= {shape(line) for line in screen}


def test_send_finds_the_cluster_and_prints_answers(cluster, monkeypatch, tmp_path):
    done = invoke(cluster, monkeypatch, "send", "hello", "world")
    assert (done.exit_code, done.stdout) == (0, "HELLO\nWORLD\n")
    assert re.search(r"member \d leads, after \d", done.stderr)
    (tmp_path / "request").write_bytes(b"from a file")
    done = invoke(
        cluster, monkeypatch, "send", "--file", str(tmp_path / "request"), "--hex", "6162"
    )
    assert (done.exit_code, done.stdout) == (0, "4142\n46524f4d20412046494c45\n")
    done = invoke(cluster, monkeypatch, "send", "--count", "20", "again", "--to", cluster.endpoints)
    assert (done.exit_code, done.stdout) == (0, "AGAIN\n" * 20)
    assert re.search(r"20 answers, 0 rejected, 0 failed; p50 [\d.]+ .s, .* max", done.stderr)


def test_send_ends_with_1_for_a_rejection_and_sends_the_rest(cluster, monkeypatch):
    done = invoke(cluster, monkeypatch, "send", "--json", "quiet", "broken", "loud")
    rejected, failed, answered = map(json.loads, done.stdout.splitlines())
    assert done.exit_code == 1
    assert rejected == {"rejected": "never"}
    assert failed == {"failed": "KeyError"}
    assert answered["answer"] == "LOUD"
    assert answered["leader"] in range(3)
    assert answered["duration_ns"] > 0


def test_raw_messages_reach_the_service_as_they_are(cluster, monkeypatch):
    done = invoke(cluster, monkeypatch, "send", "--raw", "as it is")
    assert (done.exit_code, done.stdout) == (0, "plain as it is\n")


def test_a_killed_leader_is_replaced_and_the_shell_reports_it(cluster, place):
    await_whole(cluster)
    with Terminal("shell", cwd=place, TMPDIR=str(place), HOME=str(place)) as shell:
        leader = shell.await_text(r"member (\d) leads; :help")[1]
        shell.press("hello\n")
        shell.await_text(r"^HELLO  [\d.]+ .s$")
        shell.press(":hex 6162\n")
        shell.await_text(r"^4142 ")
        shell.press("unfinished")
        cluster.press("k")
        cluster.await_screen(r"^kill \(SIGKILL\) which member\? 0 to 2; Esc: none")
        cluster.press(leader)
        cluster.await_screen(rf"{leader}  ended by SIGKILL; r {leader} restarts it")
        # Reported although nothing was sent; the typed text stays.
        new = rf"member (?!{leader})(\d) leads(?: now|, after \d+\.\d\d s)\n.*unfinished$"
        follower = shell.await_text(new)[1]
        shell.press(" business\n")
        shell.await_text(r"^UNFINISHED BUSINESS ")
        shell.press("again\n")
        shell.await_text(r"^AGAIN  [\d.]+ .s$")
        printed = {shape(line) for line in shell.text.splitlines()}
        answers = [each for each in SHELL.splitlines() if not each.startswith("cluster> ")]
        assert {shape(each) for each in answers if "leads" not in each} <= printed
        shell.press(":leader\n")
        shell.await_text(rf"^member {follower} leads$")
        shell.press(":nothing\nquiet\n:quit\n")
        assert shell.await_end() == 0, shell.text
        assert "no command :nothing" in shell.text
        assert "rejected: never" in shell.text
        assert termios.tcgetattr(shell.slave) == shell.mode
    assert "unfinished business" in (place / ".aeron_cluster_history").read_text()
    cluster.press(f"r{leader}")
    cluster.await_screen(rf"^{leader} follower ")


def test_a_shell_answers_a_pipe(cluster, monkeypatch):
    done = invoke(cluster, monkeypatch, "shell", data="one\n\nquiet\nbroken\n::two\n")
    assert (done.exit_code, done.stdout) == (1, "ONE\n:TWO\n")
    assert "rejected: never" in done.stderr
    assert "failed: KeyError" in done.stderr


def test_isolated_member_is_lost_to_the_others_and_returns(cluster):
    await_whole(cluster)
    leader = leader_of(cluster)
    cluster.press(f"c{leader}")
    cluster.await_screen(rf"^{leader} was leader ")
    cluster.await_screen(rf"^(?!{leader})\d leader ")
    cluster.press(f"c{leader}")
    cluster.await_screen(rf"^{leader} follower ")


def test_keys_take_a_snapshot_stop_a_member_and_choose_a_log(cluster):
    await_whole(cluster)
    cluster.press("n")
    cluster.await_screen(r"member \d: SNAPSHOT done")
    follower = cluster.await_screen(r"^(\d) follower ")[1]
    cluster.press(f"s{follower}")
    cluster.await_screen(rf"^{follower} -  .*\n  down")
    cluster.press(f"l{follower}")
    cluster.await_screen(rf"-- log of member {follower} -")
    cluster.await_screen(rf" {follower}  ended with 0; r {follower} restarts it")
    assert "SNAPSHOT done" not in "\n".join(cluster.screen)
    # An arrow key, a number of no member, and Esc have no effect.
    cluster.press("\x1b[Ak9s\x1b")
    cluster.press(f"r{follower}la")
    cluster.await_screen("-- log of all members -")
    cluster.await_screen(rf"^{follower} follower ")
    cluster.await_text("shouting")


def test_another_process_reads_the_events_of_a_member_live(cluster, place):
    """All that upstream's agent logs of a settled member, an election and a snapshot."""
    await_whole(cluster)
    leader = leader_of(cluster)
    expected = {
        "APPEND_POSITION",
        "APPEND_SESSION_OPEN",
        "CANVASS_POSITION",
        "CLUSTER_SESSION_STATE_CHANGE",
        "COMMIT_POSITION",
        "ELECTION_STATE_CHANGE",
        "NEW_ELECTION",
        "NEW_LEADERSHIP_TERM",
        "REPLAY_NEW_LEADERSHIP_TERM",
        "REQUEST_VOTE",
        "ROLE_CHANGE",
        "SERVICE_ACK",
        "STATE_CHANGE",
        "VOTE",
    }
    written = place / "events.txt"

    def logged():
        # Without the last line, which may be incomplete.
        lines = written.read_text().split("\n")[:-1]
        return {line.split()[2] for line in lines if "] CLUSTER: " in line}

    await_true(lambda: expected <= logged(), f"lines of all events: {expected}")
    assert "enabled loggers: {CLUSTER: version=" in written.read_text()
    paths = sorted((place / "data").glob("**/cluster-events.dat"))
    assert len(paths) == 3
    command = [sys.executable, "-m", "aeron_cluster.cli", "events", paths[int(leader)].parent]
    with subprocess.Popen(
        [*command, "--follow"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            now_s = time.monotonic()
            cluster.press("n")
            snapshot = (
                rf" STATE_CHANGE \[\d+/\d+\]: memberId={leader} ACTIVE -> SNAPSHOT"
                r' reason="ClusterControl\.SNAPSHOT"$'
            )
            assert any(
                re.search(snapshot, line) and float(line[1 : line.index("]")]) > now_s
                for line in process.stdout
            )
        finally:
            process.terminate()


def test_failed_member_is_restarted(cluster):
    await_whole(cluster)
    number, pid = cluster.await_screen(r"^(\d) follower .*\n.*process (\d+)").groups()
    os.kill(int(pid), signal.SIGKILL)
    cluster.await_screen(rf" {number}  ended by SIGKILL; restarted in 0\.5 s")
    cluster.await_screen(rf"^{number} follower .*\n.*process (?!{pid})\d+")


def test_second_cluster_on_its_ports_or_directory_is_rejected(cluster, place, monkeypatch):
    port = cluster.endpoints.rpartition(":")[2]
    done = invoke(cluster, monkeypatch, *options(int(port) - 1, "1"))
    assert done.exit_code == 3
    assert re.search(rf"localhost:{port[:-1]}\d/udp \(.+\) is in use", done.stderr)
    done = invoke(
        cluster, monkeypatch, "local", "5", "--service", "a:B", "--dir", str(place / "data")
    )
    assert done.exit_code == 2
    assert f"one of 3 in {place}/data: aeron-cluster local 3, or another --dir" in done.stderr
    done = invoke(
        cluster, monkeypatch, "local", "3", "--service", "shout:Shout", "--dir", str(place)
    )
    assert done.exit_code == 2
    assert "expected a new or empty directory" in done.stderr
    await_whole(cluster)


# ---- clusters of one ----


@contextlib.contextmanager
def alone(place, free_port, tmp_path, *more):
    """Run a cluster of one member on a terminal."""
    arguments = options(free_port(10), "1", *more)
    with Terminal(*arguments, cwd=place, TMPDIR=str(tmp_path)) as terminal:
        terminal.await_screen(r"^0 leader ")
        yield terminal


def is_running(pid):
    with contextlib.suppress(OSError):
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    return False


def test_killed_supervisor_leaves_no_member_not_even_a_paused_one(place, free_port, tmp_path):
    with alone(place, free_port, tmp_path) as terminal:
        pid = pid_alone(terminal)
        terminal.press("c0")
        terminal.await_screen("cut off .paused by SIGSTOP")
        terminal.process.kill()
        await_true(lambda: not is_running(pid), "the end of the member")


def test_lost_terminal_ends_everything(place, free_port, tmp_path):
    with alone(place, free_port, tmp_path) as terminal:
        pid = pid_alone(terminal)
        terminal.hang_up()
        assert terminal.await_end() == 0
        assert not is_running(pid)
    assert not list(tmp_path.glob("aeron-cluster-local-*"))


def test_ctrl_c_cancels_a_wait_for_an_answer_and_the_shell_continues(place, free_port, tmp_path):
    home = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    os.mkfifo(place / "hold")
    with (
        alone(place, free_port, tmp_path),
        Terminal("shell", "--timeout", "60s", cwd=place, **home) as shell,
    ):
        shell.await_text("member 0 leads; :help")
        shell.press("hold\n")
        with await_reader(place / "hold"):  # so the shell has sent the request, and waits
            # Not by a key: on Ctrl-C a terminal drops concurrent output.
            shell.process.send_signal(signal.SIGINT)
            shell.await_text("^stopped waiting; it may have been applied$")
        shell.press("found\n")
        shell.await_text(r"^FOUND .*\ncluster> $")
        shell.press("half a line")
        shell.await_text("^cluster> half a line$")
        shell.process.send_signal(signal.SIGINT)
        shell.await_text(r"\^C\ncluster> $")
        shell.press("\x04")
        assert shell.await_end() == 0


def await_reader(pipe):
    """Wait until another process opens a named pipe, and return its other end."""
    opened = []

    def is_read():
        with contextlib.suppress(OSError):  # ENXIO: no reader yet
            opened.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return opened

    await_true(is_read, f"a reader of {pipe}")
    return os.fdopen(opened[0], "wb")


def test_stopped_members_restart_by_a_key_and_ctrl_c_ends_the_cluster(place, free_port, tmp_path):
    with alone(place, free_port, tmp_path) as terminal:
        terminal.press("k0")
        terminal.await_screen(r"^0 -  .*\n  down")
        terminal.press("r0")
        terminal.await_screen(r"^0 leader ")
        pid = pid_alone(terminal)
        terminal.press("nn")  # one at a time, and closed with the cluster
        terminal.await_screen("snapshot requested")
        assert "\n".join(terminal.screen).count("snapshot requested") == 1
        terminal.press("\x03")
        assert terminal.await_end() == 0, terminal.text[-4000:]
        assert termios.tcgetattr(terminal.slave) == terminal.mode
        assert not is_running(pid)
    assert not list(tmp_path.glob("aeron-cluster-local-*"))


def test_failed_member_that_is_not_restarted_is_reported_and_ends_with_1(
    place, free_port, tmp_path
):
    with alone(place, free_port, tmp_path, "--restart", "never") as terminal:
        pid = pid_alone(terminal)
        os.kill(pid, signal.SIGKILL)
        terminal.await_screen(r"^0 -  .*\n  failed")
        terminal.press("n")
        terminal.await_screen("no snapshot: no member leads")
        shown = len(terminal.text)
        terminal.press("q")
        assert terminal.await_end() == 1, terminal.text[-4000:]
    left = terminal.text[shown:]
    assert re.search(r" s  0  ended by SIGKILL\n", left), left
    assert "no snapshot: no member leads\n" in left
    assert re.search(r"\nclosed; data in \S+/aeron-cluster-local-", left), left


def run_plain(place, tmp_path, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH, "TMPDIR": str(tmp_path)},
    )


def test_without_a_terminal_lines_are_printed_and_a_signal_ends_the_cluster(
    place, free_port, tmp_path
):
    with run_plain(place, tmp_path, *options(free_port(10), "1", "--dir", "alone")) as run:
        lines = []
        for line in run.stdout:
            lines.append(line)
            if "serving clients" in line:
                break
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert "\x1b" not in "".join(lines) + out
    assert err == f"closed; data in {place}/alone\n"
    assert re.match(r" +\d+\.\d\d s  \*  shout:Shout: 1 member, failover default\n", lines[0])
    (pid,) = re.findall(r"0  process (\d+) started", "".join(lines))
    assert not is_running(int(pid))


@pytest.mark.parametrize(
    ("service", "option", "code", "reason"),
    [
        ("shout:Shuot", (), 2, "did you mean shout:Shout?"),
        ("shout:Shout", ("--idle", "much"), 2, "'much' is not one of"),
    ],
)
def test_failed_start_of_members_is_reported_once(
    place, free_port, tmp_path, service, option, code, reason
):
    arguments = ("local", "2", "--service", service, "--port-base", str(free_port(20)))
    with run_plain(place, tmp_path, *arguments, "--", *option) as run:
        _, err = run.communicate(timeout=60)
    assert run.returncode == code
    assert reason in err
    assert err.count("error: ") == 1
    assert "Traceback" not in err


def test_without_a_cluster_the_remedy_is_named(tmp_path, monkeypatch, free_port):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = CliRunner().invoke(main, ["send", "hello"])
    assert done.exit_code == 3
    assert "aeron-cluster local 3 --service" in done.stderr
    assert CliRunner().invoke(main, ["send"]).exit_code == 2
    assert CliRunner().invoke(main, ["send", "--hex", "abc"]).exit_code == 2
    nowhere = ("--to", f"localhost:{free_port()}", "--timeout", "300ms")
    done = CliRunner().invoke(main, ["send", "hello", *nowhere])
    assert done.exit_code == 3
    assert "no member answered within 0.3 s" in done.stderr


def test_a_port_of_another_program_is_named(place, free_port, tmp_path):
    base = free_port(10)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", base + 5))
        with run_plain(place, tmp_path, *options(base, "1")) as run:
            _, err = run.communicate(timeout=60)
    assert run.returncode == 3
    assert f"error: localhost:{base + 5}/udp (" in err
    assert "--port-base" in err
