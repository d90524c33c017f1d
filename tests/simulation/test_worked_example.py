"""The worked example of the document of elections, "Replication and Catchup Details".

All members are real: a settled leader's consensus module answers canvass positions, replays its log
and sends StopCatchup; member 0 decides itself when to join the live log.
"""

import pytest

from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.follower_log import FollowerLog
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.codecs import cluster as codecs
from tests.simulation.scenarios.rig import Scenario, election_of, term_of

TERM_LENGTH = 64 * 1024  # of the simulator's log
# "When the amount written to member 0's Log Recording is 'near' to D (quarter of the Log log buffer
# term length), member 0 adds the live Log destination"
WINDOW = TERM_LENGTH // 4


class Example(Scenario):
    """Three members, of which one is appointed as leader at each start; reports are recorded."""

    def __init__(self, monkeypatch):
        self.appointed = 1
        self.reports = []
        super().__init__(seed=18)
        self._record(monkeypatch)

    def node_options(self, member):
        options = super().node_options(member)
        options["consensus_module"]["appointed_leader_id"] = self.appointed
        return options

    def _record(self, monkeypatch):
        send, replicate = ConsensusLink.send, Leadership.replicate_log
        is_near, add_live = FollowerLog.is_near, FollowerLog.add_live_destination

        def on_send(link, member_id, message):
            is_sent = send(link, member_id, message)
            if is_sent:
                own_id = link._context.options.member_id
                self.reports.append((own_id, member_id, codecs.decode(message)))
            return is_sent

        def on_replicate(leadership, leader, recording_id, stop_position, now_ns):
            self.reports.append(("replicate", stop_position))
            return replicate(leadership, leader, recording_id, stop_position, now_ns)

        def on_is_near(log, position):
            found = is_near(log, position)
            if log._image is not None:
                self.reports.append(("near", found, position - log._image.position))
            return found

        def on_add_live(log):
            if log._image is not None:  # in a catch-up
                self.reports.append(("live",))
            return add_live(log)

        monkeypatch.setattr(ConsensusLink, "send", on_send)
        monkeypatch.setattr(Leadership, "replicate_log", on_replicate)
        monkeypatch.setattr(FollowerLog, "is_near", on_is_near)
        monkeypatch.setattr(FollowerLog, "add_live_destination", on_add_live)

    def elect(self, member_id):
        """Restart members 1 and 2, of which the given one becomes leader."""
        self.appointed = member_id
        self.drop_client()
        for member in self.members[1:]:
            if member.is_running:
                member.kill()
        for member in self.members[1:]:
            member.start()
        self.run_until(lambda: self.members[member_id].is_leading, what="the appointed leader")

    @property
    def milestones(self):
        """What members 0 and 1 sent to each other, and what member 0 did; each of equals once."""
        found = []
        for report in self.reports:
            line = describe(report)
            if line is not None and line not in found:
                found.append(line)
        return found


def describe(report):
    match report:
        case (0, 1, codecs.CanvassPosition() as sent):
            return (
                "canvass",
                sent.log_leadership_term_id,
                sent.log_position,
                sent.leadership_term_id,
            )
        case (1, 0, codecs.NewLeadershipTerm() as sent):
            return (
                "new term",
                sent.log_leadership_term_id,
                sent.next_leadership_term_id,
                sent.next_term_base_log_position,
                sent.next_log_position,
                sent.leadership_term_id,
                sent.term_base_log_position,
                sent.leader_member_id,
                sent.is_startup,
            )
        case (0, 1, codecs.CatchupPosition() as sent):
            return "catchup", sent.leadership_term_id, sent.log_position, sent.follower_member_id
        case (0, 1, codecs.AppendPosition() as sent) if sent.flags:
            return "append", sent.leadership_term_id, sent.flags
        case (1, 0, codecs.StopCatchup() as sent):
            return "stop catchup", sent.leadership_term_id, sent.follower_member_id
        case ("replicate" | "live", *_):
            return report
        case _:
            return None


@pytest.fixture
def cluster(monkeypatch):
    with Example(monkeypatch) as made:
        yield made.begin()


def test_member_that_missed_two_terms_follows_as_in_the_document(cluster):
    behind, leader = cluster.members[:2]
    # "Term 0: M1 wins. Term 1: M2 wins. Term 2: M1 wins"
    assert cluster.leader() is leader
    assert term_of(leader) == 0
    cluster.send_request()
    cluster.await_equal()
    behind.kill()
    cluster.send_request()
    cluster.elect(2)
    assert term_of(cluster.members[2]) == 1
    cluster.send_request()
    cluster.elect(1)
    assert term_of(leader) == 2
    cluster.send_request(count=100, padding=1000)
    terms = cluster.entries(leader, EntryType.TERM)
    _, b, c = (each.term_base_log_position for each in terms)
    d = leader.commit_position
    # A replay delivers half a term at once: after that, the end is still further than the window.
    assert d - c > TERM_LENGTH // 2 + 2 * WINDOW

    cluster.reports.clear()
    behind.start()
    cluster.run_until(
        lambda: election_of(behind) is ElectionState.CLOSED, what="the end of the election"
    )
    a = next(
        report[2].log_position
        for report in cluster.reports
        if isinstance(report[-1], codecs.CanvassPosition)
    )
    assert 0 < a < b
    started = codecs.BooleanType.FALSE
    assert cluster.milestones == [
        # "my log ends in term 0, at position A, I am in term 0"
        ("canvass", 0, a, 0),
        # "your next Term is 1, it starts at position B and is currently at position C"
        ("new term", 0, 1, b, c, 2, c, 1, started),
        # "back-fill from A to B next": "It only replicates one leadership term at a time"
        ("replicate", b),
        # "I am in term 2, even though my log is behind"
        ("canvass", 0, b, 2),
        # "another NewLeadershipTerm message, which is identical to the last one": not listed twice
        ("replicate", c),
        # "my log now ends in term 1 ... at position C"
        ("canvass", 1, c, 2),
        # "your next Term is 2, it starts at position C and hasn't ended yet"
        ("new term", 1, 2, c, -1, 2, c, 1, started),
        # "member 0 is in term 2, replay from C"
        ("catchup", 2, c, 0),
        # "flag to say it's in 'catchup mode'"
        ("append", 2, 1),
        # "member 0 adds the live Log destination to its Log Subscription"
        ("live",),
        # "The leader sends a StopCatchup to member 0": in term 2, which the document has as 3
        ("stop catchup", 2, 0),
    ]
    checks = [report[1:] for report in cluster.reports if report[0] == "near"]
    assert all(is_near is (distance <= WINDOW) for is_near, distance in checks)
    assert [is_near for is_near, _ in checks].count(True) == 1  # the last one
    assert len(checks) > 1
    # Both canvasses of member 0 with a log of term 0 were answered.
    answers = [
        report[2].next_leadership_term_id
        for report in cluster.reports
        if describe(report) is not None and describe(report)[0] == "new term"
    ]
    assert answers.count(1) >= 2
    cluster.send_request()
    cluster.await_equal()
