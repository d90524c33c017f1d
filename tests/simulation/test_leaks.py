"""What a member's processes leave behind when they have ended in order: nothing in the driver."""

import gc

import pytest

from aeron_cluster.memory.counters_layout import CounterType
from tests.simulation.scenarios.rig import S, Scenario

DRIVER_DIR = "/dev/shm/aeron"


def left_of(driver, files):
    """Return what is not the driver's own: counters, by their labels, and logs of streams."""
    found = [
        each.label
        for each in driver.counters.counters()
        if each.type_id != CounterType.COUNTER_TYPE_SYSTEM
    ]
    for kind in ("publications", "images"):
        found += files.list(f"{DRIVER_DIR}/{kind}")
    return found


@pytest.fixture
def apart():
    with Scenario(members=3, layout="apart") as made:
        yield made.begin()


def test_no_counter_session_image_or_log_outlives_its_process(apart):
    apart.ask(20, padding=300)
    apart.snapshot()
    for member in apart.members:
        assert left_of(member.process("driver").part, member.machine.files)
    apart.drop_client()
    for member in apart.members:
        for process in reversed(member.processes[1:]):
            process.close()
            assert process.leaks == {}
    apart.run_for(30 * S)
    for member in apart.members:
        assert left_of(member.process("driver").part, member.machine.files) == []


def test_no_mapping_outlives_those_who_hold_it(apart):
    apart.ask(20)
    seen = [each._process.files for member in apart.members for each in member.processes]
    assert all(each.map_count > 0 for each in seen)
    apart.close()
    for member in apart.members:
        member.services = ()
        member.errors.clear()
    gc.collect()
    assert [each.map_count for each in seen] == [0] * len(seen)
