"""Drivers exchange their names, in virtual time: neighbours, timeouts, and hostile datagrams."""

import pytest

from aeron_cluster.codecs.resolution_frames import ResolutionEntry, encode_frames
from aeron_cluster.driver.control.announced_names import MAX_NAMES, AnnouncedNames
from aeron_cluster.driver.control.driver_name_resolver import MAX_NEIGHBORS
from aeron_cluster.driver.streams.driver_counters import (
    BOOTSTRAP_NEIGHBOR_TYPE,
    RESOLVER_NAMES_TYPE,
    RESOLVER_NEIGHBORS_TYPE,
)
from aeron_cluster.errors import ConfigurationError, PlatformError
from aeron_cluster.events.event_log import EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.driver.driver_rig import MS, DriverRig, S

INTERVAL = 10 * MS  # of polls
REMOTE = Address("10.0.0.9", 8050)
REMOTE_HOST = bytes([10, 0, 0, 9])


class Drivers:
    """Drivers of one network and one clock."""

    def __init__(self, directory):
        self.directory = directory
        self.clock = VirtualClock(5 * S)
        self.sent = []
        self.network = MemoryNetwork(self._intercept)
        self.rigs = {}

    def _intercept(self, source, target, data):
        self.sent.append((source, target, data))
        return [data]

    def add(self, name, host, *bootstraps, **options):
        options = {
            "driver_resolver_name": name,
            "driver_resolver_interface": f"{host}:8050",
            "driver_resolver_bootstrap_neighbor": ",".join(bootstraps) or None,
        } | options
        rig = DriverRig(self.directory / name, network=self.network, clock=self.clock, **options)
        self.rigs[name] = rig
        rig.run_once()
        return rig

    def close(self, name):
        self.rigs.pop(name).close()

    def run(self, duration_ns):
        for _ in range(duration_ns // INTERVAL):
            self.clock.advance(INTERVAL)
            for rig in self.rigs.values():
                rig.run_once()

    def announce(self, rig, *entries, source=REMOTE):
        """Send names to a driver as another one would."""
        for frame in encode_frames(entries, 65504):
            self.network.deliver(source, ("127.0.0.1", 8050), frame)
        self.run(INTERVAL)
        assert rig in self.rigs.values()

    def sent_to(self, target):
        return [data for _, to, data in self.sent if to == target]


@pytest.fixture
def drivers(shm_dir):
    drivers = Drivers(shm_dir)
    yield drivers
    for rig in drivers.rigs.values():
        rig.close()


def counter(rig, type_id, index=0):
    return [each for each in rig.counters.counters() if each.type_id == type_id][index]


def sizes(rig):
    """Return the numbers of neighbours and names."""
    return (
        counter(rig, RESOLVER_NEIGHBORS_TYPE).value,
        counter(rig, RESOLVER_NAMES_TYPE).value,
    )


def system(rig, which):
    return rig.counters.value(which)


def errors(rig):
    return [each.text for each in rig.cnc.error_log().entries()]


def resolved(rig, name, stream_id=10):
    """Return the host of a name, from the label of a subscription on it; None if it has none."""
    added = rig.add_subscription(f"aeron:udp?endpoint={name}:{4000 + stream_id}", stream_id)
    labels = rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS)
    [found] = [
        each for each in labels if each.startswith(f"rcv-channel: aeron:udp?endpoint={name}:")
    ]
    rig.remove_subscription(added)
    rig.run(S)
    return found.split(" ")[-1].rpartition(":")[0]


def me(name, host=REMOTE_HOST, port=8050, age_ms=0):
    return ResolutionEntry(name, host, port, age_ms, is_self=True)


def other(name, host=REMOTE_HOST, port=8050, age_ms=0):
    return ResolutionEntry(name, host, port, age_ms)


def test_counters_have_upstreams_types_labels_and_keys(drivers):
    rig = drivers.add("A", "127.0.0.1", "10.0.0.2:8050", "10.0.0.3:8051")
    neighbors, names = counter(rig, 15), counter(rig, 16)
    assert neighbors.label == "Resolver neighbors: bound 127.0.0.1:8050"
    assert names.label == "Resolver cache entries: name=A"
    second = counter(rig, 21, 1)
    assert second.label == "Bootstrap neighbor: name=10.0.0.3:8051 resolved=10.0.0.3:8051"
    assert second.key[:4] == b"\1\0\0\0"
    assert [each.value for each in (neighbors, names, second)] == [0, 0, 0]
    assert "Resolution changes: driverName=A" in rig.labels(0)


