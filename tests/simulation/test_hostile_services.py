"""Misbehaving services in every member: the cluster's guarantees still hold."""

import pytest

from aeron_cluster.errors import ServiceCallbackError
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000


class Raising(ReferenceService):
    """Raises at one request in five, on all members."""

    def on_session_message(self, session, timestamp, message, header):
        if session is not None and Request.decode(bytes(message)).number % 5 == 0:
            raise RuntimeError("a fifth request")
        super().on_session_message(session, timestamp, message, header)


class Closing(ReferenceService):
    """Closes the session of one request in thirty."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if session is not None and Request.decode(bytes(message)).number % 30 == 29:
            session.close()


class Greedy(ReferenceService):
    """With each client message, requests four timers and offers two messages."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if session is None:
            return
        for number in range(4):
            self._cluster.schedule_timer(1 << 40 | timestamp * 4 + number, timestamp + 500)
        for number in range(2):
            self._cluster.offer(Request(7, number, Verb.RELAY).encode())


@pytest.mark.parametrize("kind", [Raising, Closing, Greedy])
def test_the_cluster_continues_and_its_logs_are_equal(kind):
    settings = Settings(services=(kind,), layout="node", duration_ns=4 * S, sync_level=0)
    trial = Trial(1, settings, FaultPlan())
    trial._answer_checkers = list
    outcome = trial.run()
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["answers"] > 50
    errors = [error for member in trial.cluster.members for error in member.errors]
    kinds = {type(each) for each in errors}
    assert kinds == ({ServiceCallbackError} if kind is Raising else set())
    # Two clients; at the end one dies, the other's session ends. A closed session is opened again.
    assert (outcome.counts["sessions"] > 4) == (kind is Closing)
