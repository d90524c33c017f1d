"""Count the instructions of each loop under callgrind, and compare them with the baseline.

Counts are repeatable and times are not: a change of a few instructions on a hot path is detected
even on a busy machine. The baseline applies to one compiler and one Cython version.

Usage: ``python -m benchmarks.micro.counts [--record]``
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import Cython

from benchmarks.build import ROOT, build

BASELINE = Path(__file__).parent / "baseline.json"
OPERATIONS = 1000
# Alignment and the C library's choice of a copy routine move a count by about one in a hundred.
TOLERANCE = 0.03


@dataclass(frozen=True)
class Change:
    """The instructions of an operation, now and in the baseline."""

    name: str
    count: float
    baseline: float | None

    @property
    def is_worse(self) -> bool:
        """Whether it grew by more than the tolerance."""
        return self.baseline is not None and self.count > self.baseline * (1 + TOLERANCE)

    def __str__(self) -> str:
        if self.baseline is None:
            return f"{self.name:32} {self.count:8.1f} instructions, no baseline"
        change = (self.count / self.baseline - 1) * 100
        verdict = "  WORSE" if self.is_worse else ""
        return (
            f"{self.name:32} {self.count:8.1f} instructions, baseline {self.baseline:8.1f}"
            f" ({change:+.1f} %){verdict}"
        )


def tools() -> dict[str, str]:
    """Return the tools that a baseline applies to: other compilers generate other instructions."""
    gcc = subprocess.run(["gcc", "-dumpfullversion"], check=True, capture_output=True, text=True)
    return {
        "machine": platform.machine(),
        "gcc": gcc.stdout.strip(),
        "cython": Cython.__version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def unavailable() -> str:
    """Return the reason why counting is not possible here; empty if it is possible."""
    for tool in ("valgrind", "gcc"):
        if shutil.which(tool) is None:
            return f"no {tool} on the path"
    return ""


def count() -> dict[str, float]:
    """Run every loop once under callgrind; return instructions per operation."""
    build()
    code = (
        "from benchmarks.micro import loops\n"
        f"for name in loops.NAMES: loops.run(name, {OPERATIONS})"
    )
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/callgrind.out"
        subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--collect-atstart=no",
                "--toggle-collect=*loops_bench_*",
                f"--callgrind-out-file={out}",
                sys.executable,
                "-c",
                code,
            ],
            check=True,
            cwd=ROOT,
            capture_output=True,
        )
        annotated = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", out],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    found = re.findall(r"^\s*([\d,]+) .*loops_bench_(\w+)", annotated, re.MULTILINE)
    return {name: int(total.replace(",", "")) / OPERATIONS for total, name in found}


def compare(counts: dict[str, float], baseline: dict[str, float]) -> list[Change]:
    """Return each count with its baseline."""
    return [Change(name, value, baseline.get(name)) for name, value in sorted(counts.items())]


def recorded() -> tuple[dict[str, str], dict[str, float]]:
    """Return the committed baseline: its tools and its counts."""
    content = json.loads(BASELINE.read_text())
    return content["tools"], content["instructions"]


def main(given: list[str] | None = None) -> int:
    """Count, print, and fail if a loop became slower."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the counts as the baseline")
    arguments = parser.parse_args(given)
    if reason := unavailable():
        print(f"skipped: {reason}")
        return 0
    counts = count()
    if arguments.record:
        rounded = {name: round(value, 1) for name, value in sorted(counts.items())}
        content = {"tools": tools(), "instructions": rounded}
        BASELINE.write_text(json.dumps(content, indent=2) + "\n")
    baseline_tools, baseline = recorded()
    changes = compare(counts, baseline)
    print("\n".join(map(str, changes)))
    if baseline_tools != tools():
        print(f"the baseline was made with {baseline_tools}, this is {tools()}: not compared")
        return 0
    return 1 if any(change.is_worse for change in changes) else 0


if __name__ == "__main__":
    sys.exit(main())
