"""Real processes under load that are killed, paused and cut off; checked at the end."""

import contextlib
import heapq
import itertools
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.control import REQUESTS, request
from aeron_cluster.errors import AeronClusterError, InvariantError
from tests.conftest import ROOT, SHARED_MEMORY
from tests.interop.java_peer import (
    OPENS,
    JavaUnavailableError,
    Peer,
    compile_peers,
    key_values,
    quick_options,
)
from tests.soak import history, porcupine, schedule
from tests.soak.client import MESSAGE_TIMEOUT_S
from tests.soak.clocks import NoShiftError, compile_shift
from tests.soak.disks import Disk, NoDisksError
from tests.soak.event_report import EventReport
from tests.soak.histories import read_history
from tests.soak.links import Loopback, Namespaces, NoNamespacesError
from tests.soak.members import CANVASS_S, COUNT, ELECTION_S, HEARTBEAT_S, Member
from tests.soak.power.disk import PowerDisk

KINDS = ("plain", "surviving", "asyncio", "sink", "java")
"""The clients of a soak; without Java the last one is left out."""
# A process start, an election, and a message timeout of a client that connects just before.
ANSWER_BOUND_S = 5 + CANVASS_S + HEARTBEAT_S + 10 * ELECTION_S + MESSAGE_TIMEOUT_S
_POLL_INTERVAL_S = 0.05
_RESTART_S = 0.5
_SNAPSHOT_S = 20.0
_REPORT_INTERVAL_S = 10.0
_MINUTES_S = 240.0
_KILLED = -9
# A member's disk: recordings of snapshots and the log.
_DISK_MB = 256
_DISK_MB_A_S = 1
_SYNC_LEVELS = (
    "aeron.archive.file.sync.level",
    "aeron.archive.catalog.file.sync.level",
    "aeron.cluster.file.sync.level",
)
_NO_CHECKSUMS = {"aeron.archive.record.checksum": "none", "aeron.archive.replay.checksum": "none"}


@dataclass(frozen=True)
class Settings:
    """The settings of a soak.

    Parameters
    ----------
    seed
        The seed of the schedule and of the clients' requests.
    duration_s
        The time during which faults begin, in seconds.
    report
        The folder of the report.
    port_base
        The first of thirty ports.
    answer_bound_s
        The limit of the time until all clients are answered after the faults, in seconds.
    request_interval_ms
        The average interval between the requests of a client.
    left_out
        The kinds of faults that are not drawn.
    sync_level
        The sync level of the members; by default 0, or drawn, 1 or 2, if they lose power.
    """

    seed: int
    duration_s: float
    report: Path
    port_base: int
    answer_bound_s: float = ANSWER_BOUND_S
    request_interval_ms: int = 20
    left_out: frozenset[str] = frozenset()
    sync_level: int | None = None


@dataclass(frozen=True)
class Result:
    """The result of a soak that passed."""

    requests: int
    answers: int
    sessions: int
    log: int
    starts: int
    kills: int
    power_losses: int
    ended_by_themselves: int
    events: int
    answered_after_s: float
    linearizable: str

    def __str__(self):
        return (
            f"{self.events} events, {self.starts} processes of members ({self.kills} killed,"
            f" power lost {self.power_losses} times, {self.ended_by_themselves} ended by"
            f" themselves); {self.requests} requests in {self.sessions} sessions,"
            f" {self.answers} answered, log {self.log} bytes; answered"
            f" {self.answered_after_s:.1f} s after the faults; {self.linearizable}"
        )


