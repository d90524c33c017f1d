"""The options of a service container."""

from types import SimpleNamespace

import pytest

from aeron_cluster.client.context import ClientContext
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container_context import ContainerContext
from aeron_cluster.errors import ConfigurationError


@pytest.mark.parametrize(
    ("cluster_id", "stream_id"), [(3, 423), (2**31 - 1, 100 * (2**31 - 1) + 123 - 50 * 2**32)]
)
def test_each_service_of_each_cluster_has_an_archive_stream_of_32_bits(cluster_id, stream_id):
    context = ContainerContext.of(service=ClusteredService(), cluster_id=cluster_id, service_id=2)
    aeron = SimpleNamespace(aeron_dir="/dev/shm/aeron", context=ClientContext.of())
    archive = context.local_archive(aeron, print)
    assert archive.control_response_stream_id == stream_id


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ({"app_version_validator": "1.2.3"}, "app_version_validator: expected an App"),
        (
            {"archive": {"control_channel": "aeron:udp?endpoint=localhost:8010"}},
            "archive control_channel: expected aeron:ipc",
        ),
        (
            {"archive": {"control_response_channel": "aeron:udp?endpoint=localhost:0"}},
            "archive control_response_channel: expected aeron:ipc",
        ),
    ],
)
def test_an_option_that_no_container_can_use_is_named(options, reported):
    with pytest.raises(ConfigurationError, match=reported):
        ContainerContext.of(service=ClusteredService(), **options)


def test_service_has_no_background_work_by_default():
    assert ClusteredService().do_background_work(1) == 0
