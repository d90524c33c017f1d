"""While only messages flow, no Python part of a driver or client is called."""

import contextlib

import pytest

from aeron_cluster.client.conductor import ClientConductor
from aeron_cluster.driver.control.conductor import Conductor
from tests.simulation.test_drivers import Pair, S


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of both Python parts."""
    found = []
    for kind, name in ((Conductor, "do_work"), (ClientConductor, "try_service")):
        call = getattr(kind, name)

        def counted(self, *arguments, _call=call, _name=name):
            found.append(_name)
            return _call(self, *arguments)

        monkeypatch.setattr(kind, name, counted)
    return found


def test_steady_stream_never_calls_the_conductors(calls):
    with contextlib.closing(Pair(5)) as pair:
        ipc = pair.one.client.add_subscription("aeron:ipc", 77)
        here = pair.one.client.add_publication("aeron:ipc", 77)
        pair.run_until(lambda: here.is_connected)
        pair.send_all(50)
        settled_ns = pair.world.time.now_ns + 2 * S
        pair.run_until(lambda: pair.world.time.now_ns >= settled_ns)
        assert calls
        calls.clear()
        begin_ns = pair.world.time.now_ns
        count = 50
        while pair.world.time.now_ns < begin_ns + 15 * S:
            count += 1
            pair.send_all(count)
            here.offer(b"local")
            ipc.poll(lambda *_: None, 10)
            pair.world.time.advance(S // 20)
        assert calls == []
        assert len(pair.received) == count
