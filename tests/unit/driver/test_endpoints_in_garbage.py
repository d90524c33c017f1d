"""Endpoints freed by a garbage collection together with the network of their sockets."""

import os
import subprocess
import sys

import pytest

# The endpoint has the last reference to the network, and the network the last one to the wire.
PROGRAM = """
import gc
from aeron_cluster.driver.send.send_endpoint import SendMode
from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
from aeron_cluster.driver.send.send_endpoint import SendEndpoint
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualTime
from aeron_cluster.simulator.world.wire import Wire
from tests.unit.driver.harness import Counters

def receiving(network):
    endpoint = ReceiveEndpoint(network, Counters().manager, registration_id=1, receiver_id=2)
    endpoint.open_transport(bind=("10.0.0.1", 1000))
    return endpoint

def sending(network):
    endpoint = SendEndpoint(
        network, Counters().manager, registration_id=1, mode=SendMode.SEND_CONNECTED)
    endpoint.open(connect=("10.0.0.2", 2000))
    return endpoint

def on_a_wire():
    return Wire(VirtualTime(), SeededRandom(1)).add_host("10.0.0.1")

def in_memory():
    return MemoryNetwork()

gc.disable()
cycle = [%s(%s())]
cycle.append(cycle)
del cycle
gc.collect()
"""


@pytest.mark.parametrize("network", ["on_a_wire", "in_memory"])
@pytest.mark.parametrize("endpoint", ["receiving", "sending"])
def test_sockets_are_closed_before_their_network_is_freed(endpoint, network):
    ended = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM % (endpoint, network)],
        env={
            **os.environ,
            "PYTHONMALLOC": "debug",  # freed memory is overwritten
            # Printed by a free-threaded Python.
            "PYTHONWARNINGS": "ignore:The global interpreter lock:RuntimeWarning",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
