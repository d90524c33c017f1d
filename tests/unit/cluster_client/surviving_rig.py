"""A surviving client between sessions and a service driven by the test, without any stream."""

from types import SimpleNamespace

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.errors import ClosedError, TimeoutExpiredError
from tests.unit.cluster.service.fake_cluster import FakeCluster, Snapshot

MS = 1_000_000
WINDOW = 8


class Cluster:
    """A log, a service driven by it, and its snapshot."""

    def __init__(self):
        self.log = []  # (session, message); committed up to `committed`
        self.committed = 0
        self.applied_to = 0
        self.snapshot = None  # (log position, applied requests, messages)
        self.next_session_id = 1
        self.sessions = {}
        self.longest_logged = self.longest_sent = 1 << 20  # a leader drops longer messages
        self.recover()

    def recover(self):
        """Restart the service, with the snapshot if it exists."""
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
        """Apply some of the log and send the service's replies to the sessions."""
        self.committed = min(self.committed + count, len(self.log))
        while self.applied_to < self.committed:
            session_id, message = self.log[self.applied_to]
            self.applied_to += 1
            if len(message) > self.longest_logged:
                continue
            session = self.view.get_client_session(session_id) or self.view.open(session_id)
            self.requests.handle(session, self.applied_to, message, self.apply)
            for envelope, body in session.take():
                message = envelope.encode(body)
                if session_id in self.sessions and len(message) <= self.longest_sent:
                    self.sessions[session_id].egress.append(message)

    def apply(self, request):
        self.applied.append(request.sequence)
        return b"done " + request.payload

    def lose_uncommitted(self):
        del self.log[self.committed :]


class Session:
    """A fake AeronCluster: the client's view of a session."""

    def __init__(self, cluster, on_message):
        self.cluster = cluster
        self.cluster_session_id = cluster.next_session_id
        cluster.next_session_id += 1
        cluster.sessions[self.cluster_session_id] = self
        cluster.view.open(self.cluster_session_id)
        self.on_message = on_message
        self.state = ClientState.CONNECTED
        self.leader_member_id = 0
        self.leadership_term_id = 0
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
    """A fake AsyncConnect: sessions open on the test's request."""

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
