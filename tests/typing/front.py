"""A user imports everything from the front door; mypy and editors see what it is."""

from datetime import timedelta

from aeron_cluster import (
    Aeron,
    AeronCluster,
    AsyncClusterClient,
    AsyncSubscription,
    ChannelUri,
    ClusteredService,
    ClusterNode,
    MediaDriver,
    Subscription,
    SurvivingClient,
    __version__,
)


def refuse() -> None:
    """Misspell options: each of these is an error of types, or its ignore would be one."""
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


async def ask(subscription: Subscription) -> float:
    """Ask from an event loop, and read a batch."""
    async with await AsyncClusterClient.connect("localhost:9001", client_id=7) as client:
        answer: bytes = await client.request(b"hello", timedelta(seconds=1))
        async for event in client.events():
            assert event, answer
    batch = await AsyncSubscription(subscription).poll_batch(100, "1s")
    with batch:
        total: float = batch.records([("price", "<f8")])["price"].sum()
    return total
