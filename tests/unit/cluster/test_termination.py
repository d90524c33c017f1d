"""Which members are notified of the cluster's termination, awaited, and ignored."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.module.termination import Termination
from aeron_cluster.codecs.cluster import TerminationAck, TerminationPosition, decode
from aeron_cluster.errors import AgentTerminationError, ClusterError, ServiceError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.doubles import create_with_doubles

TIMEOUT_NS = 1000
INTERVAL_NS = 20


class Link:
    def __init__(self):
        self.sent = []
        self.rejects = set()

    def send(self, member_id, message):
        if member_id in self.rejects:
            return False
        self.sent.append((member_id, decode(message)))
        return True


class Services:
    """Acknowledges on request."""

    def __init__(self, steps):
        self.steps = steps
        self.has_acked = True
        self.acknowledged = set()

    def has_acknowledged(self, service_id):
        return service_id in self.acknowledged

    def terminate_at(self, log_position):
        self.steps.append(("services end at", log_position))
        yield

    def await_acks(self, log_position):
        while not self.has_acked:
            yield
        self.steps.append(("services acked", log_position))


class Rig:
    """Member 10 of 10, 11 and 12."""

    def __init__(self, *, leader):
        self.clock = VirtualClock(0, 0)
        self.steps = []
        self.errors = []
        self.commit_position = 96
        self.link = Link()
        self.services = Services(self.steps)
        self.status = SimpleNamespace(
            is_leader=leader == 10,
            leader_member_id=leader,
            leadership_term_id=3,
            enter=lambda state, reason: self.steps.append((state, reason)),
        )
        self.agent = SimpleNamespace(
            set_termination_position=lambda position: self.steps.append(("bound", position)),
            set_last_leader_update_ns=lambda now_ns: self.steps.append(("leader update", now_ns)),
        )

        def stop():
            self.steps.append("recording stopped")
            yield

        self.parts = SimpleNamespace(
            agent=self.agent,
            log_adapter=SimpleNamespace(position=96),
            status=self.status,
            counters=SimpleNamespace(
                commit_position=SimpleNamespace(is_closed=False, get=lambda: self.commit_position)
            ),
            services=self.services,
            context=SimpleNamespace(
                seams=SimpleNamespace(clock=self.clock),
                error_handler=self.errors.append,
                options=SimpleNamespace(
                    member_id=10,
                    termination_timeout_ns=TIMEOUT_NS,
                    leader_heartbeat_interval_ns=INTERVAL_NS,
                ),
            ),
            recording=SimpleNamespace(stop=stop),
            recording_log=SimpleNamespace(
                commit_log_position=lambda *given: self.steps.append(("committed", *given))
            ),
        )
        members = [SimpleNamespace(member_id=each) for each in (10, 11, 12)]
        self.termination = create_with_doubles(
            Termination, self.parts, members=members, link=self.link
        )

    def ack(self, member_id, log_position=96, term_id=3):
        self.termination.on_ack(
            TerminationAck(
                leadership_term_id=term_id, log_position=log_position, member_id=member_id
            )
        )

    def send_request(self, log_position=96, term_id=3):
        self.termination.on_position(
            TerminationPosition(leadership_term_id=term_id, log_position=log_position), 5
        )


def has_ended(task, passes=5):
    """Run some passes; return whether the expected end was reached."""
    try:
        for _ in range(passes):
            task.do_work()
    except AgentTerminationError as end:
        return end.is_expected
    return False


THE_END = [
    ("services end at", 96),
    ("services acked", 96),
    ("committed", 3, 96),
    "recording stopped",
    (State.CLOSED, "expected termination"),
]


@pytest.fixture
def leader():
    return Rig(leader=10)


@pytest.fixture
def follower():
    return Rig(leader=11)


# ---- the leader ----


def test_a_leader_notifies_all_and_waits_for_all(leader):
    leader.termination.notify_followers(96)
    position = TerminationPosition(leadership_term_id=3, log_position=96)
    assert leader.link.sent == [(11, position), (12, position)]
    task = Task(leader.termination.end_as_leader(96))
    assert not has_ended(task)
    leader.ack(11)
    leader.ack(11)
    assert not has_ended(task)
    leader.ack(12, log_position=128)
    assert has_ended(task)
    assert leader.steps == [("bound", 96), *THE_END]
    assert leader.errors == []


def test_a_leader_that_is_replaced_before_the_position_is_committed_follows(leader):
    leader.commit_position = 64
    leader.services.has_acked = False
    leader.termination.notify_followers(96)
    task = Task(leader.termination.end_as_leader(96))
    assert not has_ended(task)
    assert not task.is_done
    leader.status.is_leader = False
    assert not has_ended(task)
    assert task.is_done
    last = [("services end at", -1), (State.ACTIVE, "replaced before its end")]
    assert leader.steps == [("bound", 96), ("services end at", 96), *last]


def test_a_leader_that_is_replaced_after_the_position_is_committed_ends(leader):
    leader.services.has_acked = False
    leader.termination.notify_followers(96)
    task = Task(leader.termination.end_as_leader(96))
    leader.status.is_leader = False
    assert not has_ended(task)
    leader.services.has_acked = True
    leader.clock.advance(2 * TIMEOUT_NS)
    assert has_ended(task)
    assert leader.steps == [("bound", 96), *THE_END]


def test_its_services_are_stopped_first(leader):
    leader.termination.notify_followers(96)
    leader.services.has_acked = False
    task = Task(leader.termination.end_as_leader(96))
    leader.ack(11)
    leader.ack(12)
    leader.clock.advance(2 * TIMEOUT_NS)
    assert not has_ended(task)
    leader.services.has_acked = True
    assert has_ended(task)


def test_a_service_that_ended_without_an_acknowledgement_is_waited_for_by_timeout(follower):
    follower.send_request()
    follower.services.has_acked = False
    follower.services.acknowledged.add(1)
    task = Task(follower.termination.end_as_follower())
    follower.termination.on_service_lost(1)
    follower.clock.advance(TIMEOUT_NS)
    assert not has_ended(task)
    follower.termination.on_service_lost(0)
    follower.clock.advance(TIMEOUT_NS - 1)
    assert not has_ended(task)
    assert follower.errors == []
    follower.clock.advance(1)
    assert has_ended(task)
    (error,) = follower.errors
    assert isinstance(error, ServiceError)
    assert str(error).startswith("member 10, term 3, log position 96: service 0: ")


def test_leader_waits_at_most_the_timeout_after_its_snapshot(leader):
    leader.termination.notify_followers(96)
    leader.clock.advance(TIMEOUT_NS)
    task = Task(leader.termination.end_as_leader(96))
    leader.ack(11)
    assert not has_ended(task)
    leader.clock.advance(TIMEOUT_NS - 1)
    assert not has_ended(task)
    leader.clock.advance(1)
    assert has_ended(task)


def test_an_unreachable_member_is_named_and_costs_the_timeout(leader):
    leader.link.rejects.add(12)
    leader.termination.notify_followers(96)
    (error,) = leader.errors
    assert isinstance(error, ClusterError)
    assert "member=12" in str(error)
    task = Task(leader.termination.end_as_leader(96))
    leader.ack(11)
    assert not has_ended(task)
    leader.clock.advance(TIMEOUT_NS)
    assert has_ended(task)


@pytest.mark.parametrize("reported", [{"term_id": 2}, {"term_id": 4}, {"log_position": 64}])
def test_an_unrelated_acknowledgement_is_ignored(reported, leader):
    leader.termination.notify_followers(96)
    task = Task(leader.termination.end_as_leader(96))
    leader.ack(11)
    leader.ack(12, **reported)
    leader.ack(10)
    leader.ack(4711)
    assert not has_ended(task)


@pytest.mark.parametrize("role", [10, 11])
def test_an_unexpected_acknowledgement_does_nothing(role):
    """In upstream, one forged message raises a null pointer error here."""
    rig = Rig(leader=role)
    for member_id in (10, 11, 12, -1):
        rig.ack(member_id, log_position=2**63 - 1)
    assert rig.steps == rig.errors == []


def test_a_snapshot_from_before_the_request_does_not_count(leader):
    leader.ack(11)
    leader.ack(12)
    leader.termination.notify_followers(96)
    assert not has_ended(Task(leader.termination.end_as_leader(96)))


# ---- a follower ----


def test_a_follower_acknowledges_the_termination_position_and_ends(follower):
    follower.send_request()
    assert follower.steps == [("bound", 96), ("leader update", 5)]
    follower.steps.clear()
    assert has_ended(Task(follower.termination.end_as_follower()), 10)
    assert follower.steps == [(State.TERMINATING, "terminationPosition=96"), *THE_END]
    ack = TerminationAck(leadership_term_id=3, log_position=96, member_id=10)
    assert follower.link.sent == [(11, ack)]
    assert follower.errors == []


@pytest.mark.parametrize("part", ["recording log", "archive"])
@pytest.mark.parametrize("role", [10, 11])
def test_a_member_whose_end_cannot_be_recorded_ends_anyway(part, role):
    """Its services have ended: nothing would end it later."""
    rig = Rig(leader=role)
    failure = OSError("no answer in time")

    def fail(*_):
        raise failure

    if part == "archive":
        rig.parts.recording.stop = fail
    else:
        rig.parts.recording_log.commit_log_position = fail
    if role == 10:
        rig.termination.notify_followers(96)
        steps = rig.termination.end_as_leader(96)
        rig.ack(11)
        rig.ack(12)
    else:
        rig.send_request()
        steps = rig.termination.end_as_follower()
    assert has_ended(Task(steps), 10)
    assert rig.errors == [failure]
    assert rig.steps[-1] == (State.CLOSED, "expected termination")


@pytest.mark.parametrize("term_id", [2, 4])
def test_only_the_leader_of_this_term_may_request_it(term_id, follower, leader):
    follower.send_request(term_id=term_id)
    leader.send_request()
    assert follower.steps == leader.steps == []


def test_under_another_leader_it_ends_but_acknowledges_nothing(follower):
    # "A pending termination position is not cleared by an election; the node will end when its log
    # passes it, under any leader, and then reports instead of acking."
    follower.send_request()
    follower.status.leadership_term_id = 4
    assert has_ended(Task(follower.termination.end_as_follower()), 10)
    assert follower.link.sent == []
    (error,) = follower.errors
    text = "termination ack not sent - different leadership term to request: "
    assert str(error).startswith(text)
    assert "term 3" in str(error)
    # That leader may have appended more, which is recorded here but not read.
    assert ("committed", 4, 96) not in follower.steps


def test_services_end_at_their_position_after_reading_on_in_an_election(follower):
    follower.send_request(log_position=64)
    assert has_ended(Task(follower.termination.end_as_follower()), 10)
    assert follower.steps[-5:] == THE_END


def test_a_leader_under_back_pressure_is_notified_again_for_an_interval(follower):
    follower.send_request()
    follower.link.rejects.add(11)
    task = Task(follower.termination.end_as_follower())
    assert not has_ended(task)
    follower.link.rejects.clear()
    assert has_ended(task)
    assert len(follower.link.sent) == 1

    follower.link.rejects.add(11)
    task = Task(follower.termination.end_as_follower())
    assert not has_ended(task)
    follower.clock.advance(INTERVAL_NS)
    assert has_ended(task)
    assert len(follower.link.sent) == 1
