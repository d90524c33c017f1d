"""All launches, connects and contexts have one shape: options by keyword, in the same forms."""

import asyncio
import inspect
import re
from datetime import timedelta

import pytest

from aeron_cluster import (
    Aeron,
    AeronArchive,
    AeronCluster,
    AgentRunner,
    Archive,
    ArchiveClientContext,
    ArchiveContext,
    ArchivingMediaDriver,
    AsyncClusterClient,
    BackupContext,
    ChannelUri,
    ClientContext,
    ClusterBackup,
    ClusterClientContext,
    ClusteredService,
    ClusteredServiceContainer,
    ClusterNode,
    ConsensusModule,
    ConsensusModuleContext,
    ContainerContext,
    DriverContext,
    IdleStrategy,
    MediaDriver,
    SurvivingClient,
    SurvivingContext,
)
from aeron_cluster.archive import (
    AsyncAeronArchive,
    PersistentSubscription,
    PersistentSubscriptionContext,
)
from aeron_cluster.archive.assembly import ArchivingDriverOptions
from aeron_cluster.archive.client.options import ArchiveClientOptions
from aeron_cluster.archive.options import ArchiveOptions
from aeron_cluster.archive.persistent.options import PersistentSubscriptionOptions
from aeron_cluster.client.options import ClientOptions
from aeron_cluster.cluster.backup.options import BackupOptions
from aeron_cluster.cluster.context.options import ConsensusModuleOptions
from aeron_cluster.cluster.node_options import NodeOptions
from aeron_cluster.cluster.service.options import ServiceContainerOptions
from aeron_cluster.cluster_client.options import ClusterClientOptions
from aeron_cluster.cluster_client.surviving_options import SurvivingClientOptions
from aeron_cluster.driver.options import DriverOptions
from aeron_cluster.errors import ConfigurationError

FACTORIES = [
    (MediaDriver.launch, DriverOptions),
    (Archive.launch, ArchiveOptions),
    (ArchivingMediaDriver.launch, ArchivingDriverOptions),
    (ConsensusModule.launch, ConsensusModuleOptions),
    (ClusteredServiceContainer.launch, ServiceContainerOptions),
    (ClusterBackup.launch, BackupOptions),
    (ClusterNode.launch, NodeOptions),
    (Aeron.connect, ClientOptions),
    (AeronArchive.connect, ArchiveClientOptions),
    (AsyncAeronArchive.connect, ArchiveClientOptions),
    (AeronCluster.connect, ClusterClientOptions),
    (AeronCluster.async_connect, ClusterClientOptions),
    (SurvivingClient.connect, SurvivingClientOptions),
    (SurvivingClient.start, SurvivingClientOptions),
    (AsyncClusterClient.connect, SurvivingClientOptions),
    (PersistentSubscription.create, PersistentSubscriptionOptions),
]
# The required options of a persistent subscription.
REPLAYED = {
    "recording_id": 0,
    "live_channel": "aeron:ipc",
    "live_stream_id": 1,
    "replay_channel": "aeron:ipc",
    "replay_stream_id": 2,
}
# Read once; or meant for the components that have the same property.
WITHOUT_ATTRIBUTE = {
    "environment",
    "local_control_channel",
    "local_control_stream_id",
    "recording_events_channel",
    "recording_events_stream_id",
}
ARCHIVE_CHANNELS = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}
SESSION_CHANNELS = {"ingress_channel": "aeron:udp", "egress_channel": "aeron:udp?endpoint=me:0"}
ANY_PORT = "aeron:udp?endpoint=localhost:0"
# Each with its options, those that it requires, and the name of a duration, if it has one.
CONTEXTS = [
    (DriverContext, DriverOptions, {}, "client_liveness_timeout_ns"),
    (ClientContext, ClientOptions, {}, "driver_timeout_ns"),
    (
        ArchiveContext,
        ArchiveOptions,
        {"control_channel_enabled": False, "replication_channel": ANY_PORT},
        "connect_timeout_ns",
    ),
    (ArchiveClientContext, ArchiveClientOptions, ARCHIVE_CHANNELS, "message_timeout_ns"),
    (ClusterClientContext, ClusterClientOptions, SESSION_CHANNELS, "message_timeout_ns"),
    (SurvivingContext, SurvivingClientOptions, SESSION_CHANNELS, "silence_timeout_ns"),
    (
        ConsensusModuleContext,
        ConsensusModuleOptions,
        {"cluster_members": "0,a:1,a:2,a:3,a:4,a:5", "ingress_channel": "aeron:udp"},
        "session_timeout_ns",
    ),
    (ContainerContext, ServiceContainerOptions, {"service": ClusteredService()}, ""),
    (BackupContext, BackupOptions, {"consensus_endpoints": "localhost:9002"}, "backup_interval_ns"),
    (
        PersistentSubscriptionContext,
        PersistentSubscriptionOptions,
        ARCHIVE_CHANNELS | REPLAYED,
        "message_timeout_ns",
    ),
]
WITH_TIMES = [each for each in CONTEXTS if each[3]]


def name_of(value):
    return getattr(value, "__qualname__", "")


