"""Datagrams in one process: what sockets accept, and what is rejected."""

import errno

import pytest

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import DatagramSocket
from aeron_cluster.simulator.world.memory_network import MemoryNetwork

A = Address("127.0.0.1", 1000)
B = Address("127.0.0.1", 2000)
GROUP = Address("224.1.2.3", 3000)
GROUP_6 = Address("ff02::7", 3000)


@pytest.fixture
def network():
    return MemoryNetwork()


def code_of(call):
    with pytest.raises(PlatformError) as raised:
        call()
    return raised.value.errno


def receive_all(socket):
    found = []
    while (item := socket.receive()) is not None:
        found.append(item[0])
    return found


@pytest.mark.parametrize(
    ("bind", "target", "arrives"),
    [
        (Address("0.0.0.0", 2000), B, True),
        (Address("0.0.0.0", 2000), Address("10.0.0.7", 2000), True),
        (Address("0.0.0.0", 2000), Address("224.1.2.3", 2000), False),
        (Address("0.0.0.0", 2000), Address("239.255.0.1", 2000), False),
        (Address("0.0.0.0", 2000), Address("223.255.0.1", 2000), True),
        (Address("0.0.0.0", 2000), Address("240.0.0.1", 2000), True),
        (Address("::", 2000), Address("ff02::7", 2000), False),
        (Address("::", 2000), Address("::1", 2000), True),
        (B, Address("127.0.0.2", 2000), False),
        (B, Address("127.0.0.1", 2001), False),
    ],
)
def test_a_socket_accepts_its_own_address_and_a_wildcard_all_but_groups(
    network, bind, target, arrives
):
    with network.open(bind=bind) as socket:
        assert network.deliver(A, target, b"data") == int(arrives)
        assert receive_all(socket) == [b"data"] * arrives


@pytest.mark.parametrize("group", [GROUP, GROUP_6])
def test_a_group_reaches_each_member(network, group):
    sockets = [
        network.open(bind=group, multicast_group=group, reuse_address=True) for _ in range(2)
    ]
    with network.open(bind=Address(group.host, 3001), multicast_group=group) as other_port:
        assert network.deliver(A, group, b"all") == 2
        assert [receive_all(each) for each in sockets] == [[b"all"]] * 2
        assert receive_all(other_port) == []


def test_a_connected_socket_receives_from_its_peer_alone(network):
    with network.open(bind=B, connect=A) as socket:
        network.deliver(Address("127.0.0.1", 1001), B, b"no")
        network.deliver(A, B, b"yes")
        assert receive_all(socket) == [b"yes"]
        socket.connect(Address("127.0.0.1", 1001))
        network.deliver(A, B, b"no")
        assert receive_all(socket) == []


@pytest.mark.parametrize(
    ("options", "host"),
    [
        ({}, "127.0.0.1"),
        ({"connect": B}, "127.0.0.1"),
        ({"connect": Address("::1", 2000)}, "::1"),
        ({"connect": B, "bind": Address("0.0.0.0", 0)}, "127.0.0.1"),
        ({"connect": Address("::1", 2000), "bind": Address("::", 0)}, "::1"),
        ({"bind": Address("0.0.0.0", 0)}, "0.0.0.0"),
    ],
)
def test_a_socket_without_an_address_has_a_free_one(network, options, host):
    with network.open(**options) as one, network.open(**options) as other:
        assert one.local_address.host == other.local_address.host == host
        assert one.local_address.port != other.local_address.port


def test_ports_in_use_are_left_out_and_those_after_the_last_begin_again(network):
    with network.open() as first:
        begin = first.local_address.port
        with network.open(bind=Address("127.0.0.1", begin + 1)), network.open() as next_one:
            assert next_one.local_address.port == begin + 2
        for _ in range(begin + 3, 60_999):
            network.open().close()
        with network.open() as last, network.open() as again:
            assert last.local_address.port == 60_999
            assert again.local_address.port == begin + 1  # the first one is in use


def test_the_last_port_in_use_is_left_out(network):
    with network.open(bind=Address("127.0.0.1", 60_999)), network.open() as first:
        begin = first.local_address.port
        for _ in range(begin + 1, 60_999):
            network.open().close()
        with network.open() as again:
            assert again.local_address.port == begin + 1


def test_an_address_is_used_once_unless_both_share_it(network):
    with network.open(bind=A):
        assert code_of(lambda: network.open(bind=A)) == errno.EADDRINUSE
        assert code_of(lambda: network.open(bind=A, reuse_address=True)) == errno.EADDRINUSE
        network.open(bind=B).close()
    with network.open(bind=A, reuse_address=True), network.open(bind=A, reuse_address=True):
        assert code_of(lambda: network.open(bind=A)) == errno.EADDRINUSE


@pytest.mark.parametrize(
    "call",
    [
        lambda socket: socket.send(b"x", B),
        lambda socket: socket.receive(),
        lambda socket: socket.connect(B),
        lambda socket: socket.local_address,
        lambda socket: socket.buffer_lengths,
        lambda socket: socket.close(),
    ],
    ids=["send", "receive", "connect", "local address", "buffer lengths", "close"],
)
def test_an_unknown_handle_is_invalid(network, call):
    assert code_of(lambda: call(DatagramSocket(network, 99))) == errno.EBADF


def test_a_datagram_is_at_most_as_long_as_udp_allows(network):
    with network.open(bind=A) as one, network.open(bind=B) as other:
        assert code_of(lambda: one.send(bytes(65_508), B)) == errno.EMSGSIZE
        assert one.send(bytes(65_507), B)
        assert receive_all(other) == [bytes(65_507)]


def test_a_datagram_longer_than_the_buffer_is_empty(network):
    with network.open(bind=A) as one, network.open(bind=B) as other:
        one.send(b"12345", B)
        one.send(b"1234", B)
        assert other.receive(4) == (b"", A, 0)
        assert other.receive(4) == (b"1234", A, 0)


def test_a_full_queue_loses_datagrams(network):
    with network.open(bind=B) as socket:
        reached = sum(network.deliver(A, B, b"%d" % index) for index in range(4100))
        assert reached == 4096
        assert receive_all(socket)[-1] == b"4095"


def test_an_interceptor_decides_what_arrives():
    seen = []

    def intercept(source, target, data):
        seen.append((source, target, data))
        return [data.upper()] * (len(data) - 1)

    network = MemoryNetwork(intercept)
    with network.open(bind=A) as one, network.open(bind=B, connect=A) as other:
        for data in (b"a", b"ab", b"abc"):
            one.send(data, B)
        other.send(b"to", None)  # its peer
        assert receive_all(other) == [b"AB", b"ABC", b"ABC"]
        assert receive_all(one) == [b"TO"]
    assert seen[0] == (A, B, b"a")
    assert seen[-1] == (B, A, b"to")


def test_the_only_known_name_is_localhost(network):
    assert network.resolve("localhost") == ["127.0.0.1"]
    assert network.resolve("10.0.0.7") == ["10.0.0.7"]
