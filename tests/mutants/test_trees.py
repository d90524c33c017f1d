"""A tree has one mutant at a time, and the original sources have none."""

import os
import subprocess
import sys

from tests.conftest import ROOT
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.related_tests import calling_importers, related
from tests.mutants.trees import mutated

PROBE = "import probe; print(probe.f())"


def mutant(start, new):
    return Mutant(
        "m", "probe.py", 1, "f", "constant changed", "1", "2", Edit(start, start + 1, new)
    )


def test_mutant_is_temporary_and_its_bytecode_is_not_reused(tmp_path):
    path = tmp_path / "probe.py"
    path.write_bytes(b"def f():\n    return 1\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.pop("PYTHONPYCACHEPREFIX", None)

    def run():
        command = [sys.executable, "-c", PROBE]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    found = [run()]
    for value in (b"2", b"3"):
        with mutated(mutant(20, value), tmp_path):
            found.append(run())
    found.append(run())
    assert found == ["1", "2", "3", "1"]


def test_the_nearest_tests_come_first():
    file = "aeron_cluster/cluster/members/quorum.py"
    found = related(file, "unit", {})
    assert found[0].endswith("test_quorum.py")
    assert related(file, "scenarios", {}) == ["tests/scenarios/test_elections.py"]
    assert all((ROOT / each).exists() for each in found)


def test_tests_of_the_importers_of_a_compiled_file_are_found():
    """It is imported by compiled files alone, which Python files import."""
    file = "aeron_cluster/cluster/members/consensus_publisher.pxd"
    test = "tests/unit/cluster/test_cluster_events.py"
    importer = "aeron_cluster/cluster/module/module_conductor.py::ModuleConductor.do_work"
    reach = {
        test: frozenset({importer}),
        "tests/unit/test_other.py": frozenset({"aeron_cluster/archive/archive.py::Archive.close"}),
        "tests/scenarios/test_one.py": frozenset({importer}),
    }
    assert related(file, "unit", {}) == []
    assert calling_importers(file, "unit", {}, reach) == [test]


def test_tests_of_other_rooms_are_not_run():
    found = related("aeron_cluster/cluster/service/deduplication.py", "unit", {})
    assert not any("/driver/" in each for each in found)
