"""The quorum position of the hot half against that of the rare half."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster import quorum
from aeron_cluster.cluster.members import Member
from tests.unit.cluster.module_rig import ModuleRig
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
_rig = ModuleRig(Streams(Path(_directory.name)))


@given(members)
def test_quorum_positions_are_equal(told):
    everyone = []
    _rig.agent.set_members(len(told), 0)
    for index, (position, time_ns) in enumerate(told):
        member = Member(index, "i:1", "c:1", "l:1", "t:1", "a:1")
        member.log_position, member.time_of_last_append_ns = position, time_ns
        everyone.append(member)
        _rig.agent.set_member(index, position, time_ns, 0)
    assert _rig.agent.quorum_position(NOW_NS) == quorum.quorum_position(
        everyone, NOW_NS, TIMEOUT_NS
    )
