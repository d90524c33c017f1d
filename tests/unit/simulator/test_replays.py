"""Replays of a member's log: each effect or snapshot that differs is detected with its place."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import InvariantError, ServiceCallbackError, ServiceInvariantError
from aeron_cluster.simulator.checks import replays
from aeron_cluster.simulator.checks.replays import ReplaysAgree
from aeron_cluster.simulator.members.journal import Entry, Journal

END = 640


class Orders(ClusteredService):
    def on_take_snapshot(self, snapshot_publication):
        pass


@dataclass(frozen=True)
class Place:
    """Where a snapshot is."""

    log_position: int
    recording_id: int = 7


@dataclass(frozen=True)
class Source:
    """A member's files, with snapshots of the state at their positions."""

    log: SimpleNamespace
    snapshots: tuple = ()
    recorded: dict = field(default_factory=dict)
    descriptors: tuple = (7,)

    def snapshots_of(self, service_id):
        assert service_id == 0
        return self.snapshots

    def read_snapshot(self, place):
        return self.recorded.get(place.log_position, [b"state at %d" % place.log_position])


class Replayed:
    """A member with two snapshots; hosts that run its log have the given results."""

    def __init__(self, monkeypatch, *, log_start=0, recorded=None, **results):
        places = (Place(128), Place(256), Place(END + 64), Place(320, recording_id=8))
        log = SimpleNamespace(start_position=log_start)
        self.source = Source(log, places, recorded or {})
        self.results = results
        self.runs = []
        self.journal = Journal(0)
        monkeypatch.setattr(replays, "_source_of", lambda _: self.source)
        monkeypatch.setattr(replays, "OfflineHost", self._host)
        self.member = SimpleNamespace(member_id=2, services=(Orders(),), commit_position=END)
        self.cluster = SimpleNamespace(
            is_joined=True,
            members=[self.member],
            journals_of=lambda _: [self.journal],
            latest_services={0: Orders()},
            make_observed_service=lambda *_: Orders(),
        )
        self.guards = SimpleNamespace(interval=512, compare_replay=lambda *_: None)

    def _host(self, service, source, *, snapshot, on_failure, **_):
        assert isinstance(service, Orders)
        assert source == self.source
        begin = 0 if snapshot is None else snapshot.log_position
        return Host(self, begin, on_failure)

    def conclude(self, **options):
        ReplaysAgree(self.guards, **options).conclude(self.cluster)


