"""Finds a Java installation for Spark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aeron_cluster.errors import MissingJavaError

__all__ = ["MIN_VERSION", "require_java"]

MIN_VERSION: Final = 17


def require_java(environment: Mapping[str, str] | None = None) -> str:
    """Return the path of a Java that Spark can use.

    Parameters
    ----------
    environment : mapping of str, optional
        The environment, for ``JAVA_HOME`` and ``PATH``.

    Raises
    ------
    MissingJavaError
        Java is missing or too old.
    """
    given = os.environ if environment is None else environment
    home = given.get("JAVA_HOME")
    # Spark prefers JAVA_HOME to the path.
    path = str(Path(home, "bin/java")) if home else shutil.which("java", path=given.get("PATH", ""))
    if path is None:
        raise MissingJavaError(MIN_VERSION, "none")
    try:
        done = subprocess.run(  # noqa: S603 - the Java that Spark runs, too
            [path, "-version"], check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        raise MissingJavaError(MIN_VERSION, f"{path}, which does not run") from None
    version = _major(done.stderr + done.stdout)
    if version is None or version < MIN_VERSION:
        found = "one without a version" if version is None else str(version)
        raise MissingJavaError(MIN_VERSION, f"{found} ({path})")
    return path


def _major(text: str) -> int | None:
    """Return the major version of a Java; before 9 versions have the form 1.8."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None
