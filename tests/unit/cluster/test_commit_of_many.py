"""A leader of several members: it commits and publishes the position of a majority."""

import pytest

from aeron_cluster.errors import ClusterError
from tests.unit.cluster.members_rig import (
    IDS,
    INTERVAL_NS,
    TIMEOUT_NS,
    MembersRig,
    append_position,
    commit_position,
)
from tests.unit.cluster.module_rig import (
    ACTIVE,
    EPOCH_MS,
    FOLLOWER,
    NEVER,
    SNAPSHOT,
    SUSPENDED,
    TERM_ID,
    ModuleRig,
    change_leadership,
    session_message,
)

TERMINATING = 5
AT_ONCE = -(2**63)


@pytest.fixture
def rig(streams):
    rig = MembersRig(streams)
    rig.refresh()
    rig.settle()
    return rig


def names(rig):
    return [call[0] for call in rig.conductor.take_calls() if call[0] != "authorized_members"]


# ---- the commit position ----


def test_position_recorded_by_a_majority_is_committed_and_published(rig):
    rig.recorded.set(96)
    assert rig.commit.do_work() == 0
    rig.emit(2, append_position(64, 2))
    rig.agent.do_work()
    assert rig.commit.do_work() == 1
    assert rig.commit_position.get() == 64
    assert rig.observed(1) == rig.observed(2) == [commit_position(64, 0)]
    assert rig.agent.member(0) == (96, 1000, -1)


def test_commit_does_not_exceed_the_leaders_recording(rig):
    rig.emit(1, append_position(128, 1))
    rig.emit(2, append_position(128, 2))
    rig.recorded.set(96)
    rig.agent.do_work()
    rig.commit.do_work()
    assert rig.commit_position.get() == 96
    assert rig.observed(1) == [commit_position(96, 0)]


def test_five_members_need_three_positions(streams):
    rig = MembersRig(streams, member_ids=IDS)
    rig.refresh()
    rig.settle()
    rig.recorded.set(128)
    for index, position in ((1, 96), (2, 64), (3, 32)):
        rig.emit(index, append_position(position, index))
        rig.agent.do_work()
        rig.commit.do_work()
        assert rig.commit_position.get() == (64 if index > 1 else 0)


def test_silent_members_do_not_count(rig):
    rig.emit(1, append_position(96, 1))
    rig.agent.do_work()
    rig.recorded.set(96)
    rig.clock.advance(TIMEOUT_NS)
    rig.commit.do_work()
    assert rig.commit_position.get() == 0


def test_nothing_is_committed_or_sent_in_an_election_or_without_a_recording(rig):
    rig.emit(1, append_position(96, 1))
    rig.agent.do_work()
    rig.recorded.set(96)
    rig.clock.advance(INTERVAL_NS)
    change_leadership(rig.agent, is_electing=True)
    assert rig.commit.do_work() == 0
    change_leadership(rig.agent, is_electing=False)
    change_leadership(rig.agent, recorded_counter_id=None)
    assert rig.commit.do_work() == 0
    assert rig.observed(1) == []
    change_leadership(rig.agent, recorded_counter_id=rig.recorded.counter_id)
    assert rig.commit.do_work() == 1
    assert rig.observed(1) == [commit_position(96, 0)]


@pytest.mark.parametrize("state", [ACTIVE, SUSPENDED, SNAPSHOT, TERMINATING])
def test_every_state_commits_and_notifies(state, rig):
    # "SUSPENDED, SNAPSHOT and TERMINATING leaders keep updating positions and keep sending."
    rig.agent.set_state(state)
    rig.emit(1, append_position(96, 1))
    rig.recorded.set(96)
    rig.agent.do_work()
    rig.commit.do_work()
    assert rig.commit_position.get() == 96
    assert rig.observed(2) == [commit_position(96, 0)]


