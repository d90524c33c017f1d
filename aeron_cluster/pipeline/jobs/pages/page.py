"""Self-contained HTML pages: for any screen, light and dark, without scripts.

No counterpart in Aeron. The layout is in ``page.html.jinja``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from aeron_cluster.pipeline.jobs.pages.texts import instant_text
from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.pages.plots import Picture

__all__ = ["Note", "Part", "Plot", "Section", "Table", "page"]


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph."""

    text: str
    is_dim: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table; it scrolls on narrow screens.

    Parameters
    ----------
    caption : str
    names : sequence of str
        The names of the columns; the first column has the names of rows.
    rows : sequence of sequence of str
    texts : collection of int
        The indexes of the columns that contain text.
    """

    caption: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot.

    Parameters
    ----------
    name : str
        An id that is unique in the page.
    title, description : str
        A caption, and a description for screen readers.
    pictures : sequence of Picture
        The plot for wide and for narrow screens.
    legend : sequence of (str, str)
        The meanings of ``one``, ``two``, ``mark``, ``life`` and ``busy``.
    caption : str
    """

    name: str
    title: str
    description: str
    pictures: Sequence[Picture]
    legend: Sequence[tuple[str, str]] = ()
    caption: str = ""


Part: TypeAlias = Note | Table | Plot


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading."""

    title: str
    parts: Sequence[Part | None]


def page(
    title: str,
    summary: Mapping[str, Any],
    tiles: Iterable[tuple[str, str]],
    sections: Iterable[Section],
    tables: Iterable[str],
) -> str:
    """Return a page about a log.

    Parameters
    ----------
    title : str
    summary : mapping of str
        The log and the selected part.
    tiles : iterable of (str, str)
        The main figures: the name and the text of each.
    sections : iterable of Section
    tables : iterable of str
        Names of the complete tables.

    Raises
    ------
    MissingPackageError
        Jinja is not installed.
    """
    jinja2 = require("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["instant"] = lambda time_us: instant_text(time_us / 1e6)
    text: str = environment.get_template("page.html.jinja").render(
        title=title, summary=summary, tiles=tiles, sections=sections, tables=tables
    )
    return text
