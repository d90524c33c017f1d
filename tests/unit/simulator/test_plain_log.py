"""The plain log of the simulator does what a publisher of the product does, step by step."""

import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.simulator.world.machine import AERON_DIR
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.plain_log import (
    ClaimStep,
    PlainLog,
    Stream,
    frame_room,
    latest_stream,
)

TERM = 65536
PATH = f"{AERON_DIR}/publications/7.logbuffer"


class Rig:
    """A log of the product, which is a file while the plain log changes it."""

    def __init__(self):
        self.log = LocalLog(session_id=5, stream_id=105)
        self.log.is_connected = True
        self.log.position_limit = 1 << 30
        self.files = MemoryFiles()
        self.files.make_directory(f"{AERON_DIR}/publications", parents=True)

    def change(self, action):
        self.files.replace(PATH, bytes(memoryview(self.log)))
        with PlainLog(self.files, 7) as plain:
            result = action(plain)
        memoryview(self.log)[:] = self.files.read(PATH)
        return result

    def lengths(self):
        found = []
        self.log.poll(lambda message, _: found.append(len(message)), 100)
        return found


@pytest.fixture
def rig():
    return Rig()


def test_a_complete_frame_is_received(rig):
    assert rig.log.offer(b"first") > 0
    rig.change(lambda plain: plain.append(100, ClaimStep.COMPLETE))
    assert rig.log.offer(b"second") > 0
    assert rig.lengths() == [5, 100, 6]


def test_a_padding_frame_is_skipped(rig):
    rig.change(lambda plain: plain.append(100, ClaimStep.COMPLETE, is_padding=True))
    assert rig.log.producer_position == frame_room(100) == 160
    assert rig.log.offer(b"next") > 0
    assert rig.lengths() == [4]


@pytest.mark.parametrize(
    ("step", "length"), [(ClaimStep.ADDED, 0), (ClaimStep.BEGUN, -132), (ClaimStep.CLAIMED, -132)]
)
def test_a_claim_blocks_what_follows(rig, step, length):
    def claim(plain):
        return plain.leave_claim(100, step, TERM, is_at_end=False)

    assert rig.log.offer(b"first") > 0
    position = rig.change(claim)
    assert position == frame_room(5)
    assert rig.change(lambda plain: plain.length_at(position)) == length
    assert rig.log.offer(b"second") > 0
    assert rig.lengths() == [5]


def test_a_claim_at_the_end_does_not_fit(rig):
    position = rig.change(
        lambda plain: plain.leave_claim(300, ClaimStep.CLAIMED, TERM, is_at_end=True)
    )
    assert TERM - frame_room(300) < position < TERM
    assert rig.log.producer_position == TERM
    assert rig.change(lambda plain: plain.length_at(position)) == position - TERM
    assert rig.change(lambda plain: plain.room) == 0
    assert rig.change(lambda plain: plain.position) == TERM
    # The next publisher begins the next term.
    while not rig.log.offer(b"next") > 0:
        pass
    assert rig.log.producer_position > TERM


def test_the_end_of_a_term_is_reached_within_flow_control(rig):
    def claim(plain, limit):
        return plain.leave_claim(300, ClaimStep.ADDED, limit, is_at_end=True)

    assert rig.change(lambda plain: claim(plain, 4000)) is None
    assert 4000 <= rig.log.producer_position < 4000 + frame_room(1024)
    assert rig.change(lambda plain: claim(plain, TERM)) is not None
    assert rig.change(lambda plain: claim(plain, 2 * TERM)) is None


def test_it_is_memory_which_does_not_fail(rig):
    rig.files.replace(PATH, bytes(memoryview(rig.log)))
    rig.files.fail("write_at", errno.EIO)
    with PlainLog(rig.files, 7) as plain:
        plain.append(10, ClaimStep.COMPLETE)
        assert plain.length_at(0) == 42


def test_the_latest_publication_of_a_stream_counts():
    def counter(type_id, registration_id, stream_id, value):
        label = f"pub-lmt: {registration_id} -77 {stream_id} aeron:ipc"
        return SimpleNamespace(
            type_id=type_id, registration_id=registration_id, value=value, label=label
        )

    counters = [counter(1, 3, 105, 10), counter(1, 9, 105, 20), counter(1, 11, 104, 30)]
    assert latest_stream([*counters, counter(12, 99, 105, 1)], 105) == Stream(9, 20)
    assert latest_stream(counters, 106) is None
