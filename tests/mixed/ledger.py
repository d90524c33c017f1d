"""What was published and received in a mixed run, and the checks over all clients."""

from dataclasses import dataclass, field

from aeron_cluster.errors import InvariantError


@dataclass
class Published:
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
    This one checks the end: an image that ends by itself contains everything.
    """

    published: dict[int, Published] = field(default_factory=dict)
    ends: dict[int, set[int]] = field(default_factory=dict)  # by publisher
    image_count: int = 0
    pairs: set[tuple[str, str, str]] = field(default_factory=set)

    def open(self, publisher, channel, kind):
        self.published[publisher] = Published(channel, kind)

    def on_sent(self, publisher, count, *, is_final=False):
        found = self.published[publisher]
        found.sent = max(found.sent, count)
        found.is_closed = is_final

    def on_received(self, kind, publishers):
        """Note that a client of a kind receives from these publishers."""
        for publisher in publishers:
            found = self.published[publisher]
            self.pairs.add((found.channel.name, found.kind, kind))

    def on_image_end(self, kind, following):
        """Note the next expected number of each publisher at the end of an image."""
        self.image_count += 1
        self.on_received(kind, following)
        for publisher, number in following.items():
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
            of = self.published[publisher]
            where = f"publisher {publisher} ({of.kind}, {of.channel.name})"
            if not of.channel.is_reliable:
                if of.is_closed and max(ends) > of.sent:
                    raise InvariantError(
                        "images contain what was sent", f"{where}: sent {of.sent}, ends {ends}"
                    )
            elif of.is_closed and ends != {of.sent}:
                raise InvariantError(
                    "images end with the last message", f"{where}: sent {of.sent}, ends {ends}"
                )
            elif len(ends) != 1 or max(ends) < of.sent:
                # Killed: it sent at least what it last reported.
                raise InvariantError(
                    "images of a killed publisher end alike",
                    f"{where}: sent at least {of.sent}, ends {ends}",
                )
