"""What bare systems are made of and follow, and the pictures that they draw."""

import os
import re
import subprocess
import sys

import pytest

from tests import pictures
from tests.conftest import ROOT
from tests.pages import TUTORIAL
from tools import chroot

FOLDER = ROOT / "docs/pictures"


def test_the_packages_and_commands_are_those_of_readme():
    readme = (ROOT / "README.md").read_text()
    assert chroot.readme_packages(readme) == ["python3-venv", "python3-dev", "gcc", "make", "git"]
    first, *others = chroot.readme_commands(readme)
    assert first.startswith("python3 -m venv ")
    assert others == ["pip install '.[arrow,metrics,page]'"]


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    subprocess.run(["git", *identity, *words], check=True, cwd=folder)


def test_package_pages_and_tests_are_of_one_commit_while_head_moves(tmp_path, monkeypatch):
    source = tmp_path / "source"
    (source / "tests").mkdir(parents=True)
    git(source, "init", "-q")
    written = [source / "README.md", source / "tests" / "test_one.py"]

    def commit(text):
        for path in written:
            path.write_text(text)
        git(source, "add", ".")
        git(source, "commit", "-q", "-m", text)

    commit("first")
    monkeypatch.setattr(chroot, "ROOT", source)
    taken = chroot.Commit(tmp_path / "taken")
    commit("second")
    written[0].write_text("not committed")
    git(tmp_path, "clone", "-q", str(taken.bundle), "clone")
    taken.copy(tmp_path / "copy", "tests", "README.md")
    for folder in (tmp_path / "clone", tmp_path / "copy"):
        found = [(folder / path.relative_to(source)).read_text() for path in written]
        assert found == ["first", "first"]
    assert taken.read("README.md") == "first"
    assert chroot.Commit(tmp_path / "taken").read("README.md") == "second"
    assert chroot.Commit(tmp_path / "taken", "HEAD~").name == taken.name


def test_a_kept_system_is_copied_and_not_made_again(tmp_path, monkeypatch):
    kept = chroot.System(tmp_path / "trixie-amd64")
    (kept.home / "work").mkdir(parents=True)
    copy = kept.copy(tmp_path / "trixie-amd64-bare")
    (copy.home / "work").rmdir()
    assert [path.name for path in kept.copy(copy.root).home.iterdir()] == ["work"]
    monkeypatch.setattr(chroot.subprocess, "run", None)
    kept.make("trixie", "amd64", None)


def test_a_reader_has_the_settings_of_pip_and_nothing_else_of_this_machine(monkeypatch):
    for name in ("PIP_TIMEOUT", "https_proxy", "PYTHONPATH", "AERON_CLUSTER_SEED"):
        monkeypatch.setenv(name, "1")
    found = chroot.environment("/data/reader")
    assert {"PIP_TIMEOUT=1", "https_proxy=1", "HOME=/data/reader"} <= {*found}
    assert not [each for each in found if each.startswith(("PYTHONPATH=", "AERON_CLUSTER_SEED="))]


def test_a_failed_step_prints_the_end_of_its_log(tmp_path, capsys):
    steps = chroot.Steps(tmp_path)
    with steps.step("first") as log:
        log.write(b"not shown")
    with pytest.raises(subprocess.CalledProcessError), steps.step("make demo") as log:
        subprocess.run(["sh", "-c", "echo shown; exit 1"], check=True, stdout=log)
    printed = capsys.readouterr().out
    assert "s  first" in printed
    assert re.search(r"FAILED +make demo, see .*01-make-demo\.log\nshown\n", printed)
    assert list(steps.times) == ["first"]


