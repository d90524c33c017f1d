"""States at positions and times: the messages applied up to there, from any start."""

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aeron_cluster.cluster.service.offline.source import read_snapshot_file
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import MemberDirectories
from aeron_cluster.pipeline.jobs.state_at import state_at
from tests.unit.pipeline.jobs import tally
from tests.unit.pipeline.jobs.clusters import long_log, record_snapshot
from tests.unit.pipeline.jobs.in_process_spark import InProcessSpark
from tests.unit.pipeline.jobs.tally import Tally, expected_sums, sums
from tests.unit.pipeline.logs import TIME, LogBuilder
from tests.unit.pipeline.recording_builder import TERM


def write_node(path, *, with_snapshots=False):
    log, places = long_log()
    node = log.write_node(path / "node0", is_shut_down=True)
    if with_snapshots:
        found = state_at(node, Tally, path / "first", positions=[place[2] for place in places])
        for (term, base, position), state in zip(places, found, strict=True):
            messages = read_snapshot_file(SystemFiles(), state.path)
            recording_id = record_snapshot(node / "archive", messages)
            with RecordingLog(SystemFiles(), str(node / "cluster")) as noted:
                noted.append_snapshot(recording_id, term, base, position, TIME, 0)
    return node, log, places


def exported(state):
    kept = json.loads(Path(state.export_path).read_text())
    return {int(name): tuple(values) for name, values in kept["sums"].items()}


@pytest.mark.parametrize("with_snapshots", [False, True])
@pytest.mark.parametrize("on_spark", [False, True])
def test_state_equals_the_log_up_to_the_position(tmp_path, with_snapshots, on_spark):
    node, log, places = write_node(tmp_path, with_snapshots=with_snapshots)
    ends = [end for _, end, _, _ in log.messages()]
    positions = [0, ends[10], ends[10] + 32, ends[90], places[1][2], ends[-1], log.position]
    spark = InProcessSpark() if on_spark else None
    found = state_at(node, Tally, tmp_path / "out", positions=positions, export=sums, spark=spark)
    assert [each.position for each in found] == positions
    for position, state in zip(positions, found, strict=True):
        assert state.requested == str(position)
        assert exported(state) == expected_sums(log, position)
        assert state.log_position == max([end for end in ends if end <= position], default=0)
        before = [place[2] for place in places if place[2] <= position]
        assert state.snapshot_position == (before[-1] if with_snapshots and before else -1)
    assert spark is None or spark.task_count == len(set(positions))


def test_the_initial_state_makes_no_difference(tmp_path):
    node, log, places = write_node(tmp_path, with_snapshots=True)
    positions = [places[2][2], log.position]
    started = state_at(node, Tally, tmp_path / "a", positions=positions)
    alone = MemberDirectories(str(node / "archive"))
    whole = state_at(alone, Tally, tmp_path / "b", positions=positions, recording_id=0)
    assert [each.snapshot_position for each in started] == [places[2][2]] * 2
    assert [each.snapshot_position for each in whole] == [-1] * 2
    assert [each.sha256 for each in started] == [each.sha256 for each in whole]
    assert [each.session_count for each in started] == [3, 3]
    assert [each.leadership_term_id for each in started] == [2, 2]
    assert {each.time_unit for each in started} == {"MILLIS"}


