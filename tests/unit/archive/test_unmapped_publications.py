"""A publication of the archive that cannot be mapped is rejected, and all its users continue."""

import errno

import pytest

from aeron_cluster.errors import AeronClusterError
from tests.unit.archive.pair_rig import Pair

FRAME_LENGTH = 1056
# Numbers of the opened and mapped files: those of the driver, the archive, and a replay.
CALLS = range(6)


@pytest.fixture
def side():
    made = Pair()
    yield made.src
    made.close()


def try_replay(side, position):
    """Replay without a subscriber; return whether the archive started the replay."""
    try:
        replay_id = side.archive.start_replay(0, "aeron:ipc", 77, position=position)
    except AeronClusterError:
        return False
    side.archive.stop_replay(replay_id)
    return True


@pytest.mark.parametrize("operation", ["open", "map"])
def test_replay_with_failing_files_is_rejected_and_the_next_begins(side, operation):
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
def test_client_with_a_failed_response_stream_can_connect_again(side, after):
    side.machine.files.fail("map", errno.EIO, after=after)
    try:
        side.connect()
    except AeronClusterError:
        side.machine.files.fail("map", errno.EIO, count=0)
        side.connect()
    assert not side.archive.list_recordings(0, 10)
    assert not [each for each in side.errors if "registration" in str(each)]
