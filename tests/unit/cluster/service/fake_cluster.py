"""Fakes of the cluster, session and snapshot publication that a service uses."""

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.request_envelope import ENVELOPE_LENGTH, Envelope


class FakeSession:
    """A client's session, which records the sent messages as (envelope, body)."""

    def __init__(self, session_id):
        self.id = session_id
        self.is_closing = False
        self.results = []  # results of offers before they succeed
        self.sent = []

    def offer(self, message):
        if self.results:
            return self.results.pop(0)
        self.sent.append((Envelope.decode(message), bytes(message[ENVELOPE_LENGTH:])))
        return 64

    def take(self):
        sent, self.sent = self.sent, []
        return sent


class FakeCluster:
    """The calls made by a helper of services."""

    time_unit = ClusterTimeUnit.MILLIS
    max_payload_length = 0
    service_id = 0
    member_id = 2
    leadership_term_id = 3
    log_position = 4096

    def __init__(self):
        self.reported = []
        self.sessions = {}
        self.idled = 0

    def open(self, session_id):
        self.sessions[session_id] = FakeSession(session_id)
        return self.sessions[session_id]

    def close(self, session_id):
        del self.sessions[session_id]

    def report(self, error):
        self.reported.append(error)

    def get_client_session(self, session_id):
        return self.sessions.get(session_id)

    def idle(self, work_count=0):  # noqa: ARG002
        self.idled += 1


class Snapshot:
    """A snapshot's publication and the messages written to it."""

    def __init__(self):
        self.messages = []
        self.is_full = False

    def offer(self, message):
        self.is_full = not self.is_full
        if self.is_full:  # every second call
            return NotSent.BACK_PRESSURED
        self.messages.append(bytes(message))
        return 64
