"""The real sockets, only on loopback."""

import errno
import os
import socket
from pathlib import Path

import pytest

from aeron_cluster.errors import ClosedError, PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import SystemFiles, UdpNetwork
from tests.waiting import await_true

LOOPBACK = Address("127.0.0.1", 0)
LOOPBACK_6 = Address("::1", 0)


@pytest.fixture
def network():
    return UdpNetwork()


def received(one, *length):
    """Return the next datagram; a busy kernel may deliver it with a delay."""
    found = []
    await_true(lambda: found.append(one.receive(*length)) or found[-1] is not None, "a datagram")
    return found[-1]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    "host",
    [
        LOOPBACK,
        pytest.param(LOOPBACK_6, marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6")),
    ],
)
def test_a_datagram_arrives_with_its_sender(network, host):
    with network.open(bind=host) as one, network.open(bind=host) as other:
        assert one.receive() is None
        assert other.send(b"hello", one.local_address)
        assert received(one) == (b"hello", other.local_address, 0)
        assert one.receive() is None
        assert one.local_address.host == host.host


def test_a_connected_socket_receives_from_one_address_only(network):
    with (
        network.open(bind=LOOPBACK) as one,
        network.open(connect=one.local_address) as other,
        network.open(bind=LOOPBACK) as stranger,
    ):
        assert stranger.send(b"no", other.local_address)
        assert other.send(b"yes")
        data, sender, _ = received(one)
        assert (data, sender) == (b"yes", other.local_address)
        assert one.send(b"back", sender)
        assert received(other)[0] == b"back"
        assert other.receive() is None
        other.connect(stranger.local_address)
        assert other.send(b"moved")
        assert received(stranger)[0] == b"moved"
        other.connect(None)
        with pytest.raises(PlatformError):
            other.send(b"nowhere")


def test_a_rejected_connection_leaves_the_earlier_one(network):
    with (
        network.open(bind=LOOPBACK) as one,
        network.open(bind=Address("0.0.0.0", 0), connect=one.local_address) as other,
    ):
        with pytest.raises(PlatformError):
            other.connect(Address("127.255.255.255", 4000))  # broadcast
        assert other.send(b"still")
        assert received(one)[0] == b"still"


def test_a_socket_connected_again_sends_from_the_address_that_fits(network):
    own = next(
        (
            each.address
            for each in network.interfaces()
            if not each.is_loopback and ":" not in each.address.host
        ),
        None,
    )
    if own is None:
        pytest.skip("only loopback interfaces")
    with network.open(bind=Address("0.0.0.0", 0), connect=Address("127.0.0.1", 4000)) as moved:
        host, port, _ = moved.local_address
        assert host == "127.0.0.1"
        moved.connect(Address(own.host, 4000))
        assert moved.local_address[:2] == (own.host, port)


def test_an_absent_peer_is_no_error(network):
    with network.open(bind=LOOPBACK) as gone:
        address = gone.local_address
    with network.open(connect=address) as socket_:
        for _ in range(10):
            socket_.send(b"anyone?")
            assert socket_.receive() is None


def test_oversized_datagram_is_not_truncated(network):
    with network.open(bind=LOOPBACK) as one, network.open(bind=LOOPBACK) as other:
        other.send(b"0123456789", one.local_address)
        other.send(b"01234567", one.local_address)
        assert received(one, 8)[0] == b""
        assert received(one, 8)[0] == b"01234567"


def test_receive_times_are_the_kernels(network):
    with (
        network.open(bind=LOOPBACK, receive_time_stamps=True) as one,
        network.open(bind=LOOPBACK) as other,
    ):
        assert one.receive() is None
        other.send(b"x", one.local_address)
        assert received(one)[2] > 1_600_000_000_000_000_000


def test_buffers_are_as_requested(network):
    with network.open(bind=LOOPBACK, send_buffer_length=65536, receive_buffer_length=131072) as one:
        assert one.buffer_lengths == (65536, 131072)
    with network.open(bind=LOOPBACK) as one:
        assert min(one.buffer_lengths) > 0


