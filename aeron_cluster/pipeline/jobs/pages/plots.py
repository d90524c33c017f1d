"""Plots as SVG inside a page: drawn twice, for wide and for narrow screens, coloured by its style.

Stands for nothing of Java's. Text in them keeps the page's size on either screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final, NamedTuple, TypeAlias

from aeron_cluster.pipeline.jobs.pages.scales import Scale

__all__ = [
    "Bar",
    "Drawing",
    "Frame",
    "Lane",
    "Line",
    "Mark",
    "bar_plot",
    "figure",
    "lane_plot",
    "line_plot",
    "steps",
]

_TICK_LENGTH: Final = 4
_CHARACTER_WIDTH: Final = 7.7  # of broad fonts, at 12 px
_LANE_HEIGHT: Final = 20
_LANE_INSET: Final = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """What there is to draw on, in pixels.

    Parameters
    ----------
    width, height : int
    left, right, top, bottom : int
        Of the margins around the plot, which hold its text.
    tick_count : int
        How many times have room below.
    """

    width: int
    height: int
    left: int = 72
    right: int = 14
    top: int = 10
    bottom: int = 26
    tick_count: int = 10

    def x(self, share: float) -> float:
        """Return where a share of the way from left to right is."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, share: float) -> float:
        """Return where a share of the way from bottom to top is."""
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)


WIDE: Final = Frame(920, 280)
NARROW: Final = Frame(358, 240, left=68, right=10, tick_count=3)

Drawing: TypeAlias = Callable[[Frame], tuple[int, Iterable[str]]]
"""Returns how high it is, and its elements."""

Scaled: TypeAlias = Callable[[Frame], Scale]
"""Returns the scale that has room on a frame."""


class Line(NamedTuple):
    """A line through points, which has a colour of the page's: ``one`` or ``two``."""

    name: str
    colour: str
    points: Sequence[tuple[float, float]]
    is_filled: bool = False


class Bar(NamedTuple):
    """A bar from the bottom up, and what is told where somebody points to it."""

    begin: float
    end: float
    height: float
    text: str


class Mark(NamedTuple):
    """A moment worth a line from top to bottom."""

    place: float
    text: str


class Lane(NamedTuple):
    """A life: a bar from its begin to its end, and in it when there was something to see."""

    name: str
    begin: float
    end: float
    busy_begin: float
    busy_end: float
    text: str


def figure(name: str, title: str, description: str, drawing: Drawing, caption: str = "") -> str:
    """Return a plot as an HTML figure.

    Parameters
    ----------
    name : str
        No other figure of the page has it.
    title, description : str
        What it shows; the description for those who do not see it.
    drawing : callable
    caption : str
        HTML below it.
    """
    pictures = []
    for kind, frame in (("wide", WIDE), ("narrow", NARROW)):
        height, elements = drawing(frame)
        label = f"{name}-{kind}"
        pictures.append(
            f'<svg class="{kind}" viewBox="0 0 {frame.width} {height}" role="img"'
            f' aria-labelledby="{label}-title {label}-text">'
            f'<title id="{label}-title">{escape(title)}</title>'
            f'<desc id="{label}-text">{escape(description)}</desc>'
            f"{''.join(elements)}</svg>"
        )
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{''.join(pictures)}{below}</figure>"


def line_plot(x: Scaled, y: Scale, lines: Sequence[Line], marks: Sequence[Mark] = ()) -> Drawing:
    """Return lines over two axes."""

    def draw(frame: Frame) -> tuple[int, Iterable[str]]:
        scale = x(frame)
        return frame.height, [
            *_axes(frame, scale, y),
            *_marks(frame, scale, marks),
            *(each for line in lines for each in _line(frame, scale, y, line)),
        ]

    return draw


def bar_plot(x: Scaled, y: Scale, bars: Sequence[Bar]) -> Drawing:
    """Return bars over two axes."""

    def draw(frame: Frame) -> tuple[int, Iterable[str]]:
        scale = x(frame)
        return frame.height, [*_axes(frame, scale, y), *_bars(frame, scale, y, bars)]

    return draw


def lane_plot(x: Scaled, lanes: Sequence[Lane], marks: Sequence[Mark] = ()) -> Drawing:
    """Return lives below each other, over one axis."""
    longest = max((len(lane.name) for lane in lanes), default=0)
    room = math.ceil(_CHARACTER_WIDTH * longest) + 2 * _TICK_LENGTH

    def draw(frame: Frame) -> tuple[int, Iterable[str]]:
        height = frame.top + frame.bottom + _LANE_HEIGHT * len(lanes)
        tall = replace(frame, height=height, left=max(frame.left, room))
        scale = x(tall)
        return height, [
            *_below(tall, scale),
            *_marks(tall, scale, marks),
            *(each for index, lane in enumerate(lanes) for each in _lane(tall, scale, index, lane)),
        ]

    return draw


