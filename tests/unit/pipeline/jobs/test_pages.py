"""Pages of jobs: whole, alone in the world, and for everybody."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.pages.page import page, section, table
from aeron_cluster.pipeline.jobs.pages.plots import NARROW, WIDE, Line, figure, line_plot, steps
from aeron_cluster.pipeline.jobs.pages.scales import (
    bytes_text,
    count_text,
    duration_text,
    durations,
    linear,
    linear_durations,
    times,
)
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from tests.unit.pipeline.jobs.days import BusyDay

pytest.importorskip("pyarrow")

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Reads a page as a browser does, and complains where that would have to guess."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader.tags


@pytest.fixture(scope="module", params=["sessions", "latency"])
def report(request, tmp_path_factory):
    node, egress = BusyDay().put(tmp_path_factory.mktemp("busy"))
    if request.param == "sessions":
        return analyze_sessions(node).page
    return analyze_latency(node, egress=[egress]).page


def test_it_asks_nobody_for_anything(report):
    for tag, attributes in read(report):
        assert tag not in {"script", "link", "img", "iframe", "object", "image", "use", "a"}
        assert not {"src", "href", "srcset", "onload", "onclick"} & set(attributes)
    assert "url(" not in report
    assert "@import" not in report
    assert "default-src 'none'" in report


def test_names_are_given_once_and_mean_something(report):
    tags = read(report)
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in ids


def test_plots_are_told_to_those_who_do_not_see_them(report):
    plots = [each for tag, each in read(report) if tag == "svg" and "aria-hidden" not in each]
    assert len(plots) >= 6
    assert len([each for each in plots if each["class"] == "wide"]) == len(plots) / 2
    for each in plots:
        assert each["role"] == "img"
        assert len(each["aria-labelledby"].split()) == 2
    for text in re.findall(r"<svg.*?</svg>", report, re.DOTALL):
        ET.fromstring(text)


def test_everything_drawn_and_written_is_in_the_picture(report):
    drawn = re.findall(r'<svg class="(wide|narrow)" viewBox="0 0 (\d+) (\d+)".*?</svg>', report)
    assert {int(width) for _, width, _ in drawn} == {WIDE.width, NARROW.width}
    for found in re.finditer(
        r'<svg class="(?:wide|narrow)" viewBox="0 0 (\d+) (\d+)"(.*?)</svg>', report, re.DOTALL
    ):
        width, height = int(found[1]), int(found[2])
        for element in ET.fromstring(f"<svg{found[3]}</svg>").iter():
            given = element.attrib
            if element.tag == "text":
                length = 7.6 * len(element.text)
                x = float(given["x"])
                begin = x - (length if given["class"] == "y" else length / 2)
                assert begin > -1, element.text
                assert begin + length < width + 1, element.text
                assert 0 < float(given["y"]) <= height
            elif element.tag == "rect":
                assert float(given["x"]) >= 0
                assert float(given["x"]) + float(given["width"]) <= width
                assert float(given["y"]) >= 0
                assert float(given["y"]) + float(given["height"]) <= height
            elif element.tag == "path" and "L" in given["d"]:
                places = re.findall(r"(-?[\d.]+) (-?[\d.]+)", given["d"])
                assert all(0 <= float(x) <= width for x, _ in places)
                assert all(0 <= float(y) <= height for _, y in places)


def test_it_is_for_narrow_screens_and_dark_rooms(report):
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in report
    assert "prefers-color-scheme:dark" in report
    assert "max-width:700px" in report
    for tag, attributes in read(report):
        if tag == "div" and attributes.get("class") == "table":
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_the_ground(report, scheme):
    roots = re.findall(r":root\{(.*?)\}", report, re.DOTALL)
    colours = dict(re.findall(r"--(\w+):(#\w+)", roots[0 if scheme == "light" else 1]))
    for name, least in (("text", 7), ("dim", 4.5), ("one", 4.5), ("two", 4.5), ("mark", 4.5)):
        for ground in ("ground", "panel"):
            assert contrast(colours[name], colours[ground]) >= least, name


def contrast(one, other):
    """Return how WCAG tells two colours apart."""

    def light(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_what_names_say_is_text():
    rude = "<script>alert('1')</script> & \"more\""
    drawn = figure("x", rude, rude, line_plot(lambda _: times(0, 1, 3), linear(1), [
        Line(rude, "one", steps([(0, 0), (1, 1)], 1))
    ]))  # fmt: skip
    text = page(rude, "lead", [section(rude, drawn, table(rude, [rude], [[rude]]))])
    assert "<script" not in text
    read(text)


def test_scales_have_sensible_ticks():
    assert [text for _, text in linear(7).ticks] == ["0", "2", "4", "6", "8"]
    assert [text for _, text in linear(250_000).ticks] == ["0", "100k", "200k", "300k"]
    assert [text for _, text in linear_durations(45e6).ticks] == [
        "0 ms", "20 ms", "40 ms", "60 ms"
    ]  # fmt: skip
    assert [text for _, text in durations(1, 2.5e9).ticks] == [
        "1 ns",
        "100 ns",
        "10 us",
        "1 ms",
        "100 ms",
        "10 s",
    ]
    assert [text for _, text in durations(1e9, 9e12).ticks] == [
        "1 s", "10 s", "100 s", "1,000 s", "10,000 s"
    ]  # fmt: skip
    assert [text for _, text in times(0, 3600 * 5, 6).ticks] == [
        "01 Jan", "01:00", "02:00", "03:00", "04:00", "05:00"
    ]  # fmt: skip
    assert [text for _, text in linear(9, is_whole=True).ticks] == ["0", "5", "10"]
    assert [text for _, text in times(0.2, 0.9, 6).ticks] == [
        "00:00:00.200", "00:00:00.400", "00:00:00.600", "00:00:00.800"
    ]  # fmt: skip
    assert times(5, 5, 3).place(5) == 0


@pytest.mark.parametrize("count", [3, 10])
def test_times_are_as_many_as_there_is_room_for(count):
    for tenth in range(10, 20_000, 37):
        for begin in (0, 0.55, 1234.5):
            span = 1.1 ** (tenth / 100) / 1000
            if span > 1e9:
                continue
            ticks = times(begin, begin + span, count).ticks
            assert 2 <= len(ticks) <= count + 1
            # Days are told at midnight, so that what is in between may be told twice.
            assert all(one != other for (_, one), (_, other) in pairwise(ticks))
            assert all(begin - 1e-9 <= value <= begin + span + 0.001 for value, _ in ticks)


def test_numbers_are_for_people():
    assert [count_text(each) for each in (0, 999, 9999, 12_345, 3e6, 0.5)] == [
        "0", "999", "9,999", "12.3k", "3M", "0.5"
    ]  # fmt: skip
    assert [duration_text(each) for each in (0, 999, 1500, 2e6, 61e9, 7.2e12)] == [
        "0 ns", "999 ns", "1.5 us", "2 ms", "1.02 min", "2 h"
    ]  # fmt: skip
    assert [bytes_text(each) for each in (5, 2048, 3 << 20)] == ["5 B", "2 KiB", "3 MiB"]
