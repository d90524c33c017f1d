"""Any bytes as a member's message: handled, passed to Python, or dropped and counted."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.codecs.cluster import (
    BackupQuery,
    CanvassPosition,
    NewLeadershipTerm,
    TerminationPosition,
    decode,
)
from aeron_cluster.errors import MessageError
from tests.conftest import SHARED_MEMORY
from tests.fuzz.damaged_messages import any_messages
from tests.unit.cluster.members_rig import IDS, MembersRig, append_position, commit_position
from tests.unit.cluster.module_rig import TERM_ID, change_leadership
from tests.unit.cluster.streams import Streams

VALID = (
    append_position(96, 1),
    append_position(64, 2, term_id=TERM_ID - 1, flags=1),
    commit_position(96, 1),
    commit_position(64, 2, term_id=TERM_ID + 1),
    CanvassPosition.encode(
        log_leadership_term_id=2,
        log_position=96,
        leadership_term_id=TERM_ID,
        follower_member_id=IDS[1],
        protocol_version=0,
    ),
    NewLeadershipTerm.encode(
        log_leadership_term_id=2,
        next_leadership_term_id=-1,
        next_term_base_log_position=-1,
        next_log_position=-1,
        leadership_term_id=TERM_ID,
        term_base_log_position=0,
        log_position=0,
        leader_recording_id=0,
        timestamp=0,
        leader_member_id=IDS[1],
        log_session_id=7,
        app_version=1,
        is_startup=0,
        commit_position=0,
    ),
    TerminationPosition.encode(leadership_term_id=TERM_ID, log_position=96),
    BackupQuery.encode(
        correlation_id=1,
        response_stream_id=2,
        version=0,
        response_channel="aeron:ipc",
        encoded_credentials=bytes(2000),
        log_position=0,
    ),
)


anything = any_messages(VALID)


@contextmanager
def new_rig(leader):
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-test-", dir=SHARED_MEMORY) as directory:
        yield MembersRig(Streams(Path(directory)), leader=leader)


@given(anything, st.sampled_from([0, 1]), st.booleans(), st.booleans())
def test_members_may_send_anything(reported, leader, is_electing, is_trusted):
    with new_rig(leader) as rig:
        change_leadership(rig.agent, is_electing=is_electing)
        rig.refresh()
        rig.conductor.trusts_images = is_trusted
        handed, malformed = [], []

        def take(message, _image, _now_ns):
            handed.append(message)
            try:
                decode(message)
            except MessageError:
                malformed.append(message)
                raise

        rig.conductor.on_consensus_message = take
        before = [rig.agent.member(index) for index in range(3)]
        for message in reported:
            assert rig.from_others[1].publication.offer(message)
        for _ in range(4):
            rig.agent.do_work()
            rig.commit.do_work()
        ignored = sum(rig.ignored().values())
        kept = len(reported) - ignored - len(handed) + len(malformed)
        # Nothing is dropped without a count; only a valid position is handled in C.
        templates = (b"\x36\x00",) if leader == 0 else (b"\x37\x00",)
        candidates = sum(message[2:4] in templates for message in reported)
        assert 0 <= kept <= candidates
        if is_electing or not is_trusted:
            assert kept == 0
            assert [rig.agent.member(index) for index in (1, 2)] == before[1:]
            assert rig.agent.notified_commit_position == 0
        assert rig.agent.notified_commit_position >= 0
        assert rig.commit_position.get() <= max(0, rig.recorded.get())
