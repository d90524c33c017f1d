"""Members of a model cluster: real elections over model logs, archives and a model network.

A log is a list of runs ``(term, begin, end)``. Every operation takes at least one pass.
"""

from dataclasses import dataclass, field
from operator import itemgetter
from random import Random

from aeron_cluster.cluster.election.election import Election
from aeron_cluster.cluster.election.host import ElectionTimes
from aeron_cluster.cluster.members.members import Member
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.recording_log import Entry
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.events.recorder import NO_EVENTS

MS = 1_000_000
TIMES = ElectionTimes(
    startup_canvass_ns=60_000 * MS,
    ballot_ns=1_000 * MS,
    status_interval_ns=100 * MS,
    heartbeat_timeout_ns=10_000 * MS,
    heartbeat_interval_ns=200 * MS,
)
LONG_AGO = -(2**62)
TERM_EVENT_LENGTH = 96


@dataclass
class Disk:
    """A member's durable state."""

    runs: list[tuple[int, int, int]] = field(default_factory=list)
    terms: dict[int, tuple[int, int]] = field(default_factory=dict)  # base and end, by id
    candidate_term_id: int = -1
    promised_position: int = -1

    @property
    def end(self) -> int:
        return self.runs[-1][2] if self.runs else 0

    @property
    def last_term(self) -> int:
        return max(self.terms, default=-1)

    def append(self, term: int, begin: int, end: int) -> None:
        assert begin == self.end, (self.runs, term, begin, end)
        if end > begin:
            self.runs.append((term, begin, end))

    def copy(self, source: "Disk", stop: int) -> None:
        """Copy another log up to a position."""
        for term, begin, end in source.runs:
            low, high = max(begin, self.end), min(end, stop)
            if low == self.end and low < high:
                self.runs.append((term, low, high))

    def cut(self, position: int) -> None:
        self.runs = [(t, b, min(e, position)) for t, b, e in self.runs if b < position]

    def flat(self, stop: int) -> list[tuple[int, int, int]]:
        """Return the runs up to a position, with adjacent runs of a term merged."""
        merged: list[tuple[int, int, int]] = []
        for term, begin, end in self.runs:
            high = min(end, stop)
            if begin >= high:
                continue
            if merged and merged[-1][0] == term:
                merged[-1] = (term, merged[-1][1], high)
            else:
                merged.append((term, begin, high))
        return merged


class Replication:
    """A copy of the leader's log that takes some passes."""

    def __init__(self, host, leader, recording_id, stop_position, now_ns):
        del recording_id, now_ns
        self._host, self._leader, self._stop = host, leader, stop_position
        self.position = -1
        self.recording_id = 0
        self.is_done = self.is_closed = False

    def poll(self, now_ns):
        del now_ns
        host = self._host
        if self.is_done or not host.cluster.can_reach(host.member_id, self._leader.member_id):
            return 0
        source = host.cluster.nodes[self._leader.member_id]
        host.disk.copy(source.disk, min(self._stop, host.disk.end + host.cluster.step))
        self.position = host.disk.end
        self.is_done = self.position >= self._stop
        return 1

    def close(self):
        self.is_closed = True


class FollowerLog:
    """The leader's log at a follower."""

    def __init__(self, host):
        self._host = host
        self.reset()

    def reset(self):
        self.session_id = None
        self.has_live_destination = False
        self.has_catchup_destination = False
        self.is_joined = False

    @property
    def is_open(self):
        return self.session_id is not None

    @property
    def _leader(self):
        """Return the leader's node, while its log has the subscribed session."""
        for node in self._host.cluster.nodes.values():
            if (
                node.is_up
                and node.host.log_session_id == self.session_id
                and self._host.cluster.can_reach(node.member_id, self._host.member_id)
            ):
                return node
        return None

    def open(self, leader, log_session_id):
        del leader
        self._host.note(f"subscribes to the log of session {log_session_id}")
        self.session_id = log_session_id
        yield

    def add_catchup_destination(self):
        self.has_catchup_destination = True
        yield
        return f"localhost:900{self._host.member_id}"

    def add_live_destination(self):
        self._host.note("joins the live log")
        self.has_live_destination = True
        yield

    def remove_catchup_destination(self):
        self.has_catchup_destination = False

    def await_image(self, log_position):
        while (leader := self._leader) is None:
            yield
        if not self.has_catchup_destination:
            position = leader.disk.end
            if position != log_position:
                raise OSError(f"joined at {position}, not at {log_position}")

    def join(self, log_position, *, is_startup):
        while self._host.node.are_services_behind:
            yield
        self._host.note(f"services join the log at {log_position} startup={is_startup}")
        self.is_joined = True
        yield

    def is_near(self, position):
        return self._host.commit_position >= position - 1024

    def receive(self):
        """Record the data sent by the leader."""
        leader = self._leader
        if leader is None or not self.is_joined:
            return
        host = self._host
        if self.has_catchup_destination or self.has_live_destination:
            host.disk.copy(leader.disk, host.disk.end + host.cluster.step)

    def poll_catchup(self, limit_position, now_ns):
        host = self._host
        self.receive()
        if self._leader is None:
            raise OSError("the log ended")
        host.read(min(host.disk.end, limit_position))
        message = codecs.AppendPosition.encode(
            leadership_term_id=host.term_id,
            log_position=host.disk.end,
            follower_member_id=host.member_id,
            flags=1,
        )
        if host.repeat("append", host.disk.end, now_ns):
            host.cluster.send(host.member_id, host.election.leader.member_id, message)
        return 0


