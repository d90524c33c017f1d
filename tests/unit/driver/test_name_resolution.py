"""Names become addresses without blocking other commands."""

import threading

import pytest

from aeron_cluster.driver.control.name_resolution import MAX_NEW, NameResolver, UnknownHostError

NAMES = {"node0": ["fe80::1%2", "10.0.0.5"], "nowhere": []}


def known(host):
    if host not in NAMES:
        raise OSError(-2, "Name or service not known")
    return NAMES[host]


def test_literal_addresses_resolve_immediately():
    lookup = NameResolver(known).lookup(["127.0.0.1", "::1"])
    assert lookup.done()
    assert lookup.result() == {"127.0.0.1": "127.0.0.1", "::1": "::1"}


def test_prefers_an_ipv4_address():
    lookup = NameResolver(known, is_threaded=False).lookup(["node0"])
    assert lookup.result() == {"node0": "10.0.0.5"}


@pytest.mark.parametrize("host", ["nobody", "nowhere"])
def test_reports_the_unresolved_name(host):
    lookup = NameResolver(known, is_threaded=False).lookup(["node0", host])
    assert lookup.done()
    with pytest.raises(UnknownHostError, match=host) as unknown:
        lookup.result()
    assert unknown.value.host == host


def test_a_slow_name_does_not_hold_up_its_caller():
    answer = threading.Event()

    def slow(_host):
        assert answer.wait(100)
        return ["10.0.0.9"]

    resolver = NameResolver(slow)
    try:
        lookup = resolver.lookup(["slow"])
        assert not lookup.done()
        answer.set()
        assert lookup.result() == {"slow": "10.0.0.9"}
    finally:
        answer.set()
        resolver.close()


@pytest.fixture
def held():
    """A resolver that answers for names beginning with slow on the test's request."""
    answer = threading.Event()

    def resolve(host):
        assert not host.startswith("slow") or answer.wait(100)
        return ["10.0.0.9"]

    resolver = NameResolver(resolve)
    resolver.answer = answer
    yield resolver
    answer.set()
    resolver.close()


def test_unresolved_names_do_not_delay_resolved_ones(held):
    """Unknown sources may have any number of names and delay their resolution."""
    assert held.lookup(["node0"]).result() == {"node0": "10.0.0.9"}
    slow = [held.lookup([f"slow{index}"]) for index in range(MAX_NEW)]
    assert held.lookup(["node0", "127.0.0.1"]).result()["node0"] == "10.0.0.9"
    assert not any(each.done() for each in slow)


def test_a_slow_name_does_not_hold_up_another_new_one(held):
    slow = held.lookup(["slow"])
    assert held.lookup(["node1"]).result() == {"node1": "10.0.0.9"}
    assert not slow.done()


def test_new_names_are_looked_up_within_a_limit(held):
    slow = [held.lookup([f"slow{index}"]) for index in range(MAX_NEW)]
    rejected = held.lookup(["node1"])
    assert rejected.done()
    with pytest.raises(UnknownHostError, match=f"node1: {MAX_NEW} other names"):
        rejected.result()
    held.answer.set()
    for each in slow:
        each.result()
    assert held.lookup(["node1"]).result() == {"node1": "10.0.0.9"}
