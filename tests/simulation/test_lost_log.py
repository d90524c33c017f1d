"""A follower that missed more of the log than its leader's driver sends again."""

from tests.simulation.scenarios.rig import S, Scenario, appended, elections_of

TERM_LENGTH = 65536
IMAGE_LIVENESS_S = 10


def test_it_gets_the_rest_from_the_archive_and_does_not_wait_for_the_image_to_end():
    with Scenario() as cluster:
        cluster.begin().ask()
        leader, (late, other) = cluster.leader(), cluster.followers
        before = elections_of(leader), elections_of(late), elections_of(other)
        missed = appended(late)
        cluster.block_log(leader, late)
        cluster.ask(60, padding=1000)
        cluster.heal()
        assert appended(late) == missed
        assert appended(leader) > missed + TERM_LENGTH // 2 + TERM_LENGTH // 8
        healed_ns = cluster.now_ns
        cluster.await_equal()
        assert cluster.now_ns - healed_ns < IMAGE_LIVENESS_S * S // 3
        cluster.ask()
        cluster.await_equal()
        assert cluster.leader() is leader
        assert (elections_of(leader), elections_of(other)) == (before[0], before[2])
        assert elections_of(late) == before[1] + 1
