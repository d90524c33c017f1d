"""A member's snapshot: its entries, the stream it is written to, the wait for its recording."""

import contextlib
import re
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.cluster.snapshots import snapshot_round
from aeron_cluster.cluster.snapshots.snapshot_round import (
    _add_publication,
    _await_recorded,
    take_snapshot_round,
)
from aeron_cluster.cluster.state.module_snapshot import ModuleState
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID, RecordingLog
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterTimeUnit, ServiceAck
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.shared.counters_layout import CounterState
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.session_rig import Counter


class Counters:
    """One counter, of recording 8; its registration id is unchanged after its release."""

    def __init__(self):
        self.position = 0
        self.counter_state = CounterState.COUNTER_ALLOCATED
        self.recording_id = 8

    def value(self, _):
        return self.position

    def state(self, _):
        return self.counter_state

    def type_id(self, _):
        return POSITION_COUNTER_TYPE

    def key(self, _):
        return position_key(self.recording_id, 1, "aeron:ipc", 0)

    def registration_id(self, _):
        return 168


@pytest.fixture
def counters():
    return Counters()


@pytest.fixture
def steps(counters):
    aeron = SimpleNamespace(counters_reader=counters)
    return _await_recorded(aeron, SimpleNamespace(position=1824), 164, 8)


def test_waits_until_the_snapshot_is_recorded(counters, steps):
    next(steps)
    counters.position = 1823
    next(steps)
    counters.position = 1824
    assert next(steps, "done") == "done"


def test_stopped_recording_is_awaited_no_longer(counters, steps):
    next(steps)
    counters.counter_state = CounterState.COUNTER_RECLAIMED
    with pytest.raises(ClusterError, match="recording has stopped unexpectedly: 8"):
        next(steps)


def test_the_position_of_another_recording_is_ignored(counters, steps):
    next(steps)
    counters.recording_id, counters.position = 9, 1 << 20
    with pytest.raises(ClusterError, match="has stopped unexpectedly"):
        next(steps)


class Driver:
    """Adds publications with the channel's term length, or 64 KiB."""

    def __init__(self):
        self.channels = []
        self.closed = []

    def async_add_exclusive_publication(self, channel, _):
        self.channels.append(str(channel))
        return len(self.channels)

    def get_exclusive_publication(self, registration_id):
        term_length = ChannelUri.parse(self.channels[registration_id - 1]).size(
            "term-length", 1 << 16
        )
        return SimpleNamespace(
            max_message_length=term_length // 8, close=lambda: self.closed.append(registration_id)
        )


@pytest.mark.parametrize(
    ("channel", "longest", "requested"),
    [
        ("aeron:ipc?alias=snapshot", 0, []),
        ("aeron:ipc?alias=snapshot", 8192, []),
        ("aeron:ipc?alias=snapshot", 8193, ["aeron:ipc?term-length=128k|alias=snapshot"]),
        ("aeron:ipc?alias=snapshot", 16 << 20, ["aeron:ipc?term-length=128m|alias=snapshot"]),
        ("aeron:ipc?term-length=64k", 8193, []),
    ],
)
def test_stream_accepts_the_logs_maximum_unless_its_term_length_is_set(channel, longest, requested):
    driver = Driver()
    task = Task(_add_publication(driver, ChannelUri.parse(channel), 107, longest))
    while not task.is_done:
        task.do_work()
    assert driver.channels == [channel, *requested]
    assert driver.closed == [1] * len(requested)
    assert task.result.max_message_length >= longest or "term-length" in channel


# ---- a whole round ----

POSITION, TERM_ID, RECORDING_ID = 4096, 3, 8


