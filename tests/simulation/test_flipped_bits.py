"""Bits flipped on a disk: with checksums they are detected before the data is used."""

import re

import pytest

from aeron_cluster.errors import AeronClusterError, DamagedLogError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.disk_events import FlipBit, FlipRecordedBit
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
from tests.pages import block_of, shape
from tests.simulation.scenarios.rig import S, Scenario

UNCHECKED = {"archive": {"record_checksum": "none"}}
ARCHIVE = "/data/archive"


def flip_in_log(member, random):
    """Flip a bit of a member's recorded log, after its first messages."""
    files = member.machine.files
    path = f"{ARCHIVE}/{sorted(name for name in files.list(ARCHIVE) if name.endswith('.rec'))[0]}"
    end = 4096
    files.flip_bit(path, 1024 + random.below(end - 1024), random.below(8))


def flip_flag_in_log(member, random):
    """Flip a begin or end flag in a member's recorded log."""
    files = member.machine.files
    path = f"{ARCHIVE}/{sorted(name for name in files.list(ARCHIVE) if name.endswith('.rec'))[0]}"
    data, offset, frames = files.read(path), 0, []
    while (length := int.from_bytes(data[offset : offset + 4], "little")) > 0:
        if data[offset + 6] == 1:
            frames.append(offset)
        offset += -(-length // 32) * 32
    files.flip_bit(path, frames[random.below(len(frames))] + 5, 6 + random.below(2))


def is_named(error):
    """Return whether an error has the position of the damage in the log."""
    return isinstance(error, DamagedLogError) and "at position=" in str(error.__cause__)


@pytest.mark.parametrize("flip", [flip_in_log, flip_flag_in_log])
@pytest.mark.parametrize("seed", range(3))
def test_a_flipped_bit_of_the_log_never_reaches_a_service(seed, flip):
    random = SeededRandom(seed)
    with Scenario(seed).begin() as cluster:
        cluster.send_request(40, padding=200)
        cluster.await_equal()
        damaged = cluster.followers[0]
        before = damaged.services[0].state.sequence
        assert before == 40
        damaged.kill()
        flip(damaged, random)
        damaged.start()
        cluster.run_for(20 * S)
        # Rejected by name and position, without a single different message.
        assert cluster.journals[0].violations == []
        assert damaged.errors
        assert all(isinstance(each, (AeronClusterError, OSError)) for each in damaged.errors)
        assert damaged.services[0].state.sequence < before
        assert any(is_named(each) for each in damaged.errors), damaged.errors
        cluster.send_request()


def test_the_page_shows_what_a_damaged_log_prints():
    shown = shape(block_of("docs/operating.md", "error: the node ended").text).replace("=-N", "=N")
    with Scenario(0).begin() as cluster:
        cluster.send_request(40, padding=200)
        cluster.await_equal()
        damaged = cluster.followers[0]
        damaged.kill()
        (name,) = [each for each in damaged.machine.files.list(ARCHIVE) if each.endswith(".rec")]
        damaged.machine.files.flip_bit(f"{ARCHIVE}/{name}", 2048, 1)  # of a payload
        damaged.start()
        cluster.run_for(20 * S)
        printed = [shape(str(each)).replace("=-N", "=N") for each in damaged.errors]
    pattern = re.escape(shown.removeprefix("error: the node ended unexpectedly: "))
    pattern = pattern.replace(re.escape("..."), ".*")
    assert any(re.fullmatch(pattern, each) for each in printed), (pattern, printed)


def test_without_checksums_a_checker_detects_undetected_damage():
    with Scenario(1, checkers=(), options=UNCHECKED).begin() as cluster:
        cluster.send_request(40, padding=200)
        cluster.await_equal()
        damaged = cluster.followers[0]
        damaged.kill()
        for seed in range(8):
            flip_in_log(damaged, SeededRandom(seed))
        damaged.start()
        cluster.run_for(20 * S)
        # Only these two outcomes are possible.
        assert cluster.journals[0].violations or damaged.errors
        assert all(isinstance(each, (AeronClusterError, OSError)) for each in damaged.errors)
        cluster.send_request()


@pytest.mark.parametrize("choice", range(4))
def test_trials_with_any_flipped_bit_require_only_typed_errors(choice):
    flips = (FlipBit(2 * S, 0, choice, S // 10), FlipBit(3 * S, 1, choice + 4, S // 10))
    settings = Settings(duration_ns=5 * S, layout="node", sync_level=0)
    outcome = run_trial(choice, settings, FaultPlan(flips, damage=Damage.BITS))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["processes"] > 4


@pytest.mark.parametrize("choice", range(3))
def test_trials_tolerate_flipped_bits_found_by_checksums(choice):
    flip = FlipRecordedBit(2 * S, 1, choice, S // 10)
    settings = Settings(duration_ns=5 * S, layout="node", sync_level=0)
    outcome = run_trial(choice, settings, FaultPlan((flip,), damage=Damage.CHECKED_BITS))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"


@pytest.mark.parametrize("seed", range(3))
def test_a_member_detects_a_flipped_flag_where_its_archive_verifies_nothing(seed):
    unverified = {"archive": {"replay_checksum": "none"}}
    with Scenario(seed, options=unverified).begin() as cluster:
        cluster.send_request(40, padding=200)
        cluster.await_equal()
        damaged = cluster.followers[0]
        damaged.kill()
        flip_flag_in_log(damaged, SeededRandom(seed))
        damaged.start()
        cluster.run_for(20 * S)
        assert cluster.journals[0].violations == []
        assert any(is_named(each) for each in damaged.errors), damaged.errors
        assert any(
            "recording 0: damaged frame" in str(each) and "segmentFile=0-0.rec" in str(each)
            for each in damaged.errors
        ), damaged.errors
        cluster.send_request()
