"""Messages of other members: positions of settled members are handled in C, the rest in Python."""

import json
import struct

import pytest

from aeron_cluster.codecs.cluster import (
    AppendPosition,
    BackupQuery,
    BackupResponse,
    CanvassPosition,
    CatchupPosition,
    Challenge,
    ChallengeResponse,
    CommitPosition,
    EventCode,
    HeartbeatRequest,
    NewLeadershipTerm,
    RequestVote,
    SessionEvent,
    SessionMessageHeader,
    StopCatchup,
    TerminationAck,
    TerminationPosition,
    Vote,
    decode,
)
from aeron_cluster.errors import IgnoredMessageError, MessageError, StateError
from tests.conftest import ROOT
from tests.unit.cluster.members_rig import IDS, MembersRig, append_position, commit_position
from tests.unit.cluster.module_rig import CANDIDATE, FOLLOWER, LEADER, TERM_ID, change_leadership

CANVASS = CanvassPosition.encode(
    log_leadership_term_id=2,
    log_position=96,
    leadership_term_id=TERM_ID,
    follower_member_id=IDS[1],
    protocol_version=0,
)
RARE = (
    CANVASS,
    RequestVote.encode(
        log_leadership_term_id=2,
        log_position=96,
        candidate_term_id=4,
        candidate_member_id=IDS[1],
        protocol_version=0,
    ),
    Vote.encode(
        candidate_term_id=4,
        log_leadership_term_id=2,
        log_position=96,
        candidate_member_id=IDS[0],
        follower_member_id=IDS[1],
        vote=1,
    ),
    CatchupPosition.encode(
        leadership_term_id=TERM_ID,
        log_position=96,
        follower_member_id=IDS[1],
        catchup_endpoint="localhost:1",
    ),
    StopCatchup.encode(leadership_term_id=TERM_ID, follower_member_id=IDS[0]),
    TerminationPosition.encode(leadership_term_id=TERM_ID, log_position=96),
    TerminationAck.encode(leadership_term_id=TERM_ID, log_position=96, member_id=IDS[1]),
)
OF_NO_MEMBER = (RARE[4], RARE[5])
"""A message without a sender id."""
OF_LEADER = (
    *OF_NO_MEMBER,
    BackupResponse.encode(
        correlation_id=1,
        log_recording_id=0,
        log_leadership_term_id=TERM_ID,
        log_term_base_log_position=0,
        last_leadership_term_id=TERM_ID,
        last_term_base_log_position=0,
        commit_position_counter_id=0,
        leader_member_id=IDS[1],
        member_id=IDS[1],
        snapshots=[],
        cluster_members="",
    ),
    Challenge.encode(correlation_id=1, cluster_session_id=-2, encoded_challenge=b"who"),
    SessionEvent.encode(
        cluster_session_id=-2,
        correlation_id=1,
        leadership_term_id=TERM_ID,
        leader_member_id=IDS[1],
        code=EventCode.ERROR,
        version=0,
        leader_heartbeat_timeout_ns=0,
        detail="no",
    ),
)
"""Messages that only a leader sends; the last three answer a query of its list of members."""
OF_A_BACKUP = (
    BackupQuery.encode(
        correlation_id=1,
        response_stream_id=2,
        version=0,
        response_channel="aeron:udp?endpoint=localhost:2",
        encoded_credentials=b"",
        log_position=0,
    ),
    HeartbeatRequest.encode(
        correlation_id=1,
        response_stream_id=2,
        response_channel="aeron:udp?endpoint=localhost:2",
        encoded_credentials=b"",
    ),
    ChallengeResponse.encode(correlation_id=1, cluster_session_id=2, encoded_credentials=b"me"),
)


@pytest.fixture
def leader(streams):
    rig = MembersRig(streams)
    rig.refresh()
    return rig


@pytest.fixture
def follower(streams):
    rig = MembersRig(streams, leader=1)
    rig.follow()
    return rig


