"""Sockets of simulated hosts: addresses of both families, and the calls that are rejected."""

import errno
import struct

import pytest

from aeron_cluster.codecs.cluster import CommitPosition
from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import DatagramSocket, SeededRandom
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.virtual_clock import VirtualTime
from aeron_cluster.simulator.world.wire import Wire

MS = 1_000_000
A = Address("10.0.0.1", 1000)
B = Address("10.0.0.2", 2000)
A_6 = Address("fd00::1", 1000)
B_6 = Address("fd00::2", 2000)
GROUP_6 = Address("ff02::7", 3000)


@pytest.fixture
def time():
    return VirtualTime()


@pytest.fixture
def wire(time):
    return Wire(time, SeededRandom(1))


@pytest.fixture
def hosts(wire):
    return [wire.add_host(f"10.0.0.{index}", f"fd00::{index}") for index in (1, 2)]


@pytest.fixture
def pair(hosts):
    with hosts[0].open(bind=A) as one, hosts[1].open(bind=B) as other:
        yield one, other


def receive_all(socket):
    found = []
    while (item := socket.receive()) is not None:
        found.append(item)
    return found


def code_of(call):
    with pytest.raises(PlatformError) as raised:
        call()
    return raised.value.errno


# ---- addresses ----


def test_hosts_have_addresses_of_both_families(hosts):
    with hosts[0].open(bind=A_6) as one, hosts[1].open(bind=Address("::", 2000)) as other:
        assert one.send(b"to it", B_6)
        assert receive_all(other) == [(b"to it", A_6, 0)]
        assert other.send(b"back", A_6)  # from its address of that family
        assert receive_all(one) == [(b"back", B_6, 0)]


def test_loopback_of_both_families_is_a_hosts_own(hosts):
    local = Address("::1", 1000)
    near = Address("::2", 1000)  # not a loopback address, though it looks like one
    with hosts[0].open(bind=local) as one, hosts[1].open(bind=local) as other:
        assert other.send(b"self", local)
        assert [data for data, _, _ in receive_all(other)] == [b"self"]
        assert receive_all(one) == []
    assert code_of(lambda: hosts[0].open(bind=near)) == errno.EADDRNOTAVAIL
    assert code_of(lambda: hosts[0].open(bind=B)) == errno.EADDRNOTAVAIL


def test_a_group_of_the_other_family_reaches_each_member(wire, hosts):
    joined = [
        host.open(bind=GROUP_6, multicast_group=GROUP_6, reuse_address=True) for host in hosts
    ]
    any_6 = hosts[1].open(bind=Address("::", 3000), multicast_group=GROUP_6, reuse_address=True)
    # Bound to an address of its own, or to the port without the group.
    deaf = [
        hosts[1].open(bind=Address("fd00::2", 3000), multicast_group=GROUP_6, reuse_address=True),
        hosts[1].open(bind=Address("0.0.0.0", 3000), reuse_address=True),
    ]
    with hosts[0].open(connect=GROUP_6) as sender:
        assert sender.local_address.host == "fd00::1"
        assert sender.send(b"all")
        for each in (*joined, any_6):
            assert [data for data, _, _ in receive_all(each)] == [b"all"]
        assert [receive_all(each) for each in deaf] == [[], []]
    assert wire.counts["undeliverable"] == 0


def test_a_member_of_a_group_answers_from_its_own_address(hosts):
    with (
        hosts[0].open(bind=GROUP_6, multicast_group=GROUP_6) as member,
        hosts[1].open(bind=B_6) as other,
    ):
        assert member.send(b"answer", B_6)
        assert receive_all(other) == [(b"answer", Address("fd00::1", 3000), 0)]


@pytest.mark.parametrize(
    ("options", "host"),
    [
        ({}, "0.0.0.0"),
        ({"connect": B}, "10.0.0.1"),
        ({"connect": B_6}, "fd00::1"),
        ({"connect": Address("::1", 5)}, "::1"),
        ({"multicast_group": GROUP_6}, "::"),
    ],
)
def test_a_socket_without_an_address_has_one_of_its_peers_family(hosts, options, host):
    with hosts[0].open(**options) as one, hosts[0].open(**options) as other:
        assert one.local_address.host == host
        assert other.local_address.port == one.local_address.port + 1