def test_a_driver_without_an_interface_has_no_socket_and_no_counters(drivers):
    rig = drivers.add("A", "", driver_resolver_interface=None)
    assert not [each for each in rig.counters.counters() if each.type_id in {15, 16, 21}]
    drivers.run(3 * S)
    assert not drivers.sent


def test_neighbours_resolve_each_others_names(drivers):
    a = drivers.add("A", "127.0.0.1")
    b = drivers.add("B", "127.0.0.2", "127.0.0.1:8050")
    drivers.run(2 * S)
    assert sizes(a) == sizes(b) == (1, 1)
    assert counter(b, BOOTSTRAP_NEIGHBOR_TYPE).value == 1
    publication = a.ready(a.add_publication("aeron:udp?endpoint=B:4000"))
    subscription = b.add_subscription("aeron:udp?endpoint=B:4000")
    drivers.run(S)
    assert len(b.images(subscription)) == 1
    assert b.images(subscription)[0][1] == publication[2]
    assert errors(a) == errors(b) == []


def test_the_own_name_is_the_own_address(drivers):
    rig = drivers.add("A", "127.0.0.1")
    assert resolved(rig, "A") == "127.0.0.1"


def test_no_other_driver_replaces_the_own_name(drivers):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, me("A", port=8051))
    assert resolved(rig, "A") == "127.0.0.1"


def test_an_unknown_name_is_looked_up_as_a_host_name(drivers):
    rig = drivers.add("A", "127.0.0.1")
    _, text = rig.error(rig.add_publication("aeron:udp?endpoint=B:4000"))
    assert text.startswith("unknown host B: ")


def test_names_are_passed_on(drivers):
    b = drivers.add("B", "127.0.0.2", "127.0.0.1:8050")
    c = drivers.add("C", "127.0.0.3", "127.0.0.2:8050")
    a = drivers.add("A", "127.0.0.1")
    drivers.run(6 * S)
    assert sizes(a) == sizes(b) == sizes(c) == (2, 2)
    assert resolved(a, "C") == "127.0.0.3"
    assert resolved(c, "A") == "127.0.0.1"


def test_the_own_name_is_announced_at_each_interval(drivers):
    drivers.add(
        "A", "127.0.0.1", "10.0.0.9:8050", driver_resolver_self_resolution_interval_ns=300 * MS
    )
    drivers.sent.clear()
    drivers.run(3 * S)
    assert (
        drivers.sent_to(REMOTE) == list(encode_frames([me("A", bytes([127, 0, 0, 1]))], 1408)) * 10
    )


def test_names_are_passed_on_at_each_interval_to_those_that_announced_themselves(drivers):
    rig = drivers.add("A", "127.0.0.1", driver_resolver_neighbor_resolution_interval_ns=700 * MS)
    drivers.announce(rig, me("B"), other("C", bytes([10, 0, 0, 8]), age_ms=50))
    drivers.sent.clear()
    drivers.run(1500 * MS)
    # Another driver announced C: it is only sent the own name.
    assert drivers.sent_to(Address("10.0.0.8", 8050)) == list(
        encode_frames([me("A", bytes([127, 0, 0, 1]))], 1408)
    )
    [first, second] = [each for each in drivers.sent_to(REMOTE) if b"C" in each]
    assert first == next(
        encode_frames([other("B", age_ms=690), other("C", bytes([10, 0, 0, 8]), age_ms=740)], 1408)
    )
    assert second[12:16] == (1390).to_bytes(4, "little")


def test_the_address_of_a_driver_at_any_interface_is_that_of_its_datagrams(drivers):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, me("B", bytes(4), 8051), source=Address("127.0.0.7", 8051))
    assert resolved(rig, "B") == "127.0.0.7"
    drivers.announce(rig, me("D", bytes(16), 8052), source=Address("127.0.0.8", 8052))
    assert resolved(rig, "D", 11) == "127.0.0.8"


