"""Which test files call which functions of the package, measured by running them once.

``python -m tests.mutants --reach`` measures it, as a plugin of pytest. Imports do not relate a test
to what it calls by way of other modules: a scenario of the simulator imports few of them.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Self

import pytest

from tests.conftest import ROOT

__all__ = ["REACH", "Calls", "Reach", "measure", "read_reach"]

REACH = ROOT / "build" / "mutants-reach.json"
"""The functions that each test file calls."""
FOLDERS = ("tests/unit", "tests/property", "tests/scenarios", "tests/simulation")
# Seeds are layers of their own.
LEFT_OUT = ("tests/simulation/test_seeds.py",)
_PACKAGE = str(ROOT / "aeron_cluster")

Reach = dict[str, frozenset[str]]
"""By test file: functions as ``file::qualified.name``."""


class Calls:
    """Records the functions of the package that are called, in all threads.

    Parameters
    ----------
    package : str
        The directory of the package.
    """

    def __init__(self, package: str = _PACKAGE) -> None:
        self._package = package
        self._codes: dict[int, CodeType] = {}

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        threading.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, arg: object) -> None:  # noqa: ARG002
        code = frame.f_code
        self._codes[id(code)] = code

    def functions(self) -> set[str]:
        """Return the functions called so far; parts of one count as the function."""
        parent = Path(self._package).parent
        return {
            f"{Path(each.co_filename).relative_to(parent)}::{each.co_qualname.split('.<locals>')[0]}"
            for each in list(self._codes.values())  # other threads may still add some
            if each.co_filename.startswith(self._package)
        }


class _Plugin:
    def __init__(self) -> None:
        self.found: dict[str, set[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        with Calls() as calls:
            result = yield
        file = item.nodeid.partition("::")[0]
        self.found.setdefault(file, set()).update(calls.functions())
        return result


def read_reach(path: Path = REACH) -> Reach:
    """Return what was measured; nothing before that."""
    if not path.exists():
        return {}
    content = json.loads(path.read_text())
    names = content["functions"]
    return {
        file: frozenset(names[each] for each in places) for file, places in content["tests"].items()
    }


def _write(found: dict[str, set[str]], path: Path) -> None:
    """Store what test files call; what is known of others stays."""
    found = {file: set(functions) for file, functions in read_reach(path).items()} | found
    names = sorted({each for functions in found.values() for each in functions})
    places = {name: place for place, name in enumerate(names)}
    tests = {file: sorted(places[each] for each in found[file]) for file in sorted(found)}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"functions": names, "tests": tests}))


def measure() -> int:
    """Run the test files in a process of their own, and store what they call; return its status."""
    command = [sys.executable, "-m", "tests.mutants.reach", *FOLDERS]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    plugin = _Plugin()
    options = ["-q", "-n0", "--whole", "-p", "no:cacheprovider", "--timeout=600"]
    options += [f"--deselect={each}" for each in LEFT_OUT]
    status = pytest.main([*options, *sys.argv[1:]], plugins=[plugin])
    _write(plugin.found, REACH)
    sys.exit(status)
