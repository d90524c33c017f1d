"""A user imports everything from the front door; mypy and editors see what it is."""

from aeron_cluster import (
    Aeron,
    AeronCluster,
    ChannelUri,
    ClusteredService,
    ClusterNode,
    MediaDriver,
    SurvivingClient,
    __version__,
)


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
