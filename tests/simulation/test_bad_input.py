"""A member with wrong files, messages or behaviour is reported, and the others continue."""

import contextlib
import errno
import struct
import sys

import pytest

from aeron_cluster.cluster.election.catchup_replays import CatchupReplays
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.module import consensus_module
from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.archive import PurgeRecordingRequest, PurgeSegmentsRequest
from aeron_cluster.codecs.cluster import CanvassPosition, NewLeadershipTerm, RequestVote
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    ClusterError,
    DamagedLogError,
    DivergenceError,
    ElectionRestartError,
    LeadershipTermError,
    LogMismatchError,
    MemberIdMismatchError,
    MemberVersionError,
    ServiceCallbackError,
    ServiceError,
    SnapshotError,
    StalledError,
    TimeoutExpiredError,
    UnknownSourceError,
)
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import (
    FILES,
    S,
    Scenario,
    Slow,
    election_of,
    send_to_archive,
    term_of,
)

NEXT_VERSION = 2 << 16
HEADER_LENGTH = 8
PROTOCOL_VERSION_OFFSET = HEADER_LENGTH + 28
NEXT_BASE_OFFSET = HEADER_LENGTH + 16
FRAME_LENGTH = 32
SEGMENT = 64 * 1024
FAR_TERM = 1 << 40


class DifferingService(Scenario):
    """A cluster in which one member has other options than the rest."""

    def __init__(self, *given, **options):
        self.differing = {}  # options, some by component
        self.differing_member = None
        super().__init__(*given, **options)

    def node_options(self, member):
        options = super().node_options(member)
        if member is self.differing_member:
            for name, value in self.differing.items():
                if isinstance(value, dict):
                    options[name] = {**options[name], **value}
                else:
                    options[name] = value
        return options

    def restart(self, member, **differing):
        """Restart a member with its own options."""
        self.differing_member, self.differing = member, differing
        member.errors.clear()
        if member.is_running:
            member.kill()
        member.start()

    def await_named(self, kind, *members):
        """Wait until one of the members reports an error with the given text; return it."""

        def named():
            return [error for each in members for error in each.errors if type(error) is kind]

        self.run_until(named, what=kind.__name__)
        return named()[0]

    def await_end(self, member):
        self.run_until(lambda: member.state is MemberState.ENDED, what="the end of the member")

    def go_on_without(self, member):
        """Check that the other members serve and that none of them has ended."""
        self.send_request()
        assert all(each.is_running for each in self.members if each is not member)

    def mend(self, member):
        """Start the member like the others, and check that it has caught up."""
        self.restart(member)
        self.send_request()
        self.await_equal()


@pytest.fixture
def cluster():
    with DifferingService() as made:
        made.begin().send_request()
        made.await_equal()
        yield made


def test_a_member_with_another_version_of_the_services_ends(cluster):
    differing, leader = cluster.followers[0], cluster.leader()
    ended = []
    module = {"app_version": NEXT_VERSION, "termination_hook": lambda: ended.append(True)}
    cluster.restart(differing, consensus_module=module, container={"app_version": NEXT_VERSION})
    cluster.await_end(differing)
    assert ended == [True]
    error = cluster.await_named(MemberVersionError, differing)
    assert (error.member_id, error.leadership_term_id) == (leader.member_id, term_of(leader))
    assert error.log_position >= 0
    assert "application version 0.0.1, expected 2.x.y" in str(error)
    assert "run the same version of the services on every member" in str(error)
    cluster.go_on_without(differing)
    cluster.mend(differing)


def test_a_member_restarts_from_an_earlier_snapshot_after_the_validation_of_its_recording_log(
    cluster,
):
    cluster.snapshot()
    cluster.send_request()
    cluster.await_equal()
    differing = cluster.followers[0]
    (lost,) = [
        each for each in cluster.entries(differing, EntryType.SNAPSHOT) if each.service_id == 0
    ]
    send_to_archive(differing, PurgeRecordingRequest, recording_id=lost.recording_id)
    cluster.run_for(S)
    differing.module.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
    cluster.run_until(
        lambda: not any(each.is_valid for each in cluster.entries(differing, EntryType.SNAPSHOT)),
        what="invalid entries",
    )
    cluster.mend(differing)


