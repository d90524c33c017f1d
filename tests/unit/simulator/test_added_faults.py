"""Faults added to a plan's families: in how many runs, without a change of other draws."""

import struct
from collections import Counter

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.added_faults import (
    ADDED_FAMILIES,
    add_aimed_faults,
    add_backup,
    add_damage,
    add_failing_callbacks,
    add_kills_in_snapshots,
    add_leaving_clients,
    add_lost_logs,
    add_overtaken_leader,
    add_rare_requests,
    add_service_faults,
    add_standby_requests,
    add_struck_elections,
)
from aeron_cluster.simulator.faults.added_power_losses import add_power_losses
from aeron_cluster.simulator.faults.aimed_faults import KillInSnapshot
from aeron_cluster.simulator.faults.backup_events import StartBackup
from aeron_cluster.simulator.faults.client_events import add_superseded_clients, superseded_count
from aeron_cluster.simulator.faults.damage import DAMAGES, Damage
from aeron_cluster.simulator.faults.disk_events import FlipBit, FlipRecordedBit
from aeron_cluster.simulator.faults.election_events import (
    HoldUpVotes,
    KillInElection,
    MissingFiles,
    OlderArchive,
)
from aeron_cluster.simulator.faults.events import (
    ALL_BACKUPS,
    BadNetwork,
    ClockStep,
    EndSession,
    Kill,
    Operate,
)
from aeron_cluster.simulator.faults.failed_recordings import add_failed_recordings
from aeron_cluster.simulator.faults.fault_plan import FAMILIES, FaultPlan
from aeron_cluster.simulator.faults.first_leader import (
    OvertakeFirstLeader,
    StrikeOvertakenLeader,
    add_overtaken_first_leader,
)
from aeron_cluster.simulator.faults.overtaken_leader import (
    LeadAloneAhead,
    OvertakeLeader,
    OvertakeWithSessions,
)
from aeron_cluster.simulator.faults.power_losses import LosePowerAfterAppend, LosePowerInSnapshot
from aeron_cluster.simulator.faults.service_events import CallbackRaises, Diverge
from aeron_cluster.simulator.members.backup import backup_host, consensus_endpoint
from aeron_cluster.simulator.members.service_faults import FAILING_CALLBACKS
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_survivors
from aeron_cluster.simulator.trials.trial import Trial
from aeron_cluster.simulator.world.memory_files import MemoryFiles

S = 1_000_000_000
RUN = {"members": 3, "duration_ns": 30 * S, "speedup": 1}
PLAN = FaultPlan((Kill(5 * S, 1, S),), ("process",))


def damaged(kind):
    plans = [add_damage(PLAN, seed, kinds=DAMAGES, **RUN) for seed in range(400)]
    return [each for each in plans if each.damage is kind]


def test_services_misbehave_in_a_quarter_of_the_runs():
    plans = [add_service_faults(PLAN, seed, **RUN) for seed in range(400)]
    assert all(PLAN.events[0] in each.events for each in plans)
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    assert {type(event).__name__ for plan in found for event in plan.events} == {
        "Kill",
        "ServiceRaises",
        "SlowService",
        "StallService",
    }


