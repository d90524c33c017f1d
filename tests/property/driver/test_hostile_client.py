"""A client with write access to the driver's CnC file writes arbitrary content into it."""

import contextlib
import shutil
import struct
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.shared.commands import Command, Event
from tests.conftest import SHARED_MEMORY
from tests.unit.driver.driver_rig import MS, DriverRig, S

RING = (1 << 20) + 768
OPTIONS = {"counters_buffer_length": 1 << 20}
INT32 = st.one_of(
    st.integers(-(2**31), 2**31 - 1), st.integers(-64, 256), st.sampled_from([RING, -RING, 2**30])
)


@contextlib.contextmanager
def driver_rig():
    folder = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
    rig = DriverRig(folder / "driver", **OPTIONS)
    try:
        yield rig
    finally:
        rig.close()
        shutil.rmtree(folder, ignore_errors=True)


def answers(rig):
    """Send a request as a correct client until it is answered; a damaged ring takes a while."""
    correlation_id = None
    for _ in range(600):
        if correlation_id is None:
            with contextlib.suppress(CorruptError, AssertionError):
                correlation_id = rig.send(
                    Command.GET_NEXT_AVAILABLE_SESSION_ID, struct.pack("<i", 10)
                )
        rig.run(100 * MS, step_ns=100 * MS)
        if any(f[0] == correlation_id for f in rig.all(Event.ON_NEXT_AVAILABLE_SESSION_ID)):
            return True
        if rig.clock.nano_time() % (13 * S) < 100 * MS:
            correlation_id = None  # it may have been lost in the damage: repeat
    return False


@given(
    damage=st.lists(
        st.tuples(
            st.one_of(
                st.integers(0, 64),
                st.integers(0, RING // 4 - 1),
                st.sampled_from([(RING - 768 + i) // 4 for i in (128, 132, 256, 260, 384, 388)]),
            ),
            INT32,
        ),
        min_size=1,
        max_size=6,
    ),
    filled=st.integers(0, 5),
)
@settings(max_examples=50, deadline=None)
def test_the_driver_continues_after_damage_to_its_ring(damage, filled):
    with driver_rig() as rig:
        path = f"{rig.driver.aeron_dir}/cnc.dat"
        for _ in range(filled):
            rig.send(Command.CLIENT_KEEPALIVE, b"")
        with Path(path).open("r+b", buffering=0) as file:
            for index, value in damage:
                file.seek(128 + 4 * index)
                file.write(struct.pack("<i", value))
        assert answers(rig)


def section_words():
    """Sensitive places: the events' trailer, counter records, the error log."""
    events = 128 + RING + (1 << 20)
    metadata = events + 128
    values = metadata + (4 << 20)
    errors = values + (1 << 20)
    places = [(events, 32), (metadata, 128 * 8), (values, 32 * 60), (errors, 64)]
    return st.one_of(
        *(st.integers(0, words - 1).map(lambda i, at=at: at + 4 * i) for at, words in places)
    )


@given(damage=st.lists(st.tuples(section_words(), INT32), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_driver_survives_damage_to_its_shared_memory(damage):
    with driver_rig() as rig:
        publication = rig.add_publication("aeron:ipc")
        rig.add_subscription("aeron:udp?endpoint=127.0.0.1:4000")
        with Path(f"{rig.driver.aeron_dir}/cnc.dat").open("r+b", buffering=0) as file:
            for offset, value in damage:
                file.seek(offset)
                file.write(struct.pack("<i", value))
        rig.send(0x7777, b"")
        rig.send(Command.REMOVE_PUBLICATION, struct.pack("<qq", publication, 0))
        rig.send(Command.ADD_COUNTER, struct.pack("<iii", 1100, 0, 1) + b"x")
        for _ in range(150):
            rig.clock.advance(100 * MS)
            rig.invoker.invoke()
        assert rig.ring.size == 0


@given(
    commands=st.lists(
        st.tuples(st.sampled_from([*map(int, Command), 0x7777]), st.binary(max_size=80)),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=40, deadline=None)
def test_the_driver_continues_after_commands_of_any_content(commands):
    with driver_rig() as rig:
        for type_id, payload in commands:
            assert rig.ring.write(type_id, payload)
            rig.run(10 * MS)
        assert answers(rig)
