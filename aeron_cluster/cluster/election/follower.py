"""Follow a known leader: FOLLOWER_LOG_REPLICATION to FOLLOWER_READY.

A follower first copies the terms that it missed, one in each round through CANVASS. Then it reads
the committed part of its log, and joins the current term, first by a replay from the leader if it
lags behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.log.log_replay import REPLAY_INTERVAL_NS
from aeron_cluster.cluster.members.members import NULL_VALUE, Member
from aeron_cluster.codecs.cluster import AppendPosition, CatchupPosition
from aeron_cluster.errors import ClusterError, TimeoutExpiredError

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.host import LogReplication
    from aeron_cluster.cluster.election.progress import ElectionProgress, MissingTerm
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = [
    "catchup",
    "catchup_await",
    "catchup_init",
    "log_await",
    "log_init",
    "log_replication",
    "ready",
    "replay",
]


_T = TypeVar("_T")


def _leader(election: ElectionProgress) -> Member:
    if election.leader is None:
        raise ClusterError(f"{election!r}: expected a leader")
    return election.leader


def _append_position(election: ElectionProgress, position: int) -> bytes:
    return AppendPosition.encode(
        leadership_term_id=election.leadership_term_id,
        log_position=position,
        follower_member_id=election.this_member.member_id,
        flags=0,
    )


# ---- terms that were missed ----


def log_replication(election: ElectionProgress) -> Waiting[None]:
    """Copy a term or the rest of one, and wait until a majority has it."""
    missing = election.missing
    assert missing is not None
    if election.append_position < missing.stop_position:
        missing.deadline_ns = election.now_ns + election.times.heartbeat_timeout_ns
        yield from _replicate(election, missing)
    is_over = missing.leadership_term_id < election.leadership_term_id
    election.host.append_term(
        missing.leadership_term_id,
        missing.term_base_log_position,
        missing.stop_position if is_over else NULL_VALUE,
    )
    election.log_leadership_term_id = missing.leadership_term_id
    election.enter(ElectionState.CANVASS, f"has the log up to {missing.stop_position}")


def _replicate(election: ElectionProgress, missing: MissingTerm) -> Waiting[None]:
    replication = election.host.replicate_log(
        _leader(election), election.leader_recording_id, missing.stop_position, election.now_ns
    )
    try:
        while True:
            replication.poll(election.now_ns)
            if replication.recording_id != NULL_VALUE:
                _note_term(election, missing.leadership_term_id, missing.term_base_log_position)
                _send_replicated_position(election, replication)
            if replication.is_done:
                if election.notified_commit_position >= election.append_position:
                    break
                if election.now_ns >= missing.deadline_ns:
                    raise TimeoutExpiredError(
                        f"timeout awaiting commit position: {election!r}: expected the leader to"
                        f" commit {election.append_position}, found"
                        f" {election.notified_commit_position}"
                    )
            yield
        election.append_position = replication.position
    finally:
        replication.close()


def _note_term(election: ElectionProgress, leadership_term_id: int, term_base: int) -> None:
    """Record that the own log continues in a later term, before reporting its position.

    The reported position counts for a majority. A member that restarted with its log ending in the
    previous term could vote for a leader that truncates it. Upstream's members record the term
    later.
    """
    if election.log_leadership_term_id < leadership_term_id:
        election.host.append_term(leadership_term_id, term_base)
        election.log_leadership_term_id = leadership_term_id


def _send_replicated_position(election: ElectionProgress, replication: LogReplication) -> None:
    """Report the copied position to the leader: it counts for its majority immediately."""
    position = replication.position
    interval_ns = election.times.heartbeat_interval_ns
    is_repeated = position == election.append_position and election.repeats.is_due(
        "append", election.now_ns, interval_ns
    )
    has_advanced = position > election.append_position
    if (has_advanced or is_repeated) and election.host.send(
        _leader(election), _append_position(election, position)
    ):
        election.repeats.sent("append", election.now_ns)
        election.append_position = position


# ---- the own log ----


def replay(election: ElectionProgress) -> Waiting[None]:
    """Read the committed part of the own log; any other part is read in a later round."""
    done = "nothing to replay"
    while election.log_position < election.append_position:
        if election.notified_commit_position == 0:
            if _is_leader_inactive(election):
                election.enter(ElectionState.CANVASS, "leader heartbeat timeout")
                return
            _send_append_position(election)
            yield
            continue
        stop_position = min(election.append_position, election.notified_commit_position)
        if election.log_position >= stop_position:
            relation = "greater than" if election.log_position > stop_position else "equal to"
            election.enter(
                ElectionState.CANVASS,
                f"log replay rejected: logPosition={election.log_position} is {relation}"
                f" quorumPosition={stop_position}",
            )
            return
        for work_count in election.host.replay_log(election.log_position, stop_position):
            election.sleep_until(election.now_ns + REPLAY_INTERVAL_NS)
            yield work_count
        election.log_position = stop_position
        done = "log replay done"
    if election.catchup_join_position != NULL_VALUE:
        election.enter(
            ElectionState.FOLLOWER_CATCHUP_INIT,
            f"{done}, behind {election.catchup_join_position}",
        )
    else:
        election.enter(ElectionState.FOLLOWER_LOG_INIT, done)


def _send_append_position(election: ElectionProgress) -> None:
    interval_ns = election.times.heartbeat_interval_ns
    if election.repeats.is_due("append", election.now_ns, interval_ns) and election.host.send(
        _leader(election), _append_position(election, election.append_position)
    ):
        election.repeats.sent("append", election.now_ns)


def _is_leader_inactive(election: ElectionProgress) -> bool:
    """Whether the leader timed out: upstream's members keep waiting then."""
    since_ns = max(election.entered_ns, election.leader_message_ns)
    return election.now_ns > since_ns + election.times.heartbeat_timeout_ns


