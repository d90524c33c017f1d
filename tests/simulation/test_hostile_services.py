"""Services that misbehave: what holds all the same, with each of them in every member."""

import pytest

from aeron_cluster.errors import ServiceCallbackError, ServiceError
from aeron_cluster.simulator.cluster import Cluster
from aeron_cluster.simulator.faults import FaultPlan
from aeron_cluster.simulator.reference import Reference, Request, Verb
from aeron_cluster.simulator.trial import Settings, Trial

S = 1_000_000_000


class Raising(Reference):
    """Raises at one request in five, the same on all members."""

    def on_session_message(self, session, timestamp, message, header):
        if session is not None and Request.decode(bytes(message)).number % 5 == 0:
            raise RuntimeError("a fifth request")
        super().on_session_message(session, timestamp, message, header)


class Closing(Reference):
    """Closes the session of one request in thirty."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if session is not None and Request.decode(bytes(message)).number % 30 == 29:
            session.close()


class Greedy(Reference):
    """Asks for four timers, and offers two messages to itself, with each message of a client."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if session is None:
            return
        for number in range(4):
            self._cluster.schedule_timer(1 << 40 | timestamp * 4 + number, timestamp + 500)
        for number in range(2):
            self._cluster.offer(Request(7, number, Verb.RELAY).encode())


@pytest.mark.parametrize("kind", [Raising, Closing, Greedy])
def test_the_cluster_goes_on_and_its_logs_are_equal(kind):
    settings = Settings(services=(kind,), layout="node", duration_ns=4 * S, sync_level=0)
    trial = Trial(1, settings, FaultPlan())
    trial._answer_checkers = list
    outcome = trial.run()
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["answers"] > 50
    errors = [error for member in trial.cluster.members for error in member.errors]
    kinds = {type(each) for each in errors}
    assert kinds == ({ServiceCallbackError} if kind is Raising else set())
    assert (outcome.counts["sessions"] > 2) == (kind is Closing)


class Verbose(Reference):
    """Offers the cluster a message that no term of its log has room for, and one that is short."""

    heard = 0

    def on_session_message(self, session, timestamp, message, header):
        if session is None:
            self.heard += 1
            return
        super().on_session_message(session, timestamp, message, header)
        for length in (9000, 100):
            while not self._cluster.offer(bytes(length)):
                self._cluster.idle()


def test_a_message_of_a_service_that_no_log_takes_holds_nothing_up():
    with Cluster(1, Verbose) as cluster:
        cluster.start()
        first = cluster.await_leader()
        client = cluster.add_client()

        def is_heard(count):
            running = [each for each in cluster.members if each.is_running]
            return all(each.services[0].heard == count for each in running)

        for number in range(3):
            client.send(Request(0, number, Verb.NEXT).encode())
        cluster.run_until(lambda: len(client.responses) == 3, what="the answers")
        cluster.run_until(lambda: is_heard(3), what="the messages that are short enough")
        assert all(isinstance(each, ServiceError) for each in first.errors)
        assert len(first.errors) == 3
        first.kill()
        cluster.run_until(
            lambda: cluster.leader() not in (None, first) and client.is_connected, what="a leader"
        )
        client.send(Request(0, 3, Verb.NEXT).encode())
        cluster.run_until(lambda: is_heard(4), what="the messages under the next leader")


class Talkative(Reference):
    """Answers more than a client hears whose egress has short terms; then goes on."""

    heard = 0

    def on_session_message(self, session, timestamp, message, header):
        if session is not None:
            session.offer(bytes(9000))
            self.heard += 1
        super().on_session_message(session, timestamp, message, header)


def test_an_answer_that_no_egress_takes_leaves_the_leader_in_step():
    with Cluster(1, Talkative) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client()
        for number in range(3):
            client.send(Request(0, number, Verb.NEXT).encode())
        cluster.run_until(lambda: len(client.responses) == 3, what="the short answers")
        cluster.run_until(
            lambda: [each.services[0].heard for each in cluster.members] == [3] * 3,
            what="members in step",
        )
        (error,) = leader.errors
        assert isinstance(error, ServiceError)
