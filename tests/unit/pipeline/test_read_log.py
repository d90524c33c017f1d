"""The log of a cluster as Arrow: its entries, their times, and the commit position."""

import struct
from datetime import UTC, datetime, timedelta

import pytest

from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.errors import ConfigurationError, MissingFileError, SegmentError
from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS
from tests.unit.pipeline.jobs.clusters import put_snapshot
from tests.unit.pipeline.logs import CHANNEL, TIME, LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pa = pytest.importorskip("pyarrow")

AT = datetime.fromtimestamp(TIME // 1000, UTC) + timedelta(milliseconds=TIME % 1000)


def test_every_entry_is_a_row_with_its_fields(tmp_path):
    table = read_log(log_of_every_kind().write_node(tmp_path)).table()
    assert table.schema.names == [column.name for column in LOG_COLUMNS]
    rows = table.to_pylist()
    assert [row["message_type"] for row in rows] == [
        "NewLeadershipTermEvent",
        "SessionOpenEvent",
        "SessionMessage",
        "SessionMessage",
        "TimerEvent",
        "SessionMessage",
        "ClusterActionRequest",
        "NewLeadershipTermEvent",
        "SessionOpenEvent",
        "SessionMessage",
        "SessionCloseEvent",
        "Unknown",
        "SessionMessage",
    ]
    assert [row["template_id"] for row in rows if row["message_type"] != "Unknown"] == [
        24, 21, 1, 1, 20, 1, 23, 24, 21, 1, 22, 1
    ]  # fmt: skip
    assert [row["payload"] for row in rows] == [
        None, None, b"buy", bytes(range(250)) * 20, None, b"from a service", None, None, None, b"",
        None, b"not an SBE message", b"sell",
    ]  # fmt: skip
    assert [row["cluster_session_id"] for row in rows] == [
        None, 1, 1, 1, None, -5, None, None, 2, 2, 1, None, 2
    ]  # fmt: skip
    assert [row["leadership_term_id"] for row in rows] == [0] * 7 + [1] * 4 + [None, 1]
    assert [row["correlation_id"] for row in rows] == [
        None, 1001, None, None, -77, None, None, None, 1002, None, None, None, None
    ]  # fmt: skip
    times = [TIME] * 3 + [TIME + 1000] * 8 + [None, TIME + 2000]
    assert [row["timestamp_raw"] for row in rows] == times
    assert [row["timestamp"] for row in rows] == [
        None if time is None else AT + timedelta(milliseconds=time - TIME) for time in times
    ]
    assert [row["timestamp_unit"] for row in rows] == [time and "ms" for time in times]
    assert {row["member"] for row in rows} == {0}


def test_the_fields_of_each_kind_are_a_struct(tmp_path):
    log = log_of_every_kind()
    rows = read_log(log.write_node(tmp_path)).table().to_pylist()
    assert [row["session_open"] for row in rows if row["session_open"]] == [
        {
            "correlation_id": 1001,
            "response_stream_id": 102,
            "response_channel": CHANNEL,
            "encoded_principal": b"trader",
        },
        {
            "correlation_id": 1002,
            "response_stream_id": 102,
            "response_channel": CHANNEL + "|alias=" + "x" * 300,
            "encoded_principal": b"p" * 4000,
        },
    ]
    assert [row["session_close"] for row in rows if row["session_close"]] == [
        {"close_reason": "TIMEOUT"}
    ]
    assert [row["timer"] for row in rows if row["timer"]] == [{"correlation_id": -77}]
    (action,) = [row for row in rows if row["cluster_action"]]
    assert action["cluster_action"] == {
        "log_position": action["end_position"],
        "action": "SNAPSHOT",
        "flags": 0,
    }
    terms = [row for row in rows if row["new_leadership_term"]]
    for index, row in enumerate(terms):
        assert row["new_leadership_term"] == {
            "log_position": row["end_position"],
            "term_base_log_position": row["position"],
            "leader_member_id": 1 + index,
            "log_session_id": log.session_id,
            "time_unit": "ms",
            "app_version": 3,
        }
    for name in ("session_open", "session_close", "timer", "cluster_action"):
        by_itself = read_log(tmp_path, columns=[name]).table()
        assert by_itself[name].to_pylist() == [row[name] for row in rows]


SHORT_ENTRIES = {
    "SessionMessage": (SessionMessageHeader, None),
    "SessionOpenEvent": (SessionOpenEvent, "session_open"),
    "SessionCloseEvent": (SessionCloseEvent, "session_close"),
    "TimerEvent": (TimerEvent, "timer"),
    "ClusterActionRequest": (ClusterActionRequest, "cluster_action"),
    "NewLeadershipTermEvent": (NewLeadershipTermEvent, "new_leadership_term"),
}


@pytest.mark.parametrize("version", [0, 16])
@pytest.mark.parametrize("name", SHORT_ENTRIES)
def test_fields_beyond_an_entrys_block_are_missing(tmp_path, name, version):
    kind, column = SHORT_ENTRIES[name]
    log = LogBuilder()
    log.begin_term(0)
    log.entry(struct.pack("<HHHH", 0, kind.template_id, 111, version))
    row = read_log(log.write_node(tmp_path)).table().to_pylist()[1]
    assert row["message_type"] == name
    common = ("leadership_term_id", "cluster_session_id", "timestamp_raw", "correlation_id")
    assert [row[each] for each in common] == [None] * 4
    if column:
        # Two fields of a leadership term are later additions; a log without them has these values.
        later = {"time_unit": "ms", "app_version": 0}
        assert row[column] == {field: later.get(field) for field in row[column]}


@pytest.mark.parametrize(
    ("version", "flags", "unit", "app_version"), [(3, None, "ms", 0), (16, 0, "us", 3)]
)
def test_fields_of_a_later_schema_version_are_missing_before_it(
    tmp_path, version, flags, unit, app_version
):
    log = LogBuilder(unit=ClusterTimeUnit.MICROS)
    entry = log.entry
    log.entry = lambda data: entry(data[:6] + struct.pack("<H", version) + data[8:])
    log.begin_term(0)
    log.act()
    term, action = read_log(log.write_node(tmp_path)).table().to_pylist()
    assert action["cluster_action"]["flags"] == flags
    assert action["cluster_action"]["action"] == "SNAPSHOT"
    assert term["new_leadership_term"]["leader_member_id"] == 1
    assert term["new_leadership_term"]["time_unit"] == unit
    assert term["new_leadership_term"]["app_version"] == app_version


def test_other_libraries_accept_times_and_structs(tmp_path):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    rows = read_log(log_of_every_kind().write_node(tmp_path))
    expected = rows.table().to_pylist()
    assert polars.DataFrame(rows).to_dicts() == expected
    opened = rows.pandas()["session_open"].tolist()
    assert opened == [row["session_open"] or pandas.NA for row in expected]
    query = "select count(session_close.close_reason), max(timestamp_raw) from log"
    connection = duckdb.connect()
    rows.duckdb(connection).create_view("log")
    assert connection.execute(query).fetchall() == [(1, TIME + 2000)]


def test_integers_stay_exact_where_some_are_missing(tmp_path):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    log = LogBuilder()
    log.begin_term(0)  # it has no session
    ids = [2**62 + each for each in range(200)]
    for session_id in ids:
        log.emit(session_id, b"x")
    rows = read_log(log.write_node(tmp_path))
    assert rows.table()["cluster_session_id"].to_pylist() == [None, *ids]
    frame = rows.pandas()
    assert frame["cluster_session_id"].nunique() == 200
    assert frame["cluster_session_id"].tolist() == [pandas.NA, *ids]
    assert pa.Table.from_pandas(frame).to_pylist() == rows.table().to_pylist()
    assert rows.polars()["cluster_session_id"].to_list() == [None, *ids]
    assert polars.DataFrame(rows)["cluster_session_id"].to_list() == [None, *ids]
    relation = rows.duckdb(duckdb.connect()).project("cluster_session_id")
    assert relation.fetchall() == [(each,) for each in [None, *ids]]


@pytest.mark.parametrize(
    ("unit", "name", "factor"),
    [
        (ClusterTimeUnit.MILLIS, "ms", 1),
        (ClusterTimeUnit.MICROS, "us", 1_000),
        (ClusterTimeUnit.NANOS, "ns", 1_000_000),
        (ClusterTimeUnit.NULL_VALUE, "ms", 1),
    ],
)
def test_times_are_written_twice_in_the_logs_unit(tmp_path, unit, name, factor):
    log = LogBuilder(unit=unit)
    log.time = TIME * factor
    log.begin_term(0)
    log.time += 999 if factor > 1000 else 0
    log.emit(1, b"x")
    log.time = -1
    log.emit(1, b"before 1970")
    table = read_log(
        log.write_node(tmp_path), columns=["timestamp", "timestamp_raw", "timestamp_unit"]
    )
    rows = table.table().to_pylist()
    assert [row["timestamp_unit"] for row in rows] == [name] * 3
    assert rows[1]["timestamp"] == AT
    assert rows[1]["timestamp_raw"] == TIME * factor + (999 if factor > 1000 else 0)
    below = timedelta(milliseconds=-1) if factor == 1 else timedelta(microseconds=-1)
    assert rows[2]["timestamp"] == datetime(1970, 1, 1, tzinfo=UTC) + below


def test_time_too_far_for_microseconds_is_kept_raw(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.time = 2**62
    log.emit(1, b"")
    rows = read_log(log.write_node(tmp_path), columns=["timestamp", "timestamp_raw"]).table()
    assert rows.to_pylist()[1] == {"timestamp": None, "timestamp_raw": 2**62}


def test_archive_alone_shows_its_only_log(tmp_path):
    node = log_of_every_kind().write_node(tmp_path)
    assert read_log(node / "archive").table().num_rows == 13
    assert read_log(node / "cluster").table().num_rows == 13
    apart = MemberDirectories(str(node / "archive"), None)
    assert read_log(apart).table()["timestamp_unit"].to_pylist()[0] == "ms"
    log_of_every_kind().put(node / "archive")
    with pytest.raises(ConfigurationError, match=r"recording_id: .* found '0, 1'"):
        read_log(apart)
    assert read_log(apart, recording_id=1).table()["recording_id"].to_pylist() == [1] * 13
    with pytest.raises(MissingFileError, match="catalog of an archive"):
        read_log(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="members"):
        read_log()


def test_an_archive_alone_has_the_log_beside_other_recordings(tmp_path):
    other = RecordingBuilder(stream_id=7)
    other.message(b"of something else")
    apart = log_of_every_kind().write_node(tmp_path / "node") / "archive"
    other.put(apart, is_stopped=False)
    other.damage(apart, 0, struct.pack("<i", 7), recording_id=1)
    assert read_log(MemberDirectories(str(apart))).table().num_rows == 13
    RecordingBuilder(stream_id=8, start=33).put(apart)  # no frame begins at this position
    assert read_log(MemberDirectories(str(apart))).table().num_rows == 13


def test_rows_are_chosen_by_type_session_and_leadership_term(tmp_path):
    node = log_of_every_kind().write_node(tmp_path)

    def types(**wanted):
        return (
            read_log(node, columns=["message_type"], **wanted).table()["message_type"].to_pylist()
        )

    assert types(message_types=["TimerEvent", "Unknown"]) == ["TimerEvent", "Unknown"]
    assert types(sessions=[-5, 1]) == [
        "SessionOpenEvent",
        *["SessionMessage"] * 3,
        "SessionCloseEvent",
    ]
    assert len(types(to_term=1)) == 7
    assert len(types(from_term=1)) == 5
    assert types(from_term=1, message_types=["SessionMessage"]) == ["SessionMessage"] * 2
    assert types(from_term=2) == []
    with pytest.raises(ConfigurationError, match="message_types"):
        types(message_types=["Order"])
    with pytest.raises(ConfigurationError, match="message_types"):
        types(message_types=[])


def test_rows_are_chosen_by_time(tmp_path):
    node = log_of_every_kind().write_node(tmp_path)

    def raw(from_time=None, to_time=None, **more):
        reading = read_log(
            node, columns=["timestamp_raw"], from_time=from_time, to_time=to_time, **more
        )
        return reading.table()["timestamp_raw"].to_pylist()

    assert raw(TIME + 1) == [TIME + 1000] * 8 + [TIME + 2000]
    assert raw(AT, AT + timedelta(seconds=1)) == [TIME] * 3
    assert raw((AT + timedelta(milliseconds=1500)).isoformat()) == [TIME + 2000]
    for wrong in ("yesterday", datetime(2026, 1, 1)):  # noqa: DTZ001
        with pytest.raises(ConfigurationError, match="from_time"):
            raw(wrong)


def long_log(change=None, **options):
    log = LogBuilder(terms_per_segment=1, **options)
    log.begin_term(0)
    for index in range(6000):
        log.time += 1000
        log.emit(1, (b"y" if index == change else b"x") * 50)
    return log


def test_time_range_reads_only_its_terms(tmp_path):
    log = long_log()
    node = log.write_node(tmp_path)
    begin, end = TIME + 3_000_000, TIME + 3_100_000
    reading = read_log(
        node, columns=["timestamp_raw"], from_time=begin, to_time=end, time_slack_s=60
    )
    assert reading.table()["timestamp_raw"].to_pylist() == list(range(begin, end, 1000))
    (part,) = reading.plan.ranges
    assert part.from_position >= 4 * TERM
    assert part.length <= 3 * TERM
    # The terms outside of it are not read, so they may be damaged.
    log.damage(node / "archive", 0, bytes(64))
    assert reading.table().num_rows == 100


def test_time_falling_by_less_than_the_slack_is_found(tmp_path):
    log = long_log()
    log.time -= 2_000_000
    late = log.time
    for _ in range(3000):
        log.emit(1, b"x" * 50)
    reading = read_log(log.write_node(tmp_path), from_time=late, to_time=late + 1)
    assert reading.table().num_rows == 3001


def test_another_unit_in_the_middle_is_damage(tmp_path):
    log = log_of_every_kind()
    log.unit = ClusterTimeUnit.NANOS
    log.begin_term(2)
    with pytest.raises(SegmentError, match="time unit of a leadership term"):
        read_log(log.write_node(tmp_path)).table()


def test_a_log_with_a_purged_head_has_no_unit(tmp_path):
    log = log_of_every_kind()
    later = LogBuilder(2 * TERM)
    later.bases = log.bases
    later.term = 1
    later.emit(1, b"x")
    node = later.write_node(tmp_path)
    columns = ["timestamp", "timestamp_raw", "timestamp_unit"]
    (row,) = read_log(node, columns=columns).table().to_pylist()
    assert row == {"timestamp": None, "timestamp_raw": TIME, "timestamp_unit": None}
    (row,) = read_log(node, columns=columns, time_unit="ms").table().to_pylist()
    assert row == {"timestamp": AT, "timestamp_raw": TIME, "timestamp_unit": "ms"}
    with pytest.raises(ConfigurationError, match="give time_unit"):
        read_log(node, from_time=AT)
    with pytest.raises(ConfigurationError, match="time_unit: expected ms, us or ns"):
        read_log(node, time_unit="s")


@pytest.mark.parametrize("what", ["no event", "damage"])
def test_unit_is_that_of_the_next_term_where_a_term_does_not_have_it(tmp_path, what):
    log = LogBuilder(unit=ClusterTimeUnit.MICROS)
    if what == "damage":
        log.begin_term(0)
    else:
        log.bases = [(0, 0)]
        log.emit(1, b"not the first entry of the term")
    log.aborted(log.room)
    log.begin_term(1)
    node = log.write_node(tmp_path)
    if what == "damage":
        log.damage(node / "archive", 0, struct.pack("<i", 17))
    reading = read_log(node, columns=["timestamp_unit"], mode="permissive")
    assert set(reading.table()["timestamp_unit"].to_pylist()) == {"us"}


def test_missing_snapshot_does_not_have_the_unit(tmp_path):
    log = LogBuilder(2 * TERM)
    log.bases = [(0, 0)]
    log.emit(1, b"x")
    node = log.write_node(tmp_path, snapshots=[2 * TERM])
    (row,) = read_log(node, columns=["timestamp_unit"]).table().to_pylist()
    assert row == {"timestamp_unit": None}
    # Another snapshot has it.
    put_snapshot(node, 0, 0, 2 * TERM)
    (row,) = read_log(node, columns=["timestamp_unit"]).table().to_pylist()
    assert row == {"timestamp_unit": "ms"}


@pytest.mark.parametrize("what", ["no times", "damage"])
def test_terms_without_a_known_time_are_searched_too(tmp_path, what):
    log = LogBuilder(terms_per_segment=1)
    log.begin_term(0)
    for number in range(1, 6):
        log.aborted(log.room)
        log.time = TIME + number * 100_000
        if what == "no times" and number == 3:
            log.entry(b"not an SBE message")
        else:
            log.emit(1, b"x")
    node = log.write_node(tmp_path)
    if what == "damage":
        log.damage(node / "archive", 3 * TERM, struct.pack("<i", 17))
    reading = read_log(
        node,
        columns=["timestamp_raw"],
        mode="permissive",
        from_time=TIME + 200_000,
        to_time=TIME + 400_001,
        time_slack_s=1,
    )
    found = reading.table()["timestamp_raw"].to_pylist()
    assert found == [TIME + 200_000, TIME + 400_000]


def test_times_of_members_with_different_units_are_rejected(tmp_path):
    units = (ClusterTimeUnit.MILLIS, ClusterTimeUnit.NANOS)
    nodes = []
    for unit in units:
        log = LogBuilder(unit=unit)
        log.begin_term(0)
        nodes.append(log.write_node(tmp_path / unit.name))
    assert read_log(*nodes).table().num_rows == 2
    text = "time_unit: expected the same for all members, found 'MILLIS, NANOS'"
    with pytest.raises(ConfigurationError, match=text):
        read_log(*nodes, from_time=AT)


def test_unknown_reasons_and_actions_have_no_name(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    log.close(1, CloseReason.NULL_VALUE)
    log.act(ClusterAction.NULL_VALUE)
    rows = read_log(log.write_node(tmp_path)).table().to_pylist()
    assert [row["message_type"] for row in rows[2:]] == [
        "SessionCloseEvent",
        "ClusterActionRequest",
    ]
    assert rows[2]["session_close"] == {"close_reason": None}
    assert rows[3]["cluster_action"]["action"] is None


def test_names_and_members_are_repeated_in_batches_of_any_length(tmp_path):
    count = 20_000
    log = LogBuilder(term_length=64 * TERM)
    log.begin_term(0)
    for _ in range(count):
        log.emit(1, b"")
    node = log.write_node(tmp_path)
    table = read_log(node, columns=["member", "message_type"]).table()
    assert table["member"].to_pylist() == [0] * (count + 1)
    names = table["message_type"].to_pylist()
    assert names == ["NewLeadershipTermEvent"] + ["SessionMessage"] * count


# ---- commit position --------------------------------------------------------------------------


def committed(*members, member=0, **options):
    table = read_log(*members, columns=["member", "end_position", "committed"], **options).table()
    return {
        row["end_position"]: row["committed"]
        for row in table.to_pylist()
        if row["member"] == member
    }


def test_one_members_recording_log_and_snapshots_are_proof(tmp_path):
    log = log_of_every_kind()
    base = log.bases[1][1]
    found = committed(log.write_node(tmp_path / "a"))
    assert found == {end: True if end <= base else None for end in found}

    snapshot = next(f.position for f in log.frames if f.position > base + 1000)
    found = committed(log.write_node(tmp_path / "b", snapshots=[snapshot]))
    assert found == {end: True if end <= snapshot else None for end in found}

    node = log.write_node(tmp_path / "c", is_shut_down=True)
    assert set(committed(node).values()) == {True}
    assert set(committed(tmp_path / "a", assume_committed=True).values()) == {True}
    assert set(committed(MemberDirectories(str(tmp_path / "a" / "archive"))).values()) == {None}
    only = committed(tmp_path / "a", only_committed=True)
    assert set(only.values()) == {True}
    assert len(only) == 7


def test_an_empty_term_proves_nothing(tmp_path):
    log = log_of_every_kind()
    log.bases.append((2, log.position))
    base = log.bases[1][1]
    found = committed(log.write_node(tmp_path))
    assert found == {end: True if end <= base else None for end in found}


def grown(count, change=None, **options):
    """Return a day's log with additional messages, one of them different."""
    log = log_of_every_kind()
    for name, value in options.items():
        setattr(log, name, value)
    for index in range(count):
        log.emit(2, b"other" if index == change else b"more!")
    return log


def test_a_majority_decides_byte_for_byte(tmp_path):
    logs = [grown(20), grown(12), grown(20, change=5)]
    nodes = [log.write_node(tmp_path / str(index)) for index, log in enumerate(logs)]
    # Only from archives, so members are numbered by their place.
    common = grown(12).position
    found = committed(*nodes)
    assert found == {end: end <= common for end in found}
    assert set(committed(nodes[1], nodes[0], nodes[2]).values()) == {True}
    differs = grown(5).position
    found = committed(nodes[2], nodes[0], nodes[1])
    assert found == {end: end <= differs for end in found}
    # Two of two must agree.
    found = committed(nodes[0], nodes[2])
    assert found == {end: end <= differs for end in found}


def test_members_with_a_replicated_term_have_other_session_and_stream_ids(tmp_path):
    logs = [grown(5), grown(5, session_id=99, stream_id=55)]
    nodes = [log.write_node(tmp_path / str(index)) for index, log in enumerate(logs)]
    assert set(committed(*nodes).values()) == {True}


def test_purged_log_is_no_difference(tmp_path):
    whole = long_log()
    purged = LogBuilder(2 * TERM, terms_per_segment=1)
    purged.frames = [frame for frame in whole.frames if frame.position >= 2 * TERM]
    purged.position = whole.position
    purged.bases = whole.bases
    nodes = [log.write_node(tmp_path / str(i)) for i, log in enumerate((whole, purged))]
    assert set(committed(*nodes).values()) == {True}


# The offset in a frame, and the bytes there.
DIFFERENCES = {
    "payload": (90, b"y"),
    "reserved value": (24, b"y"),
    "frame length": (0, struct.pack("<i", 83)),
    "term offset": (8, b"y"),
    "term id": (20, b"y"),
}


@pytest.mark.parametrize("what", [*DIFFERENCES, "segment"])
def test_any_difference_ends_the_common_prefix(tmp_path, what):
    nodes = [long_log().write_node(tmp_path / str(index)) for index in range(2)]
    log = long_log()
    place = log.frames[2000].position
    archive = nodes[1] / "archive"
    if what in DIFFERENCES:
        offset, data = DIFFERENCES[what]
        log.damage(archive, place + offset, data)
    else:
        place -= place % TERM
        log.segment(archive, place).unlink()
    found = committed(*nodes, mode="permissive")
    assert found == {end: end <= place for end in found}
    only = read_log(nodes[0], nodes[1], only_committed=True, columns=["member"], mode="permissive")
    assert only.table()["member"].to_pylist().count(0) == sum(found.values())


def test_frames_impossible_in_both_logs_are_not_compared(tmp_path):
    logs = [long_log(term_length=4 * TERM) for _ in range(2)]
    nodes = [log.write_node(tmp_path / str(index)) for index, log in enumerate(logs)]
    place = logs[0].frames[2000].position
    for node in nodes:
        logs[0].damage(node / "archive", place, struct.pack("<i", 70_000))
    found = committed(*nodes, mode="permissive")
    assert found == {end: end <= place for end in found}


@pytest.mark.parametrize("change", [None, 5990])
def test_logs_are_compared_over_many_windows(tmp_path, change):
    logs = [long_log(term_length=16 * TERM, change=each) for each in (None, change)]
    nodes = [log.write_node(tmp_path / str(index)) for index, log in enumerate(logs)]
    place = logs[0].position if change is None else logs[0].frames[1 + change].position
    found = committed(*nodes)
    assert found == {end: end <= place for end in found}


@pytest.mark.parametrize("what", ["another part", "another term length"])
def test_logs_that_cannot_be_compared_prove_nothing(tmp_path, what):
    first = log_of_every_kind()
    second = LogBuilder(4 * TERM) if what == "another part" else LogBuilder(term_length=2 * TERM)
    second.begin_term(0)
    nodes = [log.write_node(tmp_path / str(index)) for index, log in enumerate((first, second))]
    for member, log in enumerate((first, second)):
        found = committed(*nodes, member=member)
        assert found == dict.fromkeys((row[1] for row in log.messages()), False)


def test_bound_beyond_all_values_is_no_bound(tmp_path):
    log = LogBuilder(unit=ClusterTimeUnit.NANOS)
    log.begin_term(0)
    log.open(1)
    log.emit(1, b"buy")
    node = log.write_node(tmp_path)
    far = "9999-12-31T23:59:59+00:00"  # more than 64 bits in nanoseconds

    def count(**options):
        return read_log(node, columns=["position"], **options).table().num_rows

    timed = count(from_time=0)
    assert timed == 3
    assert count(to_time=far) == timed
    assert count(from_time="0001-01-01T00:00:00+00:00") == timed
    assert count(from_time=-(2**70), to_time=2**70, time_slack_s=float("inf")) == timed
    assert count(from_time=far) == count(to_term=-(2**70)) == 0
    assert count(to_term=2**70) == count(from_term=0)
    assert count(sessions=[1, 2**70, -(2**70)]) == count(sessions=[1])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"time_slack_s": -1.0}, "time_slack_s"),
        ({"time_slack_s": float("nan")}, "time_slack_s"),
        ({"from_time": 1.5}, "from_time"),
        ({"to_time": AT.date()}, "to_time"),
    ],
)
def test_meaningless_times_are_rejected(tmp_path, options, text):
    node = log_of_every_kind().write_node(tmp_path)
    with pytest.raises(ConfigurationError, match=text):
        read_log(node, **{"from_time": 0, **options})


def test_directory_named_twice_is_no_majority(tmp_path):
    node = log_of_every_kind().write_node(tmp_path)
    with pytest.raises(ConfigurationError, match="archive twice"):
        read_log(node, node / "archive")


@pytest.mark.parametrize("is_empty", [False, True])
def test_purged_log_proves_nothing_where_the_members_next_frame_differs(tmp_path, is_empty):
    whole = long_log()
    purged = LogBuilder(2 * TERM, terms_per_segment=1)
    if not is_empty:
        purged.begin_term(0)
    nodes = [log.write_node(tmp_path / str(i)) for i, log in enumerate((whole, purged))]
    assert set(committed(*nodes).values()) == {False}
