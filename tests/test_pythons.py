"""The other interpreters that the package is built with, and their copies of the sources."""

import os
import tomllib

import pytest

from tests.conftest import ROOT
from tools import pythons


def test_versions_are_those_of_the_wheels():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert pythons.versions(project) == ["3.11", "3.12", "3.13", "3.14", "3.14t"]


def test_the_newest_suitable_interpreter_of_path_or_pyenv_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(pythons, "BUILT", tmp_path / "built")
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    paths = []
    for place in (
        "bin/python3.12",
        ".pyenv/versions/3.12.1/bin/python3.12",
        ".pyenv/versions/3.12.4/bin/python3.12",
        ".pyenv/versions/3.13.0/bin/python3.13",
        ".pyenv/versions/3.14.2t/bin/python3.14t",
    ):
        paths.append(tmp_path / place)
        paths[-1].parent.mkdir(parents=True)
        paths[-1].touch(mode=0o755)
    on_path, older, newer, other, free_threaded = map(str, paths)

    def found(unsuitable=()):
        return pythons.interpreters(
            ["3.12", "3.13", "3.14", "3.14t"], tmp_path, lambda one, _: one not in unsuitable
        )

    assert found() == {"3.12": on_path, "3.13": other, "3.14": None, "3.14t": free_threaded}
    assert found({on_path})["3.12"] == newer
    assert found({on_path, newer, older})["3.12"] is None
    own = tmp_path / "built/3.14t/bin/python3.14t"
    own.parent.mkdir(parents=True)
    own.touch(mode=0o755)
    assert found()["3.14t"] == str(own)


def test_command_of_another_version_is_unsuitable(tmp_path):
    for printed in ("cpython 3.11", "pypy 3.12", ""):
        fake = tmp_path / "python"
        fake.write_text(f"#!/bin/sh\necho {printed}\n")
        fake.chmod(0o755)
        assert not pythons.is_version(str(fake), "3.12")
    fake.write_text("#!/bin/sh\necho cpython 3.12\nexit 1\n")
    assert not pythons.is_version(str(fake), "3.12")
    fake.write_text("#!/bin/sh\necho cpython 3.12\n")
    assert pythons.is_version(str(fake), "3.12")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a small tree of sources, and the path of its copy."""
    source, copy = tmp_path / "source", tmp_path / "copy"
    (source / "package").mkdir(parents=True)
    (source / "package" / "one.pyx").write_text("1")
    (source / "gone.py").write_text("1")
    os.utime(source / "package" / "one.pyx", (1_000_000_000, 1_000_000_000))
    pythons.subprocess.run(["git", "init", "-q", str(source)], check=True)
    monkeypatch.setattr(pythons, "ROOT", source)
    return source, copy


def test_copy_is_updated_and_retains_its_build(tree):
    source, copy = tree
    pythons.copy_sources(copy)
    assert (copy / "package" / "one.pyx").stat().st_mtime == 1_000_000_000
    for built in ("package/one.cpython-312.so", "build/one.c"):
        (copy / built).parent.mkdir(parents=True, exist_ok=True)
        (copy / built).touch()
    (source / "gone.py").unlink()
    (source / "package" / "one.pyx").write_text("2")
    pythons.copy_sources(copy)
    assert (copy / "package" / "one.pyx").read_text() == "2"
    assert sorted(str(each.relative_to(copy)) for each in copy.rglob("*") if each.is_file()) == [
        "build/one.c",
        "package/one.cpython-312.so",
        "package/one.pyx",
    ]
