"""Shared by the scenarios: a whole cluster with short timeouts, and its requests."""

from aeron_cluster.archive.protocol.recording_pos import find_counter_by_recording
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster, MemberState

MS = 1_000_000
S = 1000 * MS
# The proportions of the defaults, with shorter times.
QUICK = {
    "startup_canvass_timeout_ns": 2 * S,
    "election_timeout_ns": 500 * MS,
    "election_status_interval_ns": 50 * MS,
    "leader_heartbeat_timeout_ns": S,
    "leader_heartbeat_interval_ns": 100 * MS,
    "session_timeout_ns": 5 * S,
    "termination_timeout_ns": 3 * S,
}
FILES = "/data"


class Scenario(Cluster):
    """A cluster whose members replicate to their own hosts."""

    def __init__(self, seed=1, services=ReferenceService, *, module=None, **options):
        parts = dict(options.pop("options", {}))
        parts["consensus_module"] = {**QUICK, **(module or {})}
        options.setdefault("checkers", standard_checkers())
        super().__init__(seed, services, options=parts, **options)
        self.client = None
        self.known_endpoints = {}  # by member id, if clients use other endpoints
        self._number = 0

    def node_options(self, member):
        options = super().node_options(member)
        channel = f"aeron:udp?endpoint={member.machine.name}:0"
        options["consensus_module"].setdefault("replication_channel", channel)
        return options

    @property
    def ingress_endpoints(self):
        if not self.known_endpoints:
            return super().ingress_endpoints
        return ",".join(f"{member_id}={each}" for member_id, each in self.known_endpoints.items())

    def make_service(self, member, service_id):
        made = super().make_service(member, service_id)
        made.service.scenario, made.service.member_id = self, member.member_id
        return made

    def begin(self):
        """Start everything, including a client."""
        self.start()
        self.await_leader()
        self.client = self.add_client()
        return self

    # ---- clients ----

    def send_request(self, count=5, padding=0):
        """Send requests and wait for answers from the client's current leader."""
        if self.client is None:
            self.client = self.add_client()
        self.run_until(self._is_served, what="a client that knows its leader")
        wanted = len(self.client.responses) + count
        for _ in range(count):
            request = Request(self.client.number, self._number, Verb.NEXT, padding=padding)
            self.client.send(request.encode())
            self._number += 1
        self.run_until(lambda: len(self.client.responses) >= wanted, what="the answers")

    def _is_served(self):
        leader, session = self.leader(), self.client.session
        return (
            leader is not None
            and session is not None
            # A client's session is known to a new leader once the client has sent it a message.
            and session.state in (ClientState.CONNECTED, ClientState.AWAIT_NEW_LEADER_CONNECTION)
            and session.leader_member_id == leader.member_id
        )

    # ---- members ----

    @property
    def followers(self):
        leader = self.leader()
        return [member for member in self.members if member.is_running and member is not leader]

    def await_other_leader(self, *old):
        """Wait until a member other than these leads; return it."""
        rest = [member for member in self.members if member not in old]
        self.run_until(lambda: any(each.is_leading for each in rest), what="another leader")
        return next(each for each in rest if each.is_leading)

    def await_equal(self, *members):
        """Wait until members, by default all, have read the commit position without an election."""
        members = members or self.members

        def is_equal():
            if self.leader() is None or not all(each.is_running for each in members):
                return False
            if not all(election_of(each) is ElectionState.CLOSED for each in members):
                return False
            positions = {each.commit_position for each in (*members, self.leader())}
            states = {each.services[0].state.encode() for each in members}
            return len(positions) == 1 and len(states) == 1

        self.run_until(is_equal, timeout_ns=100 * S, what="members that agree")

    def await_all(self, holds, *members, what=""):
        """Wait until a condition holds for each of these members, by default all."""
        self.run_until(lambda: all(map(holds, members or self.members)), what=what)

    def drop_client(self):
        """Use a new client for the next request: a restarted cluster knows no session."""
        if self.client is not None:
            self.client.close()
            self.client = None

    def kill_all(self):
        self.drop_client()
        for member in self.members:
            if member.is_running:
                member.kill()

    def restart_all(self):
        """Kill all members, start all, and wait until they agree."""
        self.kill_all()
        self.start()
        self.await_leader()
        self.await_equal()

    def start_blank(self, member):
        """Start a member with removed directories."""
        files = member.machine.files
        files.remove_tree(FILES)
        files.make_directory(FILES)
        member.start()

    def snapshot(self, *members):
        """Request a snapshot from the leader; wait until these members, by default all, have it."""
        members = members or self.members
        wanted = {each: snapshots_of(each) + 1 for each in members}
        self.run_until(lambda: self.leader().module.try_toggle(ControlToggle.SNAPSHOT))
        self.await_all(lambda each: snapshots_of(each) == wanted[each], *members, what="snapshots")
        self.await_all(is_active, *members, what="active members")

    def end(self, toggle, *members):
        """Request an end from the leader; wait until these members, by default all, have ended."""
        assert self.leader().module.try_toggle(toggle)
        self.await_all(lambda each: each.state is MemberState.ENDED, *members, what="the end")
        self.drop_client()

    def entries(self, member, kind=None):
        """Return a member's recording log entries, of one kind or all."""
        files = member.machine.files.copy(FILES)
        with RecordingLog(files, f"{FILES}/cluster", writable=False) as log:
            return [entry for entry in log.entries if kind in (None, entry.entry_type)]

    def snapshots(self, member):
        """Return the distinct positions of a member's valid snapshots, in order."""
        entries = self.entries(member, EntryType.SNAPSHOT)
        return sorted({entry.log_position for entry in entries if entry.is_valid})

    def log_recording(self, member):
        """Return the recording id of a member's log."""
        (found,) = {entry.recording_id for entry in self.entries(member, EntryType.TERM)}
        return found

    def invalidate_snapshot(self, member):
        """Invalidate the latest snapshot of a stopped member."""
        with RecordingLog(member.machine.files, f"{FILES}/cluster") as log:
            assert log.invalidate_latest_snapshot()

    def block_log(self, leader, *others):
        """Block a leader's log to other members; other traffic passes."""
        for each in others:
            port = int(each.node.member.log_endpoint.rpartition(":")[2])
            self.world.wire.block(leader.machine.network, each.machine.network, port=port)

    @property
    def kinds(self):
        """Return the kinds of the services' log entries, in order."""
        return [entry.kind for entry in self.journals[0].entries]


