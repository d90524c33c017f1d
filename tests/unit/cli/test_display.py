"""The demo's output, with and without a terminal."""

import io

import pytest
from rich.console import Console

from aeron_cluster.cli.demo.display import Display, distribution_table, summary
from aeron_cluster.cli.demo.order_client import Measurement
from aeron_cluster.cli.latency import LatencyHistogram
from aeron_cluster.cli.options.durations import format_ns


@pytest.fixture
def measurement():
    made = Measurement("one at a time", 1, duration_ns=2_000_000_000)
    for duration_ns in [40_000] * 98 + [90_000, 2_500_000]:
        made.latencies.record(duration_ns)
    return made


def shown(measurement, **options):
    out = io.StringIO()
    with Display(Console(file=out, width=100, **options)) as display:
        display.write_line("begun")
        display.show([measurement])
        display.show([measurement])
        display.conclude([measurement], measurement)
    return out.getvalue()


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1.00 us"),
        (9_994, "9.99 us"),
        (9_996, "10.0 us"),
        (99_960, "100 us"),
        (31_249_000, "31.2 ms"),
        (12_000_000_000, "12.0 s"),
    ],
)
def test_durations_have_three_digits(duration_ns, text):
    assert format_ns(duration_ns) == text


def test_a_summary_is_one_line(measurement):
    assert summary(measurement) == (
        "one at a time: 50 orders/s, p50 40.2 us, p90 40.2 us, p99 90.1 us, p99.9 2.50 ms,"
        " max 2.50 ms"
    )


def test_without_a_terminal_each_update_is_a_line(measurement):
    out = shown(measurement)
    assert out.startswith("begun\n")
    assert out.count("one at a time: 50 orders/s") == 2
    assert "\x1b" not in out


def test_on_a_terminal_live_output_is_cleared_at_the_end(measurement):
    out = shown(measurement, force_terminal=True)
    assert "one at a time: 50 orders/s" not in out
    assert out.index("begun") < out.index("latency p50")
    last_update = out.rpartition("\x1b[2K")[2]  # after the last erased line
    assert last_update.count("latency p50") == 1
    assert out.count("latency p50") > 2


def test_the_distribution_has_a_bar_for_each_doubling(measurement):
    out = shown(measurement)
    rows = [line.split() for line in out.splitlines() if line.lstrip().startswith("below")]
    assert [row[1:5] for row in rows[:3]] == [
        ["65.5", "us", "98.00", "%"],
        ["131", "us", "1.00", "%"],
        ["262", "us", "0.00", "%"],
    ]
    assert rows[0][5] == "█" * 40
    assert rows[1][5] == "█"


def test_distribution_without_latencies_has_no_rows():
    assert distribution_table(LatencyHistogram()).row_count == 0
