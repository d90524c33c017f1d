"""Sessions that a module loads from a snapshot: every wrong one is detected."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.module_snapshot import SessionRecord
from aeron_cluster.codecs.cluster import CloseReason
from aeron_cluster.errors import CorruptError, InvariantError
from aeron_cluster.simulator.checks import loaded_sessions
from aeron_cluster.simulator.checks.loaded_sessions import (
    LoadedSessionsAreThoseOfTheSnapshot,
    check_loaded,
)
from aeron_cluster.simulator.faults.added_faults import add_closes_in_snapshots
from aeron_cluster.simulator.faults.aimed_faults import KillAllAtClose
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.model.plain_messages import (
    ABSENT_REASON,
    SERVICE_ACTION,
    PlainSession,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles

S = 1_000_000_000
OPEN = SessionRecord(
    cluster_session_id=3,
    correlation_id=7,
    opened_log_position=640,
    response_stream_id=102,
    response_channel="aeron:udp",
)
CLOSING = replace(OPEN, close_reason=CloseReason.SERVICE_ACTION)
SNAPSHOT = {3: PlainSession(3, 7, 640, ABSENT_REASON, 102, b"aeron:udp")}
CLOSING_SNAPSHOT = {3: SNAPSHOT[3]._replace(reason=SERVICE_ACTION)}


@pytest.mark.parametrize(
    ("found", "snapshot"),
    [
        ([OPEN], SNAPSHOT),
        ([CLOSING], CLOSING_SNAPSHOT),
        ([], SNAPSHOT),
        ([OPEN], {}),
        ([replace(OPEN, close_reason=CloseReason.TIMEOUT)], SNAPSHOT),
    ],
)
def test_sessions_as_in_the_snapshot_pass(found, snapshot):
    check_loaded("member 0", found, snapshot)


@pytest.mark.parametrize(
    ("found", "snapshot"),
    [
        (OPEN, CLOSING_SNAPSHOT),
        (replace(OPEN, close_reason=CloseReason.TIMEOUT), CLOSING_SNAPSHOT),
        (replace(OPEN, correlation_id=8), SNAPSHOT),
        (replace(OPEN, opened_log_position=672), SNAPSHOT),
        (replace(OPEN, response_stream_id=0), SNAPSHOT),
        (replace(OPEN, response_channel="aeron:ipc"), SNAPSHOT),
    ],
)
def test_a_session_that_was_loaded_wrongly_is_detected(found, snapshot):
    with pytest.raises(InvariantError, match="sessions are loaded from the snapshot"):
        check_loaded("member 0", [found], snapshot)


def test_the_kill_of_all_is_planned_early():
    for seed in range(20):
        plan = add_closes_in_snapshots(FaultPlan(), seed, duration_ns=4 * S, speedup=5)
        (event,) = plan.events
        assert isinstance(event, KillAllAtClose)
        assert event.at_ns < S
        assert "all are killed" in event.text


class _Torn(LoadedSessionsAreThoseOfTheSnapshot):
    """It reads a disk whose latest snapshot is not complete."""

    def read(self, monkeypatch, sync_level):
        entry = SimpleNamespace(is_term=False, service_id=-1, log_position=640)
        monkeypatch.setattr(loaded_sessions, "read_valid_entries", lambda *_: [entry])
        monkeypatch.setattr(loaded_sessions, "read_snapshot_messages", _raise_corrupt)
        self._disks = SimpleNamespace(of=lambda _: MemoryFiles())
        member = SimpleNamespace(machine=SimpleNamespace(power_loss_count=1))
        return self._snapshot_of(SimpleNamespace(sync_level=sync_level), member)


def _raise_corrupt(*_):
    raise CorruptError("1-0.rec", 0, "frame", "frames up to 384", None)


def test_a_snapshot_may_be_damaged_only_by_a_loss_of_power_without_syncs(monkeypatch):
    assert _Torn().read(monkeypatch, 0) is None
    with pytest.raises(CorruptError):
        _Torn().read(monkeypatch, 1)
