"""A member copies missed terms from the leader's archive, across any kill."""

import pytest

from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster

S = 1_000_000_000


class Members(Cluster):
    """Three members whose archives receive replays at their own hosts."""

    def __init__(self, seed):
        super().__init__(seed, ReferenceService, members=3)
        self.number = 0

    def node_options(self, member):
        options = super().node_options(member)
        host = self._endpoints[member.member_id].split(",")[1].rpartition(":")[0]
        options["consensus_module"]["replication_channel"] = f"aeron:udp?endpoint={host}:0"
        return options

    def begin(self):
        self.start()
        self.await_leader()
        self.client = self.add_client()

    def send_request(self, count):
        """Send requests and wait for the answers; requests lost in a failover are replaced."""
        wanted = len(self.client.responses) + count
        while len(self.client.responses) < wanted:
            for _ in range(wanted - len(self.client.responses)):
                self.client.send(Request(0, self.number, Verb.NEXT).encode())
                self.number += 1
            answer_timeout_ns = self.now_ns + 5 * S
            self.run_until(
                lambda answer_timeout_ns=answer_timeout_ns: (
                    len(self.client.responses) >= wanted or self.now_ns > answer_timeout_ns
                )
            )
            assert self.number < 1000

    def next_term(self):
        """Kill the leader, restart it, and wait for the next one."""
        leader = self.leader()
        leader.kill()
        leader.start()
        self.await_leader()

    def follower(self):
        return next(member for member in self.members if not member.is_leading)

    def state_of(self, member):
        if member.node is None or member.module.counters is None:
            return None
        return ElectionState(member.module.counters.election_state.get())

    def start_blank(self, member):
        """Start a member with removed directories."""
        files = member.machine.files
        files.remove_tree("/data")
        files.make_directory("/data")
        member.start()

    def await_state(self, member, state):
        self.run_until(lambda: self.state_of(member) is state)

    def await_equal(self):
        """Wait until all members have committed the whole log."""

        def is_equal():
            positions = {member.commit_position for member in self.members}
            return self.leader() is not None and len(positions) == 1 and min(positions) > 0

        self.run_until(is_equal, timeout_ns=200 * S)


@pytest.fixture
def members(request):
    with Members(request.param) as made:
        made.begin()
        yield made


def miss_terms(members):
    """Stop a member for three terms, then start it without any files; return it."""
    missing = members.follower()
    members.send_request(10)
    missing.kill()
    for _ in range(3):
        members.send_request(20)
        members.next_term()
    members.send_request(5)
    members.start_blank(missing)
    return missing


SEEDS = pytest.mark.parametrize("members", [1, 2], indirect=True)


@SEEDS
def test_a_blank_member_copies_all_terms(members):
    missing = miss_terms(members)
    members.await_state(missing, ElectionState.FOLLOWER_LOG_REPLICATION)
    members.await_equal()
    members.send_request(5)
    members.await_equal()
    assert missing.errors == []


@SEEDS
def test_the_leader_is_killed_while_its_log_is_copied(members):
    missing = miss_terms(members)
    members.await_state(missing, ElectionState.FOLLOWER_LOG_REPLICATION)
    members.next_term()
    members.await_equal()
    members.send_request(5)
    members.await_equal()


@SEEDS
def test_the_member_is_killed_while_it_copies(members):
    missing = miss_terms(members)
    for _ in range(2):
        members.await_state(missing, ElectionState.FOLLOWER_LOG_REPLICATION)
        missing.kill()
        missing.start()
    members.await_equal()
    members.send_request(5)
    members.await_equal()
