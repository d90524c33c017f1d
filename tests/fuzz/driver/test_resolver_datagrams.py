"""Any datagrams at the port where drivers exchange names: the driver continues, within its limits.

Random bytes, damaged frames, and well-formed names of any number of invented drivers.
"""

import random

import pytest

from aeron_cluster.codecs.resolution_frames import ResolutionEntry, encode_frames
from aeron_cluster.driver.control.announced_names import MAX_NAMES
from aeron_cluster.driver.control.driver_name_resolver import MAX_NEIGHBORS
from aeron_cluster.driver.streams.driver_counters import (
    RESOLVER_NAMES_TYPE,
    RESOLVER_NEIGHBORS_TYPE,
)
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from tests.fuzz.mutator import Mutator
from tests.unit.driver.driver_rig import MS, DriverRig, S

PORT = ("127.0.0.1", 8050)
ROUNDS = 100


def entry(rng):
    return ResolutionEntry(
        rng.choice(["A", "B", "\x7f", f"n{rng.randrange(3000)}", "x" * rng.randrange(1, 513)]),
        rng.choice([bytes(4), bytes(16), b"\xff" * 4, rng.randbytes(4), rng.randbytes(16)]),
        rng.choice([0, 8050, rng.randrange(65536)]),
        rng.choice([0, -1, 2**31 - 1, -(2**31), rng.randrange(20_000)]),
        rng.random() < 0.5,
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_driver_survives_any_names(shm_dir, seed):
    rng = random.Random(seed)
    mutator = Mutator([rng.randbytes(99)], seed)
    network = MemoryNetwork()
    rig = DriverRig(
        shm_dir / "driver",
        network=network,
        driver_resolver_name="A",
        driver_resolver_interface="127.0.0.1:8050",
        driver_resolver_bootstrap_neighbor="127.0.0.2:8050",
    )
    sizes = {RESOLVER_NEIGHBORS_TYPE: MAX_NEIGHBORS, RESOLVER_NAMES_TYPE: MAX_NAMES}
    counters = [each for each in rig.counters.counters() if each.type_id in sizes]
    most = dict.fromkeys(sizes, 0)
    try:
        for _ in range(ROUNDS):
            source = (f"10.0.{rng.randrange(4)}.{rng.randrange(1, 250)}", rng.randrange(1, 65536))
            for frame in encode_frames([entry(rng) for _ in range(rng.randrange(30))], 65504):
                data = rng.choice([frame, mutator.damage(frame), rng.randbytes(rng.randrange(99))])
                network.deliver(source, PORT, data)
            rig.run(rng.choice([10 * MS, 10 * MS, 300 * MS]), step_ns=10 * MS)
            for each in counters:
                value = rig.counters.value(each.counter_id)
                assert 0 <= value <= sizes[each.type_id]
                most[each.type_id] = max(most[each.type_id], value)
        assert all(most.values())
        assert rig.counters.value(SystemCounter.SYSTEM_INVALID_PACKETS) > 0
        entries = rig.cnc.error_log().entries()
        assert len(entries) < 64
        assert not any("Traceback" in each.text for each in entries)
        assert rig.ready(rig.add_publication("aeron:udp?endpoint=A:4000"))
        rig.run(11 * S)
        assert [rig.counters.value(each.counter_id) for each in counters] == [0, 0]
    finally:
        rig.close()
