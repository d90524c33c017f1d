"""What a run does after its faults, until its cluster is at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.simulator.checks.sessions import check_requested_closes
from aeron_cluster.simulator.checks.timers import check_punctual_timers
from aeron_cluster.simulator.endings.answers import await_answers
from aeron_cluster.simulator.endings.backed_up_snapshots import are_snapshots_backed_up
from aeron_cluster.simulator.endings.conditions import (
    all_lead,
    are_backed_up,
    are_offers_seen,
    are_survivors_answered,
    election_bound_ns,
    has_no_pending_requests,
    has_no_snapshot,
    is_quiet,
    terms_seen,
)
from aeron_cluster.simulator.endings.cut_snapshot import cut_snapshot
from aeron_cluster.simulator.endings.failover import check_failover
from aeron_cluster.simulator.endings.fewer_services import start_with_fewer_services
from aeron_cluster.simulator.endings.followed_log import check_backups_follow
from aeron_cluster.simulator.endings.known_members import lose_known_member
from aeron_cluster.simulator.endings.last_loss import LastLoss, lose_once_more
from aeron_cluster.simulator.endings.late_reports import hold_up_reports
from aeron_cluster.simulator.endings.left_sessions import check_sessions_without_a_client
from aeron_cluster.simulator.endings.offered_snapshots import offer_snapshots
from aeron_cluster.simulator.endings.open_claim import kill_within_claim
from aeron_cluster.simulator.endings.purged_snapshots import (
    check_old_log_goes,
    check_old_snapshots_go,
)
from aeron_cluster.simulator.endings.refused_backup import check_backup_is_refused
from aeron_cluster.simulator.endings.stalled_driver import stall_driver
from aeron_cluster.simulator.endings.unsynced_losses import (
    lose_power_after_write_back,
    lose_power_in_turn,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.endings.late_reports import LateReports
    from aeron_cluster.simulator.endings.offered_snapshots import Offer
    from aeron_cluster.simulator.endings.open_claim import OpenClaim
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["Ending", "await_recovery", "come_to_rest", "lose_last"]

_S: Final = 1_000_000_000
_LAST_ANSWERS_NS: Final = _S
_LAST_OFFERS_NS: Final = _S
_SNAPSHOT_TIMEOUT_NS: Final = 30 * _S
_REST: Final = "all members come to the same position"


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What was drawn for the end of a run.

    Parameters
    ----------
    last_loss : LastLoss, optional
    has_failover : bool
        Whether the leader is killed while nothing else is wrong.
    unsynced_losses : tuple of int
        The members whose machines lose power in turn, in a run that does not sync.
    writes_back : bool
        Whether their disks are written back shortly before.
    known_member : int
        The member that surviving clients were given, and lose; -1 for none.
    late_reports : LateReports, optional
        How the leader is slow to surviving clients, and is cut off.
    refuses_a_backup, has_fewer_services : bool
        Whether a backup is refused, and a member started with fewer services.
    offer : Offer, optional
        What a standby offers to a member.
    cuts : Random, optional
        Chooses the snapshot that a member lacks a part of.
    kept_snapshots : int
        How many snapshots members keep; 0 if they keep all.
    stall_ns : int
        How long the driver of a member stalls, in ns; 0 if none does.
    awaits_snapshots : bool
        Whether snapshots may have begun to fail, which takes a timeout in which members read no
        further: they must end first.
    open_claim : OpenClaim, optional
        What a client leaves open that shares its ingress with others.
    """

    last_loss: LastLoss | None = None
    has_failover: bool = False
    unsynced_losses: tuple[int, ...] = ()
    writes_back: bool = False
    known_member: int = -1
    late_reports: LateReports | None = None
    refuses_a_backup: bool = False
    has_fewer_services: bool = False
    offer: Offer | None = None
    cuts: Random | None = None
    kept_snapshots: int = 0
    stall_ns: int = 0
    awaits_snapshots: bool = False
    open_claim: OpenClaim | None = None


def await_recovery(host: RunHost, services: Sequence[object], loss: str) -> None:
    """Wait for a leader and for answers of all clients.

    Clients for which there are not enough sessions leave first: one that comes back tries again
    after up to five seconds, and might not find a place in time.

    Parameters
    ----------
    host : RunHost
    services : sequence of callables
        The factories of services, for an error.
    loss : str
        What the cluster recovers from.

    Raises
    ------
    TimeoutExpiredError
    """
    for visitor in host.cluster.visitors:
        visitor.close()
    host.on_step(f"the majority elects after the {loss}")
    host.await_until(lambda: all_lead(host.cluster), election_bound_ns(host.cluster))
    host.on_step(f"clients are answered after the {loss}")
    await_answers(host, services)


