"""ClusterTest: responses to backups after a validation of the recording log."""

import itertools

import pytest

from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.codecs.archive import PurgeRecordingRequest
from aeron_cluster.codecs.cluster import BackupQuery, BackupResponse, decode
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from tests.simulation.scenarios.rig import Scenario, send_to_archive

CONSENSUS_STREAM_ID = 108
RESPONSE_STREAM_ID = 300
RESPONSE_PORT = 7000


@pytest.fixture
def cluster():
    # Members answer backups on the configured hosts.
    with Scenario(module={"consensus_source_hosts": "10.0.0.0/24"}) as made:
        yield made.begin()


class Asker:
    """Sends a backup's queries from a client's machine."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._aeron = cluster.client._aeron
        self._channel = f"aeron:udp?endpoint={cluster.client.machine.name}:{RESPONSE_PORT}"
        self._ids = itertools.count(1000)
        requested = self._aeron.async_add_subscription(self._channel, RESPONSE_STREAM_ID)
        self._answers = self._await(lambda: self._aeron.get_subscription(requested))

    def _await(self, find):
        found = []

        def is_there():
            found[:] = [find()]
            return found[0]

        self._cluster.run_until(is_there)
        return found[0]

    def snapshots_at(self, member, log_position):
        """Return the positions of the snapshots a member offers for a position."""
        channel = f"aeron:udp?endpoint={member.node.member.consensus_endpoint}"
        requested = self._aeron.async_add_exclusive_publication(channel, CONSENSUS_STREAM_ID)
        publication = self._await(lambda: self._aeron.get_exclusive_publication(requested))
        correlation_id = next(self._ids)
        query = BackupQuery.encode(
            correlation_id=correlation_id,
            response_stream_id=RESPONSE_STREAM_ID,
            version=PROTOCOL_VERSION,
            log_position=log_position,
            response_channel=self._channel,
            encoded_credentials=b"",
        )
        self._await(lambda: publication.offer(query) > 0)
        observed = []

        def deliver(message, _):
            observed.append(decode(bytes(message)))

        self._await(lambda: self._answers.poll(deliver) > 0)
        publication.close()
        (answer,) = observed
        assert isinstance(answer, BackupResponse)
        assert answer.correlation_id == correlation_id
        return [each.log_position for each in answer.snapshots]


def test_backups_are_offered_missing_snapshots_until_a_validation(cluster):
    for _ in range(3):
        cluster.send_request()
        cluster.snapshot()
    leader = cluster.leader()
    first, second, third = cluster.snapshots(leader)
    asker = Asker(cluster)
    for entry in cluster.entries(leader, EntryType.SNAPSHOT):
        if entry.log_position != third:
            send_to_archive(leader, PurgeRecordingRequest, recording_id=entry.recording_id)
    for position in (first, second, third):
        assert asker.snapshots_at(leader, position) == [position] * 2
    leader.module.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
    cluster.run_until(lambda: cluster.snapshots(leader) == [third], what="the validation")
    assert asker.snapshots_at(leader, first) == [third] * 2
