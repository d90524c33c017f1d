"""ClusterTest: hosts with temporarily unresolvable names."""

from aeron_cluster.cluster.election.election_state import ElectionState
from tests.simulation.scenarios.rig import S, Scenario, election_of, sequence_of


def forget(cluster, *members):
    """Make these members' names unresolvable."""
    for each in members:
        cluster.world.wire.set_name(each.machine.name)


def remember(cluster, *members):
    for each in members:
        cluster.world.wire.set_name(each.machine.name, *each.machine.network.addresses)


def test_member_with_an_unknown_name_joins_once_it_resolves():
    with Scenario() as cluster:
        first, unknown, last = cluster.members
        forget(cluster, unknown)
        first.start()
        last.start()
        cluster.await_leader()
        cluster.send_request()
        assert any(unknown.machine.name in str(error) for error in first.errors + last.errors)
        remember(cluster, unknown)
        unknown.start()
        cluster.await_equal()
        assert sequence_of(unknown) == 5


def test_names_resolved_during_the_canvass_suffice_for_an_election():
    with Scenario() as cluster:
        first, known, last = cluster.members
        forget(cluster, first, last)
        known.start()
        cluster.run_until(lambda: election_of(known) is ElectionState.CANVASS, what="the canvass")
        cluster.run_for(S)
        remember(cluster, first, last)
        first.start()
        last.start()
        cluster.await_leader()
        cluster.send_request()
        cluster.await_equal()


def test_leader_lost_together_with_its_name_is_replaced(cluster):
    cluster.send_request()
    old = cluster.leader()
    session = cluster.client.session
    forget(cluster, old)
    old.kill()
    cluster.await_other_leader(old)
    cluster.send_request()
    assert cluster.client.session is session
    remember(cluster, old)
    old.start()
    cluster.await_equal()
    assert sequence_of(old) == 10
