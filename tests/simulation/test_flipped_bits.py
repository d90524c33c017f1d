"""Bits that flip on a disk: with checksums they are found before anything is made of the data."""

import pytest

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.seams import SeededRandom
from tests.simulation.scenarios.rig import S, Scenario

CRC = "org.agrona.checksum.Crc32c"
CHECKED = {"archive": {"record_checksum": CRC, "replay_checksum": CRC}}
ARCHIVE = "/data/archive"


def flip_in_log(member, random):
    """Flip a bit of what a member recorded of its log, behind its first messages."""
    files = member.machine.files
    path = f"{ARCHIVE}/{sorted(name for name in files.list(ARCHIVE) if name.endswith('.rec'))[0]}"
    end = 4096
    files.flip_bit(path, 1024 + random.below(end - 1024), random.below(8))


@pytest.mark.parametrize("seed", range(3))
def test_a_flipped_bit_of_the_log_never_comes_to_a_service(seed):
    random = SeededRandom(seed)
    with Scenario(seed, options=CHECKED).begin() as cluster:
        cluster.ask(40, padding=200)
        cluster.await_equal()
        odd = cluster.followers[0]
        before = odd.services[0].state.sequence
        assert before == 40
        odd.kill()
        flip_in_log(odd, random)
        odd.start()
        cluster.run_for(20 * S)
        # Refused by name, and not one message that differs.
        assert cluster.journals[0].violations == []
        assert odd.errors
        assert all(isinstance(each, (AeronClusterError, OSError)) for each in odd.errors)
        assert odd.services[0].state.sequence < before
        cluster.ask()


def test_without_checksums_a_checker_notices_what_nobody_refuses():
    with Scenario(1, checkers=()).begin() as cluster:
        cluster.ask(40, padding=200)
        cluster.await_equal()
        odd = cluster.followers[0]
        odd.kill()
        for seed in range(8):
            flip_in_log(odd, SeededRandom(seed))
        odd.start()
        cluster.run_for(20 * S)
        # Either is what may come of it; nothing else is.
        assert cluster.journals[0].violations or odd.errors
        assert all(isinstance(each, (AeronClusterError, OSError)) for each in odd.errors)
        cluster.ask()
