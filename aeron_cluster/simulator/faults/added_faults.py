"""Faults added to plans besides those of their families, each kind from a separate random source.

So a seed draws the same faults of its families as before a kind was added.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.aimed_faults import (
    KillAllAtClose,
    KillInSnapshot,
    LoseLeaderInCatchUp,
    LosePowerAfterSnapshot,
    LosePowerAfterVote,
)
from aeron_cluster.simulator.faults.backup_events import StartBackup
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.disk_events import FlipBit, FlipRecordedBit
from aeron_cluster.simulator.faults.election_events import (
    MISSING_PARTS,
    RECORDING_LOG,
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
    KillProcess,
    KillProcessAtCall,
    Operate,
    PauseProcess,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan, draw_duration_ns
from aeron_cluster.simulator.faults.overtaken_leader import (
    LeadAloneAhead,
    OvertakeLeader,
    OvertakeWithSessions,
)
from aeron_cluster.simulator.faults.service_events import (
    CallbackRaises,
    Diverge,
    ServiceRaises,
    SlowService,
    StallService,
)
from aeron_cluster.simulator.members.backup import PROCESS_NAME
from aeron_cluster.simulator.members.service_faults import FAILING_CALLBACKS
from aeron_cluster.simulator.world.link_faults import LinkFaults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.faults.events import Event

__all__ = [
    "ADDED_FAMILIES",
    "add_aimed_faults",
    "add_backup",
    "add_closes_in_snapshots",
    "add_damage",
    "add_failing_callbacks",
    "add_kills_in_snapshots",
    "add_leaving_clients",
    "add_lost_logs",
    "add_overtaken_leader",
    "add_rare_requests",
    "add_service_faults",
    "add_standby_requests",
    "add_struck_elections",
]

ADDED_FAMILIES: Final = (
    "service",
    "backup",
    "rare",
    "overtaken",
    "aimed",
    "leave",
    "struck",
    "lost",
)

_MS: Final = 1_000_000
_S: Final = 1000 * _MS
_OF_SERVICES: Final = 0x5E41CE
_OF_CALLBACKS: Final = 0xCA11BA
_CALLBACKS_ONE_IN: Final = 4
_MOST_CALLBACKS: Final = 3
_OF_DAMAGE: Final = 0xDA3A6E
_OF_BACKUPS: Final = 0xBAC4
_RARE_REQUEST_SALT: Final = 0x0DD
_OF_OVERTAKEN: Final = 0x07E47A
_OF_AIMED: Final = 0xA13ED
_OF_LEAVING: Final = 0x1EA5E
_OF_CLOSES: Final = 0xC105E
_OF_STRUCK: Final = 0x57121C
_OF_LOST: Final = 0x10571
_OF_SNAPSHOTS: Final = 0x5A9507
_OF_STANDBYS: Final = 0x57A4DB
_STANDBYS_ONE_IN: Final = 8
_KILLS_ONE_IN: Final = 6
_FIRST_CALL: Final = 24  # the entry of a snapshot comes some forty calls after its request
_CALLS: Final = 48
_STRUCK_ONE_IN: Final = 6
_LOST_ONE_IN: Final = 8
_LOST_ALONE_ONE_IN: Final = 2
# All but INIT, in which a member is often, and CLOSED.
_STRUCK_STATES: Final = tuple(ElectionState)[ElectionState.CANVASS : ElectionState.CLOSED]
_MIN_MEMBERS_TO_OVERTAKE: Final = 3
_LONGEST_ELECTIONS_NS: Final = 40 * _S
_DAY_S: Final = 86_400
_HIGHEST: Final = 0.02


def add_service_faults(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Add misbehaving services in one run of four.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Those of the run, as for `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_SERVICES)
    if random.below(4):
        return plan
    count = 1 + random.below(max(1, speedup * duration_ns // (5 * _S)))
    return plan.plus(
        "service",
        [
            _service_fault(random, random.below(duration_ns), random.below(members), speedup)
            for _ in range(count)
        ],
    )


def add_failing_callbacks(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int
) -> FaultPlan:
    """Add services that raise in `FAILING_CALLBACKS` in one run of four, of one member or of all.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns : int
        Those of the run, as for `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_CALLBACKS)
    if random.below(_CALLBACKS_ONE_IN):
        return plan
    events: list[Event] = []
    for _ in range(1 + random.below(_MOST_CALLBACKS)):
        member = random.below(members) if random.below(2) else -1
        callback = FAILING_CALLBACKS[random.below(len(FAILING_CALLBACKS))]
        # From early on, since some are called only when a leader is elected.
        at_ns = random.below(duration_ns // 2)
        events.append(CallbackRaises(at_ns, member, callback, 1 + random.below(3)))
    return plan.plus("service", events)


def _service_fault(random: Random, at_ns: int, member: int, speedup: int) -> Event:
    match random.below(3):
        case 0:
            delay_ns = (1 + random.below(20)) * _MS // speedup
            return SlowService(at_ns, member, delay_ns, draw_duration_ns(random, 5, speedup))
        case 1:
            return StallService(at_ns, member, draw_duration_ns(random, 5, speedup))
        case _:
            return ServiceRaises(at_ns, member, 1 + random.below(20))


def add_backup(plan: FaultPlan, seed: int, *, duration_ns: int) -> FaultPlan:
    """Add a backup of the cluster in one run of four.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns : int
        Those of the run, as for `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_BACKUPS)
    if random.below(4):
        return plan
    # Early, so that it overlaps other events.
    begin_ns = random.below(duration_ns // 3)
    count = random.below(max(1, duration_ns // (4 * _S)))
    events: list[Event] = [StartBackup(begin_ns)]
    events += [
        _backup_fault(random, begin_ns + random.below(duration_ns - begin_ns)) for _ in range(count)
    ]
    return plan.plus("backup", events)


def _backup_fault(random: Random, at_ns: int) -> Event:
    where = at_ns, ALL_BACKUPS, PROCESS_NAME
    match random.below(4):
        case 0:
            return KillProcess(*where, draw_duration_ns(random, 5))
        case 1:
            return PauseProcess(*where, draw_duration_ns(random, 5))
        case _:
            calls = 1 + random.below(10 ** (1 + random.below(4)))
            is_network = random.below(2) == 0
            return KillProcessAtCall(*where, calls, is_network, draw_duration_ns(random, 5))


def add_rare_requests(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Add untimely operators' requests, or a clock set by days, in one run of eight.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Those of the run, as for `FaultPlan.draw`.
    """
    del speedup
    random = SeededRandom(seed ^ _RARE_REQUEST_SALT)
    if random.below(8):
        return plan
    events: list[Event] = []
    for _ in range(1 + random.below(3)):
        at_ns = random.below(duration_ns)
        if random.below(2):
            # A resume without a suspension, or before its scheduled resume.
            events.append(Operate(at_ns, ControlToggle.RESUME))
        else:
            step_s = (random.below(2) * 2 - 1) * (1 + random.below(30)) * _DAY_S
            events.append(ClockStep(at_ns, random.below(members), step_s * _S))
    return plan.plus("rare", events)


def add_standby_requests(plan: FaultPlan, seed: int, *, duration_ns: int) -> FaultPlan:
    """Request snapshots of standbys, of which there are none, in one run of eight.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns : int
        Those of the run, as for `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_STANDBYS)
    if random.below(_STANDBYS_ONE_IN):
        return plan
    times = [random.below(duration_ns) for _ in range(1 + random.below(3))]
    events = [Operate(at_ns, ControlToggle.STANDBY_SNAPSHOT) for at_ns in times]
    return plan.plus("rare", events)


def add_overtaken_leader(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Add an overtaken leader in one run of eight with enough members.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as for `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_OVERTAKEN)
    if random.below(8) or members < _MIN_MEMBERS_TO_OVERTAKE:
        return plan
    # Two elections follow, which take most of the time.
    at_ns = random.below(duration_ns // 4)
    delay_ns = draw_duration_ns(random, 1, speedup)
    down_ns = _LONGEST_ELECTIONS_NS // speedup
    limit_ns = _LONGEST_ELECTIONS_NS // speedup
    return plan.plus("overtaken", [OvertakeLeader(at_ns, delay_ns, down_ns, limit_ns)])


def add_aimed_faults(
    plan: FaultPlan,
    seed: int,
    *,
    members: int,
    duration_ns: int,
    speedup: int,
    sync_level: int,
) -> FaultPlan:
    """Strike a member at a moment of its work in one run of four.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup, sync_level : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_AIMED)
    if random.below(4):
        return plan
    at_ns = random.below(duration_ns // 2)
    down_ns = draw_duration_ns(random, 5, speedup)
    limit_ns = _LONGEST_ELECTIONS_NS // speedup
    kinds: list[Event] = []
    if sync_level > 0:
        # Otherwise what was acknowledged may be lost.
        kinds.append(LosePowerAfterSnapshot(at_ns, down_ns, limit_ns))
        if members > 1:
            kinds.append(LosePowerAfterVote(at_ns, down_ns, limit_ns))
    if members > 1:
        lag_ns = draw_duration_ns(random, 5, speedup)
        kinds.append(LoseLeaderInCatchUp(at_ns, down_ns, limit_ns, lag_ns))
    return plan.plus("aimed", [kinds[random.below(len(kinds))]]) if kinds else plan


def add_closes_in_snapshots(
    plan: FaultPlan, seed: int, *, duration_ns: int, speedup: int
) -> FaultPlan:
    """Kill all members once a snapshot has a session that closes.

    For runs in which services close sessions.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    at_ns = SeededRandom(seed ^ _OF_CLOSES).below(duration_ns // 4)
    limit_ns = _LONGEST_ELECTIONS_NS // speedup
    down_ns = _S // 2 // speedup
    return plan.plus("aimed", [KillAllAtClose(at_ns, down_ns, limit_ns)])


def add_kills_in_snapshots(
    plan: FaultPlan, seed: int, *, duration_ns: int, speedup: int
) -> FaultPlan:
    """Kill a member while it takes a snapshot in one run of six.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_SNAPSHOTS)
    if random.below(_KILLS_ONE_IN):
        return plan
    at_ns = random.below(duration_ns * 3 // 4)
    down_ns = draw_duration_ns(random, 5, speedup)
    calls = _FIRST_CALL + random.below(_CALLS)
    return plan.plus("aimed", [KillInSnapshot(at_ns, down_ns, _S, calls)])


def add_leaving_clients(plan: FaultPlan, seed: int, *, duration_ns: int, speedup: int) -> FaultPlan:
    """Have clients close their sessions and open others in one run of four.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_LEAVING)
    if random.below(4):
        return plan
    count = 1 + random.below(max(1, speedup * duration_ns // (5 * _S)))
    events = [EndSession(random.below(duration_ns), random.below(8)) for _ in range(count)]
    return plan.plus("leave", events)


def add_struck_elections(
    plan: FaultPlan, seed: int, *, members: int, sync_level: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Have elections go wrong at moments of their own, in one run of six with several members.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, sync_level, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_STRUCK)
    if random.below(_STRUCK_ONE_IN) or members < 2:  # noqa: PLR2004 - one has nobody to elect with
        return plan
    events: list[Event] = []
    for _ in range(1 + random.below(2)):
        at_ns = random.below(duration_ns // 2)
        first_down_ns = draw_duration_ns(random, 10, speedup)
        down_ns = draw_duration_ns(random, 20, speedup)
        limit_ns = _LONGEST_ELECTIONS_NS // speedup
        match random.below(8):
            case 0:
                part = MISSING_PARTS[random.below(len(MISSING_PARTS))]
                missing_ns = (1 + random.below(10)) * _S // speedup
                events.append(MissingFiles(at_ns, random.below(members), part, down_ns, missing_ns))
            case 1 | 2:
                ways = tuple(
                    (source, target)
                    for source in range(members)
                    for target in range(members)
                    if source != target and random.below(2)
                )
                # Up to three ballots.
                held_ns = (1 + random.below(30)) * _S // 10 // speedup
                events.append(HoldUpVotes(at_ns, ways, first_down_ns, held_ns, limit_ns))
            case 3 | 4 if members >= _MIN_MEMBERS_TO_OVERTAKE:
                down_ns = _LONGEST_ELECTIONS_NS // speedup
                delay_ns = draw_duration_ns(random, 1, speedup)
                client, is_closed = random.below(8), random.below(2) == 0
                events.append(
                    OvertakeWithSessions(at_ns, delay_ns, down_ns, limit_ns, client, is_closed)
                )
            case _:
                events.append(
                    KillInElection(
                        at_ns,
                        state=_STRUCK_STATES[random.below(len(_STRUCK_STATES))],
                        is_of_leader=random.below(3) == 0,
                        calls=1 + random.below(10 ** (1 + random.below(2))),
                        is_network=random.below(2) == 0,
                        is_power_lost=sync_level > 0 and random.below(2) == 0,
                        first_down_ns=first_down_ns,
                        down_ns=down_ns,
                        limit_ns=limit_ns,
                    )
                )
    return plan.plus("struck", events)


def add_lost_logs(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Let a part of a log be lost, or be had by a new leader alone, in one run of eight.

    In one of two with a single member, which nobody can replace.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_LOST)
    if random.below(_LOST_ALONE_ONE_IN if members == 1 else _LOST_ONE_IN):
        return plan
    # Elections follow, which take most of the time.
    at_ns = duration_ns // 8 + random.below(duration_ns // 4)
    down_ns = draw_duration_ns(random, 1, speedup)
    missing_ns = (1 + random.below(5)) * _S // speedup
    limit_ns = _LONGEST_ELECTIONS_NS // speedup
    kind = random.below(3)
    if kind == 0 or members < _MIN_MEMBERS_TO_OVERTAKE:
        member = random.below(members)
        if members == 1 and kind > 0:
            event: Event = MissingFiles(at_ns, member, RECORDING_LOG, down_ns, missing_ns)
        else:
            age_ns = (1 + random.below(5)) * _S // speedup
            event = OlderArchive(at_ns, member, "archive", down_ns, missing_ns, age_ns, limit_ns)
    else:
        ahead_ns = (1 + random.below(5)) * _S // speedup
        # Longer than a leader's heartbeat timeout: no other member counts as active then.
        alone_ns = (15 + random.below(10)) * _S // speedup
        event = LeadAloneAhead(at_ns, ahead_ns, alone_ns, limit_ns)
    return plan.plus("lost", [event])


def add_damage(
    plan: FaultPlan,
    seed: int,
    *,
    members: int,
    duration_ns: int,
    speedup: int,
    kinds: Sequence[Damage] = (),
) -> FaultPlan:
    """Add damage in one run of eight, with a smaller load.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Those of the run, as for `FaultPlan.draw`.
    kinds : sequence of Damage
        The kind of damage.
    """
    random = SeededRandom(seed ^ _OF_DAMAGE)
    if not kinds or random.below(8):
        return plan
    damage = kinds[random.below(len(kinds))]
    times = [random.below(duration_ns) for _ in range(1 + random.below(3))]
    match damage:
        case Damage.DATAGRAMS:
            events: list[Event] = [_bad_network(random, at_ns, speedup) for at_ns in times]
            return replace(plan.plus("damage", events), damage=damage)
        case Damage.CHECKED_BITS:
            # On one member and without other faults, since only the others have the data then.
            member = random.below(members)
            events = [Operate(random.below(duration_ns), ControlToggle.SNAPSHOT)]
            # Of two flips in one frame the second could hide the first.
            events += [
                FlipRecordedBit(at_ns, member, *_flip(random, speedup), may_pad=at_ns == min(times))
                for at_ns in times
            ]
            return replace(FaultPlan().plus("damage", events), damage=damage)
        case Damage.SERVICE:
            # Early, so that the guard's next checkpoint follows; and without other faults, since a
            # service that raises on only one member has diverged as well.
            at_ns = random.below(duration_ns // 2)
            events = [
                Diverge(at_ns, random.below(members)),
                Operate(random.below(duration_ns), ControlToggle.SNAPSHOT),
            ]
            return replace(FaultPlan().plus("damage", events), damage=damage)
        case Damage.BITS:
            events = [
                FlipBit(at_ns, random.below(members), *_flip(random, speedup)) for at_ns in times
            ]
            return replace(plan.plus("damage", events), damage=damage)
        case Damage.NOTHING:
            return plan


def _bad_network(random: Random, at_ns: int, speedup: int) -> Event:
    faults = LinkFaults(
        corrupt=round(random.uniform() * _HIGHEST, 4),
        truncate=round(random.uniform() * _HIGHEST, 4),
        min_delay_ns=_MS // 30,
        max_delay_ns=_MS // 10,
    )
    return BadNetwork(at_ns, faults, draw_duration_ns(random, 10, speedup))


def _flip(random: Random, speedup: int) -> tuple[int, int]:
    """Return the choice of the flipped bit, and the down time of the member."""
    return random.below(1 << 16), draw_duration_ns(random, 5, speedup)