def _axes(frame: Frame, x: Scale, y: Scale) -> Iterator[str]:
    left, right = frame.x(0), frame.x(1)
    for value, text in y.ticks:
        place = frame.y(y.place(value))
        yield f'<path class="grid" d="M{left:.1f} {place:.1f}H{right:.1f}"/>'
        yield (
            f'<text class="y" x="{left - 2 * _TICK_LENGTH:.1f}" y="{place:.1f}"'
            f' dy=".35em">{escape(text)}</text>'
        )
    yield from _below(frame, x)


def _below(frame: Frame, x: Scale) -> Iterator[str]:
    bottom = frame.y(0)
    yield f'<path class="axis" d="M{frame.x(0):.1f} {bottom:.1f}H{frame.x(1):.1f}"/>'
    for value, text in x.ticks:
        place = frame.x(x.place(value))
        # What is written at an end stays in the picture.
        half = _CHARACTER_WIDTH / 2 * len(text)
        written = min(max(place, half), frame.width - half)
        yield f'<path class="axis" d="M{place:.1f} {bottom:.1f}v{_TICK_LENGTH}"/>'
        yield f'<text class="x" x="{written:.1f}" y="{bottom + 18:.1f}">{escape(text)}</text>'


def _marks(frame: Frame, x: Scale, marks: Sequence[Mark]) -> Iterator[str]:
    for mark in marks:
        place = frame.x(x.place(mark.place))
        yield (
            f'<path class="mark" d="M{place:.1f} {frame.y(0):.1f}V{frame.y(1):.1f}">'
            f"<title>{escape(mark.text)}</title></path>"
        )


def _line(frame: Frame, x: Scale, y: Scale, line: Line) -> Iterator[str]:
    places = [
        f"{frame.x(x.place(one)):.1f} {frame.y(y.place(other)):.1f}" for one, other in line.points
    ]
    if not places:
        return
    path = "M" + "L".join(places)
    if line.is_filled:
        begin, end = (frame.x(x.place(each[0])) for each in (line.points[0], line.points[-1]))
        bottom = frame.y(0)
        yield (
            f'<path class="area {line.colour}" d="{path}L{end:.1f} {bottom:.1f}'
            f'L{begin:.1f} {bottom:.1f}Z"/>'
        )
    yield f'<path class="line {line.colour}" d="{path}"><title>{escape(line.name)}</title></path>'


def _bars(frame: Frame, x: Scale, y: Scale, bars: Sequence[Bar]) -> Iterator[str]:
    for bar in bars:
        begin, end = frame.x(x.place(bar.begin)), frame.x(x.place(bar.end))
        # What is there is seen, however little it is.
        height = max(frame.y(0) - frame.y(y.place(bar.height)), 1.5)
        yield (
            f'<rect class="bar one" x="{begin + 0.5:.1f}" y="{frame.y(0) - height:.1f}"'
            f' width="{max(end - begin - 1, 1):.1f}" height="{height:.1f}">'
            f"<title>{escape(bar.text)}</title></rect>"
        )


def _lane(frame: Frame, x: Scale, index: int, lane: Lane) -> Iterator[str]:
    top = frame.top + index * _LANE_HEIGHT
    yield (
        f'<text class="y" x="{frame.left - 2 * _TICK_LENGTH}" y="{top + _LANE_HEIGHT / 2:.1f}"'
        f' dy=".35em">{escape(lane.name)}</text><g><title>{escape(lane.text)}</title>'
    )
    for kind, inset, first, last in (
        ("life", _LANE_INSET, lane.begin, lane.end),
        ("busy", _LANE_INSET + 3, lane.busy_begin, lane.busy_end),
    ):
        begin, end = frame.x(x.place(first)), frame.x(x.place(last))
        yield (
            f'<rect class="{kind}" x="{begin:.1f}" y="{top + inset}" width="'
            f'{max(end - begin, 2):.1f}" height="{_LANE_HEIGHT - 2 * inset}" rx="2"/>'
        )
    yield "</g>"


def steps(points: Sequence[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Return points such that each value stays until the next one, and the last one to an end."""
    found: list[tuple[float, float]] = []
    for place, value in points:
        if found:
            found.append((place, found[-1][1]))
        found.append((place, value))
    if found:
        found.append((max(end, found[-1][0]), found[-1][1]))
    return found
