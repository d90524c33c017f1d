"""The first commit of a term: what followers report before it is not forgotten."""

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.cluster import Cluster, term_of

MS = 1_000_000
S = 1000 * MS
# The next heartbeat, with the positions again, is sent 200 ms after the last one.
SOON_NS = 60 * MS


def commit_delay(seed):
    """Lose the leader; return how long after the next election its term is committed, in ns."""
    with Cluster(seed, ReferenceService, members=3) as cluster:
        cluster.start()
        cluster.run_until(lambda: cluster.leader() is not None)
        lost = cluster.leader()
        cluster.run_for(S)
        lost.kill()

        def is_elected():
            leader = cluster.leader()
            return leader not in (None, lost) and (
                leader.counters.election_state.get() == ElectionState.CLOSED
            )

        cluster.run_until(is_elected)
        begin_ns, term_id = cluster.now_ns, term_of(cluster.leader())
        cluster.run_until(lambda: cluster.journals[0].last_term == term_id)
        return cluster.now_ns - begin_ns


@pytest.fixture
def slow_ingress(monkeypatch):
    """Let followers report all positions while a leader opens its ingress."""
    opening = Leadership._open_ingress

    def open_slowly(leadership):
        yield from opening(leadership)
        for _ in range(40):
            yield

    monkeypatch.setattr(Leadership, "_open_ingress", open_slowly)


@pytest.mark.usefixtures("slow_ingress")
@pytest.mark.parametrize("seed", range(3))
def test_a_term_is_committed_without_waiting_for_a_heartbeat(seed):
    assert commit_delay(seed) < SOON_NS


@pytest.mark.usefixtures("slow_ingress")
def test_positions_reported_while_ingress_is_opened_are_needed(monkeypatch):
    monkeypatch.setattr(Leadership, "_install_later_progress", lambda _: None)
    assert max(map(commit_delay, range(3))) > SOON_NS