def messages_to_python(rig):
    return [call[1] for call in rig.conductor.take_calls() if call[0] == "on_consensus_message"]


# ---- a leader receives positions of followers ----


def test_leader_stores_a_followers_position(leader):
    leader.clock.advance(500)
    leader.emit(1, append_position(96, 1))
    assert leader.agent.do_work() == 1
    assert leader.agent.member(1) == (96, 1500, TERM_ID)
    assert messages_to_python(leader) == []
    assert leader.ignored() == {}


def test_position_of_an_earlier_term_is_passed_to_python(leader):
    earlier = append_position(64, 2, term_id=TERM_ID - 1)
    leader.emit(2, earlier)
    leader.agent.do_work()
    assert messages_to_python(leader) == [earlier]
    assert leader.agent.member(2)[0] == 0
    assert leader.ignored() == {}


def test_a_follower_may_report_a_lower_position_than_before(leader):
    leader.emit(1, append_position(96, 1), append_position(32, 1))
    leader.agent.do_work()
    assert leader.agent.member(1)[0] == 32


def golden():
    """Yield the Java codecs' bytes of the two messages, and their fields."""
    with (ROOT / "tests/golden/codecs.jsonl").open() as lines:
        for line in lines:
            each = json.loads(line)
            if each["schema"] == "cluster" and each["message"] in (
                "AppendPosition",
                "CommitPosition",
            ):
                yield pytest.param(
                    each["message"],
                    bytes.fromhex(each["hex"]),
                    each["read"],
                    id=f"{each['message']} {each['values']}",
                )


@pytest.mark.parametrize(("name", "message", "read"), list(golden()))
def test_positions_are_read_as_the_java_codecs_wrote_them(name, message, read, streams):
    sender = read["followerMemberId" if name == "AppendPosition" else "leaderMemberId"]
    rig = MembersRig(
        streams,
        leader=0 if name == "AppendPosition" else 1,
        member_ids=(12345, sender, 54321),
    )
    term_id = read["leadershipTermId"]
    change_leadership(
        rig.agent, leader_index=0 if name == "AppendPosition" else 1, leadership_term_id=term_id
    )
    rig.refresh()
    rig.emit(1, message)
    rig.agent.do_work()
    if name == "CommitPosition":
        assert rig.agent.notified_commit_position == max(0, read["logPosition"])
        assert messages_to_python(rig) == []
    elif read["flags"] in (0, 255):  # 255: the field's null value
        assert rig.agent.member(1) == (read["logPosition"], 1000, term_id)
        assert messages_to_python(rig) == []
    else:
        assert messages_to_python(rig) == [message]
    assert rig.ignored() == {}


def of_version(message, version, added=0):
    """Return a message with a block longer or shorter than ours."""
    block_length, template_id, schema_id, _ = struct.unpack_from("<HHHH", message)
    block = message[8 : 8 + block_length + min(added, 0)] + b"\xff" * max(added, 0)
    return struct.pack("<HHHH", len(block), template_id, schema_id, version) + block


@pytest.mark.parametrize(
    ("version", "added"), [(7, -1), (16, -1), (17, 8)], ids=["older", "shorter", "newer"]
)
def test_append_positions_of_another_schema_version_are_read(leader, version, added):
    """The flags were added in version 8."""
    leader.emit(1, of_version(append_position(96, 1), version, added))
    leader.agent.do_work()
    assert leader.agent.member(1)[0] == 96
    assert messages_to_python(leader) == []
    assert leader.ignored() == {}


def test_commit_positions_of_a_newer_schema_version_are_read(follower):
    follower.emit(1, of_version(commit_position(96, 1), 17, 8))
    follower.agent.do_work()
    assert follower.agent.notified_commit_position == 96
    assert follower.ignored() == {}


