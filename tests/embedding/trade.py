"""Run the trading loop on an embedded driver: ``python trade.py COUNT LIMIT``."""

import sys

import trading_loop

from aeron_cluster.client import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.ring_buffer import OneToOneRingBuffer

CHANNEL, PRICES, ORDERS = "aeron:ipc?term-length=64k", 1001, 1002
TRAILER = 768
count, limit = map(int, sys.argv[1:])

with (
    MediaDriver.launch(threading_mode="SHARED") as driver,
    Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
):
    prices_in = aeron.add_subscription(CHANNEL, PRICES)
    orders_in = aeron.add_subscription(CHANNEL, ORDERS)
    prices_out = aeron.add_publication(CHANNEL, PRICES)
    orders_out = aeron.add_exclusive_publication(CHANNEL, ORDERS)
    idle = IdleStrategy("backoff")
    while not (prices_in.is_connected and orders_in.is_connected):
        idle.idle()
    ring = OneToOneRingBuffer(bytearray(64 * 1024 + TRAILER))
    strategy = trading_loop.Strategy(prices_in, ring, limit)
    gateway = trading_loop.Gateway(ring, orders_out)
    with (
        AgentRunner([strategy], idle_strategy="yield", name="strategy"),
        AgentRunner([gateway], idle_strategy="yield", name="gateway"),
    ):
        received, total = trading_loop.run(prices_out, orders_in.images[0], count, limit)
    sys.stdout.write(f"{received} {total}")
