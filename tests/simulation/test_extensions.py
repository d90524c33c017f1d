"""Runs of members with extensions: calls, snapshots and reports are compared, faults detected."""

from dataclasses import dataclass, replace

import pytest

from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.module import log_events, recovery, running_module
from aeron_cluster.cluster.module.control_requests import ControlRequests
from aeron_cluster.cluster.module.module_conductor import ModuleConductor
from aeron_cluster.cluster.module.running_module import RunningModule
from aeron_cluster.cluster.sessions import session_manager
from aeron_cluster.cluster.snapshots import snapshot_round
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import Event, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.extension_recorder import ExtensionRecorder
from aeron_cluster.simulator.trials.extended_runs import extended, make_extension_journal
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus", draws=12, members=3, damages=())
SEEDS = [seed for seed in range(1, 1000) if not extended(seed, SETTINGS).services]
SEED = next(each for each in SEEDS if make_extension_journal(each).raises_one_in)
LATE_SEED = next(each for each in SEEDS if make_extension_journal(each).read_interval_ns)
FAILING_SEED = next(
    each
    for each in SEEDS
    if make_extension_journal(each).fails_starts_one_in
    and not make_extension_journal(each).raises_one_in
)
SEE_THE_LOG = "extensions see the log"
IN_ORDER = "extensions are called in order"
OF_THEIR_POSITION = "extensions' snapshots are of their position"


@dataclass(frozen=True)
class IsolateLeader(Event):
    """The leader is alone for a while, and another one is elected."""

    template = "isolate the leader"

    def begin(self, trial):
        trial.cluster.isolate(trial.cluster.leader())
        trial.later(3 * S, trial.cluster.heal)


@dataclass(frozen=True)
class KillAll(Event):
    """All members are killed, and start again."""

    template = "kill all members"

    def begin(self, trial):
        for member in trial.cluster.members:
            member.kill()
            trial.start_later(member, S // 10)


PLAN = FaultPlan(
    (
        IsolateLeader(S),
        Operate(5 * S, ControlToggle.SNAPSHOT),
        KillAll(6 * S),
    )
)
LONGER = replace(SETTINGS, duration_ns=9 * S)


def outcome(settings=LONGER, seed=SEED):
    return run_trial(seed, settings, PLAN)


@pytest.mark.parametrize("layout", ["node", "apart"])
def test_calls_snapshots_and_reports_are_compared_in_each_layout(layout):
    found = outcome(replace(LONGER, layout=layout))
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["starts from snapshots compared"] >= 3
    assert found.counts["extension snapshots compared"] >= 3
    assert found.counts["extension messages compared"] > 100
    assert found.counts["extension errors reported"] > 0


def test_leaders_may_read_their_log_late():
    found = outcome(seed=LATE_SEED)
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["extension messages compared"] > 100


def test_extension_that_fails_in_its_start_ends_the_module_until_it_starts():
    found = outcome(replace(LONGER, draws=13), FAILING_SEED)
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["extension errors reported"] > 0
    assert found.counts["processes"] > 6


def test_earlier_draws_have_extensions_that_start():
    assert make_extension_journal(FAILING_SEED).fails_starts_one_in
    assert not make_extension_journal(FAILING_SEED, draws=12).fails_starts_one_in


def test_a_run_with_services_has_no_extension():
    earlier = Settings.of("consensus", draws=11, members=3, damages=())
    assert extended(SEED, earlier) is earlier
    own = replace(SETTINGS, service_count=1)
    assert extended(SEED, own) is own
    assert not extended(SEED, SETTINGS).services


# ---- planted faults ----------------------------------------------------------------------------


def test_module_that_continues_after_a_failed_start_is_detected(monkeypatch):
    monkeypatch.setattr(ModuleConductor, "_end_unexpectedly", lambda *_: None)
    found = outcome(replace(LONGER, draws=13), FAILING_SEED)
    assert not found.is_good


def with_state(monkeypatch, change):
    """Change the notifications of terms that followers read."""
    make = log_events.ConsensusControlState
    monkeypatch.setattr(
        log_events, "ConsensusControlState", lambda **given: make(**given | change(given))
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda _: {"log_position": 0},
        lambda given: {"log_position": given["log_position"] - 32},
        lambda given: {"leader_member_id": (given["leader_member_id"] + 1) % 3},
        lambda given: {"leadership_term_id": given["leadership_term_id"] + 1},
    ],
)
def test_a_term_with_a_wrong_field_is_detected(change, monkeypatch):
    with_state(monkeypatch, change)
    assert outcome().invariant == SEE_THE_LOG