def test_committed_changes_are_forgotten(rig, streams):
    service = streams.stream(9, 105)
    rig.agent.set_control(streams.subscription(service.image()))
    service.publication.offer(session_message(0, b"of a service"))
    rig.agent.do_work()
    rig.agent.do_work()
    position = rig.log.position
    rig.agent.set_uncommitted_position(position)
    rig.recorded.set(position)
    rig.commit.do_work()
    assert (len(rig.trackers[0]), names(rig)) == (1, [])
    rig.emit(2, append_position(position, 2))
    rig.agent.do_work()
    rig.commit.do_work()
    assert (len(rig.trackers[0]), names(rig)) == (0, ["on_committed"])


# ---- messages to the others ----


def test_the_commit_position_is_repeated_at_the_interval(rig):
    rig.clock.advance(INTERVAL_NS - 1)
    assert rig.commit.do_work() == 0
    rig.clock.advance(1)
    assert rig.commit.do_work() == 1
    assert rig.commit.do_work() == 0
    rig.clock.advance(INTERVAL_NS)
    assert rig.commit.do_work() == 1
    assert rig.observed(1) == rig.observed(2) == [commit_position(0, 0)] * 2


def test_a_new_leader_notifies_at_once(rig):
    change_leadership(rig.agent, leader_index=0, leadership_term_id=TERM_ID + 1)
    assert rig.commit.do_work() == 1
    assert rig.commit.do_work() == 0
    assert rig.observed(1) == [commit_position(0, 0, term_id=TERM_ID + 1)]


def test_an_unreachable_client_is_not_notified_again_before_the_interval(rig):
    rig.to_others[1].limit.set(0)
    rig.agent.set_peer(2, None)
    rig.clock.advance(INTERVAL_NS)
    assert rig.commit.do_work() == 1
    rig.to_others[1].limit.set(1 << 30)
    rig.agent.set_peer(2, rig.to_others[2].publication)
    assert rig.commit.do_work() == 0
    rig.clock.advance(INTERVAL_NS)
    rig.commit.do_work()
    assert rig.observed(1) == rig.observed(2) == [commit_position(0, 0)]


def test_a_falling_position_is_reported_once_but_never_committed(rig):
    """T: shouldHandleQuorumPositionGoingBackwards."""
    rig.recorded.set(96)
    rig.emit(1, append_position(96, 1))
    rig.agent.do_work()
    rig.commit.do_work()
    rig.emit(1, append_position(32, 1))
    rig.agent.do_work()
    assert rig.commit.do_work() == 0  # unchanged: it waits for the interval
    for _ in range(3):
        rig.clock.advance(INTERVAL_NS)
        rig.commit.do_work()
    assert rig.commit_position.get() == 96
    assert rig.observed(1) == [commit_position(96, 0)] + [commit_position(32, 0)] * 3
    (error,) = rig.errors
    assert isinstance(error, ClusterError)
    assert "96" in str(error)
    assert "32" in str(error)
    # Once per commit position.
    rig.recorded.set(128)
    rig.emit(1, append_position(128, 1), append_position(96, 1))
    rig.agent.do_work()
    rig.clock.advance(INTERVAL_NS)
    rig.commit.do_work()
    assert len(rig.errors) == 1
    rig.emit(1, append_position(128, 1))
    rig.agent.do_work()
    rig.commit.do_work()
    rig.emit(1, append_position(96, 1))
    rig.agent.do_work()
    rig.clock.advance(INTERVAL_NS)
    rig.commit.do_work()
    assert len(rig.errors) == 2


def test_a_single_member_sends_nothing(streams):
    rig = ModuleRig(streams)
    rig.recorded.set(96)
    rig.clock.advance(1 << 40)
    assert [rig.agent.do_work(), rig.commit.do_work(), rig.commit.do_work()] == [0, 1, 0]
    assert rig.conductor.take_calls() == []


# ---- a lost quorum ----


def test_too_few_followers_end_a_leadership(rig):
    rig.clock.advance(TIMEOUT_NS - 1)
    rig.agent.do_work()
    assert names(rig) == []
    rig.clock.advance(1)
    rig.agent.do_work()
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_quorum_lost", 1000 + TIMEOUT_NS)] * 2


def test_one_active_follower_of_two_is_enough(rig):
    rig.clock.advance(TIMEOUT_NS)
    rig.emit(2, append_position(0, 2))
    rig.agent.do_work()
    assert names(rig) == []


