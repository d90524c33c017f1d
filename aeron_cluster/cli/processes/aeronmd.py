"""``aeronmd`` replaces Aeron's C media driver, with its arguments, environment and exit codes.

``aeron-driver/src/main/c/aeronmd.c``. ``aeron-cluster driver`` runs the same driver.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from aeron_cluster.config import (
    DRIVER_OPTIONS,
    check_property_names,
    default_aeron_dir,
    environment_name,
    parse_properties,
)
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, ConfigurationError
from aeron_cluster.memory.agents.component import started
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier
from aeron_cluster.memory.system.version import AERON_COMMIT, AERON_VERSION

__all__ = ["main"]

_SUCCESS: Final = 0
_FAILURE: Final = 1
_FILE_SCHEME: Final = "file://"


class _UsageError(Exception):
    """Invalid arguments, with the text for standard error."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a media driver until a signal or a permitted client ends it.

    Parameters
    ----------
    arguments : sequence of str, optional
        ``-Dname=value``, ``-v`` and files of properties; by default the arguments of the process.

    Returns
    -------
    int
        The exit code: 0 after a client's request to terminate, the number of the signal that ended
        it, 1 for an error, which is printed to standard error.
    """
    # Errors are in the driver's error log; standard error is only for failures of the process.
    logging.getLogger("aeron_cluster").addHandler(logging.NullHandler())
    program = sys.argv[0]
    try:
        environment = dict(os.environ)
        for text in _properties_of(sys.argv[1:] if arguments is None else arguments, program):
            _apply(text, environment)
    except _UsageError as error:
        sys.stderr.write(f"{error}\n")
        return _FAILURE
    except _VersionRequestedError:
        major, minor, patch = AERON_VERSION.split(".")
        sys.stdout.write(
            f"{program} <aeron version={AERON_VERSION} commit={AERON_COMMIT}> "
            f"major {major} minor {minor} patch {patch} git {AERON_COMMIT}\n"
        )
        return _SUCCESS
    return _run(environment)


class _VersionRequestedError(Exception):
    """``-v`` was given."""


def _properties_of(arguments: Sequence[str], program: str) -> list[dict[str, str]]:
    """Return the properties that the arguments define; later ones override earlier ones.

    As in C: first all ``-D``, then the files.
    """
    defined: list[dict[str, str]] = []
    files: list[str] = []
    left = list(arguments)
    while left:
        argument = left.pop(0)
        if argument == "--":
            files += left
            break
        if argument == "-v":
            raise _VersionRequestedError
        if argument.startswith("-D"):
            text = argument[2:] or (left.pop(0) if left else "")
            found = parse_properties(text)
            if len(found) != 1 or not ("=" in text or ":" in text) or not next(iter(found)):
                raise _UsageError(f"malformed define: {text}")
            defined.append(found)
        elif argument.startswith("-") and len(argument) > 1:
            raise _UsageError(f"Usage: {program} [-v][-Dname=value] [FILE.properties]...")
        else:
            files.append(argument)
    return defined + [_load(file) for file in files]


def _load(name: str) -> dict[str, str]:
    path = name.removeprefix(_FILE_SCHEME)
    if "://" in path:
        raise _UsageError(f"ERROR: loading properties from {name}: expected a file, found a URL")
    try:
        return parse_properties(Path(path).read_text("utf-8"))
    except OSError as error:
        number, reason = error.errno or 0, error.strerror
    except UnicodeDecodeError as error:
        number, reason = 22, f"expected UTF-8, found an {error.reason} at byte {error.start}"
    raise _UsageError(
        f"ERROR: loading properties from {name} ({number}) could not open properties file: "
        f"{path}: {reason}"
    )


def _apply(properties: dict[str, str], environment: dict[str, str]) -> None:
    """Set the variables of properties; an empty value unsets one, as in C."""
    own = {option.name: option.environment for option in DRIVER_OPTIONS}
    variables = {name: own.get(name) or environment_name(name) for name in properties}
    known = set(own.values())
    try:
        check_property_names(
            name
            for name in properties
            if name.startswith("aeron.") and variables[name] not in known
        )
    except ConfigurationError as error:
        raise _UsageError(f"ERROR: context init (22) {error}") from None
    for name, value in properties.items():
        if value:
            environment[variables[name]] = value
        else:
            environment.pop(variables[name], None)


def _run(environment: dict[str, str]) -> int:
    with ShutdownSignalBarrier() as barrier, contextlib.ExitStack() as stack:
        try:
            context = _context(environment, barrier.signal)
        except ConfigurationError as error:
            sys.stderr.write(f"ERROR: context init (22) {error}\n")
            return _FAILURE
        try:
            driver = stack.enter_context(started(MediaDriver(context)))
        except (AeronClusterError, OSError) as error:
            sys.stderr.write(f"ERROR: driver init (22) {error}\n")
            return _FAILURE
        barrier.wait()
        sys.stdout.write("Shutting down driver...\n")
        sys.stdout.flush()
        driver.close()
        if driver.failure is not None:
            sys.stderr.write(f"ERROR: driver {driver.failure}\n")
            return _FAILURE
    return _SUCCESS if barrier.received is None else int(barrier.received)


def _context(environment: dict[str, str], on_termination: Callable[[], None]) -> DriverContext:
    return DriverContext.of(
        environment=environment,
        termination_hook=on_termination,
        # A standalone driver uses the directory that clients use by default.
        aeron_dir=environment.get("AERON_DIR") or default_aeron_dir(),
    )


if __name__ == "__main__":
    sys.exit(main())