def with_notifications(monkeypatch, module, name, notify):
    """Replace the notifications by one of the extension's functions in a module."""
    usual = module.notify_extension

    def altered(report, function, *arguments):
        if function.__name__ == name:
            notify(lambda *changed: usual(report, function, *changed), *arguments)
        else:
            usual(report, function, *arguments)

    monkeypatch.setattr(module, "notify_extension", altered)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (running_module, "on_log_message"),
        (session_manager, "on_session_opened"),
        (session_manager, "on_session_closed"),
        (log_events, "on_new_leadership_term"),
    ],
)
def test_a_missing_callback_is_detected(module, name, monkeypatch):
    with_notifications(monkeypatch, module, name, lambda *_: None)
    assert outcome().invariant == SEE_THE_LOG


def on_message_twice(notify, *arguments):
    notify(*arguments)
    notify(*arguments)


@pytest.mark.parametrize(
    "change",
    [
        on_message_twice,
        lambda notify, message, position: notify(message, position - 32),
        lambda notify, message, position: notify(message[:-1] + b"?", position),
    ],
)
def test_a_message_that_is_repeated_moved_or_changed_is_detected(change, monkeypatch):
    with_notifications(monkeypatch, running_module, "on_log_message", change)
    assert outcome().invariant == SEE_THE_LOG


def test_a_snapshot_without_the_extensions_part_is_detected(monkeypatch):
    def write_nothing(*_):
        return
        yield

    monkeypatch.setattr(snapshot_round, "write_snapshot", write_nothing)
    assert outcome().invariant == OF_THEIR_POSITION


def test_a_start_without_a_part_of_the_snapshot_is_detected(monkeypatch):
    usual = recovery.read_rest

    def read_less(image):
        rest = yield from usual(image)
        return rest[:-1]

    monkeypatch.setattr(recovery, "read_rest", read_less)
    found = outcome()
    assert found.invariant == OF_THEIR_POSITION
    assert ": start: " in found.failure


def test_a_log_that_is_closed_before_a_late_leader_has_read_it_is_detected(monkeypatch):
    usual = Leadership.prepare_for_new_leadership

    def close_first(leadership, log_position):
        leadership._close_extension_log()
        return (yield from usual(leadership, log_position))

    monkeypatch.setattr(Leadership, "prepare_for_new_leadership", close_first)
    found = outcome(seed=LATE_SEED)
    assert found.invariant == SEE_THE_LOG
    assert "saw ExtensionCall(kind='prepare'" in found.failure


def test_a_followers_snapshot_with_another_time_than_in_the_log_is_detected(monkeypatch):
    usual = ControlRequests.take_snapshot
    monkeypatch.setattr(
        ControlRequests,
        "take_snapshot",
        lambda requests, position, timestamp=None: usual(requests, position, timestamp and 1),
    )
    assert outcome().invariant == "recording logs have snapshots of their term"


def test_an_error_that_is_not_reported_is_detected(monkeypatch):
    monkeypatch.setattr(ExtensionRecorder, "_raise_sometimes", raise_unreported)
    found = outcome()
    assert found.invariant == "what extensions raise is reported"
    assert "was reported 0 times" in found.failure


def raise_unreported(recorder):
    recorder._life.raised.append(OSError("of a callback"))


def test_a_second_close_is_detected(monkeypatch):
    usual = RunningModule.close

    def close_again(module):
        usual(module)
        module._extension.close()

    monkeypatch.setattr(RunningModule, "close", close_again)
    plan = FaultPlan((Operate(2 * S, ControlToggle.ABORT),))
    assert run_trial(SEED, SETTINGS, plan).invariant == IN_ORDER


def test_an_extension_that_is_not_closed_is_detected(monkeypatch):
    monkeypatch.setattr(ExtensionRecorder, "close", lambda _: None)
    assert run_trial(SEED, SETTINGS, FaultPlan(())).invariant == "extensions are closed"


@pytest.mark.parametrize("name", ["do_work", "slow_tick_work"])
def test_work_that_is_never_called_after_a_restart_is_detected(name, monkeypatch):
    usual = getattr(ExtensionRecorder, name)

    def work_once(recorder, now_ns):
        return usual(recorder, now_ns) if recorder._life.start_count == 1 else 0

    monkeypatch.setattr(ExtensionRecorder, name, work_once)
    assert outcome().invariant == "extensions work"
