"""The options of a service container."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container_context import ContainerContext


@pytest.mark.parametrize(
    ("cluster_id", "stream_id"), [(3, 423), (2**31 - 1, 100 * (2**31 - 1) + 123 - 50 * 2**32)]
)
def test_each_service_of_each_cluster_has_an_archive_stream_of_32_bits(cluster_id, stream_id):
    context = ContainerContext.of(service=ClusteredService(), cluster_id=cluster_id, service_id=2)
    archive = context.local_archive(SimpleNamespace(aeron_dir="/dev/shm/aeron"), print)
    assert archive.control_response_stream_id == stream_id
