"""Members with an older or newer message schema than the others."""

import struct

import pytest

from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
from aeron_cluster.codecs.cluster import SCHEMA
from tests.simulation.scenarios.rig import Scenario, sequence_of

HEADER = struct.Struct("<HHHH")
# 5 is before the first added field of a consensus message, 14 before the last.
OLDER, OLD, NEWER = 5, 14, SCHEMA.version + 1
ADDED_LENGTH = 8


def entry_of(message, version):
    """Return a message as a member with another schema version encodes it."""
    block_length, template_id, schema_id, _ = HEADER.unpack_from(message)
    added = [field.offset for field in SCHEMA.messages[template_id].fields if field.since > version]
    length = min([block_length, *added])
    block = message[HEADER.size : HEADER.size + length]
    if version > SCHEMA.version:
        block += b"\xff" * ADDED_LENGTH
    rest = message[HEADER.size + block_length :]
    return HEADER.pack(len(block), template_id, schema_id, version) + block + rest


@pytest.mark.parametrize("version", [OLDER, OLD, NEWER])
@pytest.mark.parametrize("odd_id", [0, 1], ids=["leader", "follower"])
def test_members_of_mixed_schema_versions_elect_serve_and_catch_up(monkeypatch, odd_id, version):
    send = ConsensusLink.send
    kinds = set()

    def send_of_version(self, member_id, message):
        if self._context.options.member_id == odd_id:
            kinds.add(SCHEMA.messages[HEADER.unpack_from(message)[1]].name)
            message = entry_of(message, version)
        return send(self, member_id, message)

    monkeypatch.setattr(ConsensusLink, "send", send_of_version)
    with Scenario(module={"appointed_leader_id": 0}) as cluster:
        cluster.begin().send_request()
        leader, follower, _ = cluster.members
        assert cluster.leader() is leader
        follower.kill()
        cluster.send_request()
        follower.start()
        cluster.await_equal()
        cluster.snapshot()
        cluster.restart_all()
        cluster.send_request()
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [15] * 3
        assert [error for each in cluster.members for error in each.errors] == []
        assert kinds >= {"CanvassPosition", "NewLeadershipTerm" if odd_id == 0 else "Vote"}