def test_an_error_handler_that_raises_prevents_no_election(cluster):
    handled = []

    def handle(error):
        handled.append(error)
        raise ValueError("of the user's handler")

    differing, leader = cluster.followers[0], cluster.leader()
    cluster.restart(differing, consensus_module={"error_handler": handle})
    cluster.await_equal()
    leader.kill()
    cluster.await_other_leader(leader)
    assert differing.is_running
    assert any(isinstance(error, ElectionRestartError) for error in handled)


def test_a_member_of_another_protocol_version_has_no_vote(cluster, monkeypatch):
    differing, leader = cluster.followers[0], cluster.leader()
    send = Leadership.send

    def send_otherwise(self, member, message):
        kinds = (CanvassPosition.template_id, RequestVote.template_id)
        is_differing = self._context.options.member_id == differing.member_id
        if is_differing and int.from_bytes(message[2:4], "little") in kinds:
            message = bytearray(message)
            struct.pack_into("<i", message, PROTOCOL_VERSION_OFFSET, NEXT_VERSION)
        return send(self, member, bytes(message))

    with monkeypatch.context() as patch:
        patch.setattr(Leadership, "send", send_otherwise)
        cluster.restart(differing)
        error = cluster.await_named(MemberVersionError, leader)
        assert error.member_id == differing.member_id
        assert error.log_position > 0
        assert "uses version 2.x of the consensus protocol, expected 1.x" in str(error)
        cluster.go_on_without(differing)
        leader.errors.clear()
        cluster.run_for(5 * S)
        assert leader.errors == []  # named once
    cluster.mend(differing)


def test_member_with_an_id_unknown_to_the_others_is_named(cluster):
    differing, leader = cluster.followers[0], cluster.leader()
    members = cluster.node_options(differing)["members"].split("|")
    place = differing.member_id
    members[place] = members[place].replace(f"{place},", "7,", 1)
    cluster.restart(differing, members="|".join(members), member_id=7)
    error = cluster.await_named(MemberIdMismatchError, leader)
    assert (error.member_id, error.leadership_term_id) == (7, term_of(leader))
    assert error.log_position > 0
    assert "give every member the same aeron.cluster.members" in error.remedy
    cluster.go_on_without(differing)
    cluster.mend(differing)


def test_member_with_another_members_id_is_named(cluster):
    differing, leader = cluster.followers[0], cluster.leader()
    other = cluster.followers[1]
    members = cluster.node_options(differing)["members"].split("|")
    own, others = differing.member_id, other.member_id
    swapped = [each.partition(",")[2] for each in members]
    swapped[own], swapped[others] = swapped[others], swapped[own]
    members = [f"{member_id},{each}" for member_id, each in enumerate(swapped)]
    cluster.restart(differing, members="|".join(members), member_id=others)
    error = cluster.await_named(MemberIdMismatchError, leader)
    assert (error.member_id, error.leadership_term_id) == (others, term_of(leader))
    assert error.log_position > 0
    assert f"expected one of member {own}" in str(error)
    assert "each its own aeron.cluster.member.id" in error.remedy
    cluster.go_on_without(differing)
    cluster.mend(differing)


def test_member_with_a_list_lacking_the_leader_ignores_it(cluster):
    differing, leader = cluster.followers[0], cluster.leader()
    members = cluster.node_options(differing)["members"].split("|")
    del members[leader.member_id]
    cluster.restart(differing, members="|".join(members))
    error = cluster.await_named(UnknownSourceError, differing)
    assert (error.member_id, error.leadership_term_id) == (differing.member_id, term_of(differing))
    assert error.log_position >= 0
    assert f"node{leader.member_id}" not in error.expected
    assert "give every member the same aeron.cluster.members" in error.remedy
    cluster.go_on_without(differing)
    cluster.mend(differing)


