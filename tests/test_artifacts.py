"""What a release consists of: the wheel, the sdist, and the table of wheels to build."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, VARIANT
from tests.test_source import tracked

pytestmark = [
    pytest.mark.skipif(VARIANT != "release", reason="only the release build is packaged"),
    pytest.mark.timeout(1000),
]


def run(command, **options):
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=900, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """Build both once, from the tree that is already compiled."""
    out = tmp_path_factory.mktemp("dist")
    flags = ["--no-isolation", "--sdist", "--wheel", "--outdir", str(out)]
    run([sys.executable, "-m", "build", *flags], cwd=ROOT)
    return out


@pytest.fixture(scope="session")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def unpacked(wheel, tmp_path_factory):
    """The wheel as it lies on a user's import path."""
    path = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(path)
    return path


def package(*suffixes):
    return {name for name in tracked("aeron_cluster/**") if name.endswith(suffixes)}


def test_the_wheel_contains_what_a_user_needs_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    plain = {name for name in names if not name.endswith(".so") and ".dist-info/" not in name}
    headers = {f"aeron_cluster/{name}" for name in tracked("include/**.h")}
    ours = package(".py", ".pyi", ".pxd", ".xml", ".toml", ".jinja", ".h", "py.typed")
    assert plain == ours | headers | {"pyspark_aeron_cluster.py"}

    compiled = {name.split(".")[0] for name in names if name.endswith(".so")}
    assert compiled == {name.removesuffix(".pyx") for name in package(".pyx")}

    info = {name.split(".dist-info/")[1] for name in names if ".dist-info/" in name}
    assert {"METADATA", "RECORD", "entry_points.txt", "licenses/LICENSE"} <= info
    assert "cp3" in wheel.name
    assert "none-any" not in wheel.name


def test_the_sdist_holds_everything_to_build_and_test(dist):
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = tracked("aeron_cluster", "include", "tests", "tools", "benchmarks", "docs")
    wanted += tracked(
        "setup.py", "pyspark_aeron_cluster.py", "pyproject.toml", "Makefile", "LICENSE", "*.md"
    )
    assert set(wanted) - names == set()
    assert {name for name in names if name.endswith((".so", ".pyc", ".whl"))} == set()
    assert {name for name in names if name.startswith(("build/", ".venv", "dist/"))} == set()


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment_without_a_compiler(wheel, tmp_path):
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    environment = {"PATH": str(home / "bin"), "HOME": str(tmp_path), "PYTHONNOUSERSITE": "1"}
    pip = {
        key: value
        for key, value in os.environ.items()
        if key.startswith("PIP_") or key.endswith(("_proxy", "_PROXY", "_CERT_FILE", "_BUNDLE"))
    }
    python = str(home / "bin" / "python")
    run(
        [python, "-m", "pip", "install", "-q", "--only-binary=:all:", str(wheel)],
        env={**os.environ, **environment, **pip, "HOME": os.environ.get("HOME", str(tmp_path))},
    )
    smoke = """
import importlib, os, pkgutil, shutil
assert shutil.which("gcc") is None and shutil.which("cc") is None
import aeron_cluster
assert os.path.isfile(os.path.join(aeron_cluster.get_include(), "aeron_cluster", "atomic.h"))
for module in pkgutil.walk_packages(aeron_cluster.__path__, "aeron_cluster."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:  # of what only the extras install
        assert error.name in ("pyarrow", "pyspark"), module.name
        assert module.name.startswith("aeron_cluster.pipeline."), module.name
import pyspark_aeron_cluster
assert not hasattr(pyspark_aeron_cluster, "DefaultSource")
print(aeron_cluster.__file__)
"""
    # From another folder: nothing of the sources is in reach.
    printed = run([python, "-c", smoke], env=environment, cwd=tmp_path)
    assert printed.strip().startswith(str(home))
    demo = [str(home / "bin" / "aeron-cluster"), "demo", "--seconds", "0.5", "--dir", "demo"]
    assert run(demo, env=environment, cwd=tmp_path).count("as it must be") == 2


def test_a_foreign_extension_builds_against_the_wheel(unpacked, tmp_path):
    (tmp_path / "foreign.pyx").write_text(
        "from libc.stdint cimport int32_t\n"
        "from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, store_release_i32\n"
        "def through(int value):\n"
        "    cdef int32_t word = 0\n"
        "    store_release_i32(&word, value)\n"
        "    return load_acquire_i32(&word)\n"
    )
    (tmp_path / "setup.py").write_text(
        "from Cython.Build import cythonize\n"
        "from setuptools import Extension, setup\n"
        "import aeron_cluster\n"
        "one = Extension('foreign', ['foreign.pyx'], include_dirs=[aeron_cluster.get_include()])\n"
        "setup(ext_modules=cythonize([one], language_level=3))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, env=environment)
    code = "import foreign; print(foreign.through(7))"
    assert run([sys.executable, "-c", code], cwd=tmp_path, env=environment) == "7\n"


UNIT_TESTS = sorted(
    path.name
    for path in (ROOT / "tests" / "unit").iterdir()
    if path.name.startswith("test_") or (path / "__init__.py").exists()
)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", UNIT_TESTS)
def test_the_unit_tests_pass_on_the_wheel(unpacked, tmp_path, part):
    """As cibuildwheel runs them: away from the sources, on what is installed."""
    for name in ("tests", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/unit/{part}"]
    run(command, cwd=tmp_path, env=environment)


def test_the_table_of_wheels_is_the_promised_one():
    expected = {
        f"{python}-{platform}_{machine}"
        for python in ("cp311", "cp312", "cp313", "cp314", "cp314t")
        for platform, machines in {
            "manylinux": ("x86_64", "aarch64"),
            "musllinux": ("x86_64", "aarch64"),
            "macosx": ("x86_64", "arm64"),
        }.items()
        for machine in machines
    }
    found = set()
    for platform, machines in (("linux", "x86_64,aarch64"), ("macos", "x86_64,arm64")):
        tool = Path(sys.executable).parent / "cibuildwheel"
        flags = ["--print-build-identifiers", "--platform", platform, "--archs", machines]
        found |= set(run([str(tool), *flags], cwd=ROOT).split())
    assert found == expected
