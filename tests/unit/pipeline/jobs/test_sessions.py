"""Session statistics, compared with a plain reading of the same rows."""

import os
from collections import defaultdict
from itertools import pairwise

import pytest

from aeron_cluster.errors import ConfigurationError, SegmentError
from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.jobs.pages.plots import Canvas
from aeron_cluster.pipeline.jobs.running import passes
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from tests.unit.pipeline.jobs.days import BusyDay, service_message
from tests.unit.pipeline.logs import TIME, LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM

pytest.importorskip("pyarrow")


def messages_of(rows):
    found = defaultdict(list)
    for row in rows:
        if row["message_type"] == "SessionMessage":
            session = row["cluster_session_id"]
            # All messages of a service, which have their own ids, count for one sender.
            found[session if session > 0 else "service 1"].append(row)
    return found


def test_the_statistics_equal_a_plain_reading(tmp_path):
    node, _ = BusyDay().put(tmp_path)
    rows = read_log(node).table().to_pylist()
    result = analyze_sessions(node)
    results = {
        row["cluster_session_id"] or f"service {row['service_id']}": row
        for row in result.tables["sessions"].to_pylist()
    }
    sent = messages_of(rows)
    opened = {row["cluster_session_id"]: row for row in rows if row["session_open"]}
    closed = {row["cluster_session_id"]: row for row in rows if row["session_close"]}
    assert set(results) == set(sent) | set(opened)
    for session, row in results.items():
        mine = sent.get(session, [])
        assert row["messages"] == len(mine)
        assert row["bytes"] == sum(len(each["payload"]) for each in mine)
        assert row["kind"] == ("service" if session == "service 1" else "client")
        if mine:
            assert (row["first_message"], row["last_message"]) == (
                mine[0]["timestamp"],
                mine[-1]["timestamp"],
            )
        gaps = [
            (after["timestamp_raw"] - before["timestamp_raw"], after["position"])
            for before, after in pairwise(mine)
        ]
        longest = max((gap for gap, _ in gaps), default=None)
        assert row["longest_gap_ns"] == (None if longest is None else longest * 1_000_000)
        if longest:
            ends = [position for gap, position in gaps if gap == longest]
            assert row["longest_gap_position"] == ends[0]
        for name, events in (("open", opened), ("close", closed)):
            event = events.get(session)
            assert row[f"{name}_position"] == (event and event["position"])
        if session in closed:
            assert row["close_reason"] == closed[session]["session_close"]["close_reason"]
            lasted = closed[session]["timestamp_raw"] - opened[session]["timestamp_raw"]
            assert row["life_ns"] == lasted * 1_000_000
    assert result.summary["sessions"] == len(opened)
    assert result.summary["open_at_end"] == len(opened) - len(closed)


def test_rates_and_open_sessions_add_up(tmp_path):
    node, _ = BusyDay().put(tmp_path)
    rows = read_log(node).table().to_pylist()
    rates = analyze_sessions(node, interval_s=1).tables["rates"].to_pylist()
    open_count = 0
    for rate in rates:
        begin = rate["begin"].timestamp()
        inside = [row for row in rows if begin <= row["timestamp"].timestamp() < begin + 1]
        kinds = [row["message_type"] for row in inside]
        assert rate["interval_ns"] == 10**9
        assert rate["messages"] == kinds.count("SessionMessage")
        assert rate["opened"] == kinds.count("SessionOpenEvent")
        assert rate["closed"] == kinds.count("SessionCloseEvent")
        open_count += rate["opened"] - rate["closed"]
        assert rate["open_sessions"] == open_count
    assert sum(rate["messages"] for rate in rates) == sum(
        row["message_type"] == "SessionMessage" for row in rows
    )


