"""A whole cluster on simulated machines: members, services and clients, in one thread, from a seed.

A seed determines everything. The components are the real ones: each member is a `ClusterNode` with
its driver, archive, consensus module and services, each client has a driver of its own; only time,
network, files and processes are simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.service.checked_service import checked
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.config import assumed_environment
from aeron_cluster.errors import AgentTerminationError, StateError, TimeoutExpiredError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.client import Client
from aeron_cluster.simulator.clients.extension_client import ExtensionClient
from aeron_cluster.simulator.clients.quiet_client import QuietClient
from aeron_cluster.simulator.clients.sharing_client import SharedDriver
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.clients.visitor import Visitor
from aeron_cluster.simulator.members.archive_operator import ArchiveOperator
from aeron_cluster.simulator.members.backup import Backup, backup_host
from aeron_cluster.simulator.members.extension_calls import ExtensionLife
from aeron_cluster.simulator.members.extension_recorder import ExtensionRecorder
from aeron_cluster.simulator.members.journal import Journal, journals_of_services, observed
from aeron_cluster.simulator.members.member import Member, MemberState, ignore
from aeron_cluster.simulator.members.standby import Standby
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.loop import Loop
from aeron_cluster.simulator.world.machine import AERON_DIR, DIRECTORY, ENVIRONMENT, Machine, World

if TYPE_CHECKING:
    from aeron_cluster.simulator.members.extension_calls import ExtensionJournal
    from aeron_cluster.simulator.members.journal import Owner
    from aeron_cluster.simulator.members.layouts import Layout
    from aeron_cluster.simulator.world.processes import Process

__all__ = ["Checker", "Cluster", "Member", "MemberState", "ignore", "term_of"]

Service = Callable[[], ClusteredService]
ChooseChecksums = Callable[[int, int], dict[str, str]]
"""Returns checksum options of a member's archive, from its id and the number of its start."""

_LAN: Final = LinkFaults(min_delay_ns=30_000, max_delay_ns=80_000)
_POLL_INTERVAL_NS: Final = 1_000_000
_CHECK_NS: Final = 10_000_000
_MINUTE_NS: Final = 60_000_000_000
_SMALL: Final = "64k"
_FEW_COUNTERS: Final = "1m"
_EXTENSION_SALT: Final = 0xE87E45
_FIRST_QUIET: Final = 150
_FIRST_VISITOR: Final = 170
_SHARED: Final = 190
_FIRST_BACKUP: Final = 200
_FIRST_STANDBY: Final = 206
_FIRST_OPERATOR: Final = 210
_BACKUP_HOSTS: Final = f"10.0.0.{_FIRST_BACKUP}/29"


