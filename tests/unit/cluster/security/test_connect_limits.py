"""How many requests may be pending."""

import pytest

from aeron_cluster.cluster.security.connect_limits import ConnectLimits, default_limits
from tests.unit.cluster.test_module_context import context


@pytest.fixture
def rejected():
    return []


@pytest.fixture
def reported():
    return []


@pytest.fixture
def limits(rejected, reported):
    return ConnectLimits(6, 2, lambda: rejected.append(1), reported.append)


def test_a_source_is_a_host_with_any_port(limits, rejected, reported):
    assert limits.admit("10.0.0.1:1")
    assert limits.admit("10.0.0.1:2")
    assert limits.admit("10.0.0.1:3") is None
    assert limits.admit("10.0.0.2:1")
    assert (len(limits), len(rejected), len(reported)) == (3, 1, 1)
    assert "from 10.0.0.1 wait already" in str(reported[0])


def test_a_source_of_version_6_is_a_network(limits):
    # A host with one address of a network has all of them.
    assert limits.admit("[2001:db8::1]:1")
    assert limits.admit("[2001:db8::ffff:2]:1")
    assert limits.admit("[2001:db8::3]:1") is None
    assert limits.admit("[2001:db8:0:1::3]:1")
    assert limits.admit("[::ffff:10.0.0.1]:1")
    assert limits.admit("10.0.0.1:1")
    assert limits.admit("10.0.0.1:1") is None


def test_ipc_clients_count_in_all_alone(limits, reported):
    places = [limits.admit("aeron:ipc") for _ in range(7)]
    assert places.count(None) == 1
    assert "aeron.cluster.max.pending.sessions)" in str(reported[0])


def test_a_place_is_released_once(limits):
    place = limits.admit("10.0.0.1:1")
    limits.admit("10.0.0.1:1")
    place.release()
    place.release()
    assert len(limits) == 1
    assert limits.admit("10.0.0.1:1")
    assert limits.admit("10.0.0.1:1") is None


def test_a_limit_is_reported_once_until_it_is_left(limits, reported):
    for _ in range(3):
        places = [limits.admit("10.0.0.1:1") for _ in range(9)]
        # Using the same place repeatedly is not reported again.
        places[0].release()
        places[0] = limits.admit("10.0.0.1:1")
        assert limits.admit("10.0.0.1:1") is None
        for place in places:
            if place is not None:
                place.release()
    assert len(reported) == 3


def test_mistakes_of_one_source_are_reported_eight_times(limits, rejected, reported):
    for index in range(100):
        limits.reject("10.0.0.1:1", ValueError(index))
    assert (len(rejected), len(reported)) == (100, 8)
    # Requests that might wait and then fail are not reported again either.
    for index in range(100):
        place = limits.admit("10.0.0.1:1")
        place.report(ValueError(index))
        place.release()
        place.report(ValueError(index))
    limits.reject("10.0.0.1:1", ValueError(100))
    assert (len(rejected), len(reported)) == (101, 8)
    # An accepted source may connect again.
    limits.admit("10.0.0.1:1").release(is_accepted=True)
    limits.admit("10.0.0.1:1").report(ValueError(100))
    assert len(reported) == 9


def test_forged_sources_cannot_fill_the_memory(limits, rejected, reported):
    for index in range(10_000):
        limits.reject(f"10.0.{index // 256}.{index % 256}:1", ValueError(index))
    assert (len(rejected), len(reported)) == (10_000, 256)
    for index in range(10_000):
        limits.admit(f"10.0.{index // 256}.{index % 256}:1")
    assert len(limits) == 6


def test_all_clients_may_reconnect_at_once_from_one_host():
    assert default_limits(10) == (256, 64)
    assert default_limits(1000) == (2000, 1000)


def test_the_context_creates_it_from_its_options(rejected):
    made = context(max_pending_sessions=3, max_pending_sessions_per_source=1)
    limits = made.make_connect_limits(lambda: rejected.append(1))
    places = [limits.admit(f"10.0.0.{index}:1") for index in (1, 1, 2, 3, 4)]
    assert [place is None for place in places] == [False, True, False, False, True]
    defaults = context(max_sessions=300).make_connect_limits(int)
    assert sum(defaults.admit("10.0.0.1:1") is not None for _ in range(400)) == 300