def test_a_silent_driver_is_forgotten_after_the_timeout(drivers):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, me("B"))
    drivers.run(10 * S - INTERVAL)
    assert sizes(rig) == (1, 1)
    drivers.run(INTERVAL)
    assert sizes(rig) == (0, 0)
    _, text = rig.error(rig.add_publication("aeron:udp?endpoint=B:4000"))
    assert text.startswith("unknown host B: ")


def test_only_its_own_announcements_keep_a_neighbour(drivers):
    rig = drivers.add("A", "127.0.0.1", driver_resolver_neighbor_timeout_ns=S)
    drivers.announce(rig, me("B"))
    for _ in range(15):
        drivers.run(90 * MS)
        drivers.announce(rig, other("B"))
    assert sizes(rig) == (1, 1)  # forgotten as a neighbour, and added again
    drivers.announce(rig, me("B"))
    for _ in range(15):
        drivers.run(90 * MS)
        drivers.announce(rig, me("B"))
    assert sizes(rig) == (1, 1)
    drivers.run(S)
    assert sizes(rig) == (0, 0)


def test_a_passed_on_name_has_its_age(drivers):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, other("B", age_ms=9000))
    assert sizes(rig) == (1, 1)
    drivers.run(S)
    assert sizes(rig) == (0, 0)
    drivers.announce(rig, other("B", age_ms=10_000))
    assert sizes(rig) == (0, 0)


def test_an_older_address_does_not_replace_a_later_one(drivers):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, me("B", bytes([127, 0, 0, 7])))
    drivers.announce(rig, other("B", bytes([127, 0, 0, 6]), age_ms=3000))
    assert resolved(rig, "B") == "127.0.0.7"
    drivers.run(4 * S)
    drivers.announce(rig, other("B", bytes([127, 0, 0, 6]), age_ms=3000))
    assert resolved(rig, "B", 11) == "127.0.0.6"


def test_a_stream_follows_a_driver_to_another_address(drivers):
    a = drivers.add("A", "127.0.0.1")
    drivers.add("B", "127.0.0.2", "127.0.0.1:8050")
    drivers.run(2 * S)
    a.ready(a.add_publication("aeron:udp?endpoint=B:4000"))
    drivers.run(S)
    drivers.close("B")
    moved = drivers.add("B", "127.0.0.3", "127.0.0.1:8050", dir_delete_on_start=True)
    subscription = moved.add_subscription("aeron:udp?endpoint=B:4000")
    drivers.run(8 * S)
    assert system(a, SystemCounter.SYSTEM_RESOLUTION_CHANGES) >= 1
    assert len(moved.images(subscription)) == 1


def test_a_silent_bootstrap_neighbour_is_looked_up_again(drivers):
    rig = drivers.add(
        "A",
        "127.0.0.1",
        "there:8050",
        name_resolver_supplier="csv_table",
        name_resolver_init_args="there,10.0.0.8,10.0.0.9",
        driver_resolver_bootstrap_neighbor_resolution_interval_ns=3 * S,
    )
    assert counter(rig, 21).label.endswith("name=there:8050 resolved=10.0.0.8:8050")
    [entry] = [each for each in rig.counters.counters() if each.type_id == 2001]
    rig.counters.set_value(entry.counter_id, 1)
    drivers.run(3 * S - INTERVAL)
    assert counter(rig, 21).label.endswith("resolved=10.0.0.8:8050")
    drivers.run(INTERVAL)
    assert counter(rig, 21).label.endswith("resolved=10.0.0.9:8050")
    drivers.announce(rig, me("B"))
    drivers.run(S)
    assert counter(rig, 21).value == 1
    rig.counters.set_value(entry.counter_id, 0)
    drivers.announce(rig, me("B"))
    drivers.run(6 * S)
    assert counter(rig, 21).label.endswith("resolved=10.0.0.9:8050")  # it is a neighbour
    drivers.run(10 * S)
    assert counter(rig, 21).label.endswith("resolved=10.0.0.8:8050")
    assert counter(rig, 21).value == 0


