"""ClusterTest: members several terms behind, in clusters of four and with response channels."""

import pytest

from tests.simulation.scenarios.rig import Scenario, counters_of, sequence_of

RESPONSE_PORT = 9006  # of the first member; each other member adds a multiple of ten


class Responding(Scenario):
    """Members whose archives send responses and replays by response channels."""

    def __init__(self, **options):
        super().__init__(**options)
        self._endpoints = [
            f"{text},{member.machine.name}:{RESPONSE_PORT + 10 * member.member_id}"
            for member, text in zip(self.members, self._endpoints, strict=True)
        ]


def has_response_channels(member):
    return any("control-mode=response" in each.label for each in counters_of(member).counters())


@pytest.mark.parametrize("is_blank", [False, True])
@pytest.mark.parametrize(("members", "kind"), [(3, Responding), (4, Scenario), (4, Responding)])
def test_a_member_several_terms_behind_replicates_them_all(members, kind, is_blank):
    with kind(members=members) as cluster:
        cluster.begin().send_request()
        behind = cluster.leader()
        behind.kill()
        second = cluster.await_other_leader(behind)
        cluster.send_request()
        second.kill()
        if is_blank and members > 3:
            # The three remaining or returning members are a majority with the whole log.
            cluster.start_blank(second)
        else:
            second.start()
        cluster.await_leader()
        cluster.send_request()
        if is_blank:
            cluster.start_blank(behind)
        else:
            behind.start()
        if kind is Responding:
            cluster.run_until(lambda: has_response_channels(behind), what="response channels")
        cluster.await_equal()
        cluster.send_request()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [20] * members
        assert kind is Responding or not any(map(has_response_channels, cluster.members))
