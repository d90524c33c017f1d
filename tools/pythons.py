"""Build with each other CPython on this machine, and run the unit tests on the built wheel.

Usage: ``python -m tools.pythons [VERSION...] [-- PYTEST ARGUMENT...]``, such as ``3.12 3.14t``; by
default every version that wheels are built for. Each builds in a copy of the sources below
``build/pythons``, which a later run updates, with only the packages that cibuildwheel tests wheels
with. ``tools/interpreter.sh`` builds another interpreter there, from Debian's sources.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tools.requirements import requirements

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "pythons"
# Where tools/interpreter.sh installs.
BUILT = FOLDER / "interpreters"
# Files of a build in the copy, which a later build reuses.
KEPT = {"build"}


def versions(project: dict[str, Any]) -> list[str]:
    """Return the versions that wheels are built for, as ``3.12`` or ``3.14t``."""
    identifiers = project["tool"]["cibuildwheel"]["build"]
    return [f"3.{minor}" for minor in re.findall(r"\bcp3(\d+t?)-", identifiers)]


def candidates(version: str, home: Path) -> list[str]:
    """Return the possible places of an interpreter: the path, BUILT, pyenv's folder."""
    root = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    minor = version.removesuffix("t")
    found = [shutil.which(f"python{version}"), str(BUILT / version / "bin" / f"python{version}")]
    found += map(str, sorted(root.glob(f"versions/{minor}.*/bin/python{version}"), reverse=True))
    return [each for each in found if each and Path(each).exists()]


def is_version(python: str, version: str) -> bool:
    """Whether a program is that CPython version, with its headers."""
    code = (
        "import os, sys, sysconfig, venv, ensurepip\n"
        "os.stat(os.path.join(sysconfig.get_path('include'), 'Python.h'))\n"
        "t = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''\n"
        "print(sys.implementation.name, '%d.%d' % sys.version_info[:2] + t)\n"
    )
    done = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.split() == ["cpython", version]


def interpreters(
    wanted: Iterable[str],
    home: Path,
    is_fit: Callable[[str, str], bool] = is_version,
) -> dict[str, str | None]:
    """Return the interpreter of each version, None if the machine has none that can build."""
    return {
        version: next((one for one in candidates(version, home) if is_fit(one, version)), None)
        for version in wanted
    }


def copy_sources(target: Path) -> None:
    """Update a copy: the same files with the same times, so that little is rebuilt."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    target.mkdir(parents=True, exist_ok=True)
    for path in target.rglob("*"):
        name = path.relative_to(target)
        is_built = name.parts[0] in KEPT or path.suffix == ".so"
        if path.is_file() and not is_built and str(name) not in names:
            path.unlink()
    for each in names:
        (target / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / each, target / each)


def run(command: list[object], folder: Path) -> None:
    """Run a step in a copy, without the environment of this interpreter."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTEST_ADDOPTS")
    }
    subprocess.run([str(each) for each in command], check=True, cwd=folder, env=environment)


def build_and_test(version: str, interpreter: str, arguments: list[str]) -> None:
    """Build a wheel in one copy, install it, and run the unit tests on it."""
    copy, installed = FOLDER / version / "sources", FOLDER / version / "installed"
    copy_sources(copy)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    environment = FOLDER / version / ".venv"
    python = environment / "bin" / "python"
    if not python.exists():
        run([interpreter, "-m", "venv", environment], copy)
    settings = project["tool"]["cibuildwheel"]
    pip = [python, "-m", "pip", "-q", "--disable-pip-version-check"]
    # A package whose newest version has no wheel for this Python is not compiled.
    packages = [*requirements(project, []), *settings["test-requires"]]
    run([*pip, "install", "--prefer-binary", *packages], copy)
    wheels = FOLDER / version / "dist"
    shutil.rmtree(wheels, ignore_errors=True)
    run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, "."], copy)
    run([*pip, "install", "--no-deps", "--force-reinstall", *wheels.glob("*.whl")], copy)
    shutil.rmtree(installed, ignore_errors=True)
    installed.mkdir()
    for name in settings["test-sources"]:
        take = shutil.copytree if (copy / name).is_dir() else shutil.copy2
        take(copy / name, installed / name)
    command = arguments or shlex.split(settings["test-command"])[1:]
    run([python, "-m", "pytest", *command], installed)


def main() -> int:
    """Build and test with each, and name those that are missing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help="versions such as 3.12; by default all")
    given, arguments = sys.argv[1:], []
    if "--" in given:
        at = given.index("--")
        given, arguments = given[:at], given[at + 1 :]
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    wanted = parser.parse_args(given).versions or [one for one in versions(project) if one != own]
    code = 0
    for version, interpreter in interpreters(wanted, Path.home()).items():
        if interpreter is None:
            print(f"CPython {version}: not here, or without headers or venv", flush=True)
            continue
        print(f"CPython {version}: {interpreter}", flush=True)
        try:
            build_and_test(version, interpreter, arguments)
        except subprocess.CalledProcessError as error:
            print(f"CPython {version}: FAILED at {' '.join(error.cmd)}", flush=True)
            code = 1
        else:
            print(f"CPython {version}: passed", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
