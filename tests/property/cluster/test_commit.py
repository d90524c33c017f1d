"""The hot half's arithmetic over members, compared with the Python half's."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.members import quorum
from aeron_cluster.cluster.members.members import Member
from tests.conftest import SHARED_MEMORY
from tests.unit.cluster.members_rig import (
    IDS,
    MembersRig,
    append_position,
    commit_position,
)
from tests.unit.cluster.module_rig import ModuleRig, change_leadership
from tests.unit.cluster.streams import Streams

TIMEOUT_NS = 10_000  # the rig's
NOW_NS = 5_000

members = st.lists(
    st.tuples(
        st.sampled_from([-1, 0, 32, 64, 96, 1 << 62]),
        st.sampled_from([-1, 0, NOW_NS, NOW_NS - TIMEOUT_NS, NOW_NS - TIMEOUT_NS + 1]),
    ),
    min_size=1,
    max_size=9,
)

_directory = tempfile.TemporaryDirectory()
_streams = Streams(Path(_directory.name))
_rigs = {}


def rig_of(count):
    """Return a rig with that many members."""
    if count not in _rigs:
        _rigs[count] = ModuleRig(_streams, member_ids=range(count))
    return _rigs[count]


def set_members(agent, positions):
    """Set the members of the hot half, and return the Python half's view."""
    everyone = []
    for index, (position, time_ns) in enumerate(positions):
        member = Member(index, "i:1", "c:1", "l:1", "t:1", "a:1")
        member.log_position, member.time_of_last_append_ns = position, time_ns
        everyone.append(member)
        agent.set_member(index, position, time_ns, 0)
    return everyone


@given(members)
def test_quorum_positions_are_equal(positions):
    agent = rig_of(len(positions)).agent
    everyone = set_members(agent, positions)
    assert agent.quorum_position(NOW_NS) == quorum.quorum_position(everyone, NOW_NS, TIMEOUT_NS)


@given(members, st.integers(0, 2 * TIMEOUT_NS))
def test_active_quorums_are_equal_and_end_at_the_given_time(positions, passed_ns):
    """The own member always counts; the time at which the others no longer suffice is predicted."""
    rig = rig_of(len(positions))
    now_ns = rig.clock.nano_time()
    shifted = [
        (position, time_ns if time_ns == -1 else now_ns + time_ns)
        for position, time_ns in positions
    ]
    everyone = set_members(rig.agent, shifted)
    change_leadership(rig.agent, recorded_counter_id=None)
    due_ns = rig.agent.next_due_ns
    rig.clock.advance(passed_ns)
    now_ns += passed_ns
    everyone[0].time_of_last_append_ns = now_ns
    rig.agent.do_work()
    is_lost = ("on_quorum_lost", now_ns) in rig.conductor.take_calls()
    assert is_lost is not quorum.has_active_quorum(everyone, now_ns, TIMEOUT_NS)
    if len(positions) > 1:
        assert is_lost is (now_ns >= due_ns)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 4), st.integers(0, 20)),
        st.tuples(st.just("record"), st.just(0), st.integers(0, 20)),
        st.tuples(
            st.just("pass"),
            st.just(0),
            st.sampled_from([1, 199, 200, TIMEOUT_NS - 1, TIMEOUT_NS]),
        ),
    ),
    max_size=40,
)


@given(st.sampled_from([2, 3, 4, 5]), steps)
def test_leader_commits_the_same_as_a_model(count, taken):
    """For any reports at any time: the commit counter, and the messages to others."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as directory:
        rig = MembersRig(Streams(Path(directory)), member_ids=IDS[:count])
        everyone = [Member(each, "i:1", "c:1", "l:1", "t:1", "a:1") for each in IDS[:count]]
        committed, due_ns, positions = 0, 0, []
        for kind, index, number in taken:
            if kind == "append" and index < count:
                rig.emit(index, append_position(32 * number, index))
                everyone[index].log_position = 32 * number
                everyone[index].time_of_last_append_ns = rig.clock.nano_time()
            elif kind == "record":
                rig.recorded.set(32 * number)
            elif kind == "pass":
                rig.clock.advance(number)
            now_ns = rig.clock.nano_time()
            rig.agent.do_work()
            rig.commit.do_work()
            recorded = rig.recorded.get()
            everyone[0].log_position, everyone[0].time_of_last_append_ns = recorded, now_ns
            position = min(quorum.quorum_position(everyone, now_ns, TIMEOUT_NS), recorded)
            if position > committed or now_ns >= due_ns:
                positions.append(commit_position(position, 0))
                committed, due_ns = max(committed, position), now_ns + 200
            assert rig.commit_position.get() == committed
        for index in rig.others:
            assert rig.observed(index) == positions
