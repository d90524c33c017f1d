"""Commands of a driver's clients: decoded, and executed by a driver."""

from __future__ import annotations

import contextlib
import itertools
import struct
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from aeron_cluster.driver.clients.commands import decode
from aeron_cluster.memory.shared.commands import Command
from tests.conftest import SHARED_MEMORY
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Target
from tests.fuzz.targets.messages import of_bytes
from tests.golden.vectors import event_vectors
from tests.unit.driver.driver_rig import MS, DriverRig

__all__ = ["TARGETS"]

_BATCH = 8
_IDS = 1000
_HEADER_LENGTH = 16
_CHANNELS = (
    b"aeron:ipc?term-length=64k|session-id=7",
    b"aeron:udp?endpoint=127.0.0.1:4000",
    b"aeron:udp?control=127.0.0.1:4001|control-mode=dynamic|endpoint=127.0.0.1:4000",
    b"aeron:udp?control-mode=manual",
    b"aeron-spy:aeron:udp?endpoint=127.0.0.1:4000",
)


@cache
def _commands() -> list[bytes]:
    """Return valid commands, each after its type as 4 bytes."""
    found = []
    for each in event_vectors():
        if each["name"] in _LOGGED:
            # What the event log captured of it, after the header of the record.
            data = bytes.fromhex(each["hex"])[_HEADER_LENGTH:]
            found.append(struct.pack("<i", _LOGGED[each["name"]]) + data)
    for channel, stream_id in itertools.product(_CHANNELS, (1, 2)):
        text = struct.pack("<i", len(channel)) + channel
        ids = struct.pack("<qq", 1, 2 + stream_id)
        stream = struct.pack("<i", stream_id)
        found += [
            struct.pack("<i", command) + ids + stream + text
            for command in (Command.ADD_PUBLICATION, Command.ADD_EXCLUSIVE_PUBLICATION)
        ]
        subscription = ids + struct.pack("<q", -1) + stream + text
        found.append(struct.pack("<i", Command.ADD_SUBSCRIPTION) + subscription)
    return found


_LOGGED = {f"CMD_IN_{each.name}": each for each in Command}


def _split(data: bytes) -> tuple[int, bytes]:
    """Return a type above 0, as a ring buffer has it, and the rest."""
    return int.from_bytes(data[:4], "little") % (2**31 - 1) or 1, data[4:]


@contextlib.contextmanager
def _driver(seed: int) -> Iterator[Feed]:
    mutator = Mutator(_commands(), seed)
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-", dir=SHARED_MEMORY) as parent:
        rig = DriverRig(Path(parent) / "driver")
        # The ids of later commands are none of those that are drawn.
        for _ in range(_IDS):
            rig.ring.next_correlation_id()
        numbers = itertools.count(1)
        errors = 0

        def feed() -> bool:
            nonlocal errors
            type_id, data = _split(mutator.draw())
            rig.ring.write(type_id, data[:1024])
            if next(numbers) % _BATCH:
                return True
            rig.run(20 * MS)
            before, errors = errors, sum(each.event.name == "ON_ERROR" for each in rig.events)
            rig.events.clear()
            return errors == before

        try:
            yield feed
            assert rig.ready(rig.add_publication("aeron:ipc", 4711, exclusive=True))
        finally:
            rig.close()


TARGETS = (
    of_bytes("commands", _commands, lambda data: decode(*_split(data))),
    Target("commands to a driver", _driver, renewal=1000, share=8),
)
