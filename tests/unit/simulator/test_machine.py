"""Machines with killed processes, which restart with their disks."""

import pytest

from aeron_cluster.errors import DirectoryInUseError
from aeron_cluster.memory.shared.mark_file import MarkFile, MarkFileLayout
from aeron_cluster.memory.system.address import Address
from aeron_cluster.simulator.world.machine import World

LAYOUT = MarkFileLayout(header_length=256, version=8, activity_timestamp=16, pid=32, owner=224)


def claim(seams):
    return MarkFile.claim(
        seams.files,
        "/tmp/mark.dat",
        8192,
        LAYOUT,
        clock=seams.clock,
        timeout_ms=10_000,
        check=lambda *_: None,
        processes=seams.processes,
    )


def test_a_killed_process_is_replaced_at_once_a_live_one_is_not():
    world = World(1)
    machine = world.add_machine("node0", "10.0.0.1")
    seams = machine.start_process()
    mark = claim(seams)
    mark.signal_ready(1)
    with pytest.raises(DirectoryInUseError) as raised:
        claim(seams)
    assert raised.value.pid == seams.processes.own_identity().pid
    machine.kill_process()
    again = machine.start_process()
    assert again.processes.own_identity() != seams.processes.own_identity()
    assert claim(again).activity_timestamp_ms == again.clock.epoch_ms()


def test_a_killed_process_releases_its_ports_and_retains_its_files():
    world = World(1)
    machine = world.add_machine("node0", "10.0.0.1")
    seams = machine.start_process()
    address = Address("10.0.0.1", 1000)
    seams.network.open(bind=address)
    with seams.files.open("/tmp/file", create=True) as file:
        file.write_at(b"abc", 0)
    again = machine.start_process()
    again.network.open(bind=address).close()
    assert again.files.read("/tmp/file") == b"abc"


def test_machines_communicate_by_name_and_share_one_clock():
    world = World(1)
    one = world.add_machine("node0", "10.0.0.1").start_process()
    other = world.add_machine("node1", "10.0.0.2").start_process()
    (host,) = one.network.resolve("node1")
    with (
        other.network.open(bind=Address(host, 1000)) as receiver,
        one.network.open(connect=Address(host, 1000)) as sender,
    ):
        sender.send(b"hello")
        assert receiver.receive()[0] == b"hello"
    world.time.advance(5)
    assert one.clock.nano_time() == other.clock.nano_time() == 5
    assert [machine.name for machine in world.machines] == ["node0", "node1"]


def test_seed_decides_the_components_random_numbers():
    def drawn(seed):
        world = World(seed)
        machines = [world.add_machine(f"node{index}") for index in range(3)]
        return [machine.start_process().random.next() for machine in machines]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(set(drawn(1))) == 3


def test_a_machine_with_boots_has_another_boot_id_after_a_loss_of_power():
    machine = World(1).add_machine("node0", "10.0.0.1")
    boots = []
    for has_boots in (False, True, True):
        machine.has_boots = has_boots
        boots.append(machine.start().seams.processes.own_identity().boot)
        machine.lose_power()
    boots.append(machine.start().seams.processes.own_identity().boot)
    assert boots == [1, 1, 2, 3]


def test_what_a_machine_has_written_back_survives_a_loss_of_power():
    for is_written_back in (False, True):
        lost = set()
        for seed in range(9):
            machine = World(seed).add_machine("node0", "10.0.0.1")
            machine.files.make_directory("/data/archive", parents=True)
            with machine.files.open("/data/archive/0.rec", write=True, create=True) as file:
                file.write_at(b"frame", 0)
            if is_written_back:
                machine.write_back("/data")
                machine.files.sync_directory("/")
            machine.lose_power()
            is_there = machine.files.is_file("/data/archive/0.rec")
            lost.add(not is_there or machine.files.read("/data/archive/0.rec") != b"frame")
        assert (True in lost) is not is_written_back
