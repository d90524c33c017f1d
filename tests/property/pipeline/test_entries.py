"""For any sequence of log entries, each row equals the codecs' values."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.codecs.cluster import (
    SCHEMA,
    CloseReason,
    ClusterAction,
    ClusterTimeUnit,
)
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_log
from aeron_cluster.pipeline.read import Rows
from tests.unit.pipeline.logs import LogBuilder

pytest.importorskip("pyarrow")

FIELDS = {
    "session_open": (
        "correlation_id",
        "response_stream_id",
        "response_channel",
        "encoded_principal",
    ),
    "session_close": ("close_reason",),
    "timer": ("correlation_id",),
    "cluster_action": ("log_position", "action", "flags"),
    "new_leadership_term": (
        "log_position",
        "term_base_log_position",
        "leader_member_id",
        "log_session_id",
        "time_unit",
        "app_version",
    ),
}
STRUCTS = {
    "SessionOpenEvent": "session_open",
    "SessionCloseEvent": "session_close",
    "TimerEvent": "timer",
    "ClusterActionRequest": "cluster_action",
    "NewLeadershipTermEvent": "new_leadership_term",
}
KINDS = ["message", "message", "message", "open", "close", "timer", "act", "term", "other"]


def write(log, kind, index):
    match kind:
        case "message":
            log.emit(index - 50, bytes(index % 40))
        case "open":
            log.open(index, b"p" * index, f"aeron:ipc?alias={index}")
        case "close":
            log.close(index, CloseReason(index % 3))
        case "timer":
            log.timer(-index)
        case "act":
            log.act(ClusterAction(index % 3))
        case "term":
            log.begin_term(log.term + 1, leader=index)
        case "other":
            log.entry(b"none" * (index % 9))


def plain(value):
    """Return a field as in a column: enumerations by name."""
    if isinstance(value, ClusterTimeUnit):
        return {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}[value.name]
    return value.name if isinstance(value, (ClusterAction, CloseReason)) else value


def expected(begin, end, payload):
    row = {"position": begin, "end_position": end, "message_type": "Unknown", "payload": payload}
    row |= dict.fromkeys(("template_id", "leadership_term_id", "cluster_session_id"))
    row |= dict.fromkeys(("timestamp_raw", "timestamp_unit", "correlation_id", *FIELDS))
    if payload[:4] in (b"", b"none"):
        return row
    entry = SCHEMA.decode(payload)
    name = type(entry).__name__
    row |= {
        "message_type": "SessionMessage" if name == "SessionMessageHeader" else name,
        "template_id": entry.template_id,
        "leadership_term_id": entry.leadership_term_id,
        "cluster_session_id": getattr(entry, "cluster_session_id", None),
        "timestamp_raw": entry.timestamp,
        "timestamp_unit": "ms",
        "correlation_id": getattr(entry, "correlation_id", None),
        "payload": payload[32:] if name == "SessionMessageHeader" else None,
    }
    if name in STRUCTS:
        struct = STRUCTS[name]
        row[struct] = {field: plain(getattr(entry, field)) for field in FIELDS[struct]}
    return row


@settings(max_examples=30)
@given(
    steps=st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 300)), max_size=8),
    max_rows=st.sampled_from([1, 7, 128, 200, 16384]),
)
def test_every_row_matches_the_codecs(steps, max_rows):
    log = LogBuilder()
    for kind, count in steps:
        for index in range(count):
            write(log, kind, index)
            log.time += 1
    rows = [expected(begin, end, payload) for begin, end, _, payload in log.messages()]
    with tempfile.TemporaryDirectory() as directory:
        node = log.write_node(Path(directory))
        reading = read_log(node, time_unit="ms", columns=[*expected(0, 0, b"")])
        table = Rows(SystemFiles(), replace(reading.plan, max_rows=max_rows)).table()
    table.validate(full=True)
    assert table.to_pylist() == rows
