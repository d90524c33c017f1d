"""The life of client sessions, as transcripts in `sessions/*.txt`."""

import re

import pytest

from aeron_cluster.client.security import SimpleAuthenticator
from aeron_cluster.codecs.cluster import (
    AdminResponse,
    CloseReason,
    NewLeaderEvent,
    SessionCloseEvent,
    SessionCloseRequest,
    SessionEvent,
    SessionOpenEvent,
)
from tests.scenarios.transcript import FOLDER, run
from tests.unit.cluster.session_rig import EPOCH_MS, MS, TERM, S, SessionRig, image

UNITS = {"ms": MS, "s": S}


def ns(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s)", text).groups()
    return int(number) * UNITS[unit]


def version_of(text):
    major, minor, patch = map(int, text.split("."))
    return major << 16 | minor << 8 | patch


def described(message):
    match message:
        case SessionEvent():
            text = f"{message.code.name} session={message.cluster_session_id}"
            text += f" term={message.leadership_term_id} leader={message.leader_member_id}"
            return f"{text} correlation={message.correlation_id} {message.detail!r}"
        case NewLeaderEvent():
            text = f"new leader {message.leader_member_id} session={message.cluster_session_id}"
            return f"{text} term={message.leadership_term_id} {message.ingress_endpoints!r}"
        case AdminResponse():
            return f"admin {message.response_code.name} {message.message!r}"
        case _:
            return repr(message)


class Script:
    """A member with clients, log and driver played by the transcript."""

    def __call__(self, name, arguments):
        """Run the method of a command's name; return the new output."""
        own = getattr(self, name.replace("-", "_"))(**arguments)
        return [*(own or ()), *self._changes()]

    def member(self, role, **options):
        """Start a member in term 7: ``leader`` or ``follower``."""
        users = options.pop("users", "")
        authenticator = None
        if users:
            pairs = (user.split(":") for user in users.split(","))
            authenticator = SimpleAuthenticator({a.encode(): b.encode() for a, b in pairs})
        self.rig = SessionRig(
            is_leader=role == "leader",
            authenticator=authenticator,
            **{name: int(value) for name, value in options.items()},
        )
        self.term = TERM
        self.seen = [0, 0, 0]
        self.observed = {}
        self.closed = set()

    def _changes(self):
        rig = self.rig
        for kind, session_id, *rest in rig.log.entries[self.seen[0] :]:
            yield f"log: {kind} session={session_id}" + (
                f" {rest[0]}" if kind == "close" else f" correlation={rest[0]}"
            )
        for publication in rig.aeron.publications:
            name = re.search(r"client\d+", publication.channel)[0]
            before = self.observed.get(publication, 0)
            for message in publication.messages[before:]:
                yield f"{name}: {described(message)}"
            self.observed[publication] = len(publication.messages)
            if publication.is_closed and publication not in self.closed:
                self.closed.add(publication)
                yield f"{name}: egress closed"
        for error in rig.errors[self.seen[1] :]:
            yield f"error: {error}"
        if rig.timed_out != self.seen[2]:
            yield f"timed out clients: {rig.timed_out}"
        self.seen = [len(rig.log.entries), len(rig.errors), rig.timed_out]

    def connect(self, client, **options):
        """Request a session as a client."""
        fields = {}
        if "version" in options:
            fields["version"] = version_of(options["version"])
        if "credentials" in options:
            fields["encoded_credentials"] = options["credentials"].encode()
        self.rig.connect(int(client), **fields)

    def tick(self, after="0s", times="1"):
        """Advance time before each of some passes."""
        self.rig.tick(ns(after), int(times))

    def deliver(self, session):
        """Handle a session's message or keep-alive as the hot half does."""
        self.rig.table.touch(int(session), self.rig.now_ns)

    def close(self, session):
        """Request the close of a session as its client."""
        session_id = int(session)
        is_known = session_id in self.rig.table
        its_image = self.rig.table.ingress_image(session_id) if is_known else -1
        self.rig.notify(
            SessionCloseRequest,
            image=1 if its_image < 0 else its_image - image(0).correlation_id,
            leadership_term_id=self.term,
            cluster_session_id=session_id,
        )

    def service_close(self, session):
        """Request the close of a session as its service."""
        self.rig.manager.on_service_close(int(session), self.rig.now_ns)

    def lose_image(self, client):
        """Remove a client's ingress image."""
        self.rig.manager.on_image_unavailable(900 + int(client))

    def log_full(self):
        """Make the log accept nothing."""
        self.rig.log.is_full = True

    def log_free(self):
        """Make the log accept everything again."""
        self.rig.log.is_full = False

    def clients_away(self):
        """Disconnect the egress of all clients."""
        self.rig.aeron.are_clients_there = False

    def clients_back(self):
        """Connect it again."""
        self.rig.aeron.are_clients_there = True

    def suspend(self):
        """Suspend the module."""
        self.rig.manager.set_active(False)

    def resume(self):
        """Resume it."""
        self.rig.manager.set_active(True)

    def commit(self, position):
        """Commit the log up to a position."""
        self.rig.manager.on_committed(int(position))

    def election(self, commit):
        """Begin an election at the current commit position."""
        self.rig.manager.set_active(False)
        self.rig.manager.prepare_for_new_leadership(int(commit))
        self.rig.manager.restore_uncommitted(int(commit))

    def lead(self, term, how="elected"):
        """Win the election: ``elected``, or ``started`` if the member has just started."""
        self.term = int(term)
        self.rig.manager.become_leader(
            self.term, is_startup=how == "started", now_ns=self.rig.now_ns
        )
        self.rig.manager.set_active(True)

    def replay_open(self, session, client, position):
        """Replay an open event from the log."""
        event = SessionOpenEvent(
            leadership_term_id=self.term,
            correlation_id=40 + int(session),
            cluster_session_id=int(session),
            timestamp=EPOCH_MS,
            response_stream_id=102,
            response_channel=f"aeron:udp?endpoint=client{client}:9",
        )
        self.rig.manager.on_replay_open(event, int(position))

    def replay_close(self, session, reason):
        """Replay a close event from the log."""
        event = SessionCloseEvent(
            leadership_term_id=self.term,
            cluster_session_id=int(session),
            timestamp=EPOCH_MS,
            close_reason=CloseReason[reason],
        )
        self.rig.manager.on_replay_close(event)

    def sessions(self):
        """Print the sessions a snapshot would contain, and the ids."""
        for record in self.rig.manager.records():
            state = self.rig.manager.session(record.cluster_session_id).state.name
            reason = "" if state == "OPEN" else f" {record.close_reason.name}"
            yield (
                f"session {record.cluster_session_id}: {state}{reason}"
                f" opened at {record.opened_log_position}"
            )
        manager = self.rig.manager
        yield f"next {manager.next_session_id}, committed {manager.next_committed_session_id}"


SESSIONS = sorted((FOLDER / "sessions").glob("*.txt"))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session_life(path, rewrite):
    run(path, Script(), rewrite=rewrite)