def test_a_port_is_shared_only_when_both_sockets_allow_it(network):
    with network.open(bind=LOOPBACK) as one:
        with pytest.raises(PlatformError) as raised:
            network.open(bind=one.local_address)
        assert one.local_address.host in str(raised.value)
    with network.open(bind=LOOPBACK, reuse_address=True) as one:
        network.open(bind=one.local_address, reuse_address=True).close()


def test_an_address_of_another_host_is_rejected(network):
    with pytest.raises(PlatformError, match="203"):
        network.open(bind=Address("203.0.113.1", 0))


def test_group_reaches_every_joined_socket(network, free_port):
    group = Address("239.255.13.7", free_port())
    joined = {
        "bind": group,
        "multicast_group": group,
        "multicast_interface": LOOPBACK,
        "reuse_address": True,
    }
    with (
        network.open(**joined) as one,
        network.open(**joined) as two,
        network.open(connect=group, multicast_interface=LOOPBACK, multicast_ttl=1) as sender,
    ):
        assert sender.send(b"all")
        assert received(one)[0] == b"all"
        assert received(two)[0] == b"all"


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6")
def test_a_group_of_ipv6(network, free_port):
    loopback = next(each for each in network.interfaces() if each.address.host == "::1")
    if not loopback.is_multicast:
        # The loopback interface supports groups if its route allows it.
        pytest.skip("the IPv6 loopback interface has no multicast here")
    group = Address("ff01::7", free_port())
    with (
        network.open(bind=group, multicast_group=group, multicast_interface=LOOPBACK_6) as one,
        network.open(connect=group, multicast_interface=LOOPBACK_6) as sender,
    ):
        assert sender.send(b"all")
        assert received(one)[0] == b"all"


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6")
@pytest.mark.skipif(not Path("/proc/net/igmp6").exists(), reason="the system lists no groups")
@pytest.mark.parametrize("has_scope", [False, True])
def test_a_group_of_ipv6_is_joined_at_its_interface(network, free_port, has_scope):
    group = Address("ff15::ae:7", free_port())
    interface = Address("::1", 0, socket.if_nametoindex("lo") if has_scope else 0)

    def joined():
        rows = [row.split() for row in Path("/proc/net/igmp6").read_text().splitlines()]
        return [name for _, name, address, *_ in rows if address.endswith("00ae0007")]

    with network.open(bind=group, multicast_group=group, multicast_interface=interface):
        assert joined() == ["lo"]
    assert joined() == []


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6")
def test_datagrams_to_groups_of_ipv6_have_an_interface_and_a_limit(network):
    with network.open(bind=LOOPBACK_6, multicast_interface=LOOPBACK_6, multicast_ttl=3) as one:
        found = socket.socket(fileno=os.dup(one.handle))
        with found:
            hops = found.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS)
            index = found.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF)
    assert (hops, socket.if_indextoname(index)) in {(3, "lo"), (3, "lo0")}


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({"multicast_interface": Address("203.0.113.1", 0)}, errno.EADDRNOTAVAIL),
        ({"multicast_group": Address("127.0.0.1", 0)}, errno.EINVAL),
        ({"connect": Address("255.255.255.255", 9)}, errno.EACCES),
        pytest.param(
            {"bind": LOOPBACK_6, "multicast_ttl": 256},
            errno.EINVAL,
            marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6"),
        ),
    ],
)
def test_options_that_the_system_rejects_leave_no_socket_open(network, options, number):
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(PlatformError) as raised:
        network.open(**{"bind": LOOPBACK} | options)
    assert raised.value.errno == number
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_addresses_that_the_system_rejects_are_errors(network):
    with network.open(bind=LOOPBACK) as one:
        with pytest.raises(PlatformError) as raised:
            one.connect(Address("255.255.255.255", 9))
        assert raised.value.errno == errno.EACCES
        with pytest.raises(PlatformError) as raised:
            one.send(b"x" * 70_000, one.local_address)
        assert raised.value.errno == errno.EMSGSIZE


def test_interfaces_and_names(network):
    found = {each.address.host: each for each in network.interfaces()}
    assert found["127.0.0.1"].is_loopback
    assert found["127.0.0.1"].prefix_length == 8
    assert network.resolve("127.0.0.1") == ["127.0.0.1"]
    assert "127.0.0.1" in network.resolve("localhost", 4)
    with pytest.raises(OSError, match=r"[Nn]ame|resol|addr"):
        network.resolve("no-such-host.invalid")


