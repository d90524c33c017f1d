"""Requests over lossy sessions are applied once, in order, and answered."""

from types import SimpleNamespace
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from aeron_cluster.cluster_client import surviving_client
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.memory.system.seams import Seams, SeededRandom
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime
from tests.unit.cluster_client.surviving_rig import MS, WINDOW, Answers, Attempts, Cluster


class Survival(RuleBasedStateMachine):
    @initialize(
        seed=st.integers(0, 1000),
        may_return=st.booleans(),
        is_connected=st.sampled_from([True, True, True, False]),
    )
    def begin(self, seed, may_return, is_connected):
        self.time = VirtualTime()
        self.cluster = Cluster()
        self.attempts = Attempts(self.cluster)
        self.patch = patch.object(surviving_client, "AsyncConnect", self.attempts)
        self.patch.start()
        self.seams = Seams(clock=VirtualClock(time=self.time), random=SeededRandom(seed))
        self.sent = []
        self.dropped = []
        self.answers = Answers()
        self.client_id = 7 if may_return else None
        self.begin_client()
        if is_connected:
            self.bring(lambda: self.client.is_connected)

    def begin_client(self, **more):
        context = SimpleNamespace(now_ns=self.seams.clock.nano_time, seams=self.seams)
        aeron = SimpleNamespace(is_closed=False, context=context)
        self.client = SurvivingClient.start(
            aeron=aeron,
            ingress_channel="aeron:udp",
            egress_channel="aeron:udp?endpoint=localhost:0",
            listener=self.answers,
            window_length=WINDOW,
            client_id=self.client_id,
            **more,
        )

    @property
    def session(self):
        return self.client._session

    # ---- events ----

    @rule(sizes=st.lists(st.integers(0, 20), min_size=1, max_size=5))
    def send(self, sizes):
        for size in sizes:
            payload = bytes([len(self.sent) & 0xFF]) * size
            sequence = self.client.send(payload)
            if sequence:
                self.sent.append(payload)
                assert sequence == len(self.sent)

    @rule(ms=st.sampled_from([0, 1, 10, 100, 1000, 7000]))
    def work(self, ms):
        self.time.advance(ms * MS)
        self.client.do_work()

    @rule(count=st.integers(1, 20))
    def commit(self, count):
        self.cluster.commit(count)

    @rule(count=st.integers(1, 20))
    def work_and_commit(self, count):
        self.work(1)
        self.cluster.commit(count)
        self.work(1)

    @rule(
        data=st.data(),
        what=st.sampled_from(
            [
                "lose egress",
                "double egress",
                "double ingress",
                "drop ingress",
                "late ingress",
                "press back",
                "close session",
                "lose leader",
                "gain leader",
                "swap leader",
            ]
        ),
    )
    def disturb(self, data, what):
        session, log = self.session, self.cluster.log
        uncommitted = len(log) - self.cluster.committed
        match what:
            case "lose egress" if session is not None and session.egress:
                del session.egress[data.draw(st.integers(0, len(session.egress) - 1))]
            case "double egress" if session is not None and session.egress:
                session.egress.append(data.draw(st.sampled_from(session.egress)))
            case "double ingress" if log:
                # Like late fragments of an old session.
                log.append(data.draw(st.sampled_from(log)))
            case "drop ingress" if uncommitted:
                # Without a reply, like a leader with the wrong term.
                at = self.cluster.committed + data.draw(st.integers(0, uncommitted - 1))
                self.dropped.append(log.pop(at))
            case "late ingress" if self.dropped:
                # It was in flight for any time, possibly longer than its client lived.
                log.append(data.draw(st.sampled_from(self.dropped)))
            case "press back" if session is not None:
                session.room = data.draw(st.sampled_from([0, 1, 3, 1000]))
            case "close session" if session is not None:
                session.close()
            case "lose leader" if session is not None and session.state is ClientState.CONNECTED:
                self.cluster.lose_uncommitted()
                session.state = ClientState.AWAIT_NEW_LEADER
            case "gain leader" if (
                session is not None and session.state is ClientState.AWAIT_NEW_LEADER
            ):
                session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
                session.leader_member_id += 1
                session.leadership_term_id += 1
            case "swap leader" if session is not None and session.state is ClientState.CONNECTED:
                self.cluster.lose_uncommitted()
                session.leadership_term_id += 1

    @rule(
        what=st.sampled_from(["snapshot", "restart cluster", "accept connects", "ignore connects"])
    )
    def operate(self, what):
        match what:
            case "snapshot":
                self.cluster.take_snapshot()
            case "restart cluster":
                # Sessions end, uncommitted log is dropped, committed log is applied again.
                self.cluster.lose_uncommitted()
                for session in list(self.cluster.sessions.values()):
                    session.close()
                self.cluster.recover()
                self.cluster.commit(0)
            case _:
                self.attempts.may_connect = what == "accept connects"

    @precondition(lambda self: self.client_id is not None and self.client._window is not None)
    @rule()
    def restart_client(self):
        """Kill it; another process continues with the same id."""
        self.time.advance(MS)
        answered = self.client.last_answered
        self.client.close()
        self.begin_client(last_sequence=answered)
        self.attempts.may_connect = True
        self.bring(lambda: self.client.is_connected)
        # Requests received by the service are applied; the rest may never have been sent.
        self.cluster.commit(1000)
        del self.sent[self.client.last_sequence :]

    # ---- invariants ----

    @invariant()
    def each_is_applied_once_and_in_order(self):
        applied = self.cluster.applied if hasattr(self, "cluster") else []
        assert applied == list(range(1, len(applied) + 1))

    @invariant()
    def each_answer_is_delivered_once(self):
        if not hasattr(self, "answers"):
            return
        answered_sequences = [sequence for sequence, _ in self.answers.answers]
        assert len(set(answered_sequences)) == len(answered_sequences)
        for sequence, body in self.answers.answers:
            assert body == b"done " + self.sent[sequence - 1]
            assert sequence <= self.cluster.committed

    def bring(self, is_done):
        for _ in range(2000):
            if self.session is not None:
                self.session.room = 1000
                if self.session.state is ClientState.AWAIT_NEW_LEADER:
                    self.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
            self.time.advance(20 * MS)
            self.client.do_work()
            self.cluster.commit(1000)
            if is_done():
                return
        raise AssertionError(f"{self.client!r} does not come to its end")

    def teardown(self):
        if not hasattr(self, "client"):
            return
        try:
            self.attempts.may_connect = True
            self.bring(lambda: self.client.is_connected and not self.client.unanswered_count)
            assert self.cluster.applied == list(range(1, len(self.sent) + 1))
            if self.client_id is None:  # no request ended without an answer
                answered_sequences = sorted(sequence for sequence, _ in self.answers.answers)
                assert answered_sequences == self.cluster.applied
            self.client.close()
            assert self.client.state is SurvivalState.CLOSED
            self.cluster.commit(1000)
            known = self.cluster.requests.last_sequence(self.client.client_id)
            assert known == (None if self.client_id is None else len(self.sent))
        finally:
            self.patch.stop()


TestSurvival = Survival.TestCase
TestSurvival.settings = settings(max_examples=60, stateful_step_count=60)
