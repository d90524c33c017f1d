"""Errors of members in a run: those that no fault explains end it, and others do not."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackPlace,
    ClosedError,
    CorruptError,
    DirectoryInUseError,
    InvariantError,
    ServiceCallbackError,
    ServiceInvariantError,
    StateError,
)
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.events import DiskFails, Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.process_ends import ProcessEnds
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
CORRUPT = CorruptError("/data/archive/0-0.rec", 64, "frame", "a length", 7)
IN_USE = DirectoryInUseError("/data/cluster", 7)


def trial_with(error, *, plan=None, layout="node", is_judged=False, allowed=()):
    """Return a run whose only member has an error that was not checked yet."""
    settings = Settings.of("whole", members=1, layout=layout, is_judged=is_judged, allowed=allowed)
    trial = Trial(5, settings, plan or FaultPlan())
    trial.cluster.members[0].errors.append(error)
    return trial


def check(trial):
    """Run it for a moment: its members are not started."""
    trial.start_later(trial.cluster.members[0], 1 << 60)
    trial.drive_to(trial.cluster.now_ns + MS)


@pytest.mark.parametrize(
    ("error", "rule"),
    [
        (TypeError("of the program"), "errors are expected ones"),
        (CORRUPT, "files are never corrupt"),
        (IN_USE, "a process that ended holds no directory"),
    ],
)
def test_an_error_that_no_fault_explains_is_found(error, rule):
    with pytest.raises(InvariantError) as found:
        check(trial_with(error))
    assert found.value.invariant == rule
    assert found.value.found.startswith("<Member 0 down>: ")
    assert str(error) in found.value.found
    assert found.value.__cause__ is error


def test_a_mistake_within_a_callback_of_a_service_is_found():
    error = ServiceCallbackError(
        "service-0", "on_session_message", 64, 1, member_id=0, leadership_term_id=0
    )
    error.__cause__ = OSError("a fault of the plan")
    check(trial_with(error))
    error.__cause__ = AttributeError("of the program")
    with pytest.raises(InvariantError, match="of the program") as found:
        check(trial_with(error))
    assert found.value.invariant == "errors are expected ones"


def test_an_expected_error_is_no_violation():
    check(trial_with(StateError("not now")))
    check(trial_with(OSError("no space")))


def test_damage_explains_a_corrupt_file():
    check(trial_with(CORRUPT, plan=FaultPlan(damage=Damage.BITS)))
    trial = trial_with(CORRUPT)
    trial.on_power_lost()
    check(trial)


def test_a_directory_may_be_in_use_where_a_driver_or_a_flipped_bit_hides_an_end():
    check(trial_with(IN_USE, layout="apart"))
    check(trial_with(IN_USE, plan=FaultPlan(damage=Damage.BITS)))


def test_the_errors_of_a_member_that_cannot_run_are_not_judged():
    trial = trial_with(CORRUPT)
    (member,) = trial.cluster.members
    trial.on_refusal(member)
    check(trial)
    trial.on_refusal(None)
    check(trial)
    member.errors.append(CORRUPT)
    with pytest.raises(InvariantError, match="files are never corrupt"):
        check(trial)


def test_an_error_is_judged_once():
    trial = trial_with(StateError("not now"))
    check(trial)
    trial.cluster.members[0].errors[0] = CORRUPT
    check(trial)


def raised_by_service(service="service-0"):
    error = ServiceCallbackError(
        service, "on_session_message", 64, 1, member_id=0, leadership_term_id=0
    )
    try:
        raise_value_error()
    except ValueError as cause:
        error.__cause__ = cause
    return error


def raise_value_error():
    raise ValueError("forty")


@pytest.mark.parametrize("service", ["service-0", "Orders"])
def test_an_exception_of_a_judged_service_is_found(service):
    with pytest.raises(ServiceInvariantError) as found:
        check(trial_with(raised_by_service(service), is_judged=True))
    assert found.value.invariant == "services do not raise"
    assert found.value.found.startswith("on_session_message raised ValueError: forty")
    assert found.value.place.log_position == 64


def test_an_exception_that_a_service_may_raise_is_no_violation():
    check(trial_with(raised_by_service(), is_judged=True, allowed=(ValueError,)))
    trial = trial_with(raised_by_service())
    trial.settings = replace(trial.settings, services=(lambda: None,))
    check(trial)


class Outcomes:
    """Runs whose end is an error."""

    def __init__(self, monkeypatch, raised, error=None, *, is_judged=True):
        self.trial = trial_with(error or StateError("not now"), is_judged=is_judged)

        def run():
            self.trial.on_step("a step")
            raise raised

        monkeypatch.setattr(self.trial, "_run", run)
        self.outcome = self.trial.run()


PLACE = CallbackPlace("Orders", "on_timer_event", 640, 0)


def test_the_outcome_names_the_rule_and_the_step(monkeypatch):
    outcome = Outcomes(monkeypatch, InvariantError("a rule", "broken")).outcome
    assert (outcome.invariant, outcome.failure) == ("a rule", "a rule: broken (a step)")
    assert (outcome.found, outcome.place, outcome.is_good) == ("", None, False)


def test_the_outcome_has_the_place_in_a_service(monkeypatch):
    error = ServiceInvariantError("a rule", "broken there", PLACE)
    outcome = Outcomes(monkeypatch, error).outcome
    assert (outcome.found, outcome.place) == ("broken there", PLACE)
    assert outcome.detail == ""


def test_an_exception_of_a_callback_explains_a_difference_of_members(monkeypatch):
    raised = InvariantError("services see the same", "they do not")
    outcome = Outcomes(monkeypatch, raised, raised_by_service()).outcome
    assert outcome.invariant == "services do not raise"
    outcome = Outcomes(monkeypatch, raised, CORRUPT).outcome
    assert outcome.invariant == "services see the same"
    outcome = Outcomes(monkeypatch, raised, raised_by_service(), is_judged=False).outcome
    assert outcome.invariant == "services see the same"


def test_an_error_of_the_program_is_the_outcome_with_its_trace(monkeypatch):
    outcome = Outcomes(monkeypatch, LookupError("nowhere")).outcome
    assert outcome.invariant == "LookupError"
    assert outcome.failure == "a step: LookupError('nowhere')"
    assert "raise raised" in outcome.detail


# ---- the ends of processes ----


class Process:
    def __init__(self, failure, is_running):
        self.failure, self.is_running = failure, is_running
        self.failure_count = 1


def ended(failure, *, is_running=False, process_count=1, member_id=1):
    process = Process(failure, is_running)
    return SimpleNamespace(member_id=member_id, processes=[process] * process_count)


END = AgentTerminationError("the log is gone")


def test_the_end_of_a_process_without_a_fault_is_found_once():
    ends = ProcessEnds(FaultPlan((Kill(0, 1, 1),)))
    member = ended(END)
    with pytest.raises(InvariantError) as found:
        ends.check(member)
    assert found.value.invariant == "a fault explains the end of a process"
    assert found.value.found == f"{member}: {END!r}"
    ends.check(member)
    (process,) = member.processes
    process.failure, process.failure_count = AgentTerminationError("again"), 2
    with pytest.raises(InvariantError, match="again"):
        ends.check(member)


@pytest.mark.parametrize(
    "member",
    [ended(None), ended(END, is_running=True), ended(END, process_count=2)],
    ids=["killed", "running", "several processes"],
)
def test_a_process_that_did_not_end_by_itself_is_no_violation(member):
    ProcessEnds(FaultPlan()).check(member)


@pytest.mark.parametrize("name", ["is_requested", "is_power_lost"])
def test_a_request_or_a_loss_of_power_explains_an_end(name):
    ends = ProcessEnds(FaultPlan())
    setattr(ends, name, True)
    ends.check(ended(END))


def test_damage_and_faulty_disks_explain_an_end():
    ProcessEnds(FaultPlan(damage=Damage.BITS)).check(ended(END))
    ends = ProcessEnds(FaultPlan((DiskFails(0, 1, "write_at", 5, 1),)))
    ends.check(ended(END))
    with pytest.raises(InvariantError, match="a fault explains"):
        ends.check(ended(ClosedError("closed"), member_id=0))