def test_a_time_excludes_earlier_messages(tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    places = []
    for _ in range(5):
        log.time += 1000
        places.append((log.time, log.emit(1, b"x")))
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    moment, position = places[3]
    times = [
        moment,
        datetime.fromtimestamp(moment / 1000, UTC),
        datetime.fromtimestamp(moment / 1000, UTC).isoformat(),
        moment + 1,
        2**62,
    ]
    found = state_at(node, Tally, tmp_path / "out", times=times, export=sums)
    assert [each.requested for each in found] == [str(each) for each in times]
    assert [each.position for each in found] == [*[position] * 3, places[4][1], log.position]
    assert [exported(each)[1][0] for each in found] == [3, 3, 3, 4, 5]


def test_the_step_of_times_may_be_of_any_length_but_not_negative(tmp_path):
    node, log, _ = write_node(tmp_path)
    (found,) = state_at(
        node, Tally, tmp_path / "out", times=[2**62], time_slack_s=math.inf, export=sums
    )
    assert found.position == log.position
    for invalid in (-1.0, math.nan):
        with pytest.raises(ConfigurationError, match="time_slack_s: expected 0 seconds or more"):
            state_at(node, Tally, tmp_path / "out", times=[0], time_slack_s=invalid)


def test_the_exported_state_is_a_snapshot_to_resume_from(tmp_path):
    node, log, places = write_node(tmp_path)
    (state,) = state_at(node, Tally, tmp_path / "out", positions=[places[0][2]])
    assert state.path == str(tmp_path / "out" / f"state-{places[0][2]:020}.snapshot")
    assert len(list(read_snapshot_file(SystemFiles(), state.path))) == 2 + state.session_count + 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == [state.path.rpartition("/")[2]]
    assert (tmp_path / "out" / state.path).stat().st_size == state.length
    del log


@pytest.mark.parametrize("spark", [None, InProcessSpark()])
def test_a_failing_service_is_reported_with_its_place(tmp_path, spark):
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    place = log.emit(1, b"fail")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    state_at(node, Tally, tmp_path / "out", positions=[place])
    with pytest.raises(ServiceCallbackError, match="on_session_message failed") as raised:
        state_at(node, Tally, tmp_path / "out", positions=[log.position], spark=spark)
    assert raised.value.log_position == log.position
    assert "as the test demands" in str(raised.value.__cause__)


@pytest.mark.parametrize("spark", [None, InProcessSpark()])
@pytest.mark.parametrize(
    ("service", "export", "call"),
    [
        (tally.Fails___init__, None, "__init__"),
        (tally.Fails_on_start, None, "on_start"),
        (tally.Fails_on_take_snapshot, None, "on_take_snapshot"),
        (Tally, tally.fails_export, "export"),
    ],
)
def test_every_failure_of_user_code_is_reported_as_such(tmp_path, spark, service, export, call):
    node, log, _ = write_node(tmp_path)
    with pytest.raises(ServiceCallbackError, match=f"{call} failed") as raised:
        state_at(
            node, service, tmp_path / "out", positions=[log.position], export=export, spark=spark
        )
    assert f"in {call}" in str(raised.value.__cause__)
    assert raised.value.callback == call


@pytest.mark.parametrize("spark", [None, InProcessSpark()])
def test_damage_is_reported_by_kind(tmp_path, spark):
    node, log, _ = write_node(tmp_path)
    log.damage(node / "archive", TERM, bytes([7, 0, 0, 0]))
    state_at(node, Tally, tmp_path / "out", positions=[TERM - 4096], spark=spark)
    with pytest.raises(CorruptError) as raised:
        state_at(node, Tally, tmp_path / "out", positions=[log.position], spark=spark)
    assert raised.value.offset == TERM


def test_a_named_recording_is_the_log(tmp_path):
    """Not the one of the recording log next to it, whose snapshots belong to another recording."""
    node, log, _ = write_node(tmp_path, with_snapshots=True)
    other = LogBuilder()
    other.begin_term(0)
    other.open(9)
    for _ in range(7):
        other.emit(9, bytes(3000))
    other_id = other.put(node / "archive")
    assert other.position < log.position
    (state,) = state_at(
        node,
        Tally,
        tmp_path / "out",
        positions=[other.position],
        recording_id=other_id,
        export=sums,
    )
    assert exported(state) == expected_sums(other, other.position)
    assert (state.log_position, state.snapshot_position) == (other.position, -1)
    with pytest.raises(ConfigurationError, match="position"):
        state_at(node, Tally, tmp_path / "out", positions=[log.position], recording_id=other_id)
    for recording_id in (None, 0):
        (state,) = state_at(
            node,
            Tally,
            tmp_path / "out",
            positions=[log.position],
            recording_id=recording_id,
            export=sums,
        )
        assert exported(state) == expected_sums(log, log.position)
        assert state.snapshot_position > 0


def test_an_invalid_value_is_rejected(tmp_path):
    node, log, _ = write_node(tmp_path)
    for wrong in (
        {},
        {"positions": [-1]},
        {"positions": [log.position + 1]},
        {"times": ["yesterday"]},
    ):
        with pytest.raises(ConfigurationError):
            state_at(node, Tally, tmp_path / "out", **wrong)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_exported_as_hexadecimal_text(tmp_path, kind):
    node, log, _ = write_node(tmp_path)
    (state,) = state_at(
        node,
        Tally,
        tmp_path / "out",
        positions=[log.position],
        export=lambda _: {"key": kind(b"\x00\xff"), "keys": [kind(b"k")]},
    )
    assert json.loads(Path(state.export_path).read_text()) == {"key": "00ff", "keys": ["6b"]}


@pytest.mark.parametrize(
    "export",
    [
        tally.no_json,
        tally.no_number,
        tally.keys_of_bytes,
        tally.keys_of_tuples,
        tally.has_itself,
        tally.is_deep,
    ],
    ids=lambda it: it.__name__,
)
def test_export_outside_of_json_is_rejected(tmp_path, export):
    node, log, _ = write_node(tmp_path)
    for spark in (None, InProcessSpark()):
        with pytest.raises(ConfigurationError, match="export: expected a JSON value"):
            state_at(
                node, Tally, tmp_path / "out", positions=[log.position], export=export, spark=spark
            )


def test_a_purged_log_without_a_snapshot_is_reported(tmp_path):
    log = LogBuilder(5 * TERM)
    log.begin_term(0)
    log.emit(1, b"x")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    with pytest.raises(StateError, match="expected a snapshot"):
        state_at(node, Tally, tmp_path / "out", positions=[log.position])
