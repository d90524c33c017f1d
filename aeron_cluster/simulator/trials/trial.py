"""One run of a cluster from a seed, with faults; and shrinking of a failing one."""

from __future__ import annotations

import heapq
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import (
    AeronClusterError,
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
    InvariantError,
    ServiceCallbackError,
    ServiceInvariantError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.answer_counts import AnswerCount
from aeron_cluster.simulator.checks.divergence_invariants import GuardsAgree
from aeron_cluster.simulator.checks.held_sessions import HeldSession
from aeron_cluster.simulator.checks.invariants import AnswersAreRight, Checker, StatesAreRight
from aeron_cluster.simulator.checks.leaks import NothingLeaks, end_clients_of_drivers
from aeron_cluster.simulator.checks.member_disk import is_log_missing, read_log_start
from aeron_cluster.simulator.checks.replays import Replay, ReplaysAgree
from aeron_cluster.simulator.checks.service_errors import is_of_service, service_invariant_error
from aeron_cluster.simulator.checks.sessions import (
    SeenClose,
    Silence,
    check_left_sessions,
    check_requested_closes,
    check_timed_out,
    closed_by_returned_leader,
)
from aeron_cluster.simulator.checks.timers import check_punctual_timers
from aeron_cluster.simulator.clients.byte_load import ByteLoad, uses_deduplication
from aeron_cluster.simulator.clients.client import Client
from aeron_cluster.simulator.clients.reference import MAX_CLIENTS, ReferenceLoad, ReferenceService
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.cluster import Cluster, Member, ignore, term_of
from aeron_cluster.simulator.faults.added_faults import (
    ADDED_FAMILIES,
    add_aimed_faults,
    add_backup,
    add_closes_in_snapshots,
    add_damage,
    add_kills_in_snapshots,
    add_leaving_clients,
    add_lost_logs,
    add_overtaken_leader,
    add_rare_requests,
    add_service_faults,
    add_standby_requests,
    add_struck_elections,
)
from aeron_cluster.simulator.faults.damage import DAMAGES, Damage, checkers_of, options_of
from aeron_cluster.simulator.faults.election_events import MissingFiles, put_back
from aeron_cluster.simulator.faults.events import ALL_BACKUPS
from aeron_cluster.simulator.faults.fault_plan import CONSENSUS_FAMILIES, FAMILIES, FaultPlan
from aeron_cluster.simulator.faults.service_events import ServiceRaises
from aeron_cluster.simulator.members.backup import backup_host, consensus_endpoint
from aeron_cluster.simulator.model.plain_messages import CLIENT_ACTION, REASONS, TIMEOUT
from aeron_cluster.simulator.trials.added_loads import (
    draw_closes,
    draw_egress_options,
    draw_guests,
    draw_rare_requests,
)
from aeron_cluster.simulator.trials.cut_snapshot import cut_snapshot, draw_cut
from aeron_cluster.simulator.trials.fewer_services import (
    draw_fewer_services,
    start_with_fewer_services,
)
from aeron_cluster.simulator.trials.followed_log import check_backups_follow
from aeron_cluster.simulator.trials.known_members import draw_known_member, lose_known_member
from aeron_cluster.simulator.trials.last_loss import (
    LastLoss,
    draw_last_loss,
    lose_once_more,
)
from aeron_cluster.simulator.trials.process_ends import ProcessEnds
from aeron_cluster.simulator.trials.purged_snapshots import check_old_snapshots_go
from aeron_cluster.simulator.trials.refused_backup import (
    check_backup_is_refused,
    refusing_options,
)
from aeron_cluster.simulator.trials.run_host import RunHost
from aeron_cluster.simulator.trials.shapes import (
    draw_guest_capacity,
    draw_member_count,
    draw_options,
    draw_survivors,
    reference_services,
)
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.loop import fill_allocations

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.errors import CallbackPlace
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.clients.client import Load
    from aeron_cluster.simulator.members.backup import Backup
    from aeron_cluster.simulator.members.layouts import Layout
    from aeron_cluster.simulator.members.member_process import MemberProcess
    from aeron_cluster.simulator.trials.other_hashes import OtherHashes

__all__ = [
    "DRAWS",
    "MAX_DRAWS",
    "Outcome",
    "Settings",
    "Trial",
    "ends_with_a_failover",
    "light_load",
    "run_trial",
    "shrink",
]

_S: Final = 1_000_000_000
_RESTART_NS: Final = 500_000_000
_LAST_ANSWERS_NS: Final = 1_000_000_000
_LAST_OFFERS_NS: Final = 1_000_000_000
_UNLIMITED: Final = 1 << 40
_MEMBER_DIR: Final = "/data"
_SPEEDUP: Final = 5
_GUARD_INTERVAL: Final = 512
_SILENT_LONGER_NS: Final = 1_500_000_000
_MAX_SILENCE_NS: Final = 30 * _S
_APART_NS: Final = 500_000_000
_OF_FAILOVERS: Final = 0xFA170
_FAILOVERS_ONE_IN: Final = 4
_CLOSE_STEP_NS: Final = 50_000_000
_RESTORED_NS: Final = 1_000_000_000
_COUNTED_NS: Final = 1_000_000_000
_FEW: Final = 2  # members of which none can be spared
_LARGEST: Final = 7
_LARGEST_BEFORE: Final = 5
_DRAWS_CLOSES: Final = 3
_OF_CONSENSUS: Final = ("service", "rare", "overtaken", "aimed", "leave", "struck", "lost")
_FOREVER_NS: Final = 1 << 60
_LOSSES_ONE_IN: Final = {"consensus": 2, "whole": 4}
_WITHOUT_LOSSES: Final = 3  # the draws before something was lost in the end
_WITHOUT_STRIKES: Final = 4
_WITHOUT_LOST_LOGS: Final = 5
_WITHOUT_KILLS_IN_SNAPSHOTS: Final = 6
_WITHOUT_KNOWN_MEMBERS: Final = 7
_WITHOUT_ADDED_SURVIVORS: Final = 8
_WITHOUT_REFUSALS: Final = 9  # nor requests for snapshots of standbys

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
_MESSAGE_TIMEOUT_NS: Final = 5 * _S  # of clients
_DETECTION_NS: Final = 25 * _S  # twice the timeouts of drivers and their clients
_PROCESSES: Final = ("driver", "archive", "module")

DRAWS: Final = 10
"""How the shape of a cluster is drawn, unless given otherwise."""

MAX_DRAWS: Final = 10
"""The latest version of drawing."""

LoadMaker = Callable[[int, "Random"], "Load"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parameters of a run, besides its seed.

    Parameters
    ----------
    services : tuple of callables
        The factories of services; the default is the reference service, with checked answers.
    make_load : callable, optional
        Creates a load from a client's number and a `Random`; not used with the reference service.
        By default clients of other services send seeded bytes, as surviving clients if a service
        uses `Deduplication`.
    members : int
        With 0 drawn from the seed: from 1 to 5, 3 most often, or 7.
    service_count : int
        The number of reference services, if no others are given; with 0 drawn from the seed.
    has_survivors : bool
        Whether the seed makes some clients surviving ones, with a de-duplicating reference service.
    is_judged : bool
        Whether the services themselves are judged: exceptions of callbacks and nondeterministic
        calls fail the run, and divergence guards are enabled. At the end members are restored from
        a snapshot and from the log alone, and their answers are compared with the others'; replays
        of the log, from its beginning and from each snapshot, are compared with the members'
        effects.
    allowed : tuple of type
        The exceptions that callbacks of judged services may raise.
    is_joined : bool
        Whether the members form one cluster; otherwise each is a separate one.
    clients : int
    duration_ns : int
        The time in which faults begin, in ns of virtual time.
    sync_level : int, optional
        The sync level of all files; by default the seed decides.
    families : tuple of str, optional
        The allowed kinds of faults, of `FAMILIES` and `ADDED_FAMILIES`, from which the seed
        selects; by default all.
    speedup : int
        The factor by which faults are more frequent and shorter, and timeouts shorter, so that as
        many elections need less virtual time.
    layout : str, optional
        As for `Cluster`; by default, one seed in four has separate processes for each member's
        components.
    damages : tuple of Damage
        The kinds of damage; one run of eight has one of them, with a smaller load.
    longest_step_ns, options : int, dict
        As for `Cluster`.
    mode, draws : str, int
        The mode of the settings, for the command that repeats a run: see `of`.
    """

    services: tuple[Callable[[], ClusteredService], ...] = (ReferenceService,)
    make_load: LoadMaker | None = None
    members: int = 3
    service_count: int = 1
    has_survivors: bool = False
    is_judged: bool = False
    allowed: tuple[type[BaseException], ...] = ()
    is_joined: bool = True
    clients: int = 2
    duration_ns: int = 30 * _S
    sync_level: int | None = None
    families: tuple[str, ...] | None = None
    speedup: int = 1
    layout: Layout | None = None
    damages: tuple[Damage, ...] = DAMAGES
    longest_step_ns: int = 1_000_000
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    mode: str = "whole"
    draws: int = 1

    @classmethod
    def of(cls, mode: str, *, draws: int = DRAWS, **given: Any) -> Settings:  # noqa: ANN401
        """Return the settings of a mode.

        Parameters
        ----------
        mode : str
            ``whole``: all faults, under load. ``consensus``: faults for elections and recovery
            (processes, partitions, pauses, clocks, operators), with little load and short timeouts,
            for several times as many seeds per hour.
        draws : int
            Which drawing: with 1 a seed is what it was when all clusters were of three members,
            with one service and plain clients; with 2 it decides about these, too; with 3 some
            clusters have seven members, and services close sessions; with 4 members differ in
            options, surviving clients come back, and something is lost once more in the end; with
            5 elections are struck; with 6 parts of logs are lost, or had by a new leader alone;
            with 7 members are killed in their snapshots; with 8 some surviving clients are given
            the endpoint of one member, and lose it; with 9 some clusters of the mode ``consensus``
            have a surviving client besides.
        **given
            Fields that differ from the mode's.
        """
        if mode not in ("whole", "consensus"):
            raise ConfigurationError("mode", "whole or consensus", mode)
        if not 1 <= draws <= MAX_DRAWS:
            raise ConfigurationError("draws", f"1 to {MAX_DRAWS}", draws)
        drawn: dict[str, Any] = {"mode": mode, "draws": draws}
        if mode == "consensus":
            drawn |= {
                "families": (*CONSENSUS_FAMILIES, *_OF_CONSENSUS),
                "clients": 1,
                "make_load": light_load,
                "speedup": _SPEEDUP,
                "duration_ns": 30 * _S // _SPEEDUP,
                "longest_step_ns": 4_000_000,
            }
        if draws > 1:
            drawn |= {
                "members": 0,
                "service_count": 0,
                "has_survivors": mode == "whole" or draws > _WITHOUT_ADDED_SURVIVORS,
                # Compensates for the longer runs of larger clusters.
                "duration_ns": drawn.get("duration_ns", cls.duration_ns) * 9 // 10,
            }
        return cls(**{**drawn, **given})


def light_load(number: int, random: Random) -> ReferenceLoad:
    """Return a load of about ten short requests per second."""
    return ReferenceLoad(
        number, random, interval_ns=100_000_000, longest_padding=8, answer_timeout_ns=_S // _SPEEDUP
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a run.

    Parameters
    ----------
    seed : int
    plan : FaultPlan
    failure : str
        The violated invariant; empty if all hold.
    invariant : str
        The kind of the failure.
    detail : str
        The traceback, if an exception ended the run.
    trace : int
        The trace of the run: the same for the same seed and program.
    virtual_ns : int
        The virtual time of the run.
    counts : dict of str to int
        Counts: requests, answers, terms, processes, lost datagrams and so on.
    found : str
        The failure without the invariant's name, if the user's service failed.
    place : CallbackPlace or None
        The place in the service, then.
    hint : str
        A hint about possible causes outside the service.
    """

    seed: int
    plan: FaultPlan
    failure: str = ""
    invariant: str = ""
    detail: str = ""
    trace: int = 0
    virtual_ns: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    found: str = ""
    place: CallbackPlace | None = None
    hint: str = ""

    @property
    def is_good(self) -> bool:
        """Whether all invariants held."""
        return not self.failure


class Trial:
    """A run in progress, to which the events of a plan apply.

    Attributes
    ----------
    cluster : Cluster
    """

    def __init__(
        self,
        seed: int,
        settings: Settings,
        plan: FaultPlan | None = None,
        *,
        other_hashes: OtherHashes | None = None,
    ) -> None:
        # Not the cluster's random source, so that a shrunk plan changes nothing else.
        random = SeededRandom(seed ^ 0x5EED)
        self.settings = settings
        max_count = _LARGEST if settings.draws >= _DRAWS_CLOSES else _LARGEST_BEFORE
        members = settings.members or draw_member_count(seed, max_count=max_count)
        self._survivors = (False,) * settings.clients
        # Members in separate clusters do not know each other's clients.
        has_survivors = settings.has_survivors and settings.is_joined
        if has_survivors and settings.services == (ReferenceService,):
            self._survivors = draw_survivors(seed, settings.clients)
            if settings.mode == "consensus" and any(self._survivors):
                # Besides the plain ones: with little load there are few of them.
                self._survivors = (*(False,) * settings.clients, True)
                self.settings = settings = replace(settings, clients=len(self._survivors))
        services = settings.services
        # Guests may fill the table, so that surviving clients would be rejected.
        self._has_guests = False
        if services == (ReferenceService,):
            capacity = 0 if any(self._survivors) else draw_guest_capacity(seed)
            self._has_guests = (
                capacity > 0
                and settings.draws > _WITHOUT_LOSSES
                and (settings.is_joined and settings.service_count == 0)
            )
            services = reference_services(
                seed,
                settings.service_count,
                deduplicates=any(self._survivors) or self._has_guests,
                max_clients=capacity if self._has_guests else MAX_CLIENTS,
            )
        sync_level = random.below(3) if settings.sync_level is None else settings.sync_level
        # Drawn independently of the implementation, which differs little between the layouts.
        is_apart = SeededRandom(seed ^ 0xA9A47).below(4) == 0
        layout = settings.layout or ("apart" if is_apart else "node")
        delays = sorted(random.below(10 ** (4 + random.below(3))) for _ in range(2))
        families = settings.families or (*FAMILIES, *ADDED_FAMILIES)
        # Drawn even if a plan is given, so that the loads drawn next are the same.
        drawn = FaultPlan.draw(
            random,
            members=members,
            duration_ns=settings.duration_ns,
            sync_level=sync_level,
            families=[each for each in families if each in FAMILIES],
            speedup=settings.speedup,
            processes=_processes(len(services)) if layout == "apart" else (),
        )
        self.plan = plan or _added(drawn, seed, members, sync_level, families, settings)
        self._replays: ReplaysAgree | None = None
        # Only damage may make services differ.
        self._judges_all = settings.is_judged and self.plan.damage is Damage.NOTHING
        scheduled = _scheduled(seed, settings, has_backup="backup" in self.plan.families)
        if settings.draws > _WITHOUT_LOSSES:
            scheduled = replace(scheduled, options=_merged(draw_options(seed), scheduled.options))
        self._refuses_a_backup = (
            "backup" in self.plan.families
            and settings.is_joined
            and settings.draws > _WITHOUT_REFUSALS
        )
        if self._refuses_a_backup:
            scheduled = replace(scheduled, options=_merged(refusing_options(), scheduled.options))
        self.cluster = Cluster(
            seed,
            services,
            members=members,
            faults=LinkFaults(min_delay_ns=delays[0], max_delay_ns=delays[1]),
            sync_level=sync_level,
            options=_judging(settings, options_of(self.plan.damage, _shortened(scheduled))),
            is_joined=settings.is_joined,
            checkers=[
                *checkers_of(self.plan.damage),
                *(self._checkers_of_run(other_hashes) if self._judges_all else []),
            ],
            longest_step_ns=settings.longest_step_ns,
            layout=layout,
            is_judging=settings.is_judged,
        )
        self.cluster.world.wire.has_checksums = self.plan.damage is not Damage.DATAGRAMS
        self._random = random
        self._events: list[tuple[int, int, Callable[[], object]]] = []
        self._event_count = 0
        self._restart_at_ns: dict[MemberProcess, int] = {}
        self._down_ns: dict[MemberProcess, int] = {}
        self._all_up_at = -1  # the changes of processes after which none was down
        self._seen_errors: dict[Member | Backup, int] = {}
        self._loads: list[Load] = []
        self._has_rare_requests = "rare" in families
        self._is_power_lost = False
        self._ends = ProcessEnds(self.plan)
        self._last_loss: LastLoss | None = None
        self._known_member = -1
        self._has_fewer_services = False
        self._cuts: Random | None = None
        self._kept_snapshots = 0
        self._refusing: Member | None = None
        # What is judged or damaged has an end of its own.
        is_whole = self.plan.damage is Damage.NOTHING and settings.is_joined
        if is_whole and not settings.is_judged and settings.draws > _WITHOUT_LOSSES:
            self._last_loss = draw_last_loss(seed, members, _LOSSES_ONE_IN[settings.mode])
            if any(self._survivors) and settings.draws > _WITHOUT_KNOWN_MEMBERS:
                self._known_member = draw_known_member(seed, members)
            if settings.draws > _WITHOUT_REFUSALS:
                module = self.cluster.options.get("consensus_module", {})
                self._kept_snapshots = module.get("snapshots_kept", 0)
            if layout == "node" and settings.draws > _WITHOUT_REFUSALS:
                self._has_fewer_services = draw_fewer_services(seed, members, len(services))
                self._cuts = draw_cut(seed, members)
        self._step = ""

    def _checkers_of_run(self, other_hashes: OtherHashes | None) -> list[Checker]:
        guards = GuardsAgree(_GUARD_INTERVAL)

        def on_replay(replay: Replay) -> None:
            if other_hashes is not None:
                other_hashes.compare(replay, self.settings.services[replay.service_id])

        self._replays = ReplaysAgree(guards, allowed=self.settings.allowed, on_replay=on_replay)
        return [guards, self._replays]

    # ---- what events use ----

    def some_members(self, member: int) -> Sequence[Member]:
        """Return one member, or all for -1."""
        return self.cluster.members if member < 0 else (self.cluster.members[member],)

    def some_processes(self, member: int) -> Iterator[MemberProcess]:
        """Find the processes of a member, of all members for -1, of all backups for -2."""
        is_of_backups = member == ALL_BACKUPS
        for each in self.cluster.backups if is_of_backups else self.some_members(member):
            yield from each.processes

    def later(self, delay_ns: int, action: Callable[[], object]) -> None:
        """Call a function after a delay, in ns."""
        self._event_count += 1
        at_ns = self.cluster.now_ns + delay_ns
        heapq.heappush(self._events, (at_ns, self._event_count, action))

    def start_later(self, member: Member, delay_ns: int) -> None:
        """Start a member's processes after a delay, in ns, and not before."""
        for process in member.processes:
            self.start_process_later(process, delay_ns)

    def start_process_later(self, process: MemberProcess, delay_ns: int) -> None:
        """Start a process after a delay, in ns, and not before."""
        self._restart_at_ns[process] = self.cluster.now_ns + delay_ns

    def set_down_time(self, member: Member, duration_ns: int) -> None:
        """Set how long a member's processes are down when they end next, in ns."""
        for process in member.processes:
            self.set_process_down_time(process, duration_ns)

    def set_process_down_time(self, process: MemberProcess, duration_ns: int) -> None:
        """Set how long a process is down when it ends next, in ns."""
        self._down_ns[process] = duration_ns

    def ignore_services(self) -> None:
        """Cancel events that wait for an action of a service."""
        for member in self.cluster.members:
            member.on_service = ignore

    def on_power_lost(self) -> None:
        """Record that disks may have lost unsynced data."""
        self._is_power_lost = self._ends.is_power_lost = True

    def free_disks(self) -> None:
        """Free space on all disks."""
        for member in self.cluster.members:
            member.machine.files.capacity = _UNLIMITED

    def toggle(self, request: ControlToggle) -> None:
        """Send a request to the leaders, as an operator does."""
        for member in self.cluster.members:
            if not member.is_leading or member.is_paused:
                continue
            is_suspended = member.module.state is ConsensusModuleState.SUSPENDED
            # A request that a suspended module cannot handle stays pending, as upstream, and would
            # block its resume.
            if not is_suspended or request is ControlToggle.RESUME:
                member.module.try_toggle(request)

    # ---- the run ----

    def run(self) -> Outcome:
        """Run it to its end, or to the first failure."""
        failure = invariant = detail = found = ""
        place: CallbackPlace | None = None
        trace = virtual_ns = 0
        try:
            with self.cluster:
                self._run()
                trace = self.cluster.trace
                virtual_ns = self.cluster.now_ns
                if self.cluster.layout == "apart":
                    self._step = "the clients of drivers have ended"
                    end_clients_of_drivers(self.cluster)
            self._step = "all have ended"
            NothingLeaks().conclude(self.cluster)
        except InvariantError as raised:
            error = self._first_cause(raised)
            failure, invariant = f"{error} ({self._step})", error.invariant
            if isinstance(error, ServiceInvariantError):
                found, place = error.found, error.place
                cause = error.__cause__ and error.__cause__.__cause__
                if cause is not None:
                    detail = "".join(traceback.format_exception(cause)).strip()
        except TimeoutExpiredError as error:
            failure, invariant = f"{self._step}: {error}", f"liveness: {self._step}"
        except (AeronClusterError, OSError, ArithmeticError, LookupError, TypeError) as error:
            failure, invariant = f"{self._step}: {error!r}", type(error).__name__
            detail = traceback.format_exc()
        if failure:
            trace, virtual_ns = self.cluster.trace, self.cluster.now_ns
        return Outcome(
            seed=self.cluster.seed,
            plan=self.plan,
            failure=failure,
            invariant=invariant,
            detail=detail,
            trace=trace,
            virtual_ns=virtual_ns,
            counts=self._counts(),
            found=found,
            place=place,
            hint=self._hint(invariant) if failure else "",
        )

    def _first_cause(self, error: InvariantError) -> InvariantError:
        """Return an exception of a callback that explains the difference of members."""
        if self.settings.is_judged:
            try:
                self._check_errors()
            except ServiceInvariantError as cause:
                return cause
            except InvariantError:
                return error
        return error

    def _hint(self, invariant: str) -> str:
        """Return a hint if the clients rather than the services may be wrong."""
        if not self.settings.is_judged or not self._loads:
            return ""
        deduplicates = any(map(uses_deduplication, self.cluster.latest_services.values()))
        if isinstance(self._loads[0], ByteLoad):
            if invariant in ("services do not raise", "loads do not raise"):
                return (
                    "clients sent seeded bytes: what any client may send. For requests of a format,"
                    " write a make_load; what callbacks may raise, allow"
                )
        elif deduplicates and not any(each.is_surviving for each in self._loads):
            return "the service uses Deduplication: set is_surviving = True in the Load"
        return ""

    def _run(self) -> None:
        cluster, settings = self.cluster, self.settings
        self._step = "start"
        for checker in cluster.checkers:
            checker.begin(cluster)
        cluster.start()
        self._await(self._all_lead, 120 * _S)
        self._add_clients()
        self._step = "faults"
        for event in self.plan.events:
            self.later(event.at_ns, partial(event.begin, self))
        self._drive_to(cluster.now_ns + settings.duration_ns)
        self._heal()
        if self.plan.damage.is_of_all:
            # Advancing the time may raise, too.
            self._drive_to(cluster.now_ns + _DETECTION_NS)
            return
        if cluster.layout == "apart":
            # The time for detecting the loss of another process, and for the wait of a new one.
            self._drive_to(cluster.now_ns + _DETECTION_NS)
        self._step = "the majority elects after the faults"
        self._await(self._all_lead, self._election_bound_ns())
        self._step = "clients are answered after the faults"
        self._await_answers()
        if self._judges_all:
            self._count_answers()
            self._restore_some()
        else:
            self._lose_once_more()
        self._step = "all members come to the same position"
        calm_from, terms = len(cluster.journals[0].entries), self._terms_seen()
        for client in cluster.clients:
            client.stop()
        self._drive_to(cluster.now_ns + _LAST_ANSWERS_NS)
        self._step = "surviving clients have all their answers"
        self._await(self._are_survivors_answered, 60 * _S)
        self._step = "all members come to the same position"
        if self.plan.damage is not Damage.CHECKED_BITS:
            self._await(self._is_quiet, 60 * _S)
            self._step = "the operators' requests are done"
            self._await(self._has_no_pending_requests, 60 * _S)
            self._step = "backups have what is committed"
            position = cluster.members[0].commit_position
            self._await(lambda: self._are_backed_up(position), 60 * _S)
            self._step = "what services offered comes to the log"
            self._await(partial(self._is_settled, cluster.now_ns + _LAST_OFFERS_NS), 60 * _S)
            if cluster.is_joined and cluster.clients:
                self._check_closes()
                if self._terms_seen() == terms:
                    check_punctual_timers(cluster.journals[0], calm_from)
                self._check_failover()
                self._check_sessions()
                if cluster.backups:
                    check_backups_follow(self._host())
                if self._refuses_a_backup:
                    check_backup_is_refused(self._host())
                # Last, since a backup that follows the member has to find another one.
                if self._has_fewer_services:
                    start_with_fewer_services(self._host())
                if self._cuts is not None:
                    cut_snapshot(self._host(), self._cuts)
                if self._kept_snapshots:
                    check_old_snapshots_go(self._host(), self._kept_snapshots)
        self._step = "in the end"
        cluster.check()
        self._check_errors()
        for checker in [*cluster.checkers, *self._answer_checkers()]:
            checker.conclude(cluster)

    def _check_closes(self) -> None:
        """See that sessions are closed whose end services requested, before they time out."""
        leaders = [each for each in self.cluster.members if each.is_leading]
        if all(each.module.state is ConsensusModuleState.ACTIVE for each in leaders):
            for journal in self.cluster.journals:
                check_requested_closes(journal)

    def _check_failover(self) -> None:
        """Kill the leader in some runs, with nothing else wrong: no session ends by that."""
        cluster = self.cluster
        is_drawn = ends_with_a_failover(cluster.seed)
        if not is_drawn or len(cluster.members) <= _FEW or cluster.layout == "apart":
            return
        self._step = "sessions outlive their leader"
        self._await(self._all_lead, self._election_bound_ns())
        leader = cluster.leader()
        assert leader is not None
        if leader.service_faults.diverged_position >= 0:
            return  # its service would start from a snapshot or the log, and be as the others
        timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
        if timeout_ns > _MAX_SILENCE_NS:
            return
        plain = [each for each in cluster.clients if type(each) is Client]
        # One that still waits for an earlier leader's successor may have waited for long.
        held = [
            each
            for each in map(HeldSession.of, plain)
            if each is not None and each.leader_id == leader.member_id
        ]
        begin_ns = cluster.now_ns
        bound_ns = self._election_bound_ns()
        leader.kill()
        self.start_later(leader, _MAX_SILENCE_NS)
        self._await(lambda: cluster.leader() not in (None, leader), bound_ns)
        # Clients wait for twice the timeout: an election that was repeated may be too long for it.
        is_in_time = 2 * (cluster.now_ns - begin_ns) <= 3 * timeout_ns
        self._await(lambda: all(each.has_new_leader() for each in held), 60 * _S)
        # A member that led before takes up again the closes that it had not committed, as upstream.
        for each in held if is_in_time and not self._led_before() else ():
            each.check("sessions outlive their leader")
        self.start_later(leader, 0)
        self._await(lambda: leader.is_running and self._is_quiet(), 60 * _S)

    def _led_before(self) -> bool:
        """Whether the present leader led an earlier term, too."""
        entries = self.cluster.journals[0].entries
        leaders = [each.payload for each in entries if each.kind == "term"]
        return leaders.count(leaders[-1]) > 1

    def _lose_once_more(self) -> None:
        """Lose members with nothing else wrong, and come back from it in time, if that is drawn."""
        host = self._host()
        loss = self._last_loss
        self._ends.is_requested = loss in (LastLoss.SHUTDOWN, LastLoss.ABORT)
        if loss is not None:
            lose_once_more(host, loss)
            self._await_recovery("last loss")
        if self._known_member >= 0:
            lose_known_member(host, self._known_member)
            self._await_recovery("loss of the member that clients were given")

    def _host(self) -> RunHost:
        """Return what the checks at the end use of this run."""

        def prevent_restart(member: Member) -> None:
            self.start_later(member, _FOREVER_NS)

        def start(member: Member) -> None:
            for process in member.processes:
                self._restart_at_ns.pop(process, None)
            member.start()

        def on_step(step: str) -> None:
            self._step = step

        return RunHost(
            self.cluster,
            self._drive_to,
            self._await,
            on_step,
            prevent_restart,
            start,
            self._on_refusal,
            self._election_bound_ns,
        )

    def _on_refusal(self, member: Member | None) -> None:
        if member is None and self._refusing is not None:
            self._seen_errors[self._refusing] = len(self._refusing.errors)
            for process in self._refusing.processes:
                process.failure = None
        self._refusing = member

    def _await_recovery(self, loss: str) -> None:
        self._step = f"the majority elects after the {loss}"
        self._await(self._all_lead, self._election_bound_ns())
        self._step = f"clients are answered after the {loss}"
        self._await_answers()

    def _check_sessions(self) -> None:
        """End some clients, pause others, and run until the sessions of both time out.

        Their sessions end, each in its time, no other does, and silent clients are notified.
        """
        cluster = self.cluster
        self._step = "services see the term that the leader shows"
        self._await(self._is_term_seen, self._election_bound_ns())
        self._step = "a client that died connects again"
        leader = cluster.leader()
        assert leader is not None
        timeout_ns = int(leader.module.context.options.session_timeout_ns)
        if timeout_ns + _SILENT_LONGER_NS > _MAX_SILENCE_NS or not cluster.journals[0].entries:
            return  # too long, or native services, which are not observed
        dying = cluster.clients[cluster.seed % len(cluster.clients)]
        terms = self._terms_seen()
        # Where there is one client, it falls silent in half of all runs.
        silent = [each for each in cluster.clients if type(each) is Client and each is not dying]
        if not silent and type(dying) is Client and cluster.seed // 2 % 2:
            silent.append(dying)
        begin = len(cluster.journals[0].entries)
        closed = closed_by_returned_leader(cluster.journals[0])
        silences: list[Silence] = []
        left: int | None = None
        if dying not in silent:
            is_closed = dying.session_id in closed
            if type(dying) is Client and cluster.seed // 4 % 2 and not is_closed:
                left = dying.end_session()
            elif dying.session_id is not None and not is_closed:
                # The end of its ingress may end it before its silence does.
                silences.append(Silence(dying.session_id, 0, cluster.now_ns))
            if left is None:
                dying.on_stopped(None)
            self._await(lambda: dying.is_connected, 60 * _S)
        self._step = "sessions without a client time out, and no others"
        held: list[tuple[Client, int | None]] = [
            (each, None if each.session_id in closed else each.session_id)
            for each in cluster.clients
            if each not in silent
        ]
        fallen: list[tuple[Client, int]] = []
        for client in silent:
            session_id, now_ns = client.session_id, cluster.now_ns
            if session_id is not None and session_id not in closed and client.fall_silent():
                fallen.append((client, session_id))
                silences.append(Silence(session_id, now_ns, now_ns))
            else:
                held.append((client, None))
            self._drive_to(now_ns + _APART_NS)
        closes = self._closes_seen(begin, cluster.now_ns + timeout_ns + _SILENT_LONGER_NS)
        leaders = [each for each in cluster.members if each.is_leading]
        is_active = all(each.module.state is ConsensusModuleState.ACTIVE for each in leaders)
        if self._terms_seen() != terms:
            raise InvariantError(
                "no election is held without a fault",
                f"services saw {terms} terms, then {self._terms_seen()}",
            )
        if not is_active:
            return  # a suspended leader does not count
        check_timed_out(silences, closes, timeout_ns, _CLOSE_STEP_NS)
        if left is not None and (left not in closes or closes[left].reason != CLIENT_ACTION):
            raise InvariantError(
                "closes have their reason", f"{dying} closed {left}: {closes.get(left)}"
            )
        for client, session_id in fallen:
            if client.closes.get(session_id) != REASONS[TIMEOUT]:
                raise InvariantError(
                    "clients are notified of a close",
                    f"{client}: session {session_id}, notices {client.closes}",
                )
        known = [session_id for _, session_id in held if session_id is not None]
        known += [each.session_id for each, _ in fallen if each.session_id is not None]
        unknown = len(cluster.clients) - len(known)
        for journal in cluster.journals:
            if journal.entries:
                check_left_sessions(journal, known, unknown, timeout_ns + _SILENT_LONGER_NS)

    def _closes_seen(self, begin: int, until_ns: int) -> dict[int, SeenClose]:
        """Run for a while, and return when services saw sessions close, by session."""
        seen: dict[int, SeenClose] = {}
        index = begin
        journal = self.cluster.journals[0]
        while self.cluster.now_ns < until_ns:
            self._drive_to(min(self.cluster.now_ns + _CLOSE_STEP_NS, until_ns))
            for entry in journal.entries[index:]:
                if entry.kind == "close":
                    seen[entry.key] = SeenClose(self.cluster.now_ns, int(entry.payload))
            index = len(journal.entries)
        return seen

    def _terms_seen(self) -> list[int]:
        return [sum(each.kind == "term" for each in own.entries) for own in self.cluster.journals]

    def _count_answers(self) -> None:
        """Check that clients with such a promise get one answer per request."""
        counted = [
            each
            for each in self.cluster.clients
            if each.load.is_answered_once and not each.load.is_surviving
        ]
        if not counted:
            return
        self._step = "clients are answered once"
        for client in counted:
            client.stop()
        self._drive_to(self.cluster.now_ns + _LAST_ANSWERS_NS)
        begin = self.cluster.journals[0].end_position
        before = [AnswerCount.of(client) for client in counted]
        for client in counted:
            client.resume()
        self._drive_to(self.cluster.now_ns + _COUNTED_NS)
        for client in counted:
            client.stop()
        self._drive_to(self.cluster.now_ns + _LAST_ANSWERS_NS)
        for client, count in zip(counted, before, strict=True):
            count.check(client, self.cluster, begin)
            client.resume()

    def _restore_some(self) -> None:
        """Restore members from a snapshot and from the log, under load.

        Their answers are compared with those of other members, or earlier ones. With several
        members, two followers are restored; a single member is restored twice.
        """
        cluster = self.cluster
        self._step = "services take a snapshot"
        before = self._snapshot_counts()
        self._await(self._all_lead, self._election_bound_ns())
        self.toggle(ControlToggle.SNAPSHOT)
        self._await(
            lambda: self._has_no_pending_requests() and self._snapshot_counts() != before, 60 * _S
        )
        followers = sorted(cluster.members, key=lambda each: (each.is_leading, each.member_id))
        is_alone = not cluster.is_joined or len(cluster.members) == 1
        self._step = "services resume from a snapshot"
        self._restart(followers[0])
        self._step = "services resume from the log"
        self._restart(followers[0 if is_alone else 1], is_without_snapshots=True)

    def _restart(self, member: Member, *, is_without_snapshots: bool = False) -> None:
        member.kill()
        if is_without_snapshots and self._replays is not None:
            self._replays.keep_snapshots(member)
        is_restored = not is_without_snapshots or self._forget_snapshots(member)
        member.start()
        self._await(lambda: member.is_running and self._all_lead(), 120 * _S)
        if is_restored:
            self._await_answers()
            self._drive_to(self.cluster.now_ns + _RESTORED_NS)

    def _snapshot_counts(self) -> list[int]:
        return [
            -1 if each.counters is None else each.counters.snapshot_count.get()
            for each in self.cluster.members
            if each.is_leading
        ]

    @staticmethod
    def _forget_snapshots(member: Member) -> bool:
        """Invalidate the snapshots of a stopped member; False if its log was purged."""
        files = member.machine.files
        if read_log_start(files.copy(_MEMBER_DIR), _MEMBER_DIR) > 0:
            return False
        with RecordingLog(files, f"{_MEMBER_DIR}/cluster") as recording_log:
            while recording_log.invalidate_latest_snapshot():
                pass
        return True

    def _add_clients(self) -> None:
        cluster = self.cluster
        make: LoadMaker = self.settings.make_load or ReferenceLoad
        deduplicates = False
        if self.settings.is_judged and self.settings.make_load is None:
            services = self.cluster.latest_services.values()
            if not any(isinstance(each, ReferenceService) for each in services):
                make = ByteLoad
                deduplicates = any(map(uses_deduplication, services))
        for number in range(self.settings.clients):
            load = make(number, SeededRandom(self._random.next()))
            if self._survivors[number] or deduplicates:
                load.is_surviving = True
            self._loads.append(load)
            egress_options = ""
            # Other loads and services are the user's: they define the requests.
            if (
                self._has_rare_requests
                and isinstance(load, ReferenceLoad)
                and not load.is_surviving
            ):
                egress_options = draw_egress_options(cluster.seed, number)
                is_shared = self.settings.draws > _WITHOUT_REFUSALS
                count = len(cluster.members) * len(cluster.journals) if is_shared else 1
                rare_requests = draw_rare_requests(cluster.seed, number, count)
                if rare_requests is not None:
                    load.enable_rare_requests(rare_requests)
                closes = draw_closes(cluster.seed, number)
                if closes is not None and self.settings.draws >= _DRAWS_CLOSES:
                    load.enable_closes(closes)
                if self._has_guests:
                    load.enable_enveloped_requests(draw_guests(cluster.seed, number))
            client = cluster.add_client(
                load=load,
                message_timeout_ns=_MESSAGE_TIMEOUT_NS // self.settings.speedup,
                driver_options=_timeouts("driver", self.settings.speedup),
                egress_options=egress_options,
                ingress_endpoints=self._known_endpoint(number),
            )
            if isinstance(client, Survivor) and self._survivors[number]:
                is_even = (cluster.seed + number) % 2 == 0
                client.is_resumed = is_even and self.settings.draws > _WITHOUT_LOSSES

    def _known_endpoint(self, number: int) -> str | None:
        """Return the endpoint that a client is given; None: those of all members."""
        if self._known_member < 0 or not self._survivors[number]:
            return None
        return self.cluster.ingress_endpoints.split(",")[self._known_member]

    def _drive_to(self, until_ns: int) -> None:
        cluster = self.cluster
        while (now_ns := cluster.now_ns) < until_ns:
            due_ns = self._events[0][0] if self._events else until_ns
            for process in self._down():
                due_ns = min(due_ns, self._restart_due_ns(process))
            if due_ns > now_ns:
                # In short steps, to detect an unexpected end in time.
                cluster.run_to(min(due_ns, until_ns, now_ns + _RESTART_NS // 10))
            self._do_due_work()

    def _down(self) -> Iterable[MemberProcess]:
        """Find the ended processes that a supervisor would restart when due."""
        changes = self.cluster.process_changes
        if changes == self._all_up_at:
            return ()
        if next(self._find_down(), None) is None:
            self._all_up_at = changes
            return ()
        return self._find_down()

    def _find_down(self) -> Iterator[MemberProcess]:
        for member in self.cluster.members:
            for process in member.processes:
                if not process.is_running and member.can_start(process):
                    yield process
        for backup in self.cluster.backups:
            if not backup.process.is_running:
                yield backup.process

    def _restart_due_ns(self, process: MemberProcess) -> int:
        if process not in self._restart_at_ns:
            delay_ns = self._down_ns.pop(process, _RESTART_NS)
            self._restart_at_ns[process] = self.cluster.now_ns + delay_ns
        return self._restart_at_ns[process]

    def _do_due_work(self) -> None:
        now_ns = self.cluster.now_ns
        while self._events and self._events[0][0] <= now_ns:
            heapq.heappop(self._events)[2]()
        for process in self._down():
            if self._restart_due_ns(process) <= now_ns:
                del self._restart_at_ns[process]
                process.start()
        self._check_errors()

    def _heal(self) -> None:
        cluster = self.cluster
        self._events.clear()
        self._restart_at_ns.clear()
        self._down_ns.clear()
        self.free_disks()
        self.ignore_services()
        cluster.heal()
        for member in cluster.members:
            for is_network in (False, True):
                member.stop_after(-1, is_network=is_network)
            for operation in ("open", "read_at", "write_at", "allocate", "sync", "rename", "map"):
                member.machine.files.fail(operation, 5, count=0)
            member.service_faults.end()
            member.resume()
            if is_log_missing(member.machine.files):
                member.kill()
                put_back(member)
            if not member.is_running:
                member.start()
        for backup in cluster.backups:
            for is_network in (False, True):
                backup.process.stop_after(-1, is_network=is_network)
            backup.process.resume()

    def _await(
        self, is_done: Callable[[], object], timeout_ns: int, found: Callable[[], str] | None = None
    ) -> None:
        cluster = self.cluster
        deadline_ns = cluster.now_ns + timeout_ns
        while not is_done():
            if cluster.now_ns >= deadline_ns:
                members = ", ".join(map(self._describe, cluster.members))
                what = f"; {found()}" if found is not None else ""
                raise TimeoutExpiredError(f"not within {timeout_ns / _S:g} s{what}; {members}")
            self._drive_to(min(cluster.now_ns + 10_000_000, deadline_ns))

    def _describe(self, member: Member) -> str:
        if not member.is_running:
            return f"member {member.member_id} {member.state.value}: {member.failure}"
        module = member.module
        return (
            f"member {member.member_id} {module.role.name} {module.state.name} at"
            f" {member.commit_position}"
        )

    def _all_lead(self) -> bool:
        """Whether there is a leader; of members apart from each other, whether each one leads."""
        if self.cluster.is_joined:
            leader = self.cluster.leader()
            # As in Aeron, one that is suspended or awaits a snapshot does not check its majority,
            # and leads on, for itself, after the others have committed a later term.
            return leader is not None and term_of(leader) >= self.cluster.journals[0].last_term
        return all(each.is_leading for each in self.cluster.members)

    def _is_term_seen(self) -> bool:
        """Whether services have seen the leader's term: it may not be committed with the rest."""
        leader = self.cluster.leader()
        return leader is not None and all(
            each.last_term == term_of(leader) for each in self.cluster.journals if each.entries
        )

    def _election_bound_ns(self) -> int:
        """Ten election timeouts, after the timeouts that precede an election."""
        running = [each for each in self.cluster.members if each.is_running]
        if not running:
            raise TimeoutExpiredError(", ".join(map(self._describe, self.cluster.members)))
        options = running[0].module.context.options
        return int(
            options.startup_canvass_timeout_ns
            + options.leader_heartbeat_timeout_ns
            + 10 * options.election_timeout_ns
        )

    def _await_answers(self) -> None:
        begin_ns = self.cluster.now_ns
        clients = self.cluster.clients
        sent_before = [client.sent_count for client in clients]

        begin = [len(each.entries) for each in self.cluster.journals]

        def is_logged(session_id: int | None) -> bool:
            return any(
                entry.kind == "message" and entry.key == session_id
                for journal, first in zip(self.cluster.journals, begin, strict=True)
                for entry in journal.entries[first:]
            )

        def is_client_answered(client: Client) -> bool:
            if not client.load.is_answered and not client.load.is_surviving:
                return is_logged(client.session_id)
            return any(each.time_ns > begin_ns for each in client.responses[-1:])

        def is_answered() -> bool:
            for member in self.cluster.members:
                # A suspended one is resumed here: its scheduled resume ended with the faults.
                if member.is_running and member.module.state is ConsensusModuleState.SUSPENDED:
                    member.module.try_toggle(ControlToggle.RESUME)
            return all(map(is_client_answered, clients))

        def unanswered() -> str:
            counts = zip(clients, sent_before, strict=True)
            return "; ".join(
                self._describe_unanswered(client, client.sent_count - before)
                for client, before in counts
                if not is_client_answered(client)
            )

        # Lost sessions may first have to be detected and reopened.
        self._await(is_answered, 60 * _S, unanswered)

    def _describe_unanswered(self, client: Client, sent_count: int) -> str:
        if isinstance(client, Survivor) and client.pending:
            return f"{len(client.pending)} requests of client {client.number} have no answer"
        if not sent_count:
            return f"client {client.number} sent no request"
        names = [getattr(each, "__name__", repr(each)) for each in self.settings.services]
        services = f"{'services' if len(names) > 1 else 'service'} {', '.join(names)}"
        return (
            f"no answer came to client {client.number}'s {sent_count} requests from {services},"
            f" {len(client.responses)} to the {client.sent_count - sent_count} before"
        )

    def _are_survivors_answered(self) -> bool:
        clients = self.cluster.clients
        return not any(isinstance(each, Survivor) and each.pending for each in clients)

    def _is_quiet(self) -> bool:
        cluster = self.cluster
        if not all(each.is_running for each in cluster.members):
            return False
        if not cluster.is_joined:
            return True
        return len({each.commit_position for each in cluster.members}) == 1

    def _has_no_pending_requests(self) -> bool:
        """Return whether leaders have handled operators' requests, except suspended ones."""
        leaders = [each for each in self.cluster.members if each.is_leading]
        return bool(leaders) and all(
            each.counters is not None
            and each.counters.control_toggle.get() in (ControlToggle.NEUTRAL, ControlToggle.SUSPEND)
            for each in leaders
        )

    def _are_backed_up(self, position: int) -> bool:
        return all(each.live_log_position >= position for each in self.cluster.backups)

    def _is_settled(self, until_ns: int) -> bool:
        """Return whether nothing is in progress; offers of services are not waited for."""
        return self._is_quiet() and (self._are_offers_seen() or self.cluster.now_ns >= until_ns)

    def _are_offers_seen(self) -> bool:
        for member in self.cluster.members:
            journals = [each for each in self.cluster.journals_of(member) if each.entries]
            offer_count = sum(len(each.offers) for each in journals)
            if any(each.service_message_count < offer_count for each in journals):
                return False
        return True

    def _answer_checkers(self) -> list[Checker]:
        loads = [each for each in self._loads if isinstance(each, ReferenceLoad)]
        if not loads:
            return []
        return [AnswersAreRight([each.operations for each in loads]), StatesAreRight()]

    def _check_errors(self) -> None:
        """Check that the errors of members and backups are explained by faults."""
        parties: list[Member | Backup] = [*self.cluster.members, *self.cluster.backups]
        for each in parties:
            if each is self._refusing:
                continue
            errors = each.errors[self._seen_errors.get(each, 0) :]
            self._seen_errors[each] = len(each.errors)
            for process in each.processes:
                if isinstance(process.failure, Exception):
                    errors.append(process.failure)
                    process.failure = None if process.is_running else process.failure
            for error in errors:
                self._check_error(each, error)
        if not self.settings.is_judged:
            for member in self.cluster.members:
                if member is not self._refusing:
                    self._ends.check(member)

    def _check_error(self, owner: Member | Backup, error: Exception) -> None:
        if self.settings.is_judged and isinstance(error, ServiceCallbackError):
            if isinstance(error.__cause__, self.settings.allowed):
                return
            if is_of_service(error):
                raise service_invariant_error(error, self._service_named(error.service)) from error
        if not isinstance(error, (AeronClusterError, OSError)):
            raise InvariantError(
                "errors are expected ones",
                f"{owner}: " + "".join(traceback.format_exception(error)).strip(),
            ) from error
        # With separate processes the driver keeps a process's counters until its client times out;
        # and a flipped bit in a mark file can hide the end of its owner until a timeout.
        names_its_owner = self.cluster.layout == "node" and self.plan.damage is not Damage.BITS
        if isinstance(error, DirectoryInUseError) and names_its_owner:
            raise InvariantError(
                "a process that ended holds no directory", f"{owner}: {error}"
            ) from error
        may_be_damaged = (
            self._is_power_lost or self.plan.damage.is_of_data or self._lacked_files(owner)
        )
        if isinstance(error, CorruptError) and not may_be_damaged:
            raise InvariantError("files are never corrupt", f"{owner}: {error}") from error

    def _lacked_files(self, owner: Member | Backup) -> bool:
        return isinstance(owner, Member) and any(
            isinstance(each, MissingFiles) and each.member == owner.member_id
            for each in self.plan.events
        )

    def _service_named(self, name: str) -> object:
        """Return a container's latest service."""
        services = self.cluster.latest_services
        number = name.rpartition("-")[2]
        return services.get(int(number) if number.isdigit() else 0, services.get(0))

    def _counts(self) -> dict[str, int]:
        cluster = self.cluster
        counts = Counter(type(each).__name__ for each in self.plan.events)
        counts["processes"] = sum(each.start_count for each in cluster.members)
        counts["requests"] = sum(each.sent_count for each in cluster.clients)
        counts["surviving clients"] = sum(isinstance(each, Survivor) for each in cluster.clients)
        counts["answers"] = sum(len(each.responses) for each in cluster.clients)
        counts["sessions"] = sum(each.session_count for each in cluster.clients)
        counts["terms"] = sum(
            entry.kind == "term" for each in cluster.journals[:1] for entry in each.entries
        )
        counts["log"] = max(each.end_position for each in cluster.journals)
        counts |= {f"datagrams {name}": n for name, n in cluster.world.wire.counts.items() if n}
        return dict(counts)


def ends_with_a_failover(seed: int) -> bool:
    """Return whether a run's leader is killed in the end, if there are enough members."""
    return SeededRandom(seed ^ _OF_FAILOVERS).below(_FAILOVERS_ONE_IN) == 0


def _processes(service_count: int) -> tuple[str, ...]:
    return (*_PROCESSES, *(f"service-{each}" for each in range(service_count)))


def _added(
    plan: FaultPlan,
    seed: int,
    members: int,
    sync_level: int,
    families: Sequence[str],
    settings: Settings,
) -> FaultPlan:
    """Add faults outside of the families of a plan."""
    run = {
        "members": members,
        "duration_ns": settings.duration_ns,
        "speedup": settings.speedup,
    }
    if "service" in families:
        plan = add_service_faults(plan, seed, **run)
    if "rare" in families:
        plan = add_rare_requests(plan, seed, **run)
        if settings.draws > _WITHOUT_REFUSALS:
            plan = add_standby_requests(plan, seed, duration_ns=settings.duration_ns)
    if "overtaken" in families and settings.is_joined:
        plan = add_overtaken_leader(plan, seed, **run)
    if "leave" in families:
        run_of_clients = {"duration_ns": settings.duration_ns, "speedup": settings.speedup}
        plan = add_leaving_clients(plan, seed, **run_of_clients)
    if "aimed" in families and settings.is_joined:
        plan = add_aimed_faults(plan, seed, sync_level=sync_level, **run)
        if settings.draws > _WITHOUT_LOSSES and draw_closes(seed, 0) is not None:
            run_of_services = {"duration_ns": settings.duration_ns, "speedup": settings.speedup}
            plan = add_closes_in_snapshots(plan, seed, **run_of_services)
    if "aimed" in families and settings.draws > _WITHOUT_KILLS_IN_SNAPSHOTS:
        run_of_members = {"duration_ns": settings.duration_ns, "speedup": settings.speedup}
        plan = add_kills_in_snapshots(plan, seed, **run_of_members)
    if "struck" in families and settings.is_joined and settings.draws > _WITHOUT_STRIKES:
        plan = add_struck_elections(plan, seed, sync_level=sync_level, **run)
    if "lost" in families and settings.is_joined and settings.draws > _WITHOUT_LOST_LOGS:
        plan = add_lost_logs(plan, seed, **run)
    if "backup" in families and settings.is_joined:
        plan = add_backup(plan, seed, duration_ns=settings.duration_ns)
    if settings.is_judged:
        # A service that raises on only one member diverges, but here the plan causes that.
        events = [each for each in plan.events if not isinstance(each, ServiceRaises)]
        plan = plan.only(events)
    # With few members, damage to one leaves no majority.
    of_a_majority = (Damage.CHECKED_BITS, Damage.SERVICE)
    has_others = settings.is_joined and members > _FEW
    kinds = [each for each in settings.damages if has_others or each not in of_a_majority]
    if settings.is_judged and Damage.SERVICE in kinds:
        kinds.remove(Damage.SERVICE)
    return add_damage(plan, seed, kinds=kinds, **run)


def _scheduled(seed: int, settings: Settings, *, has_backup: bool) -> Settings:
    """Schedule snapshots and purges in half of all long runs, if nothing else is set.

    With short segments, so that some are purged; a backup is configured from the start, since a
    later one may need the purged log.
    """
    random = SeededRandom(seed ^ 0x5C4ED)
    if settings.speedup > 1 or random.below(2):
        return settings
    schedule: dict[str, Any] = {
        "snapshot_interval_ns": (2 + random.below(6)) * _S,
        "snapshots_kept": 2 + random.below(2),
    }
    if settings.is_judged:
        del schedule["snapshots_kept"]  # the complete log is replayed at the end
    elif has_backup:
        schedule["purge_backups"] = consensus_endpoint(backup_host(0))
    options = {**settings.options}
    options["archive"] = {"segment_file_length": 1 << 16, **options.get("archive", {})}
    options["consensus_module"] = {**schedule, **options.get("consensus_module", {})}
    return replace(settings, options=options)


def _merged(
    drawn: Mapping[str, Mapping[str, Any]], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return options of members, of which those that are given count."""
    return {part: {**drawn.get(part, {}), **given.get(part, {})} for part in {**drawn, **given}}


def _judging(settings: Settings, options: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Enable the divergence guards if services are judged."""
    if not settings.is_judged:
        return options
    container = {"divergence_interval": _GUARD_INTERVAL, **options.get("container", {})}
    return {**options, "container": container}


def _shortened(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the options, with shortened timeouts unless others are given."""
    if settings.speedup == 1:
        return settings.options
    found = {part: dict(given) for part, given in settings.options.items()}
    for part in _ANSWER_TIMEOUT_NS:
        found[part] = {**_timeouts(part, settings.speedup), **found.get(part, {})}
    return found


def _timeouts(part: str, speedup: int) -> dict[str, int]:
    return {name: timeout_ns // speedup for name, timeout_ns in _ANSWER_TIMEOUT_NS[part].items()}


def run_trial(
    seed: int,
    settings: Settings,
    plan: FaultPlan | None = None,
    *,
    other_hashes: OtherHashes | None = None,
) -> Outcome:
    """Run a cluster from a seed.

    Parameters
    ----------
    seed : int
    settings : Settings
    plan : FaultPlan, optional
        The faults; by default drawn from the seed.
    other_hashes : OtherHashes, optional
        Compares judged services with themselves in a process with other string hashes.
    """
    fill_allocations(1 + seed % 255)
    try:
        return Trial(seed, settings, plan, other_hashes=other_hashes).run()
    finally:
        fill_allocations(0)


def shrink(
    outcome: Outcome,
    settings: Settings,
    *,
    max_runs: int = 60,
    on_run: Callable[[int, int], object] | None = None,
    other_hashes: OtherHashes | None = None,
) -> Outcome:
    """Remove events from a failing run while it fails in the same way.

    Parameters
    ----------
    outcome : Outcome
        The failed outcome.
    settings : Settings
    max_runs : int
    on_run : callable, optional
        Called after each run with the number of runs, and of remaining events.
    other_hashes : OtherHashes, optional
        As for `run_trial`.

    Returns
    -------
    Outcome
        The outcome of a plan from which no event can be removed, unless the runs were used up.
    """
    runs = 0
    parts = 2
    if outcome.plan.events:
        # Check whether it fails without any event.
        without = run_trial(
            outcome.seed, settings, outcome.plan.only(()), other_hashes=other_hashes
        )
        runs += 1
        if on_run is not None:
            on_run(runs, 0)
        if without.invariant == outcome.invariant:
            outcome = without
    while len(outcome.plan.events) > 0 and runs < max_runs:
        events = outcome.plan.events
        parts = min(parts, len(events))
        size = -(-len(events) // parts)
        for begin in range(0, len(events), size):
            rest = [*events[:begin], *events[begin + size :]]
            again = run_trial(
                outcome.seed, settings, outcome.plan.only(rest), other_hashes=other_hashes
            )
            runs += 1
            if on_run is not None:
                on_run(runs, len(rest))
            if again.invariant == outcome.invariant:
                outcome = again
                parts = max(parts - 1, 2)
                break
            if runs == max_runs:
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(events))
    return outcome
