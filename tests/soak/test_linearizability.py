"""The checker of histories: it accepts right ones, and reports each kind of violation."""

import os
import random

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.reference import (
    Operation,
    ReferenceState,
    Request,
    Verb,
)
from tests.soak import porcupine
from tests.soak.histories import write_history
from tests.soak.load import UniqueLoad

MS = 1_000_000
CLIENTS = 3


@pytest.fixture(scope="module", autouse=True)
def checker():
    try:
        return porcupine.program()
    except porcupine.NoCheckerError as error:
        leave_out(error)


def leave_out(error):
    """Skip the tests without a checker; in CI fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true and there is no checker: {error}", pytrace=False)
    pytest.skip(f"no checker: {error}")


@pytest.fixture
def check(tmp_path):
    def check(*clients):
        paths = [tmp_path / f"client-{number}.history" for number in range(len(clients))]
        for path, operations in zip(paths, clients, strict=True):
            write_history(path, operations)
        return porcupine.check(paths, tmp_path / "picture.html")

    return check


def register(*steps, client=0):
    """Return operations one after the other, of (verb, first, second, answer), 10 ms apart."""
    return [
        Operation(Request(client, number, verb, first, second), 10 * number * MS, begin, answer, 1)
        for number, (verb, first, second, answer) in enumerate(steps)
        for begin in (10 * number * MS + 5 * MS,)
    ]


def drawn(seed, count, lost=0.05):
    """Return histories as of a service that applies each request between its sending and its
    answer, and of which some have no answer and were applied or not.
    """
    source = random.Random(seed)
    loads = [UniqueLoad(number, SeededRandom(seed + number)) for number in range(CLIENTS)]
    state = ReferenceState()
    waiting = []
    now_ns = 0
    for _ in range(count):
        now_ns += source.randrange(1, 5 * MS)
        load = source.choice(loads)
        message = load.next_request(now_ns)
        if message is not None:
            load.on_sent(message, now_ns)
            waiting.append((load, Request.decode(message)))
        while waiting and (len(waiting) > 12 or source.random() < 0.5):
            load, request = waiting.pop(source.randrange(len(waiting)))
            rng = source.random()
            if rng < lost / 2:
                continue  # the request was lost
            answer = state.apply(request)
            if rng < lost:
                continue  # the answer was lost
            now_ns += 1
            message = request.client.to_bytes(4, "little") + request.number.to_bytes(4, "little")
            load.on_response(message + answer.to_bytes(8, "little", signed=True), now_ns)
    return [load.operations for load in loads]


def of_verb(operations, verbs):
    return [each for each in operations if each.request.verb in verbs and each.answered_ns >= 0]


def test_a_right_history_passes(check):
    for seed in range(5):
        assert "linearizable: " in check(*drawn(seed, 3000))


def test_unanswered_requests_were_applied_or_not(check):
    write = Operation(Request(1, 0, Verb.WRITE, 7), 1)
    compare = Operation(Request(1, 1, Verb.COMPARE_AND_SET, 7, 8), 2)
    for seen in (0, 7, 8):
        check(register((Verb.READ, 0, 0, seen)), [write, compare])
    # Only the comparison shows that the register was not 0 in between.
    fails = register((Verb.READ, 0, 0, 0), (Verb.COMPARE_AND_SET, 0, 9, 0))
    check(fails, [write])
    with pytest.raises(InvariantError, match="the register is not linearizable"):
        check(fails)


def test_a_lost_acknowledged_write_is_reported(check):
    history = register((Verb.WRITE, 7, 0, 0), (Verb.READ, 0, 0, 0))
    with pytest.raises(InvariantError, match=r"(?s)write 7.*leaves 7.*read; .*answer 0"):
        check(history)


def test_a_stale_read_is_reported(check, tmp_path):
    steps = (Verb.WRITE, 7, 0, 0), (Verb.WRITE, 8, 0, 7), (Verb.READ, 0, 0, 7)
    with pytest.raises(InvariantError, match=r"(?s)leaves 8.*read; .*answer 7"):
        check(register(*steps))
    assert "Porcupine" in (tmp_path / "picture.html").read_text()


def test_a_stale_read_in_a_long_history_is_reported(check):
    clients = drawn(11, 4000)
    reads = of_verb(clients[0], {Verb.READ})
    reads[-1].answer = reads[len(reads) // 2].answer
    with pytest.raises(InvariantError, match="the register is not linearizable"):
        check(*clients)


def test_an_answer_given_twice_is_reported(check):
    history = register((Verb.WRITE, 7, 0, 0))
    history[0].answer_count = 2
    with pytest.raises(InvariantError, match="answered 2 times: client 0, request 0: write 7"):
        check(history)


def test_a_request_applied_twice_is_reported(check):
    # The second application hides the write between both.
    steps = (Verb.WRITE, 7, 0, 0), (Verb.WRITE, 8, 0, 7), (Verb.WRITE, 9, 0, 7)
    with pytest.raises(InvariantError, match="the register is not linearizable"):
        check(register(*steps))


def test_a_number_given_twice_or_skipped_is_reported(check):
    for numbers in ((1, 1), (1, 3), (2, 1)):
        with pytest.raises(InvariantError, match="the sequencer is not linearizable"):
            check(register(*((Verb.NEXT, 0, 0, number) for number in numbers)))
    skipped = register((Verb.NEXT, 0, 0, 1), (Verb.NEXT, 0, 0, 3))
    check(skipped, [Operation(Request(1, 0, Verb.NEXT), 1)])
    with pytest.raises(InvariantError, match="the sequencer is not linearizable"):
        check(skipped, [Operation(Request(1, 0, Verb.NEXT), 100 * MS)])


def test_many_unanswered_requests_do_not_delay_the_check(check):
    assert "linearizable: " in check(*drawn(5, 6000, lost=0.4))


def test_a_checker_that_does_not_compile_is_an_error_and_no_missing_tool(tmp_path, monkeypatch):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "go.mod").write_text("module example.com/broken\n\ngo 1.19\n")
    (sources / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")
    monkeypatch.setattr(porcupine, "SOURCES", sources)
    with pytest.raises(RuntimeError, match="undefined"):
        porcupine.program(tmp_path / "build")


def test_no_checker_fails_in_ci_and_is_named_elsewhere(monkeypatch):
    error = porcupine.NoCheckerError("no go on the path")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="CI=true and there is no checker: no go"):
        leave_out(error)
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no checker: no go"):
        leave_out(error)


def test_a_module_that_cannot_be_fetched_is_a_missing_tool(tmp_path, monkeypatch):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "go.mod").write_text(
        "module example.com/alone\n\ngo 1.19\n\nrequire example.com/missing v1.0.0\n"
    )
    (sources / "main.go").write_text("package main\n\nfunc main() {}\n")
    monkeypatch.setattr(porcupine, "SOURCES", sources)
    monkeypatch.setenv("GOPROXY", "off")
    with pytest.raises(porcupine.NoCheckerError, match="go mod download"):
        porcupine.program(tmp_path / "build")
