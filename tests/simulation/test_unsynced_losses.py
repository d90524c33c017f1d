"""Power lost without syncs, of one machine at a time: what was acknowledged is kept."""

from collections import Counter

import pytest

from aeron_cluster.archive import repair
from aeron_cluster.cluster.module.consensus_messages import ConsensusMessages
from aeron_cluster.errors import CorruptError
from aeron_cluster.simulator.checks import invariants
from aeron_cluster.simulator.endings import run_end
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.endings.unsynced_losses import (
    draw_unsynced_losses,
    draw_write_back,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.member import Member
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, WITHOUT_SILENCES, Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
BLANK = "a member without directories copies everything"
EVERYWHERE = 1 << 40


def trial_of(seed, losses=(0, 1), layout="node", *, writes_back=False):
    settings = Settings.of(
        "consensus", members=3, service_count=1, sync_level=0, layout=layout, duration_ns=S
    )
    trial = Trial(seed, settings, FaultPlan())
    trial.ending = Ending(unsynced_losses=losses, writes_back=writes_back)
    return trial


def drawn(seed, draws=WITHOUT_SILENCES + 1, **settings):
    settings = {"members": 3, "sync_level": 0, **settings}
    trial = Trial(seed, Settings.of("consensus", draws=draws, **settings), FaultPlan())
    return trial.ending.unsynced_losses


def test_one_run_of_three_without_syncs_loses_the_power_of_one_or_two_in_turn():
    losses = Counter(draw_unsynced_losses(seed, 3, 0) for seed in range(900))
    assert 500 < losses.pop(()) < 700
    one = {(each,) for each in range(3)}
    two = {(first, second) for first in range(3) for second in range(3)}
    assert losses.keys() == one | two
    for members, sync_level in ((1, 0), (2, 0), (3, 1), (3, 2)):
        assert {draw_unsynced_losses(seed, members, sync_level) for seed in range(99)} == {()}


def test_a_trial_draws_the_losses_from_the_draws_on_that_have_them():
    seed = next(each for each in range(99) if draw_unsynced_losses(each, 3, 0))
    assert drawn(seed) == draw_unsynced_losses(seed, 3, 0)
    assert drawn(seed, draws=WITHOUT_SILENCES) == ()
    assert drawn(seed, sync_level=1) == ()
    assert drawn(seed, members=2) == ()
    # A member without directories could not copy a log that the others have purged.
    purging = {"consensus_module": {"snapshots_kept": 2}}
    assert drawn(seed, options=purging) == ()


@pytest.mark.parametrize("layout", ["node", "apart"])
def test_nothing_is_lost_with_the_power_of_one_machine_at_a_time(layout):
    steps = set()
    for seed in range(1, 7):
        trial = trial_of(seed, (0, 1, 2), layout)
        on_step = trial.on_step
        trial.on_step = lambda step, on_step=on_step: (steps.add(step), on_step(step))
        outcome = trial.run()
        assert outcome.is_good, outcome.failure
        assert [each.machine.power_loss_count for each in trial.cluster.members] == [1, 1, 1]
        assert "models lost by a power loss" not in outcome.counts
    assert BLANK in steps


def planted(monkeypatch, plant):
    """Plant a fault that begins with the losses; return what is found."""
    lose = run_end.lose_power_in_turn

    def lose_wrongly(host, member_ids):
        plant()
        lose(host, member_ids)

    monkeypatch.setattr(run_end, "lose_power_in_turn", lose_wrongly)
    return {trial_of(seed).run().invariant for seed in range(1, 7)}


def test_a_member_that_counts_for_a_majority_before_it_has_caught_up_is_detected(monkeypatch):
    answer = ConsensusMessages._answer

    def count_at_once(messages, message, now_ns):
        answer(messages, message, now_ns)
        index = messages._indices[message.follower_member_id]
        messages._agent.set_member(index, EVERYWHERE, now_ns, message.log_leadership_term_id)

    found = planted(
        monkeypatch, lambda: monkeypatch.setattr(ConsensusMessages, "_answer", count_at_once)
    )
    assert "commit has a majority" in found


def lose_one_ahead(monkeypatch, *, counts_others=False):
    """Cut members off from the others, but not from clients, before their losses.

    Return what is found. A leader among them may count the others wherever it is itself.
    """
    lose_power = Member.lose_power
    found = set()
    for seed in range(1, 7):
        trial = trial_of(seed, (0, 1, 2))

        def cut_off_and_lose(member, trial=trial):
            cluster = trial.cluster
            others = [each for each in cluster.members if each is not member]
            networks = [each.machine.network for each in others]
            cluster.world.wire.partition([member.machine.network], networks)
            agent = member.module._conductor.agent
            for each in others if counts_others else ():
                _, time_ns, term_id = agent.member(each.member_id)
                agent.set_member(each.member_id, EVERYWHERE, time_ns, term_id)
            trial.drive_to(cluster.now_ns + S // 2)
            lose_power(member)
            cluster.world.wire.heal()

        monkeypatch.setattr(Member, "lose_power", cut_off_and_lose)
        found.add(trial.run().invariant)
    return found


def test_what_only_the_leader_has_is_not_committed(monkeypatch):
    assert lose_one_ahead(monkeypatch) == {""}


def test_a_commit_that_needs_only_the_leader_is_detected_by_its_loss(monkeypatch):
    """Also where the check of each commit does not see it."""
    monkeypatch.setattr(invariants, "is_majority", lambda *_: True)
    found = lose_one_ahead(monkeypatch, counts_others=True)
    assert found & {"services see the same", "a leader has what is committed"}, found


def test_disks_are_written_back_before_losses_in_one_of_two_runs_of_later_draws():
    assert 150 < sum(map(draw_write_back, range(400))) < 250
    seed = next(each for each in range(99) if draw_write_back(each))
    for draws, expected in ((WITHOUT_NATIVE, False), (WITHOUT_NATIVE + 1, True)):
        settings = Settings.of("consensus", draws=draws, members=3, sync_level=0)
        trial = Trial(seed, settings, FaultPlan())
        assert trial.ending.writes_back == expected
        assert {each.machine.has_boots for each in trial.cluster.members} == {expected}


def test_an_archive_without_checksums_that_syncs_keeps_its_boot():
    for layout, expected in (("apart", False), ("node", True)):
        settings = Settings.of("consensus", members=3, sync_level=1, layout=layout)
        members = Trial(1, settings, FaultPlan()).cluster.members
        assert {each.machine.has_boots for each in members} == {expected}


def written_back(monkeypatch, layout, raised):
    """Return the outcome of a run whose archive finds a torn last frame, and the errors of that."""
    find = repair.find_stop_position
    found = []

    def look(*arguments, **options):
        try:
            return find(*arguments, **options)
        except CorruptError as error:
            found.append(str(error))
            raise raised from error

    monkeypatch.setattr(repair, "find_stop_position", look)
    return trial_of(3, (0, 1, 2), layout, writes_back=True).run(), found


@pytest.mark.parametrize("layout", ["node", "apart"])
def test_a_member_whose_last_frame_is_torn_copies_everything(layout, monkeypatch):
    outcome, found = written_back(monkeypatch, layout, CorruptError("a", 0, "b", "c", "d"))
    assert outcome.is_good, outcome.failure
    assert any("last frame" in each for each in found)


def test_another_error_at_a_torn_last_frame_is_detected(monkeypatch):
    outcome, _ = written_back(monkeypatch, "node", TypeError("no position"))
    assert outcome.invariant == "errors are expected ones"
