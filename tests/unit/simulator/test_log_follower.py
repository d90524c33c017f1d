"""The committed log read step by step: from which member, up to where, and when it is lost."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import log_follower, log_progress
from aeron_cluster.simulator.checks.log_follower import LogFollower
from aeron_cluster.simulator.checks.log_progress import LogProgress
from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
from tests.unit.simulator.test_plain_cluster import Log


def written_log():
    """Return the messages of a log, with the position after each."""
    written = []
    log = Log()
    append = log.append

    def keep(data):
        append(data)
        written.append((data, log.position))

    log.append = keep
    log.term(0)
    log.open(1)
    for _ in range(4):
        log.message(1)
    return written


LOG = written_log()
END = LOG[-1][1]


class Disks:
    """Disks of members, each with a log from a start on."""

    def __init__(self, starts, other=None):
        self.starts = starts
        self.other = other or {}
        self.read = []

    def of(self, member):
        return self if member.member_id in self.starts else None

    def log_of(self, member_id):
        return SimpleNamespace(start_position=self.starts[member_id], member_id=member_id)


def cluster_of(*commits, losses=0, sync_level=0, is_joined=True):
    members = [
        SimpleNamespace(
            member_id=each,
            commit_position=commit,
            machine=SimpleNamespace(power_loss_count=losses),
        )
        for each, commit in enumerate(commits)
    ]
    return SimpleNamespace(
        members=members,
        sync_level=sync_level,
        is_joined=is_joined,
        loses_one_at_a_time=False,
        extensions=None,
    )


@pytest.fixture
def disks(monkeypatch):
    """Return what replaces the disks: `starts` by member, and messages that differ."""
    found = Disks({})
    of = found.of

    def remember(member):
        found.member_id = member.member_id
        return of(member)

    found.of = remember

    def read(_, __, log, begin):
        found.read.append(log.member_id)
        messages = [found.other.get((log.member_id, end), data) for data, end in LOG]
        ends = [end for _, end in LOG]
        return [(data, end) for data, end in zip(messages, ends, strict=True) if end > begin]

    for module in (log_follower, log_progress):
        monkeypatch.setattr(module, "find_log", lambda *_: found.log_of(found.member_id))
        monkeypatch.setattr(module, "read_messages", read)
    return found


def test_the_log_is_read_as_far_as_a_member_has_committed_it(disks):
    disks.starts = {0: 0, 1: 0}
    follower = LogFollower(disks)
    follower.follow(cluster_of(LOG[1][1], LOG[2][1]))
    assert follower.model.position == LOG[2][1]
    follower.follow(cluster_of(LOG[1][1], -1))
    assert follower.model.position == LOG[2][1]
    follower.follow(cluster_of(END, LOG[2][1]))
    assert follower.model.position == END
    assert disks.read == [1, 0]
    assert [*follower.messages] == [end for _, end in LOG]


def test_what_one_member_purged_is_read_from_another_one(disks):
    disks.starts = {0: LOG[3][1], 1: 0}
    follower = LogFollower(disks)
    follower.follow(cluster_of(END, LOG[4][1]))
    assert follower.model.position == LOG[4][1]
    follower.follow(cluster_of(END, LOG[4][1]))
    assert (follower.model.position, follower.lost) == (END, "")


def test_a_purge_of_all_members_loses_the_model(disks):
    disks.starts = {0: 0, 1: 0}
    followed = MembersFollowTheModel(disks)
    assert followed.model_at(with_journals(cluster_of(LOG[0][1])), LOG[0][1]) is not None
    assert followed.counts() == {}
    disks.starts = {0: LOG[3][1], 1: LOG[2][1]}
    assert followed.model_at(with_journals(cluster_of(END, END)), END) is None
    assert followed.is_lost
    assert followed.model is None
    assert followed.counts() == {"models lost by a purge": 1}


def with_journals(cluster):
    cluster.journals = ()
    return cluster


def test_a_loss_of_power_without_syncs_loses_the_model(disks):
    disks.starts = {0: 0}
    follower = LogFollower(disks)
    follower.follow(cluster_of(END, losses=1, sync_level=1))
    assert follower.lost == ""
    follower.follow(cluster_of(END, losses=1))
    assert (follower.model, follower.lost) == (None, "power loss")
    follower.follow(cluster_of(END))
    assert follower.model is None


def test_clusters_of_their_own_have_no_common_log(disks):
    disks.starts = {0: 0}
    follower = LogFollower(disks)
    follower.follow(cluster_of(END, is_joined=False))
    assert (follower.model, follower.lost) == (None, "")


COMMITTED = {end: data for data, end in LOG}


def test_each_step_compares_the_log_of_the_next_member(disks):
    disks.starts = {0: 0, 1: LOG[1][1], 2: 0}
    progress = LogProgress(disks)
    cluster = cluster_of(END, END, -1)
    for _ in range(6):
        progress.check(cluster, COMMITTED, END)
    assert disks.read == [0, 1]


def test_a_committed_message_that_differs_is_detected_in_its_step(disks):
    disks.starts = {0: 0, 1: 0}
    disks.other = {(1, LOG[4][1]): b"other"}
    progress = LogProgress(disks)
    for limit in (LOG[3][1], LOG[3][1], END):
        progress.check(cluster_of(END, END), COMMITTED, limit)
    with pytest.raises(InvariantError, match=f"committed logs are equal: member 1 .*{LOG[4][1]}"):
        progress.check(cluster_of(END, END), COMMITTED, END)


def test_a_message_where_none_is_committed_is_detected(disks):
    disks.starts = {0: 0}
    known = {end: data for end, data in COMMITTED.items() if end != LOG[2][1]}
    with pytest.raises(InvariantError, match="committed is none"):
        LogProgress(disks).check(cluster_of(END), known, END)