def test_further_callbacks_raise_in_a_quarter_of_the_runs():
    run = {"members": 3, "duration_ns": 30 * S}
    plans = [add_failing_callbacks(PLAN, seed, **run) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    events = [each for plan in found for each in plan.events if isinstance(each, CallbackRaises)]
    assert {each.callback for each in events} == {*FAILING_CALLBACKS}
    assert {each.member for each in events} == {-1, 0, 1, 2}
    assert all(1 <= each.count <= 3 and each.at_ns < 15 * S for each in events)
    text = CallbackRaises(0, -1, "on_role_change", 2).text
    assert text == "services of all members raise after their next 2 calls of on_role_change"


def test_one_run_of_eight_has_rare_requests_and_clocks_set_by_days():
    plans = [add_rare_requests(PLAN, seed, **RUN) for seed in range(400)]
    assert all(PLAN.events[0] in each.events for each in plans)
    found = [each for each in plans if each != PLAN]
    assert 30 < len(found) < 70
    assert all("rare" in each.families for each in found)
    added = [event for plan in found for event in plan.events if event != PLAN.events[0]]
    requests = [each.request for each in added if isinstance(each, Operate)]
    steps = [each.step_ns for each in added if isinstance(each, ClockStep)]
    assert {*requests} == {ControlToggle.RESUME}
    assert len(requests) + len(steps) == len(added)
    assert min(steps) < -24 * 3600 * S
    assert max(steps) > 24 * 3600 * S


def test_leader_is_overtaken_in_one_run_of_eight_with_enough_members():
    plans = [add_overtaken_leader(PLAN, seed, **RUN) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 30 < len(found) < 70
    assert all("overtaken" in each.families for each in found)
    assert all(PLAN.events[0] in each.events for each in found)
    (event,) = (each for each in found[0].events if isinstance(each, OvertakeLeader))
    assert "until another one leads" in str(event)
    few = RUN | {"members": 2}
    assert all(add_overtaken_leader(PLAN, seed, **few) == PLAN for seed in range(50))


def test_the_first_leader_is_overtaken_in_one_run_of_eight_with_enough_members():
    def kinds(members=3, sync_level=1):
        run = {"members": members, "sync_level": sync_level, "speedup": 5}
        plans = [add_overtaken_first_leader(PLAN, seed, **run) for seed in range(400)]
        found = [each for each in plans if each != PLAN]
        assert all("overtaken" in each.families for each in found)
        assert all(PLAN.events[0] in each.events for each in found)
        return [event for each in found for event in each.events if event.is_from_start]

    found = kinds()
    assert 30 < len(found) < 70
    assert {type(each) for each in found} == {OvertakeFirstLeader, StrikeOvertakenLeader}
    strikes = [each for each in found if isinstance(each, StrikeOvertakenLeader)]
    assert {each.is_power_lost for each in strikes} == {False, True}
    assert {each.calls > 0 for each in strikes} == {False, True}
    assert not kinds(members=2)
    strikes = [each for each in kinds(sync_level=0) if isinstance(each, StrikeOvertakenLeader)]
    assert not any(each.is_power_lost for each in strikes)


def test_recordings_of_snapshots_fail_in_one_run_of_eight():
    plans = [add_failed_recordings(PLAN, seed, duration_ns=30 * S) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 30 < len(found) < 70
    assert all("aimed" in each.families for each in found)
    assert all(PLAN.events[0] in each.events for each in found)
    added = [each for plan in found for each in plan.events if each.at_ns != 5 * S]
    assert {each.window_length for each in added} == {0, 128, 256}
    assert 0 in {each.after for each in added}


def test_faults_are_aimed_in_a_quarter_of_the_runs():
    def kinds(**run):
        plans = [add_aimed_faults(PLAN, seed, **{**RUN, **run}) for seed in range(400)]
        assert all(PLAN.events[0] in each.events for each in plans)
        found = [each for each in plans if each != PLAN]
        assert all("aimed" in each.families for each in found)
        added = [event for each in found for event in each.events if event != PLAN.events[0]]
        assert len(added) == len(found)
        return Counter(type(each).__name__ for each in added)

    found = kinds(sync_level=1)
    assert 70 < found.total() < 130
    assert set(found) == {"LoseLeaderInCatchUp", "LosePowerAfterSnapshot", "LosePowerAfterVote"}
    assert set(kinds(sync_level=0)) == {"LoseLeaderInCatchUp"}
    assert set(kinds(sync_level=2, members=1)) == {"LosePowerAfterSnapshot"}
    assert not kinds(sync_level=0, members=1)


def test_power_is_lost_at_appends_and_in_snapshots_in_a_third_of_the_runs_that_sync():
    def events(**run):
        plans = [add_power_losses(PLAN, seed, **{**RUN, **run}) for seed in range(300)]
        found = [each for each in plans if each != PLAN]
        assert all("aimed" in each.families for each in found)
        return len(found), [each for plan in found for each in plan.events if each.at_ns != 5 * S]

    assert events(sync_level=0) == (0, [])
    count, found = events(sync_level=1)
    assert 70 < count < 130
    assert {type(each) for each in found} == {LosePowerAfterAppend, LosePowerInSnapshot}
    assert {each.count for each in found} == {1, 2, 3}
    appends = [each for each in found if isinstance(each, LosePowerAfterAppend)]
    assert {each.is_of_leader for each in appends} == {False, True}
    assert {each.is_network for each in appends} == {False, True}
    _, alone = events(sync_level=2, members=1)
    assert {each.count for each in alone} == {1}
    assert all(each.is_of_leader for each in alone if isinstance(each, LosePowerAfterAppend))


def test_power_losses_at_appends_are_drawn_from_version_11_on():
    def kinds(draws):
        drawn = {"members": 3, "sync_level": 1, "damages": ()}
        settings = Settings.of("consensus", draws=draws, **drawn)
        plans = [Trial(seed, settings).plan for seed in range(1, 9)]
        return {type(event) for plan in plans for event in plan.events}

    assert not kinds(10) & {LosePowerAfterAppend, LosePowerInSnapshot}
    assert LosePowerAfterAppend in kinds(11)


def test_clients_leave_in_a_quarter_of_the_runs():
    plans = [add_leaving_clients(PLAN, seed, duration_ns=30 * S, speedup=1) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    assert all("leave" in each.families for each in found)
    added = [event for each in found for event in each.events if event != PLAN.events[0]]
    assert {type(each) for each in added} == {EndSession}
    assert "closes its session" in str(added[0])


def test_ids_of_clients_are_taken_over_in_half_of_the_runs():
    plans = [add_superseded_clients(PLAN, seed, duration_ns=30 * S) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 160 < len(found) < 240
    assert {superseded_count(each) for each in plans} == {0, 1, 2, 3}
    added = [event for each in found for event in each.events if event != PLAN.events[0]]
    assert "takes over the id of surviving client" in str(added[0])


def test_ids_are_taken_over_where_clients_survive_from_version_13_on():
    def seeds(draws, **given):
        settings = Settings.of("consensus", draws=draws, **given)
        return {each for each in range(1, 33) if superseded_count(Trial(each, settings).plan)}

    found = seeds(13)
    assert found
    assert all(any(draw_survivors(each, 1)) for each in found)
    assert not seeds(12)
    assert not seeds(13, is_judged=True, services=(object,))


def test_members_are_killed_in_snapshots_in_one_run_of_six():
    run = {"duration_ns": 30 * S, "speedup": 1}
    plans = [add_kills_in_snapshots(PLAN, seed, **run) for seed in range(600)]
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    added = [event for each in found for event in each.events if event != PLAN.events[0]]
    assert {type(each) for each in added} == {KillInSnapshot}
    assert len({each.calls for each in added}) > 30


def test_elections_are_struck_in_one_run_of_six_that_has_several_members():
    run = RUN | {"sync_level": 1}
    plans = [add_struck_elections(PLAN, seed, **run) for seed in range(600)]
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    assert all("struck" in each.families for each in found)
    assert all(PLAN.events[0] in each.events for each in found)
    added = [event for plan in found for event in plan.events if event != PLAN.events[0]]
    assert {type(each) for each in added} == {
        HoldUpVotes,
        MissingFiles,
        OvertakeWithSessions,
        KillInElection,
    }
    strikes = [each for each in added if isinstance(each, KillInElection)]
    assert {each.state for each in strikes} == {*ElectionState} - {
        ElectionState.INIT,
        ElectionState.CLOSED,
    }
    assert {each.is_power_lost for each in strikes} == {True, False}
    pair = run | {"members": 2, "sync_level": 0}
    of_pairs = [add_struck_elections(PLAN, seed, **pair).events for seed in range(600)]
    kinds = {type(event) for events in of_pairs for event in events}
    assert kinds == {Kill, HoldUpVotes, MissingFiles, KillInElection}
    assert not any(getattr(e, "is_power_lost", False) for events in of_pairs for e in events)
    alone = run | {"members": 1}
    assert all(add_struck_elections(PLAN, seed, **alone) == PLAN for seed in range(50))


@pytest.mark.parametrize(
    ("members", "count", "kinds"),
    [
        (1, 200, {MissingFiles, OlderArchive}),
        (2, 50, {OlderArchive}),
        (3, 50, {OlderArchive, LeadAloneAhead}),
    ],
)
def test_logs_are_lost_in_one_run_of_eight_or_of_two_with_a_single_member(members, count, kinds):
    run = RUN | {"members": members}
    plans = [add_lost_logs(PLAN, seed, **run) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 0.6 * count < len(found) < 1.4 * count
    assert all("lost" in each.families for each in found)
    added = [event for plan in found for event in plan.events if event != PLAN.events[0]]
    assert {type(each) for each in added} == kinds
    assert len(added) == len(found)


def test_snapshots_of_standbys_are_requested_in_one_run_of_eight():
    plans = [add_standby_requests(PLAN, seed, duration_ns=30 * S) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 30 < len(found) < 70
    for plan in found:
        requests = [each for each in plan.events if each != PLAN.events[0]]
        assert 1 <= len(requests) <= 3
        assert {each.request for each in requests} == {ControlToggle.STANDBY_SNAPSHOT}
        assert all(0 <= each.at_ns < 30 * S for each in requests)


def test_one_run_of_eight_is_damaged():
    assert 30 < sum(len(damaged(kind)) for kind in DAMAGES) < 70
    assert all(damaged(kind) for kind in DAMAGES)
    assert all(add_damage(PLAN, seed, kinds=(), **RUN) == PLAN for seed in range(50))


def test_no_damage_leaves_a_plan_unchanged():
    for kinds in ((), (Damage.NOTHING,)):
        assert {add_damage(PLAN, seed, kinds=kinds, **RUN) for seed in range(40)} == {PLAN}


def test_bits_found_by_checksums_are_one_members_and_flip_alone():
    for plan in damaged(Damage.CHECKED_BITS):
        flips = [each for each in plan.events if isinstance(each, FlipRecordedBit)]
        assert [each.may_pad for each in flips] == [True] + [False] * (len(flips) - 1)
        assert len({each.member for each in flips}) == 1
        assert {type(each) for each in plan.events} == {FlipRecordedBit, Operate}


def test_a_service_diverges_with_nothing_else():
    for plan in damaged(Damage.SERVICE):
        assert {type(each) for each in plan.events} == {Diverge, Operate}


@pytest.mark.parametrize(
    ("kind", "event"), [(Damage.DATAGRAMS, BadNetwork), (Damage.BITS, FlipBit)]
)
def test_faults_expecting_typed_errors_are_combined_with_all_others(kind, event):
    for plan in damaged(kind):
        assert {type(each) for each in plan.events} == {Kill, event}


def frame(length, kind, payload=b""):
    return (struct.pack("<ixxHi", length, kind, 0).ljust(32, b"\1") + payload).ljust(96, b"\0")


def test_a_recorded_bit_is_one_of_a_message_or_makes_its_frame_padding():
    files = MemoryFiles()
    files.make_directory("/data/archive", parents=True)
    segment = frame(50, 1, b"\0" * 18) + frame(96, 0) + frame(32, 1)
    files.replace("/data/archive/0-0.rec", segment + bytes(4096 - len(segment)))
    files.replace("/data/archive/archive.catalog", bytes(4096))
    found = {
        FlipRecordedBit(0, 0, choice, 0, may_pad=True)._choose(files, SeededRandom(choice))
        for choice in range(2000)
    }
    assert {path for path, _, _ in found} == {"/data/archive/0-0.rec"}
    assert {each[1:] for each in found if each[1] < 32} == {(6, 0)}
    # Where a quarter of the choices make padding, the bits there are not drawn.
    assert {offset for _, offset, _ in found if offset != 6} == {
        offset for offset in range(32, 50) if offset % 4
    }


def test_any_bit_is_one_of_any_file():
    files = MemoryFiles()
    assert FlipBit(0, 0, 1, 0)._choose(files, SeededRandom(1)) is None
    for part in ("archive", "cluster"):
        files.make_directory(f"/data/{part}", parents=True)
        files.replace(f"/data/{part}/file", bytes(4096))
        files.replace(f"/data/{part}/empty", b"")
    found = [FlipBit(0, 0, each, 0)._choose(files, SeededRandom(each)) for each in range(200)]
    assert {path for path, _, _ in found} == {"/data/archive/file", "/data/cluster/file"}
    assert 100 < sum(offset < 1024 for _, offset, _ in found) < 160


def test_a_quarter_of_the_runs_has_a_backup_starting_before_its_faults():
    plans = [add_backup(PLAN, seed, duration_ns=30 * S) for seed in range(400)]
    found = [each for each in plans if each != PLAN]
    assert 70 < len(found) < 130
    for plan in found:
        assert PLAN.events[0] in plan.events
        (start,) = (each for each in plan.events if isinstance(each, StartBackup))
        harms = [each for each in plan.events if getattr(each, "member", 0) == ALL_BACKUPS]
        assert all(each.at_ns >= start.at_ns for each in harms)
    texts = [str(each) for plan in found for each in plan.events]
    assert any("kill backup of the cluster, start" in each for each in texts)


def test_purging_members_are_configured_with_a_later_backup():
    found = {True: 0, False: 0}
    for seed in range(60):
        trial = Trial(seed, Settings(members=1, damages=(), families=("backup",)))
        options = trial.cluster.options.get("consensus_module", {})
        if "snapshots_kept" in options:
            has_backup = "backup" in trial.plan.families
            backups = consensus_endpoint(backup_host(0)) if has_backup else None
            assert options.get("purge_backups") == backups
            found[has_backup] += 1
    assert all(found.values())


def test_added_faults_leave_the_draws_of_families_unchanged():
    with_all = Trial(5, Settings(damages=()))
    without = Trial(5, Settings(families=FAMILIES, damages=()))
    assert {*without.plan.events} < {*with_all.plan.events}
    assert {*with_all.plan.families} - {*without.plan.families} <= {*ADDED_FAMILIES}


def test_added_faults_may_be_the_only_ones():
    plans = [Trial(seed, Settings(families=("service",), layout="node")).plan for seed in range(9)]
    kinds = {
        type(each).__name__ for plan in plans for each in plan.events if not plan.damage.is_of_data
    }
    assert kinds <= {"ServiceRaises", "SlowService", "StallService", "Diverge", "Operate"}
