"""Plots as inline SVG, for wide and narrow screens, with the page's colours.

No counterpart in Aeron. matplotlib draws them.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final, NamedTuple

from aeron_cluster.pipeline.jobs.pages.texts import count_text, power_text, time_text
from aeron_cluster.pipeline.optional_packages import require

__all__ = ["Bar", "Canvas", "Lane", "Mark", "Picture", "pictures"]

_DAY_S: Final = 86400
_PIXELS: Final = 72  # per inch, so that a point is a pixel
_SIZES: Final = {"wide": (920, 280), "narrow": (358, 240)}
_LANE_HEIGHT: Final = 20
# Placeholders for the page's colours, which differ in dark mode.
_COLOURS: Final = {
    "dim": "#000001",
    "rule": "#000002",
    "one": "#000003",
    "two": "#000004",
    "mark": "#000005",
}
_STYLE: Final = {
    "axes.axisbelow": True,
    "axes.edgecolor": _COLOURS["dim"],
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 12,
    "grid.color": _COLOURS["rule"],
    "lines.linewidth": 1.75,
    "svg.fonttype": "none",
    "timezone": "UTC",  # of ticks; not among the defaults that are restored
    "xtick.color": _COLOURS["dim"],
    "xtick.major.pad": 8,
    "xtick.major.size": 0,
    "ytick.color": _COLOURS["dim"],
    "ytick.major.size": 0,
}


class Picture(NamedTuple):
    """A plot for one kind of screen, ``wide`` or ``narrow``: the content of its SVG."""

    kind: str
    width: int
    height: int
    elements: str


class Bar(NamedTuple):
    """A vertical bar with its tooltip."""

    begin: float
    end: float
    height: float
    text: str


class Mark(NamedTuple):
    """A time, marked by a vertical line."""

    time_s: float
    text: str


class Lane(NamedTuple):
    """A horizontal bar from the start to the end of a session; it contains the active part."""

    name: str
    begin_s: float
    end_s: float
    busy_begin_s: float
    busy_end_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Canvas:
    """The canvas of a plot.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    is_wide : bool
        Whether there is room for many ticks on the x axis.
    texts : dict
        The tooltips, by the name of the element.
    """

    axes: Any
    is_wide: bool
    texts: dict[str, str] = field(default_factory=dict)

    def times(self, begin_s: float, end_s: float) -> None:
        """Add a time axis at the bottom, in seconds since 1970."""
        dates = require("matplotlib.dates", "report")
        begin, end = (each / _DAY_S for each in (begin_s, max(end_s, begin_s + 0.001)))
        # With fewer than five ticks it does not always find a step.
        locator = dates.AutoDateLocator(minticks=2, maxticks=10 if self.is_wide else 5)
        found = locator.tick_values(dates.num2date(begin), dates.num2date(end))
        ticks = [each for each in found if begin <= each <= end]
        if len(ticks) > 1:
            step_s = _DAY_S * (ticks[1] - ticks[0])
        else:  # AutoDateLocator does not report its step
            ticks, step_s = [begin, end], _DAY_S * (end - begin) / 60
        texts = [time_text(each * _DAY_S, step_s) for each in ticks]
        room = 110 if self.is_wide else 38  # in characters, including spaces between labels
        every = -(-len(ticks) * (len(texts[-1]) + 3) // room)
        self.axes.set_xticks(ticks[::every], texts[::every])
        self.axes.set_xlim(begin, end)

    def values(
        self, high: float, text: Callable[[float], str] = count_text, *, is_complete: bool = False
    ) -> None:
        """Add a value axis at the left, from 0 to at least `high`, formatted by `text`."""
        ticker = require("matplotlib.ticker", "report")
        locator = ticker.MaxNLocator(5, steps=[1, 2, 2.5, 5, 10], integer=is_complete)
        ticks = locator.tick_values(0, max(high, 1e-9))
        self.axes.set_yticks(ticks, [text(each) for each in ticks])
        self.axes.set_ylim(0, ticks[-1])

    def durations(self, low_ns: float, high_ns: float, *, is_below: bool = False) -> None:
        """Add a logarithmic axis of durations, at the left or at the bottom."""
        # Below 1 ns there are no ticks, but bars.
        first = math.floor(math.log10(max(low_ns, 1)))
        last = max(math.ceil(math.log10(max(high_ns, 1)) - 1e-9), first + 1)
        room = 6 if self.is_wide or not is_below else 3
        ticks = [10.0**power for power in range(first, last + 1, -(-(last - first) // room))]
        axes, side = self.axes, "x" if is_below else "y"
        limits = min(10.0**first, low_ns), 10.0**last
        axes.set(**{f"{side}scale": "log", f"{side}lim": limits})
        axis = axes.xaxis if is_below else axes.yaxis
        axis.set_ticks(ticks, [power_text(each) for each in ticks])
        axes.minorticks_off()

    def steps(
        self,
        name: str,
        colour: str,
        times_s: Sequence[float],
        values: Sequence[float],
        end_s: float,
        *,
        is_filled: bool = True,
    ) -> None:
        """Draw a step line; the last value extends to an end."""
        edges = [each / _DAY_S for each in (*times_s, max(end_s, times_s[-1]))]
        if is_filled:
            self.axes.stairs(values, edges, fill=True, color=_COLOURS[colour], alpha=0.16, lw=0)
        self.line(name, colour, edges, [*values, values[-1]], drawstyle="steps-post")

    def line(
        self, name: str, colour: str, x: Sequence[float], y: Sequence[float], **options: Any
    ) -> None:
        """Draw a line with a colour of the page: ``one``, or ``two``, which is dashed."""
        style = "--" if colour == "two" else "-"
        (line,) = self.axes.plot(x, y, style, color=_COLOURS[colour], **options)
        self._describe(line, name)

    def bars(self, bars: Iterable[Bar]) -> None:
        """Draw bars; small bars remain visible."""
        for bar in bars:
            found = self.axes.bar(
                bar.begin,
                bar.height,
                width=bar.end - bar.begin,
                align="edge",
                color=_COLOURS["one"],
                edgecolor=_COLOURS["one"],
            )
            self._describe(found.patches[0], bar.text)

    def marks(self, marks: Iterable[Mark]) -> None:
        """Draw vertical lines at times."""
        low, high = self.axes.get_xlim()
        for mark in marks:
            if low <= mark.time_s / _DAY_S <= high:
                line = self.axes.axvline(mark.time_s / _DAY_S, ls=":", lw=1.5, c=_COLOURS["mark"])
                self._describe(line, mark.text)

    def lanes(self, lanes: Sequence[Lane]) -> None:
        """Draw bars of sessions below each other."""
        for place, lane in enumerate(lanes):
            for begin_s, end_s, height, alpha in (
                (lane.begin_s, lane.end_s, 0.6, 0.4),
                (lane.busy_begin_s, lane.busy_end_s, 0.3, 1),
            ):
                begin, length = begin_s / _DAY_S, (end_s - begin_s) / _DAY_S
                bar = self.axes.barh(
                    place, length, height, begin, color=_COLOURS["one"], alpha=alpha, lw=2
                )
                self._describe(bar.patches[0], lane.text)
        self.axes.grid(visible=False)
        self.axes.set_yticks(range(len(lanes)), [lane.name for lane in lanes])
        self.axes.set_ylim(len(lanes) - 0.5, -0.5)

    def _describe(self, artist: Any, text: str) -> None:
        name = f"part-{len(self.texts)}"
        artist.set_gid(name)
        self.texts[name] = text


def pictures(draw: Callable[[Canvas], None], lanes: int = 0) -> list[Picture]:
    """Return the result of `draw` for each kind of screen, with a height for the lanes.

    Raises
    ------
    MissingPackageError
        matplotlib is not installed.
    """
    matplotlib = require("matplotlib", "report")
    figure = require("matplotlib.figure", "report")
    drawn = []
    for kind, (width, usual_height) in _SIZES.items():
        height = 36 + _LANE_HEIGHT * lanes if lanes else usual_height
        out = io.StringIO()
        with matplotlib.rc_context():
            matplotlib.rcdefaults()  # in place of a user's matplotlibrc
            matplotlib.rcParams.update(_STYLE)
            size = (width / _PIXELS, height / _PIXELS)
            sheet = figure.Figure(figsize=size, dpi=_PIXELS, layout="constrained")
            canvas = Canvas(sheet.add_subplot(), is_wide=kind == "wide")
            draw(canvas)
            # The ids of clip paths must be unique in the page.
            for part in sheet.findobj():
                part.set_clip_on(False)
            for part in (*canvas.axes.lines, *canvas.axes.patches):
                part.set_in_layout(False)
            sheet.savefig(out, format="svg", transparent=True)
        drawn.append(Picture(kind, width, height, _elements(out.getvalue(), canvas.texts)))
    return drawn


def _elements(svg: str, texts: dict[str, str]) -> str:
    """Return the content of an SVG, with the page's colours and fonts, and tooltips."""
    inside = svg[svg.index("<g ") : svg.rindex("</g>") + len("</g>")]
    for name, text in texts.items():
        inside = inside.replace(f'<g id="{name}">', f"<g><title>{escape(text)}</title>")
    for name, colour in _COLOURS.items():
        inside = inside.replace(colour, f"var(--{name})")
    return re.sub(r"\n| id=\"[^\"]*\"|<!--.*?-->|font-family:[^;\"]*;? ?", " ", inside)
