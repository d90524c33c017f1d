"""The choice of tests of a run of all folders: a budget of seconds for each folder's slow ones.

``tests/durations.json`` holds the seconds that each test function took, with all its cases, when
``make durations`` last measured them. Quick functions always run, and so do those without a
measured duration: a new test runs with the change that adds it. The slow ones of a folder are drawn
in an order determined by the run's seed, until their seconds reach the folder's budget. ``--whole``
runs all.
"""

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

DURATIONS = Path(__file__).with_name("durations.json")
# Functions below this many seconds always run.
QUICK = 0.5
# These always run too: every change can break them.
ALWAYS = (
    "tests/mutants/test_catalogue.py::test_a_bug_applies_to_the_sources",
    "tests/simulation/test_seeds.py::test_a_few_seeds_hold",
    "tests/simulation/test_seeds.py::test_new_seeds_hold",
    "tests/test_benchmarks.py::test_no_hot_loop_exceeds_its_instruction_baseline",
)
# The seconds of slow functions per folder in a run: usually 11 minutes of one core in all.
BUDGETS = {
    ("tests/interop/",): 170.0,
    ("tests/simulation/",): 80.0,
    ("tests/spark/",): 90.0,
    ("tests/test_",): 70.0,
    ("tests/process/",): 60.0,
    ("tests/unit/", "tests/scenarios/"): 40.0,
    ("tests/native/",): 40.0,
    ("tests/examples/",): 15.0,
    ("tests/property/",): 35.0,
    ("tests/fuzz/",): 20.0,
    (
        "tests/soak/",
        "tests/mixed/",
        "tests/hostile/",
        "tests/canaries/",
        "tests/mutants/",
        "tests/sanitize/",
        "tests/coverage/",
    ): 40.0,
}


def function_of(test: str) -> str:
    """Return a test's name without its case: cases are drawn and measured together."""
    return test.partition("[")[0]


def left_out(
    tests: Iterable[str],
    seed: int,
    seconds: Mapping[str, float],
    budgets: Mapping[tuple[str, ...], float] = BUDGETS,
) -> set[str]:
    """Return the collected functions that are not drawn."""
    slow: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for function in sorted({function_of(test) for test in tests}.difference(ALWAYS)):
        if seconds.get(function, 0.0) >= QUICK:
            for folders in budgets:
                if function.startswith(folders):
                    slow[folders].append(function)
    return {
        function
        for folders, functions in slow.items()
        for function in _beyond(budgets[folders], functions, seconds, f"{seed} {folders}")
    }


def _beyond(
    budget: float, functions: list[str], seconds: Mapping[str, float], seed: str
) -> list[str]:
    """Return the functions beyond the budget; the one at its limit is drawn with a probability."""
    rng = random.Random(seed)
    rng.shuffle(functions)
    for number, function in enumerate(functions):
        if seconds[function] * rng.random() >= budget:
            return functions[number:]
        budget -= seconds[function]
        if budget <= 0:
            return functions[number + 1 :]
    return []


def read_durations(path: Path = DURATIONS) -> dict[str, float]:
    """Return the seconds of each measured function; empty without the file."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def measured(report: Path) -> dict[str, float]:
    """Return the seconds of each function of pytest's JUnit report, over all its cases."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        parts = case.attrib["classname"].split(".")
        classes = [part for part in parts if part[0].isupper()]
        file = "/".join(part for part in parts if part not in classes) + ".py"
        name = "::".join([file, *classes, function_of(case.attrib["name"])])
        seconds[name] += float(case.attrib["time"])
    return seconds


def main(reports: list[str]) -> None:
    """Merge the durations of these reports into the stored ones."""
    known = read_durations()
    for report in reports:
        known |= measured(Path(report))
    kept = {name: round(known[name], 1) for name in sorted(known) if known[name] >= QUICK}
    DURATIONS.write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
