"""A follower's pass: it reads the committed part and reports its recorded position."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.agent.leadership import JoinedLog
from aeron_cluster.codecs.cluster import ClusterAction, SessionConnectRequest
from aeron_cluster.errors import ClosedError, ConfigurationError, StateError
from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.members_rig import (
    INTERVAL_NS,
    TIMEOUT_NS,
    MembersRig,
    append_position,
    commit_position,
)
from tests.unit.cluster.module_rig import (
    ACTIVE,
    LEADER,
    SNAPSHOT,
    SUSPENDED,
    TERM_ID,
    change_leadership,
    session_message,
)
from tests.unit.cluster.streams import TERM_LENGTH, messages

TERMINATING = 5
SECOND = 1_000_000_000


@pytest.fixture
def rig(streams):
    rig = MembersRig(streams, leader=1)
    rig.follow()
    rig.open_session(17)
    rig.settle()
    return rig


def log(rig, count=1):
    """Append messages of 128 bytes as the leader; return the position after them."""
    position = 0
    for _ in range(count):
        position = rig.log.append_session_message(17, 5, bytes(64))
    assert position > 0
    return position


def names(rig):
    return [call[0] for call in rig.conductor.take_calls() if call[0] != "authorized_members"]


# ---- reading ----


@pytest.mark.parametrize(
    ("notified_position", "recorded", "read"),
    [(384, 256, 256), (256, 384, 256), (0, 384, 0), (384, 0, 0)],
)
def test_reads_up_to_the_committed_and_recorded_position(notified_position, recorded, read, rig):
    # "the smaller of notified commit position and own recorded position"
    log(rig, 3)
    rig.recorded.set(recorded)
    rig.emit(1, commit_position(notified_position, 1))
    rig.agent.do_work()
    assert rig.reader.position == read
    # "the position actually reached"
    assert rig.commit_position.get() == read
    assert names(rig) == []


def test_a_session_is_known_once_its_message_is_read(rig):
    rig.recorded.set(log(rig))
    rig.clock.advance(500)
    rig.agent.set_notified_commit_position(128)
    assert rig.agent.do_work() == 1
    assert rig.sessions.last_activity_ns(17) == 1500


def test_python_receives_events_before_services_may_read_them(rig):
    log(rig)
    position = rig.log.append_timer(7, 5)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    committed = []
    rig.then_of_event = lambda: committed.append(rig.commit_position.get())
    rig.agent.do_work()
    assert [end for _, end in rig.events] == [position]
    # "set it after the CM has processed the entries (sessions, timers first)"
    assert committed == [0]
    assert rig.commit_position.get() == position


def test_nothing_is_read_after_an_action_in_the_same_state(rig):
    action = rig.log.append_cluster_action(5, ClusterAction.SNAPSHOT)
    end = log(rig)
    rig.recorded.set(end)
    rig.agent.set_notified_commit_position(end)
    rig.then_of_event = lambda: rig.agent.set_state(SNAPSHOT)
    for _ in range(3):
        rig.agent.do_work()
    assert rig.commit_position.get() == action
    rig.agent.set_state(ACTIVE)
    rig.agent.do_work()
    assert rig.commit_position.get() == end


@pytest.mark.parametrize(
    ("state", "reads"), [(ACTIVE, True), (SUSPENDED, True), (SNAPSHOT, False), (TERMINATING, False)]
)
def test_a_follower_reads_only_in_active_and_suspended(state, reads, rig):
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128)
    rig.agent.set_state(state)
    rig.agent.do_work()
    assert rig.commit_position.get() == 128 * reads


def test_a_leader_and_an_election_do_not_read(rig):
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128)
    change_leadership(rig.agent, is_electing=True)
    rig.agent.do_work()
    change_leadership(rig.agent, is_electing=False)
    change_leadership(rig.agent, role=LEADER)
    rig.refresh()
    rig.agent.do_work()
    assert rig.reader.position == 0


def test_fifty_fragments_are_read_in_a_pass(rig):
    position = log(rig, 120)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    assert [rig.agent.do_work() for _ in range(4)] == [50, 50, 20, 0]


def test_nothing_is_read_without_a_recording(rig):
    rig.recorded.set(log(rig, 3))
    rig.agent.set_notified_commit_position(384)
    change_leadership(rig.agent, recorded_counter_id=None)
    rig.agent.do_work()
    assert rig.commit_position.get() == 0
    change_leadership(rig.agent, recorded_counter_id=rig.recorded.counter_id)
    rig.agent.do_work()
    assert rig.commit_position.get() == 384


def test_the_notified_commit_position_never_falls(rig):
    rig.agent.set_notified_commit_position(256)
    rig.agent.set_notified_commit_position(128)
    assert rig.agent.notified_commit_position == 256


def test_a_follower_polls_clients(rig, streams):
    client = streams.stream(7)
    (seen,) = rig.ingress(client)
    connect = SessionConnectRequest.encode(
        correlation_id=1,
        response_stream_id=102,
        version=768,
        response_channel="aeron:ipc",
        encoded_credentials=b"",
        client_info="",
    )
    client.publication.offer(connect)
    client.publication.offer(session_message(17, b"x"))
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_ingress", connect, seen, 1000)]
    assert rig.ignored() == {"not_leader": 1}


# ---- the end of the log ----


def test_a_closed_image_is_the_end_of_the_log(rig):
    # "Nothing polled and image closed or missing: election"
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128)
    rig.agent.do_work()
    assert names(rig) == []
    rig.read_image.mark_closed()
    rig.agent.do_work()
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_log_ended", 1000)] * 2
    assert rig.commit_position.get() == 128
    rig.agent.set_state(SNAPSHOT)
    rig.agent.do_work()
    rig.agent.set_state(ACTIVE)
    change_leadership(rig.agent, is_electing=True)
    rig.agent.do_work()
    assert names(rig) == []


def test_a_missing_recording_is_marked_too(rig):
    rig.reader.set_image(None)
    rig.agent.do_work()
    assert names(rig) == ["on_log_ended"]
    change_leadership(rig.agent, log_reader=None)
    rig.agent.do_work()
    assert names(rig) == ["on_log_ended"]


FURTHEST_SENT_AGAIN = TERM_LENGTH // 2 + TERM_LENGTH // 8
"""The distance up to which a driver retransmits: half a term and a message."""


@pytest.mark.parametrize(
    ("behind", "is_lost"), [(FURTHEST_SENT_AGAIN, 0), (FURTHEST_SENT_AGAIN + 32, 1)]
)
def test_a_log_without_data_and_retransmits_is_lost(behind, is_lost, rig):
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128 + behind)
    rig.agent.do_work()
    rig.clock.advance(INTERVAL_NS - 1)
    rig.agent.do_work()
    assert names(rig) == []
    rig.clock.advance(1)
    rig.agent.do_work()
    assert names(rig) == ["on_log_lost"] * is_lost
    assert rig.commit_position.get() == 128


def test_log_with_incoming_data_is_not_lost(rig):
    rig.agent.set_notified_commit_position(2 * FURTHEST_SENT_AGAIN)
    for _ in range(5):
        rig.recorded.set(log(rig))
        rig.agent.do_work()
        rig.clock.advance(INTERVAL_NS)
    assert names(rig) == []


def test_an_event_may_remove_the_image(rig):
    first = rig.log.append_timer(7, 5)
    position = rig.log.append_timer(8, 5)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    rig.then_of_event = lambda: rig.reader.set_image(None)
    assert rig.agent.do_work() == 1
    assert [end for _, end in rig.events] == [first]
    assert names(rig) == []  # not in a pass that has read something
    rig.agent.do_work()
    assert names(rig) == ["on_log_ended"]
    assert rig.commit_position.get() == 0


@pytest.mark.parametrize("is_log_closed", [True, False])
def test_an_event_may_begin_an_election(rig, is_log_closed):
    """The election begins at the commit position, which is not advanced any more."""
    first = rig.log.append_cluster_action(5, ClusterAction.SUSPEND)
    rig.log.append_timer(8, 5)
    rig.recorded.set(1024)
    rig.agent.set_notified_commit_position(1024)

    def elect():
        change_leadership(rig.agent, is_electing=True)
        if is_log_closed:
            rig.reader.set_image(None)

    rig.then_of_event = elect
    rig.agent.do_work()
    rig.agent.do_work()
    assert [end for _, end in rig.events] == [first]
    assert names(rig) == []
    assert rig.commit_position.get() == 0


def test_an_exception_of_an_event_ends_the_pass_after_it(rig):
    rig.log.append_timer(7, 5)
    position = rig.log.append_timer(8, 5)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)

    def fail():
        rig.then_of_event = lambda: None
        rig.reader.set_image(rig.read_image)
        raise RuntimeError("no")

    rig.then_of_event = fail
    with pytest.raises(RuntimeError, match="no"):
        rig.agent.do_work()
    rig.agent.do_work()
    assert len(rig.events) == 2
    assert rig.commit_position.get() == position


def test_a_closed_module_reads_nothing(rig):
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128)
    rig.agent.on_close()
    rig.agent.do_work()
    assert rig.reader.position == 0


def test_the_reader_is_not_changed_from_within_its_poll(rig):
    position = rig.log.append_timer(7, 5)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    rig.then_of_event = lambda: change_leadership(rig.agent, log_reader=None)
    with pytest.raises(StateError):
        rig.agent.do_work()
    change_leadership(rig.agent, log_reader=None)


# ---- notifying the leader ----


def test_the_leader_is_notified_of_the_recorded_position(rig):
    rig.recorded.set(96)
    assert rig.commit.do_work() == 1
    assert rig.observed(1) == [append_position(96, 0)]
    assert rig.observed(2) == []
    assert rig.commit.do_work() == 0
    # "or HBI passed"
    rig.clock.advance(INTERVAL_NS - 1)
    assert rig.commit.do_work() == 0
    rig.clock.advance(1)
    assert rig.commit.do_work() == 1
    assert rig.commit.do_work() == 0
    assert rig.observed(1) == [append_position(96, 0)]


def test_a_follower_never_reports_a_lower_position(rig):
    # "the value never falls within a term of service (largest of recorded and last sent;
    # restarts at the image join position)"
    rig.recorded.set(96)
    rig.commit.do_work()
    rig.recorded.set(64)
    assert rig.commit.do_work() == 0
    rig.clock.advance(INTERVAL_NS)
    rig.commit.do_work()
    change_leadership(rig.agent, recorded_counter_id=None)
    rig.clock.advance(INTERVAL_NS)
    rig.commit.do_work()
    assert rig.observed(1) == [append_position(96, 0)] * 3
    rig.agent.install_leadership(
        rig.agent.leadership,
        joined=JoinedLog(position=32, commit_position=0, leader_update_ns=rig.clock.nano_time()),
    )
    assert rig.commit.do_work() == 1
    change_leadership(rig.agent, recorded_counter_id=rig.recorded.counter_id)
    assert rig.commit.do_work() == 1
    assert rig.observed(1) == [append_position(32, 0), append_position(64, 0)]


@pytest.mark.parametrize(
    ("changes", "last"),
    [
        ({}, (96, 5)),
        ({}, (96, "5", 0)),
        ({}, (2**63, 5, 0)),
        ({"leader_index": 3}, (96, 5, 0)),
        ({"recorded_counter_id": 2**20}, (96, 5, 0)),
    ],
)
def test_an_invalid_leadership_installs_no_part_of_it(changes, last, rig):
    before = rig.agent.leadership
    members = [rig.agent.member(index) for index in range(3)]
    view = replace(before, **{"log_reader": None, "leadership_term_id": TERM_ID + 1, **changes})
    with pytest.raises((ConfigurationError, IndexError, OverflowError, TypeError, ValueError)):
        rig.agent.install_leadership(view, [(64, 5, 0), (64, 5, 0), last])
    assert rig.agent.leadership is before
    assert [rig.agent.member(index) for index in range(3)] == members


@pytest.mark.parametrize("state", [ACTIVE, SUSPENDED, SNAPSHOT, TERMINATING])
def test_a_follower_reports_in_every_state(state, rig):
    rig.agent.set_state(state)
    rig.recorded.set(96)
    rig.commit.do_work()
    assert rig.observed(1) == [append_position(96, 0)]


def test_a_follower_reports_nothing_in_an_election_or_without_a_leader(rig):
    rig.recorded.set(96)
    change_leadership(rig.agent, is_electing=True)
    assert rig.commit.do_work() == 0
    change_leadership(rig.agent, is_electing=False)
    change_leadership(rig.agent, leader_index=-1, leadership_term_id=TERM_ID)
    assert rig.commit.do_work() == 0
    change_leadership(rig.agent, leader_index=2, leadership_term_id=TERM_ID + 1)
    assert rig.commit.do_work() == 1
    assert rig.observed(1) == []
    assert rig.observed(2) == [append_position(96, 0, term_id=TERM_ID + 1)]


def test_back_pressured_message_is_retried_each_pass(rig):
    rig.to_others[1].limit.set(0)
    rig.recorded.set(96)
    assert [rig.commit.do_work() for _ in range(3)] == [0, 0, 0]
    rig.recorded.set(128)
    rig.to_others[1].limit.set(1 << 30)
    assert [rig.commit.do_work() for _ in range(3)] == [1, 0, 0]
    assert rig.observed(1) == [append_position(128, 0)]


def test_a_peer_may_be_removed_and_added(rig):
    rig.recorded.set(96)
    rig.to_others[1].publication.close()
    assert rig.commit.do_work() == 0
    rig.agent.set_peer(1, None)
    assert rig.commit.do_work() == 0
    with pytest.raises(ClosedError):
        rig.agent.set_peer(1, rig.to_others[1].publication)
    rig.agent.set_peer(1, rig.to_others[2].publication)
    assert rig.commit.do_work() == 1
    assert rig.observed(2) == [append_position(96, 0)]


def test_a_follower_reports_across_the_end_of_a_term(rig):
    """Whatever space a term of the stream has left, the next position is sent immediately."""
    stream, reports = rig.to_others[1], []
    for step in range(3000):
        rig.recorded.set(32 * (step + 1))
        assert rig.commit.do_work() == 1
        reports += rig.observed(1)
        if step % 500 == 499:
            for term in range(rig.received_images[1].position // stream.term_length):
                stream.clean(term)
    assert reports == [append_position(32 * (step + 1), 0) for step in range(3000)]


# ---- an inactive leader ----


def test_a_silent_leader_times_out(rig):
    rig.clock.advance(TIMEOUT_NS - 1)
    rig.agent.do_work()
    assert names(rig) == []
    rig.clock.advance(1)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_leader_timeout", 1000 + TIMEOUT_NS)]


@pytest.mark.parametrize("reported", [True, False])
def test_a_stalled_agent_polls_its_backlog_first(reported, rig):
    if reported:
        rig.emit(1, commit_position(0, 1))
    rig.clock.advance(5 * TIMEOUT_NS)
    rig.agent.do_work()
    assert ("on_leader_timeout" in names(rig)) is not reported


@pytest.mark.parametrize(
    ("change", "is_reported"),
    [
        (lambda agent: agent.set_state(SUSPENDED), True),
        # "not leader, ACTIVE or SUSPENDED, no termination position pending"; one that is not
        # committed never would be, if the leader is lost.
        (lambda agent: agent.set_state(SNAPSHOT), False),
        (lambda agent: agent.set_state(TERMINATING), False),
        (lambda agent: change_leadership(agent, is_electing=True), False),
        (lambda agent: agent.set_termination_position(4096), True),
        (lambda agent: agent.set_termination_position(agent.notified_commit_position), False),
        (lambda agent: agent.set_last_leader_update_ns(1001), False),
    ],
)
def test_leader_timeout_depends_on_the_state(change, is_reported, rig):
    change(rig.agent)
    rig.clock.advance(TIMEOUT_NS)
    rig.agent.do_work()
    assert ("on_leader_timeout" in names(rig)) is is_reported


# ---- the termination position ----


def test_a_follower_reads_no_further_than_the_termination_position(rig):
    position = log(rig, 3)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    rig.agent.set_termination_position(256)
    rig.agent.do_work()
    assert rig.commit_position.get() == 256
    assert names(rig) == []
    for _ in range(3):
        rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_termination_position", 1000)]
    assert rig.commit_position.get() == 256
    rig.agent.set_termination_position(None)
    rig.agent.do_work()
    assert rig.commit_position.get() == position
    assert names(rig) == []


def test_passed_termination_position_is_reached(rig):
    rig.recorded.set(log(rig, 3))
    rig.agent.set_notified_commit_position(384)
    rig.agent.do_work()
    rig.agent.set_state(SUSPENDED)
    rig.agent.set_termination_position(256)
    rig.agent.do_work()
    assert names(rig) == ["on_termination_position"]


@pytest.mark.parametrize(
    "change",
    [
        lambda agent: agent.set_state(SNAPSHOT),
        lambda agent: change_leadership(agent, is_electing=True),
    ],
)
def test_termination_position_is_not_reached_without_reading(change, rig):
    rig.agent.set_termination_position(0)
    change(rig.agent)
    rig.agent.do_work()
    assert names(rig) == []


# ---- idle passes ----


def test_an_idle_pass_calls_nothing(rig):
    rig.recorded.set(log(rig))
    rig.agent.set_notified_commit_position(128)
    rig.agent.do_work()
    rig.commit.do_work()
    rig.conductor.take_calls()
    assert [(rig.agent.do_work(), rig.commit.do_work()) for _ in range(10)] == [(0, 0)] * 10
    assert names(rig) == []


def test_log_equals_the_read_part(rig):
    position = log(rig, 10)
    rig.recorded.set(position)
    rig.emit(1, commit_position(position, 1))
    for _ in range(3):
        rig.agent.do_work()
    assert rig.reader.position == position
    assert len(messages(rig.log_image)) == 10


def test_the_last_message_of_the_leader_is_published_once_a_second(streams):
    files = MemoryFiles(directories=["/"])
    with files.open("/mark", create=True) as file:
        rig = MembersRig(streams, leader=1, stamp=ActivityStamp(file, 0, VirtualClock()))
        begin_ms = rig.clock.epoch_ms()
        assert rig.leader_activity.get() == -1
        rig.agent.do_work()
        assert rig.leader_activity.get() == begin_ms
        for seconds in (1, 2, 3):
            rig.clock.advance(SECOND)
            rig.agent.do_work()
            assert rig.leader_activity.get() == begin_ms, seconds
        rig.emit(1, commit_position(0, 1))
        rig.clock.advance(SECOND)
        rig.agent.do_work()
        assert rig.leader_activity.get() == begin_ms  # stored before the messages are read
        rig.clock.advance(SECOND // 2)
        rig.agent.do_work()
        assert rig.leader_activity.get() == begin_ms
        rig.clock.advance(SECOND // 2)
        rig.agent.do_work()
        assert rig.leader_activity.get() == begin_ms + 4_000
        rig.clock.advance(SECOND)
        change_leadership(rig.agent, is_electing=True)
        rig.agent.do_work()
        assert rig.leader_activity.get() == -1


def test_a_leader_publishes_no_last_message(streams):
    files = MemoryFiles(directories=["/"])
    with files.open("/mark", create=True) as file:
        rig = MembersRig(streams, leader=0, stamp=ActivityStamp(file, 0, VirtualClock()))
        rig.leader_activity.set(7)
        rig.agent.do_work()
        assert rig.leader_activity.get() == -1


def test_a_pass_is_due_for_the_activity_of_the_mark_file(streams):
    files = MemoryFiles(directories=["/"])
    with files.open("/mark", create=True) as file:
        stamp = ActivityStamp(file, 0, VirtualClock())
        rig = MembersRig(streams, leader=1, stamp=stamp)
        stamp.update(rig.clock.nano_time())
        assert rig.agent.next_due_ns < rig.clock.nano_time() + SECOND