def test_stalled_leader_polls_the_others_first(rig):
    rig.emit(1, append_position(0, 1))
    rig.clock.advance(100 * TIMEOUT_NS)
    rig.agent.do_work()
    assert names(rig) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda agent: agent.set_state(SUSPENDED),
        lambda agent: agent.set_state(SNAPSHOT),
        lambda agent: change_leadership(agent, is_electing=True),
        lambda agent: change_leadership(agent, role=FOLLOWER),
    ],
)
def test_only_a_settled_active_leader_counts_its_followers(change, rig):
    change(rig.agent)
    rig.clock.advance(TIMEOUT_NS)
    rig.agent.do_work()
    assert "on_quorum_lost" not in names(rig)


# ---- its deadlines ----


def test_a_leaders_next_deadline_is_its_heartbeat(rig):
    assert rig.agent.next_due_ns == 1000 + INTERVAL_NS
    change_leadership(rig.agent, is_electing=True)
    change_leadership(rig.agent, is_electing=False)
    assert rig.agent.next_due_ns == AT_ONCE
    change_leadership(rig.agent, recorded_counter_id=None)
    assert rig.agent.next_due_ns == 1000 + TIMEOUT_NS  # its followers time out at that time
    rig.agent.set_member(2, 0, 1500, TERM_ID)
    assert rig.agent.next_due_ns == 1500 + TIMEOUT_NS
    rig.agent.set_member(1, 0, -1, TERM_ID)
    rig.agent.set_member(2, 0, -1, TERM_ID)
    assert rig.agent.next_due_ns == AT_ONCE
    rig.agent.set_state(SUSPENDED)
    assert rig.agent.next_due_ns == NEVER


def test_followers_next_deadline_is_its_report_or_the_leader_timeout(streams):
    rig = MembersRig(streams, leader=1)
    rig.follow()
    assert rig.agent.next_due_ns == AT_ONCE
    rig.settle()
    assert rig.agent.next_due_ns == 1000 + INTERVAL_NS
    rig.agent.set_peer(1, None)
    assert rig.agent.next_due_ns == 1000 + TIMEOUT_NS
    rig.agent.set_termination_position(64)
    assert rig.agent.next_due_ns == 1000 + TIMEOUT_NS
    rig.agent.set_termination_position(rig.agent.notified_commit_position)
    assert rig.agent.next_due_ns == NEVER
    change_leadership(rig.agent, is_electing=True)
    assert rig.agent.next_due_ns == NEVER


def test_one_members_next_deadline_is_the_conductors_or_a_timers(streams):
    rig = ModuleRig(streams)
    assert rig.agent.next_due_ns == NEVER
    rig.agent.set_next(5000, False)
    assert rig.agent.next_due_ns == 5000
    rig.agent.set_next(5000, True)
    assert rig.agent.next_due_ns == AT_ONCE
    rig.agent.set_next(NEVER, False)
    rig.agent.set_timer_deadline(EPOCH_MS + 7)
    assert rig.agent.next_due_ns == 7_001_000
    rig.agent.set_timer_deadline(NEVER - 1)
    assert rig.agent.next_due_ns == NEVER
    rig.agent.set_timer_deadline(EPOCH_MS + 7)
    change_leadership(rig.agent, role=FOLLOWER)
    assert rig.agent.next_due_ns == NEVER


# ---- settings from Python ----


def test_members_are_checked(rig):
    for index in (-1, 3):
        with pytest.raises(IndexError):
            rig.agent.member(index)
        with pytest.raises(IndexError):
            rig.agent.set_peer(index, None)
        with pytest.raises(IndexError):
            rig.agent.set_catching_up(index, True)
    with pytest.raises(IndexError):
        change_leadership(rig.agent, leader_index=3, leadership_term_id=1)
    with pytest.raises(ValueError, match="another member"):
        rig.agent.set_peer(0, None)


def test_new_members_are_unknown(streams):
    rig = MembersRig(streams)
    assert rig.agent.member(1) == (-1, -1, -1)
    rig.agent.set_member(1, 5, 6, 7)
    assert rig.agent.member(1) == (5, 6, 7)
