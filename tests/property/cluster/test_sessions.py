"""Invariants of client sessions, for any events in any order."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.sessions.cluster_session import SessionState
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    ChallengeResponse,
    CloseReason,
    EventCode,
    NewLeaderEvent,
    SessionCloseEvent,
    SessionCloseRequest,
    SessionConnectRequest,
    SessionEvent,
    SessionOpenEvent,
)
from aeron_cluster.errors import MessageError, RegistrationError
from tests.unit.cluster.session_rig import EPOCH_MS, TERM, Publication, S, SessionRig, image

MAX_SESSIONS = 3
MAX_PENDING = 5
CLIENTS = st.integers(1, 6)

# Weights of events: mostly opens and closes.
WEIGHTS = {
    "connect": 6,
    "tick": 9,
    "close": 3,
    "service_close": 2,
    "lose_image": 1,
    "touch": 1,
    "commit": 2,
    "election": 2,
    "snapshot": 1,
    "log": 1,
    "driver": 1,
    "clients": 1,
    "window": 1,
    "reject": 1,
    "active": 1,
    "heal": 3,
}
ARGUMENTS = {
    "connect": st.tuples(CLIENTS, st.sampled_from(["good", "good", "good", "bad", "version"])),
    "tick": st.tuples(st.sampled_from([0, 0, 0, 0, 1, 4, 11])),
    "lose_image": st.tuples(CLIENTS),
    "commit": st.tuples(st.integers(0, 100)),
    "election": st.tuples(st.sampled_from([False, False, True])),
    "window": st.tuples(CLIENTS, st.booleans()),
    "reject": st.tuples(CLIENTS, st.booleans()),
    "snapshot": st.just(()),
    "heal": st.just(()),
    **dict.fromkeys(["log", "driver", "clients", "active"], st.tuples(st.booleans())),
    # One of the newest sessions.
    **dict.fromkeys(["close", "service_close", "touch"], st.tuples(st.integers(1, 3))),
}


@st.composite
def steps(draw):
    name = draw(st.sampled_from([name for name, weight in WEIGHTS.items() for _ in range(weight)]))
    return (name, *draw(ARGUMENTS[name]))


class Decider:
    """Accepts the good credentials and rejects the bad ones."""

    def __init__(self):
        self.credentials = {}

    def on_connect_request(self, session_id, encoded_credentials, _):
        assert session_id not in self.credentials, "an id is given once"
        self.credentials[session_id] = bytes(encoded_credentials)

    def on_connected_session(self, proxy, _):
        if self.credentials[proxy.session_id] == b"good":
            proxy.authenticate(b"")
        else:
            proxy.reject()

    def on_challenge_response(self, *_):
        raise AssertionError

    on_challenged_session = on_challenge_response


class World:
    """A leader, its events, and the expected state."""

    def __init__(self):
        self.rig = SessionRig(
            max_sessions=MAX_SESSIONS,
            max_pending_sessions=MAX_PENDING,
            max_pending_sessions_per_source=2,
            authenticator=Decider(),
        )
        self.manager = self.rig.manager
        self.term = TERM
        self.committed = 0
        self.positions = []  # the position after each log entry
        self.timed_out = 0

    def play(self, name, *arguments):
        getattr(self, name)(*arguments)
        self.check()

    def connect(self, number, how):
        version = 1 << 16 if how == "version" else 0
        self.rig.connect(number, version=version, encoded_credentials=how.encode())

    def tick(self, seconds):
        self.rig.tick(seconds * S)

    def _newest(self, back):
        return max(1, self.manager.next_session_id - back)

    def close(self, back):
        session_id = self._newest(back)
        self.rig.notify(
            SessionCloseRequest, leadership_term_id=self.term, cluster_session_id=session_id
        )

    def service_close(self, back):
        self.manager.on_service_close(self._newest(back), self.rig.now_ns)

    def lose_image(self, number):
        self.manager.on_image_unavailable(900 + number)

    def touch(self, back):
        session_id = self._newest(back)
        if session_id in self.rig.table:
            self.rig.table.touch(session_id, self.rig.now_ns)

    def log(self, is_full):
        self.rig.log.is_full = is_full

    def driver(self, is_answering):
        self.rig.aeron.is_answering = is_answering

    def clients(self, are_there):
        self.rig.aeron.are_clients_there = are_there

    def window(self, number, is_full):
        for publication in self.rig.aeron.publications:
            if f"client{number}:" in publication.channel:
                publication.is_full = is_full

    def reject(self, number, is_rejected):
        channel = f"aeron:udp?endpoint=client{number}:9"
        self.rig.aeron.rejections.pop(channel, None)
        if is_rejected:
            self.rig.aeron.rejections[channel] = RegistrationError("no such host", 1)

    def heal(self):
        self.rig.log.is_full = False
        self.rig.aeron.is_answering = self.rig.aeron.are_clients_there = True
        self.rig.aeron.rejections.clear()
        self.manager.set_active(True)

    def active(self, is_active):
        self.manager.set_active(is_active)

    def commit(self, percent):
        position = self.committed + (self.rig.log.position - self.committed) * percent // 100
        self.committed = position
        self.manager.on_committed(position)
        assert self.manager.first_uncommitted_position > position

    def election(self, is_startup):
        rig = self.rig
        self.manager.set_active(False)
        self.manager.prepare_for_new_leadership(self.committed)
        self.manager.restore_uncommitted(self.committed)
        # The next leader had only the committed part.
        kept = sum(position <= self.committed for position in self.positions)
        del rig.log.entries[kept:]
        del self.positions[kept:]
        rig.log.position = self.positions[-1] if self.positions else 0
        self.committed = min(self.committed, rig.log.position)
        assert self.manager.first_uncommitted_position == 2**63 - 1
        self.check()
        assert set(self.followers()) == {r.cluster_session_id for r in self.manager.records()}
        self.term += 1
        self.manager.become_leader(self.term, is_startup=is_startup, now_ns=rig.now_ns)
        self.manager.set_active(True)

    def snapshot(self):
        other = SessionRig(is_leader=False)
        other.manager.load(self.manager.records(), self.manager.next_committed_session_id)
        assert other.manager.records() == self.manager.records()
        self.manager.after_snapshot(self.rig.now_ns, self.rig.now_ns)

    # ---- invariants ----

    def followers(self):
        """Return a follower's sessions, from the log."""
        follower = SessionRig(is_leader=False).manager
        for (kind, session_id, *rest), position in zip(
            self.rig.log.entries, self.positions, strict=True
        ):
            if kind == "open":
                event = SessionOpenEvent(
                    leadership_term_id=TERM,
                    correlation_id=rest[0],
                    cluster_session_id=session_id,
                    timestamp=EPOCH_MS,
                    response_stream_id=rest[2],
                    response_channel=rest[3],
                )
                follower.on_replay_open(event, position)
            else:
                event = SessionCloseEvent(
                    leadership_term_id=TERM,
                    cluster_session_id=session_id,
                    timestamp=EPOCH_MS,
                    close_reason=CloseReason[rest[0]],
                )
                follower.on_replay_close(event)
        return [record.cluster_session_id for record in follower.records()]

    def check(self):
        rig, manager = self.rig, self.manager
        while len(self.positions) < len(rig.log.entries):
            kind = rig.log.entries[len(self.positions)][0]
            before = self.positions[-1] if self.positions else 0
            self.positions.append(before + (160 if kind == "open" else 96))
        opened = [entry[1] for entry in rig.log.of("open")]
        closed = [entry[1] for entry in rig.log.of("close")]
        records = manager.records()
        ids = [record.cluster_session_id for record in records]
        assert len(set(opened)) == len(opened), "an id is opened once"
        assert len(set(closed)) == len(closed), "a close is logged once"
        assert set(closed) <= set(opened)
        assert len(records) <= MAX_SESSIONS
        assert sorted(ids) == ids
        # Log and list are equal, at a leader and at a follower.
        assert set(ids) == set(opened) - set(closed) == set(self.followers())
        assert len(rig.table) == len(records)
        for session_id in ids:
            session = manager.session(session_id)
            assert session.state in (SessionState.OPEN, SessionState.CLOSING)
            assert rig.table.is_open(session_id) is session.is_open
            assert (session.close_reason is CloseReason.NULL_VALUE) is session.is_open
        assert all(session_id < manager.next_session_id for session_id in opened)
        assert manager.next_committed_session_id <= manager.next_session_id
        things = [thing for thing in rig.aeron.open_things if isinstance(thing, Publication)]
        assert len(things) <= len(records) + MAX_PENDING, "strangers cost no more than that"
        assert rig.timed_out >= self.timed_out
        self.timed_out = rig.timed_out

    def settle(self):
        """Run until all pending work has ended: all clients are silent."""
        rig = self.rig
        self.heal()
        for _ in range(4):
            rig.tick(11 * S)
            self.check()
        assert rig.aeron.open_things == [], "nothing of the driver's is kept"
        assert len(self.manager) == 0
        assert len(self.manager.limits) == 0, "every place is given back"
        assert not rig.manager.is_busy
        assert rig.manager.next_deadline_ns() == 2**63 - 1


