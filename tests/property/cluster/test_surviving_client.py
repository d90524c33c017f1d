"""Requests over sessions that lose what they like are applied once, in order, and answered."""

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

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster import surviving_client
from aeron_cluster.cluster.cluster_client import ClientState
from aeron_cluster.cluster.request_listener import RequestListener
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster.surviving_client import SurvivalState, SurvivingClient
from aeron_cluster.errors import ClosedError, TimeoutExpiredError
from aeron_cluster.memory.seams import Seams, SeededRandom
from aeron_cluster.simulator.virtual_clock import VirtualClock, VirtualTime
from tests.unit.cluster.service.fake_cluster import FakeCluster, Snapshot

MS = 1_000_000
WINDOW = 8


class Cluster:
    """A log, a service that is driven by it, and its snapshot."""

    def __init__(self):
        self.log = []  # (session, message), up to `committed` it stays
        self.committed = 0
        self.applied_to = 0
        self.snapshot = None  # (log position, applied so far, messages)
        self.next_session_id = 1
        self.sessions = {}
        self.recover()

    def recover(self):
        """Begin the service again, with the snapshot if there is one."""
        self.view = FakeCluster()
        for session_id in self.sessions:
            self.view.open(session_id)
        self.requests = Deduplication(self.view, window_length=WINDOW)
        self.applied, self.applied_to = [], 0
        if self.snapshot is not None:
            self.applied_to, applied, messages = self.snapshot
            self.applied = list(applied)
            assert all(map(self.requests.load, messages))
            self.requests.check_loaded()

    def take_snapshot(self):
        snapshot = Snapshot()
        self.requests.write_snapshot(snapshot)
        self.snapshot = (self.applied_to, list(self.applied), snapshot.messages)

    def commit(self, count):
        """Apply some of the log, and put what the service says on the sessions' way."""
        self.committed = min(self.committed + count, len(self.log))
        while self.applied_to < self.committed:
            session_id, message = self.log[self.applied_to]
            self.applied_to += 1
            session = self.view.get_client_session(session_id) or self.view.open(session_id)
            self.requests.handle(session, self.applied_to, message, self.apply)
            for envelope, body in session.take():
                if session_id in self.sessions:
                    self.sessions[session_id].egress.append(envelope.encode(body))

    def apply(self, request):
        self.applied.append(request.sequence)
        return b"done " + request.payload

    def lose_uncommitted(self):
        del self.log[self.committed :]


class Session:
    """What the client has of a session, in the place of AeronCluster."""

    def __init__(self, cluster, on_message):
        self.cluster = cluster
        self.cluster_session_id = cluster.next_session_id
        cluster.next_session_id += 1
        cluster.sessions[self.cluster_session_id] = self
        cluster.view.open(self.cluster_session_id)
        self.on_message = on_message
        self.state = ClientState.CONNECTED
        self.leader_member_id = 0
        self.ingress_endpoints = ""
        self.ingress_publication = SimpleNamespace(max_message_length=4096)
        self.egress = []
        self.room = 1000

    def offer(self, message):
        if self.state is ClientState.CLOSED:
            raise ClosedError("the session is over")
        if self.state is ClientState.AWAIT_NEW_LEADER:
            return NotSent.NOT_CONNECTED
        if self.room == 0:
            return NotSent.BACK_PRESSURED
        self.room -= 1
        self.cluster.log.append((self.cluster_session_id, message))
        return 64

    def send_keep_alive(self):
        return self.state is ClientState.CONNECTED

    def poll_egress(self, limit):
        if self.state is ClientState.CLOSED:
            raise ClosedError("the session is over")
        taken, self.egress = self.egress[:limit], self.egress[limit:]
        for message in taken:
            self.on_message(0, message)
        return len(taken)

    def close(self):
        self.state = ClientState.CLOSED
        self.cluster.sessions.pop(self.cluster_session_id, None)


