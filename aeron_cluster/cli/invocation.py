"""The command as a user can type it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

__all__ = ["command_line"]

_NAME: Final = "aeron-cluster"


def command_line(*arguments: str) -> str:
    """Return an ``aeron-cluster`` command that runs as printed, from the current directory.

    A checkout that was built in place has no ``aeron-cluster`` on the path, or has another one;
    then the command is the interpreter with ``-m aeron_cluster.cli``.

    Parameters
    ----------
    *arguments : str
        The arguments after ``aeron-cluster``.
    """
    return shlex.join((*_program(), *arguments))


def _program() -> tuple[str, ...]:
    installed = shutil.which(_NAME)
    beside = Path(sys.executable).with_name(_NAME)
    if installed is not None and beside.exists() and Path(installed).samefile(beside):
        return (_NAME,)
    if beside.exists():
        return (_nearest(beside),)
    return (_nearest(Path(sys.executable)), "-m", "aeron_cluster.cli")


def _nearest(path: Path) -> str:
    """Return the shortest form of a path: relative if it is below the current directory."""
    try:
        return os.fspath(path.relative_to(Path.cwd()))
    except ValueError:
        return os.fspath(path)
