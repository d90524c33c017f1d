"""Compile the services of this folder against the headers that the package installs."""

import shlex
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from aeron_cluster.native import get_include

__all__ = ["FOLDER", "build_service"]

FOLDER = Path(__file__).parent
FLAGS = ("-std=c11", "-O3", "-g", "-fPIC", "-shared", "-fvisibility=hidden")
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror")


def build_service(name: str, directory: Path, flags: Sequence[str] = ()) -> Path:
    """Return the library of ``<name>.c``, compiled into a directory.

    Parameters
    ----------
    name : str
        ``echo_service`` or ``order_matching``; its factory has the same name.
    directory : Path
        The directory of the library; created if it is missing.
    flags : Sequence[str]
        Further flags of the compiler, after our own.
    """
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / f"{name}.so"
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))
    include = ["-I", get_include()]
    source = FOLDER / f"{name}.c"
    subprocess.run(
        [*compiler, *FLAGS, *WARNINGS, *include, *flags, str(source), "-o", str(library)],
        check=True,
    )
    return library
