"""Aeron's properties on a command line: ``-o NAME=VALUE`` and ``--properties FILE``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from aeron_cluster.config import (
    ALL_OPTIONS,
    check_property_names,
    parse_digits,
    parse_properties,
)
from aeron_cluster.errors import ConfigurationError, CorruptError
from aeron_cluster.memory.system.seams import GroupFiles, Seams, SystemFiles

__all__ = ["property_options", "read_properties", "seams_of"]

# Java's properties have times without a unit; typed by a person, they are probably mistakes.
_DURATIONS: Final = {
    each.name: each.plain_unit for each in ALL_OPTIONS if each.kind == "duration_ns"
}
_F = TypeVar("_F", bound=Callable[..., Any])


def property_options(example: str) -> Callable[[_F], _F]:
    """Add both options to a command, as ``options`` and ``property_files``.

    Parameters
    ----------
    example : str
        An example of a property for the command.
    """

    def add(command: _F) -> _F:
        files = click.option(
            "--properties",
            "property_files",
            multiple=True,
            type=click.Path(path_type=Path),
            help="A file of Aeron properties. May be repeated; later ones override earlier ones.",
        )
        singly = click.option(
            "-o",
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help=f"An Aeron property, such as {example}. May be repeated.",
        )
        return singly(files(command))

    return add


def read_properties(files: Iterable[Path], options: Iterable[str]) -> dict[str, str]:
    """Return the properties in files and in options; the latter override.

    Raises
    ------
    PlatformError
        A file is missing, or not readable.
    CorruptError
        A file is not text.
    click.BadParameter
        An option is not of the form NAME=VALUE, its name is not a property of Aeron, or a time has
        no unit. Unknown names in files are ignored: they may belong to another program; times
        without a unit in files are read as Java reads them.
    """
    properties: dict[str, str] = {}
    for path in files:
        try:
            properties |= parse_properties(SystemFiles().read(path).decode("utf-8"))
        except UnicodeDecodeError as error:
            raise CorruptError(
                str(path), error.start, "text", "UTF-8", f"with an {error.reason}"
            ) from None
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.BadParameter(f"expected NAME=VALUE, found {option!r}", param_hint="-o")
        try:
            check_property_names([name])
        except ConfigurationError as error:
            raise click.BadParameter(str(error), param_hint="-o") from None
        if name in _DURATIONS and parse_digits(value.strip()):
            raise click.BadParameter(
                f"{name}: expected a time with its unit, such as 10s or 500ms, found {value!r}"
                f" (in a file of properties that is a number of {_DURATIONS[name]})",
                param_hint="-o",
            )
        properties[name] = value
    return properties


def seams_of(group: str | None) -> Seams:
    """Return the seams of the real system; files are created for a group if one is given.

    Raises
    ------
    ConfigurationError
        The group does not exist.
    """
    return Seams() if group is None else Seams(files=GroupFiles(group))
