"""Our side of the benchmarks, with the arguments and the output of the Java programs.

Usage: ``python -m benchmarks.ratio.peer PingPong|Throughput|ClusterClient|Archive|Bare
key=value...`` with the keys of the Java programs: ``role transport embedded dir threading idle wait
size count warmup runs rates seconds times host port params timeoutMs kind warmupSeconds limit
portBase endpoints window openWindow archiveDir archiveThreading``. ``Bare``, which has no Java
program, is ``PingPong`` on the bare machine.
"""

import contextlib
import json
import signal
import socket
import sys
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.agent import Agent, AgentInvoker
from aeron_cluster.memory.system.affinity import name_thread
from benchmarks.ratio.bare import Exchange
from benchmarks.ratio.cluster_client import EchoSession
from benchmarks.ratio.streams import Side

PING_STREAM, PONG_STREAM, THROUGHPUT_STREAM = 1101, 1102, 1201
Arguments = dict[str, str]


def emit(**event: object) -> None:
    """Print an event as a line of JSON."""
    print(json.dumps(event), flush=True)


def percentiles(times: "array[int]") -> dict[str, float]:
    """Return the percentiles of a run's round trips, in ns."""
    ordered = sorted(times)
    at = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
    found = {name: ordered[min(len(ordered) - 1, int(len(ordered) * q))] for name, q in at.items()}
    return {"min": ordered[0], "mean": sum(ordered) / len(ordered), **found, "max": ordered[-1]}


def round_trips(
    arguments: Arguments, bench: str, measured: Callable[[int, int], "array[int]"], warmup: int
) -> None:
    """Run each rate the given number of times, after one warm-up round, and print the results.

    Parameters
    ----------
    arguments : dict
        The program's arguments. At rate 0, one message at a time, ``count`` messages are sent,
        otherwise those of ``seconds``. With ``times`` each round trip is written to a file of that
        name, the rate and the run.
    bench : str
        The name of the measurement.
    measured : callable
        Takes a count and a rate; returns the round trips in ns.
    warmup : int
        The number of warm-up messages of each rate, unless ``warmup`` is given.
    """
    rates = [int(rate) for rate in arguments.get("rates", "0").split(",")]
    seconds = float(arguments.get("seconds", "1"))
    for run in range(-1, int(arguments.get("runs", "3"))):
        for rate in rates:
            count = int(rate * seconds) if rate else int(arguments.get("count", "1000000"))
            if run < 0:
                before = int(arguments.get("warmup", str(warmup)))
                if before > 0:
                    measured(min(before, count) if rate else before, rate)
                continue
            began = time.monotonic_ns()
            times = measured(count, rate)
            elapsed_s = (time.monotonic_ns() - began) / 1e9
            if "times" in arguments:
                Path(f"{arguments['times']}-{rate}-{run}").write_bytes(times.tobytes())
            emit(
                event="result",
                bench=bench,
                impl="ours",
                run=run,
                rate=rate,
                seconds=elapsed_s,
                msgsPerSec=count / elapsed_s,
                rttNs=percentiles(times),
            )


