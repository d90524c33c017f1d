"""Whole clusters compared with the plain model, which detects mistakes common to all members."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.agent.module_status import ModuleStatus
from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.cluster.service import service_conductor
from aeron_cluster.cluster.sessions import session_egress
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.simulator.faults.events import Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

S = 1_000_000_000
# Without last losses, in which other checks would detect these mistakes first.
SETTINGS = Settings.of("consensus", draws=3, members=1, service_count=1, damages=())
PLAN = FaultPlan((Operate(2 * S, ControlToggle.SNAPSHOT),))


TIMERS = 9  # a seed with timers that are due in the quiet phase


def outcome(seed=1, plan=PLAN):
    return run_trial(seed, SETTINGS, plan)


def test_a_healthy_cluster_equals_the_model():
    found = outcome()
    assert found.is_good, f"{found.failure}\n{found.detail}"


def with_records(monkeypatch, change):
    records = SessionManager.records
    monkeypatch.setattr(SessionManager, "records", lambda self: change(records(self)))


def with_snapshot_entries(monkeypatch, **changes):
    append = RecordingLog.append_snapshot
    names = ("recording_id", "term_id", "base", "position", "timestamp", "service_id")

    def altered(self, *given):
        fields = dict(zip(names, given, strict=True))
        return append(self, *(fields | changes).values())

    monkeypatch.setattr(RecordingLog, "append_snapshot", altered)


def with_container_sessions(monkeypatch):
    write = service_conductor.snapshot_messages

    def without_sessions(_, **place):
        return write([], **place)

    monkeypatch.setattr(service_conductor, "snapshot_messages", without_sessions)


def with_terms(monkeypatch):
    append = RecordingLog.append_term

    def one_frame_later(self, recording_id, term_id, base, timestamp):
        return append(self, recording_id, term_id, base + 32, timestamp)

    monkeypatch.setattr(RecordingLog, "append_term", one_frame_later)


def with_late_timers(monkeypatch):
    schedule = ModuleTimers.schedule
    monkeypatch.setattr(
        ModuleTimers,
        "schedule",
        lambda timers, correlation_id, deadline, *place: schedule(
            timers, correlation_id, deadline + 400, *place
        ),
    )


def with_session_counters(monkeypatch):
    key = session_egress.session_counter_key
    monkeypatch.setattr(
        session_egress, "session_counter_key", lambda cluster_id, _: key(cluster_id, 7)
    )


def with_terms_shown(monkeypatch):
    def set_term(status, term_id):
        status.leadership_term_id = term_id
        status._counters.leadership_term_id.set(term_id + 1)

    monkeypatch.setattr(ModuleStatus, "set_term", set_term)


@pytest.mark.parametrize(
    ("plant", "invariant"),
    [
        (
            lambda patch: with_records(
                patch,
                lambda records: [
                    replace(each, opened_log_position=each.opened_log_position - 32)
                    for each in records
                ],
            ),
            "snapshots hold the sessions",
        ),
        (
            lambda patch: with_records(
                patch, lambda records: [replace(each, correlation_id=1) for each in records]
            ),
            "snapshots hold the sessions",
        ),
        (with_container_sessions, "services' snapshots hold the sessions"),
        (
            lambda patch: with_snapshot_entries(patch, timestamp=7),
            "recording logs have snapshots of their term",
        ),
        (with_terms, "recording logs have the terms of the log"),
        (with_late_timers, "snapshots hold the timers that are set"),
        (with_session_counters, "sessions have counters"),
        (with_terms_shown, "liveness: services see the term that the leader shows"),
    ],
)
def test_a_mistake_of_all_members_is_detected(plant, invariant, monkeypatch):
    plant(monkeypatch)
    found = outcome()
    assert found.invariant == invariant, found.failure


def test_late_timers_are_detected_without_a_snapshot(monkeypatch):
    assert outcome(TIMERS, FaultPlan()).is_good
    with_late_timers(monkeypatch)
    assert outcome(TIMERS, FaultPlan()).invariant == "timers fire in time"