class Checker:
    """Checks a cluster. Override one or both methods."""

    def begin(self, cluster: Cluster) -> None:
        """Prepare, before the cluster starts."""

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when the faults are over and nothing is in progress."""

    def counts(self) -> dict[str, int]:
        """Return what it counted, for the counts of the run."""
        return {}


class Cluster(Closeable):
    """Members and clients of one cluster on a simulated network, driven in one thread.

    Parameters
    ----------
    seed : int
        Determines everything that is not requested.
    services : callable or sequence of callables
        The factories of services, called for each member at each start.
    members : int
        The number of members.
    faults : LinkFaults, optional
        The network between machines; by default delays of 30 to 80 us, and no loss.
    sync_level : int
        The sync level of archive's and module's files: 0 guarantees nothing after a power loss.
    options : mapping, optional
        ``driver``, ``archive``, ``consensus_module`` and ``container``: keywords for each member,
        as for `ClusterNode.launch`.
    is_joined : bool
        Whether the members form one cluster; otherwise each is a separate cluster.
    checkers : sequence of Checker, optional
        Called every 10 ms of virtual time.
    disk_capacity : int
        The capacity of each member's disk, in bytes.
    longest_step_ns : int
        The highest lateness of a deadline without other events, in ns.
    layout : str
        ``node``: each member is one process. ``apart``: its media driver, archive, consensus module
        and service containers are processes of their own.
    is_judging : bool
        Whether nondeterministic calls of Python services raise, for the first service at each log
        position, and all effects are compared.
    extensions : ExtensionJournal, optional
        Gets the calls of an `ExtensionRecorder` of each consensus module: for members without
        services.
    native_services : collection of int
        The ids of services in Python that containers call as native ones: see
        `simulator.members.native_bridge`.
    choose_checksums : callable, optional
        Returns the checksum options of a member's archive for each of its starts.

    Attributes
    ----------
    world : World
    loop : Loop
    members : tuple of Member
    clients : list of Client
    quiet_clients : list of QuietClient
        Further ones, which are not answered.
    visitors : list of Visitor
        Further ones, for which there are not enough sessions.
    backups : list of Backup
    standbys : list of Standby
    operators : list of ArchiveOperator
    checkers : list of Checker
    journals : tuple of Journal
        The journals of the services of all members: for each service id and cluster.
    link_faults : LinkFaults
        The default link faults of datagrams.
    loses_one_at_a_time : bool
        Whether machines lose their power one at a time, while the others are in sync: then nothing
        that was committed is lost without syncs either, but on the disk of that machine.
    latest_services : dict of int to ClusteredService
        The last created service of any member, by service id.
    process_changes : int
        The number of starts and ends of processes; what depends on them alone is kept by it.

    Examples
    --------
    >>> with Cluster(1, Ledger, members=3) as cluster:  # doctest: +SKIP
    ...     cluster.start()
    ...     client = cluster.add_client()
    ...     client.send(b"order")
    ...     cluster.run_until(lambda: client.responses)
    ...     cluster.leader().kill()
    """

    def __init__(
        self,
        seed: int,
        services: Service | Sequence[Service],
        *,
        members: int = 3,
        faults: LinkFaults | None = None,
        sync_level: int = 0,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        is_joined: bool = True,
        checkers: Sequence[Checker] = (),
        disk_capacity: int = 1 << 40,
        longest_step_ns: int = 1_000_000,
        layout: Layout = "node",
        is_judging: bool = False,
        extensions: ExtensionJournal | None = None,
        native_services: Collection[int] = (),
        choose_checksums: ChooseChecksums | None = None,
    ) -> None:
        self.seed = seed
        self.extensions = extensions
        self.native_services = native_services
        self._choose_checksums = choose_checksums
        self.longest_step_ns = longest_step_ns
        self.world = World(seed)
        self._time = self.world.time
        self.world.wire.has_checksums = True
        self.loop = Loop(self.world.time, self.world.wire, self.world.random.next())
        self.sync_level = sync_level
        self.loses_one_at_a_time = False
        self.is_joined = is_joined
        self.is_judging = is_judging
        self.layout = layout
        self.options = options or {}
        self.checkers = list(checkers)
        self._known_checkers: list[Checker] = []
        self._checks: list[Callable[[Cluster], None]] = []
        self.clients: list[Client] = []
        self.quiet_clients: list[QuietClient] = []
        self.visitors: list[Visitor] = []
        # Whether members alone write their files, by the wall clock: a test may do otherwise.
        self.has_timed_terms = False
        self.backups: list[Backup] = []
        self.standbys: list[Standby] = []
        self.operators: list[ArchiveOperator] = []
        self.latest_services: dict[int, ClusteredService] = {}
        self._makers: tuple[Service, ...] = (services,) if callable(services) else tuple(services)
        self._own_journals = [
            journals_of_services(len(self._makers), is_judged=is_judging)
            for _ in range(1 if is_joined else members)
        ]
        self.journals = tuple(each for journals in self._own_journals for each in journals)
        self._places: dict[int, Process] = {}
        self.process_changes = 0
        self._next_check_ns = _CHECK_NS
        self._is_closed = False
        self.link_faults = _LAN if faults is None else faults
        self._endpoints = [str(local_member(each, f"node{each}")) for each in range(members)]
        self.members = tuple(
            Member(
                self,
                each,
                self._add_machine(f"node{each}", 1 + each, disk_capacity),
                layout,
                len(self._makers),
            )
            for each in range(members)
        )
        # A node's archive has checksums by default, one in a process of its own has none.
        default = "none" if layout == "apart" else "CRC-32C"
        recorded = self.options.get("archive", {}).get("record_checksum", default)
        if recorded == "none" or choose_checksums is not None:
            for member in self.members:
                # Without them archives assume that a page is written completely, or not at all.
                member.machine.files.whole_pages = (".rec",)

    def _add_machine(self, name: str, number: int, disk_capacity: int = 1 << 40) -> Machine:
        machine = self.world.add_machine(name, f"10.0.0.{number}", disk_capacity=disk_capacity)
        machine.files.fills = True
        self.world.wire.set_faults(None, None, self.link_faults)
        return machine

    # ---- parts of members ----

    def make_service(self, member: Member, service_id: int) -> ClusteredService:
        """Create a service of a process of a member, observed by its journal."""
        source = f"member {member.member_id}, process {member.start_count}"
        return self.make_observed_service(
            member, service_id, member, source, is_watched=self.is_judging
        )

    def make_observed_service(
        self,
        member: Member,
        service_id: int,
        owner: Owner,
        source: str,
        *,
        is_watched: bool = False,
    ) -> ClusteredService:
        """Create a service that is observed by its journal.

        Parameters
        ----------
        member : Member
            The member with the journal.
        service_id : int
        owner : Owner
            The owner of the service.
        source : str
            Its name in reports.
        is_watched : bool
            Whether nondeterministic calls raise.
        """
        service = self.latest_services[service_id] = self._makers[service_id]()
        is_watched = is_watched and isinstance(service, ClusteredService)
        made: ClusteredService = observed(
            service,
            self.journals_of(member)[service_id],
            owner,
            source,
            checked(service) if is_watched else None,
        )
        return made

    def journals_of(self, member: Member) -> tuple[Journal, ...]:
        """Return the journals of the services of a member's cluster, by service id."""
        return self._own_journals[member.member_id if len(self._own_journals) > 1 else 0]

    def node_options(self, member: Member) -> dict[str, Any]:
        """Return the keywords of `ClusterNode.launch` for a member."""
        sync = {"file_sync_level": self.sync_level}

        def given(part: str, **defaults: object) -> dict[str, Any]:
            return {**defaults, **self.options.get(part, {})}

        replication = f"aeron:udp?endpoint=node{member.member_id}:0"
        report = {"error_handler": member.errors.append}
        return {
            "directory": DIRECTORY,
            "members": "|".join(self._endpoints)
            if self.is_joined
            else self._endpoints[member.member_id],
            "member_id": member.member_id,
            "threads": "none",
            "driver": given(
                "driver",
                aeron_dir=AERON_DIR,
                term_buffer_length=_SMALL,
                ipc_term_buffer_length=_SMALL,
                counters_buffer_length=_FEW_COUNTERS,
            ),
            "archive": given(
                "archive",
                replication_channel=replication,
                segment_file_length=256 * 1024,
                catalog_file_sync_level=self.sync_level,
                **sync,
                **report,
            )
            | self._chosen_checksums(member),
            "consensus_module": given(
                "consensus_module",
                extension=None if self.extensions is None else self._make_extension(member),
                log_channel=f"aeron:udp?term-length={_SMALL}",
                consensus_source_hosts=_BACKUP_HOSTS,
                replication_channel=replication,
                **sync,
                **report,
            ),
            # A callback waits only in virtual time.
            "container": given("container", idle_strategy="noop", **report),
        }

    def _chosen_checksums(self, member: Member) -> dict[str, str]:
        choose = self._choose_checksums
        return {} if choose is None else choose(member.member_id, member.start_count)

    @property
    def ingress_endpoints(self) -> str:
        """The ingress endpoints of the members, as ``id=host:port`` separated by commas."""
        return ",".join(f"{each}={text.split(',')[1]}" for each, text in enumerate(self._endpoints))

    def _make_extension(self, member: Member) -> ExtensionRecorder:
        assert self.extensions is not None
        number = member.process_of_module.start_count
        life = ExtensionLife(self.extensions, member.member_id, number)
        random = SeededRandom(self.seed ^ _EXTENSION_SALT ^ number << 8 ^ member.member_id)
        return ExtensionRecorder(self.extensions, life, random, self.extensions.raises_one_in)

    # ---- time ----

    @property
    def now_ns(self) -> int:
        """The virtual time since the start, in ns."""
        return self._time.now_ns

    @property
    def trace(self) -> int:
        """A hash of everything that happened on networks and disks."""
        return self.world.trace

    def run_for(self, duration_ns: int) -> None:
        """Advance time, in ns.

        Raises
        ------
        InvariantError
            A checker found a violation.
        """
        self.run_to(self.now_ns + duration_ns)

    def run_to(self, until_ns: int) -> None:
        """Advance time to a time, in ns since the start."""
        with assumed_environment(ENVIRONMENT):
            self.run_on_to(until_ns)

    def run_on_to(self, until_ns: int) -> None:
        """Advance time as `run_to`, in a block that assumes the `ENVIRONMENT` of processes."""
        time = self._time
        while time.now_ns < until_ns:
            self._run_loop(min(until_ns, self._next_check_ns))
            if time.now_ns >= self._next_check_ns:
                self._next_check_ns = time.now_ns + _CHECK_NS
                self.check()

    def run_until(
        self, is_done: Callable[[], object], *, timeout_ns: int = _MINUTE_NS, what: str = ""
    ) -> None:
        """Advance time until a condition holds, which is checked every millisecond.

        Parameters
        ----------
        is_done : callable
        timeout_ns : int
            The virtual timeout, in ns.
        what : str
            The name of the condition, for the error.

        Raises
        ------
        TimeoutExpiredError
            It does not hold in time.
        InvariantError
            A checker found a violation.
        """
        deadline_ns = self.now_ns + timeout_ns
        while not is_done():
            if self.now_ns >= deadline_ns:
                states = ", ".join(map(repr, self.members))
                raise TimeoutExpiredError(
                    f"{what or 'it'} does not hold after {timeout_ns / 1e9:g} s: {states}"
                )
            self.run_for(_POLL_INTERVAL_NS)

    def _run_loop(self, until_ns: int) -> None:
        while self._time.now_ns < until_ns:
            error: BaseException | None = None
            try:
                if self.loop.run(until_ns):
                    return
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as raised:  # noqa: BLE001 - whatever ends a process
                error = raised
            failed = self._places.get(self.loop.failed)
            if failed is None:
                raise StateError("simulator: an agent without an owner failed") from error
            if error is not None and not isinstance(error, (Exception, AgentTerminationError)):
                raise error
            failed.on_stopped(error)

    def on_changed(self) -> None:
        """Count a start or an end of a process."""
        self.process_changes += 1

    def on_started(self, process: Process, place: int) -> None:
        """Record the owner of the agents of a slot in the loop."""
        self._places[place] = process

    def on_ended(self, place: int) -> None:
        """Remove a slot of the loop."""
        del self._places[place]

    def check(self) -> None:
        """Call all checkers now."""
        if self.checkers != self._known_checkers:
            # Most checkers only check at the end, and are not called meanwhile.
            self._known_checkers = list(self.checkers)
            self._checks = [
                each.check for each in self.checkers if type(each).check is not Checker.check
            ]
        for check in self._checks:
            check(self)

    # ---- members and clients ----

    def start(self) -> None:
        """Start all stopped members."""
        for member in self.members:
            if not member.is_running:
                member.start()

    def leader(self) -> Member | None:
        """Return the leader of the latest term; None without one."""
        leading = [each for each in self.members if each.is_leading and not each.is_paused]
        return leading[0] if len(leading) == 1 else max(leading, key=term_of, default=None)

    def await_leader(self, *, timeout_ns: int = 2 * _MINUTE_NS) -> Member:
        """Advance time until a member leads, and return it."""
        self.run_until(lambda: self.leader() is not None, timeout_ns=timeout_ns, what="a leader")
        leader = self.leader()
        assert leader is not None
        return leader

    def add_client(self, **options: Any) -> Client:  # noqa: ANN401 - as of Client
        """Add a client on a separate machine; it connects and reconnects by itself.

        It is a `Survivor` if its load is a surviving one.

        Parameters
        ----------
        **options
            Keywords of `Client`.
        """
        number = len(self.clients)
        machine = self._add_machine(f"client{number}", 100 + number)
        load = options.get("load")
        is_surviving = load is not None and load.is_surviving
        client = (Survivor if is_surviving else Client)(self, number, machine, **options)
        self.clients.append(client)
        client.start()
        return client

    def add_extension_client(self, **options: Any) -> Client:  # noqa: ANN401 - as of Client
        """Add a client of extensions, with an `ExtensionLoad`, on a separate machine.

        Parameters
        ----------
        **options
            Keywords of `Client`.
        """
        number = len(self.clients)
        machine = self._add_machine(f"client{number}", 100 + number)
        client = ExtensionClient(self, number, machine, **options)
        self.clients.append(client)
        client.start()
        return client

    def add_quiet_client(self, **options: Any) -> QuietClient:  # noqa: ANN401 - as of QuietClient
        """Add a client that falls silent and returns, on a separate machine.

        Parameters
        ----------
        **options
            Keywords of `QuietClient`.
        """
        number = len(self.quiet_clients)
        machine = self._add_machine(f"quiet{number}", _FIRST_QUIET + number)
        client = QuietClient(self, number, machine, **options)
        self.quiet_clients.append(client)
        client.start()
        return client

    def add_visitor(self, **options: Any) -> Visitor:  # noqa: ANN401 - as of Visitor
        """Add a client that comes and leaves, on a separate machine.

        Parameters
        ----------
        **options
            Keywords of `Visitor`.
        """
        number = len(self.visitors)
        machine = self._add_machine(f"visitor{number}", _FIRST_VISITOR + number)
        client = Visitor(self, number, machine, **options)
        self.visitors.append(client)
        client.start()
        return client

    def add_shared_driver(self, options: Mapping[str, Any]) -> SharedDriver:
        """Add a driver for several clients, `SharingClient`, on a separate machine.

        Parameters
        ----------
        options : mapping of str to object
            Keywords of `MediaDriver.launch`.
        """
        return SharedDriver(self, self._add_machine("shared", _SHARED), options)

    @property
    def everyone(self) -> tuple[Client, ...]:
        """All clients: quiet ones and visitors, too."""
        return (*self.clients, *self.quiet_clients, *self.visitors)

    def add_backup(self, **options: Any) -> Backup:  # noqa: ANN401 - as of Backup
        """Add a backup on a separate machine, and start its process.

        Parameters
        ----------
        **options
            Keywords of `Backup`.
        """
        number = len(self.backups)
        machine = self._add_machine(backup_host(number), _FIRST_BACKUP + number)
        backup = Backup(self, machine, **options)
        self.backups.append(backup)
        backup.process.start()
        return backup

    def add_standby(self, member: Member) -> Standby:
        """Add a standby on a separate machine, and start its process.

        Parameters
        ----------
        member : Member
            The member that it offers snapshots to.
        """
        number = len(self.standbys)
        machine = self._add_machine(f"standby{number}", _FIRST_STANDBY + number)
        standby = Standby(self, machine, member)
        self.standbys.append(standby)
        standby.start()
        return standby

    def add_archive_operator(self) -> ArchiveOperator:
        """Add an operator that queries archives, on a separate machine, and start its process."""
        number = len(self.operators)
        machine = self._add_machine(f"operator{number}", _FIRST_OPERATOR + number)
        operator = ArchiveOperator(self, machine)
        self.operators.append(operator)
        operator.start()
        return operator

    def isolate(self, *hosts: Member | Client) -> None:
        """Disconnect members or clients from all others, but not from each other."""
        inside = [each.machine.network for each in hosts]
        outside = [each for each in self.world.wire.hosts if each not in inside]
        self.world.wire.partition(inside, outside)

    def heal(self) -> None:
        """Restore the network's initial faults."""
        self.world.wire.heal()
        self.world.wire.set_faults(None, None, self.link_faults)

    # ---- the end ----

    def close(self) -> None:
        """End all processes. Calling it again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        for client in self.everyone:
            client.close()
        for backup in self.backups:
            backup.process.close()
        for standby in self.standbys:
            standby.close()
        for operator in self.operators:
            operator.close()
        for member in self.members:
            member.close()


def term_of(member: Member) -> int:
    """Return the term of a member; -1 if it has none."""
    counters = member.counters
    return -1 if counters is None else counters.leadership_term_id.get()
