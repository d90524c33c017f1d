"""A user imports everything from the top-level package; mypy and editors see the types."""

from datetime import timedelta

from aeron_cluster import (
    Aeron,
    AeronArchive,
    AeronCluster,
    Archive,
    ArchivingMediaDriver,
    AsyncClusterClient,
    AsyncSubscription,
    ChannelUri,
    ClusterBackup,
    ClusteredService,
    ClusteredServiceContainer,
    ClusterNode,
    ConsensusModule,
    IdleStrategy,
    MediaDriver,
    Subscription,
    SurvivingClient,
    __version__,
)
from aeron_cluster.archive import PersistentSubscription


def misspelt_options() -> None:
    """Misspelt options: each is a type error; if it were not, its ignore would be one."""
    ClusterNode.launch(Nothing(), directory="data", thread="one")  # type: ignore[call-arg]
    ClusterNode.launch(Nothing(), directory="data", threads="three")  # type: ignore[arg-type]
    misspelt = {"term_buffer_lengths": "64k"}
    ClusterNode.launch(Nothing(), directory="data", driver=misspelt)  # type: ignore[arg-type]
    ClusterNode.launch(Nothing(), directory="data", driver={"dir": "d"})  # type: ignore[arg-type]
    ClusterNode.launch(
        Nothing(),
        directory="data",
        consensus_module={"session_timeout_ns": "5s", "max_sessions": 100},
    )
    MediaDriver.launch(threading_mode="SHARED", mtu_length=[])  # type: ignore[arg-type]
    Aeron.connect(driver_timeout=timedelta(seconds=5))  # type: ignore[call-arg]
    Aeron.connect(driver_timeout_ns=timedelta(seconds=5), client_name="it")
    SurvivingClient.connect(silence_timeout_ns="10s", window=9)  # type: ignore[call-arg]
    # Options are keywords of every launch and connect, properties among them.
    MediaDriver.launch("driver")  # type: ignore[call-arg, arg-type]
    MediaDriver.launch(thread="SHARED")  # type: ignore[call-arg]
    Archive.launch(thread="SHARED")  # type: ignore[call-arg]
    Archive.launch({"aeron.dir": "d"})  # type: ignore[call-arg]
    ArchivingMediaDriver.launch(driver={"thread": "one"})  # type: ignore[arg-type]
    ArchivingMediaDriver.launch(idle_strategies="yield")  # type: ignore[call-arg]
    ConsensusModule.launch(thread="SHARED")  # type: ignore[call-arg]
    ConsensusModule.launch(threading_mode="NONE")  # type: ignore[arg-type]
    ClusteredServiceContainer.launch(threading_mode="NONE")  # type: ignore[arg-type]
    ClusteredServiceContainer.launch(archive_context=None)  # type: ignore[call-arg]
    ClusterBackup.launch(archive={"control": "aeron:ipc"})  # type: ignore[typeddict-unknown-key]
    AeronArchive.connect(aeron_directory="d")  # type: ignore[call-arg]
    AeronCluster.connect("localhost:9001", {"aeron.dir": "d"})  # type: ignore[call-arg]
    PersistentSubscription.create(start="0")  # type: ignore[call-arg]


def accept(channel: ChannelUri) -> None:
    """Give options in each form that they take."""
    Archive.launch(control_channel=channel, replication_channel="aeron:udp?endpoint=a:0")
    Aeron.connect(idle_strategy="yield", properties={"aeron.dir": "d"})
    AeronArchive.connect(idle_strategy=IdleStrategy("sleep", sleep_period_ns="1ms"))
    AeronCluster.connect("localhost:9001", properties={"aeron.dir": "d"}, idle_strategy="spin")
    ClusterBackup.launch(archive={"message_timeout_ns": timedelta(seconds=5)})


class Nothing(ClusteredService):
    """Does nothing."""


def main() -> None:
    with MediaDriver.launch() as driver, Aeron.connect(aeron_dir=driver.aeron_dir) as aeron:
        channel = ChannelUri.parse("aeron:ipc")
        aeron.add_publication(channel, 1001).offer(__version__.encode())
    with ClusterNode.launch(Nothing(), directory="data") as node:
        endpoint: str = node.member.ingress_endpoint
    clients: tuple[type[AeronCluster], type[SurvivingClient]] = (AeronCluster, SurvivingClient)
    assert clients, endpoint


async def send_request(subscription: Subscription) -> float:
    """Send requests from an event loop, and read a batch."""
    async with await AsyncClusterClient.connect("localhost:9001", client_id=7) as client:
        answer: bytes = await client.request(b"hello", timedelta(seconds=1))
        async for event in client.events():
            assert event, answer
    batch = await AsyncSubscription(subscription).poll_batch(100, "1s")
    with batch:
        total: float = batch.records([("price", "<f8")])["price"].sum()
    return total
