"""Cython mutants are built together, each selected by its number."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.mutants.cython_operators import mutants_of_cython
from tests.mutants.logical_lines import logical_lines
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.switch import HEADER, MODULE, switched, uncompilable
from tests.mutants.trees import switch_file

SOURCE = b'''\
"""A module."""
from libc.stdint cimport int64_t


cdef int64_t bounded(int64_t value, int64_t limit) noexcept nogil:
    cdef int64_t result = value + 1
    if result > limit and (
            limit > 0):  # a comment
        return limit
    result += 0
    return result


def bound(value, limit):
    return bounded(value, limit)
'''
ASK = "import sys, probe; sys.stdout.write(f'{probe.bound(*map(int, sys.argv[1:]))}')"


@pytest.fixture
def tree(tmp_path):
    headers = tmp_path / "include" / "aeron_cluster"
    headers.mkdir(parents=True)
    shutil.copy(HEADER, headers)
    package = tmp_path / "aeron_cluster"
    package.mkdir()
    (package / "__init__.pxd").touch()
    (package / "mutant.pxd").write_text(MODULE)
    return tmp_path


def build(tree):
    command = [sys.executable, "-m", "cython", "-3", "probe.pyx"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    includes = subprocess.run(
        [sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    command = ["gcc", "-O0", "-shared", "-fPIC", f"-I{includes}", "-Iinclude", "probe.c"]
    subprocess.run([*command, "-o", "probe.so"], cwd=tree, check=True)


def send_request(tree, number, *values):
    command = [sys.executable, "-c", ASK, *map(str, values)]
    environment = os.environ | {"AERON_CLUSTER_MUTANT": str(number), "PYTHONPATH": str(tree)}
    done = subprocess.run(
        command, cwd=tree, env=environment, check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def test_one_build_has_the_original_and_each_mutant(tree):
    mutants = [each for each in mutants_of_cython("probe.pyx", SOURCE) if "bound" in each.function]
    numbers = {each.name: number for number, each in enumerate(mutants, 1)}
    result = switched(SOURCE, mutants, numbers)
    assert not result.impossible
    (tree / "probe.pyx").write_bytes(result.source)
    assert not uncompilable("probe.pyx", tree, result.places)
    build(tree)
    assert [send_request(tree, 0, value, 5) for value in (3, 4, 5, 9)] == [4, 5, 5, 5]
    of_new = {each.new: numbers[each.name] for each in mutants}
    assert send_request(tree, of_new["cdef int64_t result = value - 1"], 3, 5) == 2
    assert send_request(tree, of_new["cdef int64_t result = value + 2"], 3, 5) == 5
    assert send_request(tree, of_new["result += 1"], 3, 5) == 5
    assert send_request(tree, of_new["pass"], 9, 5) == 10
    inverted = next(n for new, n in of_new.items() if new.startswith("if not ("))
    assert send_request(tree, inverted, 9, 5) == 10


def test_mutant_rejected_by_cython_is_named_and_the_rest_is_kept(tree):
    (tree / "probe.pyx").write_bytes(SOURCE)
    mutants = [
        replaced("good", b"value + 1", b"value - 1"),
        replaced("bad", b"value + 1", b"value + nowhere"),
        replaced("other", b"result += 0", b"pass"),
        replaced("outside", b"return bounded(value, limit)", b"return 0, 0"),
    ]
    numbers = {each.name: number for number, each in enumerate(mutants, 1)}
    rejected = switch_file(tree, "probe.pyx", mutants, numbers)
    assert list(rejected) == ["bad"]
    assert "not allowed without gil" in rejected["bad"]
    text = (tree / "probe.pyx").read_text()
    assert [f"ac_mutant == {n}:" in text for n in (1, 2, 3, 4)] == [True, False, True, True]


def replaced(name, old, new):
    start = SOURCE.index(old)
    edit = Edit(start, start + len(old), new)
    return Mutant(name, "probe.pyx", 1, "bounded", "catalogue", "", "", edit)


def test_error_outside_of_mutants_ends_the_build(tree):
    (tree / "probe.pyx").write_bytes(SOURCE.replace(b"limit > 0", b"limit > nowhere"))
    with pytest.raises(ValueError, match=r"probe\.pyx:8: undeclared name"):
        uncompilable("probe.pyx", tree, {})


def test_statement_of_several_lines_is_one_line():
    lines = list(logical_lines(SOURCE))
    condition = next(each for each in lines if each.words[0] == "if")
    assert condition.line == 7
    assert condition.function == "bounded"
    assert condition.text.endswith("limit > 0):")


def test_header_is_not_part_of_the_product():
    assert not (ROOT / "include" / "aeron_cluster" / HEADER.name).exists()
