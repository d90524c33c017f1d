"""Datagrams between simulated hosts, and each kind of loss."""

import struct

import pytest

from aeron_cluster.codecs.cluster import CommitPosition
from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.virtual_clock import VirtualTime
from aeron_cluster.simulator.world.wire import Wire

MS = 1_000_000
A = Address("10.0.0.1", 1000)
B = Address("10.0.0.2", 2000)
GROUP = Address("239.1.2.3", 3000)


@pytest.fixture
def time():
    return VirtualTime()


@pytest.fixture
def wire(time):
    return Wire(time, SeededRandom(1))


@pytest.fixture
def hosts(wire):
    return [wire.add_host(f"10.0.0.{index}") for index in (1, 2, 3)]


@pytest.fixture
def pair(hosts):
    with hosts[0].open(bind=A) as one, hosts[1].open(bind=B) as other:
        yield one, other


def receive_all(socket):
    found = []
    while (item := socket.receive()) is not None:
        found.append(item[0])
    return found


def test_arrives_after_its_delay(wire, time, hosts, pair):
    one, other = pair
    wire.set_faults(hosts[0], hosts[1], LinkFaults(min_delay_ns=5 * MS, max_delay_ns=5 * MS))
    assert one.send(b"hello", B)
    assert other.receive() is None
    assert wire.next_due_ns == 5 * MS
    time.advance(5 * MS - 1)
    assert other.receive() is None
    time.advance(1)
    assert other.receive() == (b"hello", A, 0)
    assert wire.next_due_ns is None
    # The other direction has no delay.
    assert other.send(b"back", A)
    assert one.receive()[0] == b"back"


def test_unequal_delays_reorder_datagrams(wire, time, pair):
    one, other = pair
    wire.set_faults(None, None, LinkFaults(max_delay_ns=10 * MS))
    sent = [bytes([index]) for index in range(50)]
    for data in sent:
        one.send(data, B)
    time.advance(10 * MS)
    found = receive_all(other)
    assert sorted(found) == sent
    assert found != sent


def test_datagrams_due_at_the_same_time_keep_their_order(pair):
    one, other = pair
    sent = [bytes([index]) for index in range(200)]
    for data in sent:
        one.send(data, B)
    assert receive_all(other) == sent


@pytest.mark.parametrize(
    ("faults", "name"),
    [
        (LinkFaults(loss=0.3), "lost"),
        (LinkFaults(duplicate=0.3), "duplicated"),
        (LinkFaults(corrupt=0.3), "corrupted"),
        (LinkFaults(truncate=0.3), "truncated"),
    ],
)
def test_each_fault_affects_its_share(wire, hosts, pair, faults, name):
    one, other = pair
    wire.set_faults(hosts[0], hosts[1], faults)
    sent = b"x" * 100
    found = []
    for _ in range(1000):
        one.send(sent, B)
        found += receive_all(other)
    count = wire.counts[name]
    assert 200 < count < 400
    assert wire.counts["sent"] == 1000
    assert len(found) == 1000 + {"lost": -count, "duplicated": count}.get(name, 0)
    changed = [data for data in found if data != sent]
    if name == "corrupted":
        assert len(changed) == count
        assert all(sum(byte != 120 for byte in data) == 1 for data in changed)
    elif name == "truncated":
        assert len(changed) == count
        assert all(data == sent[: len(data)] for data in changed)
    else:
        assert not changed
    # The other direction is unchanged.
    for _ in range(50):
        other.send(sent, A)
    assert receive_all(one) == [sent] * 50


def test_a_certain_loss_loses_all(wire, pair):
    one, other = pair
    wire.set_faults(None, None, LinkFaults(loss=1.0))
    for _ in range(100):
        one.send(b"x", B)
    assert receive_all(other) == []


@pytest.mark.parametrize(
    "faults", [{"loss": 1.1}, {"corrupt": -0.1}, {"min_delay_ns": 2, "max_delay_ns": 1}]
)
def test_invalid_faults_are_rejected(faults):
    with pytest.raises(ValueError, match="expected"):
        LinkFaults(**faults)