def test_position_of_a_follower_in_catchup_is_passed_to_python(leader):
    flagged = append_position(96, 1, flags=1)
    leader.emit(1, flagged)
    leader.agent.do_work()
    assert messages_to_python(leader) == [flagged]
    assert leader.agent.member(1)[0] == 0
    leader.agent.set_catching_up(1, True)
    plain = append_position(96, 1)
    leader.emit(1, plain)
    leader.emit(2, append_position(96, 2))
    leader.agent.do_work()
    assert messages_to_python(leader) == [plain]
    leader.agent.set_catching_up(1, False)
    leader.emit(1, plain)
    leader.agent.do_work()
    assert messages_to_python(leader) == []
    assert leader.agent.member(1)[0] == leader.agent.member(2)[0] == 96


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (append_position(96, 0), "unknown_member"),  # its own id, from another host
        (append_position(96, 4), "unknown_member"),
        (append_position(96, 1, term_id=TERM_ID + 1), "stale_position"),
        (append_position(96, 1)[:27], "malformed"),
        (b"\x13\x00" + append_position(96, 1)[2:], "malformed"),
        (commit_position(96, 0), "unknown_member"),
        (commit_position(96, 1), "not_from_leader"),  # the same term
        (commit_position(96, 1, term_id=TERM_ID - 1), "stale_position"),
        (commit_position(96, 1)[:27], "malformed"),
        (b"", "malformed"),
        (b"\x08\x00" + CANVASS[2:7], "malformed"),
        (CANVASS[:4] + b"\x70\x00" + CANVASS[6:], "foreign_schema"),
        (CANVASS[:2] + b"\x63\x00" + CANVASS[4:], "unknown_template"),
        (
            SessionMessageHeader.encode(leadership_term_id=3, cluster_session_id=1, timestamp=2),
            "unknown_template",
        ),
    ],
)
def test_message_rejected_by_a_leader_is_counted(message, kind, leader):
    for _ in range(3):
        leader.emit(1, message)
        leader.agent.do_work()
    assert leader.ignored() == {kind: 3}
    assert messages_to_python(leader) == []
    assert leader.agent.member(1)[0] == leader.agent.member(2)[0] == 0
    # Late messages after an election are harmless.
    assert [error.found for error in leader.errors] == [kind] * (kind != "stale_position")
    assert all(isinstance(error, IgnoredMessageError) for error in leader.errors)


# ---- a follower receives the commit position ----


def test_a_follower_retains_the_highest_commit_position(follower):
    follower.clock.advance(500)
    follower.emit(1, commit_position(96, 1), commit_position(64, 1))
    assert follower.agent.do_work() == 2
    # "CommitPosition is not reliable by itself; followers keep the largest"
    assert follower.agent.notified_commit_position == 96
    assert follower.agent.last_leader_update_ns == 1500
    assert messages_to_python(follower) == []
    assert follower.ignored() == {}


def test_higher_term_is_passed_to_python_and_lower_term_is_ignored(follower, leader):
    for rig in (follower, leader):
        higher = commit_position(96, 2, term_id=TERM_ID + 1)
        rig.clock.advance(500)
        rig.emit(2, higher, commit_position(96, 2, term_id=TERM_ID - 1))
        rig.agent.do_work()
        assert messages_to_python(rig) == [higher]
        assert rig.ignored() == {"stale_position": 1}
        assert rig.agent.notified_commit_position == 0
        assert rig.agent.last_leader_update_ns == 1000


def test_commit_position_from_another_member_does_not_reset_the_timeout(follower):
    # "Same term from a member that is not the leader: ignored."
    follower.clock.advance(500)
    follower.emit(2, commit_position(96, 2))
    follower.agent.do_work()
    assert follower.ignored() == {"not_from_leader": 1}
    assert follower.agent.notified_commit_position == 0
    assert follower.agent.last_leader_update_ns == 1000


def test_follower_ignores_append_positions(follower):
    follower.emit(2, append_position(96, 2))
    follower.agent.do_work()
    assert follower.ignored() == {"stale_position": 1}
    assert follower.errors == []


