"""What a member does with its log as its term ends: the rest of a message, and truncation."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.archive import StopAllReplaysRequest, TruncateRecordingRequest
from aeron_cluster.codecs.cluster import SessionOpenEvent
from aeron_cluster.errors import ArchiveError, LogMismatchError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.cluster.module_rig import session_message
from tests.unit.cluster.test_log_adapter import Reader

RECORDING = 7
TERM = 3


def ignore(*_, **__):
    """Accept any call."""


def run(steps):
    """Run steps to their end; return their result."""
    task = Task(steps)
    while not task.is_done:
        task.do_work()
    return task.result


# ---- a former leader ----


class Former:
    """A leader whose term ends, with its log and the adapter that reads the next one."""

    def __init__(self, reader):
        self.reader = reader
        self.follower_log = SimpleNamespace(close=self._close, await_free=self._wait)
        parts = SimpleNamespace(
            log=reader.log,
            log_adapter=reader.adapter,
            follower_log=self.follower_log,
            context=SimpleNamespace(extension=None),
            agent=SimpleNamespace(set_ingress=ignore),
            catchups=SimpleNamespace(stop_all=ignore),
            status=SimpleNamespace(set_role=ignore, clear_leader=ignore),
            counters=SimpleNamespace(
                control_toggle=SimpleNamespace(set=ignore),
                commit_position=SimpleNamespace(set=ignore),
            ),
            recording=SimpleNamespace(stop=self._wait),
            sessions=SimpleNamespace(prepare_for_new_leadership=ignore),
            uncommitted=SimpleNamespace(restore=reader.trackers[0].restore_uncommitted),
        )
        self.leadership = create_with_doubles(
            Leadership, parts, initial_leadership_term_id=-1, initial_term_base_log_position=0
        )

    def _close(self):
        self.reader.adapter.set_image(None)

    def _wait(self, *_):
        yield

    def end_at(self, committed):
        """End its term at the position of an image, from which it then reads."""
        assert run(self.leadership.prepare_for_new_leadership(committed.position)) == (
            committed.position
        )
        self.reader.adapter.set_image(committed)
        return self.reader.adapter.poll(1 << 40, 50)


@pytest.fixture
def former(streams):
    return Former(Reader(streams))


@pytest.mark.parametrize("fragments", [0, 1, 2, 3])
def test_former_leader_reads_each_message_once_wherever_its_commit_ended(fragments, former):
    """The begin of a partly committed message is only in the log that it wrote itself."""
    reader = former.reader
    end = reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    committed = reader.stream.image()
    committed.poll(lambda *_: None, fragments)
    assert former.end_at(committed) == 3 - fragments
    assert reader.events == ([(SessionOpenEvent, end)] if fragments < 3 else [])


@pytest.mark.parametrize("fragments", [0, 1, 2])
def test_former_leader_does_not_append_a_partly_committed_service_message_again(fragments, former):
    tracker = former.reader.trackers[0]
    tracker.enqueue(session_message(1, bytes(3000)))
    assert tracker.poll(former.reader.log, 1) == 1
    committed = former.reader.stream.image()
    committed.poll(lambda *_: None, fragments)
    former.end_at(committed)
    assert len(tracker) == 0


# ---- truncation ----


class Archive:
    """Records requests, and may reject them."""

    def __init__(self):
        self.requests = []
        self.error = None

    def send(self, archive, kind, **fields):
        assert archive is self
        yield
        self.requests.append((kind, fields))
        if self.error is not None:
            raise self.error


@pytest.fixture
def archive(monkeypatch):
    made = Archive()
    monkeypatch.setattr("aeron_cluster.cluster.election.leadership.send_request", made.send)
    return made


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        opened.append_term(RECORDING, TERM - 1, 0, 1000)
        opened.append_term(RECORDING, TERM, 64, 1000)
        yield opened


@pytest.fixture
def follower(archive, log):
    parts = SimpleNamespace(
        archive=archive,
        recording_log=log,
        recording=SimpleNamespace(recording_id=RECORDING),
        counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 96)),
        context=SimpleNamespace(options=SimpleNamespace(member_id=1)),
    )
    return create_with_doubles(
        Leadership, parts, initial_leadership_term_id=-1, initial_term_base_log_position=0
    )


@pytest.mark.parametrize("end", [None, 256], ids=["open", "ended"])
@pytest.mark.parametrize("position", [96, 128, 192])
def test_the_recording_log_has_the_end_of_a_truncated_term(
    position, end, follower, archive, log, tmp_path
):
    """Stop all replays of the log recording, truncate it, commit that position to the term."""
    if end is not None:
        log.commit_log_position(TERM, end)
    before = log.get_term(TERM - 1)
    run(follower.truncate_log(TERM, position))
    assert archive.requests == [
        (StopAllReplaysRequest, {"recording_id": RECORDING}),
        (TruncateRecordingRequest, {"recording_id": RECORDING, "position": position}),
    ]
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as stored:
        assert stored.get_term(TERM).log_position == position
        assert stored.get_term(TERM - 1) == before


def test_failed_truncation_leaves_the_recording_log_unchanged(follower, archive, log):
    archive.error = ArchiveError("no", 0, 1)
    entries = log.entries
    with pytest.raises(ArchiveError):
        run(follower.truncate_log(TERM, 128))
    assert log.entries == entries


def test_no_log_is_truncated_that_the_services_have_read(follower, archive, log):
    entries = log.entries
    with pytest.raises(LogMismatchError, match="up to 96"):
        run(follower.truncate_log(TERM, 95))
    assert archive.requests == []
    assert log.entries == entries