class Host:
    """A run over the log from a position."""

    def __init__(self, replayed, begin, on_failure):
        self.replayed, self.begin, self.on_failure = replayed, begin, on_failure
        self.guard = None
        self.cluster = SimpleNamespace(log_position=begin)
        replayed.runs.append(begin)
        self._do("start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def _do(self, name, otherwise=None):
        result = self.replayed.results.get(
            f"{name}_{self.begin}_{self.cluster.log_position}", otherwise
        )
        if isinstance(result, Exception):
            raise result
        return result

    def run(self, position):
        self.cluster.log_position = position
        failure = self.replayed.results.get(f"failure_{self.begin}")
        if failure is not None:
            self.on_failure(failure)
        if self.replayed.results.get("violates") == self.begin:
            self.replayed.journal.add(0, Entry(64, "message", 7, 0, b"one"), "member 0")
            self.replayed.journal.add(
                0, Entry(64, "message", 7, 0, b"other"), "a replay of the log"
            )

    def take_snapshot(self):
        return self._do("take", [b"state at %d" % self.cluster.log_position])


def failure(cause):
    error = ServiceCallbackError(
        "service-0", "on_session_message", 64, 1, member_id=2, leadership_term_id=0
    )
    error.__cause__ = cause
    return error


def test_a_replay_and_each_start_from_a_snapshot_that_do_the_same_pass(monkeypatch):
    replayed = Replayed(monkeypatch)
    ends = []
    replayed.conclude(on_replay=ends.append)
    # Neither a snapshot after the end of the log nor one whose recording is missing.
    assert replayed.runs == [0, 128, 256]
    (end,) = ends
    assert (end.member, end.service_id, end.until) == (replayed.member, 0, END)
    assert end.place_of_snapshot.callback == "on_take_snapshot"
    assert end.journal is replayed.journal
    replayed.conclude()


def test_a_purged_log_and_a_native_service_are_not_replayed(monkeypatch):
    replayed = Replayed(monkeypatch, log_start=64)
    replayed.conclude()
    assert replayed.runs == []
    replayed = Replayed(monkeypatch)
    replayed.member.services = (object(),)
    replayed.conclude()
    assert replayed.runs == []


SNAPSHOT = "on_take_snapshot wrote"


@pytest.mark.parametrize(
    ("results", "rule", "found"),
    [
        (
            {"take_0_128": [b"state of now"]},
            "snapshots are equal",
            f"{SNAPSHOT} b'state at 128' at byte 0 of message 0 where it wrote b'state of now' in a"
            " replay of the log: at log position 128, member 2",
        ),
        (
            {"take_128_128": []},
            "snapshots have the state",
            f"{SNAPSHOT}, right after a start from a snapshot, 0 messages where it wrote 1 before:"
            " at log position 128, member 2",
        ),
        (
            {"take_256_640": [b"less"]},
            "snapshots have the state",
            f"{SNAPSHOT}, after a start from the snapshot at log position 256, b'less' at byte 0 of"
            " message 0 where it wrote b'state at 640' after a replay of all the log: at log"
            " position 640, member 2",
        ),
        (
            {"start_0_0": ValueError("no start")},
            "services do not raise",
            "on_start raised ValueError: no start, at log position 0, member 2",
        ),
        (
            {"start_256_256": ValueError("no start")},
            "services do not raise",
            "on_start raised ValueError: no start, at log position 256, member 2",
        ),
        (
            {"take_0_640": ValueError("no end")},
            "services do not raise",
            "on_take_snapshot raised ValueError: no end, at log position 640, member 2",
        ),
        (
            {"failure_0": failure(ValueError("forty"))},
            "services do not raise",
            "on_session_message raised ValueError: forty, at log position 64, member 2",
        ),
    ],
)
def test_a_replay_that_differs_is_found(monkeypatch, results, rule, found):
    with pytest.raises(ServiceInvariantError) as error:
        Replayed(monkeypatch, **results).conclude()
    assert error.value.invariant == rule
    assert error.value.found.startswith(found)
    assert error.value.place.member_id == 2


def test_an_exception_that_a_service_may_raise_is_no_difference(monkeypatch):
    replayed = Replayed(monkeypatch, failure_0=failure(ValueError("forty")))
    replayed.conclude(allowed=(ValueError,))
    assert replayed.runs == [0, 128, 256]


@pytest.mark.parametrize(
    ("begin", "rule"), [(0, "replays do the same"), (256, "snapshots have the state")]
)
def test_an_effect_that_differs_is_found(monkeypatch, begin, rule):
    with pytest.raises(InvariantError) as error:
        Replayed(monkeypatch, violates=begin).conclude()
    assert error.value.invariant == rule
    assert error.value.found.startswith(
        "a replay of the log saw message 7 of 0 before 64: b'other'"
    )


def test_snapshots_that_were_kept_are_compared_besides_those_that_are_left(monkeypatch):
    replayed = Replayed(monkeypatch)
    checker = ReplaysAgree(replayed.guards)
    checker.keep_snapshots(replayed.member)
    kept = replayed.source
    replayed.source = Source(kept.log, (Place(256), Place(512)))
    hosts = replayed._host

    def host(service, source, **options):
        replayed.source = source
        return hosts(service, source, **options)

    monkeypatch.setattr(replays, "OfflineHost", host)
    checker.conclude(replayed.cluster)
    assert replayed.runs == [0, 128, 256, 512]