def test_gaps_are_the_longest_of_all(tmp_path):
    node, _ = BusyDay().put(tmp_path)
    sent = messages_of(read_log(node).table().to_pylist())
    gaps = sorted(
        (
            (after["timestamp_raw"] - before["timestamp_raw"]) * 1_000_000
            for mine in sent.values()
            for before, after in pairwise(mine)
        ),
        reverse=True,
    )
    result = analyze_sessions(node)
    results = result.tables["gaps"].to_pylist()
    assert [row["length_ns"] for row in results] == gaps[:100]
    assert (
        max(row["length_ns"] for row in results if row["service_id"] is None)
        == (result.summary["longest_gap_ns"])
    )
    assert {(row["cluster_session_id"] is None, row["service_id"]) for row in results} == {
        (True, 1),
        (False, None),
    }


def test_services_are_not_mistaken_for_clients(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    for service in (0, 127):
        for number in range(1, 1001):
            log.emit(service_message(service, number), b"x")
    result = analyze_sessions(log.write_node(tmp_path / "node0"))
    results = [
        (row["cluster_session_id"], row["service_id"], row["kind"], row["messages"])
        for row in result.tables["sessions"].to_pylist()
    ]
    assert results == [(None, 0, "service", 1000), (None, 127, "service", 1000)]
    assert result.summary["sessions"] == 0
    # Both bars of each of the two pictures.
    assert result.page.count("<title>service ") == 2 * 2 * 2
    assert "service 127" in result.page


def test_joined_parts_of_a_log_equal_the_whole(tmp_path, monkeypatch):
    node, _ = BusyDay(seed=4).put(tmp_path)
    whole = analyze_sessions(node)
    monkeypatch.setattr(passes, "_MIN_PART_LENGTH", 1)
    observed = []
    parts = analyze_sessions(node, progress=lambda *results: observed.append(results))
    count = -(-parts.summary["to_position"] // TERM)
    assert count > 4
    assert observed == [
        (what, done, count) for what in ("the log", "its events") for done in range(count + 1)
    ]
    assert parts.summary == whole.summary
    assert set(parts.tables) == {"sessions", "rates", "gaps", "terms"}
    for name in ("sessions", "rates", "terms"):
        assert parts.tables[name].equals(whole.tables[name]), name
    assert parts.tables["gaps"]["length_ns"].equals(whole.tables["gaps"]["length_ns"])


def test_session_opened_before_is_counted(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.time += 1000
    middle = log.emit(1, b"here")
    log.open(2)
    log.close(1)
    node = log.write_node(tmp_path / "node0")
    result = analyze_sessions(node, from_position=middle, time_unit="ms")
    first = result.tables["sessions"].to_pylist()[0]
    assert (first["opened"], first["messages"], first["close_reason"]) == (None, 1, "TIMEOUT")
    assert result.tables["rates"]["open_sessions"].to_pylist() == [1]
    assert result.summary["begin_us"] == (TIME + 1000) * 1000


def test_session_that_a_slower_clock_closes_before_it_was_opened_is_counted(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.time -= 5000
    log.begin_term(1, leader=2)
    log.close(1)
    result = analyze_sessions(log.write_node(tmp_path / "node0"))
    rates = result.tables["rates"].to_pylist()
    assert sum(row["opened"] for row in rates) == sum(row["closed"] for row in rates) == 1
    assert [row["open_sessions"] for row in rates] == [0]
    assert result.tables["sessions"]["life_ns"].to_pylist() == [-5 * 10**9]
    assert '<td class="number">-5 s</td>' in result.page


def test_a_log_without_messages_is_reported(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    result = analyze_sessions(log.write_node(tmp_path / "node0"))
    assert result.summary["sessions"] == result.summary["messages"] == 0
    assert result.tables["sessions"].num_rows == result.tables["rates"].num_rows == 0
    assert "No session sent anything." in result.page


def test_the_report_is_written_completely(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = analyze_sessions(log_of_every_kind().write_node(tmp_path / "node0"))
    for _ in range(2):  # a second run replaces the existing files
        written = result.write(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        path.name for path in written
    )
    assert written[0].read_text() == result.page
    for path in written[1:]:
        assert parquet.read_table(path).equals(result.tables[path.stem])


def test_damage_is_an_error_or_left_out(tmp_path):
    log = BusyDay().log
    node = log.write_node(tmp_path / "node0")
    bad = next(each.position for each in log.frames if each.position > TERM + 1000)
    log.damage(node / "archive", bad, b"\x11\0\0\0")
    with pytest.raises(SegmentError, match="frame length 17"):
        analyze_sessions(node)
    result = analyze_sessions(node, mode="permissive")
    (left_out,) = result.tables["left_out"].to_pylist()
    assert (left_out["from_position"], left_out["to_position"]) == (bad, 2 * TERM)
    assert result.summary["left_out"] == 1
    assert "1 damaged parts are left out" in result.page


def test_directory_with_a_name_in_another_encoding_has_a_page(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / os.fsdecode(b"node\xff"))
    analyze_sessions(node).write(tmp_path / "out")
    assert r"node\udcff" in (tmp_path / "out/report.html").read_text()


@pytest.mark.parametrize("time", [TIME * 1_000_000, 2**63 - 1, -(2**62), -(2**63)])
@pytest.mark.parametrize("kind", ["open", "message", "close"])
def test_an_invalid_timestamp_is_an_error_or_left_out(tmp_path, kind, time):
    log = LogBuilder()
    log.begin_term(0)
    entries = {
        "open": lambda: log.open(1),
        "message": lambda: log.emit(1, b"x"),
        "close": lambda: log.close(1),
    }
    for each, write in entries.items():
        log.time = time if each == kind else TIME
        position = write()
        if each == kind:
            bad, after = position, log.position
    node = log.write_node(tmp_path / "node0")
    with pytest.raises(SegmentError, match=f"at {bad}: time of the entry .* 146 years") as caught:
        analyze_sessions(node)
    assert caught.value.offset == bad
    result = analyze_sessions(node, mode="permissive")
    (left_out,) = result.tables["left_out"].to_pylist()
    assert (left_out["from_position"], left_out["to_position"]) == (bad, after)
    (life,) = result.tables["sessions"].to_pylist()
    assert (life["messages"], life["life_ns"]) == (
        0 if kind == "message" else 1,
        0 if kind == "message" else None,
    )


@pytest.mark.parametrize("sends", [False, True])
def test_session_with_an_invalid_open_time_begins_at_its_first_entry(tmp_path, monkeypatch, sends):
    drawn = []
    monkeypatch.setattr(Canvas, "lanes", lambda _, lanes: drawn.extend(lanes))
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.time = TIME * 1_000_000
    bad = log.open(2)
    if sends:
        log.time = TIME + 1000
        log.emit(2, b"x")
    log.time = TIME + 2000
    log.close(2)
    node = log.write_node(tmp_path / "node0")
    result = analyze_sessions(node, mode="permissive", interval_s=1)
    life = result.tables["sessions"].to_pylist()[1]
    assert (life["opened"], life["open_position"]) == (None, bad)
    changes = [
        (row["opened"], row["closed"], row["open_sessions"])
        for row in result.tables["rates"].to_pylist()
    ]
    assert changes == ([(1, 0, 1), (1, 0, 2), (0, 1, 1)] if sends else [(1, 0, 1), (1, 1, 1)])
    assert "Lives" in result.page
    begins_s = {each.begin_s for each in drawn if each.name == "2"}
    assert begins_s == {TIME / 1000 + (1 if sends else 2)}


def test_an_invalid_value_is_rejected(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    with pytest.raises(ConfigurationError, match="selection: expected some of from_position"):
        analyze_sessions(node, sessions=[1])
    with pytest.raises(ConfigurationError, match="selection: expected a part of the log"):
        analyze_sessions(node, from_position=10**9)
    log = LogBuilder()
    log.open(1)
    bare = MemberDirectories(str(tmp_path / "bare"))
    log.put(tmp_path / "bare")
    with pytest.raises(ConfigurationError, match="give time_unit"):
        analyze_sessions(bare)


def test_session_that_sent_nothing_is_drawn(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.time += 5
    log.close(1)
    result = analyze_sessions(log.write_node(tmp_path / "node0"))
    assert result.summary["sessions"] == 1
    assert "(TIMEOUT); it sent nothing" in result.page
