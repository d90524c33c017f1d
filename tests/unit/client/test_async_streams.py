"""Streams in an event loop: offers and messages are awaited, and a closed stream ends."""

import asyncio

import pytest

from aeron_cluster.client.async_streams import AsyncPublication, AsyncSubscription
from aeron_cluster.errors import ClosedError, TimeoutExpiredError
from aeron_cluster.memory.shared.counters import AtomicCounter
from tests.unit.client.test_subscription import Stream


@pytest.fixture
def stream(driver, aeron):
    return Stream(driver, aeron, aeron.add_subscription("aeron:ipc", 1001))


def test_an_offer_waits_for_flow_control(driver, stream):
    publication = AsyncPublication(stream.publication)
    limit = AtomicCounter(driver.counters, driver.limits[stream.image_id])

    async def run():
        limit.set(0)
        offer = asyncio.create_task(publication.offer(b"x", "60s"))
        with pytest.raises(TimeoutExpiredError, match="offer: not within"):
            await publication.offer(b"y", "1ms")
        assert not offer.done()
        limit.set(1 << 20)
        assert await offer == 64
        await publication.connected("60s")
        stream.publication.close()
        with pytest.raises(ClosedError):
            await publication.offer(b"z")

    asyncio.run(run())
    assert repr(publication) == f"<AsyncPublication {stream.publication!r}>"


def test_messages_are_yielded_until_the_subscription_is_closed(stream):
    subscription = AsyncSubscription(stream.subscription)

    async def run():
        await subscription.connected("60s")
        with pytest.raises(TimeoutExpiredError, match="a message: not within"):
            await subscription.poll(pytest.fail, 10, "1ms")
        seen = []
        stream.publication.offer(b"0")
        async for payload, header in subscription:
            seen.append((payload, header.position))
            if len(seen) == 3:
                stream.subscription.close()
            else:
                stream.publication.offer(b"%d" % len(seen))
        return seen

    assert asyncio.run(run()) == [(b"0", 64), (b"1", 128), (b"2", 192)]
    assert repr(subscription) == f"<AsyncSubscription {stream.subscription!r}>"


def test_a_batch_is_awaited(stream):
    async def run():
        subscription = AsyncSubscription(stream.subscription)
        pending = asyncio.create_task(subscription.poll_batch(10, "60s"))
        with pytest.raises(TimeoutExpiredError):
            await subscription.poll(pytest.fail, 10, "1ms")
        stream.publication.offer(b"x")
        with await pending as batch:
            return [bytes(each) for each in batch]

    assert asyncio.run(run()) == [b"x"]