class Rig:
    """A client, on the driver in ``dir`` or on an embedded one, and its sides."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.timeout_ns = int(arguments.get("timeoutMs", "10000")) * 1_000_000
        self.sides: list[Side] = []
        # The other agents of the polling thread; none if the driver has its own threads.
        self.agents: tuple[Agent, ...] = ()
        self._invokers: tuple[AgentInvoker, ...] = ()
        with contextlib.ExitStack() as stack:
            self.aeron = stack.enter_context(self._connect(stack))
            self._resources = stack.pop_all()

    def _connect(self, stack: contextlib.ExitStack) -> Aeron:
        if self.arguments.get("embedded", "false") != "true":
            return Aeron.connect(aeron_dir=self.arguments["dir"])
        mode: Any = self.arguments.get("threading", "SHARED")
        driver = stack.enter_context(
            MediaDriver.launch(
                aeron_dir=self.arguments["dir"],
                threading_mode=mode,
                shared_idle_strategy=self.arguments.get("idle", "backoff"),
            )
        )
        if mode != "INVOKER":
            return Aeron.connect(aeron_dir=driver.aeron_dir)
        driver.invoker.start()
        aeron = Aeron.connect(
            aeron_dir=driver.aeron_dir,
            use_conductor_invoker=True,
            driver_invoker=driver.invoker.invoke,
        )
        self._invokers = (driver.invoker, aeron.conductor_agent_invoker)
        self.agents = (*driver.agents, aeron.conductor_agent)
        return aeron

    def invoke(self) -> None:
        """Run one pass of the agents without a thread."""
        for invoker in self._invokers:
            invoker.invoke()

    def _drive(self) -> None:
        """Run the agents without a thread during a wait."""
        self.invoke()
        time.sleep(0 if self._invokers else 0.001)

    def channel(self, port_offset: int = 0) -> str:
        """Return the channel of the arguments."""
        params = self.arguments.get("params", "")
        if self.arguments.get("transport", "ipc") == "ipc":
            return "aeron:ipc" + (f"?{params}" if params else "")
        host = self.arguments.get("host", "localhost")
        port = int(self.arguments.get("port", "24100")) + port_offset
        return f"aeron:udp?endpoint={host}:{port}" + (f"|{params}" if params else "")

    def side(
        self,
        publication: ExclusivePublication | None,
        subscription: Subscription | None,
        wait: str = "spin",
    ) -> Side:
        """Open one end."""
        size = int(self.arguments.get("size", "32"))
        side = Side(publication, subscription, size, self.arguments.get("wait", wait), self.agents)
        self.sides.append(side)
        return side

    def await_true(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic_ns() + self.timeout_ns
        while not condition():
            if time.monotonic_ns() > deadline:
                raise TimeoutError(f"expected {what} within {self.timeout_ns / 1e9:.0f} s")
            self._drive()

    def close(self) -> None:
        """Close the sides, then the client and its driver."""
        for side in reversed(self.sides):
            side.close()
        self._resources.close()


def in_thread(loop: Callable[[], object], name: str) -> threading.Thread:
    """Run one side's loop on another thread, with a name for the system."""

    def run() -> None:
        name_thread(name)
        loop()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def ping_pong(rig: Rig) -> None:
    """Run the equivalent of Java's ``PingPong``."""
    arguments = rig.arguments
    role = arguments.get("role", "both")
    ping, pong = rig.channel(), rig.channel(1)
    aeron = rig.aeron
    if role in ("both", "pong"):
        subscription = aeron.add_subscription(ping, PING_STREAM)
        echo = rig.side(aeron.add_exclusive_publication(pong, PONG_STREAM), subscription)
        if role == "pong":
            emit(event="READY", role="pong")
            signal.signal(signal.SIGTERM, lambda *_: echo.stop())
            thread = in_thread(echo.pong, "pong")
            while thread.is_alive():  # in steps, so that a signal is handled
                thread.join(0.1)
            return
        in_thread(echo.pong, "pong")
    subscription = aeron.add_subscription(pong, PONG_STREAM)
    publication = aeron.add_exclusive_publication(ping, PING_STREAM)
    rig.await_true(lambda: publication.is_connected and subscription.is_connected, "a connection")
    side = rig.side(publication, subscription)
    name_thread("ping")
    emit(event="READY", role="ping")

    def measured(count: int, rate: int) -> "array[int]":
        if rate == 0:
            return side.ping(count, rig.timeout_ns)
        return side.ping_at_rate(count, rate, rig.timeout_ns)

    round_trips(arguments, "pingpong", measured, 200_000)
    for each in rig.sides:
        each.stop()


def bare(arguments: Arguments) -> None:
    """Run ``PingPong`` without Aeron: over a cache line, or over two UDP sockets."""
    with contextlib.ExitStack() as stack:
        exchange = Exchange()
        if arguments.get("transport", "ipc") != "ipc":
            ends = [
                stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                for _ in range(2)
            ]
            for each in ends:
                each.bind(("127.0.0.1", 0))
            for one, other in (ends, reversed(ends)):
                one.connect(other.getsockname())
            size = int(arguments.get("size", "32"))
            exchange = Exchange(ends[0].fileno(), ends[1].fileno(), size)
        timeout_ns = int(arguments.get("timeoutMs", "10000")) * 1_000_000
        thread = in_thread(exchange.pong, "pong")
        name_thread("ping")
        emit(event="READY", role="ping")
        try:
            round_trips(
                arguments,
                "bare",
                lambda count, rate: exchange.ping(count, rate, timeout_ns),
                200_000,
            )
        finally:
            exchange.stop()
            thread.join()


