"""A publication of the archive's that cannot be mapped is rejected: all waiters continue."""

import errno

import pytest

from aeron_cluster.errors import AeronClusterError
from tests.unit.archive.pair_rig import Pair

FRAME_LENGTH = 1056
# Of the files that are opened and mapped: those of driver and archive, and a replay's segment.
CALLS = range(6)


@pytest.fixture
def side():
    made = Pair()
    yield made.src
    made.close()


def try_replay(side, position):
    """Replay without a subscriber; return whether the archive began it."""
    try:
        replay_id = side.archive.start_replay(0, "aeron:ipc", 77, position=position)
    except AeronClusterError:
        return False
    side.archive.stop_replay(replay_id)
    return True


@pytest.mark.parametrize("operation", ["open", "map"])
def test_a_replay_whose_files_fail_is_rejected_and_the_next_one_begins(side, operation):
    side.finished(20)
    started = []
    for after in CALLS:
        side.machine.files.fail(operation, errno.EIO, after=after)
        started.append(try_replay(side, FRAME_LENGTH))
        side.machine.files.fail(operation, errno.EIO, count=0)
        assert try_replay(side, FRAME_LENGTH)
    assert False in started
    assert True in started
    assert not [each for each in side.errors if "registration" in str(each)]


@pytest.mark.parametrize("after", CALLS)
def test_a_client_whose_response_stream_failed_can_connect_again(side, after):
    side.machine.files.fail("map", errno.EIO, after=after)
    try:
        side.connect()
    except AeronClusterError:
        side.machine.files.fail("map", errno.EIO, count=0)
        side.connect()
    assert not side.archive.list_recordings(0, 10)
    assert not [each for each in side.errors if "registration" in str(each)]