def test_a_block_holds_in_one_direction(wire, hosts, pair):
    one, other = pair
    wire.block(hosts[0], hosts[1])
    one.send(b"no", B)
    other.send(b"yes", A)
    assert other.receive() is None
    assert one.receive()[0] == b"yes"
    assert wire.counts["blocked"] == 1
    wire.block(hosts[0], hosts[1], False)
    one.send(b"now", B)
    assert other.receive()[0] == b"now"


def test_a_port_alone_is_blocked(wire, hosts, pair):
    one, _ = pair
    with hosts[1].open(bind=Address("10.0.0.2", 2001)) as another:
        wire.block(hosts[0], hosts[1], port=2000)
        assert one.send(b"no", B)
        assert one.send(b"yes", Address("10.0.0.2", 2001))
        assert receive_all(another) == [b"yes"]
        wire.heal()
        assert one.send(b"now", B)
        assert receive_all(pair[1]) == [b"now"]
        wire.block(hosts[0], hosts[1], port=2000)
        wire.block(hosts[0], hosts[1], False, port=2000)
        assert one.send(b"again", B)
        assert receive_all(pair[1]) == [b"again"]


def test_partitions_and_bridges(wire, hosts):
    sockets = [
        host.open(bind=Address(f"10.0.0.{index}", 1000)) for index, host in enumerate(hosts, 1)
    ]
    a, b, c = hosts

    def reached():
        for index, socket in enumerate(sockets):
            for target in sockets:
                socket.send(bytes([index]), target.local_address)
        return [{data[0] for data in receive_all(socket)} for socket in sockets]

    assert reached() == [{0, 1, 2}] * 3
    wire.partition([a], [b, c])
    assert reached() == [{0}, {1, 2}, {1, 2}]
    wire.partition([a, b], [b, c])
    assert reached() == [{0, 1}, {0, 1, 2}, {1, 2}]
    wire.partition([a, b])
    assert reached() == [{0, 1}, {0, 1}, {2}]
    wire.heal()
    assert reached() == [{0, 1, 2}] * 3


def test_datagrams_in_flight_arrive_after_a_partition(wire, time, hosts, pair):
    one, other = pair
    wire.set_faults(None, None, LinkFaults(min_delay_ns=MS, max_delay_ns=MS))
    one.send(b"x", B)
    wire.partition([hosts[0]], [hosts[1]])
    time.advance(MS)
    assert other.receive()[0] == b"x"


def test_a_group_reaches_every_member_and_each_link_has_its_own_faults(wire, hosts):
    joined = [host.open(bind=GROUP, multicast_group=GROUP, reuse_address=True) for host in hosts]
    second = hosts[0].open(bind=GROUP, multicast_group=GROUP, reuse_address=True)
    other_port = hosts[1].open(bind=Address(GROUP.host, 3001), multicast_group=GROUP)
    with hosts[0].open(connect=GROUP) as sender:
        sender.send(b"all")
        assert [socket.receive()[0] for socket in (*joined, second)] == [b"all"] * 4
        assert other_port.receive() is None
        wire.block(hosts[0], hosts[2])
        sender.send(b"some")
        assert joined[1].receive()[:2] == (b"some", Address("10.0.0.1", sender.local_address.port))
        assert joined[2].receive() is None
    assert wire.counts["blocked"] == 1


def test_loopback_is_a_hosts_own(hosts):
    local = Address("127.0.0.1", 1000)
    with hosts[0].open(bind=local) as one, hosts[1].open(bind=local) as other:
        other.send(b"self", local)
        assert one.receive() is None
        assert other.receive()[0] == b"self"