def promise(differing, term_id):
    """Set a stopped member's candidate term; return its earlier one."""
    with NodeState(differing.machine.files, f"{FILES}/cluster") as state:
        before = state.candidate_term
        state.update(term_id, before.log_position, before.timestamp)
    return before.candidate_term_id


def test_candidate_term_of_no_election_is_rejected_with_its_file(cluster):
    differing = cluster.followers[0]
    differing.kill()
    before = promise(differing, FAR_TERM)
    cluster.restart(differing)
    cluster.await_end(differing)
    error = differing.failure
    assert type(error) is LeadershipTermError
    assert (error.member_id, error.found) == (differing.member_id, FAR_TERM)
    assert error.where == f"{FILES}/cluster/node-state.dat: candidate term"
    cluster.go_on_without(differing)
    promise(differing, before)
    cluster.mend(differing)


def test_a_candidate_for_a_term_too_far_ahead_is_named_and_the_others_continue(
    cluster, monkeypatch
):
    differing, leader = cluster.followers[0], cluster.leader()
    term_id, election_count = term_of(leader), leader.module.counters.election_count.get()
    differing.kill()
    before = promise(differing, FAR_TERM)
    with monkeypatch.context() as patch:
        patch.setattr(consensus_module, "check_promise", lambda *_: None)  # like Java's members
        cluster.restart(differing)
        error = cluster.await_named(LeadershipTermError, leader)
        assert (error.member_id, error.leadership_term_id) == (differing.member_id, term_id)
        assert error.found >= FAR_TERM
        assert error.log_position > 0
        assert "RequestVote rejected: expected a term up to" in str(error)
        leader.errors.clear()
        cluster.run_for(30 * S)
        assert leader.errors == []  # named once
        assert term_of(leader) == term_id
        assert leader.module.counters.election_count.get() == election_count
        cluster.go_on_without(differing)
        differing.kill()
    promise(differing, before)
    cluster.mend(differing)


def test_a_candidate_for_a_term_too_far_ahead_does_not_prevent_a_leader(cluster, monkeypatch):
    differing, leader = cluster.followers[0], cluster.leader()
    differing.kill()
    promise(differing, FAR_TERM)
    monkeypatch.setattr(consensus_module, "check_promise", lambda *_: None)
    cluster.restart(differing)  # with all of the log: it becomes candidate itself
    term_id = term_of(leader)
    leader.kill()
    leader.start()
    elected = cluster.await_leader()
    assert elected is not differing
    assert term_id < term_of(elected) < FAR_TERM
    cluster.run_for(30 * S)
    assert cluster.leader() is elected


def test_log_contradicting_the_recording_log_prevents_leading(cluster):
    differing, leader = cluster.followers[0], cluster.leader()
    differing.kill()
    recording_id, term_id = cluster.log_recording(differing), term_of(leader) + 1
    with RecordingLog(differing.machine.files, f"{FILES}/cluster") as log:
        log.append_term(recording_id, term_id, 1 << 20, 0)
    cluster.restart(differing)
    cluster.await_end(differing)
    error = cluster.await_named(LogMismatchError, differing)
    assert (error.member_id, error.leadership_term_id) == (differing.member_id, term_id)
    assert 0 < error.log_position < 1 << 20
    assert "expected the log up to 1048576 at least" in str(error)
    assert "start it with its archive and cluster directories" in str(error)
    cluster.go_on_without(differing)
    cluster.start_blank(differing)
    cluster.await_equal()


def test_member_with_services_ahead_of_the_leader_ends_and_recovers(cluster, monkeypatch):
    differing, leader = cluster.followers[0], cluster.leader()
    send, position = Leadership.send, differing.commit_position - FRAME_LENGTH

    def send_otherwise(self, member, message):
        kind = int.from_bytes(message[2:4], "little")
        if member.member_id == differing.member_id and kind == NewLeadershipTerm.template_id:
            message = bytearray(message)
            struct.pack_into("<q", message, NEXT_BASE_OFFSET, position)
        return send(self, member, bytes(message))

    with monkeypatch.context() as patch:
        patch.setattr(Leadership, "send", send_otherwise)
        differing.module._conductor._running.begin_election_now("raised by the test")
        cluster.await_end(differing)
    error = cluster.await_named(LogMismatchError, differing)
    assert (error.member_id, error.log_position) == (differing.member_id, position)
    assert error.leadership_term_id == term_of(leader)
    assert f"have read here, up to {position + FRAME_LENGTH}" in error.condition
    assert "start it again" in error.remedy
    cluster.go_on_without(differing)
    cluster.mend(differing)