def test_other_bootstrap_neighbours_are_used_if_one_is_wrong(drivers):
    drivers.add("B", "127.0.0.2")
    rig = drivers.add("A", "127.0.0.1", "just:wrong", "nowhere:8050", "127.0.0.2:8050")
    drivers.run(2 * S)
    assert sizes(rig) == (1, 1)
    malformed, unknown = errors(rig)
    assert "invalid format: Invalid argument: aeron.driver.resolver.bootstrap" in malformed
    assert "found 'just:wrong'" in malformed
    assert "unknown host nowhere: " in unknown


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        (me("B", port=0), "RES entry: port from 10.0.0.9:8050: expected 1 to 65535, found 0"),
        (me("B", age_ms=-1), "age from 10.0.0.9:8050: expected at least 0 ms, found -1"),
        (me("B\n"), "name from 10.0.0.9:8050: expected printable ASCII, found 'B\\n'"),
        (other("B", bytes(4)), "that of one host, found '0.0.0.0'"),
        (other("B", bytes([224, 0, 0, 1])), "that of one host, found '224.0.0.1'"),
        (me("B", b"\xff" * 4), "that of one host, found '255.255.255.255'"),
    ],
)
def test_a_senseless_entry_is_dropped_and_counted(drivers, entry, part):
    rig = drivers.add("A", "127.0.0.1")
    drivers.announce(rig, entry, me("C"))
    assert sizes(rig) == (1, 1)
    assert system(rig, SystemCounter.SYSTEM_INVALID_PACKETS) == 1
    [text] = errors(rig)
    assert part in text


@pytest.mark.parametrize("data", [b"", b"\0" * 7, b"\x08\0\0\0\0\0\x05\0", b"\xff" * 65000])
def test_a_malformed_datagram_is_counted_and_named_once(drivers, data):
    rig = drivers.add("A", "127.0.0.1")
    for port in range(1, 30):
        drivers.network.deliver(("10.0.0.9", port), ("127.0.0.1", 8050), data)
    drivers.run(S)
    assert system(rig, SystemCounter.SYSTEM_INVALID_PACKETS) == 29
    [text] = errors(rig)
    assert "from 10.0.0.9:1:" in text
    drivers.announce(rig, me("B"))
    assert sizes(rig) == (1, 1)


def test_names_and_neighbours_are_bounded(drivers):
    rig = drivers.add("A", "127.0.0.1")
    names = [other(f"name{index}", bytes([10, 1, *divmod(index, 256)])) for index in range(4000)]
    drivers.announce(rig, *names[:2000])
    drivers.announce(rig, *names[2000:])
    assert sizes(rig) == (MAX_NEIGHBORS, MAX_NAMES)
    assert sorted(text.partition("expected ")[2] for text in errors(rig)) == [
        f"at most {MAX_NAMES} names of other drivers, found 'more'",
        f"at most {MAX_NEIGHBORS} addresses of other drivers, found 'more'",
    ]
    drivers.run(900 * MS)
    drivers.sent.clear()
    drivers.run(500 * MS)
    assert len(drivers.sent) == MAX_NEIGHBORS  # the own name, and no other
    drivers.run(11 * S)
    assert sizes(rig) == (0, 0)


def test_sent_datagrams_are_bounded_in_each_interval(drivers):
    rig = drivers.add("A", "127.0.0.1", driver_resolver_neighbor_timeout_ns=60 * S)
    entries = [me(f"{index:0400}", bytes([10, 1, 1, index % 200])) for index in range(1000)]
    drivers.announce(rig, *entries)
    drivers.run(3 * S)
    drivers.sent.clear()
    drivers.run(S)
    assert len(drivers.sent) <= 64 * 100
    # The own name goes first, however long the list of names is.
    own = [data for _, _, data in drivers.sent if len(data) == 24]
    assert len(own) == 200


def test_a_poll_handles_a_bounded_number_of_names(drivers):
    rig = drivers.add("A", "127.0.0.1")
    for number in range(8):
        frame = next(encode_frames([other(f"x{number}-{each}") for each in range(200)], 65504))
        drivers.network.deliver(REMOTE, ("127.0.0.1", 8050), frame)
    drivers.clock.advance(INTERVAL)
    rig.invoker.invoke()
    assert sizes(rig)[1] == 400
    drivers.run(3 * INTERVAL)
    assert sizes(rig)[1] == MAX_NAMES


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"driver_resolver_interface": "8050"}, "aeron.driver.resolver.interface: expected host"),
        (
            {"driver_resolver_interface": "here:8050"},
            "an address of this machine, found 'here:8050",
        ),
        (
            {"driver_resolver_bootstrap_neighbor": ",".join(["a:1"] * 21)},
            "Resolver Bootstrap Neighbor list too large.  Can have a maximum of 20.: ",
        ),
    ],
)
def test_a_wrong_option_ends_the_start(drivers, options, part):
    with pytest.raises(ConfigurationError) as caught:
        drivers.add("A", "127.0.0.1", **options)
    assert part in str(caught.value)


