"""The shell's Ctrl-C: it clears the line that is typed, or stops the wait for an answer."""

import re
import signal
from collections import deque
from types import SimpleNamespace

import pytest

from aeron_cluster.cli.client import requester as requester_module
from aeron_cluster.cli.client import shell as module
from aeron_cluster.errors import ClosedError, TimeoutExpiredError


class Requester:
    """Has no answer, and waits as the real one does: until it is stopped."""

    leader_member_id = 0

    def __init__(self, wait):
        self.notes = deque()
        self.requests = []
        self._wait = wait

    def request(self, payload):
        self.requests.append(payload)
        if payload == b"unanswered":
            raise TimeoutExpiredError("request 1: no answer within 10 s")
        assert self._wait.is_stopped, "would wait until the timeout"
        raise KeyboardInterrupt

    def work(self):
        return 0


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a shell with functions in place of what is typed; return its requests and output."""

    def run(*typed):
        lines = iter(typed)
        wait = module._Wait()
        requester = Requester(wait)
        shell = module._Shell(requester, wait, is_terminal=False)

        def read(_):
            for line in lines:
                return line(shell)
            raise EOFError

        monkeypatch.setattr("builtins.input", read)
        code = shell.run()
        return SimpleNamespace(
            requests=requester.requests, code=code, **capsys.readouterr()._asdict()
        )

    return run


def press(shell):
    shell._on_interrupt(signal.SIGINT, None)


def test_ctrl_c_clears_the_line_that_is_typed(run):
    def interrupted(shell):
        press(shell)
        return "never reached"

    done = run(interrupted, lambda _: ":help")
    assert done.requests == []
    assert done.out.startswith("^C\n")
    assert "stopped waiting" not in done.err


def test_ctrl_c_just_after_enter_stops_the_wait(run, monkeypatch):
    # After the line was read, and before its request is sent.
    handle = module._Shell._handle
    monkeypatch.setattr(
        module._Shell, "_handle", lambda self, line: press(self) or handle(self, line)
    )
    done = run(lambda _: "buy")
    assert done.requests == [b"buy"]
    assert "stopped waiting; it may have been applied" in done.err


def test_ctrl_c_while_the_client_works_clears_the_line_after_it(run, monkeypatch):
    def interrupted(shell):
        monkeypatch.setattr(shell._requester, "work", lambda: press(shell))
        shell._on_alarm(signal.SIGALRM, None)
        return "never reached"

    done = run(interrupted)
    assert done.requests == []
    assert done.out == "^C\n"


def test_ctrl_c_pressed_again_while_the_line_is_cleared_does_not_end_the_shell(run, monkeypatch):
    shells = []

    def interrupted(shell):
        shells.append(shell)
        press(shell)

    echo = module.click.echo
    monkeypatch.setattr(module.click, "echo", lambda *a, **k: (press(shells[0]), echo(*a, **k)))
    done = run(interrupted)
    assert done.requests == []
    assert done.out == "^C\n"


def test_request_without_an_answer_ends_a_script_with_3_and_the_next_line_is_read(run):
    done = run(lambda _: "unanswered", lambda _: ":leader")
    assert done.code == 3
    assert "request 1: no answer within 10 s" in done.err
    assert done.out == "member 0 leads\n"


def test_failure_of_the_client_between_lines_is_shown_once_and_ends_the_shell(
    run, monkeypatch, capsys
):
    calls = []

    def typed(shell):
        def work():
            calls.append(True)
            raise ClosedError("the session is over")

        monkeypatch.setattr(shell._requester, "work", work)
        for _ in range(3):
            shell._on_alarm(signal.SIGALRM, None)
        return "never sent"

    with pytest.raises(ClosedError):
        run(typed)
    assert len(calls) == 1
    assert capsys.readouterr().err == "the session is over; press Enter to quit\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_shell_and_the_handlers_are_those_of_before(run, number):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended:
        run(lambda _: signal.raise_signal(number))
    assert ended.value.code == 130
    assert signal.getsignal(number) is before


class Scripted(requester_module.Requester):
    """Follows the leaders that a test names."""

    leaders = ()

    def _connect(self, endpoints, options):
        pass

    def _send_request(self, payload):
        return payload

    def _work(self):
        return 0

    def _current_leader(self):
        return self.leaders.pop(0)


def test_each_change_of_the_leader_is_a_note():
    requester = Scripted("a:1", 10**9, lambda: False, {})
    requester.leaders = [-1, 0, 0, 2, -1, -1, 1]
    found = []
    while requester.leaders:
        requester.work()
        found.append(list(requester.notes))
        requester.notes.clear()
    (first,), (next_leader,), (lost,), (last,) = (each for each in found if each)
    assert re.fullmatch(r"member 0 leads, after 0\.\d\d s", first)
    assert next_leader == "member 2 leads now"
    assert lost == "member 2, the leader, was lost"
    assert re.fullmatch(r"member 1 leads, after 0\.\d\d s", last)
    assert requester.leader_member_id == 1
