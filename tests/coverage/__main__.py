"""``make coverage``: line and branch coverage of Python and Cython, as ``docs/coverage.md``.

Usage: python -m tests.coverage [--jobs 2] [--report] [PART ...]

Parts add to what earlier ones measured, as long as the sources are the same. Without parts, those
are run that were not yet. As many parts as jobs run at a time, each in one process.

Exit code 1 after a failed test, and once all parts were measured if the lines or branches of a half
are below their limits (``limits.py``).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, SEED
from tests.coverage import compiled
from tests.coverage.figures import Source, of_compiled, of_python
from tests.coverage.limits import below
from tests.coverage.page import PAGE, page
from tests.sanitize.__main__ import Result, read_seeds, read_tests, sources

DATA = ROOT / "build" / "coverage-data"
OBJECTS = ROOT / "build" / "temp-coverage"
SETTINGS = Path(__file__).with_name("coveragerc")
MEASURED = ("aeron_cluster", "include", "setup.py")
# Seeds whose parts are named for their mode; the others are folders of tests.
SEEDS = {"whole": 20, "consensus": 100}
PARTS = (
    "unit",
    "property",
    "fuzz",
    "native",
    "scenarios",
    "simulation",
    "process",
    "examples",
    "interop",
    "spark",
    *SEEDS,
)
_MAKE = ("make", "--no-print-directory", "VARIANT=coverage")


def command(part: str, report: Path) -> list[str]:
    """Return the command that runs a part."""
    if part in SEEDS:
        # Each process of seeds ends normally, and writes its counts.
        sim = f"SIM=--first {SEED} --jobs 1 --json"
        return [*_MAKE, "seeds", f"MODE={part}", f"SEEDS={SEEDS[part]}", sim]
    # In one process: a worker of xdist may be killed at its end, before gcov wrote its counts.
    pytest = f"-o timeout=1600 -p no:cacheprovider --junitxml={report}"
    return [*_MAKE, "test", "JOBS=0", f"TESTS={pytest} tests/{part}"]


def _environment() -> dict[str, str]:
    return {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}


def run(part: str) -> dict[str, Any]:
    """Run a part; return what it ran."""
    report, output = DATA / f"{part}.xml", DATA / f"{part}.txt"
    report.unlink(missing_ok=True)
    result = Result(part, "")
    began = time.monotonic()
    with output.open("w") as file:
        subprocess.run(
            command(part, report),
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
            env=_environment(),
        )
    if part in SEEDS:
        read_seeds(output.read_text(errors="replace"), result, SEEDS[part])
        result.ran = result.ran.replace("whole", part)
    else:
        read_tests(report, result)
    seconds = round(time.monotonic() - began)
    return {"ran": result.ran, "failed": result.failed, "seconds": seconds}


def measured() -> list[Source]:
    """Return the figures of all data."""
    import coverage  # noqa: PLC0415 - an extra: the options are checked without it

    add_up()
    python = coverage.Coverage(data_file=str(DATA / "combined"), config_file=str(SETTINGS))
    python.load()
    report = DATA / "python.json"
    python.json_report(outfile=str(report))
    return [*of_python(report), *of_compiled(compiled.read(OBJECTS, ROOT))]


def add_up() -> None:
    """Add what processes measured to what earlier parts did."""
    import coverage  # noqa: PLC0415 - an extra: the options are checked without it

    combined, sums = DATA / "combined", DATA / "sums"
    # It begins without its own file's data, so that the sum cannot be one of the addends.
    python = coverage.Coverage(data_file=str(sums), config_file=str(SETTINGS))
    python.combine([str(each) for each in (combined, *DATA.glob("data.*")) if each.exists()])
    python.save()
    sums.replace(combined)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default what is left")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--report", action="store_true", help="only write the page")
    given = parser.parse_args()
    if unknown := {*given.parts} - {*PARTS}:
        parser.error(f"no such parts: {', '.join(sorted(unknown))}")
    key = sources(MEASURED)
    listed = DATA / "parts.json"
    done: dict[str, Any] = json.loads(listed.read_text()) if listed.exists() else {}
    if given.report and not done:
        parser.error("nothing was measured yet")
    if done.get("sources") != key and not given.report:
        shutil.rmtree(DATA, ignore_errors=True)
        for old in OBJECTS.rglob("*.gcda"):
            old.unlink()
        DATA.mkdir(parents=True)
        done = {"sources": key, "parts": {}}
    chosen = given.parts or [each for each in PARTS if each not in done["parts"]]
    todo = [] if given.report else [each for each in PARTS if each in chosen]
    if todo:
        subprocess.run([*_MAKE, "build"], cwd=ROOT, check=True, env=_environment())
    with ThreadPoolExecutor(given.jobs) as pool:
        futures = {pool.submit(run, each): each for each in todo}
        for future in as_completed(futures):
            part, result = futures[future], future.result()
            done["parts"][part] = result
            listed.write_text(json.dumps(done, indent=1) + "\n")
            sys.stdout.write(f"{part}: {result['ran']}, {result['seconds']} s\n")
            sys.stdout.writelines(f"{part}: failed {each}\n" for each in result["failed"])
            sys.stdout.flush()
    head = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(head, check=True, capture_output=True, text=True).stdout.strip()
    ran = {part: it["ran"] for part, it in done["parts"].items()}
    left = [part for part in PARTS if part not in ran]
    figures = measured()
    PAGE.write_text(page(figures, ran, left, commit))
    # The total of some parts says nothing about that of all.
    too_low = [] if left else below(figures)
    sys.stdout.writelines(f"{each}\n" for each in too_low)
    return 1 if too_low or any(each["failed"] for each in done["parts"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
