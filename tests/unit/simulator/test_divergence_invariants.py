"""Checkpoints of members and replays: each that differs is detected, as is a wrong verdict."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.checkpoint import Checkpoint
from aeron_cluster.cluster.service.offline.divergence import MemberCheckpoints
from aeron_cluster.errors import DivergenceError, InvariantError
from aeron_cluster.simulator.checks import divergence_invariants
from aeron_cluster.simulator.checks.divergence_invariants import (
    GuardsAgree,
    GuardsNameDivergedMembers,
)

FIRST = Checkpoint(
    position=512,
    leadership_term_id=0,
    previous_position=0,
    base_position=0,
    hash=10,
    interval_hash=10,
    log_hash=20,
    claim_hash=0,
    effect_count=3,
)
SECOND = replace(FIRST, position=1024, previous_position=512, hash=11, interval_hash=11)
OTHER = replace(SECOND, hash=12, interval_hash=12)


def guard(*checkpoints):
    return SimpleNamespace(checkpoints=lambda: list(checkpoints))


def members(*logs, is_joined=True, errors=()):
    return SimpleNamespace(
        is_joined=is_joined,
        members=[
            SimpleNamespace(
                member_id=member_id,
                errors=errors,
                containers=[SimpleNamespace(divergence_guard=None if log is None else guard(*log))],
            )
            for member_id, log in enumerate(logs)
        ],
    )


def test_equal_checkpoints_pass_and_are_counted():
    checker = GuardsAgree()
    checker.conclude(members([FIRST, SECOND], [FIRST, SECOND], None))
    assert checker.compared == 2


def test_members_with_different_effects_are_found():
    with pytest.raises(InvariantError) as error:
        GuardsAgree().conclude(members([FIRST, SECOND], [FIRST, OTHER]))
    assert error.value.invariant == "members do the same"
    assert error.value.found == f"1 {OTHER}, 0 {SECOND}"


def test_a_restarted_member_with_different_effects_is_found():
    checker = GuardsAgree()
    checker.conclude(members([FIRST, SECOND], []))
    with pytest.raises(InvariantError, match="members do the same"):
        checker.conclude(members([], [FIRST, OTHER]))


def test_members_of_separate_clusters_are_not_compared():
    checker = GuardsAgree()
    checker.conclude(members([SECOND], [OTHER], is_joined=False))
    assert checker.compared == 0


def test_the_divergence_that_a_member_states_is_found():
    error = DivergenceError(0, 512, 1024, 0, {"before": 11, "now": 12})
    with pytest.raises(InvariantError, match="a member does what it did") as found:
        GuardsAgree().conclude(members([], errors=[ValueError(), error]))
    assert found.value.found == str(error)


def test_a_replay_with_different_effects_is_found():
    checker = GuardsAgree()
    cluster = members([FIRST, SECOND])
    checker.conclude(cluster)
    checker.compare_replay(cluster, cluster.members[0], 0, guard(FIRST, SECOND))
    assert checker.compared == 2
    with pytest.raises(InvariantError) as error:
        checker.compare_replay(cluster, cluster.members[0], 0, guard(FIRST, OTHER))
    assert error.value.invariant == "replays do the same"
    assert error.value.found == f"a replay {OTHER}, member 0 {SECOND}"


class Diverging:
    """Three members with their checkpoints, and where each is made to diverge."""

    def __init__(self, monkeypatch, *diverged_positions):
        self.logs = [[FIRST, SECOND]] * 3
        self.members = [
            SimpleNamespace(
                member_id=member_id, service_faults=SimpleNamespace(diverged_position=position)
            )
            for member_id, position in enumerate(diverged_positions)
        ]
        monkeypatch.setattr(divergence_invariants, "read_member", self._read)

    def of(self, member):
        return member.member_id if self.logs[member.member_id] else None

    def _read(self, member_id, _):
        log = tuple(self.logs[member_id])
        name = f"member {member_id}"
        return [MemberCheckpoints(name, service_id, 512, log) for service_id in (1, 0)]

    def check(self):
        GuardsNameDivergedMembers(self).conclude(self)


def test_the_member_that_diverged_may_be_named(monkeypatch):
    diverging = Diverging(monkeypatch, -1, 700, -1)
    diverging.logs[1] = [FIRST, OTHER]
    diverging.check()
    diverging = Diverging(monkeypatch, -1, -1, -1)
    diverging.logs[1] = []  # it has no disk
    diverging.check()


@pytest.mark.parametrize(
    ("diverged", "logs", "rule", "found"),
    [
        ((-1, 700, -1), {}, "guards name the diverged member", "expected ('member 1',), found Non"),
        ((-1, -1, -1), {1: [FIRST, OTHER]}, "guards name the diverged member", "expected (), foun"),
        (
            (-1, 700, -1),
            {2: [FIRST, OTHER]},
            "guards name the diverged member",
            "expected ('member 1',), found",
        ),
        ((-1, 300, -1), {1: [FIRST, OTHER]}, "guards name where a member diverged", "expected 300"),
        (
            (-1, 1025, -1),
            {1: [FIRST, OTHER]},
            "guards name where a member diverged",
            "expected 1025",
        ),
    ],
)
def test_a_wrong_verdict_of_the_guards_is_found(monkeypatch, diverged, logs, rule, found):
    diverging = Diverging(monkeypatch, *diverged)
    for member_id, log in logs.items():
        diverging.logs[member_id] = log
    with pytest.raises(InvariantError) as error:
        diverging.check()
    assert error.value.invariant == rule
    assert error.value.found.startswith(found)
