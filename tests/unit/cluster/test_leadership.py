"""What a member does with its log as its term ends, where it receives, and what it copies."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election import leadership
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.archive import StopAllReplaysRequest, TruncateRecordingRequest
from aeron_cluster.codecs.channel_uri import ChannelUri
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


def test_the_log_of_an_extension_is_closed_after_its_last_callback_as_leader(former):
    calls = []
    parts, log = former.leadership, SimpleNamespace(close=lambda: calls.append("close"))
    parts._extension_log = log
    parts._context.extension = SimpleNamespace(
        on_prepare_for_new_leadership=lambda: calls.append("prepare")
    )
    former.end_at(former.reader.stream.image())
    assert calls == ["prepare", "close"]


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


def test_log_without_a_recorded_term_is_truncated(follower, archive, log, monkeypatch):
    """Its copy was interrupted after it had begun, and before its term was recorded."""
    monkeypatch.setattr(
        follower, "_counters", SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 0))
    )
    entries = log.entries
    run(follower.truncate_log(-1, 0))
    assert (TruncateRecordingRequest, {"recording_id": RECORDING, "position": 0}) in (
        archive.requests
    )
    assert log.entries == entries


def test_terms_without_entries_are_dropped_in_the_recording_log(follower, tmp_path):
    follower.drop_terms_after(TERM - 1)
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as stored:
        assert stored.find_last_term().leadership_term_id == TERM - 1


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


# ---- ingress ----

MEMBER = "1,h1:1,h1:2,h1:3,h1:4,h1:5"
PARAMS = "rejoin=false|reliable=true"


@pytest.mark.parametrize(
    ("channel", "is_ipc_allowed", "leads", "follows"),
    [
        ("aeron:udp", False, [f"aeron:udp?endpoint=h1:1|{PARAMS}"], True),
        ("aeron:udp", True, [f"aeron:udp?endpoint=h1:1|{PARAMS}", "aeron:ipc"], True),
        (
            "aeron:udp?endpoint=10.0.0.9:7",
            False,
            [f"aeron:udp?endpoint=10.0.0.9:7|{PARAMS}"],
            True,
        ),
        # The leader receives what is sent to all members.
        (
            "aeron:udp?endpoint=224.20.30.39:7",
            False,
            [f"aeron:udp?endpoint=224.20.30.39:7|{PARAMS}"],
            False,
        ),
        ("aeron:ipc", True, [f"aeron:ipc?{PARAMS}"], True),
    ],
)
@pytest.mark.parametrize("is_leader", [True, False])
def test_where_a_member_receives_its_clients(
    monkeypatch, channel, is_ipc_allowed, leads, follows, is_leader
):
    added, ingress = [], []

    def await_subscription(_aeron, uri, stream_id, **_):
        assert stream_id == 101
        added.append(ChannelUri.parse(uri))
        yield
        return len(added)

    monkeypatch.setattr(leadership, "await_subscription", await_subscription)
    parts = SimpleNamespace(
        context=SimpleNamespace(
            options=SimpleNamespace(
                ingress_channel=channel,
                ingress_ipc_allowed=is_ipc_allowed,
                ingress_stream_id=101,
            ),
            member=parse_members(MEMBER)[0],
        ),
        status=SimpleNamespace(is_leader=is_leader),
        agent=SimpleNamespace(set_ingress=lambda each: ingress.append(list(each))),
    )
    made = create_with_doubles(
        Leadership, parts, initial_leadership_term_id=-1, initial_term_base_log_position=0
    )
    run(made._open_ingress())
    expected = leads if is_leader else leads[:1] * follows
    assert added == [ChannelUri.parse(each) for each in expected]
    assert ingress == ([list(range(1, len(expected) + 1))] if expected else [])


# ---- the other members ----


@pytest.mark.parametrize("is_incomplete", [True, False])
def test_members_that_are_missing_in_the_log_are_added_with_each_connection(is_incomplete):
    connected, begun = [], []
    parts = SimpleNamespace(link=SimpleNamespace(connect=lambda: connected.append(True)))
    made = create_with_doubles(
        Leadership,
        parts,
        begin=begun.append,
        initial_leadership_term_id=-1,
        initial_term_base_log_position=0,
    )
    made.connect_peers()  # it has no log yet
    made._log_channel = SimpleNamespace(
        destinations=SimpleNamespace(is_incomplete=is_incomplete, add=lambda: "steps")
    )
    made.connect_peers()
    assert connected == [True, True]
    assert begun == ["steps"] * is_incomplete


@pytest.mark.parametrize(
    ("response_endpoint", "replicated", "response"),
    [
        ("", "aeron:udp?endpoint=h1:0", ""),
        ("h0:6", "aeron:udp?control=h0:6|control-mode=response", "the same"),
    ],
)
def test_the_missing_log_is_copied_from_the_leaders_archive(
    monkeypatch, response_endpoint, replicated, response
):
    """By a response channel where the leader has one."""
    requested = []

    def replicate(_archive, recording_id, stream_id, channel, params, **_):
        requested.append((recording_id, stream_id, channel, params))
        return "the copy"

    monkeypatch.setattr(leadership, "RecordingReplication", replicate)
    monkeypatch.setattr(leadership, "done_recorder", lambda *_: None)
    parts = SimpleNamespace(
        context=SimpleNamespace(
            options=SimpleNamespace(
                leader_archive_control_channel="aeron:udp?term-length=64k",
                replication_channel="aeron:udp?endpoint=h1:0",
                leader_heartbeat_timeout_ns=1000,
                leader_heartbeat_interval_ns=100,
            )
        ),
        aeron=SimpleNamespace(next_correlation_id=lambda: 2**31 + 5),
        archive=SimpleNamespace(context=SimpleNamespace(control_stream_id=10)),
        recording=SimpleNamespace(recording_id=RECORDING),
    )
    made = create_with_doubles(
        Leadership, parts, initial_leadership_term_id=-1, initial_term_base_log_position=0
    )
    leader = SimpleNamespace(archive_endpoint="h0:5", archive_response_endpoint=response_endpoint)
    assert made.replicate_log(leader, 12, 640, 1) == "the copy"
    ((recording_id, stream_id, channel, params),) = requested
    assert (recording_id, stream_id) == (12, 10)
    assert ChannelUri.parse(channel).get("endpoint") == "h0:5"
    assert (params.dst_recording_id, params.stop_position) == (RECORDING, 640)
    found = ChannelUri.parse(params.replication_channel)
    assert found == ChannelUri.parse(replicated)
    assert params.src_response_channel == (params.replication_channel if response else "")
    assert params.replication_session_id == -(2**31) + 5


@pytest.mark.parametrize(
    ("is_of_copy", "copy_id", "recorded_in"),
    [(True, 9, 9), (True, -1, RECORDING), (False, 9, RECORDING)],
)
def test_the_log_is_recorded_in_its_copy_once_that_has_an_id(is_of_copy, copy_id, recorded_in):
    recording = SimpleNamespace(recording_id=RECORDING)
    made = create_with_doubles(
        Leadership,
        SimpleNamespace(recording=recording),
        initial_leadership_term_id=-1,
        initial_term_base_log_position=0,
    )
    assert made.on_signal("signal") is False  # nothing is copied
    made._replication = SimpleNamespace(on_signal=lambda _: is_of_copy, recording_id=copy_id)
    assert made.on_signal("signal") is is_of_copy
    assert recording.recording_id == recorded_in
