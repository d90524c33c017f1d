"""What callbacks of services raise: reported once with its place, or found to be lost."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import (
    InvariantError,
    OperationError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.simulator.checks.service_failures import (
    FailuresAreReported,
    RolesAreRight,
    is_report_of,
)
from aeron_cluster.simulator.members.journal import Journal, observed
from aeron_cluster.simulator.members.service_faults import (
    FAILING_CALLBACKS,
    RaisedError,
    ServiceFaults,
    SimulatedServiceError,
)

LOST = "failures of services are reported"
EXPECTED = "errors are expected ones"


class Rig:
    """A cluster of one member with one service, and what it raised and reported."""

    def __init__(self, native_services=()):
        self.faults = ServiceFaults(lambda: 0)
        self.process = SimpleNamespace(is_running=True)
        self.service = SimpleNamespace(life=object())
        self.member = SimpleNamespace(
            member_id=2,
            services=(self.service,),
            service_faults=self.faults,
            errors=[],
            process_of_service=lambda _: self.process,
        )
        self.cluster = SimpleNamespace(
            members=[self.member], native_services=native_services, now_ns=0
        )
        self.checker = FailuresAreReported()
        self.error = SimulatedServiceError("a service that raises")

    def raises(self, callback="on_role_change", session_id=None, error=None):
        self.error = error or self.error
        place = {"service_id": 0, "callback": callback, "session_id": session_id}
        position = {"log_position": 640, "leadership_term_id": 3}
        raised = RaisedError.of(self.error, life=self.service.life, **place, **position)
        self.faults.raised.append(raised)

    def reports(self, cause=None, **changes):
        fields = {
            "service": "clustered-service-0-0",
            "callback": "on_role_change",
            "log_position": 640,
            "cluster_session_id": None,
            "member_id": 2,
            "leadership_term_id": 3,
            **changes,
        }
        error = ServiceCallbackError(**fields)
        error.__cause__ = cause or self.error
        self.member.errors.append(error)

    def check(self):
        self.checker.check(self.cluster)

    def found(self, check=None):
        with pytest.raises(InvariantError) as raised:
            (check or self.check)()
        return raised.value.invariant


def test_a_report_with_its_place_is_no_violation():
    rig = Rig()
    rig.raises()
    rig.reports()
    rig.check()
    assert rig.faults.raised == []
    assert rig.checker.counts() == {"failures of services compared": 1}


def test_an_exception_without_a_report_is_found():
    rig = Rig()
    rig.reports()  # of an earlier one
    rig.check()
    rig.raises()
    assert rig.found() == LOST


def test_each_exception_needs_a_report_of_its_own():
    rig = Rig()
    rig.raises()
    rig.raises()
    rig.reports()
    assert rig.found() == LOST


@pytest.mark.parametrize(
    "changes",
    [
        {"service": "clustered-service-0-1"},
        {"callback": "on_terminate"},
        {"log_position": 641},
        {"cluster_session_id": 8},
        {"member_id": 1},
        {"leadership_term_id": 2},
        {"cause": SimulatedServiceError("another text")},
        {"cause": ValueError("a service that raises")},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_report_of_something_else_is_none(changes):
    rig = Rig()
    rig.raises(session_id=7)
    rig.reports(**{"cluster_session_id": 7, **changes})
    assert rig.found() == LOST


def test_a_process_that_was_killed_reports_nothing():
    rig = Rig()
    rig.raises()
    rig.process.is_running = False
    rig.check()
    rig.raises()
    rig.process.is_running = True
    rig.member.services = (SimpleNamespace(life=object()),)  # of the next process
    rig.check()
    assert rig.faults.raised == []
    assert rig.checker.counts() == {"failures of services compared": 0}


def test_a_failed_snapshot_is_reported_after_its_acknowledgement():
    rig = Rig()
    rig.raises("on_take_snapshot")
    rig.check()
    assert len(rig.faults.raised) == 1
    rig.reports(callback="on_take_snapshot")
    rig.check()
    assert rig.faults.raised == []
    rig.raises("on_take_snapshot")
    rig.check()
    assert rig.found(lambda: rig.checker.conclude(rig.cluster)) == LOST
    rig.cluster.now_ns = 20_000_000_000
    assert rig.found() == LOST


def test_a_snapshot_whose_recording_ended_may_be_reported_otherwise():
    rig = Rig()
    rig.raises("on_take_snapshot", error=StateError("the recording ended"))
    rig.checker.conclude(rig.cluster)
    assert rig.faults.raised == []


def test_what_no_service_raises_is_found_even_if_it_is_reported():
    rig = Rig(native_services={0})
    rig.raises(error=AttributeError("no such method"))
    rig.reports(OperationError("bridge: AttributeError: no such method", -7))
    assert rig.found() == EXPECTED


@pytest.mark.parametrize(
    ("cause", "is_report"),
    [
        (OperationError("bridge: SimulatedServiceError: a service that raises", -7), True),
        (OperationError("bridge: SimulatedServiceError: a service that raises", -6), False),
        (OperationError("bridge: no explanation", -7), False),
        (SimulatedServiceError("a service that raises"), False),
    ],
)
def test_a_native_service_reports_a_code_and_a_text(cause, is_report):
    rig = Rig(native_services={0})
    rig.raises()
    rig.reports(cause)
    (raised,) = rig.faults.raised
    (error,) = rig.member.errors
    assert is_report_of(error, raised, 2, is_native=True) == is_report
    assert not is_report_of(cause, raised, 2, is_native=True)


def test_a_native_service_explains_255_bytes():
    rig = Rig(native_services={0})
    rig.raises(error=SimulatedServiceError("x" * 300))
    text = ("SimulatedServiceError: " + "x" * 300)[:255]
    rig.reports(OperationError(f"bridge: {text}", -7))
    rig.check()
    assert rig.faults.raised == []


# ---- what raises ----


class Events:
    """An observed service that is called as by its container."""

    def __init__(self):
        self.faults = ServiceFaults(lambda: 0)
        owner = SimpleNamespace(member_id=2, on_service=lambda _: None, service_faults=self.faults)
        self.journal = Journal(0)
        self.cluster = SimpleNamespace(
            member_id=2, log_position=64, leadership_term_id=3, time=1000, role=Role.FOLLOWER
        )
        self.service = observed(ClusteredService(), self.journal, owner)
        self.service.on_start(self.cluster, None)

    def changes_role(self, role):
        self.cluster.role = role
        self.service.on_role_change(role)

    @property
    def violations(self):
        return [str(each) for each in self.journal.violations]


def test_callbacks_raise_as_often_as_the_plan_has_it():
    events = Events()
    events.faults.failing["on_role_change"] = 1
    with pytest.raises(SimulatedServiceError):
        events.changes_role(Role.LEADER)
    events.changes_role(Role.FOLLOWER)
    (raised,) = events.faults.raised
    assert (raised.callback, raised.log_position, raised.kind) == (
        "on_role_change",
        64,
        "SimulatedServiceError",
    )
    assert raised.life is events.service.life
    # Runs with damage have no check that drops it: it may not hold what the process has mapped.
    assert not any(isinstance(each, (BaseException, ClusteredService)) for each in raised)
    assert raised.session_id is None
    assert events.service.role is Role.FOLLOWER
    events.faults.failing = dict.fromkeys(FAILING_CALLBACKS, 1)
    events.faults.end()
    events.changes_role(Role.LEADER)


def test_a_role_that_the_cluster_does_not_have_is_found():
    events = Events()
    events.service.on_role_change(Role.LEADER)
    assert events.violations == ["member 2: the role at its change of role is 2, expected 0"]


def test_a_change_to_the_same_role_is_found():
    events = Events()
    events.changes_role(Role.LEADER)
    assert events.violations == []
    events.changes_role(Role.LEADER)
    assert len(events.violations) == 1


@pytest.mark.parametrize(("is_leading", "role"), [(True, Role.LEADER), (False, Role.FOLLOWER)])
def test_the_last_role_of_services_is_that_of_their_member(is_leading, role):
    service = Events().service
    service.role = role
    member = SimpleNamespace(is_running=True, is_leading=is_leading, services=(service, object()))
    cluster = SimpleNamespace(members=[member])
    RolesAreRight().conclude(cluster)
    member.is_leading = not is_leading
    with pytest.raises(InvariantError, match="services are notified of their roles"):
        RolesAreRight().conclude(cluster)
    member.is_running = False
    RolesAreRight().conclude(cluster)
