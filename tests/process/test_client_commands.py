"""``aeron-cluster send`` and ``shell`` on a running node: problems, notes and interruptions."""

import os
import re
import signal

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.client import shell
from aeron_cluster.cli.client.requester import open_requester
from aeron_cluster.cli.local.pinger import Pinger
from aeron_cluster.cli.main import main
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.errors import NotReconnectedError, RejectedRequestError
from aeron_cluster.memory.system.seams import SystemClock
from tests.waiting import await_true

PROPERTIES = {
    "aeron.cluster.log.channel": "aeron:udp?term-length=1m",
    # Longer than any pause of a busy machine.
    "aeron.client.liveness.timeout": "600s",
    "aeron.publication.unblock.timeout": "700s",
    "aeron.cluster.session.timeout": "600s",
}


class Echo(ClusteredService):
    """Sends each message back, with some exceptions; it knows no numbered requests."""

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, _timestamp, message, _header):
        match bytes(message):
            case b"silent":
                return
            case b"interrupt":
                os.kill(os.getpid(), signal.SIGINT)
                return
            case b"close":
                session.close()
                return
            case b"twice":
                self.send(session, b"once")
        self.send(session, bytes(message))

    def send(self, session, message):
        while session.offer(message) <= 0:
            self.cluster.idle()


class Numbered(Echo):
    """Answers numbered requests, and sends some messages beside its answers."""

    def on_start(self, cluster, snapshot_image):
        super().on_start(cluster, snapshot_image)
        self.requests = Deduplication(cluster)

    def on_session_message(self, session, timestamp, message, _header):
        self.session = session
        self.requests.handle(session, timestamp, message, self.apply)

    def apply(self, request):
        text = bytes(request.payload)
        if text == b"news":
            self.send(self.session, b"\xff of the day")
        if text == b"quiet":
            raise RejectedRequestError("never")
        if text == b"broken":
            raise KeyError("of the test")
        return text.upper()


def start(directory, port_base, service):
    members = local_member(0, "localhost", port_base)
    node = ClusterNode.launch(service, directory=directory, members=members, properties=PROPERTIES)
    return node, ("--to", members.ingress_endpoint, "--timeout", "60s")


@pytest.fixture(scope="module")
def echo(tmp_path_factory, free_port):
    node, options = start(tmp_path_factory.mktemp("echo"), free_port(10), Echo())
    with node:
        yield options


@pytest.fixture(scope="module")
def numbered(tmp_path_factory, free_port):
    node, options = start(tmp_path_factory.mktemp("numbered"), free_port(10), Numbered())
    with node:
        yield options


@pytest.fixture
def run():
    """Return a function that runs a command; signals have their handlers again after it."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}

    def run(*arguments, data=None):
        done = CliRunner().invoke(main, list(arguments), input=data)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    yield run
    for each, handler in before.items():
        signal.signal(each, handler)


# ---- raw messages ----


def test_interrupted_send_prints_the_answers_until_then(run, echo):
    done = run("send", "--raw", *echo, "a", "interrupt", "never")
    assert (done.exit_code, done.stdout) == (130, "a\n")
    assert re.search(r"^1 answers, 0 rejected, 0 failed; p50 [\d.]+ .s, .* max ", done.stderr, re.M)
    done = run("send", "--raw", *echo, "interrupt", "never")
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == "0 answers, 0 rejected, 0 failed"


@pytest.mark.parametrize("command", ["send", "shell"])
def test_message_that_no_request_waits_for_is_a_note(run, echo, command):
    texts = {"send": (["twice", "b"], None), "shell": ([], "twice\nb\n")}
    more, data = texts[command]
    done = run(command, "--raw", *echo, *more, data=data)
    assert (done.exit_code, done.stdout) == (0, "once\nb\n")
    assert "message: twice" in done.stderr.splitlines()


def test_message_that_arrives_later_is_a_note(echo):
    options = {"raw": True, "is_stopped": lambda: False, "options": {}}
    with open_requester(echo[1], 60 * 10**9, **options) as requester:
        assert requester.request(b"twice")[0] == b"once"
        await_true(lambda: requester.work() >= 0 and "message: twice" in requester.notes, "a note")


def test_closed_session_is_reported_with_its_reason(run, echo):
    done = run("send", "--raw", *echo, "a", "close", "b")
    assert (done.exit_code, done.stdout) == (1, "a\n")
    assert "session: CLOSED: SERVICE_ACTION" in done.stderr.splitlines()
    assert done.stderr.endswith(": the cluster closed the session\n")


def test_shell_ends_when_the_cluster_closes_its_session(run, echo):
    done = run("shell", "--raw", *echo, data="a\nclose\nb\n")
    assert (done.exit_code, done.stdout) == (1, "a\n")
    assert "session: CLOSED: SERVICE_ACTION" in done.stderr.splitlines()
    assert done.stderr.endswith(": the cluster closed the session\n")


# ---- numbered requests ----


def test_service_without_deduplication_is_reported_with_the_remedy(run, echo):
    done = run("send", *echo[:2], "--timeout", "1s", "b")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "does not use Deduplication; --raw sends unnumbered messages" in done.stderr


def test_cluster_not_reached_in_the_clients_own_time_is_reported(free_port):
    options = {"reconnect_timeout_ns": 200_000_000}
    given = {"raw": False, "is_stopped": lambda: False, "options": options}
    with pytest.raises(NotReconnectedError):
        open_requester(f"localhost:{free_port()}", 60 * 10**9, **given)


def test_message_beside_an_answer_is_a_note(run, numbered):
    done = run("send", *numbered, "news")
    assert (done.exit_code, done.stdout) == (0, "NEWS\n")
    assert "message: \\xff of the day" in done.stderr.splitlines()


def test_shell_rejects_digits_that_are_not_hexadecimal_and_continues(run, numbered):
    done = run("shell", *numbered, data=":hex zz\n:hex 6162\n")
    assert (done.exit_code, done.stdout) == (2, "4142\n")
    assert "not sent: non-hexadecimal number found" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_while_the_shell_connects_ends_it_with_130(run, monkeypatch, number):
    connect = shell.open_requester

    def signalled(*arguments, **options):
        signal.raise_signal(number)
        return connect(*arguments, **options)

    monkeypatch.setattr(shell, "open_requester", signalled)
    done = run("shell", "--to", "localhost:1")
    assert (done.exit_code, done.output) == (130, "")


@pytest.mark.parametrize(
    ("payload", "end"),
    [(b"fine", ", 1 answered"), (b"quiet", "; rejected: never"), (b"broken", "; failed: KeyError")],
)
def test_ping_shows_latency_and_the_outcome(numbered, payload, end):
    clock = SystemClock()
    with Pinger(numbered[1], payload, clock) as pinger:
        assert pinger.summary == "request: no answer yet"

        def is_answered():
            pinger.work()
            return "answered" in pinger.summary

        await_true(is_answered, "an answer")
        times = r"request: [\d.]+ .s, median [\d.]+ .s, longest [\d.]+ .s, \d+ answered"
        assert re.fullmatch(rf"{times}({re.escape(end)})?", pinger.summary)
        assert pinger.summary.endswith(end) or payload == b"fine"


def test_failure_of_a_ping_stays_and_sends_nothing_more(numbered):
    with Pinger(numbered[1], b"x" * (64 << 20), SystemClock()) as pinger:

        def has_failed():
            pinger.work()
            return pinger.summary != "request: no answer yet"

        await_true(has_failed, "a failure")
        failed = pinger.summary
        assert re.match(rf"request: .*\b{64 << 20}\b", failed)  # the length
        pinger.work()
        assert pinger.summary == failed