def test_commit_position_is_ignored_without_a_known_leader(follower):
    change_leadership(follower.agent, leader_index=-1, leadership_term_id=TERM_ID)
    follower.emit(1, commit_position(96, 1))
    follower.agent.do_work()
    assert follower.ignored() == {"not_from_leader": 1}


def test_leader_messages_are_accepted_only_from_the_leader(follower):
    """Also in an election, in which the leader is known before the hot half knows it."""
    for is_electing in (False, True):
        change_leadership(follower.agent, is_electing=is_electing)
        change_leadership(
            follower.agent, leader_index=-1 if is_electing else 1, leadership_term_id=TERM_ID
        )
        follower.conductor.members_behind = 0b100
        follower.emit(2, *OF_LEADER)
        follower.agent.do_work()
        assert messages_to_python(follower) == []
        follower.conductor.members_behind = 0b010
        follower.emit(1, *OF_LEADER)
        follower.agent.do_work()
        assert messages_to_python(follower) == list(OF_LEADER)
    assert follower.ignored() == {"not_from_leader": 2 * len(OF_LEADER)}


def test_before_a_leaders_log_is_received_no_message_ends_a_member_or_its_catchup(follower):
    change_leadership(follower.agent, is_electing=True)
    change_leadership(follower.agent, leader_index=-1, leadership_term_id=-1)
    change_leadership(follower.agent, log_leader_index=-1)
    follower.emit(1, *OF_LEADER)
    follower.agent.do_work()
    assert messages_to_python(follower) == []
    assert follower.ignored() == {"not_from_leader": len(OF_LEADER)}


# ---- everything else ----


@pytest.mark.parametrize("message", RARE + OF_A_BACKUP)
@pytest.mark.parametrize("role", [LEADER, FOLLOWER])
def test_all_other_messages_are_passed_to_python(message, role, leader):
    change_leadership(leader.agent, role=role)
    leader.emit(2, message)
    leader.agent.do_work()
    (call,) = (call for call in leader.conductor.take_calls() if call[0] == "on_consensus_message")
    assert call == ("on_consensus_message", message, leader.images[2], 1000)


@pytest.mark.parametrize("role", [LEADER, FOLLOWER, CANDIDATE])
def test_an_election_receives_every_message(role, leader):
    change_leadership(leader.agent, role=role)
    change_leadership(leader.agent, is_electing=True)
    reported = [append_position(96, 1), commit_position(96, 1), *RARE]
    leader.emit(1, *reported)
    leader.agent.do_work()
    assert messages_to_python(leader) == reported
    assert leader.agent.member(1)[0] == 0
    assert leader.agent.notified_commit_position == 0


def test_undecodable_message_is_malformed(leader):
    def reject():
        raise MessageError("a message", "whole", "cut")

    leader.agent.do_work()
    leader.conductor.take_calls()
    leader.emit(1, CANVASS)
    leader.agent.do_work()
    leader.conductor.then = reject
    leader.emit(1, CANVASS, append_position(96, 1))
    leader.agent.do_work()
    assert leader.ignored() == {"malformed": 1}
    assert leader.agent.member(1)[0] == 96


def test_an_exception_in_python_is_raised_after_the_pass(leader):
    def fail():
        raise RuntimeError("no")

    leader.emit(1, append_position(32, 1))
    leader.agent.do_work()
    leader.conductor.then = fail
    leader.emit(1, CANVASS, append_position(96, 1))
    with pytest.raises(RuntimeError, match="no"):
        leader.agent.do_work()
    assert leader.agent.member(1)[0] == 96
    leader.agent.do_work()


def test_ten_fragments_are_polled_in_a_pass(leader):
    leader.emit(1, *(append_position(32 * each, 1) for each in range(25)))
    assert [leader.agent.do_work() for _ in range(4)] == [10, 10, 5, 0]
    assert leader.agent.member(1)[0] == 32 * 24


