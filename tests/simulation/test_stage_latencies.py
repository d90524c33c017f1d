"""The latencies that a node measures of its stages, in virtual time."""

import contextlib

import pytest

from aeron_cluster.cluster.latency.latency_file import Stage, read_latencies
from aeron_cluster.cluster.latency.stage_agents import StageAgent
from aeron_cluster.errors import MissingFileError
from tests.simulation.test_node import ENTRY, MS, Cluster

STAGES = (Stage.LOG, Stage.RECORDED, Stage.COMMITTED, Stage.SERVICE, Stage.EGRESS)


@pytest.fixture
def cluster():
    with contextlib.closing(Cluster(1, node_options={"latency": True})) as made:
        made.start()
        made.connect()
        yield made


def latencies(cluster):
    return read_latencies(cluster.node_machine.files, "/dev/shm/node")


def test_each_stage_counts_what_the_leader_appended(cluster):
    before = latencies(cluster)
    cluster.send(100)
    found = latencies(cluster)
    counts = {each.count - before[stage].count for stage, each in found.items()}
    assert len(counts) == 1
    (count,) = counts
    assert 1 <= count <= 100  # one for each pass
    for each in found.values():
        assert sum(each.buckets.values()) == each.count
        assert each.dropped == 0
        assert each.longest_ns <= each.sum_ns
    # A stage begins where the one before it ends.
    assert found[Stage.TOTAL].sum_ns == sum(found[stage].sum_ns for stage in STAGES)
    assert cluster.errors == []


def test_a_stall_of_the_thread_is_in_the_stage_before_the_log(cluster):
    cluster.send(1)
    before = latencies(cluster)
    assert before[Stage.LOG].longest_ns < 50 * MS
    assert cluster.client.offer(ENTRY.pack(1))
    cluster.world.time.advance(50 * MS)

    def is_answered():
        cluster.client.poll_egress()
        return len(cluster.listener.numbers) == 2

    cluster.run_until(is_answered)
    found = latencies(cluster)
    assert found[Stage.LOG].longest_ns >= 50 * MS
    assert found[Stage.TOTAL].longest_ns >= 50 * MS
    assert found[Stage.RECORDED].longest_ns == before[Stage.RECORDED].longest_ns


@pytest.mark.parametrize(("apart_ns", "least", "most"), [(MS, 300, 310), (0, 64, 128 + 300 // 16)])
def test_some_of_many_passes_are_measured(cluster, apart_ns, least, most):
    """Above 5,000 passes a second, one in 16: the rate is known after the first windows of 64."""
    before = latencies(cluster)[Stage.TOTAL].count
    for number in range(300):
        while not cluster.client.offer(ENTRY.pack(number)):
            cluster.drive()
        cluster.drive()  # a pass takes a tenth of a ms
        cluster.client.poll_egress()
        cluster.world.time.advance(apart_ns)
    cluster.run_until(lambda: len({each.count for each in latencies(cluster).values()}) == 1)
    assert least <= latencies(cluster)[Stage.TOTAL].count - before <= most


def test_passes_after_the_end_of_the_node_do_nothing(cluster):
    cluster.send(1)
    stages = [each for each in cluster.node.agents if isinstance(each, StageAgent)]
    assert len(stages) == 5
    cluster.node.close()
    cluster.node = None
    assert [each.do_work() for each in stages] == [0] * 5


def test_a_node_without_it_has_no_file():
    with contextlib.closing(Cluster(1)) as made:
        made.start()
        assert len(made.node.agents) == len(set(made.node.agents))
        with pytest.raises(MissingFileError, match="--latency"):
            latencies(made)


def test_a_restarted_node_begins_with_zero(cluster):
    cluster.send(10)
    cluster.node_machine.kill_process()
    cluster.record_acknowledged_and_disconnect()
    cluster.start()
    assert latencies(cluster)[Stage.TOTAL].count < 10
    cluster.connect()
    cluster.send(10)
    assert latencies(cluster)[Stage.TOTAL].count > 0