class Soak(EventReport):
    """One run. Subclasses add other events.

    Parameters
    ----------
    settings
    notify : callable
        Receives a line of progress at an interval.
    """

    kinds = KINDS
    """The kinds of the clients."""
    strangers = 0
    """The number of hosts besides the members' and the clients'."""
    max_waiting = 8
    """How many requests of a client may wait for an answer, or for the end of that wait."""
    failover = None
    """The members' option of that name, in place of a soak's timeouts."""

    def __init__(self, settings, notify=lambda _: None):
        self._settings = settings
        self._log = notify
        self._report = settings.report
        self._report.mkdir(parents=True, exist_ok=True)
        self._members = []
        self._clients = []
        self._other_processes = []
        self._undo = []  # (time, sequence number, action), a heap
        self._numbers = itertools.count()
        self._restart_at = {}
        self.kills = self.power_losses = self._ended_by_themselves = 0
        self._began = time.monotonic()
        self._report_at = self._snapshot_at = 0.0
        self._links = None
        self._class_path = ""
        self._left_out = set(settings.left_out)
        self._not_installed = []
        self._kinds_run = ()

    @property
    def clients(self):
        """The kinds of the clients that were started."""
        return ", ".join(self._kinds_run)

    @property
    def left_out(self):
        """What this run does without: kinds of faults, clients, and the checker."""
        return ", ".join([*sorted(self._left_out), *self._not_installed])

    # ---- the run ----

    def run(self):
        """Run to the end; return the `Result`.

        Raises
        ------
        InvariantError
            A check failed.
        """
        try:
            with contextlib.ExitStack() as stack:
                shared_memory = Path(
                    tempfile.mkdtemp(prefix="aeron-cluster-soak-", dir=SHARED_MEMORY)
                )
                stack.callback(shutil.rmtree, shared_memory, ignore_errors=True)
                self._links = stack.enter_context(self._make_links())
                stack.callback(self._end_everything)
                try:
                    return self._run(shared_memory)
                except BaseException:
                    for member in self._members:
                        member.write_state()
                    raise
                finally:
                    self._write_client_events()
        except BaseException as error:
            self._note("failed", why=repr(error))
            raise

    def _make_links(self):
        count = COUNT + 1 + self.strangers
        try:
            return Namespaces(count)
        except NoNamespacesError as error:
            self._log(f"no link is cut: network namespaces cannot be made here ({error})")
            self._note("no namespaces", why=str(error))
            return Loopback(count)

    def _run(self, shared_memory):
        given = self._settings
        library = self._prepare_faults(shared_memory)
        events = self._draw_events()
        plan = {"seed": given.seed, "events": [each.as_dict() for each in events]}
        (self._report / "schedule.json").write_text(json.dumps(plan, indent=1))
        self._log(
            f"seed {given.seed}: {len(events)} events in {given.duration_s:g} s; {self._report}"
        )
        source = random.Random(given.seed)
        layouts = source.choices(("one", "two"), k=COUNT)
        kinds = {each.kind for each in events}
        loses_power = bool(kinds & schedule.POWER_FAULTS)
        has_checksums = source.random() < 0.7
        level = source.choice((1, 2)) if given.sync_level is None else given.sync_level
        is_synced = loses_power or given.sync_level is not None
        properties = dict.fromkeys(_SYNC_LEVELS, str(level)) if is_synced else {}
        if loses_power and not has_checksums:
            properties |= _NO_CHECKSUMS
        self._members = [
            Member(
                index,
                self._links,
                given.port_base,
                self._report,
                shared_memory,
                threads,
                self.failover,
                library,
                properties,
            )
            for index, threads in enumerate(layouts)
        ]
        if loses_power:
            # Without checksums a page is assumed to be written completely, or not at all.
            whole_pages = () if has_checksums else (".rec",)
            self._mount_disks(lambda *each: PowerDisk(*each, source.getrandbits(63), whole_pages))
        elif "full disk" in kinds:
            self._mount_disks(Disk)
        for member in self._members:
            member.start()
        self._await(lambda: self._leader() is not None, _MINUTES_S, "a first leader")
        self._kinds_run = self._kinds_available()
        self._clients = [
            self._start_client(number, kind, shared_memory)
            for number, kind in enumerate(self._kinds_run)
        ]
        self._await(lambda: self._answered_since(0), _MINUTES_S, "first answers")
        self._began = time.monotonic()
        self._begin()
        for event in events:
            self._drive_until(event.at_s)
            self._do(event)
        self._drive_until(given.duration_s)
        self._end()
        answered_after_s = self._heal()
        operations = self._stop_clients()
        commit_position = self._settle()
        self._close_members()
        directories = {each.index: each.directory for each in self._members}
        history.check(directories, commit_position, operations)
        every = [each for some in operations for each in some]
        return Result(
            requests=sum(each.sent_ns >= 0 for each in every),
            answers=sum(each.answered_ns >= 0 for each in every),
            sessions=sum(self._latest(each)["sessions"] for each in self._clients),
            log=commit_position,
            starts=sum(each.start_count for each in self._members),
            kills=self.kills,
            power_losses=self.power_losses,
            ended_by_themselves=self._ended_by_themselves,
            events=len(events),
            answered_after_s=answered_after_s,
            linearizable=self._check_linearizable(),
        )

    def _check_linearizable(self):
        """Run the checker that is not ours over the histories; return its result, or why not."""
        histories = [self._history(number) for number in range(len(self._clients))]
        try:
            return porcupine.check(histories, self._report / "linearizability.html")
        except porcupine.NoCheckerError as error:
            self._log(f"linearizability is not checked by Porcupine: {error}")
            self._not_installed.append("Porcupine")
            return "Porcupine left out"

    def _draw_events(self):
        """Return the faults of this run, in order."""
        given = self._settings
        return schedule.draw(given.seed, given.duration_s, COUNT, self._left_out)

    def _prepare_faults(self, folder):
        """Find which faults cannot be made here; return the library that shifts clocks, or None."""
        if not self._links.has_links:
            self._left_out |= schedule.LINK_FAULTS
        elif self._links.slow_by is None:
            self._leave_out("slow", "tc has neither netem nor tbf")
        try:
            Disk(folder / "probe", 1).close()
        except NoDisksError as error:
            self._leave_out("full disk", error)
        try:
            PowerDisk(folder / "probe", 1, 0).close()
        except NoDisksError as error:
            for kind in sorted(schedule.POWER_FAULTS):
                self._leave_out(kind, error)
        try:
            return compile_shift(folder)
        except NoShiftError as error:
            self._leave_out("clock", error)
        return None

    def _leave_out(self, kind, why):
        self._left_out.add(kind)
        self._log(f"without the fault {kind!r}: {why}")
        self._note("left out", kind=kind, why=str(why))

    def _mount_disks(self, make):
        megabytes = _DISK_MB + int(_DISK_MB_A_S * self._settings.duration_s)
        for member in self._members:
            member.disk = make(member.directory, megabytes)

    def _begin(self):
        """Start what runs besides the faults; the clients receive answers by then."""

    def _end(self):
        """Stop what `_begin` started, and check its result."""

    def _kinds_available(self):
        if "java" not in self.kinds:
            return self.kinds
        try:
            self._class_path = compile_peers(ROOT / "build" / "java")
        except JavaUnavailableError as error:
            self._log(f"no client in Java: {error}")
            self._not_installed.append("client in Java")
            return tuple(each for each in self.kinds if each != "java")
        return self.kinds

    def _start_client(self, number, kind, shared_memory):
        given = self._settings
        address = self._links.addresses
        arguments = {
            "kind": kind,
            "number": number,
            "seed": given.seed,
            "endpoints": ",".join(
                f"{i}={address[i]}:{given.port_base + 10 * i + 1}" for i in range(COUNT)
            ),
            "host": address[COUNT],
            "dir": shared_memory / f"client-{number}",
            "history": self._history(number),
            "intervalMs": given.request_interval_ms,
            "maxWaiting": self.max_waiting,
        }
        if kind == "java":
            options = [*quick_options(self._class_path), *OPENS, "-cp", self._class_path]
            command = ["java", *options, "SoakClient", *key_values(arguments)]
        else:
            command = [sys.executable, "-m", "tests.soak.client", *key_values(arguments)]
        command = self._links.command(COUNT, command)
        return Peer(f"{kind} client {number}", command, self._report / f"client-{number}.log")

    def _write_client_events(self):
        """Write when each client connected, and when and why it lost its session."""
        for number, client in enumerate(self._clients):
            events = [each for each in client.events if each["event"] != "progress"]
            path = self._report / f"client-{number}.jsonl"
            path.write_text("".join(f"{json.dumps(each)}\n" for each in events))

    def _history(self, number):
        return self._report / f"client-{number}.history"

    # ---- time ----

    def _drive_until(self, at):
        while self._now < at:
            self._supervise()
            self._receive(min(_POLL_INTERVAL_S, at - self._now))
        self._supervise()

    def _await(self, is_done, timeout_s, what):
        """Wait for a condition; return the duration, in seconds."""
        begin = self._now
        while not is_done():
            if self._now > begin + timeout_s:
                raise InvariantError("the cluster continues", f"not in {timeout_s:g} s: {what}")
            self._supervise()
            self._receive(_POLL_INTERVAL_S)
        return self._now - begin

    def _receive(self, timeout_s):
        """Wait for output of the processes or their end, for at most `timeout_s`."""
        processes = [each.process for each in self._members if each.is_running]
        processes += self._clients + self._other_processes
        for process in processes:
            process.read(max(timeout_s, 0.0) / len(processes))

    def _supervise(self):
        """Undo faults whose time is over, restart members that are down, check that the clients
        run.
        """
        while self._undo and self._undo[0][0] <= self._now:
            heapq.heappop(self._undo)[2]()
        for member in self._members:
            if not member.is_running:
                self._restart(member)
        for client in self._clients:
            if client.code not in (None, 0):
                raise InvariantError(
                    "clients continue", f"{client}: {client.code}\n{client.report()}"
                )
        if self._now >= self._report_at:
            self._report_at = self._now + _REPORT_INTERVAL_S
            self._log(self._progress())

    def _later(self, delay_s, what):
        heapq.heappush(self._undo, (self._now + delay_s, next(self._numbers), what))

    def _restart(self, member):
        if member.index not in self._restart_at:
            # It was not killed.
            self._on_process_end(member, member.await_end())
            self._restart_at[member.index] = self._now + _RESTART_S
        if self._now >= self._restart_at[member.index]:
            del self._restart_at[member.index]
            member.start()
            self._note("started", member=member.index, process=member.start_count)

    def _on_process_end(self, member, code):
        """Handle the end of a process that was not killed: it may end with a reason, not crash."""
        reported = member.log.read_text(errors="replace")
        self._ended_by_themselves += 1
        self._note("ended", member=member.index, code=code, reported=reported[-500:])
        if code < 0:
            raise InvariantError(
                "members do not crash", f"member {member.index}: {code}\n{reported[-4000:]}"
            )
        if "Traceback" in reported:
            self._log(f"member {member.index} ended with {code}; worth reading: {member.log}")

    def _latest(self, client):
        found = (one for one in reversed(client.events) if one["event"] == "progress")
        return next(found, {"asked": 0, "answered": 0, "lastAnswerNs": -1, "sessions": 0})

    def _answered_since(self, ns):
        return all(self._latest(each)["lastAnswerNs"] > ns for each in self._clients)

    def _progress(self):
        answered = sum(self._latest(each)["answered"] for each in self._clients)
        members = ", ".join(each.state for each in self._members)
        return f"{self._now:7.1f} s  {answered} answers; members {members}"

    # ---- faults ----

    def _leader(self):
        terms = {each.leading_term(): each for each in self._members}
        return terms[max(terms)] if max(terms) >= 0 else None

    def _do(self, event):
        if event.member == schedule.LEADER:
            member = self._leader() or self._members[event.other]
        else:
            member = self._members[max(event.member, 0)]
        others = [each for each in self._members if each is not member]
        self._note(event.kind, member=member.index, lasts_s=event.lasts_s, shift_s=event.shift_s)
        match event.kind:
            case "kill":
                self._kill([member], event.lasts_s)
            case "kill all":
                self._kill(self._members, event.lasts_s)
            case "power":
                self._lose_power([member], event.lasts_s)
            case "power all":
                self._lose_power(self._members, event.lasts_s)
            case "pause" | "long pause":
                if member.is_running and not member.is_paused:
                    process = member.process
                    member.pause()
                    self._later(event.lasts_s, lambda: self._resume(member, process))
            case "unplug":
                self._links.unplug(member.index)
                self._later(event.lasts_s, lambda: self._links.plug(member.index))
            case "sever":
                pair = member.index, others[event.other].index
                for one, other in (pair, pair[::-1]):
                    self._block(one, other, event.lasts_s)
            case "block":
                self._block(member.index, others[event.other].index, event.lasts_s)
            case "isolate" | "deaf" | "mute":
                for each in others:
                    if event.kind != "deaf":
                        self._block(member.index, each.index, event.lasts_s)
                    if event.kind != "mute":
                        self._block(each.index, member.index, event.lasts_s)
            case "ring":
                for each in range(COUNT):
                    self._block(each, (each - 1) % COUNT, event.lasts_s)
            case "slow":
                self._links.slow(member.index)
                self._later(event.lasts_s, lambda: self._links.speed_up(member.index))
            case "clock":
                member.clock.set(event.shift_s)
                self._later(event.lasts_s, lambda: member.clock.set(0.0))
            case "full disk":
                member.disk.fill()
                self._later(event.lasts_s, member.disk.free)
            case "snapshot":
                self._snapshot(member)

    def _kill(self, members, lasts_s):
        self.kills += self._end_at_once(members, lasts_s)

    def _lose_power(self, members, lasts_s):
        running = [each for each in members if each.is_running]
        for member in running:
            member.pause()
        for member in running:
            member.await_pause()
        for member in members:
            self.power_losses += 1
            source = random.Random(f"{self._settings.seed} power {self.power_losses}")
            member.disk.lose_power(is_written_back=source.random() < 0.5)
        self._end_at_once(members, lasts_s)
        for member in members:
            shutil.rmtree(member.aeron_dir, ignore_errors=True)

    def _end_at_once(self, members, lasts_s):
        """Kill those that run, to be started again after a time; return how many."""
        killed = [each for each in members if each.is_running]
        for member in killed:
            self._restart_at[member.index] = self._now + lasts_s
            member.kill()
        for member in killed:
            member.await_end()
        return len(killed)

    def _resume(self, member, process):
        if member.process is process:
            member.resume()

    def _block(self, sender, receiver, lasts_s):
        self._links.block(sender, receiver)
        self._later(lasts_s, lambda: self._links.unblock(sender, receiver))

    def _snapshot(self, member):
        """Request a snapshot as an operator does; it may be rejected, or fail with the leader."""
        try:
            wanted = REQUESTS["snapshot"]
            directory = ClusterDirectory(f"{member.directory}/cluster", member.seams)
            request(directory, wanted)
        except (AeronClusterError, OSError) as error:
            self._note("no snapshot", why=str(error))

    # ---- the end ----

    def _heal(self):
        """End all faults; return the time until all clients are answered, in seconds."""
        self._note("heal")
        self._undo.clear()
        self._links.heal()
        for member in self._members:
            member.clock.set(0.0)
            if member.disk is not None:
                member.disk.free()
            if member.is_paused:
                member.resume()
            if member.index in self._restart_at:
                self._restart_at[member.index] = self._now
        since = time.monotonic_ns()
        taken = self._await(
            lambda: self._answered_since(since),
            self._settings.answer_bound_s,
            "clients are answered after the faults",
        )
        self._note("answered", after_s=taken)
        return taken

    def _stop_clients(self):
        for client in self._clients:
            client.emit("stop")
        self._await(
            lambda: all(each.code == 0 for each in self._clients), _MINUTES_S, "clients end"
        )
        return [read_history(self._history(number)) for number in range(len(self._clients))]

    def _settle(self):
        """Wait until all members have a snapshot and the same commit position; return it."""
        end = self._await_equal_positions()
        self._await(lambda: self._have_all_a_snapshot(end), _MINUTES_S, "a snapshot of all")
        return self._await_equal_positions()

    def _have_all_a_snapshot(self, end):
        """Return whether all have a snapshot at or after a position; request one at an interval."""
        found = {each.last_snapshot_position for each in self._members}
        if len(found) == 1 and min(found) >= end:
            return True
        leader = self._leader()
        if leader is not None and self._now >= self._snapshot_at:
            self._snapshot_at = self._now + _SNAPSHOT_S
            self._snapshot(leader)
        return False

    def _await_equal_positions(self):
        """Wait until all members have the same commit position; return it."""
        positions = set()

        def is_one():
            nonlocal positions
            positions = {each.commit_position for each in self._members}
            return len(positions) == 1 and positions != {-1}

        self._await(is_one, _MINUTES_S, "all members reach the same position")
        return positions.pop()

    def _close_members(self):
        for member in self._members:
            code = member.process.stop()
            self._note("closed", member=member.index, code=code)
            if code != 0:
                reported = member.log.read_text(errors="replace")[-4000:]
                raise InvariantError(
                    "members end when asked to", f"{member.index}: {code}\n{reported}"
                )
        self._close_disks()

    def _close_disks(self):
        with contextlib.ExitStack() as stack:
            for member in self._members:
                if member.disk is not None:
                    stack.callback(member.disk.close)

    def _end_everything(self):
        for client in self._clients + self._other_processes:
            client.stop()
        for member in self._members:
            if member.is_running:
                member.kill()
                member.await_end()
        self._close_disks()


def default_report(seed):
    """Return the default folder of a report."""
    return ROOT / "build" / "soak" / f"{seed}"
