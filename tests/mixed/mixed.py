"""Clients in Java, C and Python at once on one driver, ours, with losses and kills."""

import contextlib
import heapq
import itertools
import json
import math
import random
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.conftest import ROOT, SHARED_MEMORY
from tests.mixed import clients, schedule
from tests.mixed.channels import Channel, all_channels
from tests.mixed.driver import CLIENT_LIVENESS_S, Driver, left_over
from tests.mixed.ledger import Ledger
from tests.soak.event_report import EventReport

LOSS_RATE = 0.05
THREADING = ("shared", "shared-network", "dedicated")
_CLIENTS_OF_A_KIND = 2
_POLL_INTERVAL_S = 0.05
_SAMPLE_INTERVAL_S = 1.0
_REPORT_INTERVAL_S = 10.0
# Long, for a busy machine.
_ANSWER_S = 120.0
# The timeouts of clients, images and lingering publications, and the reuse of counters.
_CLEAN_S = 60.0 + CLIENT_LIVENESS_S
_MAX_PUBLISHERS, _MAX_SUBSCRIBERS = 3, 6
_INTERVAL_US = (1000, 4000)


@dataclass(frozen=True)
class Settings:
    """The settings of a run.

    Parameters
    ----------
    seed
        The seed of the events and of the losses.
    duration_s
        The time within which events begin, in seconds.
    report
        The folder of the report.
    port_base
        The first of `tests.mixed.channels.PORT_COUNT` ports.
    programs
        The programs of the clients.
    gap_s
        The shortest and the longest time between two events, in seconds.
    loss_rate
        The share of datagrams that is dropped.
    """

    seed: int
    duration_s: float
    report: Path
    port_base: int
    programs: clients.Programs
    gap_s: tuple[float, float] = schedule.GAP_S
    loss_rate: float = LOSS_RATE


@dataclass(frozen=True)
class Result:
    """The result of a run that passed."""

    threading: str
    channels: tuple[str, ...]
    events: Counter
    processes: Counter  # by kind
    timed_out: int
    sent: Counter  # by kind
    received: Counter
    byte_count: int
    gap_count: int
    images: int
    pairs: set[tuple[str, str, str]]
    system: dict[str, int]
    peaks: dict[str, int]
    resident_kib: tuple[int, int]
    clean_after_s: float

    def __str__(self):
        kinds = ", ".join(
            f"{kind} {self.processes[kind]} processes, {self.sent[kind]} messages sent,"
            f" {self.received[kind]} received"
            for kind in self.processes
        )
        events = ", ".join(f"{count} {kind}" for kind, count in sorted(self.events.items()))
        system = ", ".join(f"{count} {name}" for name, count in self.system.items())
        peaks = ", ".join(f"{count} {name}" for name, count in self.peaks.items())
        begin, end = self.resident_kib
        return (
            f"threading {self.threading}; channels {', '.join(self.channels)}; events: {events};"
            f" {kinds}; {self.byte_count} bytes received; {self.images} images ended complete;"
            f" {len(self.pairs)} combinations of channel, publisher and subscriber;"
            f" {self.gap_count} gaps in unreliable streams; {self.timed_out} clients timed out"
            f" alive; driver: {system}; most at once: {peaks}; private memory {begin} to {end} KiB;"
            f" nothing left {self.clean_after_s:.1f} s after the end"
        )


@dataclass
class Stream:
    """A publication or subscription of a client; the name of a publication is its publisher id."""

    name: int
    channel: Channel
    is_publication: bool
    is_added: bool = False
    is_removing: bool = False


@dataclass
class Client:
    """A client: its process, started again after its end."""

    kind: str
    peer: object = None
    is_ready: bool = False
    is_closing: bool = False
    restart_at: float = -1.0  # -1: it runs
    streams: dict[int, Stream] = field(default_factory=dict)
    received: dict = field(default_factory=dict)  # by subscription and publisher
    counts: tuple[int, int, int] = (0, 0, 0)  # messages, bytes and gaps of this process
    is_paused: bool = False

    @property
    def is_usable(self):
        return self.is_ready and not self.is_closing and not self.is_paused

    def of(self, *, publications):
        return [
            each
            for each in self.streams.values()
            if each.is_publication is publications and not each.is_removing
        ]


