"""A replay of a Java or our node's log and snapshots without a cluster gives the same state."""

from pathlib import Path

import pytest

from aeron_cluster.cluster.service.divergence_guard import Effect
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.cluster_node import ClusterNodes
from tests.interop.echo_service import EchoService

KINDS = ("java", "ours-one-thread")


@pytest.fixture(params=KINDS)
def nodes(request, java, shm_dir: Path, tmp_path: Path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def replayed(node, snapshot=None, **options):
    """Return the state after a replay and the actions of the service."""
    source = OfflineSource.of_member(SystemFiles(), str(node.cluster_dir), str(node.archive_dir))
    place = None if snapshot is None else source.find_snapshot(0, snapshot)
    service, effects = EchoService(), []
    with OfflineHost(service, source, snapshot=place, on_effect=effects.append, **options) as host:
        host.run()
        return service.state(), effects, host.guard


@pytest.mark.sampled(1)
def test_a_replay_reaches_the_state_of_the_node(nodes):
    node = nodes.start(log="aeron:udp?term-length=64k", segment=128 * 1024).await_leader()
    nodes.run_client(count=2000, size=32, maxSize=4000, window=64)
    nodes.run_client(cmd="timer", count=20, window=8, delayMs=20)
    nodes.run_client(cmd="service", count=20, window=8)
    node.settled_state()  # ended sessions receive no broadcast
    node.snapshot()
    nodes.run_client(cmd="broadcast", count=20, window=8)
    expected = node.settled_state()
    node.peer.stop()
    for name in ("pendingTimers", "clusterTime", "logPosition"):
        expected.pop(name, None)
    state, effects, guard = replayed(node, interval=1)
    assert {name: str(state[name]) for name in state} == {
        name: str(expected[name]) for name in state
    }
    kinds = [each.effect for each in effects]
    assert kinds.count(Effect.SCHEDULE_TIMER) == 20
    assert kinds.count(Effect.CLUSTER_MESSAGE) == 20
    assert kinds.count(Effect.EGRESS) == 2000 + 20 + 20 + 20
    # Again with divergence checks: nothing is rejected, and the actions are the same.
    again, _, watched = replayed(node, interval=1, check_determinism=True)
    assert again == state
    assert watched.checkpoints() == guard.checkpoints()
    # From the snapshot it reaches the same state, with the same actions after it.
    later, _, tail = replayed(node, "latest", interval=1)
    assert later == state
    for each in tail.checkpoints()[1:]:
        assert each.interval_hash == guard.checkpoint_at(each.position).interval_hash
