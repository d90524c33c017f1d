"""Elections with lost messages, exceptions, and a leader that ends during them."""

import pytest

from aeron_cluster.cluster.election import election
from aeron_cluster.cluster.election import messages as election_messages
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.codecs.cluster import RequestVote, TerminationAck, Vote, decode
from aeron_cluster.errors import ClusterError
from aeron_cluster.simulator.clients.reference import Request, Verb
from tests.simulation.scenarios.rig import (
    MS,
    S,
    Scenario,
    elections_of,
    sequence_of,
    term_of,
)

US = 1_000


def lose(monkeypatch, is_lost):
    """Drop messages between members for which a condition holds."""
    send = Leadership.send

    def send_or_lose(self, member, message):
        return is_lost(member, decode(message)) or send(self, member, message)

    monkeypatch.setattr(Leadership, "send", send_or_lose)


@pytest.mark.parametrize("kinds", [(RequestVote,), (Vote,)], ids=["requests", "votes"])
def test_candidate_losing_a_ballot_is_candidate_again_in_a_later_term(monkeypatch, kinds):
    terms = set()

    def is_lost(_, message):
        if not isinstance(message, kinds):
            return False
        terms.add(message.candidate_term_id)
        return message.candidate_term_id < 2

    lose(monkeypatch, is_lost)
    with Scenario() as cluster:
        cluster.begin().send_request()
        cluster.await_equal()
        # Each ballot has its own term, lost ones too: no member votes twice in one term.
        assert terms >= {0, 1}
        assert min(map(term_of, cluster.members)) >= 2
        restarted = cluster.leader()
        restarted.kill()
        cluster.await_other_leader(restarted)
        restarted.start()
        cluster.send_request()
        cluster.await_equal()


def test_candidate_is_elected_without_a_lost_vote(monkeypatch):
    lost = []

    def is_lost(_, message):
        if isinstance(message, Vote) and message.follower_member_id == 2:
            lost.append(message)
            return True
        return False

    with Scenario(module={"appointed_leader_id": 0}) as cluster:
        lose(monkeypatch, is_lost)
        cluster.begin().send_request()
        cluster.await_equal()
        assert cluster.leader() is cluster.members[0]
        assert [message.vote for message in lost] == [1]
        assert set(map(term_of, cluster.members)) == {0}


@pytest.mark.parametrize("seed", range(4, 8))
def test_one_round_replaces_the_leader_of_five_members(seed):
    # The three followers of the next leader are a majority themselves: they have not begun to
    # canvass each other when its term comes, though it has no vote of the lost one.
    with Scenario(seed, members=5) as cluster:
        cluster.begin().send_request()
        cluster.await_equal()
        old = cluster.leader()
        term_id = term_of(old)
        old.kill()
        new = cluster.await_other_leader(old)
        assert term_of(new) == term_id + 1


def raise_in_first_term(monkeypatch):
    """Make every member raise on a vote request of the first term."""
    on_message = election_messages.on_message

    def raise_or_take(election, message):
        if isinstance(message, RequestVote) and message.candidate_term_id == 0:
            raise ClusterError(f"no vote of member {election.this_member.member_id}")
        on_message(election, message)

    monkeypatch.setattr(election_messages, "on_message", raise_or_take)


def test_cluster_with_a_raising_first_election_elects_in_the_next_term(monkeypatch):
    raise_in_first_term(monkeypatch)
    with Scenario() as cluster:
        first, second, blank = cluster.members
        first.start()
        second.start()
        for _ in range(3):
            old = cluster.await_leader()
            cluster.send_request()
            old.kill()
            old.start()
            cluster.drop_client()
        assert any("no vote of member" in str(each) for each in first.errors + second.errors)
        cluster.await_leader()
        blank.start()
        cluster.send_request()
        cluster.await_equal()
        assert sequence_of(blank) == 20
        terms = [
            [(each.leadership_term_id, each.term_base_log_position) for each in entries]
            for entries in (cluster.entries(each, EntryType.TERM) for each in cluster.members)
        ]
        assert terms == [terms[0]] * 3
        assert len(terms[0]) >= 4


class Hold:
    """Stops the elections of all members before a state."""

    def __init__(self, monkeypatch, state):
        self.is_reached = False
        self.is_over = False
        self._steps = election._STATES[state]
        monkeypatch.setitem(election._STATES, state, self._wait)

    def _wait(self, held):
        self.is_reached = True
        while not self.is_over:
            yield
        yield from self._steps(held)


def test_log_growing_while_its_only_follower_starts_catchup_is_committed(cluster, monkeypatch):
    cluster.send_request()
    old = cluster.leader()
    old.kill()
    leader = cluster.await_other_leader(old)
    cluster.send_request()
    (follower,) = cluster.followers
    held = Hold(monkeypatch, ElectionState.FOLLOWER_CATCHUP_INIT)
    follower.kill()
    client, before = cluster.client, cluster.client.session
    for number in range(20):
        client.send(Request(client.number, 100 + number, Verb.NEXT).encode())
        if number == 10:
            follower.start()
            cluster.run_until(lambda: held.is_reached, what="the catch-up")
            assert len(client.responses) == 10
    cluster.run_for(200 * MS)
    held.is_over = True
    cluster.run_until(lambda: len(client.responses) == 30, what="the answers")
    cluster.await_equal(leader, follower)
    assert client.session is before
    assert (elections_of(leader), sequence_of(follower)) == (2, 30)


# Before the followers receive the end, in between, and after the acknowledgements.
@pytest.mark.parametrize("delay_us", [0, 700, 900, 1_000, 1_100, 2_000, 50_000])
def test_members_end_or_continue_when_the_leader_closes_during_its_shutdown(delay_us):
    with Scenario(checkers=()) as cluster:
        cluster.begin().send_request()
        leader, others = cluster.leader(), cluster.followers
        cluster.world.wire.tap([TerminationAck.template_id])
        assert leader.module.try_toggle(ControlToggle.SHUTDOWN)
        cluster.run_for(delay_us * US)
        leader.close()
        cluster.drop_client()
        cluster.run_for(10 * S)
        # A member that knows the end position ends under another leader too, which is not notified.
        acks = [decode(message) for *_, message in cluster.world.wire.take_tapped()]
        assert {ack.leadership_term_id for ack in acks} <= {0}
        for _ in range(2):
            cluster.start()
            cluster.run_for(10 * S)
        for each in others:
            assert each.failure is None or "was requested to end" in str(each.failure)
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [5] * 3
        cluster.send_request()
