"""Run a node with a native service, and a client that sends words to it.

``python serve.py FOLDER PORT C|Cython PATH EXPECTED WORD...``: prints the replies after the
expected number of messages.
"""

import importlib
import sys
import time

from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster_client import AeronCluster, EgressListener
from aeron_cluster.driver.media_driver import MediaDriver

TIMEOUT_S = 60.0
folder, port, language, service, expected, *words = sys.argv[1:]


class Replies(EgressListener):
    """Collects the messages of the service."""

    def __init__(self):
        self.texts = []

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.texts.append(bytes(message).decode())


def load():
    """Return the service: a library's symbol, or the result of a module's function."""
    if language == "C":
        return NativeService.load(*service.rsplit(":", 1))
    return NativeService.from_capsule(importlib.import_module(service).make())


replies = Replies()
with (
    ClusterNode.launch(
        load(),
        directory=folder,
        members=str(local_member(base_port=int(port))),
        driver={"term_buffer_length": 1 << 20, "ipc_term_buffer_length": 1 << 20},
        archive={"segment_file_length": 1 << 22},
        consensus_module={"log_channel": "aeron:udp?term-length=4m"},
    ),
    MediaDriver.launch(threading_mode="SHARED") as driver,
    AeronCluster.connect(
        aeron_dir=driver.aeron_dir,
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0=localhost:{int(port) + 1}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=int(TIMEOUT_S * 1e9),
        listener=replies,
    ) as cluster,
):
    for word in words:
        while not cluster.offer(word.encode()):
            cluster.poll_egress()
    deadline = time.monotonic() + TIMEOUT_S
    while len(replies.texts) < int(expected) and time.monotonic() < deadline:
        cluster.poll_egress()
sys.stdout.write("\n".join(sorted(replies.texts)))
