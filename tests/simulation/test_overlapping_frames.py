"""Seven datagrams from an unknown host: setups of separate sessions, and overlapping frames."""

import logging
import struct

import pytest

from aeron_cluster.archive.context import log_error as log_archive_error
from aeron_cluster.client.context import log_error as log_client_error
from aeron_cluster.cluster.context.module_context import log_error
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster

S = 1_000_000_000
MINUTE = 60 * S

SETUP = struct.Struct("<iBBHiiiiiiii")
DATA = struct.Struct("<iBBHiiiiq")
TERM_LENGTH = 64 * 1024
SESSION_ID = 0x7E57
BEGIN_AND_END = 0xC0
INGRESS_STREAM, LOG_STREAM, CONSENSUS_STREAM = 101, 100, 108
# Ten minutes may log at most a megabyte.
MAX_LOGGED_BYTES_A_MINUTE = 100_000


def setup(session_id, stream_id):
    return SETUP.pack(SETUP.size, 0, 0, 5, 0, session_id, stream_id, 0, 0, TERM_LENGTH, 1408, 0)


def data(session_id, stream_id, *, term_id=0, offset=0, length=0, payload=b""):
    """Return a data frame; without a length it is a heartbeat."""
    header = DATA.pack(length, 0, BEGIN_AND_END, 1, offset, session_id, stream_id, term_id, 0)
    return header + payload


class Stranger:
    """A host that is not a member, with its own socket."""

    def __init__(self, cluster):
        self.machine = cluster._add_machine("stranger", 99)
        self.socket = self.machine.network.process().open(bind=("10.0.0.99", 4000))

    def close(self):
        self.socket.close()

    def overlap(self, member, port, stream_id):
        """Send frames that make the second frame's payload overlap the third frame."""
        target = (f"10.0.0.{1 + member.member_id}", port)
        for _ in range(5):
            self.socket.send(setup(SESSION_ID, stream_id), target)
        yield
        self.socket.send(data(SESSION_ID, stream_id, length=224, payload=bytes(192)), target)
        bad = struct.pack("<i", 7) + bytes(28)
        self.socket.send(data(SESSION_ID, stream_id, offset=192, length=64, payload=bad), target)

    def send_heartbeat(self, member, port, stream_id):
        target = (f"10.0.0.{1 + member.member_id}", port)
        self.socket.send(data(SESSION_ID, stream_id), target)


def acknowledge(cluster, client, count, *, timeout_ns=5 * S):
    """Send requests and wait for the answers."""
    for _ in range(count):
        number = len(client.responses)
        client.send(Request(0, number, Verb.NEXT).encode())
        cluster.run_until(
            lambda number=number: len(client.responses) > number, timeout_ns=timeout_ns
        )


def port_of(member, part):
    return int(getattr(member.module.context.member, part).rpartition(":")[2])


@pytest.fixture
def cluster(caplog):
    caplog.set_level(logging.WARNING)
    # The default handler: the log output is measured.
    options = {
        "consensus_module": {"error_handler": log_error},
        "archive": {"error_handler": log_archive_error},
        "container": {"error_handler": log_client_error},
    }
    with Cluster(
        7, ReferenceService, members=3, options=options, checkers=standard_checkers()
    ) as made:
        made.start()
        made.leader_before = made.await_leader()
        yield made


