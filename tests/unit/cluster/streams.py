"""Publications and images of the same log file, and counters: clients without a driver."""

import itertools
import mmap
from pathlib import Path

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.logbuffer.fragment_assembler import ControlledFragmentAssembler
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles

TERM_LENGTH = 65536
COUNTER_COUNT = 256


class Closer:
    """The part of a client conductor that closes the resources of a test."""

    def close_publication(self, publication, _revoke):
        publication.mark_closed()
        publication.release()

    def close_subscription(self, subscription):
        subscription.mark_closed()


class Streams:
    """Creates streams in a directory, and counters in the process's own memory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.counters = CountersManager(
            bytearray(512 * COUNTER_COUNT), bytearray(128 * COUNTER_COUNT)
        )
        self.ids = itertools.count(1)

    def counter(self, label: str = "a counter", value: int = 0) -> AtomicCounter:
        counter_id = self.counters.allocate(label, 1, now_ms=0, value=value)
        return AtomicCounter(self.counters, counter_id)

    def stream(self, session_id: int = 7, stream_id: int = 101, **log: int) -> "Stream":
        return Stream(self, session_id, stream_id, **log)

    def subscription(self, *images: Image) -> Subscription:
        subscription = Subscription(
            Closer(),
            channel="aeron:ipc",
            stream_id=101,
            registration_id=next(self.ids),
            channel_status_id=-1,
        )
        subscription.set_images(tuple(images))
        return subscription


class Stream:
    """One publication, and any number of images of it."""

    def __init__(self, streams: Streams, session_id: int, stream_id: int, **log: int) -> None:
        settings = {"term_length": TERM_LENGTH, **log}
        self.streams = streams
        self.term_length = settings["term_length"]
        made = LocalLog("exclusive", session_id=session_id, stream_id=stream_id, **settings)
        made.is_connected = True
        self.begin = settings.get("position", 0)
        path = streams.directory / f"{next(streams.ids)}.logbuffer"
        path.write_bytes(memoryview(made))
        with path.open("r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 0)
        self.mapping = MappedFile.open(SystemFiles(), path, writable=True)
        self.limit = streams.counter("pub-lmt", 1 << 60)
        self.publication = ExclusivePublication(
            Closer(),
            self.mapping,
            streams.counters,
            channel="aeron:ipc",
            registration_id=next(streams.ids),
            original_registration_id=next(streams.ids),
            limit_counter_id=self.limit.counter_id,
            channel_status_id=-1,
        )

    def image(self, join_position: int | None = None) -> Image:
        """Return an image that joins at a position, by default where the log begins."""
        begin = self.begin if join_position is None else join_position
        position = self.streams.counter("sub-pos", begin)
        return Image(
            None,
            self.mapping,
            self.streams.counters,
            correlation_id=next(self.streams.ids),
            subscriber_position_id=position.counter_id,
            source_identity="aeron:ipc",
        )

    def clean(self, term: int) -> None:
        """Zero a third of the log, as the driver does after the slowest reader has passed it."""
        begin = term % 3 * self.term_length
        self.bytes[begin : begin + self.term_length] = bytes(self.term_length)

    def frame(self, position: int) -> bytes:
        """Return the bytes of the log from a position to the end of its term."""
        begin = position // self.term_length % 3 * self.term_length
        return self.bytes[begin + position % self.term_length : begin + self.term_length]


def messages(image: Image) -> list[tuple[bytes, int]]:
    """Return each message of an image and the position after it."""
    found: list[tuple[bytes, int]] = []

    def on_message(message, header):
        found.append((bytes(message), header.position))
        return Action.CONTINUE

    assembler = ControlledFragmentAssembler(on_message)
    before = -1
    while image.position != before:  # padding does not count
        before = image.position
        image.controlled_poll(assembler, 1 << 20)
    return found
