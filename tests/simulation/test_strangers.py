"""Senders on the consensus stream that are not members, or claim to be another member."""

import pytest

from aeron_cluster.codecs.cluster import CommitPosition, RequestVote, TerminationPosition
from aeron_cluster.errors import MemberIdMismatchError, UnknownSourceError
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.cluster import Cluster

S = 1_000_000_000


def place_of(member):
    counters = member.module.counters
    return counters.leadership_term_id.get(), counters.commit_position.get()


@pytest.mark.parametrize("is_checked", [True, False])
def test_candidacy_of_a_stranger_ends_no_leadership(is_checked):
    options = {"consensus_module": {"consensus_source_check": is_checked}}
    with Cluster(
        7, ReferenceService, members=3, options=options, checkers=standard_checkers()
    ) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client()
        cluster.run_until(lambda: client.is_connected)
        endpoint = leader.module.context.member.consensus_endpoint
        stranger = client.session.aeron
        counters = leader.module.counters
        registration = stranger.async_add_publication(f"aeron:udp?endpoint={endpoint}", 108)
        cluster.run_until(lambda: stranger.get_publication(registration) is not None)
        publication = stranger.get_publication(registration)
        if is_checked:
            # A host that is not a member has no image: its messages are not read.
            cluster.run_until(lambda: counters.rejected_sources.get() > 0)
            cluster.run_for(30 * S)
            images = leader.module._conductor._link._subscription.images
            assert len(images) == 2
        candidacy = RequestVote.encode(
            log_leadership_term_id=1 << 10,
            log_position=1 << 40,
            candidate_term_id=1 << 10,
            candidate_member_id=(leader.member_id + 1) % 3,
            protocol_version=0,
        )
        if not is_checked:
            cluster.run_until(lambda: publication.offer(candidacy) > 0)
            # Without the check, every sender that reaches the endpoint is accepted.
            cluster.run_until(lambda: not leader.is_leading or counters.election_count.get() > 1)
            return
        end = TerminationPosition.encode(leadership_term_id=0, log_position=1)
        for reported in (candidacy, end) * 3:
            publication.offer(reported)
            cluster.run_for(S)
        assert cluster.await_leader() is leader
        assert leader.is_leading
        assert client.session_count == 1
        foreign = [each for each in leader.errors if isinstance(each, UnknownSourceError)]
        (error,) = foreign
        assert error.member_id == leader.member_id
        assert (error.leadership_term_id, error.log_position) == place_of(leader)
        assert "expected a member's host" in str(error)


@pytest.mark.parametrize("claims", ["another's id", "an id that is not in the list"])
def test_member_is_accepted_only_with_its_own_id(claims):
    with Cluster(7, ReferenceService, members=3, checkers=standard_checkers()) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client()
        cluster.run_until(lambda: client.is_connected)
        victim, liar = (member for member in cluster.members if member is not leader)
        endpoint = victim.module.context.member.consensus_endpoint
        claimed_id = leader.member_id if claims == "another's id" else 7
        aeron = liar.module._aeron  # a program on that machine
        registration = aeron.async_add_publication(f"aeron:udp?endpoint={endpoint}", 108)
        cluster.run_until(lambda: aeron.get_publication(registration) is not None)
        publication = aeron.get_publication(registration)
        lie = CommitPosition.encode(
            leadership_term_id=1 << 40, log_position=1 << 40, leader_member_id=claimed_id
        )
        cluster.run_until(lambda: publication.offer(lie) > 0)
        kind = "foreign_member" if claims == "another's id" else "unknown_member"
        cluster.run_until(lambda: victim.module.ignored.get(kind) == 1)
        cluster.run_for(5 * S)
        assert leader.is_leading
        assert victim.module.counters.election_count.get() == 1
        (error,) = (each for each in victim.errors if isinstance(each, MemberIdMismatchError))
        assert error.member_id == claimed_id
        assert (error.leadership_term_id, error.log_position) == place_of(victim)
        assert f"expected one of member {liar.member_id}; give every member" in str(error)


def test_backup_of_an_unconfigured_host_is_rejected_and_named_with_the_remedy():
    options = {"consensus_module": {"consensus_source_hosts": ""}}
    with Cluster(
        7, ReferenceService, members=3, options=options, checkers=standard_checkers()
    ) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        cluster.add_backup()
        cluster.run_for(60 * S)
        errors = [
            error
            for member in cluster.members
            for error in member.errors
            if isinstance(error, UnknownSourceError)
        ]
        assert errors
        assert len(errors) <= 3  # once per member, however often it queries
        assert {error.found for error in errors} == {"10.0.0.200"}
        assert "aeron.cluster.consensus.source.hosts" in str(errors[0])
        assert leader.is_leading


def test_a_follower_ends_no_other_member():
    with Cluster(7, ReferenceService, members=3, checkers=standard_checkers()) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client()
        cluster.run_until(lambda: client.is_connected)
        victim, liar = (member for member in cluster.members if member is not leader)
        endpoint = victim.module.context.member.consensus_endpoint
        aeron = liar.module._aeron  # a program on that machine
        registration = aeron.async_add_publication(f"aeron:udp?endpoint={endpoint}", 108)
        cluster.run_until(lambda: aeron.get_publication(registration) is not None)
        publication = aeron.get_publication(registration)
        term_id, position = place_of(leader)
        # The message has no sender id: only its source identifies the sender.
        end = TerminationPosition.encode(leadership_term_id=term_id, log_position=position)
        cluster.run_until(lambda: publication.offer(end) > 0)
        cluster.run_until(lambda: victim.module.ignored.get("not_from_leader") == 1)
        cluster.run_for(5 * S)
        assert victim.is_running
        assert leader.is_leading
        assert victim.module.counters.election_count.get() == 1
