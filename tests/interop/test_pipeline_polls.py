"""A node's log read while it is under load: no false damage, no row lost."""

import pytest

from tests.interop.cluster_node import ClusterNodes
from tests.interop.polls import PLACES, poll_under_load

pytest.importorskip("pyarrow")


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["java", "ours-one-thread", "ours-thread-an-agent"])
def test_a_running_node_is_read_again_and_again(
    request, kind, place, java, shm_dir, tmp_path, free_port
):
    count = 10_000 if request.config.getoption("whole") else 150
    with ClusterNodes(kind, java, tmp_path, shm_dir, free_port(10)) as nodes:
        polls = poll_under_load(nodes, place, count, rate=6_000)
    assert polls.count >= count
    assert len(polls.rows) > 100
    # The node's counter proves it; on another machine one member proves nothing.
    if place == "files":
        assert polls.committed > len(polls.rows) // 2
