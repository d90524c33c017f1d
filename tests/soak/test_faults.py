"""Each fault of a soak has its described effect."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.soak import clocks
from tests.soak.clocks import NoShiftError, ShiftedClock, compile_shift
from tests.soak.disks import Disk, NoDisksError

HOUR_S = 3600.0
NOW = """\
import sys, time, datetime
for line in sys.stdin:
    print(time.time(), datetime.datetime.now().timestamp(), time.monotonic(), flush=True)
"""


def test_a_clock_that_does_not_compile_is_an_error_and_no_missing_tool(tmp_path, monkeypatch):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc on the path")
    broken = tmp_path / "broken.c"
    broken.write_text("int broken(void) { return undefined; }\n")
    monkeypatch.setattr(clocks, "SOURCE", broken)
    with pytest.raises(RuntimeError, match=r"(?s)broken\.c does not compile.*undefined"):
        compile_shift(tmp_path)


def test_a_clock_jumps_and_returns_while_the_process_runs(tmp_path):
    try:
        clock = ShiftedClock(compile_shift(tmp_path), tmp_path / "shift")
    except NoShiftError as error:
        pytest.skip(f"no clock can be shifted: {error}")
    command = clock.command([sys.executable, "-I", "-S", "-c", NOW])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def read():
            process.stdin.write(b"\n")
            process.stdin.flush()
            return [float(each) for each in process.stdout.readline().split()]

        for shift_s in (0.0, HOUR_S, -HOUR_S, 0.0):
            clock.set(shift_s)
            before = time.time(), time.monotonic()
            *wall, monotonic = read()
            after = time.time(), time.monotonic()
            for each in wall:
                assert before[0] + shift_s - 1e-3 <= each <= after[0] + shift_s + 1e-3
            assert before[1] <= monotonic <= after[1]
            assert abs(clock.epoch_nanos() / 1e9 - wall[0]) < HOUR_S / 2
        process.stdin.close()


def test_without_the_library_a_command_is_unchanged(tmp_path):
    assert ShiftedClock(None, tmp_path / "shift").command(["true"]) == ["true"]


def test_a_full_disk_rejects_writes_until_it_is_freed(tmp_path):
    folder = tmp_path / "member"
    try:
        disk = Disk(folder, 4)
    except NoDisksError as error:
        pytest.skip(f"no disk can be mounted: {error}")
    try:
        (folder / "before").write_bytes(b"before")
        disk.fill()
        with pytest.raises(OSError, match="No space left"), (folder / "file").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 1 << 20)
        disk.free()
        (folder / "after").write_bytes(bytes(1 << 20))
    finally:
        disk.close()
    disk.close()
    assert not os.path.ismount(folder)
    assert (folder / "before").read_bytes() == b"before"
    assert (folder / "after").stat().st_size == 1 << 20