def test_an_interface_in_use_ends_the_start(drivers):
    drivers.add("A", "127.0.0.1")
    with pytest.raises(PlatformError, match=r"aeron.driver.resolver.interface 127.0.0.1:8050"):
        drivers.add("B", "127.0.0.1")


def test_port_0_is_one_of_the_wildcard_range(drivers):
    rig = drivers.add(
        "A",
        "127.0.0.1",
        driver_resolver_interface="127.0.0.1:0",
        receiver_wildcard_port_range="20700 20709",
    )
    assert counter(rig, RESOLVER_NEIGHBORS_TYPE).label.endswith("bound 127.0.0.1:20700")


def test_a_name_has_its_ipv4_address_first():
    names = AnnouncedNames(S)
    names.update("B", bytes(15) + b"\1", 1, 0)
    assert names.find("B") == "::1"
    names.update("B", bytes([10, 0, 0, 1]), 1, 0)
    assert names.find("B") == "10.0.0.1"
    assert len(names) == 2
    assert names.deadline_ns == S
    assert names.expire(S - 1) == 0
    assert names.expire(S) == 2


def test_neighbours_and_names_are_in_the_event_log(drivers):
    rig = drivers.add(
        "A",
        "127.0.0.1",
        event_log="NAME_RESOLUTION_NEIGHBOR_ADDED,NAME_RESOLUTION_NEIGHBOR_REMOVED,"
        "NAME_RESOLUTION_RESOLVE,FRAME_IN",
        event_log_filename=str(drivers.directory / "lines"),
    )
    drivers.announce(rig, me("B"))
    rig.ready(rig.add_publication("aeron:udp?endpoint=B:4000"))
    drivers.run(10 * S)
    path = f"{rig.driver.aeron_dir}/driver-events.dat"
    with MappedFile.open(SystemFiles(), path) as file:
        lines = [decode_record(*each).line for each in EventLogReader(file, path).poll(100)]
    # The name of a silent endpoint is resolved again and again.
    first = {line.partition("DRIVER: ")[2].partition(" [")[0]: line for line in lines[::-1]}
    assert first.keys() == {
        "FRAME_IN",
        "NAME_RESOLUTION_NEIGHBOR_ADDED",
        "NAME_RESOLUTION_RESOLVE",
        "NAME_RESOLUTION_NEIGHBOR_REMOVED",
    }
    frame = first["FRAME_IN"]
    added = first["NAME_RESOLUTION_NEIGHBOR_ADDED"]
    removed = first["NAME_RESOLUTION_NEIGHBOR_REMOVED"]
    resolution = first["NAME_RESOLUTION_RESOLVE"]
    assert "type=RES" in frame
    assert "port=8050 ageInMs=0 address=10.0.0.9 name=B" in frame
    assert added.endswith(": 10.0.0.9:8050")
    assert removed.endswith(": 10.0.0.9:8050")
    assert "resolver=driver durationNs=0 name=B isReResolution=false address=10.0.0.9" in resolution


def test_a_bootstrap_neighbour_that_moved_is_sent_the_own_name_at_once(drivers):
    drivers.add(
        "A",
        "127.0.0.1",
        "there:8050",
        name_resolver_supplier="csv_table",
        name_resolver_init_args="there,10.0.0.8,10.0.0.9",
        driver_resolver_self_resolution_interval_ns=60 * S,
        driver_resolver_bootstrap_neighbor_resolution_interval_ns=3 * S,
    )
    rig = drivers.rigs["A"]
    drivers.run(2 * S)
    [entry] = [each for each in rig.counters.counters() if each.type_id == 2001]
    rig.counters.set_value(entry.counter_id, 1)
    own = list(encode_frames([me("A", bytes([127, 0, 0, 1]))], 1408))
    assert drivers.sent_to(REMOTE) == []
    drivers.run(2 * S)
    assert drivers.sent_to(Address("10.0.0.8", 8050)) == own
    assert drivers.sent_to(REMOTE) == own