class Host:
    """Services that an election requests from its member."""

    app_version = 1

    def __init__(self, cluster, node):
        self.cluster, self.node = cluster, node
        self.member_id, self.disk = node.member_id, node.disk
        self.election = None
        self.follower_log = FollowerLog(self)
        self.last_leader_update_ns = LONG_AGO
        self.commit_position = 0
        self.is_taking_snapshot = False
        self.log_session_id = None
        self.role = Role.FOLLOWER
        self.term_id = node.disk.last_term
        self._notified = {}

    @property
    def candidate_term_id(self):
        return self.disk.candidate_term_id

    @property
    def log_recording_id(self):
        return 0 if self.disk.runs or self.disk.terms else -1

    def note(self, text):
        self.cluster.note(self.member_id, text)

    def repeat(self, kind, position, now_ns):
        """Return whether a message is due: the value changed or the interval has passed."""
        last_position, last_ns = self._notified.get(kind, (None, LONG_AGO))
        if position == last_position and now_ns < last_ns + TIMES.heartbeat_interval_ns:
            return False
        self._notified[kind] = (position, now_ns)
        return True

    def on_election_state(self, state, reason):
        self.note(f"{state.name}{': ' + reason if reason else ''}")

    def set_role(self, role):
        self.role = role

    def find_term(self, term_id):
        if term_id not in self.disk.terms:
            return None
        base, end = self.disk.terms[term_id]
        return Entry(0, term_id, base, end, 0, -1, 0, True)

    def find_term_end(self, term_id, open_end):
        entry = self.find_term(term_id)
        if entry is None:
            return None
        return open_end if entry.log_position == -1 else entry.log_position

    def random(self):
        return self.cluster.random.random()

    def cluster_time(self):
        return self.cluster.now_ns // MS

    def connect_peers(self):
        pass

    def send(self, member, message):
        return self.cluster.send(self.member_id, member.member_id, message)

    def prepare_for_new_leadership(self, log_position):
        self.set_role(Role.FOLLOWER)
        self.follower_log.reset()
        self.log_session_id = None
        yield
        del log_position
        return self.disk.end

    def begin_candidate_term(self, leadership_term_id, log_position):
        return self.propose_candidate_term(
            max(leadership_term_id, self.candidate_term_id) + 1, log_position
        )

    def propose_candidate_term(self, candidate_term_id, log_position):
        if candidate_term_id > self.disk.candidate_term_id:
            self.disk.candidate_term_id = candidate_term_id
            self.disk.promised_position = log_position
        return self.disk.candidate_term_id

    def append_term(self, term_id, term_base, log_position=-1):
        terms, last = self.disk.terms, self.disk.last_term
        if last == -1:
            for each in range(term_id):
                terms[each] = (0, 0)
            terms[term_id] = (term_base, -1)
        elif last < term_id:
            base, end = terms[last]
            if term_base != -1:
                end = term_base
            assert end != -1
            terms[last] = (base, end)
            for each in range(last + 1, term_id + 1):
                terms[each] = (end, end if each < term_id else -1)
        if log_position != -1:
            terms[term_id] = (terms[term_id][0], log_position)

    def drop_terms_after(self, term_id):
        self.disk.terms = {each: at for each, at in self.disk.terms.items() if each <= term_id}

    def truncate_log(self, leadership_term_id, position):
        self.note(f"truncates its log to {position}")
        yield
        self.disk.cut(position)
        base, _ = self.disk.terms[leadership_term_id]
        self.disk.terms[leadership_term_id] = (base, position)

    def replicate_log(self, leader, recording_id, stop_position, now_ns):
        self.note(f"replicates recording {recording_id} of {leader.member_id} to {stop_position}")
        return Replication(self, leader, recording_id, stop_position, now_ns)

    def replay_log(self, start_position, stop_position):
        self.note(f"replays its log from {start_position} to {stop_position}")
        yield
        self.read(stop_position)

    def read(self, stop_position):
        """Read the log as the module and services do, including the terms that begin in it."""
        for term, begin, end in self.disk.flat(stop_position):
            if begin >= self.commit_position and end > begin and term >= 0:
                self._on_term_begin(term, begin)
        self.commit_position = max(self.commit_position, stop_position)
        self.cluster.on_applied(self, stop_position)

    def _on_term_begin(self, term, begin):
        self.term_id = term
        event = codecs.NewLeadershipTermEvent
        message = event.encode(
            leadership_term_id=term,
            log_position=begin + TERM_EVENT_LENGTH,
            timestamp=0,
            term_base_log_position=begin,
            leader_member_id=0,
            log_session_id=0,
            time_unit=codecs.ClusterTimeUnit.MILLIS,
            app_version=1,
        )
        if self.election is not None:
            self.election.on_replay_term(codecs.decode(message))

    def add_log_publication(self, leadership_term_id, append_position):
        del append_position
        for _ in range(self.node.publication_passes):
            yield
        self.log_session_id = 1000 * (leadership_term_id + 1) + self.member_id
        return self.log_session_id

    def join_log_as_leader(self, leadership_term_id, log_position, *, is_startup):
        self.note(f"services join as leader at {log_position} startup={is_startup}")
        self.term_id = leadership_term_id
        yield

    def try_append_term_event(self, term_base):
        if self.cluster.followers_of(self.log_session_id) == 0 and len(self.cluster.nodes) > 1:
            return False
        self.disk.append(self.election.leadership_term_id, term_base, term_base + TERM_EVENT_LENGTH)
        return True

    def complete_as_leader(self, leadership_term_id, log_position, *, is_startup):
        self.note(f"leads term {leadership_term_id} startup={is_startup}")
        self.cluster.on_leader(self, leadership_term_id)
        self.commit_position = max(self.commit_position, log_position)
        yield

    def complete_as_follower(self, leader, leadership_term_id, log_position, notified_position):
        self.note(f"follows {leader.member_id} in term {leadership_term_id} at {log_position}")
        del notified_position
        self.term_id = leadership_term_id
        self.last_leader_update_ns = self.cluster.now_ns
        yield


