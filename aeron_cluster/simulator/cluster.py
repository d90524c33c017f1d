"""A whole cluster on simulated machines: members, services and clients, in one thread, from a seed.

A seed decides everything that happens. What runs is the real thing: each member is a
`ClusterNode` with its driver, archive, consensus module and services, each client has a driver of
its own; only time, network, files and processes are simulated.
"""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.config import assumed_environment
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    StateError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agent import AgentInvoker
from aeron_cluster.simulator.client import Client
from aeron_cluster.simulator.journal import Journal, observed
from aeron_cluster.simulator.link_faults import LinkFaults
from aeron_cluster.simulator.loop import Loop, Meanwhile
from aeron_cluster.simulator.machine import AERON_DIR, ENVIRONMENT, Machine, World

if TYPE_CHECKING:
    from aeron_cluster.cluster.consensus_module import ConsensusModule
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.simulator.invariants import Checker
    from aeron_cluster.simulator.processes import Process

__all__ = ["Cluster", "Member", "MemberState", "ignore"]

Service = Callable[[], "ClusteredService"]

_LAN: Final = LinkFaults(min_delay_ns=30_000, max_delay_ns=80_000)
_LOOK_NS: Final = 1_000_000
_CHECK_NS: Final = 10_000_000
_MINUTE_NS: Final = 60_000_000_000
_SMALL: Final = "64k"
_FEW_COUNTERS: Final = "1m"
_DEVICE_DIR: Final = "/dev/shm"  # noqa: S108 - on a simulated disk


class MemberState(Enum):
    """What became of a member's process."""

    DOWN = "down"  # never started, killed, or without power
    RUNNING = "running"
    ENDED = "ended"  # by itself: `Member.failure` says why