@pytest.mark.parametrize(("factory", "options"), FACTORIES, ids=name_of)
def test_options_are_keywords_and_properties_are_one_of_them(factory, options):
    parameters = inspect.signature(factory).parameters
    assert parameters["options"].annotation == f"Unpack[{options.__name__}]"
    assert parameters["options"].kind is inspect.Parameter.VAR_KEYWORD
    assert parameters["properties"].kind is inspect.Parameter.KEYWORD_ONLY
    positional = {
        name
        for name, each in parameters.items()
        if each.kind not in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    }
    assert positional <= {"endpoints", "services"}


@pytest.mark.parametrize(("factory", "options"), FACTORIES, ids=name_of)
def test_a_misspelled_option_is_rejected_with_the_nearest_name(factory, options, tmp_path):
    name = max(options.__annotations__, key=len)
    if factory.__qualname__.endswith(("Cluster.connect", "Client.connect")):
        name = "listener"  # not of a table
    given = {"directory": tmp_path} if factory.__qualname__.startswith("ClusterNode") else {}
    if "Persistent" in factory.__qualname__:
        given |= REPLAYED
    services = (ClusteredService(),) if given.get("directory") else ()
    given[name[:-1]] = None

    def call():
        found = factory(*services, **given)
        if inspect.iscoroutine(found):
            asyncio.run(found)

    with pytest.raises(ConfigurationError, match=f"did you mean {name}"):
        call()


@pytest.mark.parametrize(("factory", "options"), FACTORIES, ids=name_of)
def test_a_with_block_closes_the_result(factory, options):
    del options
    kind = factory.__self__
    is_async = inspect.iscoroutinefunction(factory)
    if factory.__name__ == "async_connect":
        assert "async_connect" in factory.__qualname__
        from aeron_cluster.cluster_client import AsyncConnect as kind  # noqa: N813,PLC0415
    assert hasattr(kind, "__aexit__" if is_async else "__exit__")
    assert hasattr(kind, "close")


@pytest.mark.parametrize(("context", "options", "needed", "duration"), CONTEXTS, ids=name_of)
def test_a_context_takes_the_options_of_its_launch(context, options, needed, duration):
    del duration
    parameters = inspect.signature(context.of).parameters
    assert set(parameters) == {"properties", "options"}
    assert parameters["properties"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["options"].annotation == f"Unpack[{options.__name__}]"
    with pytest.raises(ConfigurationError, match="properties"):
        context.of(properties="aeron.dir=/d", **needed)


@pytest.mark.parametrize(("context", "options", "needed", "duration"), CONTEXTS, ids=name_of)
def test_a_context_has_its_options_as_attributes(context, options, needed, duration):
    del duration
    made = context.of(**needed)
    nested = {SurvivingContext: "cluster", PersistentSubscriptionContext: "archive"}
    inner = getattr(made, nested[context]) if context in nested else made
    missing = {
        name
        for name in options.__annotations__
        if not hasattr(made, name) and not hasattr(inner, name)
    }
    assert missing <= WITHOUT_ATTRIBUTE
    with pytest.raises(AttributeError):
        _ = made.no_such_option


@pytest.mark.parametrize(("context", "options", "needed", "duration"), WITH_TIMES, ids=name_of)
def test_a_time_has_a_unit_or_is_a_timedelta(context, options, needed, duration):
    del options
    nested = {PersistentSubscriptionContext: "archive"}

    def duration_of(value):
        found = context.of(**needed, **{duration: value})
        return getattr(getattr(found, nested[context]) if context in nested else found, duration)

    assert (
        duration_of("14s")
        == duration_of(timedelta(seconds=14))
        == duration_of(14_000_000_000)
        == 14_000_000_000
    )
    with pytest.raises(ConfigurationError, match="a time with its unit"):
        duration_of("14")


@pytest.mark.parametrize(
    ("context", "needed"),
    [
        (ClientContext, {}),
        (ArchiveClientContext, ARCHIVE_CHANNELS),
        (ClusterClientContext, SESSION_CHANNELS),
    ],
)
def test_an_idle_strategy_is_an_object_or_its_name(context, needed):
    given = IdleStrategy("spin")
    assert context.of(**needed, idle_strategy=given).idle_strategy is given
    named = context.of(**needed, idle_strategy="spin").idle_strategy
    assert named.kind is given.kind
    with pytest.raises(ConfigurationError, match="did you mean yield"):
        context.of(**needed, idle_strategy="yeild")


def test_a_channel_is_a_text_or_parsed():
    uri = ChannelUri.parse(ANY_PORT)
    made = ArchiveContext.of(control_channel_enabled=False, replication_channel=uri)
    assert made.replication_channel == ANY_PORT
    with pytest.raises(ConfigurationError, match="aeron_dir"):
        ClientContext.of(aeron_dir=uri)
    with pytest.raises(ConfigurationError, match="replication_channel"):
        ArchiveContext.of(control_channel_enabled=False, replication_channel=7)


def test_periods_of_strategies_and_runners_have_units():
    assert IdleStrategy("sleep", sleep_period_ns="1ms")
    for wrong in ("7", "0ns"):
        with pytest.raises(ConfigurationError, match="sleep_period_ns"):
            IdleStrategy("sleep", sleep_period_ns=wrong)
    with pytest.raises(ConfigurationError, match=re.escape("stall_threshold_ns")):
        AgentRunner([], stall_threshold_ns="10")


@pytest.mark.parametrize("name", ["control_channel", "control_response_channel"])
def test_the_archive_of_a_container_is_local(name):
    with pytest.raises(ConfigurationError, match=f"archive {name}"):
        ContainerContext.of(service=ClusteredService(), archive={name: ANY_PORT})
