"""``setup.py`` on a tiny package: the built files, and the rebuilt ones after a change."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.timeout(1000)

ONE = "#pragma once\n#define AC_ONE 1\n"
TWO = '#pragma once\n#include "aeron_cluster/one.h"\n#define AC_TWO 2\n'
FACE = 'cdef extern from "aeron_cluster/two.h":\n    enum:\n        AC_TWO\n'
FILES = {
    "README.md": "tiny\n",
    "LICENSE": "tiny\n",
    "include/aeron_cluster/one.h": ONE,
    "include/aeron_cluster/two.h": TWO,
    "aeron_cluster/__init__.py": "",
    "aeron_cluster/__init__.pxd": "",
    "aeron_cluster/py.typed": "",
    "aeron_cluster/face.pxd": FACE,
    "aeron_cluster/user.pyx": "from aeron_cluster.face cimport AC_TWO\nTWO = AC_TWO\n",
    "aeron_cluster/user.pyi": "TWO: int\n",
    "aeron_cluster/alone.pyx": "ALONE = 1\n",
}


class Project:
    """A copy of the build script with a package of two modules."""

    def __init__(self, root):
        self.root = root
        for name in ("setup.py", "pyproject.toml"):
            shutil.copy(ROOT / name, root)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def setup(self, *arguments, variant="release", **variables):
        environment = {
            **os.environ,
            "AERON_CLUSTER_BUILD": variant,
            "AERON_CLUSTER_JOBS": "2",
            **variables,
        }
        return subprocess.run(
            [sys.executable, "setup.py", "-q", *arguments],
            check=False,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
        )

    def build(self, variant="release"):
        """Build, and return the rebuilt modules."""
        before = self.libraries()
        done = self.setup("build_ext", "--inplace", variant=variant)
        assert done.returncode == 0, done.stderr
        return {name for name, stamp in self.libraries().items() if before.get(name) != stamp}

    def libraries(self):
        found = [path for path in self.root.rglob("*.so") if "lib.linux" not in str(path)]
        return {
            str(path.relative_to(self.root)).split(".")[0]: path.stat().st_mtime_ns
            for path in found
        }

    def run(self, code, path="."):
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            cwd=self.root / path,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip() or done.stderr


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


USER, ALONE = "aeron_cluster/user", "aeron_cluster/alone"


def test_change_rebuilds_only_its_dependents(project):
    assert project.build() == {USER, ALONE}
    assert project.build() == set()

    project.write("include/aeron_cluster/one.h", ONE.replace("1", "11"))
    assert project.build() == {USER}  # through two.h and face.pxd

    project.write("aeron_cluster/face.pxd", FACE + "cdef enum:\n    MORE = 3\n")
    assert project.build() == {USER}

    project.write("aeron_cluster/alone.pyx", "ALONE = 2\n")
    assert project.build() == {ALONE}
    assert project.run("from aeron_cluster.alone import ALONE; print(ALONE)") == "2"

    (project.root / "aeron_cluster/alone.pyx").unlink()
    project.build()
    assert USER in project.libraries()
    assert ALONE not in project.libraries()

    text = (project.root / "setup.py").read_text()
    project.write("setup.py", text.replace('"-O3"', '"-O1"'))
    assert project.build() == {USER}
    assert project.build() == set()


def test_a_package_of_a_built_tree_compiles_only_changed_modules(project):
    project.build()
    no_compiler = {"CC": "false"}
    for path in (project.root / "build").rglob("*.c"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # older than Cython, as where pip builds
    done = project.setup("build", **no_compiler)
    assert done.returncode == 0, done.stderr
    (built,) = (project.root / "build").glob("lib.*/aeron_cluster")
    (module,) = built.glob("alone.*.so")
    assert module.read_bytes() == (project.root / "aeron_cluster" / module.name).read_bytes()

    project.write("aeron_cluster/alone.pyx", "ALONE = 2\n")
    assert project.setup("build", **no_compiler).returncode != 0
    assert project.setup("build").returncode == 0
    assert project.run("from aeron_cluster.alone import ALONE; print(ALONE)", built.parent) == "2"


def test_a_variant_is_built_beside_the_release(project):
    project.build()
    new = project.build("debug")
    assert new == {f"build/lib-debug/{name}" for name in (USER, ALONE)}
    assert project.build("debug") == set()
    code = "import aeron_cluster.user as u; print(u.TWO, u.__file__)"
    value, file = project.run(code, "build/lib-debug").split()
    assert value == "2"
    assert file.startswith(str(project.root / "build/lib-debug/aeron_cluster"))
    value, file = project.run(code).split()
    assert file.startswith(str(project.root / "aeron_cluster"))


def test_a_performance_hint_fails_the_build_until_it_is_fixed(project):
    slow = "cdef void leaf() nogil:\n    pass\ndef call():\n    with nogil:\n        leaf()\n"
    project.write("aeron_cluster/alone.pyx", slow)
    for _ in range(2):  # also if the file is unchanged
        done = project.setup("build_ext", "--inplace")
        assert "performance hint: aeron_cluster/alone.pyx" in done.stderr
        assert done.returncode != 0
    project.write("aeron_cluster/alone.pyx", slow.replace(") nogil", ") noexcept nogil"))
    assert project.build() == {USER, ALONE}


def test_built_package_holds_headers_and_stubs_and_no_removed_file(project):
    project.write("aeron_cluster/old.py", "")
    assert project.setup("build").returncode == 0
    (built,) = (project.root / "build").glob("lib.*/aeron_cluster")
    assert (built / "old.py").exists()
    assert (built / "include/aeron_cluster/two.h").exists()
    assert (built / "user.pyi").exists()
    assert (built / "face.pxd").exists()
    (project.root / "aeron_cluster/old.py").unlink()
    (project.root / "include/aeron_cluster/one.h").unlink()
    project.write("include/aeron_cluster/two.h", TWO.replace('#include "aeron_cluster/one.h"', ""))
    assert project.setup("build").returncode == 0
    assert not (built / "old.py").exists()
    assert not (built / "include/aeron_cluster/one.h").exists()


def test_an_unknown_variant_is_rejected(project):
    done = project.setup("build_ext", variant="fast")
    assert done.returncode != 0
    assert "AERON_CLUSTER_BUILD=fast: expected one of release, debug" in done.stderr
