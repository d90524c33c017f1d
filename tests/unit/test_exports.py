"""Exports of packages are loaded on first use, and editors see the same names."""

import ast
import importlib
import os
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import aeron_cluster
from aeron_cluster.version import find_version
from tests.conftest import IN_SOURCE_TREE, ROOT, VARIANT

# The names that programs begin with.
FRONT = [
    "Aeron",
    "MediaDriver",
    "Archive",
    "AeronArchive",
    "ArchivingMediaDriver",
    "ClusterNode",
    "ClusteredService",
    "ClusteredServiceContainer",
    "AeronCluster",
    "SurvivingClient",
    "Deduplication",
    "ChannelUri",
    "IdleStrategy",
    "ClusterBackup",
    "EgressListener",
    "RequestListener",
    "AgentRunner",
    "AeronClusterError",
    "__version__",
]
# All that an import loads, so that it takes 30 ms: no module that is itself slow to import.
OF_PYTHON = {"__future__", "importlib", "importlib._bootstrap", "importlib._bootstrap_external"}
OF_PYTHON |= {"warnings", "_warnings", "_py_warnings"}  # those of importlib, by version
# The sources, or the installed package.
HOME = Path(aeron_cluster.__file__).parent.parent
INIT_FILES = sorted(
    path for path in (HOME / "aeron_cluster").rglob("__init__.py") if "export(" in path.read_text()
)


def package_of(init_file):
    return ".".join(init_file.parent.relative_to(HOME).parts)


def table_of(init_file):
    (call,) = (
        node for node in ast.walk(ast.parse(init_file.read_text())) if isinstance(node, ast.Call)
    )
    places = ast.literal_eval(call.args[1])
    return {name: f"aeron_cluster.{module}" for module, names in places.items() for name in names}


def stub_of(init_file):
    found = {}
    names = []
    for node in ast.parse(init_file.with_suffix(".pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname: node.module for alias in node.names}
        elif isinstance(node, ast.Assign):
            names = ast.literal_eval(node.value)
    return found, names


def test_each_stub_of_a_package_is_compared():
    stubs = sorted((HOME / "aeron_cluster").rglob("__init__.pyi"))
    assert [path.with_suffix(".py") for path in stubs] == INIT_FILES


@pytest.mark.parametrize("init_file", INIT_FILES, ids=package_of)
def test_editors_see_the_loaded_names(init_file):
    table = table_of(init_file)
    found, names = stub_of(init_file)
    assert (found, sorted(names)) == (table, sorted(table))


@pytest.mark.parametrize("init_file", INIT_FILES, ids=package_of)
def test_each_exported_name_exists(init_file):
    package = importlib.import_module(package_of(init_file))
    table = table_of(init_file)
    assert package.__all__ == sorted(table)
    assert set(table) <= set(dir(package))
    for name, module in table.items():
        if module.split(".")[1] != "pipeline":  # some of it needs optional packages
            assert getattr(package, name) is getattr(importlib.import_module(module), name)


def test_front_door_has_the_names_programs_begin_with():
    assert set(FRONT) <= set(aeron_cluster.__all__)


def test_unexported_name_is_no_attribute():
    with pytest.raises(AttributeError, match=r"'aeron_cluster' has no attribute 'Aeorn'"):
        _ = aeron_cluster.Aeorn


@pytest.mark.parametrize("packages", [["aeron_cluster"], list(map(package_of, INIT_FILES))])
def test_import_of_packages_loads_nothing_else(packages):
    code = (
        f"import sys, time; before = set(sys.modules); began = time.perf_counter();"
        f"import {', '.join(packages)};"
        "print(time.perf_counter() - began, *sorted(set(sys.modules) - before))"
    )
    took = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-S", "-c", code],
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(HOME)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        seconds, *loaded = done.stdout.split()
        took.append(float(seconds))
        assert set(loaded) - OF_PYTHON == {"aeron_cluster", "aeron_cluster.exports", *packages}
    assert min(took) < 0.3  # ten times 30 ms, for a busy machine


@IN_SOURCE_TREE
@pytest.mark.skipif(VARIANT != "release", reason="another variant's modules have their own folder")
def test_version_of_a_source_tree_is_that_of_its_project(monkeypatch):
    def find_none(_name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", find_none)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert find_version() == project["version"]
