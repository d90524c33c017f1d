"""``aeron-cluster new``."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Final

import click

from aeron_cluster.cli.exit_codes import fail
from aeron_cluster.errors import AeronClusterError, ConfigurationError

__all__ = ["new"]

# Each template and the path of its file; @package@ stands for the package's name.
_FILES: Final = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "__init__.py.in": "@package@/__init__.py",
    "service.py.in": "@package@/service.py",
    "client.py.in": "@package@/client.py",
    "load.py.in": "@package@/load.py",
    "test_service.py.in": "tests/test_@package@.py",
}
_TEMPLATES: Final = "aeron_cluster.cli.new"
_NO_NAME_CHARACTERS: Final = re.compile(r"\W+", re.ASCII)


@click.command()
@click.argument("name")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory of the project; by default ./NAME.",
)
def new(name: str, directory: Path | None) -> None:
    """Write a Python package with a service, a client, tests and a README.

    The service is a key-value store that applies each request once and tolerates member failures;
    its tests run it in simulated clusters with faults, and pass unchanged. Adapt it to your needs.
    NAME is the package's name, a Python identifier. Existing files are never overwritten.

    \b
    Examples:
      aeron-cluster new my_service
      cd my_service && pytest
      aeron-cluster local 3 --service my_service.service:MyService
    """  # noqa: D301 - \b is click's mark
    place = directory or Path(name)
    try:
        _check_name(name)
        _write(name, place)
    except AeronClusterError as error:
        fail(error)
    click.echo(f"{place}: a service, a client, tests and a README. Next:")
    click.echo(f"  cd {place}")
    click.echo("  pytest")
    click.echo(f"  aeron-cluster local 3 --service {name}.service:{_class_name(name)}")


def _check_name(name: str) -> None:
    """Reject a name that is not valid for a package, or that shadows another package.

    Raises
    ------
    ConfigurationError
        The name is rejected; the text suggests a valid one if possible.
    """
    if not (name.isidentifier() and name.isascii()) or keyword.iskeyword(name):
        near = _NO_NAME_CHARACTERS.sub("_", name).strip("_").lower()
        near = f"service_{near}" if near[:1].isdecimal() or keyword.iskeyword(near) else near
        hint = f"; did you mean {near}?" if near.isidentifier() else ""
        raise ConfigurationError("NAME", "a Python identifier, as in my_service", f"{name!r}{hint}")
    if name in sys.stdlib_module_names or name in ("tests", "aeron_cluster"):
        raise ConfigurationError(
            "NAME", "one that no other package has", f"{name!r}; did you mean {name}_service?"
        )


def _class_name(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) or "Service"


def _write(name: str, place: Path) -> None:
    """Write all files, or none.

    Raises
    ------
    ConfigurationError
        The place is not empty, or not writable.
    """
    try:
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise ConfigurationError(
                "--dir", "a new or empty directory", f"{place}; choose another one, or move it away"
            )
        made = next(each for each in (place, *place.parents) if each.parent.exists())
        was_there = place.exists()
    except OSError as error:
        raise ConfigurationError("--dir", "a writable directory", str(error)) from None
    values = {
        "@package@": name,
        "@Service@": _class_name(name),
        "@project@": name.strip("_").replace("_", "-") or name,
    }
    try:
        for template, target in _FILES.items():
            text = (resources.files(_TEMPLATES) / "templates" / template).read_text("utf-8")
            file = place / _filled(target, values)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled(text, values), "utf-8")
    except OSError as error:
        if not was_there:
            shutil.rmtree(made, ignore_errors=True)
        raise ConfigurationError("--dir", "a writable directory", str(error)) from None


def _filled(text: str, values: dict[str, str]) -> str:
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text
