"""One run of a cluster from a seed, with faults."""

from __future__ import annotations

import contextlib
import gc
import heapq
import traceback
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.config import assumed_environment
from aeron_cluster.errors import (
    AeronClusterError,
    CorruptError,
    DirectoryInUseError,
    InvariantError,
    ServiceCallbackError,
    ServiceInvariantError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.divergence_invariants import GuardsAgree
from aeron_cluster.simulator.checks.extension_order import check_closed
from aeron_cluster.simulator.checks.invariants import AnswersAreRight, Checker, StatesAreRight
from aeron_cluster.simulator.checks.leaks import NothingLeaks, end_clients_of_drivers
from aeron_cluster.simulator.checks.member_disk import is_log_missing
from aeron_cluster.simulator.checks.replays import Replay, ReplaysAgree
from aeron_cluster.simulator.checks.service_errors import is_of_service, service_invariant_error
from aeron_cluster.simulator.checks.session_timeouts import timeout_count
from aeron_cluster.simulator.clients.byte_load import ByteLoad, uses_deduplication
from aeron_cluster.simulator.clients.quiet_client import RareReads
from aeron_cluster.simulator.clients.reference import MAX_CLIENTS, ReferenceLoad, ReferenceService
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.cluster import Cluster, Member, ignore
from aeron_cluster.simulator.endings.conditions import all_lead, describe_members
from aeron_cluster.simulator.endings.cut_snapshot import draw_cut
from aeron_cluster.simulator.endings.extended_end import (
    await_messages,
    come_to_rest_with_extensions,
)
from aeron_cluster.simulator.endings.failover import ends_with_a_failover
from aeron_cluster.simulator.endings.fewer_services import draw_fewer_services
from aeron_cluster.simulator.endings.judged_services import count_answers, restore_some
from aeron_cluster.simulator.endings.known_members import draw_known_member
from aeron_cluster.simulator.endings.last_loss import draw_last_loss
from aeron_cluster.simulator.endings.late_reports import draw_late_reports
from aeron_cluster.simulator.endings.offered_snapshots import draw_offer
from aeron_cluster.simulator.endings.open_claim import draw_open_claim
from aeron_cluster.simulator.endings.run_end import (
    Ending,
    await_recovery,
    come_to_rest,
    lose_last,
)
from aeron_cluster.simulator.endings.stalled_driver import draw_stall
from aeron_cluster.simulator.endings.unsynced_losses import (
    draw_unsynced_losses,
    draw_write_back,
    start_machines_anew,
)
from aeron_cluster.simulator.faults.added_faults import ADDED_FAMILIES
from aeron_cluster.simulator.faults.damage import Damage, checkers_of
from aeron_cluster.simulator.faults.election_events import MissingFiles, put_back
from aeron_cluster.simulator.faults.events import ALL_BACKUPS, end_disk_failures
from aeron_cluster.simulator.faults.failed_recordings import FailRecordingOfSnapshot
from aeron_cluster.simulator.faults.fault_plan import FAMILIES, FaultPlan
from aeron_cluster.simulator.trials.added_loads import (
    draw_closes,
    draw_egress_options,
    draw_failed_requests,
    draw_guests,
    draw_moved_timers,
    draw_offers,
    draw_quiet_clients,
    draw_rare_requests,
)
from aeron_cluster.simulator.trials.checksum_choices import draw_checksum_choices
from aeron_cluster.simulator.trials.extended_runs import (
    extended,
    extension_checkers,
    make_extension_journal,
    make_extension_load,
)
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.process_ends import ProcessEnds
from aeron_cluster.simulator.trials.run_options import (
    GUARD_INTERVAL,
    driver_timeouts,
    member_options,
)
from aeron_cluster.simulator.trials.run_plan import least_services, with_added_faults
from aeron_cluster.simulator.trials.session_limits import draw_session_limit
from aeron_cluster.simulator.trials.settings import (
    WITH_CLOSES,
    WITHOUT_KNOWN_MEMBERS,
    WITHOUT_LIMITS,
    WITHOUT_LOSSES,
    WITHOUT_NATIVE,
    WITHOUT_REFUSALS,
    WITHOUT_SILENCES,
    WITHOUT_SUPERSEDED,
)
from aeron_cluster.simulator.trials.shapes import (
    draw_guest_capacity,
    draw_late_answers,
    draw_layout,
    draw_member_count,
    draw_native_services,
    draw_survivors,
    reference_services,
)
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.loop import fill_allocations
from aeron_cluster.simulator.world.machine import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from aeron_cluster.errors import CallbackPlace
    from aeron_cluster.simulator.clients.client import Load
    from aeron_cluster.simulator.members.backup import Backup
    from aeron_cluster.simulator.members.member_process import MemberProcess
    from aeron_cluster.simulator.trials.other_hashes import OtherHashes
    from aeron_cluster.simulator.trials.settings import LoadMaker, Settings

__all__ = ["Trial", "run_trial"]

_S: Final = 1_000_000_000
_RESTART_NS: Final = 500_000_000
_UNLIMITED: Final = 1 << 40
_LARGEST: Final = 7
_LARGEST_BEFORE: Final = 5
_LONGEST_STAY_NS: Final = 20 * _S  # of quiet clients: twice the timeout of their sessions
_READS_APART_NS: Final = 5 * _S
_FOREVER_NS: Final = 1 << 60
_HELD_STEP_NS: Final = 10_000_000
_LOSSES_ONE_IN: Final = {"consensus": 2, "whole": 4}
_MESSAGE_TIMEOUT_NS: Final = 5 * _S  # of clients
_DETECTION_NS: Final = 25 * _S  # twice the timeouts of drivers and their clients
_PROCESSES: Final = ("driver", "archive", "module")


class Trial:
    """A run in progress, to which the events of a plan apply.

    Attributes
    ----------
    cluster : Cluster
    ending : Ending
        What the run does after its faults.
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
        self.settings = settings = extended(seed, settings)
        self._is_extended = not settings.services
        max_count = _LARGEST if settings.draws >= WITH_CLOSES else _LARGEST_BEFORE
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
        is_reference = services == (ReferenceService,)
        # Guests may fill the table, so that surviving clients would be rejected.
        self._has_guests = False
        self._answers_late = settings.draws > WITHOUT_SUPERSEDED and draw_late_answers(seed)
        if services == (ReferenceService,):
            capacity = 0 if any(self._survivors) else draw_guest_capacity(seed)
            self._has_guests = (
                capacity > 0
                and settings.draws > WITHOUT_LOSSES
                and (settings.is_joined and settings.service_count == 0)
            )
            services = reference_services(
                seed,
                settings.service_count or least_services(seed, settings),
                deduplicates=any(self._survivors) or self._has_guests,
                max_clients=capacity if self._has_guests else MAX_CLIENTS,
                answers_late=self._answers_late,
            )
        sync_level = random.below(3) if settings.sync_level is None else settings.sync_level
        layout = settings.layout or draw_layout(seed)
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
        self.plan = plan or with_added_faults(drawn, seed, members, sync_level, families, settings)
        self._limit = draw_session_limit(seed, settings, self.plan)
        self._replays: ReplaysAgree | None = None
        # Only damage may make services differ.
        self._judges_all = settings.is_judged and self.plan.damage is Damage.NOTHING
        is_own_end = settings.is_judged or self._is_extended
        has_usual_end = (
            self.plan.damage is Damage.NOTHING
            and settings.is_joined
            and not is_own_end
            and settings.draws > WITHOUT_SUPERSEDED
        )
        offer = draw_offer(seed, members) if has_usual_end else None
        # In earlier draws whole runs had none.
        has_late_reports = any(self._survivors) and has_usual_end
        has_late_reports &= settings.speedup > 1 or settings.draws > WITHOUT_NATIVE
        late_reports = draw_late_reports(seed, members) if has_late_reports else None
        refuses_a_backup = (
            "backup" in self.plan.families
            and settings.is_joined
            and settings.draws > WITHOUT_REFUSALS
        )
        # What is judged is watched for calls that only Python makes.
        has_native = is_reference and not settings.is_judged and settings.draws > WITHOUT_NATIVE
        self.cluster = Cluster(
            seed,
            services,
            members=members,
            faults=LinkFaults(min_delay_ns=delays[0], max_delay_ns=delays[1]),
            sync_level=sync_level,
            options=member_options(
                seed,
                settings,
                self.plan,
                self._limit,
                refuses_a_backup=refuses_a_backup,
                offer=offer,
                late_reports=late_reports,
            ),
            is_joined=settings.is_joined,
            checkers=[
                *(extension_checkers() if self._is_extended else checkers_of(self.plan.damage)),
                *(self._checkers_of_run(other_hashes) if self._judges_all else []),
            ],
            longest_step_ns=settings.longest_step_ns,
            layout=layout,
            is_judging=settings.is_judged,
            extensions=make_extension_journal(seed, settings.draws) if self._is_extended else None,
            native_services=draw_native_services(seed, len(services)) if has_native else (),
            choose_checksums=draw_checksum_choices(seed, settings, self.plan.damage),
        )
        self.cluster.has_timed_terms = True
        if settings.draws > WITHOUT_NATIVE:
            start_machines_anew(self.cluster)
        self.cluster.world.wire.has_checksums = self.plan.damage is not Damage.DATAGRAMS
        self._random = random
        self._events: list[tuple[int, int, Callable[[], object]]] = []
        self._event_count = 0
        self._held_until_ns: dict[Hashable, int] = {}
        self._restart_at_ns: dict[MemberProcess, int] = {}
        self._down_ns: dict[MemberProcess, int] = {}
        self._found_down: list[MemberProcess] = []
        self._found_down_at = -1  # the changes of processes after which these were found
        # The changes of processes and the number of errors after which all errors were checked.
        self._checked_at = -1, -1
        self._seen_errors: dict[Member | Backup, int] = {}
        self._loads: list[Load] = []
        self._has_rare_requests = "rare" in families
        self._is_power_lost = False
        self._ends = ProcessEnds(self.plan)
        self._refusing: Member | None = None
        self.ending = self._draw_ending(len(services), refuses_a_backup=refuses_a_backup)
        # What a standby copied from the leader outlives the leader's own; here nothing is copied.
        if not self.cluster.options.get("consensus_module", {}).get("snapshots_kept"):
            self.ending = replace(self.ending, offer=offer)
        self.ending = replace(self.ending, late_reports=late_reports)
        self._step = ""

    def _draw_ending(self, service_count: int, *, refuses_a_backup: bool) -> Ending:
        cluster, settings, seed = self.cluster, self.settings, self.cluster.seed
        ending = Ending(has_failover=ends_with_a_failover(seed), refuses_a_backup=refuses_a_backup)
        # What is judged or damaged has an end of its own.
        is_whole = self.plan.damage is Damage.NOTHING and settings.is_joined
        if not is_whole or settings.is_judged or settings.draws <= WITHOUT_LOSSES:
            return ending
        if self._is_extended:
            return Ending()
        count = len(cluster.members)
        last_loss = draw_last_loss(seed, count, _LOSSES_ONE_IN[settings.mode])
        awaits = any(isinstance(each, FailRecordingOfSnapshot) for each in self.plan.events)
        ending = replace(ending, last_loss=last_loss, awaits_snapshots=awaits)
        if any(self._survivors) and settings.draws > WITHOUT_KNOWN_MEMBERS:
            ending = replace(ending, known_member=draw_known_member(seed, count))
        module = cluster.options.get("consensus_module", {})
        # A member without directories cannot copy a log that the others have purged.
        if settings.draws > WITHOUT_SILENCES and not module.get("snapshots_kept"):
            losses = draw_unsynced_losses(seed, count, cluster.sync_level)
            writes_back = settings.draws > WITHOUT_NATIVE and draw_write_back(seed)
            ending = replace(ending, unsynced_losses=losses, writes_back=writes_back)
        if settings.draws > WITHOUT_REFUSALS:
            ending = replace(ending, kept_snapshots=module.get("snapshots_kept", 0))
            if cluster.layout == "node":
                ending = replace(
                    ending,
                    has_fewer_services=draw_fewer_services(seed, count, service_count),
                    cuts=draw_cut(seed, count),
                )
        if settings.draws > WITHOUT_SUPERSEDED and cluster.layout == "apart":
            ending = replace(ending, stall_ns=draw_stall(seed, count))
        if settings.draws > WITHOUT_NATIVE and self._limit is None:
            ending = replace(ending, open_claim=draw_open_claim(seed, settings.speedup))
        return ending

    def _checkers_of_run(self, other_hashes: OtherHashes | None) -> list[Checker]:
        guards = GuardsAgree(GUARD_INTERVAL)

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

    def hold_faults(self, event: Hashable, until_ns: int) -> None:
        """Let the faults last until a time, in ns, for an event; 0 once it has ended."""
        self._held_until_ns[event] = until_ns

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

    # ---- what its end uses ----

    def on_step(self, step: str) -> None:
        """Name what is awaited or checked next."""
        self._step = step

    def drive_to(self, until_ns: int) -> None:
        """Advance time to a point, in ns; what ended is started again when it is due."""
        cluster = self.cluster
        with assumed_environment(ENVIRONMENT):
            while (now_ns := cluster.now_ns) < until_ns:
                due_ns = self._events[0][0] if self._events else until_ns
                for process in self._down():
                    due_ns = min(due_ns, self._restart_due_ns(process))
                if due_ns > now_ns:
                    # In short steps, to detect an unexpected end in time.
                    cluster.run_on_to(min(due_ns, until_ns, now_ns + _RESTART_NS // 10))
                self._do_due_work()

    def await_until(
        self, is_done: Callable[[], object], timeout_ns: int, found: Callable[[], str] | None = None
    ) -> None:
        """Advance time until a condition holds, for at most some ns.

        Raises
        ------
        TimeoutExpiredError
        """
        cluster = self.cluster
        deadline_ns = cluster.now_ns + timeout_ns
        while not is_done():
            if cluster.now_ns >= deadline_ns:
                what = f"; {found()}" if found is not None else ""
                raise TimeoutExpiredError(
                    f"not within {timeout_ns / _S:g} s{what}; {describe_members(cluster)}"
                )
            self.drive_to(min(cluster.now_ns + 10_000_000, deadline_ns))

    def prevent_restart(self, member: Member) -> None:
        """Prevent the restart of a killed member."""
        self.start_later(member, _FOREVER_NS)

    def start(self, member: Member) -> None:
        """Start a member at once."""
        for process in member.processes:
            self._restart_at_ns.pop(process, None)
        member.start()

    def on_requested_end(self) -> None:
        """Expect the end of all members: an operator requests it."""
        self._ends.is_requested = True

    def on_refusal(self, member: Member | None) -> None:
        """Do not judge a member that cannot run, until it was killed."""
        if member is None and self._refusing is not None:
            self._seen_errors[self._refusing] = len(self._refusing.errors)
            for process in self._refusing.processes:
                process.failure = None
        self._refusing = member
        self._checked_at = -1, -1

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
            if self.cluster.extensions is not None:
                check_closed(self.cluster.extensions)
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
        for event in self.plan.events:
            if event.is_from_start:
                event.begin(self)
        self.await_until(lambda: all_lead(cluster), 120 * _S)
        self._add_clients()
        self._add_quiet_clients()
        self._add_visitors()
        self._step = "faults"
        for event in self.plan.events:
            if not event.is_from_start:
                self.later(event.at_ns, partial(event.begin, self))
        self.drive_to(cluster.now_ns + settings.duration_ns)
        while cluster.now_ns < max(self._held_until_ns.values(), default=0):
            self.drive_to(cluster.now_ns + _HELD_STEP_NS)
        self._heal()
        if self.plan.damage.is_of_all:
            # Advancing the time may raise, too.
            self.drive_to(cluster.now_ns + _DETECTION_NS)
            return
        if cluster.layout == "apart":
            # The time for detecting the loss of another process, and for the wait of a new one.
            self.drive_to(cluster.now_ns + _DETECTION_NS)
        if self._is_extended:
            await_messages(self)
            come_to_rest_with_extensions(self)
            self._conclude()
            return
        await_recovery(self, settings.services, "faults")
        if self._judges_all:
            count_answers(self)
            restore_some(self, settings.services, self._replays)
        else:
            lose_last(self, self.ending, settings.services)
        come_to_rest(self, self.ending, has_bad_disks=self.plan.damage is Damage.CHECKED_BITS)
        self._conclude()

    def _conclude(self) -> None:
        cluster = self.cluster
        self._step = "in the end"
        cluster.check()
        self._check_errors()
        for checker in [*cluster.checkers, *self._answer_checkers()]:
            checker.conclude(cluster)

    def _add_extension_clients(self) -> None:
        speedup = self.settings.speedup
        for number in range(self.settings.clients):
            load = make_extension_load(number, SeededRandom(self._random.next()))
            self._loads.append(load)
            self.cluster.add_extension_client(
                load=load,
                message_timeout_ns=_MESSAGE_TIMEOUT_NS // speedup,
                driver_options=driver_timeouts(speedup),
            )

    def _add_clients(self) -> None:
        cluster = self.cluster
        if self._is_extended:
            self._add_extension_clients()
            return
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
            if self._survivors[number] and isinstance(load, ReferenceLoad):
                failing = draw_failed_requests(cluster.seed, number)
                if failing is not None and self.settings.draws > WITHOUT_LIMITS:
                    load.enable_failed_requests(failing)
            self._loads.append(load)
            egress_options = ""
            has_offers = self.settings.draws > WITHOUT_SUPERSEDED and not load.is_surviving
            # Other loads and services are the user's: they define the requests.
            if (
                self._has_rare_requests
                and isinstance(load, ReferenceLoad)
                and not load.is_surviving
            ):
                egress_options = draw_egress_options(cluster.seed, number)
                is_shared = self.settings.draws > WITHOUT_REFUSALS
                count = len(cluster.members) * len(cluster.journals) if is_shared else 1
                rare_requests = draw_rare_requests(cluster.seed, number, count)
                if rare_requests is not None:
                    load.enable_rare_requests(rare_requests)
                closes = draw_closes(cluster.seed, number)
                if closes is not None and self.settings.draws >= WITH_CLOSES:
                    load.enable_closes(closes)
                moved = draw_moved_timers(cluster.seed, number, self.settings.speedup)
                if moved is not None and self.settings.draws > WITHOUT_LIMITS:
                    load.enable_moved_timers(moved)
                if self._has_guests:
                    guests = draw_guests(cluster.seed, number, has_late=self._answers_late)
                    load.enable_enveloped_requests(guests)
            # With shorter timeouts it would lose what is held up for it.
            is_held = load.is_surviving and self.ending.late_reports is not None
            client = cluster.add_client(
                load=load,
                message_timeout_ns=_MESSAGE_TIMEOUT_NS // self.settings.speedup,
                driver_options=driver_timeouts(1 if is_held else self.settings.speedup),
                egress_options=egress_options,
                ingress_endpoints=self._known_endpoint(number),
                offers=draw_offers(cluster.seed, number) if has_offers else None,
            )
            if isinstance(client, Survivor) and self._survivors[number]:
                is_even = (cluster.seed + number) % 2 == 0
                client.is_resumed = is_even and self.settings.draws > WITHOUT_LOSSES

    def _add_quiet_clients(self) -> None:
        """Add clients that fall silent now and then, but the first, which stays."""
        settings = self.settings
        is_whole = self.plan.damage is Damage.NOTHING and settings.is_joined
        if not is_whole or settings.is_judged or settings.draws <= WITHOUT_SILENCES:
            return
        for number, random in enumerate(draw_quiet_clients(self.cluster.seed)):
            self.cluster.add_quiet_client(
                random=random if number else None,
                stay_ns=_LONGEST_STAY_NS // settings.speedup,
                load=RareReads(number, random.split(), _READS_APART_NS // settings.speedup),
                message_timeout_ns=_MESSAGE_TIMEOUT_NS // settings.speedup,
                driver_options=driver_timeouts(settings.speedup),
            )

    def _add_visitors(self) -> None:
        """Add clients that find no session now and then."""
        limit, speedup = self._limit, self.settings.speedup
        if limit is None:
            return
        first = len(self.cluster.quiet_clients)
        for number, random in enumerate(limit.visitors, first):
            self.cluster.add_visitor(
                random=random,
                interval_ns=limit.interval_ns,
                load=RareReads(number, random.split(), _READS_APART_NS // speedup),
                message_timeout_ns=_MESSAGE_TIMEOUT_NS // speedup,
                driver_options=driver_timeouts(speedup),
            )

    def _known_endpoint(self, number: int) -> str | None:
        """Return the endpoint that a client is given; None: those of all members."""
        if self.ending.known_member < 0 or not self._survivors[number]:
            return None
        return self.cluster.ingress_endpoints.split(",")[self.ending.known_member]

    def _down(self) -> list[MemberProcess]:
        """Return the ended processes that a supervisor would restart when due."""
        changes = self.cluster.process_changes
        if changes != self._found_down_at:
            self._found_down, self._found_down_at = list(self._find_down()), changes
        return self._found_down

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
        down = self._down()
        if down and any(self._restart_due_ns(each) <= now_ns for each in down):
            # One that was started may be what another one waits for.
            for process in self._find_down():
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
        for operator in cluster.operators:
            operator.close()
        for member in cluster.members:
            for is_network in (False, True):
                member.stop_after(-1, is_network=is_network)
            end_disk_failures(member.machine.files)
            member.service_faults.end()
            member.resume()
            member.end_neighbour()
            if is_log_missing(member.machine.files):
                member.kill()
                put_back(member)
            if not member.is_running:
                member.start()
        for backup in cluster.backups:
            for is_network in (False, True):
                backup.process.stop_after(-1, is_network=is_network)
            backup.process.resume()

    def _answer_checkers(self) -> list[Checker]:
        loads = [each for each in self._loads if isinstance(each, ReferenceLoad)]
        if not loads:
            return []
        return [AnswersAreRight([each.operations for each in loads]), StatesAreRight()]

    def _check_errors(self) -> None:
        """Check that the errors of members and backups are explained by faults."""
        parties: list[Member | Backup] = [*self.cluster.members, *self.cluster.backups]
        # A process that fails has ended, which is a change.
        found = self.cluster.process_changes, sum([len(each.errors) for each in parties])
        if found == self._checked_at:
            return
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
        self._checked_at = found

    def _check_error(self, owner: Member | Backup, error: Exception) -> None:
        if self.settings.is_judged and isinstance(error, ServiceCallbackError):
            if isinstance(error.__cause__, self.settings.allowed):
                return
            if is_of_service(error):
                raise service_invariant_error(error, self._service_named(error.service)) from error
        cause: BaseException | None = error
        if isinstance(error, ServiceCallbackError) and ReferenceService in self.settings.services:
            cause = error.__cause__  # it makes no mistakes
        if not isinstance(cause, (AeronClusterError, OSError)):
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
        counts["native services"] = len(cluster.native_services)
        counts["surviving clients"] = sum(isinstance(each, Survivor) for each in cluster.clients)
        counts["superseded clients"] = sum(
            each.superseded_count for each in cluster.clients if isinstance(each, Survivor)
        )
        counts["answers"] = sum(len(each.responses) for each in cluster.clients)
        counts["sessions"] = sum(each.session_count for each in cluster.everyone)
        for journal in cluster.journals[:1]:
            counts["sessions timed out"] = timeout_count(journal.entries)
        counts["terms"] = sum(
            entry.kind == "term" for each in cluster.journals[:1] for entry in each.entries
        )
        counts["log"] = max((each.end_position for each in cluster.journals), default=0)
        for checker in cluster.checkers:
            counts.update(checker.counts())
        counts |= {f"datagrams {name}": n for name, n in cluster.world.wire.counts.items() if n}
        return dict(counts)


def _processes(service_count: int) -> tuple[str, ...]:
    return (*_PROCESSES, *(f"service-{each}" for each in range(service_count)))


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
        with _without_collections():
            return Trial(seed, settings, plan, other_hashes=other_hashes).run()
    finally:
        fill_allocations(0)


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Collect no garbage within but where the run does: finalizers release what it simulates.

    It creates many objects and drops few. What an earlier run left is released before.
    """
    gc.collect(1)
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()