@pytest.mark.parametrize("fails", ["the error log", "the handler"])
def test_a_failed_election_restarts_even_when_reporting_fails(cluster, monkeypatch, fails):
    old, rest = cluster.leader(), cluster.followers
    append_term = Leadership.append_term
    failed = []

    def append_once_not(self, *given):
        by_id = {each.member_id: each for each in rest}
        member = by_id.get(self._context.options.member_id)
        if failed or member is None or election_of(member) is not ElectionState.LEADER_INIT:
            append_term(self, *given)
            return
        failed.append(member)
        if fails == "the error log":
            member.machine.files.fail("write_at", errno.EIO)
        else:

            def reject(error):
                member.module._then_report = member.errors.append
                member.errors.append(error)
                raise ValueError("not reported")

            member.module._then_report = reject
        raise OSError(errno.EIO, "no term is recorded")

    with monkeypatch.context() as patch:
        patch.setattr(Leadership, "append_term", append_once_not)
        old.kill()
        cluster.await_other_leader(old)
    (member,) = failed
    found = [str(error) for error in member.errors if not isinstance(error, ClusterError)]
    assert any("no term is recorded" in each for each in found)
    also = "cluster-mark.dat" if fails == "the error log" else "not reported"
    assert any(also in each for each in found)
    old.start()
    cluster.send_request()
    cluster.await_equal()


def test_a_message_of_the_own_log_that_is_invalid_ends_the_member():
    """Without a checksum only the module detects it, and in each election again."""
    options = {"archive": {"record_checksum": "none"}}
    with DifferingService(options=options) as cluster:
        cluster.begin().send_request(4)
        cluster.await_equal()
        differing = cluster.followers[0]
        end = differing.commit_position
        differing.kill()
        path = f"{FILES}/archive/{cluster.log_recording(differing)}-0.rec"
        with differing.machine.files.open(path, write=True) as file:
            # The block length of the first message, the event of the first term.
            file.write_at(b"\xff\xff", FRAME_LENGTH)
        cluster.restart(differing)
        cluster.await_end(differing)
        error = cluster.await_named(DamagedLogError, differing)
        assert error.member_id == differing.member_id
        assert FRAME_LENGTH < error.log_position < end
        assert "start it without its archive" in error.remedy
        cluster.go_on_without(differing)
        cluster.start_blank(differing)
        cluster.await_equal()


def purge_by_hand(cluster, *members):
    """Have members' archives purge all but the last log segment, regardless of need."""
    for member in members:
        send_to_archive(
            member,
            PurgeSegmentsRequest,
            recording_id=cluster.log_recording(member),
            new_start_position=member.commit_position // SEGMENT * SEGMENT,
        )


def test_a_member_without_the_purged_log_is_named_and_a_blank_one_ends():
    with DifferingService(options={"archive": {"segment_file_length": SEGMENT}}) as cluster:
        cluster.begin().send_request()
        cluster.await_equal()
        differing, leader = cluster.followers[0], cluster.leader()
        end = differing.commit_position
        differing.kill()
        cluster.send_request(120, padding=1200)
        cluster.snapshot(*cluster.followers, leader)
        others = [each for each in cluster.members if each is not differing]
        purge_by_hand(cluster, *others)

        # In its current term it requests a replay from the leader, which reports the rejection.
        cluster.restart(differing)
        named = [cluster.await_named(LogMismatchError, leader)]
        # In a later term it copies the missed terms. The leader is restarted once another member is
        # elected: one that leads for the first time since its start closes the client's session.
        (other,) = (each for each in others if each is not leader)
        leader.kill()
        cluster.run_until(
            lambda: election_of(other) is ElectionState.LEADER_LOG_REPLICATION,
            what="the election of the other member",
        )
        leader.start()
        cluster.await_leader()
        named.append(cluster.await_named(LogMismatchError, differing))
        for error in named:
            assert (error.member_id, error.log_position) == (differing.member_id, end)
            assert "aeron-cluster restore" in error.remedy
        assert differing.is_running
        cluster.go_on_without(differing)

        # Without earlier state it copies the available log and cannot begin with it.
        differing.kill()
        differing.errors.clear()
        cluster.start_blank(differing)
        cluster.await_end(differing)
        error = cluster.await_named(LogMismatchError, differing)
        assert (error.member_id, error.log_position) == (differing.member_id, 0)
        cluster.go_on_without(differing)