def test_a_host_without_an_address_of_a_family_sends_from_any(wire):
    only_4 = wire.add_host("10.0.0.9")
    with only_4.open(connect=B_6) as socket:
        assert socket.local_address.host == "::"


def test_ports_after_the_last_begin_again(hosts):
    with hosts[0].open() as first:
        begin = first.local_address.port
        for _ in range(begin + 1, 60_999):
            hosts[0].open().close()
        with hosts[0].open() as last, hosts[0].open() as again:
            assert last.local_address.port == 60_999
            assert again.local_address.port == begin + 1  # the first one is in use


@pytest.mark.parametrize(
    ("first", "second", "is_free"),
    [
        ("10.0.0.1", "10.0.0.1", False),
        ("0.0.0.0", "10.0.0.1", False),
        ("10.0.0.1", "0.0.0.0", False),
        ("10.0.0.1", "127.0.0.1", True),
        ("::", "10.0.0.1", True),
        ("::", "fd00::1", False),
    ],
)
def test_a_port_of_an_address_is_used_once_unless_both_share_it(hosts, first, second, is_free):
    second_address = Address(second, 1000)
    with hosts[0].open(bind=Address(first, 1000), reuse_address=True):
        hosts[0].open(bind=second_address, reuse_address=True).close()
        if is_free:
            hosts[0].open(bind=second_address).close()
        else:
            assert code_of(lambda: hosts[0].open(bind=second_address)) == errno.EADDRINUSE
        hosts[1].open(bind=Address("0.0.0.0", 1000)).close()


@pytest.mark.parametrize("is_connected_first", [True, False])
def test_a_connected_socket_receives_before_one_for_all(hosts, is_connected_first):
    any_address, own = {"bind": Address("0.0.0.0", 2000)}, {"bind": B, "connect": A}
    options = [own, any_address] if is_connected_first else [any_address, own]
    opened = [hosts[1].open(**each, reuse_address=True) for each in options]
    connected = opened[0 if is_connected_first else 1]
    with hosts[0].open(bind=A) as peer, hosts[0].open() as another:
        assert peer.send(b"peer", B)
        assert another.send(b"another", B)
        assert [data for data, _, _ in receive_all(connected)] == [b"peer"]
        (other,) = [each for each in opened if each is not connected]
        assert [data for data, _, _ in receive_all(other)] == [b"another"]


# ---- calls that are rejected ----


@pytest.mark.parametrize(
    ("to", "code"),
    [
        (B_6, errno.EINVAL),
        (Address("10.0.0.2", 0), errno.EINVAL),
        (None, errno.EDESTADDRREQ),
    ],
)
def test_a_datagram_needs_an_address_of_the_sockets_family(pair, to, code):
    assert code_of(lambda: pair[0].send(b"x", to)) == code


def test_a_datagram_is_at_most_as_long_as_udp_allows(pair):
    assert code_of(lambda: pair[0].send(bytes(65_508), B)) == errno.EMSGSIZE
    assert pair[0].send(bytes(65_507), B)
    assert receive_all(pair[1]) == [(bytes(65_507), A, 0)]


def test_a_peer_is_of_the_sockets_family(hosts, pair):
    assert code_of(lambda: pair[0].connect(B_6)) == errno.EINVAL
    assert code_of(lambda: hosts[0].open(bind=Address("10.0.0.1", 5), connect=B_6)) == errno.EINVAL
    pair[0].connect(B)
    assert pair[0].send(b"peer")
    assert receive_all(pair[1]) == [(b"peer", A, 0)]


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
def test_the_handles_of_an_ended_process_and_of_other_hosts_are_invalid(wire, hosts, call):
    process = hosts[0].process()
    ended, theirs = process.open(bind=A), hosts[1].open(bind=B)
    wire.close_host(process)
    assert code_of(lambda: call(ended)) == errno.EBADF
    for handle in (theirs.handle, 1 << 20):
        foreign = DatagramSocket(hosts[0], handle)
        assert code_of(lambda foreign=foreign: call(foreign)) == errno.EBADF
    assert theirs.local_address == B