def test_a_message_in_fragments_is_put_together(leader):
    long = ChallengeResponse.encode(
        correlation_id=1, cluster_session_id=2, encoded_credentials=bytes(5000)
    )
    leader.emit(1, long)
    leader.agent.do_work()
    assert messages_to_python(leader) == [long]


def replace_subscription(rig):
    rig.agent.set_consensus(None)
    rig.agent.set_consensus(rig.consensus)


@pytest.mark.parametrize(
    "end",
    [lambda rig: rig.agent.drop_consensus_image(71), replace_subscription],
    ids=["image", "subscription"],
)
def test_a_partial_message_ends_with_its_image_or_subscription(leader, end):
    leader.emit(
        1,
        ChallengeResponse.encode(
            correlation_id=1, cluster_session_id=2, encoded_credentials=bytes(2000)
        ),
    )
    stream = leader.from_others[1]
    stream.bytes[1408:1412] = bytes(4)  # the second fragment is missing
    leader.agent.do_work()
    end(leader)
    stream.bytes[1408:1412] = (704).to_bytes(4, "little")
    leader.agent.do_work()
    assert messages_to_python(leader) == []


def test_the_subscription_is_not_changed_from_within_its_poll(leader):
    leader.emit(1, append_position(32, 1))
    leader.agent.do_work()
    leader.conductor.then = lambda: leader.agent.set_consensus(None)
    leader.emit(1, CANVASS)
    with pytest.raises(StateError):
        leader.agent.do_work()
    leader.agent.set_consensus(None)
    leader.emit(1, append_position(96, 1))
    assert leader.agent.do_work() == 0


# ---- accepted senders ----


def judged(rig):
    return [call[1] for call in rig.conductor.take_calls() if call[0] == "authorized_members"]


def test_each_image_is_checked_once(leader, streams):
    for _ in range(5):
        leader.emit(1, append_position(96, 1))
        leader.emit(2, append_position(96, 2))
        leader.agent.do_work()
    assert judged(leader) == [leader.images[1], leader.images[2]]
    # Nor again when other images are added or removed.
    late = streams.stream(79, 108)
    images = (late.image(), leader.images[2])
    leader.consensus.set_images(images)
    late.publication.offer(append_position(128, 1))
    leader.emit(2, append_position(96, 2))
    leader.agent.do_work()
    assert judged(leader) == [images[0]]
    assert leader.agent.member(1)[0] == 128


def test_messages_from_no_member_are_dropped(leader):
    leader.conductor.trusts_images = False
    leader.emit(1, append_position(96, 1), *RARE)
    leader.agent.do_work()
    assert leader.ignored() == {"not_a_member": 1 + len(RARE)}
    assert messages_to_python(leader) == []
    change_leadership(leader.agent, is_electing=True)
    leader.emit(1, append_position(96, 1))
    leader.agent.do_work()
    assert leader.ignored() == {"not_a_member": 2 + len(RARE)}
    (error,) = leader.errors
    assert error.found == "not_a_member"


def test_rejected_image_is_checked_again(leader):
    # A name may be resolved later, or again, while its host is sending.
    leader.conductor.trusts_images = False
    leader.emit(1, append_position(96, 1))
    leader.agent.do_work()
    assert leader.agent.member(1)[0] != 96
    leader.conductor.trusts_images = True
    leader.emit(1, append_position(128, 1))
    leader.agent.do_work()
    assert leader.agent.member(1)[0] == 128
    assert judged(leader) == [leader.images[1]] * 2


@pytest.mark.parametrize("message", OF_A_BACKUP)
def test_a_backup_is_no_member_and_authenticates_itself(message, leader):
    leader.conductor.trusts_images = False
    leader.emit(1, message)
    leader.agent.do_work()
    assert messages_to_python(leader) == [message]
    assert leader.ignored() == {}


