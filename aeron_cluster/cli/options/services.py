"""Loads services by name: classes, factories and native libraries."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.errors import ConfigurationError

__all__ = [
    "current_directory_on_path",
    "load_service",
    "load_services",
    "offline_options",
    "parse_service_options",
]

_OPTION: Final = re.compile(r"(?:(\d{1,100}):)?([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)
_LIBRARIES: Final = (".so", ".dylib")

_F = TypeVar("_F", bound=Callable[..., Any])


def offline_options(function: _F) -> _F:
    """Add ``--service``, ``--service-id`` and ``--member-id`` of a service that is run offline."""
    of_service = click.option(
        "--service-id", default=0, show_default=True, help="Id of the service."
    )
    of_member = click.option("--member-id", default=0, show_default=True, help="Id of the member.")
    return click.option(
        "--service",
        required=True,
        metavar="WHAT",
        help="module:Class of a Python service, or lib.so:symbol of a native one.",
    )(of_service(of_member(function)))


def parse_service_options(given: Iterable[str], service_count: int) -> list[dict[str, str]]:
    """Return the options of each service.

    Parameters
    ----------
    given : iterable of str
        ``key=value`` for every service, or ``1:key=value`` for the one with that id.
    service_count : int

    Raises
    ------
    ConfigurationError
        An option is malformed, or for a service that does not exist.
    """
    found: list[dict[str, str]] = [{} for _ in range(service_count)]
    for text in given:
        match = _OPTION.fullmatch(text)
        if match is None:
            raise ConfigurationError("--service-option", "key=value, or 1:key=value", text)
        service_id = None if match[1] is None else int(match[1])
        if service_id is not None and service_id >= service_count:
            raise ConfigurationError(
                "--service-option", f"a service id below {service_count}", service_id, text
            )
        for each in found if service_id is None else [found[service_id]]:
            each[match[2]] = match[3]
    return found


def load_services(
    names: Iterable[str], options: Iterable[str]
) -> list[ClusteredService | NativeService]:
    """Load several services by name, with their options, as `load_service` does."""
    listed = list(names)
    by_service = parse_service_options(options, len(listed))
    return [load_service(what, own) for what, own in zip(listed, by_service, strict=True)]


def load_service(
    what: str, options: Mapping[str, str] | None = None
) -> ClusteredService | NativeService:
    """Return the service named by a text.

    Parameters
    ----------
    what : str
        ``module:Class``, ``module:factory``, ``lib.so:symbol``, or ``libkv.so`` for its symbol
        ``kv``.
    options : Mapping of str to str, optional
        Keyword arguments of the class or factory; options of a native factory.

    Raises
    ------
    ConfigurationError
        It does not name a service.
    NativeServiceError
        The library cannot be used.
    """
    place, colon, name = what.rpartition(":")
    if not colon and what.endswith(_LIBRARIES):
        place, name = what, Path(what).stem.removeprefix("lib")
    if not place or not name:
        raise ConfigurationError("--service", "module:Class or lib.so:symbol", what)
    if "/" in place or place.endswith(_LIBRARIES):
        return NativeService.load(place, name, options)
    return _python_service(place, name, what, options or {})


@contextlib.contextmanager
def current_directory_on_path() -> Iterator[None]:
    """Let modules be imported from the current directory, as ``python -m`` does."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        # An imported module may have put directories of its own before it.
        with contextlib.suppress(ValueError):
            sys.path.remove(here)


def _python_service(
    place: str, name: str, what: str, options: Mapping[str, str]
) -> ClusteredService | NativeService:
    try:
        with current_directory_on_path():
            module = importlib.import_module(place)
    except Exception as error:  # an error of the user's code, unless the module is missing
        if isinstance(error, ModuleNotFoundError) and f"{place}.".startswith(f"{error.name}."):
            expected = "a module that Python finds, or one in the current directory"
            hint = f"did you mean {place[:-3]}:{name}?" if place.endswith(".py") else ""
            raise ConfigurationError("--service", expected, place, hint) from None
        raise _rejected("a module that can be imported", error) from error
    make: Any = getattr(module, name, None)
    is_class = isinstance(make, type)
    if not (issubclass(make, ClusteredService) if is_class else inspect.isroutine(make)):
        raise ConfigurationError(
            "--service",
            "a class derived from ClusteredService, or a function that returns a service",
            what,
            _nearest(place, name, vars(module)),
        )
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        expected = f"what {name}{inspect.signature(make)} takes"
        raise ConfigurationError("--service-option", expected, dict(options), str(error)) from None
    try:
        made: Any = make(**options)
    except Exception as error:  # an error of the user's code
        raise _rejected(
            f"{'a class' if is_class else 'a function'} that makes it", error
        ) from error
    if not isinstance(made, ClusteredService | NativeService):
        raise ConfigurationError("--service", f"a service made by {what}", type(made).__name__)
    return made


def _nearest(place: str, name: str, found: Mapping[str, object]) -> str:
    classes = [
        each
        for each, value in found.items()
        if isinstance(value, type)
        and issubclass(value, ClusteredService)
        and value is not ClusteredService
    ]
    near = difflib.get_close_matches(name, classes, 1, 0.0)
    return f"did you mean {place}:{near[0]}?" if near else ""


def _rejected(expected: str, error: Exception) -> ConfigurationError:
    """Return the error of the user's code, with its location."""
    *_, last = traceback.extract_tb(error.__traceback__)
    where = f"{last.filename}:{last.lineno}"
    if isinstance(error, SyntaxError):
        where = f"{error.filename}:{error.lineno}"
    return ConfigurationError("--service", expected, f"{type(error).__name__}: {error}", where)