class Mixed(EventReport):
    """One run.

    Parameters
    ----------
    settings
    notify : callable
        Receives a line of progress at an interval.
    """

    def __init__(self, settings, notify=lambda _: None):
        self._settings = settings
        self._log = notify
        self._report = settings.report
        self._report.mkdir(parents=True, exist_ok=True)
        self._chance = random.Random(settings.seed)
        self._threading = self._chance.choice(THREADING)
        self._channels = all_channels(settings.port_base)
        self._clients = [
            Client(kind) for kind in settings.programs.kinds for _ in range(_CLIENTS_OF_A_KIND)
        ]
        self._ledger = Ledger()
        self._names = itertools.count(1)
        self._undo = []
        self._numbers = itertools.count()
        self._events, self._processes = Counter(), Counter()
        self._received, self._bytes, self._gaps = Counter(), 0, 0
        self._kill_count = self._timed_out_count = 0
        self._peaks = {"counters of streams and clients": 0, "log files": 0}
        self._began = time.monotonic()
        self._sample_at, self._report_at = math.inf, 0.0
        self._driver = None

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
                shared = Path(tempfile.mkdtemp(prefix="aeron-cluster-mixed-", dir=SHARED_MEMORY))
                stack.callback(shutil.rmtree, shared, ignore_errors=True)
                stack.callback(self._end_everything)
                return self._run(shared)
        except BaseException as error:
            self._note("failed", why=repr(error))
            raise

    def _run(self, shared):
        given = self._settings
        events = schedule.draw(given.seed, given.duration_s, given.gap_s)
        plan = {"seed": given.seed, "events": [each.as_dict() for each in events]}
        (self._report / "schedule.json").write_text(json.dumps(plan, indent=1))
        self._log(
            f"seed {given.seed}: {len(events)} events in {given.duration_s:g} s, clients"
            f" {', '.join(given.programs.kinds)}, threading {self._threading}; {self._report}"
        )
        self._driver = Driver(
            shared / "driver",
            self._report / "driver.log",
            self._threading,
            given.loss_rate,
            given.seed,
        )
        self._await(self._driver.open, "the driver")
        held = self._driver.held()
        for number, client in enumerate(self._clients):
            self._start(client)
            self._add_first_streams(client, number)
        self._await(self._is_settled, "the first streams")
        self._began = time.monotonic()
        self._sample_at = self._report_at = 0.0
        resident_kib = self._driver.resident_kib()
        for event in events:
            self._drive_until(event.at_s)
            self._do(event)
        self._drive_until(given.duration_s)
        self._heal()
        resident_kib = resident_kib, self._driver.resident_kib()
        self._end_streams()
        self._close_clients()
        clean_after_s = self._await_clean(held)
        self._ledger.check()
        system = self._check_driver()
        self._stop_driver(shared)
        return Result(
            threading=self._threading,
            channels=tuple(each.name for each in self._channels),
            events=self._events,
            processes=self._processes,
            timed_out=self._timed_out_count,
            sent=sum(
                (Counter({each.kind: each.sent}) for each in self._ledger.published.values()),
                Counter(),
            ),
            received=self._received,
            byte_count=self._bytes,
            gap_count=self._gaps,
            images=self._ledger.image_count,
            pairs=self._ledger.pairs,
            system=system,
            peaks=self._peaks,
            resident_kib=resident_kib,
            clean_after_s=clean_after_s,
        )

    # ---- clients ----

    def _start(self, client):
        self._processes[client.kind] += 1
        log = self._report / f"{self._clients.index(client)}-{self._processes.total()}.log"
        client.peer = clients.start(
            self._settings.programs, client.kind, self._driver.directory, log
        )
        client.is_ready = client.is_closing = client.is_paused = False
        client.restart_at = -1.0
        client.streams, client.received, client.counts = {}, {}, (0, 0, 0)
        self._note("started", client=client.kind, pid=client.peer.pid)

    def _add_first_streams(self, client, number):
        """Subscribe to every channel, and publish to two."""
        count = len(self._channels)
        for channel in self._channels:
            self._add(client, channel, False, 0.0, 0.0)
        self._add(client, self._channels[number % count], True, 0.0, 0.3)
        self._add(client, self._channels[(number + 2) % count], True, 1.0, 0.7)

    def _add_streams(self, client):
        """Add the streams of a client that was started again."""
        for is_publication in (False, True, False, True, False):
            channel = self._chance.choice(self._channels)
            picks = self._chance.random(), self._chance.random()
            self._add(client, channel, is_publication, *picks)

    def _add(self, client, channel, is_publication, kind, interval):
        """Add a stream to a client; `kind` and `interval`, from 0 to 1, determine the rest."""
        name = next(self._names)
        client.streams[name] = Stream(name, channel, is_publication)
        if is_publication:
            self._ledger.open(name, channel, client.kind)
            shortest, longest = _INTERVAL_US
            interval_us = int(shortest + interval * (longest - shortest))
            what = "exclusive" if kind < 0.5 else "shared"
            uri, *destinations = channel.publication
            parts = "pub", name, uri, channel.stream_id, what, name, interval_us
        else:
            uri, *destinations = _pick(channel.subscriptions, kind)
            parts = "sub", name, uri, channel.stream_id, int(channel.is_reliable)
        client.peer.emit(" ".join(map(str, (*parts, *destinations))))

    def _remove(self, client, stream):
        stream.is_removing = True
        client.peer.emit(f"remove {stream.name}")

    # ---- what clients print ----

    def _handle(self, client):
        """Handle what a client has printed since the last call."""
        printed, client.peer.events = client.peer.events, []
        for event in printed:
            self._handle_event(client, event)

    def _handle_event(self, client, event):
        match event["event"]:
            case "READY":
                client.is_ready = True
            case "added":
                client.streams[event["name"]].is_added = True
            case "removed":
                stream = client.streams.pop(event["name"])
                client.received.pop(stream.name, None)
                if stream.is_publication:
                    self._ledger.on_sent(stream.name, event["sent"], is_final=True)
            case "ended":
                following = {int(name): number for name, number in event["next"].items()}
                self._ledger.on_image_end(client.kind, following)
            case "progress":
                for name, count in event["sent"].items():
                    self._ledger.on_sent(int(name), count)
                client.received = {
                    int(name): {int(p): number for p, number in following.items()}
                    for name, following in event["next"].items()
                }
                for following in client.received.values():
                    self._ledger.on_received(client.kind, following)
                client.counts = event["messages"], event["bytes"], event["gaps"]
            case "fault":
                channel = client.streams[event["name"]].channel.name
                raise InvariantError(
                    "messages arrive once and in order",
                    f"{client.peer}, channel {channel}: {event['text']}",
                )
            case "CLOSED":
                pass
            case _:
                self._note("printed", client=client.kind, **event)

    def _add_up(self, client):
        """Add what an ended process received."""
        messages, size, gaps = client.counts
        self._received[client.kind] += messages
        self._bytes += size
        self._gaps += gaps
        client.counts, client.received, client.streams = (0, 0, 0), {}, {}
        client.is_ready = False
        client.peer.close()

    # ---- time ----

    def _drive_until(self, at):
        while self._now < at:
            self._supervise()
            self._receive(min(_POLL_INTERVAL_S, at - self._now))
        self._supervise()

    def _await(self, is_done, what, timeout_s=_ANSWER_S):
        """Wait for a condition; return the duration, in seconds."""
        begin = self._now
        while not is_done():
            if self._now > begin + timeout_s:
                raise InvariantError("the run continues", f"not in {timeout_s:g} s: {what}")
            self._supervise()
            self._receive(_POLL_INTERVAL_S)
        return self._now - begin

    def _receive(self, timeout_s):
        """Wait for output of the processes or their end, for at most `timeout_s`."""
        running = [each.peer for each in self._clients if each.peer and each.restart_at < 0]
        running.append(self._driver.process)
        for process in running:
            process.read(max(timeout_s, 0.0) / len(running))

    def _supervise(self):
        """Handle output and ends of processes, undo what is over, restart clients that are down."""
        while self._undo and self._undo[0][0] <= self._now:
            heapq.heappop(self._undo)[2]()
        if self._driver.process.code is not None:
            raise InvariantError("the driver continues", self._driver.process.report())
        for client in self._clients:
            if client.peer is None:
                continue
            if client.restart_at >= 0:
                if self._now >= client.restart_at:
                    self._start(client)
                    self._add_streams(client)
                continue
            code = client.peer.code
            if code is not None:
                client.peer.read()
            self._handle(client)
            if code is not None:
                self._on_end(client, code)
        self._sample()

    def _on_end(self, client, code):
        if client.is_closing:
            if code != 0 or client.streams:
                raise InvariantError(
                    "clients end on request",
                    f"{client.peer}: {code}, with {len(client.streams)} streams\n"
                    f"{client.peer.report()}",
                )
        else:
            # A machine that pauses for seconds may delay a client for so long.
            reported = client.peer.report()
            if "timeout" not in reported.lower():
                raise InvariantError("clients continue", f"{client.peer}: {code}\n{reported}")
            self._timed_out_count += 1
        self._note("ended", client=client.kind, code=code)
        self._add_up(client)
        client.restart_at = max(client.restart_at, self._now)

    def _sample(self):
        if self._now < self._sample_at:
            return
        self._sample_at = self._now + _SAMPLE_INTERVAL_S
        samples = self._driver.owned_count(), self._driver.log_file_count()
        for name, value in zip(self._peaks, samples, strict=True):
            self._peaks[name] = max(self._peaks[name], value)
        if self._now >= self._report_at:
            self._report_at = self._now + _REPORT_INTERVAL_S
            received = self._received.total() + sum(each.counts[0] for each in self._clients)
            counts = dict(zip(self._peaks, samples, strict=True))
            self._log(
                f"{self._now:7.1f} s  {self._ledger.sent_count} sent, {received} received,"
                f" {self._kill_count} killed; {counts}"
            )

    # ---- events ----

    def _do(self, event):
        usable = [each for each in self._clients if each.is_usable]
        if not usable:
            return
        client = _pick(usable, event.picks[0])
        kind = event.kind
        is_publication = event.picks[1] < 0.5
        streams = client.of(publications=is_publication)
        if kind == "add":
            most = _MAX_PUBLISHERS if is_publication else _MAX_SUBSCRIBERS
            kind = "add" if len(streams) < most else "remove"
        if kind == "remove":
            streams = [each for each in streams if each.is_added]
            if not streams:
                return
        self._events[kind] += 1
        self._note(kind, client=client.kind, pid=client.peer.pid, lasts_s=event.lasts_s)
        match kind:
            case "kill":
                self._kill(client, event.lasts_s)
            case "close":
                client.is_closing = True
                client.peer.emit("close")
            case "pause":
                client.peer.pause()
                client.is_paused = True
                self._later(event.lasts_s, lambda: self._resume(client))
            case "add":
                channel = _pick(self._channels, event.picks[2])
                self._add(client, channel, is_publication, *event.picks[3:])
            case "remove":
                self._remove(client, _pick(streams, event.picks[2]))

    def _later(self, delay_s, what):
        heapq.heappush(self._undo, (self._now + delay_s, next(self._numbers), what))

    def _kill(self, client, lasts_s):
        client.peer.kill()
        self._kill_count += 1
        self._handle(client)
        self._add_up(client)
        client.restart_at = self._now + lasts_s

    def _resume(self, client):
        client.is_paused = False
        if client.peer.code is None:
            client.peer.resume()

    # ---- the end ----

    def _is_settled(self):
        """Return whether all clients run with all their streams."""
        return all(
            each.is_ready
            and not each.is_closing
            and each.restart_at < 0
            and all(one.is_added and not one.is_removing for one in each.streams.values())
            for each in self._clients
        )

    def _heal(self):
        """End the faults; each subscription must then receive from each publication."""
        self._note("heal")
        while self._undo:
            heapq.heappop(self._undo)[2]()
        for client in self._clients:
            client.restart_at = min(client.restart_at, self._now)
        self._await(self._is_settled, "all clients with their streams")
        sent = {number: each.sent for number, each in self._ledger.published.items()}
        # The output that was printed before may be in the pipes.
        wanted = [
            (client, sub.name, pub.name)
            for client in self._clients
            for sub in client.of(publications=False)
            for other in self._clients
            for pub in other.of(publications=True)
            if pub.channel is sub.channel
        ]

        def missing():
            return [
                f"{client.kind} subscription {sub} from publisher {pub} at {sent[pub]}"
                for client, sub, pub in wanted
                if client.received.get(sub, {}).get(pub, -1) <= sent[pub]
            ]

        try:
            self._await(lambda: not missing(), "every stream is received")
        except InvariantError as error:
            raise InvariantError("streams continue", f"{error}: {missing()[:10]}") from None

    def _end_streams(self):
        """Close all publications; wait for the end of all images."""
        for client in self._clients:
            for stream in client.of(publications=True):
                self._remove(client, stream)
        self._await(
            lambda: (
                not any(
                    each.of(publications=True) or any(each.received.values())
                    for each in self._clients
                )
            ),
            "all images end",
        )

    def _close_clients(self):
        for client in self._clients:
            client.is_closing = True
            client.peer.emit("close")
            self._events["last close"] += 1
            client.peer.wait(_ANSWER_S)
            self._handle(client)
            self._on_end(client, client.peer.code)
            client.peer = None

    def _await_clean(self, held):
        """Wait until the driver holds what it held at first; return the duration, in seconds."""

        def left():
            return left_over(held, self._driver.held())

        try:
            return self._await(lambda: not left(), "nothing is left", _CLEAN_S)
        except InvariantError as error:
            raise InvariantError("nothing is left", f"{error}: {left()}") from None

    def _check_driver(self):
        """Check its error log and counters; return the values for the result."""
        value = self._driver.value
        if errors := self._driver.errors():
            raise InvariantError("the error log is empty", "\n".join(map(str, errors)))
        expected = {
            "errors": (SystemCounter.SYSTEM_ERRORS, 0, 0),
            "invalid packets": (SystemCounter.SYSTEM_INVALID_PACKETS, 0, 0),
            "client timeouts": (
                SystemCounter.SYSTEM_CLIENT_TIMEOUTS,
                self._kill_count,
                self._kill_count + self._timed_out_count,
            ),
        }
        for name, (counter, least, most) in expected.items():
            if not least <= value(counter) <= most:
                raise InvariantError(
                    "the driver's counters are right",
                    f"{name}: expected {least} to {most}, found {value(counter)}",
                )
        return {
            "client timeouts": value(SystemCounter.SYSTEM_CLIENT_TIMEOUTS),
            "NAKs": value(SystemCounter.SYSTEM_NAKS_SENT),
            "retransmits": value(SystemCounter.SYSTEM_RETRANSMITS_SENT),
            "filled gaps": value(SystemCounter.SYSTEM_LOSS_GAP_FILLS),
            "unblocked publications": value(SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS),
        }

    def _stop_driver(self, shared):
        code = self._driver.stop()
        reported = self._driver.process.stderr
        left = sorted(str(each.relative_to(shared)) for each in shared.rglob("*"))
        if code != 0 or left:
            raise InvariantError("the driver ends", f"code {code}, left {left}\n{reported[-4000:]}")

    def _end_everything(self):
        for client in self._clients:
            if client.peer is not None:
                client.peer.close()
        if self._driver is not None:
            self._driver.close()


def _pick(items, rng):
    """Return the item at a place from 0 to 1."""
    return items[min(int(rng * len(items)), len(items) - 1)]


def default_report(seed):
    """Return the default folder of a report."""
    return ROOT / "build" / "mixed" / f"report-{seed}"
