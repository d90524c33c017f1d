"""The parts exist, what they find is counted and named, and each suppression has its reason."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.sanitize import __main__ as sanitize
from tests.sanitize.findings import findings
from tests.sanitize.parts import PARTS, Part

REPORTS = {
    "report.17": """\
=================================================================
==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000c74 at pc 0x7fb65e16f341
READ of size 1 at 0x602000000c74 thread T0
    #0 0x7fb65e16f340 in f /a/lib.c:2
SUMMARY: AddressSanitizer: heap-buffer-overflow /a/lib.c:2 in f
==17==ABORTING
""",
    "report.18": """\
/a/lib.c:2:45: runtime error: shift exponent 33 is too large for 32-bit type 'int'
    #0 0x7fb65e16f2c1 in f /a/lib.c:2
""",
    "report.19": """\
/a/lib.c:2:45: runtime error: shift exponent 33 is too large for 32-bit type 'int'
    #0 0x7fb65e16f2c1 in f /a/lib.c:2
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /a/lib.c:2:45 in
""",
    "report.20": """\
==================
WARNING: ThreadSanitizer: data race (pid=20)
  Write of size 8 at 0x7b0400000000 by thread T2:
SUMMARY: ThreadSanitizer: data race /a/ring.c:9 in put
==================
WARNING: ThreadSanitizer: data race (pid=20)
  Write of size 8 at 0x7b04000
""",
    "report.21": "==21==FATAL: ThreadSanitizer: unexpected memory mapping 0x1000-0x2000\n",
}
WRONG = """\
#include <stdlib.h>
int wrong(int count)
{
    volatile char *memory = malloc(4);
    volatile int bits = 1 << (31 + count);
    return memory[3 + count] + bits;
}
"""


def test_each_place_is_one_finding(tmp_path):
    for name, text in REPORTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "report.xml").write_text("<testsuites/>")
    assert findings(tmp_path / "report") == {
        "AddressSanitizer: heap-buffer-overflow /a/lib.c:2 in f": 1,
        "/a/lib.c:2:45: runtime error: shift exponent 33 is too large for 32-bit type 'int'": 2,
        "ThreadSanitizer: data race /a/ring.c:9 in put": 1,
        "ThreadSanitizer: data race": 1,
        "…FATAL: ThreadSanitizer: unexpected memory mapping …-…": 1,
    }


@pytest.mark.parametrize("part", PARTS.values(), ids=list(PARTS))
def test_a_part_is_a_target_of_make_on_existing_tests(part):
    assert all((ROOT / path).exists() for path in part.tests)
    command = part.command("prefix", seeds=3, first=7, jobs=2)
    shown = subprocess.run(
        [*command, "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert f"build/lib-{part.variant}" in shown
    assert f"suppressions={ROOT}/tests/sanitize/{part.variant}.txt:log_path=prefix" in shown
    assert "--record" not in shown


@pytest.mark.parametrize("name", ["asan", "ubsan", "tsan"])
def test_each_suppression_follows_its_reason(name):
    before = ""
    for line in (ROOT / f"tests/sanitize/{name}.txt").read_text().splitlines():
        if not line.startswith("#"):
            assert before.startswith("# "), f"{line} has no reason"
        before = line


class Wrong(Part):
    """A Python process that calls a function with two mistakes."""

    def command(self, reports, **_):
        paths = (gcc(f"-print-file-name=lib{name}.so") for name in ("asan", "ubsan"))
        library = self.tests[0]
        return [
            "env",
            f"LD_PRELOAD={' '.join(paths)}",
            f"ASAN_OPTIONS=detect_leaks=0:log_path={reports}",
            f"UBSAN_OPTIONS=log_path={reports}",
            f"AERON_CLUSTER_REPORTS={reports}",
            f"PYTHONPATH={ROOT}/tests/sanitize/site",
            sys.executable,
            "-c",
            f"import ctypes; ctypes.CDLL({library!r}).wrong(1)",
        ]


def gcc(*arguments):
    command = ["gcc", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def wrong(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    source, library = tmp_path / "wrong.c", tmp_path / "wrong.so"
    source.write_text(WRONG)
    flags = ["-shared", "-fPIC", "-O1", "-g", "-fsanitize=address,undefined"]
    try:
        gcc(*flags, str(source), "-o", str(library))
    except subprocess.CalledProcessError:
        pytest.skip("gcc has no sanitizers here")
    return Wrong("fuzz", "asan", (str(library),))


def test_a_finding_is_printed_and_fails_the_run(wrong, tmp_path, monkeypatch):
    monkeypatch.setattr(sanitize, "REPORTS", ROOT / "build" / f"sanitize-{tmp_path.name}")
    try:
        result = sanitize.run(wrong, "key", seeds=1, jobs=1)
        stored = sanitize.Result.read(sanitize.REPORTS / "fuzz" / "result.json")
    finally:
        shutil.rmtree(sanitize.REPORTS)
    assert stored == result
    assert not result.is_good
    assert result.failed
    printed = sanitize.summary([result])
    assert "shift exponent 32 is too large" in printed
    assert "AddressSanitizer: heap-buffer-overflow" in printed


def test_a_part_without_its_end_is_not_good(tmp_path):
    result = sanitize.Result("unit", "key")
    sanitize.read_tests(Path(tmp_path / "missing.xml"), result)
    assert not result.is_good
    sanitize.read_seeds("Traceback\n", result, 3)
    assert not result.is_good
    sanitize.read_seeds('{"seeds": 2, "failures": []}\n', result, 3)
    assert not result.is_good
    sanitize.read_seeds('{"seeds": 3, "failures": []}\n', result, 3)
    assert result.is_good
    assert result.ran == "3 whole seeds"
