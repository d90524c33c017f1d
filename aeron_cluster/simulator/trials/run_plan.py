"""The faults of a run besides the families of its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.faults.added_faults import (
    add_aimed_faults,
    add_backup,
    add_closes_in_snapshots,
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
from aeron_cluster.simulator.faults.client_events import add_superseded_clients
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.excluded_followers import add_excluded_followers
from aeron_cluster.simulator.faults.failed_recordings import add_failed_recordings
from aeron_cluster.simulator.faults.first_leader import add_overtaken_first_leader
from aeron_cluster.simulator.faults.late_terminations import add_late_terminations
from aeron_cluster.simulator.faults.leaders_of_copies import add_leaders_of_copies
from aeron_cluster.simulator.faults.open_claims import (
    add_open_claims,
    draw_open_claims,
    draw_sharing_services,
)
from aeron_cluster.simulator.faults.overtaken_offers import add_overtaken_offers
from aeron_cluster.simulator.faults.restarts import add_restarts
from aeron_cluster.simulator.faults.service_events import CallbackRaises, ServiceRaises
from aeron_cluster.simulator.faults.starved_drivers import add_starved_drivers
from aeron_cluster.simulator.trials.added_loads import draw_closes, draw_moved_timers
from aeron_cluster.simulator.trials.settings import (
    WITHOUT_KILLS_IN_SNAPSHOTS,
    WITHOUT_LIMITS,
    WITHOUT_LOSSES,
    WITHOUT_LOST_LOGS,
    WITHOUT_NATIVE,
    WITHOUT_REFUSALS,
    WITHOUT_SILENCES,
    WITHOUT_STRIKES,
    WITHOUT_SUPERSEDED,
)
from aeron_cluster.simulator.trials.shapes import draw_layout, draw_survivors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["least_services", "leaves_open_claims", "with_added_faults"]

_FEW: Final = 2  # members of which none can be spared


def with_added_faults(
    plan: FaultPlan,
    seed: int,
    members: int,
    sync_level: int,
    families: Sequence[str],
    settings: Settings,
) -> FaultPlan:
    """Add faults outside of the families of a plan, and damage.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, sync_level : int
        Those of the run.
    families : sequence of str
        The allowed kinds of faults.
    settings : Settings
    """
    timing = {"duration_ns": settings.duration_ns, "speedup": settings.speedup}
    run = {"members": members, **timing}
    if "service" in families:
        plan = add_service_faults(plan, seed, **run)
        if settings.draws > WITHOUT_NATIVE:
            plan = add_failing_callbacks(
                plan, seed, members=members, duration_ns=settings.duration_ns
            )
    if "rare" in families:
        plan = add_rare_requests(plan, seed, **run)
        if settings.draws > WITHOUT_REFUSALS:
            plan = add_standby_requests(plan, seed, duration_ns=settings.duration_ns)
    if "overtaken" in families and settings.is_joined:
        plan = add_overtaken_leader(plan, seed, **run)
        if settings.draws > WITHOUT_SUPERSEDED:
            plan = add_overtaken_first_leader(
                plan, seed, members=members, sync_level=sync_level, speedup=settings.speedup
            )
        if settings.services and settings.draws > WITHOUT_NATIVE:
            plan = add_overtaken_offers(plan, seed, **run)
    if "leave" in families:
        plan = add_leaving_clients(plan, seed, **timing)
        if _has_survivors(seed, settings) and settings.draws > WITHOUT_SUPERSEDED:
            plan = add_superseded_clients(plan, seed, duration_ns=settings.duration_ns)
    if "aimed" in families and settings.is_joined:
        plan = add_aimed_faults(plan, seed, sync_level=sync_level, **run)
        if settings.draws > WITHOUT_LOSSES and draw_closes(seed, 0) is not None:
            plan = add_closes_in_snapshots(plan, seed, **timing)
    if "aimed" in families and settings.draws > WITHOUT_KILLS_IN_SNAPSHOTS:
        plan = add_kills_in_snapshots(plan, seed, **timing)
    if "aimed" in families and settings.is_joined and settings.draws > WITHOUT_SILENCES:
        plan = add_power_losses(plan, seed, sync_level=sync_level, **run)
    if "aimed" in families and settings.is_joined and settings.draws > WITHOUT_LIMITS:
        plan = add_late_terminations(plan, seed, **run)
        if draw_moved_timers(seed, 0) is not None:
            plan = add_restarts(plan, seed, **timing)
    if "aimed" in families and settings.is_joined and settings.draws > WITHOUT_SUPERSEDED:
        plan = add_failed_recordings(plan, seed, duration_ns=settings.duration_ns)
    if "aimed" in families and settings.is_joined and settings.draws > WITHOUT_NATIVE:
        plan = add_starved_drivers(plan, seed, **run)
    if leaves_open_claims(seed, settings):
        plan = add_open_claims(plan, seed, **run)
    if "struck" in families and settings.is_joined and settings.draws > WITHOUT_STRIKES:
        plan = add_struck_elections(plan, seed, sync_level=sync_level, **run)
        if settings.draws > WITHOUT_NATIVE:
            plan = add_excluded_followers(plan, seed, **run)
    if "lost" in families and settings.is_joined and settings.draws > WITHOUT_LOST_LOGS:
        plan = add_lost_logs(plan, seed, **run)
        if settings.draws > WITHOUT_NATIVE:
            plan = add_leaders_of_copies(plan, seed, **run)
    if "backup" in families and settings.is_joined:
        plan = add_backup(plan, seed, duration_ns=settings.duration_ns)
    if settings.is_judged:
        # A service that raises on only one member diverges, but here the plan causes that.
        raising = (ServiceRaises, CallbackRaises)
        events = [each for each in plan.events if not isinstance(each, raising)]
        plan = plan.only(events)
    # With few members, damage to one leaves no majority.
    of_a_majority = (Damage.CHECKED_BITS, Damage.SERVICE)
    has_others = settings.is_joined and members > _FEW
    kinds = [each for each in settings.damages if has_others or each not in of_a_majority]
    if settings.is_judged and Damage.SERVICE in kinds:
        kinds.remove(Damage.SERVICE)
    return add_damage(plan, seed, kinds=kinds, **run)


def leaves_open_claims(seed: int, settings: Settings) -> bool:
    """Return whether containers are killed within claims: only where they are processes.

    Parameters
    ----------
    seed : int
    settings : Settings
    """
    return (
        settings.draws > WITHOUT_NATIVE
        and settings.services == (ReferenceService,)
        and settings.is_joined
        and not settings.is_judged
        and (settings.layout or draw_layout(seed)) == "apart"
        and (settings.families is None or "aimed" in settings.families)
        and draw_open_claims(seed)
    )


def least_services(seed: int, settings: Settings) -> int:
    """Return the number of services that a run needs for its faults; 0 for any number.

    Parameters
    ----------
    seed : int
    settings : Settings
    """
    return draw_sharing_services(seed) if leaves_open_claims(seed, settings) else 0


def _has_survivors(seed: int, settings: Settings) -> bool:
    """Return whether some clients of a run with the reference service are surviving ones."""
    is_drawn = settings.has_survivors and settings.is_joined
    is_reference = any(each is ReferenceService for each in settings.services)
    return is_drawn and is_reference and any(draw_survivors(seed, 1))