def test_buffers_have_the_lengths_that_are_given(hosts):
    with hosts[0].open(send_buffer_length=4000, receive_buffer_length=5000) as socket:
        assert socket.buffer_lengths == (4000, 5000)
    with hosts[0].open() as socket:
        assert min(socket.buffer_lengths) > 5000


def test_a_datagram_longer_than_the_buffer_is_empty(pair):
    pair[0].send(b"12345", B)
    pair[0].send(b"1234", B)
    assert pair[1].receive(4) == (b"", A, 0)
    assert pair[1].receive(4) == (b"1234", A, 0)


def test_a_receive_time_is_that_of_the_arrival(wire, time, hosts):
    wire.set_faults(None, None, LinkFaults(min_delay_ns=MS, max_delay_ns=MS))
    with (
        hosts[0].open(bind=A) as one,
        hosts[1].open(bind=B, receive_time_stamps=True) as other,
    ):
        one.send(b"first", B)
        time.advance(3 * MS)
        one.send(b"second", B)
        time.advance(MS)
        (_, _, first_ns), (_, _, second_ns) = receive_all(other)
        assert first_ns > 0
        assert second_ns - first_ns == 3 * MS


def test_a_wire_has_at_most_64_hosts_and_no_others(wire, hosts):
    foreign = Wire(VirtualTime()).add_host("10.0.0.1")
    for call in (wire.open_sockets, wire.close_host, lambda host: wire.stop_after(host, 1)):
        with pytest.raises(ValueError, match="host: not on this wire"):
            call(foreign)
    for index in range(len(hosts), 64):
        wire.add_host(f"10.0.1.{index}")
    with pytest.raises(ValueError, match="hosts: expected <= 64, found one more"):
        wire.add_host("10.0.2.1")
    assert len(wire.hosts) == 64


def test_many_sockets_are_open_at_a_time(wire, hosts):
    opened = [hosts[0].open() for _ in range(200)]
    assert len({each.local_address for each in opened}) == 200
    assert wire.open_sockets(hosts[0]) == 200
    for each in opened:
        each.close()
    assert wire.open_sockets(hosts[0]) == 0


# ---- faults ----


@pytest.mark.parametrize("fault", [{"corrupt": 1.0}, {"truncate": 1.0}])
def test_checksums_discard_what_is_damaged(wire, pair, fault):
    wire.set_faults(None, None, LinkFaults(**fault))
    wire.has_checksums = True
    assert wire.has_checksums
    pair[0].send(b"damaged", B)
    assert receive_all(pair[1]) == []
    assert wire.counts["discarded"] == 1
    wire.has_checksums = False
    pair[0].send(b"damaged", B)
    ((data, _, _),) = receive_all(pair[1])
    assert data != b"damaged"
    assert wire.counts["discarded"] == 1


def test_an_empty_datagram_has_nothing_to_damage(wire, pair):
    wire.set_faults(None, None, LinkFaults(corrupt=1.0, truncate=1.0))
    pair[0].send(b"", B)
    assert receive_all(pair[1]) == [(b"", A, 0)]
    assert wire.counts["corrupted"] == wire.counts["truncated"] == 0


def test_a_host_has_no_faults_with_itself_unless_they_are_set(wire, hosts):
    own = Address("10.0.0.1", 1001)
    with hosts[0].open(bind=A) as one, hosts[0].open(bind=own) as other:
        wire.set_faults(None, None, LinkFaults(loss=1.0))
        one.send(b"self", own)
        assert len(receive_all(other)) == 1
        wire.set_faults(hosts[0], hosts[0], LinkFaults(loss=1.0))
        one.send(b"self", own)
        assert receive_all(other) == []


def test_a_clogged_direction_delivers_all_together(wire, time, hosts, pair):
    one, other = pair
    wire.clog(hosts[0], hosts[1], 10 * MS)
    for data in (b"a", b"b"):
        one.send(data, B)
        time.advance(4 * MS)
        assert receive_all(other) == []
    other.send(b"back", A)
    assert [data for data, _, _ in receive_all(one)] == [b"back"]
    time.advance(2 * MS)
    assert [data for data, _, _ in receive_all(other)] == [b"a", b"b"]
    wire.clog(hosts[0], hosts[1], 10 * MS)
    wire.heal()
    one.send(b"c", B)
    assert [data for data, _, _ in receive_all(other)] == [b"c"]


