"""Events of the messages between members.

The ``logOn...`` methods of ConsensusModuleAgent. Append and commit positions are recorded where
they are received, without the GIL (`cluster/agent/consensus_adapter.pyx`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.time_unit import time_unit_name
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.events.codes import ClusterEvent

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import ClusterTimeUnit
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["log_message", "log_standby_snapshot"]


def log_message(events: EventRecorder, message: Message, member_id: int) -> None:
    """Record a message of another member, if upstream has an event for it.

    Parameters
    ----------
    events : EventRecorder
    message : Message
    member_id : int
        The member that received it.
    """
    if events.log is None:
        return
    match message:
        case codecs.NewLeadershipTerm():
            events.record(
                ClusterEvent.NEW_LEADERSHIP_TERM,
                log_leadership_term_id=message.log_leadership_term_id,
                next_leadership_term_id=message.next_leadership_term_id,
                next_term_base_log_position=message.next_term_base_log_position,
                next_log_position=message.next_log_position,
                leadership_term_id=message.leadership_term_id,
                term_base_log_position=message.term_base_log_position,
                log_position=message.log_position,
                commit_position=message.commit_position,
                leader_recording_id=message.leader_recording_id,
                timestamp=message.timestamp,
                member_id=member_id,
                leader_id=message.leader_member_id,
                log_session_id=message.log_session_id,
                app_version=message.app_version,
                is_startup=bool(message.is_startup),
            )
        case codecs.CanvassPosition():
            events.record(
                ClusterEvent.CANVASS_POSITION,
                log_leadership_term_id=message.log_leadership_term_id,
                log_position=message.log_position,
                leadership_term_id=message.leadership_term_id,
                follower_member_id=message.follower_member_id,
                protocol_version=message.protocol_version,
                member_id=member_id,
            )
        case codecs.RequestVote():
            events.record(
                ClusterEvent.REQUEST_VOTE,
                log_leadership_term_id=message.log_leadership_term_id,
                log_position=message.log_position,
                candidate_term_id=message.candidate_term_id,
                candidate_id=message.candidate_member_id,
                protocol_version=message.protocol_version,
                member_id=member_id,
            )
        case codecs.Vote():
            events.record(
                ClusterEvent.VOTE,
                log_leadership_term_id=message.log_leadership_term_id,
                log_position=message.log_position,
                candidate_term_id=message.candidate_term_id,
                candidate_id=message.candidate_member_id,
                voter_id=message.follower_member_id,
                member_id=member_id,
                vote=bool(message.vote),
            )
        case codecs.CatchupPosition():
            events.record(
                ClusterEvent.CATCHUP_POSITION,
                leadership_term_id=message.leadership_term_id,
                log_position=message.log_position,
                follower_member_id=message.follower_member_id,
                member_id=member_id,
                catchup_endpoint=message.catchup_endpoint,
            )
        case codecs.StopCatchup():
            events.record(
                ClusterEvent.STOP_CATCHUP,
                leadership_term_id=message.leadership_term_id,
                follower_member_id=message.follower_member_id,
                member_id=member_id,
            )
        case codecs.TerminationPosition():
            events.record(
                ClusterEvent.TERMINATION_POSITION,
                log_leadership_term_id=message.leadership_term_id,
                log_position=message.log_position,
                member_id=member_id,
            )
        case codecs.TerminationAck():
            events.record(
                ClusterEvent.TERMINATION_ACK,
                log_leadership_term_id=message.leadership_term_id,
                log_position=message.log_position,
                member_id=member_id,
                sender_member_id=message.member_id,
            )
        case _:
            pass


def log_standby_snapshot(
    events: EventRecorder,
    snapshot: codecs.StandbySnapshot.Snapshots,
    member_id: int,
    time_unit: ClusterTimeUnit,
) -> None:
    """Record a snapshot of a standby that enters the recording log."""
    events.record(
        ClusterEvent.STANDBY_SNAPSHOT_NOTIFICATION,
        recording_id=snapshot.recording_id,
        leadership_term_id=snapshot.leadership_term_id,
        term_base_leadership_position=snapshot.term_base_log_position,
        log_position=snapshot.log_position,
        timestamp=snapshot.timestamp,
        member_id=member_id,
        service_id=snapshot.service_id,
        time_unit=time_unit_name(time_unit),
        archive_endpoint=snapshot.archive_endpoint,
    )