class Member:
    """One member of a `Cluster`: a machine, and the process on it.

    Attributes
    ----------
    member_id : int
    machine : Machine
        Its disk, clocks and network.
    state : MemberState
    node : ClusterNode or None
        What runs, where it does.
    services : tuple of ClusteredService
        The services of the process that runs, or ran last.
    failure : Exception or None
        Why the process ended by itself, the last time that one did.
    errors : list of Exception
        What archive, module and services reported, of all processes so far.
    start_count : int
        How many processes there were.
    on_service : callable
        ``on_service(what)`` is told what its services hear and ask for: the kinds of `Entry`, and
        ``offer`` and ``schedule``.
    fails_snapshot : bool
        Whether its services raise when they are to take their next snapshot, once.
    """

    def __init__(self, cluster: Cluster, member_id: int, machine: Machine) -> None:
        self.member_id = member_id
        self.machine = machine
        self.state = MemberState.DOWN
        self.node: ClusterNode | None = None
        self.services: tuple[ClusteredService, ...] = ()
        self.failure: BaseException | None = None
        self.errors: list[Exception] = []
        self.start_count = 0
        self.on_service: Callable[[str], object] = ignore
        self.fails_snapshot = False
        self.paused_until_ns = 0
        self._cluster = cluster
        self._invoker: AgentInvoker | None = None
        self._place = -1

    def __repr__(self) -> str:
        return f"<Member {self.member_id} {self.state.value}>"

    # ---- what it is ----

    @property
    def is_running(self) -> bool:
        """Whether there is a process, paused or not."""
        return self.state is MemberState.RUNNING

    @property
    def is_paused(self) -> bool:
        """Whether the process gets no time."""
        return self._cluster.now_ns < self.paused_until_ns

    @property
    def module(self) -> ConsensusModule:
        """The consensus module of the process that runs.

        Raises
        ------
        StateError
            None runs.
        """
        if self.node is None:
            raise StateError(f"member {self.member_id}: {self.state.value}, it has no module")
        return self.node.consensus_module

    @property
    def is_leading(self) -> bool:
        """Whether it runs, leads, and serves clients."""
        return self.node is not None and self.node.consensus_module.is_leading

    @property
    def commit_position(self) -> int:
        """How far its log is committed, in bytes; -1 where nothing runs, or nobody knows yet."""
        if self.node is None:
            return -1
        counters = self.node.consensus_module.counters
        return -1 if counters is None else counters.commit_position.get()

    # ---- what may be done to it ----

    def start(self) -> None:
        """Start a process on the machine: a new one if one runs.

        One that cannot start has ended: `failure` says why.
        """
        if self.is_running:
            self.kill()
        self.start_count += 1
        seams = self.machine.start_process()
        try:
            self.services = self._cluster.make_services(self)
            with assumed_environment(ENVIRONMENT):
                self.node = ClusterNode.launch(
                    *self.services, **self._cluster.node_options(self), seams=seams
                )
            self._invoker = AgentInvoker(
                [*self.node.agents, Meanwhile(self._cluster.loop)],
                error_handler=self.node.on_agent_error,
                clock=seams.clock,
            )
            self._invoker.start()
        except Exception as error:  # noqa: BLE001 - whatever ends a process is kept
            self._end(error)
            return
        self.state = MemberState.RUNNING
        self.paused_until_ns = 0
        self._place = self._cluster.loop.add(
            self._invoker,
            self.machine.network,
            self.machine.files,
            longest_step_ns=self._cluster.longest_step_ns,
        )
        self._cluster.on_started(self, self._place)

    def kill(self) -> None:
        """End the process at once, as SIGKILL does: what was written stays."""
        self._forget()
        self.state = MemberState.DOWN
        self.machine.kill_process()

    def lose_power(self) -> None:
        """Switch the machine off: the disk forgets what was not synced, or a part of it."""
        self.kill()
        # That one is memory, and made when the machine starts: nothing of it is torn.
        files = self.machine.files
        files.remove_tree(_DEVICE_DIR)
        files.sync_directory(posixpath.dirname(_DEVICE_DIR))
        self.machine.lose_power()
        files.make_directory(_DEVICE_DIR, parents=True)

    def pause(self, duration_ns: int) -> None:
        """Give the process no time for a while, as SIGSTOP does, in ns."""
        if self.is_running:
            self.paused_until_ns = self._cluster.now_ns + duration_ns
            self._cluster.loop.pause(self._place, self.paused_until_ns)

    def resume(self) -> None:
        """Give the process time again."""
        if self.is_running:
            self.paused_until_ns = 0
            self._cluster.loop.pause(self._place, 0)

    def close(self) -> None:
        """End the process in order, as SIGTERM does."""
        node, invoker = self.node, self._invoker
        self._forget()
        self.state = MemberState.DOWN
        _close(invoker, node)
        self.machine.kill_process()

    def on_stopped(self, error: BaseException | None) -> None:
        """See to it that the process is gone, which the loop found to have ended.

        Parameters
        ----------
        error : Exception or None
            What its agents raised; None where it was stopped at a call.
        """
        files, network = self.machine.files, self.machine.network
        if error is None or files.is_stopped or network.wire.is_stopped(network):
            self.kill()
        else:
            self._end(error)

    def _end(self, error: BaseException) -> None:
        node, invoker = self.node, self._invoker
        self._forget()
        self.state = MemberState.ENDED
        self.failure = error
        _close(invoker, node)
        self.machine.kill_process()

    def _forget(self) -> None:
        if self._place >= 0:
            self._cluster.loop.remove(self._place)
            self._cluster.on_gone(self._place)
            self._place = -1
        self.node = None
        self._invoker = None


def _close(invoker: AgentInvoker | None, node: ClusterNode | None) -> None:
    """Close what a process leaves that ends by itself; it may be in any state."""
    for part in (invoker, node):
        if part is not None:
            with contextlib.suppress(AeronClusterError, OSError):
                part.close()