def test_a_closed_host_receives_nothing_and_its_ports_are_free(wire, time, hosts):
    wire.set_faults(hosts[0], hosts[1], LinkFaults(min_delay_ns=MS, max_delay_ns=MS))
    one = hosts[0].open(bind=A)
    other = hosts[1].open(bind=B)
    one.send(b"in time", B)
    time.advance(MS)
    one.send(b"late", B)
    wire.close_host(hosts[1])
    with pytest.raises(PlatformError):
        other.receive()
    with hosts[1].open(bind=B) as again:
        # Datagrams received before the end were dropped; later ones reach the new receiver.
        assert again.receive() is None
        time.advance(MS)
        assert again.receive()[0] == b"late"
        # The stale handle is invalid.
        with pytest.raises(PlatformError):
            other.close()
        one.send(b"on", B)
        time.advance(MS)
        assert again.receive()[0] == b"on"


def test_absent_receivers_are_counted(wire, pair):
    one, other = pair
    one.send(b"x", Address("10.0.0.99", 1))
    one.send(b"x", Address("10.0.0.2", 1))
    assert other.receive() is None
    assert wire.counts["undeliverable"] == 2


def test_a_full_buffer_drops_and_counts(wire, hosts):
    with (
        hosts[0].open(bind=A, receive_buffer_length=1000) as one,
        hosts[1].open(bind=B) as other,
    ):
        for _ in range(20):
            other.send(b"x" * 100, A)
        assert len(receive_all(one)) == 10
        assert wire.counts["overflowed"] == 10


def test_names_can_be_set_and_removed(wire, hosts):
    wire.set_name("node0", "10.0.0.1")
    assert hosts[1].resolve("node0") == ["10.0.0.1"]
    wire.set_name("node0", "10.0.0.3", "::2")
    assert hosts[1].resolve("node0", 6) == ["::2"]
    wire.set_name("node0")
    with pytest.raises(OSError, match="node0"):
        hosts[1].resolve("node0")
    assert [each.address.host for each in hosts[0].interfaces()] == ["127.0.0.1", "10.0.0.1"]
    assert hosts[0].interfaces()[0].is_loopback


def test_addresses_are_given_once(wire, hosts):
    for taken in ("10.0.0.1", "127.0.0.1"):
        with pytest.raises(ValueError, match=taken):
            wire.add_host(taken)
    assert wire.hosts == tuple(hosts)


def run(seed):
    time = VirtualTime()
    wire = Wire(time, SeededRandom(seed))
    hosts = [wire.add_host(f"10.0.0.{index}") for index in (1, 2)]
    faults = LinkFaults(loss=0.2, duplicate=0.2, corrupt=0.1, truncate=0.1, max_delay_ns=MS)
    wire.set_faults(None, None, faults)
    found = []
    with hosts[0].open(bind=A) as one, hosts[1].open(bind=B) as other:
        for index in range(300):
            one.send(index.to_bytes(8, "little"), B)
            time.advance(MS // 10)
            found += receive_all(other)
    return wire.trace, wire.counts, found


def test_tapped_messages_have_their_place_in_the_stream(wire, pair):
    def framed(message, term_id, offset):
        frame = struct.pack("<iBBHiiiiq", 32 + len(message), 0, 0xC0, 1, offset, 7, 108, term_id, 0)
        return frame + message + bytes(-len(message) % 32)

    one, _ = pair
    found, other = (
        CommitPosition.encode(leadership_term_id=1, log_position=position, leader_member_id=0)
        for position in (64, 128)
    )
    wire.tap([CommitPosition.template_id])
    one.send(framed(found, -5, 4096) + framed(other, -5, 4160), B)
    one.send(framed(found, -5, 4096), B)  # a resent message
    one.send(framed(b"of another kind" * 4, -5, 4224), B)
    assert wire.take_tapped() == [
        (0, 0, 108, 7, (-5, 4096), found),
        (0, 0, 108, 7, (-5, 4160), other),
        (0, 0, 108, 7, (-5, 4096), found),
    ]
    assert wire.take_tapped() == []


def test_the_seed_decides_everything():
    assert run(1) == run(1)
    first, second = run(1), run(2)
    assert first[0] != second[0]
    assert first[2] != second[2]
