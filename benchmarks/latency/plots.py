"""Percentile plots: the round trip of the slowest one in ten, in a hundred, in a thousand."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from hdrh.histogram import HdrHistogram

mpl.use("Agg")  # to files, without a display

from matplotlib import pyplot as plt

STEPS_A_DECADE = 20
LABELS = {1: "0", 2: "50", 10: "90", 100: "99", 1000: "99.9", 10_000: "99.99", 100_000: "99.999"}


def draw(path: Path, title: str, sides: Mapping[str, HdrHistogram]) -> None:
    """Draw the distributions of all sides in one plot, up to the last sample of the longest."""
    count = max(each.get_total_count() for each in sides.values())
    one_in = np.logspace(0, max(np.log10(count), 1), int(STEPS_A_DECADE * np.log10(count)) + 2)
    with mpl.rc_context():
        mpl.rcdefaults()  # in place of a user's matplotlibrc
        figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
        for name, histogram in sides.items():
            shown = one_in[one_in <= histogram.get_total_count()]
            values = [histogram.get_value_at_percentile(100 * (1 - 1 / each)) for each in shown]
            axes.plot(shown, np.array(values) / 1000, label=name)
        axes.set(xscale="log", yscale="log", title=title)
        axes.set(xlabel="percentile", ylabel="round trip, us")
        axes.set_xticks(list(LABELS), list(LABELS.values()))
        axes.set_xlim(1, one_in[-1])
        axes.minorticks_off()
        axes.grid(visible=True, alpha=0.3)
        axes.legend()
        figure.savefig(path)
        plt.close(figure)