def test_a_blank_member_without_the_purged_log_ends_in_the_first_term_too():
    """Its leader rejects the replay, without a message that could say so."""
    with DifferingService(options={"archive": {"segment_file_length": SEGMENT}}) as cluster:
        cluster.begin().send_request(120, padding=1200)
        cluster.await_equal()
        differing, leader = cluster.followers[0], cluster.leader()
        differing.kill()
        cluster.snapshot(*cluster.followers, leader)
        purge_by_hand(cluster, *(each for each in cluster.members if each is not differing))
        differing.errors.clear()
        cluster.start_blank(differing)
        cluster.await_end(differing)
        assert term_of(leader) == 0
        error = cluster.await_named(LogMismatchError, differing)
        assert (error.member_id, error.log_position) == (differing.member_id, 0)
        assert "aeron-cluster restore" in error.remedy
        cluster.go_on_without(differing)


def test_a_blank_member_without_a_replay_copies_the_open_term(monkeypatch):
    with DifferingService() as cluster:
        cluster.begin().send_request(40)
        cluster.await_equal()
        differing, leader = cluster.followers[0], cluster.leader()
        differing.kill()
        with monkeypatch.context() as patch:
            patch.setattr(CatchupReplays, "on_catchup_position", lambda *_: None)
            cluster.start_blank(differing)
            cluster.run_until(
                lambda: election_of(differing) is ElectionState.FOLLOWER_LOG_REPLICATION,
                what="a copy of the term",
            )
        cluster.send_request()
        cluster.await_equal()
        assert term_of(differing) == term_of(leader) == 0
        (term,) = cluster.entries(differing, EntryType.TERM)
        assert (term.leadership_term_id, term.log_position) == (0, -1)


@pytest.mark.parametrize("owner", [-1, 0], ids=["module", "service"])
def test_snapshot_failing_its_check_is_named_and_can_be_left_out(cluster, owner):
    cluster.snapshot()
    differing = cluster.followers[0]
    differing.kill()
    entry = next(
        each for each in cluster.entries(differing, EntryType.SNAPSHOT) if each.service_id == owner
    )
    with differing.machine.files.open(
        f"{FILES}/archive/{entry.recording_id}-0.rec", write=True
    ) as file:
        file.write_at(b"\xff" * 8, FRAME_LENGTH + HEADER_LENGTH)  # the type of the snapshot mark
    cluster.restart(differing)
    cluster.await_end(differing)
    error = cluster.await_named(SnapshotError if owner < 0 else ServiceError, differing)
    assert error.member_id == differing.member_id
    assert error.leadership_term_id == entry.leadership_term_id
    assert error.log_position == entry.log_position
    assert "aeron-cluster invalidate-latest-snapshot" in error.remedy
    cluster.go_on_without(differing)
    cluster.invalidate_snapshot(differing)
    cluster.mend(differing)


def test_snapshot_lost_by_the_archive_is_named(cluster):
    cluster.snapshot()
    differing = cluster.followers[0]
    (entry,) = (
        each for each in cluster.entries(differing, EntryType.SNAPSHOT) if each.service_id < 0
    )
    send_to_archive(differing, PurgeRecordingRequest, recording_id=entry.recording_id)
    cluster.run_for(S)
    cluster.restart(differing)
    cluster.await_end(differing)
    error = cluster.await_named(SnapshotError, differing)
    assert (error.member_id, error.log_position) == (differing.member_id, entry.log_position)
    cluster.go_on_without(differing)
    cluster.invalidate_snapshot(differing)
    cluster.mend(differing)