def test_a_closed_socket_raises(network):
    one = network.open(bind=LOOPBACK)
    one.close()
    one.close()
    with pytest.raises(ClosedError):
        one.send(b"x", LOOPBACK)
    with pytest.raises(ClosedError):
        one.receive()


@pytest.fixture(scope="module")
def batches(build_extension):
    return build_extension(Path(__file__).parent / "datagram_batches.pyx")


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 150])
def test_a_batch_is_sent_and_received_in_order(network, batches, count):
    with (
        network.open(bind=LOOPBACK, receive_buffer_length=1 << 20) as one,
        network.open(bind=LOOPBACK) as other,
    ):
        assert batches.send(network, other.handle, one.local_address, count) == count
        found = []

        def receive():
            found.extend(batches.receive(network, one.handle, 200))
            return len(found) >= count

        await_true(receive, f"{count} datagrams")
        assert found == [(index, other.local_address) for index in range(count)]
        assert batches.receive(network, one.handle, 200) == []


def test_a_full_send_buffer_accepts_part_of_a_batch_or_nothing(network, batches):
    with (
        network.open(bind=LOOPBACK, receive_buffer_length=4096) as one,
        network.open(bind=LOOPBACK, send_buffer_length=4096) as other,
    ):
        # An idle kernel delivers each datagram immediately: it accepts all, and drops some at the
        # receiver's buffer.
        assert 0 < batches.send(network, other.handle, one.local_address, 150) <= 150
        found = []

        def receive():
            found.extend(index for index, _ in batches.receive(network, one.handle, 200))
            return found

        await_true(receive, "a datagram")
        assert found == sorted(found)
        assert 0 < len(found) < 150


def test_batch_that_the_system_rejects_is_an_error(network, batches):
    with network.open(bind=LOOPBACK) as one:
        broadcast = Address("255.255.255.255", 9)
        assert batches.send(network, one.handle, broadcast, 2) == -errno.EACCES


@pytest.mark.parametrize("place", [0, 1, 10, 63, 64, 70, 128])
def test_a_batch_ends_before_a_datagram_that_the_system_rejects(network, batches, place):
    lengths = [8] * 150
    lengths[place] = 70_000
    with network.open(bind=LOOPBACK) as one, network.open(bind=LOOPBACK) as other:
        sent = batches.send_lengths(network, other.handle, one.local_address, lengths)
        assert sent == (place or -errno.EMSGSIZE)


def test_an_oversized_datagram_of_a_batch_is_not_truncated(network, batches):
    with network.open(bind=LOOPBACK) as one, network.open(bind=LOOPBACK) as other:
        lengths = [64, 65, 8, 1000, 1]
        assert batches.send_lengths(network, other.handle, one.local_address, lengths) == 5
        found = []
        await_true(
            lambda: found.extend(batches.receive_lengths(network, one.handle, 8)) or len(found) > 4,
            "five datagrams",
        )
        assert found == [64, 0, 8, 0, 1]


# A handle is a file descriptor and, in this bit, whether its socket has timestamps.
@pytest.mark.parametrize("bits", [0, 1 << 32])
def test_a_socket_that_is_not_open_is_an_error_of_each_call(network, batches, bits):
    handle = os.sysconf("SC_OPEN_MAX") | bits
    for count in (1, 2, 65):
        assert batches.send_lengths(network, handle, ("127.0.0.1", 9), [8] * count) == -errno.EBADF
        assert batches.receive_lengths(network, handle, count) == -errno.EBADF
    assert set(batches.other_calls(network, handle).values()) == {-errno.EBADF}


def test_a_file_that_is_not_open_is_an_error_of_each_call(batches, tmp_path):
    path = tmp_path / "file"
    found = batches.file_calls(SystemFiles(), os.sysconf("SC_OPEN_MAX"), bytes(path))
    assert not path.exists()
    of_arguments = {"unmap", "create for reading", "make for reading"}
    assert found == {
        name: -errno.EINVAL if name in of_arguments else -errno.EBADF for name in found
    }
