"""Which losses of power may undo something without syncs."""

from types import SimpleNamespace

import pytest

from aeron_cluster.simulator.checks.unsynced_data import (
    may_lack_unsynced_data,
    may_lose_what_is_committed,
)


@pytest.mark.parametrize(
    ("losses", "sync_level", "one_at_a_time", "lacking", "lost"),
    [
        ((0, 0, 0), 0, False, [False] * 3, False),
        ((0, 1, 0), 0, False, [False, True, False], True),
        ((0, 1, 2), 0, True, [False, True, True], False),
        ((1, 1, 1), 1, False, [False] * 3, False),
    ],
)
def test_only_losses_of_several_at_once_may_undo_a_commit(
    losses, sync_level, one_at_a_time, lacking, lost
):
    machines = [SimpleNamespace(power_loss_count=each) for each in losses]
    cluster = SimpleNamespace(
        members=[SimpleNamespace(machine=each) for each in machines],
        sync_level=sync_level,
        loses_one_at_a_time=one_at_a_time,
    )
    assert [may_lack_unsynced_data(cluster, each) for each in cluster.members] == lacking
    assert may_lose_what_is_committed(cluster) == lost