def test_any_number_of_images_is_checked_correctly(leader, streams):
    """With more images than are remembered, Python is asked again and the result is the same."""
    strangers = [streams.stream(100 + each, 108) for each in range(40)]
    leader.consensus.set_images((*(each.image() for each in strangers), *leader.images.values()))
    known = leader.images.values()
    leader.conductor.authorized_members = lambda image: 0b110 if image in known else 0
    for position in (32, 64):
        for stranger in strangers:
            assert stranger.publication.offer(append_position(1 << 40, 1)) > 0
        leader.emit(1, append_position(position, 1))
        for _ in range(5):
            leader.agent.do_work()
        assert leader.agent.member(1)[0] == position
    assert leader.ignored() == {"not_a_member": 80}


@pytest.mark.parametrize("is_electing", [False, True])
@pytest.mark.parametrize(
    "message",
    [append_position(96, 1), commit_position(96, 1), *(m for m in RARE if m not in OF_NO_MEMBER)],
    ids=lambda message: type(decode(message)).__name__,
)
def test_a_member_sends_only_under_its_own_id(message, is_electing, leader):
    leader.conductor.members_behind = 0b100  # the member at index 2, which claims index 1
    change_leadership(leader.agent, is_electing=is_electing)
    before = leader.agent.member(1)
    leader.emit(1, message, message)
    leader.agent.do_work()
    assert leader.ignored() == {"foreign_member": 2}
    assert messages_to_python(leader) == []
    assert leader.agent.member(1) == before


def test_a_sender_with_another_members_id_is_named(leader):
    leader.conductor.members_behind = 0b100
    leader.emit(1, append_position(96, 1))
    leader.agent.do_work()
    calls = leader.conductor.take_calls()
    assert [call for call in calls if call[0] == "on_member_id_mismatch"] == [
        ("on_member_id_mismatch", leader.images[1], IDS[1])
    ]


def test_a_member_is_accepted_once_its_name_resolves(leader):
    leader.conductor.members_behind = 0b100
    leader.emit(1, append_position(96, 2), append_position(96, 1))
    leader.agent.do_work()
    assert leader.agent.member(2)[0] == 96
    assert leader.ignored() == {"foreign_member": 1}
    leader.conductor.members_behind = 0b110
    leader.emit(1, append_position(128, 1))
    leader.agent.do_work()
    assert leader.agent.member(1)[0] == 128
    leader.conductor.take_calls()
    leader.emit(1, append_position(160, 1), append_position(160, 2))
    leader.agent.do_work()
    assert judged(leader) == []
    assert leader.agent.member(1)[0] == 160


@pytest.mark.parametrize(
    "kind", [CanvassPosition, RequestVote, Vote, NewLeadershipTerm, CatchupPosition, TerminationAck]
)
def test_a_message_that_is_truncated_before_its_member_id_has_no_sender(kind, leader):
    """Python decodes and rejects it; that its sender is a member has been checked."""
    truncated = struct.pack("<HHHH", 16, kind.template_id, 111, 16) + struct.pack("<qq", 2, 96)
    leader.emit(1, truncated)
    leader.agent.do_work()
    assert messages_to_python(leader) == [truncated]
    leader.conductor.members_behind = 0
    leader.emit(2, truncated)
    leader.agent.do_work()
    assert messages_to_python(leader) == []
    assert leader.ignored() == {"not_a_member": 1}


@pytest.mark.parametrize("member_id", [-(2**31), -1, 99, IDS[0]])
def test_id_of_no_other_member_is_unknown(member_id, leader):
    for message in (
        AppendPosition.encode(
            leadership_term_id=TERM_ID, log_position=96, follower_member_id=member_id, flags=0
        ),
        CommitPosition.encode(
            leadership_term_id=TERM_ID, log_position=96, leader_member_id=member_id
        ),
    ):
        leader.emit(1, message)
    leader.agent.do_work()
    kind = "malformed" if member_id == -(2**31) else "unknown_member"
    assert leader.ignored() == {kind: 2}