class Attempts:
    """In the place of AsyncConnect: sessions open when the test lets them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.may_connect = True

    def __call__(self, _kind, context):
        self.on_message = context.listener._on_message
        self.ingress_endpoints = ""
        return self

    def poll(self):
        if not self.may_connect:
            raise TimeoutExpiredError("cluster connect timed out")
        return Session(self.cluster, self.on_message)

    def close(self):
        pass


class Answers(RequestListener):
    def __init__(self):
        self.answers = []

    def on_answer(self, sequence, body):
        self.answers.append((sequence, body))


class Survival(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 1000), leave=st.booleans())
    def begin(self, seed, leave):
        self.time = VirtualTime()
        self.cluster = Cluster()
        self.attempts = Attempts(self.cluster)
        self.patch = patch.object(surviving_client, "AsyncConnect", self.attempts)
        self.patch.start()
        self.seams = Seams(clock=VirtualClock(time=self.time), random=SeededRandom(seed))
        self.sent = []
        self.answers = Answers()
        self.client_id = 7 if leave else None
        self.begin_client()

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

    # ---- what happens ----

    @rule(size=st.integers(0, 20))
    def send(self, size):
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

    @precondition(lambda self: self.session is not None)
    @rule(room=st.sampled_from([0, 1, 3, 1000]))
    def press_back(self, room):
        self.session.room = room

    @precondition(lambda self: self.session is not None and self.session.egress)
    @rule(data=st.data())
    def lose_egress(self, data):
        at = data.draw(st.integers(0, len(self.session.egress) - 1))
        del self.session.egress[at]

    @precondition(lambda self: self.session is not None and self.session.egress)
    @rule(data=st.data())
    def duplicate_egress(self, data):
        self.session.egress.append(data.draw(st.sampled_from(self.session.egress)))

    @precondition(lambda self: self.cluster.log)
    @rule(data=st.data())
    def duplicate_ingress(self, data):
        """Log something again, as an old session's late fragments would be."""
        self.cluster.log.append(data.draw(st.sampled_from(self.cluster.log)))

    @precondition(lambda self: len(self.cluster.log) > self.cluster.committed)
    @rule(data=st.data())
    def drop_ingress(self, data):
        """Drop a message without a word, as a leader does in the wrong term."""
        at = data.draw(st.integers(self.cluster.committed, len(self.cluster.log) - 1))
        del self.cluster.log[at]

    @precondition(lambda self: self.session is not None)
    @rule()
    def close_session(self):
        self.session.close()

    @precondition(
        lambda self: self.session is not None and self.session.state is ClientState.CONNECTED
    )
    @rule()
    def lose_leader(self):
        self.cluster.lose_uncommitted()
        self.session.state = ClientState.AWAIT_NEW_LEADER

    @precondition(
        lambda self: self.session is not None and self.session.state is ClientState.AWAIT_NEW_LEADER
    )
    @rule()
    def gain_leader(self):
        self.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
        self.session.leader_member_id += 1

    @rule(may=st.booleans())
    def let_connect(self, may):
        self.attempts.may_connect = may

    @rule()
    def take_snapshot(self):
        self.cluster.take_snapshot()

    @rule()
    def restart_cluster(self):
        """Kill it: sessions go, what was not committed is gone, what was is applied again."""
        self.cluster.lose_uncommitted()
        for session in list(self.cluster.sessions.values()):
            session.close()
        self.cluster.recover()
        self.cluster.commit(0)

    @precondition(lambda self: self.client_id is not None and self.client._window is not None)
    @rule()
    def restart_client(self):
        """Kill it: another process goes on under the same id."""
        self.time.advance(MS)
        answered = self.client.last_answered
        self.client.close()
        self.begin_client(last_sequence=answered)
        self.attempts.may_connect = True
        self.bring(lambda: self.client.is_connected)
        # What the service took is applied; the rest was never sent as far as anybody can tell.
        self.cluster.commit(1000)
        del self.sent[self.client.last_sequence :]

    # ---- what holds ----

    @invariant()
    def each_is_applied_once_and_in_order(self):
        applied = self.cluster.applied if hasattr(self, "cluster") else []
        assert applied == list(range(1, len(applied) + 1))

    @invariant()
    def each_answer_is_told_once_and_right(self):
        if not hasattr(self, "answers"):
            return
        told = [sequence for sequence, _ in self.answers.answers]
        assert len(set(told)) == len(told)
        for sequence, body in self.answers.answers:
            assert body == b"done " + self.sent[sequence - 1]
            assert sequence <= self.cluster.committed

    def bring(self, is_done):
        for _ in range(2000):
            if is_done():
                return
            if self.session is not None:
                self.session.room = 1000
                if self.session.state is ClientState.AWAIT_NEW_LEADER:
                    self.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
            self.time.advance(20 * MS)
            self.client.do_work()
            self.cluster.commit(1000)
        raise AssertionError(f"{self.client!r} does not come to its end")

    def teardown(self):
        if not hasattr(self, "client"):
            return
        try:
            self.attempts.may_connect = True
            self.bring(lambda: self.client.is_connected and not self.client.unanswered_count)
            assert self.cluster.applied == list(range(1, len(self.sent) + 1))
            if self.client_id is None:  # nobody ended without his answers
                told = sorted(sequence for sequence, _ in self.answers.answers)
                assert told == self.cluster.applied
            self.client.close()
            assert self.client.state is SurvivalState.CLOSED
            self.cluster.commit(1000)
            known = self.cluster.requests.last_sequence(self.client.client_id)
            assert known == (None if self.client_id is None else len(self.sent))
        finally:
            self.patch.stop()


TestSurvival = Survival.TestCase
TestSurvival.settings = settings(max_examples=60, stateful_step_count=60)
