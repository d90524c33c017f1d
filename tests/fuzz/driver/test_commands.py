"""Any bytes as commands: rejected or executed without a crash, and the next client is served."""

import contextlib
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.driver.clients.commands import CommandError, decode
from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.shared.commands import Command, Event
from tests.conftest import SHARED_MEMORY
from tests.unit.driver.driver_rig import MS, DriverRig

TYPES = st.one_of(st.sampled_from(list(Command)), st.integers(1, 2**31 - 1))
CHANNELS = st.one_of(
    st.sampled_from(
        [
            "aeron:ipc",
            "aeron:ipc?term-length=64k|session-id=7",
            "aeron:udp?endpoint=127.0.0.1:4000",
            "aeron:udp?control=127.0.0.1:4001|control-mode=dynamic",
            "aeron:udp?control-mode=manual",
            "aeron-spy:aeron:udp?endpoint=127.0.0.1:4000",
            "aeron:udp?endpoint=224.0.1.1:4000",
            "aeron:udp?endpoint=127.0.0.1:4000|tags=1,2|cc=cubic|fc=min",
        ]
    ),
    st.text(st.characters(codec="ascii"), max_size=40),
)


@st.composite
def plausible(draw):
    """Draw bytes resembling a command, with a field or two invalid."""
    channel = draw(CHANNELS).encode()
    data = struct.pack("<qq", draw(st.integers(0, 3)), draw(st.integers(0, 9))) + b"".join(
        draw(
            st.lists(
                st.one_of(
                    st.integers(0, 9).map(lambda n: struct.pack("<q", n)),
                    st.integers(0, 12).map(lambda n: struct.pack("<i", n)),
                    st.just(struct.pack("<i", len(channel)) + channel),
                    st.binary(max_size=8),
                ),
                max_size=5,
            )
        )
    )
    return draw(TYPES), data


@given(TYPES, st.binary(max_size=200))
def test_any_bytes_are_read_or_rejected(type_id, data):
    with contextlib.suppress(CommandError):
        assert decode(type_id, data).client_id == int.from_bytes(data[:8], "little", signed=True)


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(st.lists(plausible(), min_size=1, max_size=30))
def test_a_driver_outlives_any_client(sent):
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-", dir=SHARED_MEMORY) as parent:
        rig = DriverRig(Path(parent) / "driver")
        try:
            for type_id, data in sent:
                rig.ring.write(type_id, data)
                rig.run(20 * MS)
            assert rig.ready(rig.add_publication("aeron:ipc", 4711, exclusive=True))
        finally:
            rig.close()


@pytest.mark.parametrize("offset", [0, 4, 8, 64])
@pytest.mark.parametrize("word", [7, 9, 2**31 - 1, -(2**31)])
def test_overwritten_ring_is_cleared_and_reused(shm_dir, offset, word):
    rig = DriverRig(shm_dir / "driver")
    try:
        rig.send(Command.CLIENT_KEEPALIVE, bytes(48))
        rig.send(Command.CLIENT_KEEPALIVE, bytes(48))
        with (shm_dir / "driver" / "cnc.dat").open("r+b") as file:
            file.seek(128 + offset)
            file.write(struct.pack("<i", word))
        # A negative length is a record being written, until its client's liveness timeout.
        rig.run(25_000 * MS, step_ns=200 * MS)
        assert rig.ready(rig.add_publication("aeron:ipc"))
    finally:
        rig.close()


def test_a_corrupt_ring_is_reported_once(shm_dir):
    rig = DriverRig(shm_dir / "driver")
    try:
        for _ in range(3):
            position = rig.ring.consumer_position
            rig.send(Command.CLIENT_KEEPALIVE, b"")
            with (shm_dir / "driver" / "cnc.dat").open("r+b") as file:
                file.seek(128 + position % rig.ring.capacity)
                file.write(struct.pack("<i", 2**30))
            rig.run(20 * MS)
        entries = rig.cnc.error_log().entries()
        assert [each.observation_count for each in entries] == [3]
        assert CorruptError.__name__ in entries[0].text
        assert rig.add_publication("aeron:ipc") in [
            f[0] for f in rig.all(Event.ON_PUBLICATION_READY)
        ]
    finally:
        rig.close()