class Node:
    """A member, running or stopped."""

    events = NO_EVENTS

    def __init__(self, cluster, member_id, disk=None):
        self.cluster, self.member_id = cluster, member_id
        self.disk = disk or Disk()
        self.is_up = False
        self.are_services_behind = False  # in the previous term's log
        self.publication_passes = 1  # passes until its log publication is added
        self.host = None
        self.leader_id = None
        self.notified_position = 0
        self.progress = {}

    def start(self):
        self.is_up = True
        self.host = Host(self.cluster, self)
        self._elect(is_node_startup=True)

    def kill(self):
        self.is_up = False
        self.host.election = None

    def _elect(self, *, is_node_startup):
        host = self.host
        self.leader_id = None
        members = [Member(each, *("localhost:1",) * 5) for each in self.cluster.nodes]
        host.election = Election(
            host,
            TIMES,
            members,
            self.member_id,
            is_node_startup=is_node_startup,
            log_leadership_term_id=host.term_id,
            log_position=host.commit_position,
            append_position=self.disk.end,
            events=self.events,
        )

    def elect(self, reason):
        self.host.note(f"new election: {reason}")
        self._elect(is_node_startup=False)

    def receive(self, message):
        host, now_ns = self.host, self.cluster.now_ns
        is_leaders = isinstance(message, codecs.NewLeadershipTerm | codecs.CommitPosition)
        if is_leaders and message.leadership_term_id >= host.term_id:
            host.last_leader_update_ns = now_ns
        election = host.election
        if isinstance(message, codecs.StopCatchup):
            if message.leadership_term_id == host.term_id:
                host.follower_log.remove_catchup_destination()
        elif election is not None:
            try:
                election.on_message(message, now_ns)
            except Exception as error:  # noqa: BLE001
                self._restart(error)
        else:
            self._receive_settled(message)
        if (
            isinstance(message, codecs.AppendPosition)
            and host.role is Role.LEADER
            and message.flags
            and message.log_position >= self.disk.end
        ):
            stop = codecs.StopCatchup.encode(
                leadership_term_id=message.leadership_term_id,
                follower_member_id=message.follower_member_id,
            )
            self.cluster.send(self.member_id, message.follower_member_id, stop)

    def _restart(self, error):
        self.host.note(f"error: {error}")
        self.host.election.restart(error, self.host.commit_position, self.cluster.now_ns)

    def _receive_settled(self, message):
        host = self.host
        match message:
            case codecs.CanvassPosition() if host.role is Role.LEADER:
                if message.log_leadership_term_id <= host.term_id:
                    self._answer(message)
            case codecs.RequestVote() if message.candidate_term_id > host.term_id:
                self.elect("unexpected vote request")
            case codecs.NewLeadershipTerm() | codecs.CommitPosition():
                if message.leadership_term_id > host.term_id:
                    self.elect("unexpected leader")
                elif message.leader_member_id == self.leader_id and isinstance(
                    message, codecs.CommitPosition
                ):
                    self.notified_position = max(self.notified_position, message.log_position)
            case codecs.AppendPosition() if message.leadership_term_id <= host.term_id:
                position = message.log_position
                self.progress[message.follower_member_id] = (position, self.cluster.now_ns)
            case _:
                pass

    def _answer(self, message):
        host, log_term = self.host, message.log_leadership_term_id
        member = message.follower_member_id
        self.progress[member] = (message.log_position, self.cluster.now_ns)
        base = self.disk.terms[host.term_id][0]
        next_id = next_base = next_end = -1
        if log_term < host.term_id:
            entry = host.find_term(log_term + 1)
            next_id, next_base = host.term_id, base
            if entry is not None:
                next_id, next_base = entry.leadership_term_id, entry.term_base_log_position
                next_end = entry.log_position
        answer = codecs.NewLeadershipTerm.encode(
            log_leadership_term_id=log_term,
            next_leadership_term_id=next_id,
            next_term_base_log_position=next_base,
            next_log_position=next_end,
            leadership_term_id=host.term_id,
            term_base_log_position=base,
            log_position=self.disk.end,
            leader_recording_id=0,
            timestamp=host.cluster_time(),
            leader_member_id=self.member_id,
            log_session_id=host.log_session_id,
            app_version=1,
            is_startup=codecs.BooleanType.FALSE,
            commit_position=host.commit_position,
        )
        self.cluster.send(self.member_id, member, answer)

    def work(self):
        host, now_ns = self.host, self.cluster.now_ns
        election = host.election
        if election is not None:
            try:
                election.do_work(now_ns)
            except Exception as error:  # noqa: BLE001
                self._restart(error)
            if election.is_closed:
                self.leader_id = election.leader.member_id
                self.notified_position = max(
                    election.notified_commit_position, host.commit_position
                )
                self.progress = {
                    member.member_id: (member.log_position, member.time_of_last_append_ns)
                    for member in election.others
                    if member.log_position >= 0
                }
                host.election = None
            return
        if host.role is Role.LEADER:
            self._lead(now_ns)
        else:
            self._follow(now_ns)

    def _lead(self, now_ns):
        host = self.host
        fresh = [p for p, at in self.progress.values() if now_ns - at < TIMES.heartbeat_timeout_ns]
        positions = sorted([self.disk.end, *fresh], reverse=True)
        needed = len(self.cluster.nodes) // 2
        if len(positions) <= needed:
            self.elect("inactive quorum")
            return
        position = min(positions[needed], self.disk.end)
        if position > host.commit_position:
            host.read(position)
            self.cluster.on_committed(host, position)
        if host.repeat("commit", position, now_ns):
            message = codecs.CommitPosition.encode(
                leadership_term_id=host.term_id,
                log_position=position,
                leader_member_id=self.member_id,
            )
            for other in self.cluster.nodes:
                if other != self.member_id:
                    self.cluster.send(self.member_id, other, message)

    def _follow(self, now_ns):
        host, log = self.host, self.host.follower_log
        log.receive()
        if log._leader is None:
            self.elect("log ended")
            return
        if now_ns > host.last_leader_update_ns + TIMES.heartbeat_timeout_ns:
            self.elect("leader silent")
            return
        stop = min(self.disk.end, self.notified_position)
        if stop > host.commit_position:
            host.read(stop)
        if host.repeat("append", self.disk.end, now_ns):
            message = codecs.AppendPosition.encode(
                leadership_term_id=host.term_id,
                log_position=self.disk.end,
                follower_member_id=self.member_id,
                flags=0,
            )
            self.cluster.send(self.member_id, self.leader_id, message)

    @property
    def leads(self):
        return self.is_up and self.host.election is None and self.host.role is Role.LEADER