def test_module_with_a_closed_client_ends_for_that_reason(cluster):
    differing = cluster.followers[0]
    differing.module._aeron.close()
    cluster.await_end(differing)
    assert type(differing.failure) is AgentTerminationError
    assert "consensus module" in str(differing.failure)
    assert not [error for error in differing.errors if type(error) is ClosedError]
    cluster.go_on_without(differing)
    cluster.mend(differing)


@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(3)], ids=repr)
def test_an_exception_of_a_hook_is_reported_and_the_module_ends_for_its_own_reason(cluster, raised):
    def hook():
        raise raised

    differing = cluster.followers[0]
    cluster.restart(differing, consensus_module={"termination_hook": hook})
    cluster.await_equal()
    differing.module._aeron.close()
    cluster.await_end(differing)
    assert type(differing.failure) is AgentTerminationError
    assert "consensus module" in str(differing.failure)
    assert [each for each in differing.errors if raised in (each, each.__cause__)]
    cluster.go_on_without(differing)


class Stalling(Slow):
    """Delays one request on one member."""

    stall_ns = 15 * S
    is_blocking = False
    is_over = False

    def on_session_message(self, session, timestamp, message, header):
        is_differing = self.member_id == self.scenario.stalled_id and self.state.sequence == 5
        self.delay_ns = self.stall_ns if is_differing and not self.is_over else 0
        self.is_over = self.is_over or is_differing
        super().on_session_message(session, timestamp, message, header)

    def wait(self, duration_ns):
        if self.is_blocking:
            self.scenario.world.time.advance(duration_ns)
        else:
            super().wait(duration_ns)


class Blocking(Stalling):
    stall_ns = 3 * S  # for all members, since time is shared
    is_blocking = True


def test_stalled_service_is_named_while_the_others_continue():
    with DifferingService(services=Stalling) as cluster:
        cluster.stalled_id = -1
        cluster.begin().send_request()
        differing = cluster.followers[0]
        cluster.stalled_id = differing.member_id
        cluster.send_request()
        error = cluster.await_named(ServiceError, differing)
        assert (error.member_id, error.leadership_term_id) == (
            differing.member_id,
            term_of(differing),
        )
        assert error.log_position > 0
        assert "do long work outside of callbacks" in error.remedy
        assert cluster.client.responses[-1].time_ns < differing.services[0].service.done_ns
        cluster.go_on_without(differing)
        cluster.await_equal()
        # Only when it begins to be too long, and when it is twice as long.
        assert len([each for each in differing.errors if type(each) is ServiceError]) == 4


def test_blocking_service_is_named_when_it_resumes():
    with DifferingService(services=Blocking) as cluster:
        cluster.stalled_id = -1
        cluster.begin().send_request()
        differing = cluster.followers[0]
        cluster.stalled_id = differing.member_id
        cluster.drop_client()
        cluster.send_request()
        error = cluster.await_named(ServiceError, differing)
        assert error.member_id == differing.member_id
        assert "in one pass for 3.0 s so far" in str(error)
        cluster.await_equal()


class Hanging(Stalling):
    stall_ns = 12 * S  # longer than the drivers' client timeout
    is_blocking = True


