"""``make sanitize``: the tests and 200 seeds under the address, undefined behaviour and thread
sanitizers.

Usage: python -m tests.sanitize [--seeds 200] [--jobs 2] [PART ...]

Without parts, those are run that did not yet pass with the present sources; an interrupted run is
continued so. Exit code 1 after a finding or a failed test.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self
from xml.etree import ElementTree

from tests.conftest import ROOT, SEED
from tests.sanitize.findings import findings
from tests.sanitize.parts import PARTS, Part

REPORTS = ROOT / "build" / "sanitize"
SOURCES = ("aeron_cluster", "include", "tests", "benchmarks/native", "setup.py", "Makefile")


@dataclass
class Result:
    """What a part's run had.

    Attributes
    ----------
    part : str
    sources : str
        The hash of the sources that ran.
    seconds : float
    ran : str
    is_complete : bool
        Whether it reached its end: only then does a run without findings prove anything.
    failed : list of str
        Failed tests or seeds.
    found : dict of str to int
        How often each place was reported.
    """

    part: str
    sources: str
    seconds: float = 0.0
    ran: str = "nothing"
    is_complete: bool = False
    failed: list[str] = field(default_factory=list)
    found: dict[str, int] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        return self.is_complete and not self.failed and not self.found

    @classmethod
    def read(cls, path: Path) -> Self | None:
        return cls(**json.loads(path.read_text())) if path.exists() else None


def sources(given: Iterable[str] = SOURCES) -> str:
    """Return a hash of files and folders: what the parts run."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard", *given]
    names = subprocess.run(listed, check=True, capture_output=True).stdout.split(b"\0")
    seen = hashlib.sha256()
    for name in sorted(filter(None, names)):
        path = ROOT / os.fsdecode(name)
        if path.is_file():
            seen.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return seen.hexdigest()[:16]


def read_tests(report: Path, result: Result) -> None:
    """Read pytest's report, if it reached its end."""
    if not report.exists():
        return
    counts: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {each.tag for each in case} & {"failure", "error", "skipped"}
        counts[next(iter(kinds), "passed")] += 1
        if kinds & {"failure", "error"}:
            result.failed.append(f"{case.get('classname')}::{case.get('name')}")
    result.ran = f"{counts['passed']} tests passed, {counts['skipped']} skipped"
    result.is_complete = True


def read_seeds(printed: str, result: Result, seeds: int) -> None:
    """Read the summary that ``aeron-cluster sim --json`` printed last."""
    lines = [line for line in printed.splitlines() if line.startswith("{")]
    if not lines:
        return
    summary: dict[str, Any] = json.loads(lines[-1])
    result.ran = f"{summary['seeds']} whole seeds"
    result.failed += [f"seed {each['seed']}: {each['failure']}" for each in summary["failures"]]
    result.is_complete = summary["seeds"] == seeds


def run(part: Part, key: str, *, seeds: int, jobs: int) -> Result:
    """Run a part, and store its result."""
    folder = REPORTS / part.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    prefix = folder / "report"
    command = part.command(str(prefix), seeds=seeds, first=SEED, jobs=jobs)
    sys.stdout.write(f"{part.name}: {' '.join(command)}\n")
    sys.stdout.flush()
    result = Result(part.name, key)
    began = time.monotonic()
    output = folder / "output.txt"
    # The flags of the make that began this are not those of its parts.
    environment = {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}
    with output.open("w") as file:
        done = subprocess.run(
            command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False, env=environment
        )
    result.seconds = round(time.monotonic() - began, 1)
    if part.tests:
        read_tests(folder / "report.xml", result)
    else:
        read_seeds(output.read_text(errors="replace"), result, seeds)
    result.found = dict(findings(prefix))
    if done.returncode != 0 and not result.failed:
        result.failed.append(f"exit code {done.returncode}: {output.relative_to(ROOT)}")
    (folder / "result.json").write_text(json.dumps(asdict(result), indent=1) + "\n")
    return result


def summary(results: list[Result]) -> str:
    """Return a line for each part, and what was found."""
    lines = [f"{'part':10}{'build':7}{'ran':42}{'seconds':>8}{'findings':>10}{'failed':>8}"]
    for each in results:
        head = f"{each.part:10}{PARTS[each.part].variant:7}{each.ran:42}{each.seconds:8.0f}"
        lines.append(f"{head}{len(each.found):10}{len(each.failed):8}")
    for each in results:
        lines += [f"{each.part}: {count} times {what}" for what, count in each.found.items()]
        lines += [f"{each.part}: failed {what}" for what in each.failed]
        if each.found:
            lines.append(f"{each.part}: the reports are build/sanitize/{each.part}/report.*")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default what is left")
    parser.add_argument("--seeds", type=int, default=200, help="number of whole seeds")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    if unknown := {*given.parts} - {*PARTS}:
        parser.error(f"no such parts: {', '.join(sorted(unknown))}")
    key = sources()
    results = []
    for name, part in PARTS.items():
        before = Result.read(REPORTS / name / "result.json")
        if before is not None and before.sources != key:
            before = None
        is_wanted = name in given.parts or not (given.parts or (before and before.is_good))
        if is_wanted:
            before = run(part, key, seeds=given.seeds, jobs=given.jobs)
        if before is not None:
            results.append(before)
    sys.stdout.write(summary(results) + "\n")
    return 0 if all(each.is_good for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
