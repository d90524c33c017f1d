"""The cost of a call from Python, compared with a no-op call with the same arguments.

The second column is the no-op, not Java; for batches it is a poll that calls a handler for each
message. Represents a user's loop in Python: a worse figure means that reading arguments, releasing
the GIL or creating objects became slower. A poll delivers one message to a handler that does
nothing; its no-op is two calls.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aeron_cluster.client import Aeron, BufferClaim, ExclusivePublication, Subscription
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.agent import AgentInvoker
from benchmarks.ratio.no_op import NoOp
from benchmarks.ratio.peers import Setting
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate

OFFER = Goal("Python offer, 32 B, over a no-op", "ns", 3.0)
CLAIM = Goal("Python try_claim and commit, over a no-op", "ns", 3.0)
POLL = Goal("Python poll of a message, over a no-op", "ns", 3.0)
BATCH = Goal("Python poll_batch, over poll and a handler", "ns", 0.2)
GOALS = (OFFER, CLAIM, POLL, BATCH)
HANDLED = "poll with a handler"
CHANNEL = "aeron:ipc?term-length=1m"
STREAM = 1
# 64 bytes of log each: all fit into the window of half a term, and into the caches.
COUNT = 4000
ROUNDS = 40
MESSAGE = bytes(32)


@contextmanager
def stream() -> Iterator[tuple[ExclusivePublication, Subscription, Callable[[], object]]]:
    """Yield both ends of a stream in this process, and a function that drives its driver."""
    with MediaDriver.launch(threading_mode="INVOKER") as driver:
        driver.invoker.start()
        with Aeron.connect(
            aeron_dir=driver.aeron_dir,
            use_conductor_invoker=True,
            driver_invoker=driver.invoker.invoke,
        ) as aeron:
            invokers: tuple[AgentInvoker, ...] = (driver.invoker, aeron.conductor_agent_invoker)

            def drive() -> None:
                for invoker in invokers:
                    invoker.invoke()

            publication = aeron.add_exclusive_publication(CHANNEL, STREAM)
            subscription = aeron.add_subscription(CHANNEL, STREAM)
            while not (publication.is_connected and subscription.is_connected):
                drive()
            yield publication, subscription, drive


def timed(loop: Callable[[], object], before: Callable[[], object] = lambda: None) -> list[float]:
    """Return the ns of one of ``COUNT`` calls, in each round."""
    found = []
    for _ in range(ROUNDS):
        before()
        begin = time.perf_counter_ns()
        loop()
        found.append((time.perf_counter_ns() - begin) / COUNT)
    return found


def offers(offer: Callable[[bytes], object]) -> None:
    """Make the calls of one round."""
    message = MESSAGE
    for _ in range(COUNT):
        offer(message)


def claims(
    try_claim: Callable[[int, BufferClaim], object], claim: BufferClaim, commit: Callable[[], None]
) -> None:
    """Make the calls of one round."""
    for _ in range(COUNT):
        try_claim(32, claim)
        commit()


def polls(poll: Callable[..., object], handler: Callable[..., object]) -> None:
    """Make the calls of one round."""
    for _ in range(COUNT):
        poll(handler, 1)


def handle(_message: object, _header: object) -> None:
    """Do nothing, as a Python function."""


def poll_batches(subscription: Subscription) -> None:
    """Read all messages of a round as columns."""
    count = 0
    while count < COUNT:
        batch = subscription.poll_batch()
        if batch is not None:
            count += len(batch.headers["length"])
            batch.release()


@contextmanager
def rounds() -> Iterator[dict[str, tuple[Callable[[], object], Callable[[], object]]]]:
    """Return the client's calls of a round and the preparation before each round, by figure."""
    handler = NoOp().on_message
    claim = BufferClaim()
    with stream() as (publication, subscription, drive):

        def drained() -> None:
            """Read everything, so that a complete round can be sent without the end of a term."""
            offered = COUNT * 64
            while subscription.poll(handler, COUNT):
                pass
            drive()
            while publication.term_offset > publication.term_buffer_length - offered:
                publication.offer(bytes(8192))
                subscription.poll(handler, COUNT)
                drive()
            while subscription.poll(handler, COUNT) or publication.available_window < offered:
                drive()

        def filled() -> None:
            drained()
            offers(publication.offer)

        yield {
            OFFER.name: (lambda: offers(publication.offer), drained),
            CLAIM.name: (lambda: claims(publication.try_claim, claim, claim.commit), drained),
            POLL.name: (lambda: polls(subscription.poll, handler), filled),
            BATCH.name: (lambda: poll_batches(subscription), filled),
            HANDLED: (lambda: subscription.poll(handle, COUNT), filled),
        }


def ours() -> Rounds:
    """Time the client's calls."""
    with rounds() as found:
        return {
            name: timed(loop, before) for name, (loop, before) in found.items() if name != HANDLED
        }


def no_op() -> Rounds:
    """Time the calls that do nothing."""
    nothing = NoOp()
    claim = BufferClaim()

    def poll_and_handle() -> None:
        poll, handler = nothing.poll, nothing.on_message
        for _ in range(COUNT):
            poll(handler, 1)
            handler(claim, claim)

    with rounds() as found:
        handled = timed(*found[HANDLED])
    return {
        BATCH.name: handled,
        OFFER.name: timed(lambda: offers(nothing.offer)),
        CLAIM.name: timed(lambda: claims(nothing.try_claim, claim, nothing.commit)),
        POLL.name: timed(poll_and_handle),
    }


def measure(setting: Setting) -> list[Figure]:
    """Measure both in turns."""
    return alternate(GOALS, ours, no_op, setting.starts)