@pytest.mark.parametrize("layout", ["node", "apart"])
def test_service_blocking_past_the_driver_timeout_is_named_on_both_sides(layout):
    with DifferingService(services=Hanging, layout=layout) as cluster:
        cluster.stalled_id = -1
        cluster.begin().send_request()
        differing = cluster.followers[0]
        place = differing.member_id, term_of(differing)
        cluster.stalled_id = differing.member_id
        cluster.drop_client()
        with contextlib.suppress(TimeoutExpiredError):
            cluster.send_request()
        for member in cluster.members:  # since time is shared
            cluster.await_end(member)
        module, container = (error for error in differing.errors if type(error) is StalledError)
        for error in (module, container):
            assert (error.member_id, error.leadership_term_id) == place
            assert error.log_position > 0
            assert (error.stalled_ns // S, error.limit_ns // S) == (12, 10)
            assert "outside of callbacks" in error.remedy
            assert "aeron.client.liveness.timeout" in error.remedy
        assert "consensus module stalled for" in str(module)
        assert "the log in one pass took 12.0 s" in str(container)
        others = [each for each in cluster.members if each is not differing]
        for member in others:
            _, container = (error for error in member.errors if type(error) is StalledError)
            assert "or the process was stopped" in str(container)


class Exiting(ReferenceService):
    """Requests the end of the process at one request, on all members."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if self.state.sequence == 3:
            sys.exit(3)


def test_exiting_service_is_named_and_all_continue_after_a_restart():
    with DifferingService(services=Exiting) as cluster:
        cluster.begin().send_request()
        cluster.await_equal()
        for times in (1, 2):
            for member in cluster.members:
                named = [each for each in member.errors if type(each) is ServiceCallbackError]
                assert len(named) == times
                assert named[-1].member_id == member.member_id
                assert named[-1].leadership_term_id >= 0
                assert named[-1].log_position > 0
                assert isinstance(named[-1].__cause__, SystemExit)
                assert member.is_running
            if times == 1:
                cluster.restart_all()
        cluster.send_request()


class NeverStarting(ReferenceService):
    """Requests the end of the process in its start, on one member."""

    def on_start(self, cluster, snapshot_image):
        if self.member_id == self.scenario.stalled_id:
            sys.exit("no configuration")
        super().on_start(cluster, snapshot_image)


def test_service_exiting_in_its_start_is_named():
    with DifferingService(services=NeverStarting) as cluster:
        cluster.stalled_id = -1
        cluster.begin().send_request()
        differing = cluster.followers[0]
        cluster.stalled_id = differing.member_id
        cluster.restart(differing)
        cluster.await_end(differing)
        error = cluster.await_named(ServiceCallbackError, differing)
        assert (error.callback, error.member_id, error.log_position) == (
            "on_start",
            differing.member_id,
            0,
        )
        assert isinstance(error.__cause__, SystemExit)
        assert cluster.await_named(ServiceError, differing).member_id == differing.member_id
        cluster.go_on_without(differing)


class Raising(ReferenceService):
    """Raises at one request, on one member."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if self.member_id == 1 and self.state.sequence == 3:
            raise RuntimeError("the third")


def test_an_exception_of_a_service_is_named_with_its_place():
    with DifferingService(services=Raising) as cluster:
        cluster.begin().send_request()
        differing = cluster.members[1]
        error = cluster.await_named(ServiceCallbackError, differing)
        assert (error.member_id, error.leadership_term_id) == (1, term_of(cluster.leader()))
        assert error.log_position > 0
        assert isinstance(error.__cause__, RuntimeError)
        assert "fix the service wherever it runs" in str(error)
        cluster.send_request()
        assert all(each.is_running for each in cluster.members)


class Diverging(ReferenceService):
    """Answers one request differently on one member, only in its second run."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if self.member_id == self.scenario.diverging_id and self.state.sequence == 3:
            session.offer(b"something else")


def test_service_diverging_from_its_log_is_named():
    options = {"container": {"divergence_interval": 32}}
    with DifferingService(services=Diverging, options=options) as cluster:
        cluster.diverging_id = -1
        cluster.begin().send_request()
        cluster.await_equal()
        differing = cluster.followers[0]
        cluster.diverging_id = differing.member_id
        cluster.restart(differing)
        error = cluster.await_named(DivergenceError, differing)
        assert (error.member_id, error.leadership_term_id) == (
            differing.member_id,
            term_of(differing),
        )
        assert 0 < error.agreed_position < error.position < differing.commit_position
        assert "aeron-cluster check" in error.remedy
        cluster.go_on_without(differing)
        assert differing.is_running
