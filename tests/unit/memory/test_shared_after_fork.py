"""Objects inherited by a forked child are closed: they belong to the parent's threads."""

import os

import pytest

from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager
from aeron_cluster.memory.shared.error_log import DistinctErrorLog
from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer, OneToOneRingBuffer


def broadcast(kind):
    return kind(bytearray(1024 + 128))


@pytest.mark.parametrize(
    ("make", "use"),
    [
        (lambda: ManyToOneRingBuffer(bytearray(1024 + 768)), lambda it: it.write(1, b"")),
        (lambda: OneToOneRingBuffer(bytearray(1024 + 768)), lambda it: it.read(print)),
        (lambda: broadcast(BroadcastTransmitter), lambda it: it.transmit(1, b"")),
        (lambda: broadcast(BroadcastReceiver), lambda it: it.receive()),
        (lambda: CountersManager(bytearray(512), bytearray(128)), lambda it: it.value(0)),
        (
            lambda: AtomicCounter(CountersManager(bytearray(512), bytearray(128)), 0),
            lambda it: it.set(1),
        ),
        (lambda: DistinctErrorLog(bytearray(64)), lambda it: it.record("x", now_ms=0)),
    ],
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_calls_of_the_child_are_rejected(make, use):
    made = make()
    child = os.fork()
    if child == 0:
        try:
            use(made)
            os._exit(1)
        except Exception as error:  # noqa: BLE001
            os._exit(7 if "forked" in str(error) else 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    use(made)
