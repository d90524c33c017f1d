"""Java's clients on our driver continue while hostile datagrams come to their port."""

import contextlib
import sys

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import CorruptError
from tests.conftest import SEED
from tests.interop.java_peer import Peer, key_values
from tests.waiting import await_true

STREAM_ID = 108  # of the attacker, and of the subscription that receives its streams


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threading_mode", ["SHARED", "DEDICATED"])
def test_java_streams_in_order_while_its_port_is_attacked(
    java, shm_dir, tmp_path, free_port, threading_mode
):
    port = free_port(2)
    channel = f"aeron:udp?endpoint=localhost:{port}"
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "driver", threading_mode=threading_mode) as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
    ):
        listener = aeron.add_subscription(channel, STREAM_ID)
        seen = set()

        def listen():
            # Raised for an image that is closed as corrupt; the other images continue.
            with contextlib.suppress(CorruptError):
                listener.poll(lambda _, header: seen.add(header.session_id))

        arguments = {
            "seed": SEED,
            "kind": "stranger",
            "ports": f"127.0.0.1:{port}:{STREAM_ID}",
            "rate": 1000,
        }
        command = [sys.executable, "-m", "tests.hostile.attacker", *key_values(arguments)]
        attacker = Peer("attacker", command, tmp_path / "attacker.log")
        try:
            await_true(lambda: listen() or len(seen) > 3, "attackers' streams are received")
            peer = java.start(
                "Throughput",
                role="both",
                transport="udp",
                kind="exclusive",
                size=200,
                port=port,
                dir=driver.aeron_dir,
                params="term-length=128k",
                seconds=2,
                least=1,
                warmupSeconds=0,
                runs=1,
                wait="yield",
                pubWait="yield",
            )

            def has_ended():
                listen()
                attacker.read()
                peer.read()
                return peer.code is not None

            await_true(has_ended, "Java's streams end")
            attacker.emit("stop")
            await_true(lambda: attacker.read() is False or attacker.code == 0, "attacker ends")
        finally:
            attacker.stop()
        assert peer.code == 0, peer.report()
        [result] = [event for event in peer.events if event["event"] == "result"]
        assert result["outOfOrder"] == 0
        assert result["count"] > 0
