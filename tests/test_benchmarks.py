"""Instruction counts of the hot loops equal the committed ones; the timed benchmarks run."""

import os
import re
import subprocess
import sys

import pytest

from aeron_cluster.codecs.cluster import SessionMessageHeader
from benchmarks.build import ROOT, build
from benchmarks.micro import counts
from benchmarks.micro.__main__ import LOOPS, newest
from benchmarks.micro.counts import TOLERANCE, Change, compare
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder


def test_slower_loop_is_detected():
    at_limit = Change("x", 100.0 * (1 + TOLERANCE), 100.0)
    assert not at_limit.is_worse
    (worse,) = compare({"x": 104.0}, {"x": 100.0, "gone": 1.0})
    assert worse.is_worse
    assert str(worse).endswith("baseline    100.0 (+4.0 %)  WORSE")
    (new,) = compare({"y": 104.0}, {"x": 100.0})
    assert not new.is_worse


@pytest.mark.slow
def test_no_hot_loop_exceeds_its_instruction_baseline():
    if reason := counts.unavailable():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {reason}")
        pytest.skip(reason)
    made_with, baseline = counts.recorded()
    if made_with != counts.tools():
        pytest.skip(f"the baseline holds for {made_with}, here is {counts.tools()}")
    counted = counts.count()
    assert set(counted) == set(baseline)
    assert [str(change) for change in compare(counted, baseline) if change.is_worse] == []


@pytest.mark.parametrize("length", [200, 64 * 1024 - 100, 100_000, 3 * 64 * 1024])
def test_large_log_equals_one_written_frame_by_frame(tmp_path, length):
    pytest.importorskip("numpy")
    from benchmarks.large_log import LargeLog  # noqa: PLC0415 - it needs NumPy

    log = LargeLog(tmp_path / "large", length, 100, TERM)
    header = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=1, timestamp=1_700_000_000_000
    )
    written = RecordingBuilder(terms_per_segment=1)
    for _ in range(log.rows):
        written.message(header + bytes(100))
    if length % TERM == 0:
        written.aborted(written.room)
    written.put(tmp_path / "written")
    assert written.position == log.position
    assert length - log.position < 192
    names = {each.name for each in (tmp_path / "written").iterdir()}
    assert {each.name for each in (tmp_path / "large").iterdir()} == names
    for name in names:
        assert (tmp_path / "large" / name).read_bytes() == (
            tmp_path / "written" / name
        ).read_bytes(), name


def test_run_is_compared_with_the_newest_saved_one(tmp_path):
    assert newest(tmp_path) is None
    for name in (
        "20260102-030405-abc.json",
        "20260103-000000-aaa.json",
        "20260102-235959-zzz.json",
    ):
        (tmp_path / name).touch()
    assert newest(tmp_path) == tmp_path / "20260103-000000-aaa.json"


@pytest.mark.slow
def test_each_call_is_timed():
    """One value of each in one process: the figures are meaningless, but each benchmark runs."""
    build()
    command = [
        sys.executable,
        "-m",
        "benchmarks.micro.python_calls",
        "--debug-single-value",
        "--quiet",
    ]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    timed = re.findall(r"(?m)^(.*): [\d.]+ \w+$", done.stdout)
    assert timed == [
        "Python offer, 32 B",
        "Python try_claim and commit",
        "Python poll of a message",
        "Python poll_batch",
        "session message header, encode",
        "session message header, decode",
        "recording descriptor, encode",
        "recording descriptor, decode",
        "channel URI, parse",
        "channel URI, parse, cached",
    ]


@pytest.mark.slow
def test_each_loop_is_timed():
    build()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", LOOPS]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (count,) = re.findall(r"(?m)^(\d+) passed", done.stdout)
    assert int(count) == len(counts.recorded()[1])
