"""The backup's options: defaults, derived values and required ones."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ConfigurationError

MEMBERS = "0,a:1,a:2,a:3,a:4,a:5|1,b:1,b:2,b:3,b:4,b:5"


def client(*, use_conductor_invoker):
    return SimpleNamespace(context=SimpleNamespace(use_conductor_invoker=use_conductor_invoker))


def test_a_given_client_is_driven_by_the_backup():
    given = client(use_conductor_invoker=True)
    assert BackupContext.of(consensus_endpoints="localhost:9002", aeron=given).aeron is given
    with pytest.raises(ConfigurationError, match="aeron: expected a client of the backup alone"):
        BackupContext.of(
            consensus_endpoints="localhost:9002", aeron=client(use_conductor_invoker=False)
        )


def endpoint_of(channel):
    return ChannelUri.parse(channel).get("endpoint")


def test_a_backup_of_local_members_needs_only_their_endpoints():
    context = BackupContext.of(consensus_endpoints="localhost:9002, 127.0.0.1:9012,[::1]:9022")
    assert context.consensus_endpoints == ["localhost:9002", "127.0.0.1:9012", "[::1]:9022"]
    assert context.consensus_endpoint == "localhost:0"
    assert context.catchup_endpoint == "localhost:0"
    archive = context.cluster_archive_context("localhost:9005", print)
    assert endpoint_of(archive.control_channel) == "localhost:9005"
    assert endpoint_of(archive.control_response_channel) == "localhost:0"


def test_members_elsewhere_need_a_response_endpoint():
    with pytest.raises(ConfigurationError, match=r"consensus\.channel"):
        BackupContext.of(consensus_endpoints="localhost:9002,a:9012")


def test_log_is_received_at_the_host_of_the_consensus_channel():
    context = BackupContext.of(
        consensus_endpoints="a:9002", consensus_channel="aeron:udp?endpoint=d:9501"
    )
    assert context.consensus_endpoint == "d:9501"
    assert context.catchup_endpoint == "d:0"
    assert context.catchup_channel.get("endpoint") == "d:0"
    archive = context.cluster_archive_context("a:9005", print)
    assert endpoint_of(archive.control_response_channel) == "d:0"


def test_archive_with_a_response_endpoint_uses_response_channels():
    context = BackupContext.of(consensus_endpoints="localhost:9002")
    for given in ({}, {"control_response_channel": "aeron:udp?endpoint=d:7|term-length=64k"}):
        context.cluster_archive = given
        archive = context.cluster_archive_context("localhost:9005", print, "localhost:9006")
        assert endpoint_of(archive.control_channel) == "localhost:9005"
        response = ChannelUri.parse(archive.control_response_channel)
        assert "endpoint" not in response
        assert response.get("control") == "localhost:9006"
        assert response.get("control-mode") == "response"


def test_a_list_of_members_has_the_log_endpoint():
    options = {"consensus_endpoints": "a:2", "consensus_channel": "aeron:udp?endpoint=d:9501"}
    context = BackupContext.of(**options, cluster_members=MEMBERS, member_id=1)
    assert context.catchup_endpoint == "b:4"
    given = BackupContext.of(**options, cluster_members=MEMBERS, backup_catchup_endpoint="d:7")
    assert given.catchup_endpoint == "d:7"


@pytest.mark.parametrize("wrong", ["nonsense", "a:", ":9002", "a:ninety", "a:99999"])
def test_a_source_must_have_an_endpoint(wrong):
    with pytest.raises(
        ConfigurationError, match=rf"endpoints: expected host:port.*found '{wrong}'"
    ):
        BackupContext.of(consensus_endpoints=f"localhost:9002,{wrong}")


def test_a_source_must_be_given():
    with pytest.raises(ConfigurationError, match=r"consensus\.endpoints"):
        BackupContext.of()
