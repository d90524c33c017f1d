"""The smallest service: it sends each request back.

Run it, with a node and a client in one process::

    python -m examples.echo hello world

or on three members, in one terminal each::

    aeron-cluster local 3 --service examples.echo:Echo
    aeron-cluster send hello
"""

import sys

from aeron_cluster import (
    ClientSession,
    Cluster,
    ClusteredService,
    Deduplication,
    ExclusivePublication,
    Header,
    Image,
    MessageView,
    SurvivingClient,
)
from examples.single_node import running


class Echo(ClusteredService):
    """Answers each request with its payload, once, however often it was sent."""

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin without clients, or with those of the snapshot: it has no other state."""
        self.requests = Deduplication(cluster)
        if snapshot_image is not None:
            self.requests.load_all(snapshot_image)

    def on_session_message(
        self, session: ClientSession | None, timestamp: int, message: MessageView, header: Header
    ) -> None:
        """Answer a request."""
        self.requests.handle(session, timestamp, message, lambda request: request.payload)

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the table of clients."""
        self.requests.write_snapshot(snapshot_publication)


def main(words: list[str]) -> None:
    """Send each word, and print what comes back."""
    with running(Echo()) as endpoint, SurvivingClient.connect(endpoint) as client:
        for word in words:
            print(client.request(word.encode()).decode())


if __name__ == "__main__":
    main(sys.argv[1:])