def codes_by_session(world):
    codes = {}
    for publication in world.rig.aeron.publications:
        for message in publication.messages:
            if isinstance(message, SessionEvent):
                codes.setdefault(message.cluster_session_id, []).append(message.code)
            else:
                assert isinstance(message, NewLeaderEvent)
                assert codes[message.cluster_session_id][-1] is EventCode.OK
    return codes


@given(script=st.lists(steps(), min_size=20, max_size=80))
def test_invariants_of_session_life(script):
    world = World()
    for name, *arguments in script:
        world.play(name, *arguments)
    world.settle()
    # Each client gets one event for its request, and at most one for the end of its session.
    for codes in codes_by_session(world).values():
        assert codes in (
            [EventCode.OK],
            [EventCode.OK, EventCode.CLOSED],
            [EventCode.CLOSED],
            [EventCode.ERROR],
            [EventCode.AUTHENTICATION_REJECTED],
        ), codes


int64 = st.integers(-(2**63), 2**63 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)
requests = st.one_of(
    st.builds(
        SessionConnectRequest.encode,
        correlation_id=int64,
        response_stream_id=int32,
        version=st.integers(0, 2**24),
        response_channel=st.text(max_size=40),
        encoded_credentials=st.binary(max_size=10),
        client_info=st.text(max_size=500),
    ),
    st.builds(
        SessionCloseRequest.encode,
        leadership_term_id=st.one_of(int64, st.just(TERM)),
        cluster_session_id=st.one_of(int64, st.integers(-1, 5)),
    ),
    st.builds(
        ChallengeResponse.encode,
        correlation_id=int64,
        cluster_session_id=st.one_of(int64, st.integers(-1, 5)),
        encoded_credentials=st.binary(max_size=10),
    ),
    st.builds(
        AdminRequest.encode,
        leadership_term_id=st.one_of(int64, st.just(TERM)),
        cluster_session_id=st.one_of(int64, st.integers(-1, 5)),
        correlation_id=int64,
        request_type=st.sampled_from(list(AdminRequestType)),
        payload=st.binary(max_size=10),
    ),
)


@given(
    messages=st.lists(st.one_of(st.binary(max_size=80), requests), max_size=20),
    flips=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 255)), max_size=3),
)
def test_no_client_input_raises(messages, flips):
    rig = SessionRig(max_sessions=4)
    for message in messages:
        damaged = bytearray(message)
        for at, value in flips:
            if at < len(damaged):
                damaged[at] = value
        for each in (message, bytes(damaged)):
            with contextlib.suppress(MessageError):  # not a message: the hot half counts it
                assert rig.manager.on_ingress(each, image(), rig.now_ns) is True
        rig.tick()
    assert len(rig.manager) <= 4
