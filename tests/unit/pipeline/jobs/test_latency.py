"""Wait times of a log and of clients, compared with a plain reading of the same rows."""

from collections import defaultdict
from itertools import pairwise

import pytest

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline import read_log
from aeron_cluster.pipeline.jobs.figures.egress import EgressRecording
from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.running import passes
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from tests.unit.pipeline.jobs.days import BusyDay
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyarrow")

MS = 1_000_000


def waits_of(rows):
    return [
        (after["timestamp_raw"] - before["timestamp_raw"], after)
        for before, after in pairwise(rows)
        if before["leadership_term_id"] == after["leadership_term_id"]
    ]


def counted(table, name):
    """Return the durations of a distribution with buckets of one unit, in ms."""
    rows = [row for row in table.to_pylist() if row["of"] == name]
    return sorted(row["from_ns"] // MS for row in rows for _ in range(row["count"]))


@pytest.fixture
def busy(tmp_path):
    made = BusyDay()
    node, egress = made.put(tmp_path)
    rows = [row for row in read_log(node).table().to_pylist() if row["timestamp"]]
    return made, node, egress, rows


def test_waits_are_those_of_a_plain_reading(busy):
    _, node, _, rows = busy
    result = analyze_latency(node)
    waits = waits_of(rows)
    table = result.tables["distributions"]
    assert counted(table, "entries") == sorted(wait for wait, _ in waits)
    messages = [row for row in rows if row["message_type"] == "SessionMessage"]
    assert counted(table, "messages") == sorted(wait for wait, _ in waits_of(messages))
    longest = sorted((wait for wait, _ in waits), reverse=True)
    results = result.tables["longest"].to_pylist()
    assert [row["wait_ns"] for row in results] == [wait * MS for wait in longest[:100]]
    by_position = {row["position"]: (wait, row) for wait, row in waits}
    for row in results:
        wait, entry = by_position[row["position"]]
        assert row["wait_ns"] == wait * MS
        assert row["leadership_term_id"] == entry["leadership_term_id"]
        session = entry["cluster_session_id"]
        is_of_service = session is not None and session < 0
        assert row["cluster_session_id"] == (None if is_of_service else session)
        assert row["service_id"] == (1 if is_of_service else None)
    assert result.summary["entries_max_ns"] == longest[0] * MS
    assert "egress" not in result.tables


def test_terms_table_has_the_terms_and_the_handovers(busy):
    _, node, _, rows = busy
    results = analyze_latency(node).tables["terms"].to_pylist()
    by_term = defaultdict(list)
    for row in rows:
        by_term[row["leadership_term_id"]].append(row)
    assert [row["leadership_term_id"] for row in results] == list(by_term)
    before = None
    for row, (_, entries) in zip(results, by_term.items(), strict=True):
        event = entries[0]["new_leadership_term"]
        assert row["leader_member_id"] == event["leader_member_id"]
        assert row["entries"] == len(entries)
        assert (row["first_position"], row["last_position"]) == (
            entries[0]["position"],
            entries[-1]["position"],
        )
        assert row["longest_wait_ns"] == max(wait for wait, _ in waits_of(entries)) * MS
        handover = before and entries[0]["timestamp_raw"] - before["timestamp_raw"]
        assert row["handover_ns"] == (handover and handover * MS)
        before = entries[-1]


def test_the_timeline_has_the_longest_wait_of_each_interval(busy):
    _, node, _, rows = busy
    results = analyze_latency(node, interval_s=1).tables["timeline"].to_pylist()
    longest = defaultdict(int)
    for wait, row in waits_of(rows):
        second = row["timestamp_raw"] // 1000
        longest[second] = max(longest[second], wait * MS)
    assert sum(row["entries"] for row in results) == len(rows)
    for row in results:
        assert row["longest_wait_ns"] == longest[int(row["begin"].timestamp())]


def test_joined_parts_of_a_log_equal_the_whole(busy, monkeypatch):
    _, node, egress, _ = busy
    whole = analyze_latency(node, egress=[egress])
    monkeypatch.setattr(passes, "_MIN_PART_LENGTH", 1)
    parts = analyze_latency(node, egress=[egress])
    assert parts.summary == whole.summary
    for name in set(whole.tables) - {"longest"}:
        assert parts.tables[name].equals(whole.tables[name]), name
    assert parts.tables["longest"]["wait_ns"].equals(whole.tables["longest"]["wait_ns"])


def test_answers_are_compared_with_the_requests(busy):
    made, node, egress, rows = busy
    result = analyze_latency(node, egress=[egress])
    requested = defaultdict(list)
    for row in rows:
        if row["message_type"] == "SessionMessage" and row["cluster_session_id"] > 0:
            requested[row["cluster_session_id"]].append(row["timestamp_raw"])
    delays = defaultdict(list)
    for session, time in made.answers:
        delays[session].append(time - max(each for each in requested[session] if each <= time))
    results = {row["cluster_session_id"]: row for row in result.tables["egress"].to_pylist()}
    assert set(results) == set(requested)
    for session, row in results.items():
        mine = delays[session]
        assert (row["requested"], row["answered"], row["unrequested"]) == (
            len(requested[session]),
            len(mine),
            0,
        )
        assert row["longest_delay_ns"] == (max(mine) * MS if mine else None)
        assert row["mean_delay_ns"] == (sum(mine) * MS // len(mine) if mine else None)
    every = sorted(delay for mine in delays.values() for delay in mine)
    assert counted(result.tables["distributions"], "egress") == every
    assert result.summary["answered"] == len(made.answers)
    assert "Egress against ingress" in result.page


def test_messages_sent_before_any_request_are_distinguished(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.time += 10
    log.emit(1, b"ask")
    node = log.write_node(tmp_path / "node0")
    egress = RecordingBuilder(stream_id=102)
    for session, after in ((1, -5), (2, 0), (1, 7)):
        egress.message(
            SessionMessageHeader.encode(
                leadership_term_id=0, cluster_session_id=session, timestamp=log.time + after
            )
        )
    recording_id = egress.put(tmp_path / "clients")
    result = analyze_latency(node, egress=[EgressRecording(tmp_path / "clients", recording_id)])
    results = {row["cluster_session_id"]: row for row in result.tables["egress"].to_pylist()}
    assert (results[1]["answered"], results[1]["unrequested"], results[1]["longest_delay_ns"]) == (
        2,
        1,
        7 * MS,
    )
    assert (results[2]["requested"], results[2]["unrequested"], results[2]["longest_delay_ns"]) == (
        0,
        1,
        None,
    )


def of_part(rows, selection):
    """Return the rows of a selection by a plain reading."""
    found = rows
    if "from_position" in selection:
        found = [row for row in found if row["position"] >= selection["from_position"]]
    if "to_position" in selection:
        found = [row for row in found if row["position"] < selection["to_position"]]
    if "from_term" in selection:
        found = [row for row in found if row["leadership_term_id"] >= selection["from_term"]]
    if "to_term" in selection:
        found = [row for row in found if row["leadership_term_id"] < selection["to_term"]]
    if "from_time" in selection:
        found = [row for row in found if row["timestamp_raw"] >= selection["from_time"]]
    if "to_time" in selection:
        found = [row for row in found if row["timestamp_raw"] < selection["to_time"]]
    return found


@pytest.mark.parametrize("kind", ["position", "term", "time"])
@pytest.mark.parametrize("sides", [("from",), ("to",), ("from", "to")], ids="-".join)
def test_answers_during_a_part_of_the_log_are_counted(busy, kind, sides):
    made, node, egress, rows = busy
    places = {
        "position": (rows[500]["position"], rows[1100]["position"]),
        "term": (1, 2),
        "time": (rows[500]["timestamp_raw"], rows[1100]["timestamp_raw"]),
    }[kind]
    selection = {f"{side}_{kind}": places[side == "to"] for side in sides}
    part = of_part(rows, selection)
    begin, end = part[0]["timestamp_raw"], part[-1]["timestamp_raw"]
    expected = [
        time
        for _, time in made.answers
        if ("from" not in sides or begin <= time) and ("to" not in sides or time <= end)
    ]
    assert 0 < len(expected) < len(made.answers)
    result = analyze_latency(node, egress=[egress], **selection)
    assert result.summary["answered"] == len(expected)
    results = result.tables["egress"].to_pylist()
    assert sum(row["answered"] for row in results) == len(expected)
    requested = [row for row in part if row["message_type"] == "SessionMessage"]
    assert result.summary["requested"] == sum(row["cluster_session_id"] > 0 for row in requested)
    assert result.summary["unrequested"] <= result.summary["answered"]


def test_a_leader_with_an_earlier_clock_answers_in_its_term(tmp_path):
    log, egress = LogBuilder(), RecordingBuilder(stream_id=102)
    for term in range(2):
        log.begin_term(term)
        for _ in range(3):
            log.time += 10
            log.emit(1, b"ask")
            egress.message(
                SessionMessageHeader.encode(
                    leadership_term_id=term, cluster_session_id=1, timestamp=log.time
                )
            )
        log.time -= 25
    node = log.write_node(tmp_path / "node0")
    recording = EgressRecording(tmp_path / "clients", egress.put(tmp_path / "clients"))
    for selection in ({"from_term": 1}, {"to_term": 1}):
        results = analyze_latency(node, egress=[recording], **selection).summary
        assert (results["requested"], results["answered"], results["unrequested"]) == (3, 3, 0)
    results = analyze_latency(node, egress=[recording], from_time=log.time + 10**6).summary
    assert (results["requested"], results["answered"]) == (0, 0)


def test_a_clock_step_backwards_is_reported_and_not_measured(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    for step in (5, -3, 4):
        log.time += step
        log.emit(1, b"")
    result = analyze_latency(log.write_node(tmp_path / "node0"))
    assert result.summary["steps_back"] == 1
    assert result.summary["largest_step_back_ns"] == 3 * MS
    assert counted(result.tables["distributions"], "entries") == [0, 4, 5]
    assert "clocks went back 1 times" in result.page


def test_leader_with_a_lagging_clock_has_no_handover(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.time -= 50
    log.begin_term(1)
    rows = analyze_latency(log.write_node(tmp_path / "node0")).tables["terms"].to_pylist()
    assert [row["handover_ns"] for row in rows] == [None, None]


def test_an_invalid_timestamp_is_an_error_or_left_out(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.emit(1, b"x")
    right, log.time = log.time, 10**18
    bad = log.emit(1, b"y")
    log.timer(5)
    log.time = right + 5
    log.emit(1, b"z")
    node = log.write_node(tmp_path / "node0")
    with pytest.raises(SegmentError, match=f"at {bad}: time of the entry"):
        analyze_latency(node)
    result = analyze_latency(node, mode="permissive")
    assert (result.summary["entries"], result.summary["left_out"]) == (4, 1)
    assert result.summary["entries_max_ns"] == 5_000_000


def test_a_small_log_has_a_page(tmp_path):
    result = analyze_latency(log_of_every_kind().write_node(tmp_path / "node0"))
    assert result.summary["entries"] == 12  # one row is not a log entry
    assert result.summary["leadership_terms"] == 2
    assert result.page.startswith("<!DOCTYPE html>")


def test_log_without_a_second_entry_has_nothing_to_measure(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    result = analyze_latency(log.write_node(tmp_path / "node0"))
    assert result.summary["entries"] == 1
    assert "There is nothing to measure." in result.page
    assert "All waits are below the resolution" in result.page


def test_log_without_entries_has_a_page(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.emit(1, b"x")
    node = log.write_node(tmp_path / "node0")
    clients = RecordingBuilder(stream_id=102)
    clients.message(b"no answer")
    recording = EgressRecording(tmp_path / "clients", clients.put(tmp_path / "clients"))
    result = analyze_latency(node, egress=[recording], from_time=log.time + 10**6)
    assert (result.summary["entries"], result.summary["answered"]) == (0, 0)
    assert result.page.count("There is nothing to measure.") >= 2
    assert "There are no requests and no answers." in result.page


def test_entries_of_one_time_are_below_the_resolution(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    for _ in range(5):
        log.emit(1, b"x")
    result = analyze_latency(log.write_node(tmp_path / "node0"))
    assert counted(result.tables["distributions"], "entries") == [0] * 5
    assert "All waits are below the resolution" in result.page
    assert "The first bar counts times below 1 ms." in result.page


def test_no_bar_is_below_the_resolution_if_each_wait_is_above(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    for _ in range(5):
        log.time += 3
        log.emit(1, b"x")
    result = analyze_latency(log.write_node(tmp_path / "node0"))
    assert counted(result.tables["distributions"], "entries") == [3] * 5
    assert "The first bar counts" not in result.page


def test_answers_to_batches_without_requests_are_counted_later(tmp_path):
    """A part of the log may have timers only."""
    log, egress = LogBuilder(), RecordingBuilder(stream_id=102)
    log.begin_term(0)
    log.emit(1, b"ask")
    for each in range(2 * 16384):
        log.timer(each)
    log.time += 7
    log.emit(1, b"ask")
    egress.message(b"short")
    for _ in range(2):
        egress.message(
            SessionMessageHeader.encode(
                leadership_term_id=0, cluster_session_id=1, timestamp=log.time
            )
        )
    node = log.write_node(tmp_path / "node0")
    recording = EgressRecording(tmp_path / "clients", egress.put(tmp_path / "clients"))
    summary = analyze_latency(node, egress=[recording]).summary
    assert (summary["requested"], summary["answered"], summary["unrequested"]) == (2, 2, 0)


def test_outdated_tables_of_an_earlier_run_are_removed(tmp_path):
    """Otherwise a report would be next to replies and damage of another run."""
    made = BusyDay(count=300)
    node, egress = made.put(tmp_path)
    made.log.damage(node / "archive", TERM, b"\x11\0\0\0")
    out = tmp_path / "out"
    analyze_latency(node, egress=[egress], mode="permissive").write(out)
    analyze_sessions(node, mode="permissive").write(out)
    (out / "mine.parquet").write_bytes(b"somebody's")
    assert {"egress.parquet", "left_out.parquet"} <= {each.name for each in out.iterdir()}
    frame = next(each for each in made.log.frames if each.position == TERM)
    made.log.damage(node / "archive", TERM, made.log.header(frame))
    written = analyze_latency(node).write(out)
    found = {each.name for each in out.iterdir()}
    assert not {"egress.parquet", "left_out.parquet"} & found
    assert "mine.parquet" in found
    assert {each.name for each in written} <= found
    analyze_latency(node).write(out / "sessions")
    (out / "sessions/left_out.parquet").write_bytes(b"")
    analyze_sessions(node).write(out / "sessions")
    assert not (out / "sessions/left_out.parquet").exists()
