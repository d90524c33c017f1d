"""Which functions a test file calls is measured, and those tests are run for a mutant of one."""

import importlib.util
import threading

from tests.mutants.reach import Calls, _write, read_reach
from tests.mutants.related_tests import calling

SOURCE = """
class Room:
    def enter(self):
        return [each for each in (1, 2) if self._is_free(each)]

    def _is_free(self, each):
        return each > 1

    def leave(self):
        return None

def elsewhere():
    return Room().enter()
"""
REACH = {
    "tests/unit/test_a.py": frozenset({"a.py::f", "a.py::g"}),
    "tests/unit/test_b.py": frozenset({"a.py::f"}),
    "tests/simulation/test_c.py": frozenset({"a.py::f"}),
}


def load(directory):
    package = directory / "package"
    package.mkdir()
    path = package / "rooms.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("rooms", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return package, module


def test_called_functions_are_found_in_all_threads(tmp_path):
    package, module = load(tmp_path)
    with Calls(str(package)) as calls:
        module.Room().enter()
    names = {"package/rooms.py::Room.enter", "package/rooms.py::Room._is_free"}
    assert calls.functions() == names
    with Calls(str(package)) as calls:
        thread = threading.Thread(target=module.elsewhere)
        thread.start()
        thread.join(10)
    assert calls.functions() == names | {"package/rooms.py::elsewhere"}


def test_what_was_measured_is_read_again(tmp_path):
    path = tmp_path / "build" / "reach.json"
    assert read_reach(path) == {}
    _write({test: set(functions) for test, functions in REACH.items()}, path)
    assert read_reach(path) == REACH
    _write({"tests/unit/test_a.py": {"b.py::h"}}, path)
    assert read_reach(path) == REACH | {"tests/unit/test_a.py": frozenset({"b.py::h"})}


def test_quickest_files_that_call_the_function_come_first():
    seconds = {"tests/unit/test_a.py::test_x": 3.0, "tests/unit/test_b.py::test_y": 1.0}
    first = ["tests/unit/test_b.py", "tests/unit/test_a.py"]
    assert calling("a.py::f", "unit", seconds, REACH) == first
    assert calling("a.py::g", "unit", seconds, REACH) == ["tests/unit/test_a.py"]
    assert calling("a.py::f", "scenarios", seconds, REACH) == ["tests/simulation/test_c.py"]
    assert calling("a.py::h", "unit", seconds, REACH) == []
