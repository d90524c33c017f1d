"""What was published and received in a mixed run, and the checks over all clients."""

from dataclasses import dataclass, field

from aeron_cluster.errors import InvariantError


@dataclass
class PublishedStream:
    """The messages of one publisher: a client with a publication.

    Parameters
    ----------
    channel
    kind
        The kind of its client.
    sent
        The number of messages that it is known to have sent; all once it was closed.
    is_closed
        Whether it was closed, so that `sent` is the final number.
    """

    channel: object
    kind: str
    sent: int = 0
    is_closed: bool = False


@dataclass
class Ledger:
    """All publishers by id, and where the images of subscribers ended.

    Notes
    -----
    Clients check their own images for losses, repetitions and reordering from the first message on.
    The ledger checks the end: an image that ends by itself contains everything.
    """

    published: dict[int, PublishedStream] = field(default_factory=dict)
    ends: dict[int, set[int]] = field(default_factory=dict)  # by publisher
    image_count: int = 0
    pairs: set[tuple[str, str, str]] = field(default_factory=set)

    def open(self, publisher, channel, kind):
        self.published[publisher] = PublishedStream(channel, kind)

    def on_sent(self, publisher, count, *, is_final=False):
        stream = self.published[publisher]
        stream.sent = max(stream.sent, count)
        stream.is_closed = is_final

    def on_received(self, kind, publishers):
        """Record that a client of a kind receives from these publishers."""
        for publisher in publishers:
            stream = self.published[publisher]
            self.pairs.add((stream.channel.name, stream.kind, kind))

    def on_image_end(self, kind, next_numbers):
        """Record the next expected number of each publisher at the end of an image."""
        self.image_count += 1
        self.on_received(kind, next_numbers)
        for publisher, number in next_numbers.items():
            self.ends.setdefault(publisher, set()).add(number)

    @property
    def sent_count(self):
        return sum(each.sent for each in self.published.values())

    def check(self):
        """Check that each image that ended by itself has all messages of its publishers.

        Raises
        ------
        InvariantError
        """
        for publisher, ends in self.ends.items():
            stream = self.published[publisher]
            where = f"publisher {publisher} ({stream.kind}, {stream.channel.name})"
            if not stream.channel.is_reliable:
                if stream.is_closed and max(ends) > stream.sent:
                    raise InvariantError(
                        "images contain what was sent", f"{where}: sent {stream.sent}, ends {ends}"
                    )
            elif stream.is_closed and ends != {stream.sent}:
                raise InvariantError(
                    "images end with the last message", f"{where}: sent {stream.sent}, ends {ends}"
                )
            elif len(ends) != 1 or max(ends) < stream.sent:
                # Killed: it sent at least what it last reported.
                raise InvariantError(
                    "images of a killed publisher end alike",
                    f"{where}: sent at least {stream.sent}, ends {ends}",
                )