def lose_last(host: RunHost, ending: Ending, services: Sequence[object]) -> None:
    """Lose members with nothing else wrong, and come back from it in time, if that is drawn.

    Parameters are those of `await_recovery`.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    if ending.awaits_snapshots:
        host.on_step("snapshots end, if only with an error")
        host.await_until(lambda: has_no_snapshot(host.cluster), _SNAPSHOT_TIMEOUT_NS)
    if ending.last_loss is not None:
        lose_once_more(host, ending.last_loss)
        await_recovery(host, services, "last loss")
    if ending.unsynced_losses:
        lose = lose_power_after_write_back if ending.writes_back else lose_power_in_turn
        lose(host, ending.unsynced_losses)
        await_recovery(host, services, "losses of power without syncs")
    if ending.known_member >= 0:
        lose_known_member(host, ending.known_member)
        await_recovery(host, services, "loss of the member that clients were given")
    if ending.late_reports is not None:
        hold_up_reports(host, ending.late_reports)
        await_recovery(host, services, "loss of a leader that was slow to clients")
    if ending.stall_ns:
        stall_driver(host, ending.stall_ns)
        await_recovery(host, services, "stall of a driver")


def come_to_rest(host: RunHost, ending: Ending, *, has_bad_disks: bool) -> None:
    """Stop the clients, wait until nothing is in progress, and check what needs that.

    Parameters
    ----------
    host : RunHost
    ending : Ending
    has_bad_disks : bool
        Whether members may never have all of the log; then nothing more is awaited.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    calm_from, terms = len(cluster.journals[0].entries), terms_seen(cluster)
    calm_ms = max(
        [each.machine.clock.epoch_ms() for each in cluster.members if each.is_leading],
        default=0,
    )
    host.on_step(_REST)
    for client in cluster.clients:
        client.stop()
    host.drive_to(cluster.now_ns + _LAST_ANSWERS_NS)
    host.on_step("surviving clients have all their answers")
    host.await_until(lambda: are_survivors_answered(cluster), 60 * _S)
    host.on_step(_REST)
    if has_bad_disks:
        return
    host.await_until(lambda: is_quiet(cluster), 60 * _S)
    host.on_step("the operators' requests are done")
    host.await_until(lambda: has_no_pending_requests(cluster), 60 * _S)
    host.on_step("backups have what is committed")
    position = cluster.members[0].commit_position
    host.await_until(lambda: are_backed_up(cluster, position), 60 * _S)
    host.on_step("backups have the latest snapshot")
    host.await_until(lambda: are_snapshots_backed_up(cluster), 60 * _S)
    host.on_step("what services offered comes to the log")
    until_ns = cluster.now_ns + _LAST_OFFERS_NS  # members may have lost an offer
    host.await_until(
        lambda: is_quiet(cluster) and (are_offers_seen(cluster) or cluster.now_ns >= until_ns),
        60 * _S,
    )
    if cluster.is_joined and cluster.clients:
        _check_closes(cluster)
        if terms_seen(cluster) == terms:
            check_punctual_timers(cluster.journals[0], calm_from, calm_ms)
        _check_at_rest(host, ending)


def _check_closes(cluster: Cluster) -> None:
    """Check that sessions are closed whose end services requested, before they time out."""
    leaders = [each for each in cluster.members if each.is_leading]
    if all(each.module.state is ConsensusModuleState.ACTIVE for each in leaders):
        for journal in cluster.journals:
            check_requested_closes(journal)


def _check_at_rest(host: RunHost, ending: Ending) -> None:
    cluster = host.cluster
    if ending.has_failover:
        check_failover(host)
    check_sessions_without_a_client(host)
    if ending.open_claim is not None:
        kill_within_claim(host, ending.open_claim)
    if cluster.backups:
        check_backups_follow(host)
    if ending.refuses_a_backup:
        check_backup_is_refused(host)
    # Last, since a backup that follows the member has to find another one.
    if ending.offer is not None:
        offer_snapshots(host, ending.offer)
    if ending.has_fewer_services:
        start_with_fewer_services(host)
    if ending.cuts is not None:
        cut_snapshot(host, ending.cuts)
    if ending.kept_snapshots:
        check_old_snapshots_go(host, ending.kept_snapshots)
        check_old_log_goes(host, ending.kept_snapshots)
