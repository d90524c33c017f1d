"""What members load at a start is compared with the model: each wrong field is detected."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.module.running_module import RunningModule
from aeron_cluster.cluster.service import service_conductor
from aeron_cluster.cluster.service.service_snapshot import SnapshotLoader
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.simulator.faults.events import Event, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus", draws=3, members=1, service_count=1, damages=())


@dataclass(frozen=True)
class KillAll(Event):
    """All members are killed, and start again."""

    template = "kill all members"

    def begin(self, trial):
        for member in trial.cluster.members:
            member.kill()
            trial.start_later(member, S // 10)


PLAN = FaultPlan((Operate(2 * S, ControlToggle.SNAPSHOT), KillAll(3 * S)))


def outcome(settings=SETTINGS):
    return run_trial(1, settings, PLAN)


@pytest.mark.parametrize("layout", ["node", "apart"])
def test_what_is_loaded_is_compared_in_each_layout(layout):
    found = outcome(replace(SETTINGS, layout=layout, members=3))
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["starts from snapshots compared"] >= 3
    assert found.counts["services loaded and compared"] >= 3
    assert found.counts["starts compared"] >= 6


def with_loaded(monkeypatch, change):
    begin = RunningModule.begin

    def altered(self, recovered):
        if recovered.snapshot is not None:
            recovered = replace(recovered, snapshot=change(recovered.snapshot))
        begin(self, recovered)

    monkeypatch.setattr(RunningModule, "begin", altered)


def with_sessions(**changes):
    return lambda state: replace(
        state, sessions=tuple(replace(each, **changes) for each in state.sessions)
    )


def one_message_less(state):
    (tracker,) = state.trackers
    number = tracker.next_service_session_id - 1
    found = replace(tracker, next_service_session_id=number, log_service_session_id=number - 1)
    return replace(state, trackers=(found,))


def one_message_more(state):
    (tracker,) = state.trackers
    message = bytes(16) + tracker.next_service_session_id.to_bytes(8, "little", signed=True)
    found = replace(
        tracker,
        next_service_session_id=tracker.next_service_session_id + 1,
        messages=(message + bytes(8) + b"never offered",),
    )
    return replace(state, trackers=(found,))


@pytest.mark.parametrize(
    ("change", "invariant"),
    [
        (lambda state: replace(state, sessions=()), "snapshots hold the sessions"),
        (with_sessions(correlation_id=7), "snapshots hold the sessions"),
        (with_sessions(response_stream_id=7), "snapshots hold the sessions"),
        (lambda state: replace(state, next_session_id=77), "session ids are given once"),
        (
            lambda state: replace(state, timers=((77, 2**62),)),
            "snapshots hold the timers that are set",
        ),
        (one_message_less, "snapshots number the services' messages"),
        (one_message_more, "snapshots number the services' messages"),
        (
            lambda state: replace(state, leadership_term_id=state.leadership_term_id + 1),
            "snapshots are of their position",
        ),
    ],
)
def test_a_field_that_is_loaded_wrongly_is_detected(change, invariant, monkeypatch):
    with_loaded(monkeypatch, change)
    found = outcome()
    assert found.invariant == invariant, found.failure
    assert "member 0 loaded at" in found.failure


def test_a_start_from_an_older_snapshot_is_detected(monkeypatch):
    first = []
    find = RecordingLog.find_latest_snapshots

    def find_first(self, service_count):
        first.append(find(self, service_count))
        return next((each for each in first if each), first[-1])

    plan = FaultPlan(
        (
            Operate(S, ControlToggle.SNAPSHOT),
            KillAll(2 * S),
            Operate(4 * S, ControlToggle.SNAPSHOT),
            KillAll(5 * S),
        )
    )
    assert run_trial(1, SETTINGS, plan).is_good
    monkeypatch.setattr(RecordingLog, "find_latest_snapshots", find_first)
    assert run_trial(1, SETTINGS, plan).invariant == "members start from their latest snapshot"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("response_stream_id", 7),
        ("response_channel", "aeron:udp?endpoint=other:1"),
        ("encoded_principal", b"other"),
        ("cluster_session_id", 77),
    ],
)
def test_a_session_that_a_service_loads_wrongly_is_detected(name, value, monkeypatch):
    names = ("cluster_session_id", "response_stream_id", "response_channel", "encoded_principal")

    def loader(on_session):
        def altered(session):
            fields = {each: getattr(session, each) for each in names}
            on_session(SimpleNamespace(**fields | {name: value}))

        return SnapshotLoader(altered)

    monkeypatch.setattr(service_conductor, "SnapshotLoader", loader)
    found = outcome()
    assert found.invariant == "services begin with the sessions of their snapshot", found.failure
    assert "member 0 loaded at" in found.failure