# ---- catching up in the current term ----


def catchup_init(election: ElectionProgress) -> Waiting[None]:
    """Request a replay of the missing part of the term from the leader."""
    log, leader = election.host.follower_log, _leader(election)
    yield from log.open(leader, _log_session_id(election))
    endpoint = yield from _in_time(
        election, log.add_catchup_destination(), "failed to add catchup destination"
    )
    message = CatchupPosition.encode(
        leadership_term_id=election.leadership_term_id,
        log_position=election.log_position,
        follower_member_id=election.this_member.member_id,
        catchup_endpoint=endpoint,
    )
    while not election.host.send(leader, message):
        _check_in_time(election, "failed to send catchup position")
        yield
    election.enter(ElectionState.FOLLOWER_CATCHUP_AWAIT, f"from {election.log_position}")


def catchup_await(election: ElectionProgress) -> Waiting[None]:
    """Wait for the replay, record it, and wait until the services read it.

    A leader cannot send a follower that it has purged the beginning of its log. A follower that has
    no log copies it from the leader's archive next: a copy shows where the log begins.
    """
    try:
        yield from _join(election)
    except TimeoutExpiredError:
        election.lacks_replay = election.append_position == 0
        raise
    election.enter(ElectionState.FOLLOWER_CATCHUP, "the replay is joined")


def catchup(election: ElectionProgress) -> Waiting[None]:
    """Read the replay, and join the live log when close to its position."""
    host, log = election.host, election.host.follower_log
    while True:
        work_count = log.poll_catchup(election.notified_commit_position, election.now_ns)
        target = max(election.catchup_join_position, election.notified_commit_position)
        if not log.has_live_destination and log.is_near(target):
            yield from log.add_live_destination()
        position = host.commit_position
        if position >= target and not log.has_catchup_destination and not host.is_taking_snapshot:
            break
        yield work_count
    election.append_position = election.log_position = position
    election.enter(ElectionState.FOLLOWER_LOG_INIT, f"caught up to {position}")


# ---- the live log ----


def log_init(election: ElectionProgress) -> Waiting[None]:
    """Receive the live log, unless it was joined from a replay."""
    log = election.host.follower_log
    if log.is_open:
        election.enter(ElectionState.FOLLOWER_READY, "the log is joined")
        return
    yield from log.open(_leader(election), _log_session_id(election))
    yield from log.add_live_destination()
    election.enter(ElectionState.FOLLOWER_LOG_AWAIT, "")


def log_await(election: ElectionProgress) -> Waiting[None]:
    """Wait for the live log, record it, and wait until the services read it."""
    yield from _join(election)
    election.enter(ElectionState.FOLLOWER_READY, "the log is joined")


def ready(election: ElectionProgress) -> Waiting[None]:
    """Notify the leader, and follow."""
    leader, message = _leader(election), _append_position(election, election.log_position)
    while not election.host.send(leader, message):
        _check_in_time(election, "ready follower failed to notify leader")
        yield
    yield from election.host.complete_as_follower(
        leader,
        election.leadership_term_id,
        election.log_position,
        election.notified_commit_position,
    )
    election.is_node_startup = False
    election.enter(ElectionState.CLOSED, f"follows member {leader.member_id}")


def _log_session_id(election: ElectionProgress) -> int:
    if election.log_session_id is None:
        raise ClusterError(f"{election!r}: expected the session of the leader's log")
    return election.log_session_id


def _join(election: ElectionProgress) -> Waiting[None]:
    log = election.host.follower_log
    kind = "catchup" if log.has_catchup_destination else "live"
    what = f"failed to join {kind} log of member {_leader(election).member_id}, see also its errors"
    yield from _in_time(election, log.await_image(election.log_position), what)
    # It is recorded from now on. A process that starts again finds the recording by this entry, and
    # stops it: the recording may keep the log's address bound as long as the leader sends.
    _note_term(election, election.leadership_term_id, election.log_position)
    # No timeout for the services, which may still read the log of an earlier term. But if the
    # leader is lost meanwhile, this member is needed for the next election.
    joining = log.join(election.log_position, is_startup=election.is_leader_startup)
    try:
        for work_count in joining:
            if _is_leader_inactive(election):
                raise TimeoutExpiredError(
                    f"leader heartbeat timeout: {election!r}: before the services joined its log"
                )
            yield work_count
    finally:
        joining.close()


def _in_time(election: ElectionProgress, steps: Waiting[_T], what: str) -> Waiting[_T]:
    """Run steps that must end within the leader heartbeat timeout."""
    try:
        while True:
            try:
                work_count = next(steps)
            except StopIteration as end:
                value: _T = end.value
                return value
            _check_in_time(election, what)
            yield work_count
    finally:
        steps.close()


def _check_in_time(election: ElectionProgress, what: str) -> None:
    if election.now_ns >= election.entered_ns + election.times.heartbeat_timeout_ns:
        raise TimeoutExpiredError(f"{what}: {election!r}: timeout")