class Cluster:
    """Members and clients of one cluster on a simulated network, driven in one thread.

    Parameters
    ----------
    seed : int
        Decides everything that is not asked for.
    services : callable or sequence of callables
        Each makes a service; called for each member and each time that one is started.
    members : int
        How many: 1, 3 or 5.
    faults : LinkFaults, optional
        How datagrams fare between machines; left out, 30 to 80 us on their way, and nothing lost.
    sync_level : int
        Of the archive's and the module's files: 0 promises nothing to those whose power fails.
    options : mapping, optional
        ``driver``, ``archive``, ``consensus_module`` and ``container``: keywords for each member,
        as of `ClusterNode.launch`.
    is_joined : bool
        Whether the members are of one cluster; otherwise each is a cluster of its own.
    checkers : sequence of Checker, optional
        Asked every 10 ms of virtual time whether all is as it should be.
    disk_capacity : int
        Of each member, in bytes.
    longest_step_ns : int
        How late a deadline is met at most where nothing else happens, in ns.

    Attributes
    ----------
    world : World
    loop : Loop
    members : tuple of Member
    clients : list of Client
    checkers : list of Checker
    journals : tuple of Journal
        What the services of all members saw: for each service id, and each cluster.
    link_faults : LinkFaults
        How datagrams fare where nothing else is said.

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
    ) -> None:
        self.seed = seed
        self.longest_step_ns = longest_step_ns
        self.world = World(seed)
        self.world.wire.has_checksums = True
        self.loop = Loop(self.world.time, self.world.wire, self.world.random.next())
        self.sync_level = sync_level
        self.is_joined = is_joined
        self.options = options or {}
        self.checkers = list(checkers)
        self.clients: list[Client] = []
        self._makers: tuple[Service, ...] = (services,) if callable(services) else tuple(services)
        self._own_journals = [
            tuple(Journal(service_id) for service_id in range(len(self._makers)))
            for _ in range(1 if is_joined else members)
        ]
        self.journals = tuple(each for journals in self._own_journals for each in journals)
        self._places: dict[int, Process] = {}
        self._next_check_ns = _CHECK_NS
        self._is_closed = False
        self.link_faults = _LAN if faults is None else faults
        self._endpoints = [str(local_member(each, f"node{each}")) for each in range(members)]
        self.members = tuple(
            Member(self, each, self._add_machine(f"node{each}", 1 + each, disk_capacity))
            for each in range(members)
        )

    def _add_machine(self, name: str, number: int, disk_capacity: int = 1 << 40) -> Machine:
        machine = self.world.add_machine(name, f"10.0.0.{number}", disk_capacity=disk_capacity)
        machine.files.fills = True
        self.world.wire.set_faults(None, None, self.link_faults)
        return machine

    # ---- what members are made of ----

    def make_services(self, member: Member) -> tuple[ClusteredService, ...]:
        """Make the services of a process of a member, seen by the journals."""
        return tuple(
            observed(make(), journal, member)
            for make, journal in zip(self._makers, self.journals_of(member), strict=True)
        )

    def journals_of(self, member: Member) -> tuple[Journal, ...]:
        """Return what the services of a member's cluster saw, one for each service id."""
        return self._own_journals[member.member_id if len(self._own_journals) > 1 else 0]

    def node_options(self, member: Member) -> dict[str, Any]:
        """Return the keywords of `ClusterNode.launch` for a member."""
        sync = {"file_sync_level": self.sync_level}

        def given(part: str, **defaults: object) -> dict[str, Any]:
            return {**defaults, **self.options.get(part, {})}

        replication = f"aeron:udp?endpoint=node{member.member_id}:0"
        report = {"error_handler": member.errors.append}
        return {
            "directory": "/data",
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
            ),
            "consensus_module": given(
                "consensus_module",
                log_channel=f"aeron:udp?term-length={_SMALL}",
                replication_channel=replication,
                **sync,
                **report,
            ),
            # A callback that waits does so in virtual time alone.
            "container": given("container", idle_strategy="noop", **report),
        }

    @property
    def ingress_endpoints(self) -> str:
        """Where clients reach the members, as ``id=host:port`` joined by commas."""
        return ",".join(f"{each}={text.split(',')[1]}" for each, text in enumerate(self._endpoints))

    # ---- time ----

    @property
    def now_ns(self) -> int:
        """Virtual time since the beginning, in ns."""
        return self.world.time.now_ns

    @property
    def trace(self) -> int:
        """A number that two runs share only if the same happened on networks and disks."""
        return self.world.trace

    def run_for(self, duration_ns: int) -> None:
        """Let time pass, in ns.

        Raises
        ------
        InvariantError
            A checker found something.
        """
        self.run_to(self.now_ns + duration_ns)

    def run_to(self, until_ns: int) -> None:
        """Let time pass until a time, in ns since the beginning."""
        while self.now_ns < until_ns:
            with assumed_environment(ENVIRONMENT):
                self._run_loop(min(until_ns, self._next_check_ns))
            if self.now_ns >= self._next_check_ns:
                self._next_check_ns = self.now_ns + _CHECK_NS
                self.check()

    def run_until(
        self, is_done: Callable[[], object], *, timeout_ns: int = _MINUTE_NS, what: str = ""
    ) -> None:
        """Let time pass until something holds, asked for every millisecond.

        Parameters
        ----------
        is_done : callable
        timeout_ns : int
            How much virtual time it may take, in ns.
        what : str
            What is waited for: for the error.

        Raises
        ------
        TimeoutExpiredError
            It does not hold in time.
        InvariantError
            A checker found something.
        """
        deadline_ns = self.now_ns + timeout_ns
        while not is_done():
            if self.now_ns >= deadline_ns:
                states = ", ".join(map(repr, self.members))
                raise TimeoutExpiredError(
                    f"{what or 'it'} does not hold after {timeout_ns / 1e9:g} s: {states}"
                )
            self.run_for(_LOOK_NS)

    def _run_loop(self, until_ns: int) -> None:
        while self.now_ns < until_ns:
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
                raise StateError("simulator: an agent of nobody failed") from error
            if error is not None and not isinstance(error, (Exception, AgentTerminationError)):
                raise error
            failed.on_stopped(error)

    def on_started(self, process: Process, place: int) -> None:
        """Remember whose agents a place of the loop drives."""
        self._places[place] = process

    def on_gone(self, place: int) -> None:
        """Forget a place of the loop."""
        del self._places[place]

    def check(self) -> None:
        """Ask all checkers now."""
        for checker in self.checkers:
            checker.check(self)

    # ---- members and clients ----

    def start(self) -> None:
        """Start all members that do not run."""
        for member in self.members:
            if not member.is_running:
                member.start()

    def leader(self) -> Member | None:
        """Return the member that leads, as the latest term has it; None where nobody does."""
        leading = [each for each in self.members if each.is_leading and not each.is_paused]
        return max(leading, key=_term, default=None)

    def await_leader(self, *, timeout_ns: int = 2 * _MINUTE_NS) -> Member:
        """Let time pass until a member leads, and return it."""
        self.run_until(lambda: self.leader() is not None, timeout_ns=timeout_ns, what="a leader")
        leader = self.leader()
        assert leader is not None
        return leader

    def add_client(self, **options: Any) -> Client:  # noqa: ANN401 - as of Client
        """Add a client on a machine of its own; it connects by itself, again and again.

        Parameters
        ----------
        **options
            Keywords of `Client`.
        """
        number = len(self.clients)
        machine = self._add_machine(f"client{number}", 100 + number)
        client = Client(self, number, machine, **options)
        self.clients.append(client)
        client.start()
        return client

    def isolate(self, *members: Member) -> None:
        """Cut members off from everybody else, but not from each other."""
        inside = [each.machine.network for each in members]
        outside = [each for each in self.world.wire.hosts if each not in inside]
        self.world.wire.partition(inside, outside)

    def heal(self) -> None:
        """Let everything through again, with no other faults than those of the beginning."""
        self.world.wire.heal()
        self.world.wire.set_faults(None, None, self.link_faults)

    # ---- the end ----

    def close(self) -> None:
        """End everything that runs. Calling it again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        for client in self.clients:
            client.close()
        for member in self.members:
            member.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def ignore(what: str) -> None:
    """Hear nothing."""


def _term(member: Member) -> int:
    counters = member.module.counters
    return -1 if counters is None else counters.leadership_term_id.get()