class Round:
    """A round whose services and archive answer as the test requests."""

    def __init__(self, log, monkeypatch, recordings):
        self.log = log
        self.counters = Counters()
        self.is_answered = False
        self.captured = []
        self.is_closed = False
        self.acks = tuple(
            ServiceAck(
                log_position=POSITION,
                timestamp=77,
                ack_id=1,
                relevant_id=recording_id,
                service_id=service_id,
            )
            for service_id, recording_id in enumerate(recordings)
        )
        log.append_term(1, TERM_ID, 1024, 1)
        for name in ("send_request", "take_module_snapshot"):
            monkeypatch.setattr(snapshot_round, name, lambda *_, **__: iter(()))
        monkeypatch.setattr(snapshot_round, "await_exclusive_publication", self._add)
        monkeypatch.setattr(snapshot_round, "await_recording", self._await_recording)
        self.module_counters = SimpleNamespace(
            snapshot_count=Counter(),
            max_snapshot_duration=SimpleNamespace(propose_max=lambda _: None),
        )
        options = SimpleNamespace(
            snapshot_channel="aeron:ipc",
            snapshot_stream_id=107,
            total_snapshot_threshold_ns=1 << 62,
        )
        context = SimpleNamespace(
            options=options,
            seams=SimpleNamespace(clock=VirtualClock()),
            extension=None,
            error_handler=None,
        )
        self.task = Task(
            take_snapshot_round(
                context,
                SimpleNamespace(counters_reader=self.counters),
                None,
                SimpleNamespace(await_acks=self._await_acks),
                log,
                self.module_counters,
                POSITION,
                55,
                self._capture,
            )
        )

    def _await_acks(self, log_position):
        assert log_position == POSITION
        while not self.is_answered:
            yield
        return self.acks

    def _capture(self, log_position):
        self.captured.append(log_position)
        return ModuleState(
            log_position=log_position,
            leadership_term_id=TERM_ID,
            app_version=1,
            time_unit=ClusterTimeUnit.MILLIS,
            next_session_id=1,
        )

    def _add(self, *_):
        yield from ()
        return SimpleNamespace(
            session_id=5, position=1824, max_message_length=1 << 16, close=self._close
        )

    def _close(self):
        self.is_closed = True

    def _await_recording(self, *_):
        yield from ()
        return 164, RECORDING_ID

    @property
    def entries(self):
        """The service, recording and position of each snapshot of the log."""
        return [
            (each.service_id, each.recording_id, each.log_position)
            for each in self.log.entries
            if each.is_valid_snapshot
        ]


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


def test_services_come_before_the_module_and_nothing_before_the_recording_is_complete(
    log, monkeypatch
):
    made = Round(log, monkeypatch, [50, 51])
    made.task.do_work()
    assert made.captured == []  # what services send before they acknowledge belongs to it
    made.is_answered = True
    made.task.do_work()
    assert made.captured == [POSITION]
    made.counters.position = 1823
    made.task.do_work()
    assert (made.entries, made.module_counters.snapshot_count.value) == ([], 0)
    made.counters.position = 1824
    made.task.do_work()
    assert made.task.is_done
    assert made.is_closed
    assert made.entries == [(1, 51, POSITION), (0, 50, POSITION), (-1, RECORDING_ID, POSITION)]
    assert {each.timestamp for each in log.entries if each.is_valid_snapshot} == {77}
    assert made.module_counters.snapshot_count.value == 1


def test_a_snapshot_without_services_has_the_given_time(log, monkeypatch):
    made = Round(log, monkeypatch, [])
    made.is_answered, made.counters.position = True, 1824
    made.task.do_work()
    (entry,) = [each for each in log.entries if each.is_valid_snapshot]
    assert entry.timestamp == 55


@pytest.mark.parametrize("written", range(4))
def test_member_that_ends_between_the_entries_has_a_snapshot_with_the_modules(
    log, monkeypatch, written
):
    made = Round(log, monkeypatch, [50, 51])
    made.is_answered, made.counters.position = True, 1824
    append, ids = log.append_snapshot, []

    def append_unless_killed(*values):
        if len(ids) == written:
            raise SystemExit
        append(*values)
        ids.append(values[-1])

    monkeypatch.setattr(log, "append_snapshot", append_unless_killed)
    with contextlib.suppress(SystemExit):
        made.task.do_work()
    is_complete = written == 3
    assert (CONSENSUS_MODULE_SERVICE_ID in ids) is bool(log.find_snapshots(2)) is is_complete


@pytest.mark.parametrize("failed", [[0], [1], [0, 1]])
def test_snapshot_of_failed_services_does_not_count_and_names_them(log, monkeypatch, failed):
    made = Round(log, monkeypatch, [-1 if each in failed else 50 for each in range(2)])
    made.is_answered, made.counters.position = True, 1824
    with pytest.raises(ClusterError, match=re.escape(f"service(s) {failed} failed")):
        made.task.do_work()
    assert (made.entries, made.captured) == ([], [])
    assert made.module_counters.snapshot_count.value == 0


def test_recording_that_stops_in_the_round_leaves_no_snapshot(log, monkeypatch):
    made = Round(log, monkeypatch, [50])
    made.is_answered = True
    made.task.do_work()
    made.counters.counter_state = CounterState.COUNTER_RECLAIMED
    with pytest.raises(ClusterError, match="stopped unexpectedly"):
        made.task.do_work()
    assert (made.entries, made.is_closed) == ([], True)
