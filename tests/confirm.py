"""Distinguish a fault of the code from a pause of the machine after a failed run: ``make confirm``.

Tests of real processes and of Java peers share two cores with other programs, and the timeouts
between processes are real. If few of these tests failed, each is run again alone, three times: a
second failure counts. A test that passes is reported as flaky, and must still be fixed. All
other tests run in virtual time, and are not repeated.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
REAL_TIME = tuple(f"tests/{room}/" for room in ("interop", "process", "soak", "native", "spark"))
AT_MOST = 2
TIMES = 3


def failed_tests(listed: Path) -> list[str]:
    """Return the failed tests of the last run, none if it did not reach its end."""
    return sorted(json.loads(listed.read_bytes())) if listed.exists() else []


def may_be_the_machine(failed: Sequence[str]) -> bool:
    """Return whether the tests are few and all of them use real processes."""
    return 0 < len(failed) <= AT_MOST and all(
        each.startswith(REAL_TIME) and "::" in each for each in failed
    )


def holds(test: str) -> bool:
    """Run one test alone, several times; return whether it passed each time."""
    command = [sys.executable, "-m", "pytest", "-q", "--whole", "-p", "no:cacheprovider", test]
    return all(
        subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode == 0
        for _ in range(TIMES)
    )


def main() -> int:
    """Return 0 if all failed tests pass alone."""
    failed = failed_tests(FAILED)
    emit = sys.stdout.write
    if not may_be_the_machine(failed):
        emit("\n".join([f"not to be confirmed: {len(failed)} failed tests", *failed, ""]))
        return 1
    emit("\n".join([f"again, each alone and {TIMES} times:", *failed, ""]))
    sys.stdout.flush()
    still = [test for test in failed if not holds(test)]
    for test in failed:
        emit(f"{'FAILED AGAIN' if test in still else 'FLAKY'} {test}\n")
    return 1 if still else 0


if __name__ == "__main__":
    sys.exit(main())
