"""The content of a release: the wheel, the sdist, and the table of wheels to build."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import Cython
import pytest
import yaml

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
    """Build both once, from the compiled tree."""
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
    """The wheel, unpacked as on a user's import path."""
    path = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(path)
    return path


def package(*suffixes):
    return {name for name in tracked("aeron_cluster/**") if name.endswith(suffixes)}


def test_wheel_contains_exactly_the_files_a_user_needs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    plain = {name for name in names if not name.endswith(".so") and ".dist-info/" not in name}
    headers = {f"aeron_cluster/{name}" for name in tracked("include/**.h")}
    ours = package(".py", ".pyi", ".pxd", ".xml", ".toml", ".jinja", ".in", ".h", "py.typed")
    ours |= package(".htm", ".css", ".js")  # of the page
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
    wanted = tracked("aeron_cluster", "include", "tests", "tools", "benchmarks", "docs", "examples")
    wanted += tracked(".ci", ".github")
    wanted += tracked(
        "setup.py", "pyspark_aeron_cluster.py", "pyproject.toml", "Makefile", "LICENSE", "*.md"
    )
    assert set(wanted) - names == set()
    assert {name for name in names if name.endswith((".so", ".pyc", ".whl"))} == set()
    assert {name for name in names if name.startswith(("build/", ".venv", "dist/"))} == set()


class Environment:
    """A virtual environment with only the wheel and its requirements."""

    def __init__(self, home):
        self.home = home
        venv.create(home, with_pip=True)
        # Only installed files are accessible: neither a compiler nor the sources.
        self.variables = {
            "PATH": str(home / "bin"),
            "HOME": str(home),
            "PYTHONNOUSERSITE": "1",
        }

    def program(self, name):
        return str(self.home / "bin" / name)

    def install(self, *names):
        """Install from the index, with the machine's settings of pip."""
        kept = ("HOME", "PATH")
        settings = {
            key: value
            for key, value in os.environ.items()
            if key in kept
            or key.startswith("PIP_")
            or key.endswith(("_proxy", "_PROXY", "_CERT_FILE", "_BUNDLE"))
        }
        pip = [self.program("python"), "-m", "pip", "install", "-q", "--only-binary=:all:"]
        run([*pip, *names], env=settings | {"PYTHONNOUSERSITE": "1"})

    def run(self, *command, folder, **variables):
        return run(
            [self.program(command[0]), *command[1:]], env=self.variables | variables, cwd=folder
        )


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory):
    made = Environment(tmp_path_factory.mktemp("installed") / "environment")
    made.install(str(wheel))
    return made


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment_without_a_compiler(environment, tmp_path):
    smoke = """
import importlib, os, pkgutil, shutil
assert shutil.which("gcc") is None and shutil.which("cc") is None
import aeron_cluster
assert os.path.isfile(os.path.join(aeron_cluster.get_include(), "aeron_cluster", "atomic.h"))
for module in pkgutil.walk_packages(aeron_cluster.__path__, "aeron_cluster."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:  # of packages that only the extras install
        assert error.name in ("pyarrow", "pyspark"), module.name
        assert module.name.startswith("aeron_cluster.pipeline."), module.name
import pyspark_aeron_cluster
assert not hasattr(pyspark_aeron_cluster, "DefaultSource")
print(aeron_cluster.__file__)
"""
    # From another folder: the sources are not on the path.
    printed = environment.run("python", "-c", smoke, folder=tmp_path)
    assert printed.strip().startswith(str(environment.home))
    demo = ("aeron-cluster", "demo", "--seconds", "0.5", "--dir", "demo")
    assert environment.run(*demo, folder=tmp_path).count("as it must be") == 2


@pytest.fixture(scope="session")
def embedding(environment, tmp_path_factory):
    """A user's folder: a service in C, one in Cython and a trading loop, compiled there."""
    folder = tmp_path_factory.mktemp("embedding")
    for name in (
        "tests/embedding/setup.py",
        "tests/embedding/serve.py",
        "tests/embedding/trade.py",
        "tests/embedding/trading_loop.pyx",
        "tests/native/reminder_service.pyx",
        "benchmarks/native/echo_service.c",
        "benchmarks/native/send.h",
    ):
        shutil.copy(ROOT / name, folder)
    environment.install(f"Cython=={Cython.__version__}", "setuptools")
    path = {"PATH": os.pathsep.join([environment.variables["PATH"], os.environ["PATH"]])}
    build = ("python", "setup.py", "-q", "build_ext", "--inplace")
    environment.run(*build, folder=folder, **path)
    code = "import aeron_cluster; print(aeron_cluster.get_include())"
    include = environment.run("python", "-c", code, folder=folder).strip()
    assert include.startswith(str(environment.home))
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    flags += ["-fPIC", "-shared", "-I", include]
    run(["cc", *flags, "echo_service.c", "-o", "echo_service.so"], cwd=folder)
    return folder


LIMIT = 12_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        pytest.param("serve.py node PORT C FOLDER/echo_service.so:echo_service 1 milk", "milk"),
        # Immediately, and by a timer.
        pytest.param("serve.py node PORT Cython reminder_service 2 milk", "milk\nnoted: milk"),
        # Prices 0, 1, ...; those below the limit are ordered, each once.
        pytest.param(f"trade.py 20000 {LIMIT}", f"{LIMIT} {LIMIT * (LIMIT - 1) // 2}"),
    ],
    ids=["service-in-C", "service-in-Cython", "trading-loop"],
)
def test_embedded_programs_build_against_the_wheel_and_run(
    environment, embedding, free_port, command, printed
):
    known = {"FOLDER": str(embedding), "PORT": str(free_port(10))}
    for word, value in known.items():
        command = command.replace(word, value)
    shutil.rmtree(embedding / "node", ignore_errors=True)
    assert environment.run("python", *command.split(), folder=embedding) == printed


UNIT_TESTS = sorted(
    path.name
    for path in (ROOT / "tests" / "unit").iterdir()
    if path.name.startswith("test_") or (path / "__init__.py").exists()
)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", UNIT_TESTS)
def test_the_unit_tests_pass_on_the_wheel(unpacked, tmp_path, part):
    """As in cibuildwheel: outside of the sources, on the installed package."""
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
    workflow = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())
    found = set()
    for one in workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"]:
        tool = Path(sys.executable).parent / "cibuildwheel"
        flags = ["--print-build-identifiers", "--platform", one["platform"]]
        found |= set(run([str(tool), *flags, "--archs", one["archs"]], cwd=ROOT).split())
    assert found == expected
