"""The counters of our consensus module compared with a Java one's."""

import re
from contextlib import ExitStack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.errors import DirectoryInUseError
from tests.interop.cluster_node import ClusterNodes
from tests.interop.test_consensus_module import member
from tests.waiting import await_true

__all__ = ["member"]

SESSION = 241
OF_SERVICES = {215, 218, 219, 236, 237}


def cluster_counters(driver_dir):
    """Return the key and label of each counter of module and sessions on a driver, by type."""
    with Aeron.connect(aeron_dir=str(driver_dir)) as observer:
        return {
            counter.type_id: (counter.key[:12], without_addresses(counter.label))
            for counter in observer.counters_reader.counters()
            if 200 <= counter.type_id < 250 and counter.type_id not in OF_SERVICES
        }


def without_addresses(label):
    label = re.sub(r"sourceIdentity=\S+", "sourceIdentity=S", label)
    return re.sub(r"sessionId=-?\d+", "sessionId=N", label)


def with_a_client(driver_dir, port):
    """Return the counters while a client has a session."""
    with AeronCluster.connect(
        aeron_dir=str(driver_dir),
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0=localhost:{port + 1}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        client_name="a client",
    ):
        await_true(lambda: SESSION in cluster_counters(driver_dir), "a session's counter")
        return cluster_counters(driver_dir)


def test_keys_and_labels_equal_a_java_modules(java, member, shm_dir, tmp_path, free_port):
    nodes = ClusterNodes("java", java, tmp_path / "theirs", shm_dir / "theirs", free_port(10))
    with ExitStack() as stack:
        theirs = nodes.start().await_leader()
        stack.callback(theirs.peer.stop)
        expected = with_a_client(theirs.directory, theirs.port_base)
    with member.running():
        found = with_a_client(member.driver_dir, member.port)
    assert found == expected
    assert len(found) == 16


def test_a_second_module_of_the_cluster_on_the_driver_ends(member, tmp_path):
    # "an existing module-state counter for the same cluster id on the driver means another live
    # CM"
    ended, errors = [], []
    with (
        member.running() as running,
        ConsensusModule.launch(
            aeron_dir=member.driver_dir,
            cluster_dir=str(tmp_path / "second"),
            cluster_members="0,localhost:1,localhost:2,localhost:3,localhost:4,localhost:5",
            ingress_channel="aeron:udp",
            error_handler=errors.append,
            termination_hook=lambda: ended.append(True),
        ),
    ):
        await_true(lambda: ended, "the second module's end")
        assert isinstance(errors[0], DirectoryInUseError)
        assert "clusterId=0 is running on the driver" in str(errors[0])
        running.echo([64] * 10)