@pytest.mark.parametrize(
    ("part", "stream_id"),
    [
        ("consensus_endpoint", CONSENSUS_STREAM),
        ("ingress_endpoint", INGRESS_STREAM),
        ("log_endpoint", LOG_STREAM),
    ],
)
@pytest.mark.parametrize("attacked", ["leader", "follower"])
def test_requests_are_acknowledged_and_a_leader_is_elected_under_the_attack(
    cluster, caplog, part, stream_id, attacked
):
    leader = cluster.leader_before
    follower = next(each for each in cluster.members if each is not leader)
    victim = leader if attacked == "leader" else follower
    client = cluster.add_client()
    cluster.run_until(lambda: client.is_connected)
    acknowledge(cluster, client, 3)
    stranger = Stranger(cluster)
    port = port_of(victim, part)
    for _ in stranger.overlap(victim, port, stream_id):
        cluster.run_for(S // 10)
    before = len(caplog.text)
    for _ in range(12):
        stranger.send_heartbeat(victim, port, stream_id)
        cluster.run_for(5 * S)
        acknowledge(cluster, client, 1)
    assert len(caplog.text) - before < MAX_LOGGED_BYTES_A_MINUTE
    assert cluster.leader() is leader
    # The member takes part in the next election: without the other follower it needs both votes.
    if victim is leader:
        return
    leader.kill()
    elected = cluster.await_leader()
    cluster.run_until(
        lambda: client.is_connected and client.session.leader_member_id == elected.member_id
    )
    acknowledge(cluster, client, 1)
    stranger.close()


def test_ten_minutes_of_the_attack_log_less_than_a_megabyte(cluster, caplog):
    leader = cluster.leader_before
    client = cluster.add_client()
    cluster.run_until(lambda: client.is_connected)
    stranger = Stranger(cluster)
    ports = {
        CONSENSUS_STREAM: port_of(leader, "consensus_endpoint"),
        INGRESS_STREAM: port_of(leader, "ingress_endpoint"),
    }
    before = len(caplog.text)
    for second in range(0, 600, 20):
        for stream_id, port in ports.items():  # repeatedly, as its images end
            for _ in stranger.overlap(leader, port, stream_id):
                cluster.run_for(S // 10)
        for _ in range(4):
            for stream_id, port in ports.items():
                stranger.send_heartbeat(leader, port, stream_id)
            cluster.run_for(5 * S)
        acknowledge(cluster, client, 1)
        assert len(client.responses) == second // 20 + 1
    assert len(caplog.text) - before < 1_000_000
    assert cluster.leader() is leader
    stranger.close()


def test_attacked_leader_without_followers_steps_down(cluster):
    leader = cluster.leader_before
    stranger = Stranger(cluster)
    port = port_of(leader, "consensus_endpoint")
    for _ in stranger.overlap(leader, port, CONSENSUS_STREAM):
        cluster.run_for(S // 10)
    cluster.isolate(leader)
    cluster.run_until(lambda: not leader.is_leading, timeout_ns=MINUTE)
    stranger.close()


@pytest.mark.parametrize("count", [1, 2])
def test_forged_datagrams_in_followers_logs_do_not_stop_progress(cluster, caplog, count):
    leader = cluster.leader_before
    client = cluster.add_client()
    cluster.run_until(lambda: client.is_connected)
    acknowledge(cluster, client, 3)
    stranger = Stranger(cluster)
    log = leader.module._conductor._log
    position, session_id = log.position, log.session_id
    followers = [each for each in cluster.members if each is not leader][:count]
    for follower in followers:
        image = follower.module._conductor._running._follower_log._image
        target = (f"10.0.0.{1 + follower.member_id}", port_of(follower, "log_endpoint"))
        term_id = image.initial_term_id + position // image.term_buffer_length
        # Whichever position the leader's next frame ends at, the length there is different.
        stranger.socket.send(
            data(
                session_id,
                LOG_STREAM,
                term_id=term_id,
                offset=position % image.term_buffer_length + 32,
                length=1024,
                payload=(struct.pack("<i", 7) + bytes(28)) * 31,
            ),
            target,
        )
    cluster.run_for(S // 100)
    before = len(caplog.text)
    acknowledge(cluster, client, 20, timeout_ns=MINUTE)
    for _ in range(6):
        cluster.run_for(5 * S)
        acknowledge(cluster, client, 1)
    assert len(caplog.text) - before < MAX_LOGGED_BYTES_A_MINUTE
    for follower in followers:
        cluster.run_until(
            lambda member=follower: member.commit_position == leader.commit_position,
            timeout_ns=2 * MINUTE,
        )
    stranger.close()
