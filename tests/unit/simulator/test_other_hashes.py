"""Replays in a process with other string hashes: each difference is named with its place."""

import io
import pickle
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.service_snapshot import snapshot_messages
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import CallbackPlace, ServiceInvariantError, StateError
from aeron_cluster.simulator.checks.replays import first_difference, state_of
from aeron_cluster.simulator.members.journal import Entry, Journal
from aeron_cluster.simulator.trials import other_hashes
from aeron_cluster.simulator.trials.other_hashes import OtherHashes
from aeron_cluster.simulator.world.memory_files import MemoryFiles

END = CallbackPlace("Orders", "on_take_snapshot", 640, 2)


class Orders(ClusteredService):
    def on_timer_event(self, correlation_id, timestamp):
        pass


def effect(position, payload=b"answer", name="offer_to_session", path="", line=0):
    return other_hashes._Effect(position, name, 7, 0, payload, path, line)


def run_of(*effects, snapshot=(b"state",)):
    return other_hashes._Run(effects, tuple(snapshot))


class Process:
    """Another process, whose answer is given; it records what was sent to it."""

    def __init__(self, answer):
        self.stdin, self.stdout = io.BytesIO(), io.BytesIO(pickle.dumps(answer))
        self.is_over = False

    def communicate(self):
        self.is_over = True


@pytest.fixture
def compare(monkeypatch):
    """Return a function that compares a run with that of another process."""

    def compare_runs(own, other, service=Orders):
        process = Process(other)
        monkeypatch.setattr(other_hashes.subprocess, "Popen", lambda *_, **__: process)
        monkeypatch.setattr(other_hashes, "_run", lambda _: own)
        journal = Journal(0)
        journal.add(0, Entry(64, "message", 7, 0, b"request"), "member 2")
        journal.add(1, Entry(128, "timer", 5, 0, b""), "member 2")
        replay = SimpleNamespace(
            cluster=SimpleNamespace(latest_services={0: Orders()}),
            member=SimpleNamespace(member_id=2),
            source=SimpleNamespace(
                files=MemoryFiles(directories=["/data/cluster", "/data/archive/lost"])
            ),
            service_id=0,
            until=640,
            journal=journal,
            place_of_snapshot=END,
        )
        with OtherHashes() as hashes:
            hashes.start()
            hashes.compare(replay, service)
        assert process.is_over
        return hashes.compared

    return compare_runs


RUN = run_of(effect(64), effect(128))


def test_equal_runs_pass_and_are_counted(compare):
    assert compare(RUN, RUN) == 1
    # The line that made an effect is no part of it.
    assert compare(RUN, run_of(effect(64, line=9), effect(128))) == 1


def test_a_service_that_another_process_cannot_import_is_not_compared(compare):
    assert compare(RUN, None) == 0
    assert compare(RUN, run_of(), service=lambda: Orders()) == 0  # noqa: PLW0108
    assert not OtherHashes.can_run(type("Local", (Orders,), {"__module__": "__main__"}))


LONG = bytes(range(65, 100))


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        (
            run_of(effect(64), effect(128, b"a", path="/o/orders.py", line=9)),
            run_of(effect(64), effect(128, LONG)),
            "on_timer_event did offer to session 7, b'a' where a process with another"
            " PYTHONHASHSEED did offer to session 7,"
            f" {LONG[:32]!r}... (35 bytes), at log position 128, member 2 (orders.py:9): it"
            " depends on the order of a set",
        ),
        (
            run_of(effect(64), effect(128)),
            run_of(effect(64)),
            "on_timer_event did offer to session 7, b'answer' where a process with another"
            " PYTHONHASHSEED did nothing, at log position 128, member 2 (test_other_hashes.py:",
        ),
        (
            run_of(effect(128)),
            run_of(effect(64)),
            "on_session_message did offer to session 7, b'answer' where a process with another"
            " PYTHONHASHSEED did offer to session 7, b'answer', at log position 64, member 2",
        ),
    ],
)
def test_the_first_effect_that_differs_is_named(compare, own, other, found):
    with pytest.raises(ServiceInvariantError) as error:
        compare(own, other)
    assert error.value.invariant == "services do not depend on hashes"
    assert error.value.found.startswith(found)


def test_a_snapshot_that_differs_is_named(compare):
    with pytest.raises(ServiceInvariantError) as error:
        compare(RUN, run_of(*RUN.effects, snapshot=(b"other",)))
    assert error.value.place == END
    assert error.value.found == (
        "on_take_snapshot wrote b'state' at byte 0 of message 0 where it wrote b'other' in a"
        " process with another PYTHONHASHSEED, at log position 640, member 2: it depends on the"
        " order of a set"
    )


def test_a_failure_of_the_other_process_is_passed_on(compare):
    with pytest.raises(StateError, match="another PYTHONHASHSEED failed: KeyError: 'log'"):
        compare(RUN, RuntimeError("KeyError: 'log'"))


def answers_to(monkeypatch, *requests):
    """Return the answers of the other process to requests, which are pickled separately."""
    given = pickle.dumps([]) + b"".join(pickle.dumps(each) for each in requests)
    answers = io.BytesIO()
    answers.close = lambda: None
    with monkeypatch.context() as context:
        context.setattr(other_hashes.sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
        context.setattr(other_hashes.sys, "path", [])
        context.setattr(other_hashes.logging, "disable", lambda _: None)
        context.setattr(other_hashes.os, "dup", lambda fd: fd)
        context.setattr(other_hashes.os, "dup2", lambda *_: None)
        context.setattr(other_hashes.os, "fdopen", lambda *_: answers)
        other_hashes.serve()
    answers.seek(0)
    return [pickle.load(answers) for _ in requests]


def test_the_other_process_answers_each_request(monkeypatch, tmp_path):
    request = other_hashes._Request(Orders, str(tmp_path), 0, 2, 640)
    nothing, failure = answers_to(monkeypatch, b"cno_such_module\nOrders\n.", pickle.dumps(request))
    assert nothing is None
    assert isinstance(failure, RuntimeError)
    assert str(tmp_path) in str(failure)


# ---- snapshots ----


@pytest.mark.parametrize(
    ("found", "other", "text"),
    [
        ([b"a"], [b"a", b"b"], "1 messages where it wrote 2"),
        ([b"a", b"b"], [b"a", b"b"], "the same"),
        ([b"a", b"bx"], [b"a", b"by"], "b'bx' at byte 0 of message 1 where it wrote b'by'"),
        ([b"ab"], [b"abc"], "b'ab' at byte 0 of message 0 where it wrote b'abc'"),
        (
            [bytes(40)],
            [bytes(39) + b"x"],
            f"{bytes(13)!r} at byte 27 of message 0 where it wrote {bytes(12) + b'x'!r}",
        ),
        ([b""], [b"x"], "nothing at byte 0 of message 0 where it wrote b'x'"),
        (
            [bytes(80)],
            [bytes(10) + b"x" + bytes(69)],
            f"{bytes(24)!r} at byte 0 of message 0 where it wrote {bytes(10) + b'x' + bytes(13)!r}",
        ),
    ],
)
def test_the_first_difference_of_two_snapshots_is_shown(found, other, text):
    assert first_difference(found, other) == text


def test_the_state_of_a_service_follows_what_its_container_wrote():
    written = [
        *snapshot_messages(
            [],
            time_unit=ClusterTimeUnit.MILLIS,
            app_version=1,
            log_position=64,
            leadership_term_id=0,
        )
    ]
    assert state_of([*written, b"its own state"]) == [b"its own state"]
    assert state_of([b"its own state"]) == [b"its own state"]
