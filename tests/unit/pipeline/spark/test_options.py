"""Options of the Spark source, which are all text."""

import json
import pickle
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline import MemberDirectories
from aeron_cluster.pipeline.spark.options import option_text, parse_options


def test_a_path_alone_is_the_log_of_a_member():
    found = parse_options({"path": "node0"})
    assert found.members == ("node0",)
    assert found.is_log
    assert (found.recording_ids, found.selection, found.columns) == (None, {}, None)
    assert found.mode == "strict"


def test_names_are_the_same_in_upper_case_and_those_of_tables_are_skipped():
    found = parse_options({"Path": "a", "Only_Committed": "TRUE", "serialization.format": "1"})
    assert found.selection == {"only_committed": True}


@pytest.mark.parametrize("text", ["true", "false"])
def test_filters_are_not_pushed_any_more(text):
    match = f"pushdown: expected no removed option, found '?{text}.*with from_position, "
    with pytest.raises(ConfigurationError, match=match):
        parse_options({"path": "a", "pushDown": text})


def test_several_members_may_have_their_directories_apart():
    found = parse_options({"paths": json.dumps(["/a", "b"]), "cluster_dirs": "/c, d"})
    assert found.members == (
        MemberDirectories("/a", "/c"),
        MemberDirectories(str(Path("b").absolute()), str(Path("d").absolute())),
    )


@pytest.mark.parametrize(
    ("text", "is_log", "ids"),
    [
        ("log", True, None),
        ("log:7", True, (7,)),
        ("all", False, None),
        ("3, 5", False, (3, 5)),
    ],
)
def test_the_source_is_the_log_or_recordings(text, is_log, ids):
    found = parse_options({"path": "a", "recording": text})
    assert (found.is_log, found.recording_ids) == (is_log, ids)


def test_values_are_those_of_the_plans_arguments():
    found = parse_options(
        {
            "path": "a",
            "columns": "position, payload",
            "from_position": "64",
            "sessions": "1,-5",
            "from_time": "1700000000000",
            "to_time": "2026-01-01T00:00:00+00:00",
            "message_types": "TimerEvent",
            "time_slack_s": "2.5",
            "mode": "permissive",
            "report_dir": "/reports",
            "range_length": "65536",
            "payload": "json",
            "payload_schema": "a int64",
            "max_bytes_per_batch": "9",
        }
    )
    assert found.columns == ("position", "payload")
    assert found.selection == {
        "from_position": 64,
        "sessions": (1, -5),
        "from_time": 1_700_000_000_000,
        "to_time": "2026-01-01T00:00:00+00:00",
        "message_types": ("TimerEvent",),
        "time_slack_s": 2.5,
        "mode": "permissive",
    }
    assert (found.report_dir, found.range_length) == ("/reports", 65536)
    assert found.payload == {"payload": "json", "payload_schema": "a int64"}
    assert found.stream == {"max_bytes_per_batch": 9}
    assert pickle.loads(pickle.dumps(found)) == found
    assert parse_options({"path": "a", "recording": "1", "assembled": "false"}).selection == {
        "is_assembled": False
    }


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "path: expected a node's directory"),
        ({"position": "1"}, "option: expected one of path,"),
        ({"recording": "first"}, "recording: expected a whole number, found 'first'"),
        ({"recording": ","}, "recording: expected log, log:ID, all, or ids"),
        ({"recording": "1", "paths": '["a", "b"]'}, "one archive beside recording ids, found 3"),
        ({"ends": "[[1]]"}, "ends: expected the value set by `load`"),
        ({"time_slack_s": "long"}, "time_slack_s: expected a number of seconds"),
        ({"aeron_dir": "d", "recording": "1"}, "control_channel: expected that of an archive"),
        ({"control_channel": "aeron:ipc"}, "recording: expected ids, of an archive that replays"),
        (
            {"control_channel": "aeron:ipc", "recording": "1"},
            "path: expected none beside control_channel",
        ),
        ({"only_committed": "yes"}, "only_committed: expected true or false, found 'yes'"),
        ({"recording": "0", "message_types": "x"}, "message_types: .*such .* beside recording=0"),
        ({"assembled": "true"}, "assembled: expected no such option beside recording=log"),
        ({"cluster_dirs": "a,b"}, "cluster_dirs: expected one for each of 1 paths"),
        ({"report_dir": "r"}, "mode: expected permissive with table=left_out"),
    ],
)
def test_an_invalid_value_is_rejected(options, text):
    given = {} if options == {} else {"path": "a", **options}
    with pytest.raises(ConfigurationError, match=text):
        parse_options(given)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (7, "7"),
        ("log", "log"),
        (["position", "payload"], "position,payload"),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
    ],
)
def test_values_of_pythons_become_text(value, text):
    assert option_text(value) == text