class Cluster:
    """Nodes, a network between them, and the invariants."""

    def __init__(self, count=3, seed=0, disks=None):
        self.random = Random(seed)
        self.now_ns = 1_000 * MS
        self.step = 512
        self.loss = 0.0
        self.latency_ns = 0
        self.cut = set()
        self.reported = []
        self.leaders = {}
        self.committed = []
        self.committed_position = 0
        self._in_flight = []
        self._order = 0
        self.nodes = {}
        for member_id in range(count):
            disk = disks[member_id] if disks else None
            self.nodes[member_id] = Node(self, member_id, disk)

    # ---- the network ----

    def can_reach(self, source, target):
        return self.nodes[target].is_up and (source, target) not in self.cut

    def send(self, source, target, message):
        if not self.nodes[target].is_up or (source, target) in self.cut:
            return self.random.random() < 0.5  # a lost message may look sent
        decoded = codecs.decode(message)
        self.note(source, f"to {target}: {describe(decoded)}")
        if self.random.random() < self.loss:
            return True
        self._order += 1  # of messages that arrive at the same time
        delay_ns = int(self.random.random() * self.latency_ns)
        self._in_flight.append((self.now_ns + delay_ns, self._order, source, target, decoded))
        return True

    def run(self, passes=1, tick_ns=MS):
        for _ in range(passes):
            self.now_ns += tick_ns
            due = [each for each in self._in_flight if each[0] <= self.now_ns]
            self._in_flight = [each for each in self._in_flight if each[0] > self.now_ns]
            for _, _, source, target, message in sorted(due, key=itemgetter(0, 1)):
                if self.can_reach(source, target):
                    self.nodes[target].receive(message)
            for node in self.nodes.values():
                if node.is_up:
                    node.work()

    def run_until(self, condition, passes=100_000, tick_ns=MS):
        for _ in range(passes):
            if condition():
                return
            self.run(1, tick_ns)
        raise AssertionError(f"not reached: {self.states()}")

    # ---- invariants ----

    def note(self, member_id, text):
        self.reported.append(f"{member_id} {text}")

    def on_leader(self, host, term_id):
        assert self.leaders.setdefault(term_id, host.member_id) == host.member_id, term_id

    def on_committed(self, host, position):
        log = host.disk.flat(position)
        if position > self.committed_position:
            assert host.disk.flat(self.committed_position) == self.committed, (
                f"{host.member_id} lost what was committed: {self.committed} {log}"
            )
            self.committed, self.committed_position = log, position

    def on_applied(self, host, position):
        known = min(position, self.committed_position)
        applied = host.disk.flat(known)
        committed = Disk(list(self.committed)).flat(known)
        assert applied == committed, f"{host.member_id} applied {applied}, committed is {committed}"

    def followers_of(self, log_session_id):
        return sum(
            node.is_up
            and node.host.follower_log.session_id == log_session_id
            and node.host.follower_log.has_live_destination
            for node in self.nodes.values()
        )

    def leader(self):
        """The leader followed by a majority, or None."""
        for node in self.nodes.values():
            if node.leads:
                followers = [
                    each
                    for each in self.nodes.values()
                    if each.is_up
                    and each.host.election is None
                    and each.leader_id == node.member_id
                ]
                if len(followers) > len(self.nodes) // 2:
                    return node
        return None

    def states(self):
        return {
            member_id: "down"
            if not node.is_up
            else repr(node.host.election)
            if node.host.election
            else node.host.role.name
            for member_id, node in self.nodes.items()
        }


def describe(message):
    """Describe a message in one line: its kind and content without sessions, ids and times."""
    hidden = {"timestamp", "log_session_id", "protocol_version", "app_version", "catchup_endpoint"}
    fields = [
        f"{each.name}={int(getattr(message, each.name))}"
        for each in message.fields
        if each.name not in hidden
    ]
    return f"{type(message).__name__} {' '.join(fields)}"
