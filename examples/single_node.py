"""A cluster of one member in this process, for as long as an example runs."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from aeron_cluster import ClusteredService, ClusterNode, NativeService, local_member

PORTS = "AERON_CLUSTER_EXAMPLE_PORTS"


@contextmanager
def running(service: ClusteredService | NativeService) -> Iterator[str]:
    """Run a node with a service, and yield the endpoint for its clients.

    Its data are removed at the end; the ports are 9001 to 9005, or those after the number in the
    environment variable ``AERON_CLUSTER_EXAMPLE_PORTS``.
    """
    member = local_member(base_port=int(os.environ.get(PORTS, "9000")))
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-example-") as directory,
        ClusterNode.launch(
            service,
            directory=directory,
            members=str(member),
            consensus_module={"log_channel": "aeron:udp?term-length=4m"},
            archive={"segment_file_length": 1 << 24},
        ),
    ):
        yield member.ingress_endpoint