# ---- frames ----

DATA, PAD, SETUP = 1, 0, 5


def frame(message=b"", *, kind=DATA, flags=0xC0, stream_id=108, length=None):
    size = 32 + len(message) if length is None else length
    head = struct.pack("<iBBHiiiiq", size, 0, flags, kind, 0, 7, stream_id, 1, 0)
    return head + message + bytes(-len(message) % 32)


@pytest.mark.parametrize(
    ("datagram", "stops"),
    [
        (frame(kind=PAD), True),
        (frame(b"data") + frame(kind=PAD), True),
        (frame(b"data"), False),
        (frame(kind=PAD, stream_id=109), False),
        (frame(kind=SETUP), False),
        (frame(kind=PAD, length=31), False),
        (frame(kind=PAD)[:31], False),
        (b"", False),
    ],
    ids=[
        "padding",
        "padding after data",
        "data",
        "another stream",
        "another kind",
        "too short",
        "cut",
        "empty",
    ],
)
def test_a_process_ends_when_it_sends_the_end_of_a_term(wire, hosts, pair, datagram, stops):
    one, _ = pair
    wire.stop_at_padding(hosts[0], 108, 1)
    if stops:
        assert code_of(lambda: one.send(datagram, B)) == errno.EIO
    else:
        assert one.send(datagram, B)
    assert wire.is_stopped(hosts[0]) == stops


def test_a_process_ends_some_calls_after_the_end_of_a_term(wire, hosts, pair):
    one, _ = pair
    before = wire.call_count(hosts[0])
    wire.stop_at_padding(hosts[0], 108, 3)
    for datagram in (frame(b"data"), frame(kind=PAD), frame(kind=PAD)):
        assert one.send(datagram, B)
    assert code_of(lambda: one.send(frame(b"data"), B)) == errno.EIO
    assert code_of(lambda: one.send(frame(b"data"), B)) == errno.EIO
    assert wire.call_count(hosts[0]) == before + 4


MESSAGE = CommitPosition.encode(leadership_term_id=1, log_position=64, leader_member_id=0)


@pytest.mark.parametrize(
    "datagram",
    [
        frame(MESSAGE, kind=SETUP),
        frame(MESSAGE, flags=0x80),
        frame(MESSAGE, length=39),
        frame(MESSAGE, length=2000),
        frame(MESSAGE)[:39],
        frame(MESSAGE[:2] + (256 + CommitPosition.template_id).to_bytes(2, "little") + MESSAGE[4:]),
        frame(MESSAGE[:4] + bytes(2) + MESSAGE[6:]),
        frame(MESSAGE[:2] + (CommitPosition.template_id + 1).to_bytes(2, "little") + MESSAGE[4:]),
    ],
    ids=[
        "no data",
        "a fragment",
        "too short",
        "too long",
        "cut",
        "a high template",
        "another schema",
        "another template",
    ],
)
def test_only_complete_messages_of_the_tapped_kinds_are_copied(wire, pair, datagram):
    wire.tap([CommitPosition.template_id])
    pair[0].send(datagram, B)
    assert wire.take_tapped() == []
    pair[0].send(frame(MESSAGE) + datagram, B)
    assert [each[-1] for each in wire.take_tapped()] == [MESSAGE]
    wire.tap([])
    pair[0].send(frame(MESSAGE), B)
    assert wire.take_tapped() == []


def test_names_are_resolved_by_family(wire, hosts):
    wire.set_name("node", "10.0.0.1", "fd00::1")
    assert hosts[0].resolve("node") == ["10.0.0.1", "fd00::1"]
    assert hosts[0].resolve("node", 4) == ["10.0.0.1"]
    assert hosts[0].resolve("fd00:0:0::2") == ["fd00::2"]
    assert hosts[0].resolve("fd00::2", 6) == ["fd00::2"]
    for host, family in (("fd00::2", 4), ("nobody", 0)):
        assert code_of(lambda host=host, family=family: hosts[0].resolve(host, family)) == (
            errno.EADDRNOTAVAIL
        )