def test_a_picture_shows_what_was_typed_since_its_heading(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n\n```sh\none\n```\n\n## B\n\n```sh\ntwo\n```\n\n![B](pictures/b.svg)\n")
    pictures.draw_transcripts(page, {4: ("one", "first\n"), 10: ("two", "second\n")}, tmp_path)
    text = re.sub(r"<[^>]*>|&#160;", " ", (tmp_path / "b.svg").read_text())
    assert "two" in text
    assert "second" in text
    assert "first" not in text


def test_the_pictures_of_the_tutorial_are_small_and_load_nothing():
    named = re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", (ROOT / TUTORIAL).read_text())
    assert sorted(named) == sorted(path.name for path in FOLDER.iterdir())
    assert {*pictures.SCREENS} < {*named}
    for name in named:
        path = FOLDER / name
        assert path.stat().st_size < 100_000
        if path.suffix == ".svg":
            assert re.findall(r"https?://(?!www\.w3\.org/)", path.read_text()) == []


def test_a_sample_of_the_tests_is_drawn_with_its_seed(tmp_path):
    (tmp_path / "tests/unit/memory").mkdir(parents=True)
    for index in range(5):
        (tmp_path / f"tests/unit/memory/test_{index}.py").touch()
    (tmp_path / "tests/unit/test_5.py").touch()
    (tmp_path / "tests/unit/conftest.py").touch()
    command, words = chroot.draw("pytest -q tests/unit", tmp_path, 3, 1)
    assert words == "pytest -q, 3 of 6 files of tests/unit, seed 1"
    assert re.fullmatch(r"pytest -q( tests/unit/(memory/)?test_\d\.py){3}", command)
    assert chroot.draw("pytest -q tests/unit", tmp_path, 3, 1) == (command, words)
    drawn = {chroot.draw("pytest -q tests/unit", tmp_path, 3, seed)[0] for seed in range(9)}
    assert len(drawn) > 1
    assert chroot.draw("pytest -q tests/unit", tmp_path, 9, 1)[0].count("test_") == 6


APT = """#!/bin/sh
case "$1" in indextargets) echo Debian bookworm http://mirror/debian; exit;; esac
echo "$@" >>calls
case "$*" in *download*) touch libpython3.11-dev_3.11.2_arm64.deb;; esac
"""


def test_a_package_of_another_architecture_is_loaded_by_the_apt_of_this_one(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    apt = tmp_path / "bin/apt-get"
    apt.write_text(APT)
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{apt.parent}:{os.environ['PATH']}")
    folder = tmp_path / "apt"
    found = chroot.download("libpython3.11-dev", "bookworm", "arm64", folder, None)
    assert found == folder / "libpython3.11-dev_3.11.2_arm64.deb"
    assert " http://mirror/debian bookworm main" in (folder / "sources.list").read_text()
    update, download = (folder / "calls").read_text().splitlines()
    assert update.endswith(" update")
    assert download.endswith(" download libpython3.11-dev")
    # Neither the architecture nor the lists of this machine are used or changed.
    for own in (f"Dir::State::lists={folder}/lists", "APT::Architecture=arm64"):
        assert f"-o{own} " in update
        assert f"-o{own} " in download


def test_extensions_are_compiled_for_the_python_of_the_system(tmp_path):
    minor = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    library = tmp_path / "root/usr/lib" / minor
    library.mkdir(parents=True)
    system, path = chroot.System(tmp_path / "root"), tmp_path / "sysconfig"
    with pytest.raises(SystemExit, match=f"expected {re.escape(minor)} in .*/root"):
        chroot.cross_environment(system, tmp_path, path)
    data = library / "_sysconfigdata__aarch64-linux-gnu.py"
    data.write_text('build_time_vars = {"EXT_SUFFIX": ".cpython-3-aarch64-linux-gnu.so"}')
    (library / "_sysconfigdata__linux_aarch64-linux-gnu.py").symlink_to(data)
    cross = chroot.cross_environment(system, tmp_path, path)
    assert cross["CFLAGS"].startswith(f"-I{tmp_path / minor} ")
    code = "import sysconfig as s; print(s.get_config_var('EXT_SUFFIX'), s.get_platform())"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=os.environ | cross, stdout=subprocess.PIPE
    )
    assert done.stdout.split() == [b".cpython-3-aarch64-linux-gnu.so", b"linux-aarch64"]


def test_the_name_of_a_log_is_short(tmp_path):
    steps = chroot.Steps(tmp_path)
    with steps.step("python -m pytest " + "tests/unit " * 30):
        pass
    assert [len(path.name) for path in tmp_path.iterdir()] == [87]
