"""Runs Porcupine, an existing checker of linearizability, over the clients' histories.

The program is in ``linearizability/``; Go is necessary to compile it, and the module proxy or
Go's cache of modules the first time.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import ROOT

SOURCES = Path(__file__).parent / "linearizability"
_BUILD_S = 300
_CHECK_S = 1800
_VIOLATED = 1


class NoCheckerError(Exception):
    """The checker cannot be compiled here, and why."""


def program(folder=ROOT / "build" / "linearizability"):
    """Return the path of the checker, compiled if necessary.

    Raises
    ------
    NoCheckerError
        Go is missing, or the module and no proxy has it.
    RuntimeError
        The sources do not compile.
    """
    go = shutil.which("go")
    if go is None:
        raise NoCheckerError("no go on the path")
    sources = sorted(each for each in SOURCES.iterdir() if each.is_file())
    content = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()
    path = folder / f"linearizability-{content[:16]}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"made-{os.getpid()}"
    fetched = _run_go(go, "mod", "download")
    if fetched.returncode != 0:
        raise NoCheckerError(f"go mod download: {fetched.stderr.strip()[-500:]}")
    built = _run_go(go, "build", "-buildvcs=false", "-mod=readonly", "-o", str(made), ".")
    if built.returncode != 0:
        raise RuntimeError(f"the checker does not compile: {built.stderr.strip()[:500]}")
    made.replace(path)  # atomically: another run may look for it at the same time
    return path


def _run_go(*command):
    try:
        return subprocess.run(
            command,
            check=False,
            cwd=SOURCES,
            env=os.environ | {"GOTOOLCHAIN": "local"},
            capture_output=True,
            text=True,
            timeout=_BUILD_S,
        )
    except subprocess.TimeoutExpired:
        raise NoCheckerError(f"go {command[1]}: no end in {_BUILD_S} s") from None


def check(histories, picture=None):
    """Check the histories of all clients of one run; return what was checked, in a line.

    Parameters
    ----------
    histories
        The files of the clients.
    picture
        The file of a page with a part that is wrong.

    Raises
    ------
    InvariantError
        They are not linearizable, or that could not be decided.
    NoCheckerError
        The checker cannot be compiled here.
    """
    options = [] if picture is None else ["-picture", str(picture)]
    done = subprocess.run(
        [program(), *options, *map(str, histories)],
        check=False,
        capture_output=True,
        text=True,
        timeout=_CHECK_S,
    )
    if done.returncode == 0:
        return done.stdout.strip()
    name = "the history is linearizable"
    if done.returncode != _VIOLATED:
        name += ", and that can be decided"
    raise InvariantError(name, done.stdout + done.stderr)
