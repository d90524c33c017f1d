"""The options of a run's members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.endings.late_reports import FAST_FAILOVER
from aeron_cluster.simulator.endings.refused_backup import refusing_options
from aeron_cluster.simulator.faults.damage import options_of
from aeron_cluster.simulator.faults.failed_recordings import options_of_snapshots
from aeron_cluster.simulator.faults.late_terminations import options_of_terminations
from aeron_cluster.simulator.members.backup import backup_host, consensus_endpoint
from aeron_cluster.simulator.trials.session_limits import limit_options
from aeron_cluster.simulator.trials.settings import WITHOUT_LOSSES
from aeron_cluster.simulator.trials.shapes import draw_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.simulator.endings.late_reports import LateReports
    from aeron_cluster.simulator.endings.offered_snapshots import Offer
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.trials.session_limits import SessionLimit
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["GUARD_INTERVAL", "driver_timeouts", "member_options"]

_S: Final = 1_000_000_000

GUARD_INTERVAL: Final = 512
"""The number of callbacks after which judged services are compared."""

# The timeouts of unresponsive peers, in ns. The heartbeat intervals stay unchanged.
_ANSWER_TIMEOUT_NS: Final = {
    "driver": {
        "client_liveness_timeout_ns": 10 * _S,
        "image_liveness_timeout_ns": 10 * _S,
        "publication_unblock_timeout_ns": 15 * _S,
        "publication_connection_timeout_ns": 5 * _S,
        "publication_linger_timeout_ns": 5 * _S,
        "flow_control_receiver_timeout_ns": 5 * _S,
    },
    "consensus_module": {
        "leader_heartbeat_timeout_ns": 10 * _S,
        "startup_canvass_timeout_ns": 60 * _S,
        "election_timeout_ns": _S,
        "election_status_interval_ns": _S // 10,
        "session_timeout_ns": 10 * _S,
        "termination_timeout_ns": 10 * _S,
        "replication_progress_timeout_ns": 10 * _S,
    },
}

Options = dict[str, dict[str, Any]]
"""By component of a member, and name."""


def member_options(
    seed: int,
    settings: Settings,
    plan: FaultPlan,
    limit: SessionLimit | None,
    *,
    refuses_a_backup: bool,
    offer: Offer | None = None,
    late_reports: LateReports | None = None,
) -> Options:
    """Return the options of a run's members; those that the settings give count.

    Parameters
    ----------
    seed : int
    settings : Settings
    plan : FaultPlan
        Its damage may need some.
    limit : SessionLimit, optional
    refuses_a_backup : bool
        Whether a principal may not query the cluster for a backup.
    offer : Offer, optional
        What a standby offers.
    late_reports : LateReports, optional
        How a leader is slow to clients.
    """
    scheduled = _scheduled(seed, settings, has_backup="backup" in plan.families)
    options = _merged(scheduled, settings.options)
    if settings.draws > WITHOUT_LOSSES:
        options = _merged(draw_options(seed), options)
    options = _merged(limit_options(limit), options)
    if refuses_a_backup:
        options = _merged(refusing_options(), options)
    if offer is not None and offer.is_accepted:
        options = _merged({"consensus_module": {"accept_standby_snapshots": True}}, options)
    if settings.speedup > 1:
        shortened = {part: _timeouts(part, settings.speedup) for part in _ANSWER_TIMEOUT_NS}
        options = _merged(shortened, options)
    liveness_ns = _ANSWER_TIMEOUT_NS["driver"]["image_liveness_timeout_ns"] // settings.speedup
    options = _merged(options, options_of_terminations(plan, liveness_ns))
    options = _merged(options_of_snapshots(plan), options)
    if late_reports is not None:
        options = _merged(options, {"consensus_module": FAST_FAILOVER})
    options = options_of(plan.damage, options)
    if settings.is_judged:
        options = _merged({"container": {"divergence_interval": GUARD_INTERVAL}}, options)
    return options


def driver_timeouts(speedup: int) -> dict[str, int]:
    """Return the timeouts of a driver, in ns, shortened by a factor."""
    return _timeouts("driver", speedup)


def _scheduled(seed: int, settings: Settings, *, has_backup: bool) -> Options:
    """Return options that schedule snapshots and purges, for half of all long runs.

    With short segments, so that some are purged; a backup is configured from the start, since a
    later one may need the purged log.
    """
    random = SeededRandom(seed ^ 0x5C4ED)
    if settings.speedup > 1 or random.below(2):
        return {}
    schedule: dict[str, Any] = {
        "snapshot_interval_ns": (2 + random.below(6)) * _S,
        "snapshots_kept": 2 + random.below(2),
    }
    if settings.is_judged:
        del schedule["snapshots_kept"]  # the complete log is replayed at the end
    elif has_backup:
        schedule["purge_backups"] = consensus_endpoint(backup_host(0))
    return {"archive": {"segment_file_length": 1 << 16}, "consensus_module": schedule}


def _merged(
    drawn: Mapping[str, Mapping[str, Any]], given: Mapping[str, Mapping[str, Any]]
) -> Options:
    """Return options of which those that are given count."""
    return {part: {**drawn.get(part, {}), **given.get(part, {})} for part in {**drawn, **given}}


def _timeouts(part: str, speedup: int) -> dict[str, int]:
    return {name: timeout_ns // speedup for name, timeout_ns in _ANSWER_TIMEOUT_NS[part].items()}
