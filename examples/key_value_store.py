"""A key-value store whose keys may expire: requests applied once, timers, and a snapshot.

Run it, with a node and a client in one process::

    python -m examples.key_value_store 'set color dark red' 'get color' 'expire color 60000' count

or on three members, and send it requests from a second terminal::

    aeron-cluster local 3 --service examples.key_value_store:KeyValueStore
    aeron-cluster shell

Requests are ``set KEY TEXT``, ``get KEY``, ``delete KEY``, ``expire KEY MILLISECONDS``, ``count``.
"""

import json
import sys

from aeron_cluster import (
    ClientSession,
    Cluster,
    ClusteredService,
    Deduplication,
    ExclusivePublication,
    FragmentAssembler,
    Header,
    Image,
    MessageView,
    SurvivingClient,
)
from aeron_cluster.cluster import Request
from aeron_cluster.errors import RejectedRequestError, RequestFailedError
from examples.single_node import running

FRAGMENT_LIMIT = 50
COMMANDS = "set KEY TEXT, get KEY, delete KEY, expire KEY MILLISECONDS or count"


class KeyValueStore(ClusteredService):
    """Keeps texts by key, the same on every member.

    Attributes
    ----------
    texts : dict of str to str
    timers : dict of str to int
        The number of the timer at which a key expires, by key.
    keys : dict of int to str
        The reverse. A timer that is not in it fires without effect.
    last_timer : int
        The number of the latest timer.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.timers: dict[str, int] = {}
        self.keys: dict[int, str] = {}
        self.last_timer = 0

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin empty, or with what the snapshot has."""
        self.cluster = cluster
        self.requests = Deduplication(cluster)
        if snapshot_image is None:
            return
        assembler = FragmentAssembler(self.load)
        while not snapshot_image.is_end_of_stream and not snapshot_image.is_closed:
            cluster.idle(snapshot_image.poll(assembler, FRAGMENT_LIMIT))
        self.requests.check_loaded()

    def load(self, message: MessageView, header: Header) -> None:
        """Restore what a message of the snapshot has."""
        if self.requests.load(message):  # one of the table of clients
            return
        match json.loads(bytes(message)):
            case [key, text, timer]:
                self.texts[key] = text
                if timer:
                    self.timers[key] = timer
                    self.keys[timer] = key
            case last_timer:
                self.last_timer = last_timer

    def on_session_message(
        self, session: ClientSession | None, timestamp: int, message: MessageView, header: Header
    ) -> None:
        """Apply a request once, and answer it."""
        self.requests.handle(session, timestamp, message, self.apply)

    def apply(self, request: Request) -> bytes:
        """Return the answer to a request."""
        match request.payload.decode(errors="replace").split(maxsplit=2):
            case ["count"]:
                return str(len(self.texts)).encode()
            case ["set", key, text]:
                self.retain(key)
                self.texts[key] = text
            case ["get" | "delete" | "expire", key, *_] if key not in self.texts:
                raise RejectedRequestError(f"no such key: {key}")
            case ["get", key]:
                return self.texts[key].encode()
            case ["delete", key]:
                self.retain(key)
                del self.texts[key]
            case ["expire", key, milliseconds] if milliseconds.isdecimal():
                self.retain(key)
                self.expire(key, int(milliseconds))
            case _:
                raise RejectedRequestError(f"expected {COMMANDS}")
        return b"ok"

    def retain(self, key: str) -> None:
        """Have the timer of a key fire without effect, if it has one."""
        if (timer := self.timers.pop(key, 0)) != 0:
            del self.keys[timer]

    def expire(self, key: str, milliseconds: int) -> None:
        """Schedule the end of a key in cluster time, which is the same on every member."""
        self.last_timer += 1
        self.timers[key] = self.last_timer
        self.keys[self.last_timer] = key
        while not self.cluster.schedule_timer(self.last_timer, self.cluster.time + milliseconds):
            self.cluster.idle()

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:
        """Remove the key of a timer."""
        if (key := self.keys.pop(correlation_id, None)) is not None:
            del self.timers[key]
            del self.texts[key]

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the state; the cluster's own snapshot has the scheduled timers."""
        entries = [(key, text, self.timers.get(key, 0)) for key, text in self.texts.items()]
        for each in (self.last_timer, *entries):
            message = json.dumps(each).encode()
            while not snapshot_publication.offer(message):
                self.cluster.idle()
        self.requests.write_snapshot(snapshot_publication)


def main(requests: list[str]) -> None:
    """Send each request, and print its answer."""
    with running(KeyValueStore()) as endpoint, SurvivingClient.connect(endpoint) as client:
        for request in requests:
            try:
                print(client.request(request.encode()).decode())
            except RequestFailedError as error:
                print(f"{error.outcome}: {error.reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
