import pytest

from aeron_cluster.cluster.election.election import Election, ElectionState
from aeron_cluster.cluster.election.host import ElectionTimes
from aeron_cluster.cluster.log.log_replay import REPLAY_INTERVAL_NS
from aeron_cluster.cluster.members.members import Member

FAILURE = OSError("it failed")


class Host:
    """Records an election's requests; each wait takes one pass."""

    last_leader_update_ns = 0
    candidate_term_id = -1
    log_recording_id = 0
    app_version = 1

    def __init__(self):
        self.calls = []
        self.reasons = []
        self.is_log_connected = True
        self.failing = None

    def _note(self, *call):
        self.calls.append(call)
        if self.failing == call[0]:
            self.failing = None
            raise OSError("it failed")

    def on_election_state(self, state, reason):
        assert reason
        self.reasons.append(reason)
        self._note("state", state.name)

    def set_role(self, role):
        self._note("role", role.name)

    def prepare_for_new_leadership(self, log_position):
        self._note("prepare", log_position)
        yield
        return 640

    def begin_candidate_term(self, leadership_term_id, log_position):
        self._note("promise", leadership_term_id, log_position)
        return leadership_term_id + 1

    def add_log_publication(self, leadership_term_id, append_position):
        self._note("publish", leadership_term_id, append_position)
        yield
        return 7

    def replay_log(self, start_position, stop_position):
        self._note("replay", start_position, stop_position)
        yield

    def join_log_as_leader(self, leadership_term_id, log_position, *, is_startup):
        del leadership_term_id
        self._note("join", log_position, is_startup)
        yield

    def append_term(self, leadership_term_id, term_base, log_position=-1):
        del log_position
        self._note("term", leadership_term_id, term_base)

    def try_append_term_event(self, term_base_log_position):
        self._note("event", term_base_log_position)
        return self.is_log_connected

    def complete_as_leader(self, leadership_term_id, log_position, *, is_startup):
        del leadership_term_id
        self._note("complete", log_position, is_startup)
        yield


TIMES = ElectionTimes(
    startup_canvass_ns=60_000,
    ballot_ns=1_000,
    status_interval_ns=100,
    heartbeat_timeout_ns=10_000,
    heartbeat_interval_ns=200,
)


def elect(host, **options):
    options = {
        "is_node_startup": True,
        "log_leadership_term_id": -1,
        "log_position": 0,
        "append_position": 0,
        **options,
    }
    members = [Member(0, *("localhost:1",) * 5)]
    return Election(host, TIMES, members, 0, **options)


def drive(election, passes=50, now_ns=1000):
    for _ in range(passes):
        if election.is_closed:
            return
        election.do_work(now_ns)
        if election.state is ElectionState.LEADER_REPLAY:
            now_ns += REPLAY_INTERVAL_NS


def states(host):
    return [call[1] for call in host.calls if call[0] == "state"]


LEADER = ["LEADER_LOG_REPLICATION", "LEADER_REPLAY", "LEADER_INIT", "LEADER_READY", "CLOSED"]


def test_elects_the_only_member_through_the_leaders_states():
    """It moves to CANVASS if it's a multi node cluster, or LEADER_LOG_REPLICATION if single."""
    host = Host()
    drive(elect(host))
    assert states(host) == ["INIT", *LEADER]
    assert ("role", "LEADER") in host.calls


def test_a_fresh_member_replays_nothing_and_opens_term_0():
    host = Host()
    election = elect(host)
    drive(election)
    assert election.leadership_term_id == 0
    assert not [call for call in host.calls if call[0] == "replay"]
    assert ("term", 0, 0) in host.calls


def test_replays_from_the_snapshot_to_the_end_of_the_recording():
    """replays any unprocessed entries from the end of its Log to itself"""
    host = Host()
    drive(elect(host, log_leadership_term_id=3, log_position=128, append_position=640))
    assert ("replay", 128, 640) in host.calls
    assert ("join", 640, True) in host.calls
    assert ("term", 4, 640) in host.calls


def test_the_only_member_stores_the_position_from_which_it_has_to_read_with_its_promise():
    # "updateCandidateTermId(candidateTermId, logPosition, ...)" of upstream: not the log's end
    host = Host()
    drive(elect(host, log_leadership_term_id=3, log_position=128, append_position=640))
    assert ("promise", 3, 128) in host.calls


def test_does_not_prepare_on_the_first_election_of_a_node():
    host = Host()
    drive(elect(host))
    assert not [call for call in host.calls if call[0] == "prepare"]


def test_prepares_before_every_later_election_and_uses_the_recordings_end():
    host = Host()
    election = elect(
        host, is_node_startup=False, log_leadership_term_id=2, log_position=512, append_position=512
    )
    drive(election)
    assert ("prepare", 512) in host.calls
    assert ("replay", 512, 640) in host.calls
    assert ("join", 640, False) in host.calls


def test_waits_in_leader_ready_until_the_log_accepts_its_event():
    host = Host()
    host.is_log_connected = False
    election = elect(host)
    drive(election, passes=20)
    assert election.state is ElectionState.LEADER_READY
    host.is_log_connected = True
    drive(election)
    assert election.is_closed


@pytest.mark.parametrize("failing", ["publish", "replay", "join", "event", "complete"])
def test_begins_again_after_an_error(failing):
    host = Host()
    host.failing = failing
    election = elect(host, log_leadership_term_id=1, log_position=0, append_position=640)
    with pytest.raises(OSError, match="it failed"):
        drive(election)
    election.restart(FAILURE, 64, 1000)
    drive(election)
    assert election.is_closed
    assert ("prepare", 64) in host.calls
    assert "it failed" in host.reasons
    assert states(host)[-6:] == ["INIT", *LEADER]


def test_restarts_only_after_the_pause():
    host = Host()
    host.failing = "publish"
    election = elect(host)
    with pytest.raises(OSError, match="it failed"):
        drive(election)
    election.restart(FAILURE, 0, 5000)
    drive(election, now_ns=4999)
    assert (election.state, election.failure_count) == (ElectionState.INIT, 1)
    for now_ns in range(5000, 6000, 100):
        drive(election, now_ns=now_ns)
    assert election.is_closed


def test_startup_election_restarted_after_a_failure_is_still_a_startup():
    """also after failed rounds of that same election object"""
    host = Host()
    host.failing = "join"
    election = elect(host)
    with pytest.raises(OSError, match="it failed"):
        drive(election)
    election.restart(FAILURE, 0, 1000)
    drive(election)
    assert ("complete", 640, True) in host.calls


def test_repr_has_state_and_positions():
    assert repr(elect(Host(), append_position=96)) == "<Election INIT term -1 log 0 of 96>"
