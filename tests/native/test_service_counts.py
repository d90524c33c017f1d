"""A node with a native echo service: its container takes neither the GIL nor memory."""

import time

import pytest

from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from benchmarks.native.build import build_service

MESSAGES = 20_000
WINDOW = 64
BOUND_S = 120.0

NODE = """
import json, sys
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.native_service import NativeService

directory, library, layout, port, interval = sys.argv[1:]
with ClusterNode.launch(
    NativeService.load(library, "echo_service"),
    directory=directory + "/data",
    members=local_member(base_port=int(port)),
    threads=layout,
    driver={"aeron_dir": directory + "/driver"},
    container={"divergence_interval": int(interval)},
    # Long, so that a pause of the machine loses no client.
    consensus_module={"session_timeout_ns": 600_000_000_000},
) as node:
    print(json.dumps(node.member.ingress_endpoint), flush=True)
    sys.stdin.readline()
"""


class Count(EgressListener):
    """Counts the echoes."""

    echoes = 0

    def on_message(self, *_):
        self.echoes += 1


def of_the_container(site):
    return any(frame.startswith("service/") for frame in site.ours)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("layout", "interval"), [("one", 0), ("two", 0), ("each", 0), ("two", 1), ("each", 65536)]
)
def test_message_to_a_native_service_uses_neither_gil_nor_memory(
    start_counted, shm_dir, free_port, tmp_path, layout, interval
):
    """Nor does the divergence guard that hashes its effects, even with a checkpoint after every
    event.
    """
    library = build_service("echo_service", tmp_path)
    port = str(free_port(10))
    program = start_counted("-c", NODE, str(shm_dir), str(library), layout, port, str(interval))
    count = Count()
    with AeronCluster.connect(
        aeron_dir=shm_dir / "driver",
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0={program.receive()}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        listener=count,
    ) as client:

        def exchange(messages):
            deadline, known = time.monotonic() + BOUND_S, 0
            count.echoes = sent = 0
            while count.echoes < messages:
                if count.echoes != known:  # progress renews the timeout
                    deadline, known = time.monotonic() + BOUND_S, count.echoes
                assert time.monotonic() < deadline, f"{count.echoes} echoes before the timeout"
                if sent < messages and sent - count.echoes < WINDOW and client.offer(bytes(32)):
                    sent += 1
                client.poll_egress(WINDOW)

        exchange(1000)
        with program.armed():
            exchange(MESSAGES)
        assert [str(site) for site in program.sites() if of_the_container(site)] == []