class Slow(ReferenceService):
    """A service that needs a given time for each client message, in ns."""

    delay_ns = 0
    done_ns = 0  # the end of the last message's work

    def on_session_message(self, session, timestamp, message, header):
        self.wait(self.delay_ns)
        super().on_session_message(session, timestamp, message, header)
        self.done_ns = self.scenario.now_ns

    def wait(self, duration_ns):
        """Advance time for everything else."""
        until_ns = self.scenario.now_ns + duration_ns
        while self.scenario.now_ns < until_ns:
            self._cluster.idle()


def send_to_archive(member, kind, **fields):
    """Send a request to a member's archive directly, without its member."""
    member.module._conductor._start.archive.post(kind, **fields)


def counters_of(member):
    """Return the counters of a member's driver."""
    return member.module._aeron.counters_reader


def appended(member, log_recording=0):
    """Return the recorded position of a member's log, or -1 if it does not record."""
    counters = counters_of(member)
    found = find_counter_by_recording(counters, log_recording, member.member_id)
    return -1 if found is None else counters.value(found)


def election_of(member):
    counters = None if member.running_module is None else member.module.counters
    return None if counters is None else ElectionState(counters.election_state.get())


def has_log_image(member):
    """Return whether a member in an election receives the log of its leader."""
    return member.module._conductor._running._follower_log._image is not None


def elections_of(member):
    return member.module.counters.election_count.get()


def term_of(member):
    return member.module.counters.leadership_term_id.get()


def snapshots_of(member):
    return member.module.counters.snapshot_count.get()


def state_of(member):
    return ConsensusModuleState(member.module.counters.module_state.get())


def is_active(member):
    return member.is_running and state_of(member) is ConsensusModuleState.ACTIVE


def sequence_of(member):
    """Return the number of NEXT requests applied by its service."""
    return member.services[0].state.sequence
