"""The newest snapshots of members and backups, and the streams that the query leaves open."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.snapshots.peer_snapshots import PeerSnapshots
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import (
    BackupQuery,
    BackupResponse,
    Challenge,
    ChallengeResponse,
    EventCode,
    SessionEvent,
)
from aeron_cluster.errors import RegistrationError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.session_rig import MEMBERS

TIMEOUT_NS = 5_000_000_000
BACKUPS = ["backup:1", "backup:2"]
NAMES = ["member 1", "member 2", "backup backup:1", "backup backup:2"]
MEMBER = 0


class Stream:
    """A publication or subscription; the test reads what is sent, and provides the answers."""

    resolved_endpoint = "h0:4711"

    def __init__(self, channel):
        self.channel = channel
        self.sent = []
        self.answers = []
        self.is_closed = False

    def offer(self, message):
        self.sent.append(codecs.decode(message))
        return 64

    def poll(self, _assembler, limit):
        taken, self.answers = self.answers[:limit], self.answers[limit:]
        for message in taken:
            self.on_message(message, None)
        return len(taken)

    def close(self):
        self.is_closed = True


class Client:
    """A client of a driver that has every stream after one duty cycle."""

    def __init__(self):
        self.streams = []
        self.missing = ()  # endpoints without a route
        self.last_id = 0

    def next_correlation_id(self):
        self.last_id += 1
        return self.last_id

    def _add(self, channel, _stream_id):
        self.streams.append(Stream(str(channel)))
        return len(self.streams) - 1

    async_add_subscription = async_add_exclusive_publication = _add

    def get_subscription(self, registration_id):
        return self.streams[registration_id]

    def get_exclusive_publication(self, registration_id):
        stream = self.streams[registration_id]
        if any(each in stream.channel for each in self.missing):
            stream.is_closed = True
            raise RegistrationError("unknown host", 1, registration_id)
        return stream


def run(task):
    for _ in range(3):
        task.do_work()


class Rig:
    """A member that queries two others and two backups."""

    def __init__(self):
        self.clock = VirtualClock()
        self.aeron = Client()
        self.errors = []
        self.sent_to_members = []
        members = parse_members(MEMBERS)
        context = SimpleNamespace(
            options=SimpleNamespace(
                member_id=MEMBER, consensus_channel="aeron:udp", consensus_stream_id=108
            ),
            members=members,
            member=members[MEMBER],
            seams=SimpleNamespace(clock=self.clock),
            credentials=SimpleNamespace(
                encoded_credentials=lambda: b"", on_challenge=lambda challenge: b"re: " + challenge
            ),
            error_handler=self.errors.append,
        )
        self.peers = PeerSnapshots(
            context=context,
            aeron=self.aeron,
            link=SimpleNamespace(send=self._send),
            backups=BACKUPS,
        )

    def _send(self, member_id, message):
        self.sent_to_members.append((member_id, codecs.decode(message)))
        return True

    def begin(self):
        """Begin a query, and send it to all."""
        self.sent_to_members.clear()
        self.aeron.streams.clear()
        task = Task(self.peers.query_all())
        run(task)
        self.aeron.streams[0].on_message = self.peers._on_message
        return task

    @property
    def queries(self):
        """The query that each member and backup has received, by its name."""
        found = {f"member {member_id}": query for member_id, query in self.sent_to_members}
        for stream in self.aeron.streams[1:]:
            endpoint = ChannelUri.parse(stream.channel).get("endpoint")
            found |= {f"backup {endpoint}": query for query in stream.sent}
        return found

    def receive(self, message):
        self.aeron.streams[0].answers.append(message)

    def answer(self, name, position, member_id=7):
        """Answer a query with a snapshot."""
        self.receive(
            BackupResponse.encode(
                correlation_id=self.queries[name].correlation_id,
                log_recording_id=0,
                log_leadership_term_id=0,
                log_term_base_log_position=0,
                last_leadership_term_id=0,
                last_term_base_log_position=0,
                commit_position_counter_id=0,
                leader_member_id=1,
                member_id=member_id,
                snapshots=[
                    BackupResponse.Snapshots(
                        recording_id=9,
                        leadership_term_id=0,
                        term_base_log_position=0,
                        log_position=position - 32 * service_id,
                        timestamp=1,
                        service_id=service_id,
                    )
                    for service_id in (0, -1)
                ],
                cluster_members="",
            )
        )

    def reject(self, name):
        """Reject a query."""
        self.receive(
            SessionEvent.encode(
                cluster_session_id=-1,
                correlation_id=self.queries[name].correlation_id,
                leadership_term_id=0,
                leader_member_id=1,
                code=EventCode.AUTHENTICATION_REJECTED,
                version=0,
                leader_heartbeat_timeout_ns=0,
                detail="no",
            )
        )

    @property
    def open(self):
        return [each.channel for each in self.aeron.streams if not each.is_closed]


@pytest.fixture
def rig():
    return Rig()


def test_each_member_and_backup_answers_with_its_newest_snapshot(rig):
    task = rig.begin()
    assert list(rig.queries) == NAMES
    for query in rig.queries.values():
        assert isinstance(query, BackupQuery)
        assert query.response_channel == "aeron:udp?endpoint=h0:4711"
    positions = {name: 32 * number for number, name in enumerate(NAMES, 1)}
    for name, position in positions.items():
        rig.answer(name, position - 32)
    run(task)
    assert task.result == positions
    assert rig.errors == []


def test_the_answer_of_another_member_does_not_count(rig):
    task = rig.begin()
    rig.answer("member 1", 4096, member_id=2)
    run(task)
    assert rig.aeron.streams[0].answers == []
    rig.clock.advance(TIMEOUT_NS)
    run(task)
    assert task.result == dict.fromkeys(NAMES, -1)


@pytest.mark.parametrize("missing", [[], BACKUPS[:1], BACKUPS])
@pytest.mark.parametrize("end", ["all answer", "some answer", "all reject", "the module ends"])
def test_a_query_leaves_no_stream_open(rig, missing, end):
    """Members query before each purge."""
    rig.aeron.missing = missing
    for _ in range(3):
        task = rig.begin()
        assert rig.open
        queried = list(rig.queries)
        assert len(queried) == len(NAMES) - len(missing)
        if end == "the module ends":
            task.close()
        for name in queried[end == "some answer" :]:
            rig.reject(name) if end == "all reject" else rig.answer(name, 4096)
        if end == "some answer":
            run(task)
            assert not task.is_done
            rig.clock.advance(TIMEOUT_NS)
        run(task)
        assert task.is_done
        assert rig.open == []


@pytest.mark.parametrize("name", ["member 1", "backup backup:2"])
def test_a_challenge_is_answered_to_its_sender(rig, name):
    """A member whose backup queries are authenticated answers no query without it."""
    task = rig.begin()
    correlation_id = rig.queries[name].correlation_id
    rig.receive(
        Challenge.encode(
            correlation_id=correlation_id, cluster_session_id=-5, encoded_challenge=b"who"
        )
    )
    task.do_work()
    received = rig.queries[name]  # the last message
    assert isinstance(received, ChallengeResponse)
    assert (received.correlation_id, received.cluster_session_id) == (correlation_id, -5)
    assert received.encoded_credentials == b"re: who"
    assert all(isinstance(rig.queries[each], BackupQuery) for each in NAMES if each != name)
    for each in NAMES:
        rig.answer(each, 64)
    run(task)
    assert task.result == dict.fromkeys(NAMES, 96)


def test_a_rejected_query_is_reported_and_counts_as_unanswered(rig):
    task = rig.begin()
    rig.reject("member 2")
    for name in ("member 1", "backup backup:1", "backup backup:2"):
        rig.answer(name, 64)
    run(task)
    assert task.result == dict.fromkeys(NAMES, 96) | {"member 2": -1}
    assert [str(each) for each in rig.errors] == [
        "member 2: AUTHENTICATION_REJECTED: no",
    ]


def test_a_backup_without_a_route_is_reported_and_counts_as_unanswered(rig):
    rig.aeron.missing = BACKUPS[:1]
    task = rig.begin()
    for name in rig.queries:
        rig.answer(name, 64)
    run(task)
    assert task.result == dict.fromkeys(NAMES, 96) | {"backup backup:1": -1}
    assert ["unknown host" in str(each) for each in rig.errors] == [True]


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff" * 8,
        b"\xff" * 64,
        Challenge.encode(correlation_id=99, cluster_session_id=-5, encoded_challenge=b"who"),
        BackupQuery.encode(
            correlation_id=1,
            response_stream_id=1,
            version=0,
            log_position=0,
            response_channel="aeron:ipc",
            encoded_credentials=b"",
        ),
    ],
    ids=["empty", "a header", "unknown", "another's challenge", "no answer"],
)
def test_other_messages_are_skipped(rig, message):
    task = rig.begin()
    before = rig.queries
    rig.receive(message)
    for name in NAMES:
        rig.answer(name, 64)
    run(task)
    assert rig.queries == before
    assert (task.result, rig.errors) == (dict.fromkeys(NAMES, 96), [])
