"""Sessions of modules that follow: each wrong one, and each id given again, is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.module_sessions import (
    ModulesHoldTheSessions,
    check_sessions,
    sessions_at,
)
from aeron_cluster.simulator.members.journal import Entry, Journal

ENTRIES = [
    Entry(64, "term", 0, 1, b"0"),
    Entry(128, "open", 1, 1, b""),
    Entry(192, "open", 2, 1, b""),
    Entry(256, "close", 2, 1, b"1"),
    Entry(320, "message", 1, 1, b"request"),
    Entry(384, "open", 3, 1, b""),
]


def test_sessions_at_a_position_are_those_opened_and_not_closed_by_then():
    expected = {64: (set(), 0), 192: ({1, 2}, 2), 256: ({1}, 2), 330: ({1}, 2), 384: ({1, 3}, 3)}
    assert {each: sessions_at(ENTRIES, each) for each in expected} == expected


def test_modules_with_the_sessions_of_the_log_pass():
    check_sessions("member 0 at 384", [3, 1], {1, 3}, 4, 3)
    check_sessions("member 0 at 64", [], set(), 1, 0)


@pytest.mark.parametrize("found", [[], [1], [1, 2, 3], [1, 2]])
def test_missing_and_further_sessions_are_detected(found):
    with pytest.raises(InvariantError, match="modules hold the sessions"):
        check_sessions("member 0 at 384", found, {1, 3}, 4, 3)


def test_an_id_to_be_given_again_is_detected():
    with pytest.raises(InvariantError, match="modules know the ids that were given"):
        check_sessions("member 0 at 256", [1], {1}, 2, 2)


def test_a_module_is_checked_once_it_has_its_sessions():
    journal = Journal(0)
    for index, each in enumerate(ENTRIES):
        journal.add(index, each, "member 0")
    module = SimpleNamespace(sessions=None, next_session_id=None)
    counters = SimpleNamespace(
        election_count=SimpleNamespace(get=lambda: 1),
        commit_position=SimpleNamespace(get=lambda: 384),
        election_state=SimpleNamespace(get=lambda: ElectionState.CLOSED),
    )
    member = SimpleNamespace(
        member_id=0, is_running=True, is_leading=False, module=module, counters=counters
    )
    member.process_of_module = SimpleNamespace(start_count=1)
    cluster = SimpleNamespace(
        members=[member], journals=[journal], is_joined=True, process_changes=0, now_ns=0
    )
    checker = ModulesHoldTheSessions()
    checker.check(cluster)
    checker.conclude(cluster)
    module.sessions, module.next_session_id = [SimpleNamespace(cluster_session_id=1)], 4
    cluster.now_ns = 1 << 40
    with pytest.raises(InvariantError, match="modules hold the sessions: member 0 at 384"):
        checker.check(cluster)