def throughput(rig: Rig) -> None:
    """Run the equivalent of Java's ``Throughput`` with an exclusive publication, in one process."""
    arguments = rig.arguments
    claiming = arguments.get("kind", "exclusive") == "exclusive-claim"
    channel = rig.channel()
    subscription = rig.aeron.add_subscription(channel, THROUGHPUT_STREAM)
    publication = rig.aeron.add_exclusive_publication(channel, THROUGHPUT_STREAM)
    rig.await_true(lambda: publication.is_connected and subscription.is_connected, "a connection")
    sender, receiver = rig.side(publication, None, "yield"), rig.side(None, subscription)
    thread = in_thread(lambda: sender.publish(claiming), "publisher")
    limit = int(arguments.get("limit", "256"))
    receiver.receive(int(float(arguments.get("warmupSeconds", "3")) * 1e9), limit)
    for run in range(int(arguments.get("runs", "3"))):
        duration_ns = int(float(arguments.get("seconds", "5")) * 1e9)
        count, seconds, out_of_order = receiver.receive(duration_ns, limit)
        emit(
            event="result",
            bench="throughput",
            impl="ours",
            run=run,
            msgsPerSec=count / seconds,
            outOfOrder=out_of_order,
        )
    sender.stop()
    thread.join()


def cluster_client(rig: Rig) -> None:
    """Run the equivalent of Java's ``ClusterClient`` with echoes; with ``runs=0``, one echo and
    its time.
    """
    arguments = rig.arguments
    runs = int(arguments.get("runs", "1"))
    alone = f"0=localhost:{int(arguments.get('portBase', '21000')) + 1}"
    emit(event="READY", role="client")
    with AeronCluster.connect(
        aeron=rig.aeron,
        agent_invoker=rig.invoke,
        ingress_channel="aeron:udp",
        ingress_endpoints=arguments.get("endpoints", alone),
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=rig.timeout_ns,
    ) as cluster:
        ingress = cluster.ingress_publication
        assert isinstance(ingress, ExclusivePublication)
        session = EchoSession(
            ingress,
            cluster.egress_subscription,
            cluster.leadership_term_id,
            cluster.cluster_session_id,
            int(arguments.get("size", "32")),
            arguments.get("wait", "spin"),
            rig.agents,
        )
        try:
            session.echo(1, 1, rig.timeout_ns)
            emit(event="firstEcho", t=time.time() * 1000)
            if runs:
                name_thread("client")
                window = int(arguments.get("window", "1"))
                open_window = int(arguments.get("openWindow", str(window)))

                def measured(count: int, rate: int) -> "array[int]":
                    allowed = open_window if rate else window
                    return session.echo(count, allowed, rig.timeout_ns, rate)

                round_trips(arguments, "cluster", measured, 20_000)
        finally:
            session.close()


def archive(arguments: Arguments) -> None:
    """Run the equivalent of Java's ``Archive``, until SIGTERM."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    mode: Any = arguments.get("threading", "SHARED")
    archive_mode: Any = arguments.get("archiveThreading", "SHARED")
    idle = arguments.get("idle", "backoff")
    both = ArchivingMediaDriver.launch(
        driver={
            "aeron_dir": arguments["dir"],
            "threading_mode": mode,
            "shared_idle_strategy": idle,
            "conductor_idle_strategy": idle,
            "sender_idle_strategy": idle,
            "receiver_idle_strategy": idle,
            "term_buffer_sparse_file": arguments.get("sparse") == "true",
        },
        archive={
            "archive_dir": arguments["archiveDir"],
            "control_channel": f"aeron:udp?endpoint=localhost:{arguments.get('port', '25010')}",
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            "threading_mode": archive_mode,
            "idle_strategy": idle,
        },
        idle_strategy=idle if mode == "INVOKER" else None,
    )
    with both:
        emit(event="READY", dir=arguments["dir"], archiveDir=arguments["archiveDir"])
        stop.wait()


RIGS = {"PingPong": ping_pong, "Throughput": throughput, "ClusterClient": cluster_client}
PROGRAMS = {"Archive": archive, "Bare": bare}


def main(given: list[str]) -> int:
    """Run one program."""
    known = RIGS.keys() | PROGRAMS.keys()
    if not given or given[0] not in known or not all("=" in each for each in given[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    arguments = dict(each.split("=", 1) for each in given[1:])
    if given[0] in PROGRAMS:
        PROGRAMS[given[0]](arguments)
        return 0
    rig = Rig(arguments)
    try:
        RIGS[given[0]](rig)
    finally:
        for side in rig.sides:
            side.stop()
        rig.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
