"""``aeron-cluster demo``."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from aeron_cluster.cli.demo.display import Display
from aeron_cluster.cli.demo.order_client import Measurement, OrderClient, Shadow, difference
from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.invocation import command_line
from aeron_cluster.cli.options.durations import Seconds
from aeron_cluster.cli.options.nodes import threads_options
from aeron_cluster.cli.processes.data_directory import check_ownership
from aeron_cluster.cli.processes.node_process import NodeProcess
from aeron_cluster.cli.processes.port_claim import PortClaim, user_name
from aeron_cluster.cli.processes.small_memory import SMALL_DRIVER_OPTIONS, SMALL_LOG_CHANNEL
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, ConfigurationError, CorruptError, StateError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import SystemClock

__all__ = ["demo"]


_S: Final = 1_000_000_000
_POLL_INTERVAL_NS: Final = _S // 2
_CHECK_NS: Final = _S // 20
_START_TIMEOUT_NS: Final = 30 * _S
_MARK: Final = "aeron-cluster-demo"
_SERVICE: Final = "aeron_cluster.cli.order_matching:OrderMatching"
# For both drivers.
_DRIVER_OPTIONS: Final = {
    **SMALL_DRIVER_OPTIONS,
    # A session ends when its ingress times out; a pause of the machine must not cause that.
    "aeron.publication.connection.timeout": "30s",
}


@click.command()
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of the node's data, emptied first; by default a fixed temporary one.",
)
@click.option(
    "--seconds",
    default=2.0,
    show_default=True,
    type=Seconds(0.1, 3600),
    help="The duration of each of the two measurements, in seconds.",
)
@click.option(
    "--window",
    default=256,
    show_default=True,
    type=click.IntRange(2, 10_000),
    help="The number of unanswered orders when throughput is measured.",
)
@threads_options(idle="yield")
def demo(directory: Path | None, seconds: float, window: int, threads: str, idle: str) -> None:
    """Kill a cluster node under load, restart it, and check that nothing is lost.

    A node with an order matching service is started as a separate process. A client in this
    A node with an order matching service is started as a separate process. A client in this
    process, with its own media driver, sends it orders over UDP: first one at a time, to measure
    latency, then many, to measure throughput. Then the node is killed with SIGKILL under load and
    restarted. The client compares the state of the service with its own: every acknowledged order
    is in the book, exactly once, and the hash of the book is the one that these orders produce.

    Exit codes: 0 if that holds, 1 if it does not, 3 if the node could not be reached.

    \b
    Examples:
      aeron-cluster demo
      aeron-cluster demo --seconds 10 --window 1000 --threads each
    """  # noqa: D301 - \b is click's mark
    console = Console(highlight=False)
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler)
    place = directory or Path(tempfile.gettempdir()) / f"{_MARK}-{user_name()}"
    try:
        _claim(place)
        with contextlib.ExitStack() as stack:
            display = stack.enter_context(Display(console))
            shown = _Demonstration(stack, display, place, threads=threads, idle=idle)
            is_right = shown.run(round(seconds * _S), window)
    except KeyboardInterrupt:
        console.print("stopped; everything is closed")
        raise SystemExit(ExitCode.INTERRUPTED) from None
    except StateError as error:  # the node's process has ended
        fail(error, ExitCode.NOT_REACHABLE)
    except AeronClusterError as error:
        fail(error, directories={"--dir": str(place)})
    if not is_right:
        raise SystemExit(ExitCode.NO)


class _Demonstration:
    """The steps of the demo."""

    def __init__(
        self, stack: contextlib.ExitStack, display: Display, place: Path, threads: str, idle: str
    ) -> None:
        self._display = display
        self._place = place
        port_base = stack.enter_context(PortClaim(1)).port_base
        self._endpoint = local_member(0, base_port=port_base).ingress_endpoint
        node_driver = f"{default_aeron_dir()}-demo-{os.getpid()}"
        stack.callback(shutil.rmtree, node_driver, ignore_errors=True)  # in case restore was killed
        self._node_arguments = [
            *("--service", _SERVICE, "--dir", str(place), "--port-base", str(port_base)),
            *("--aeron-dir", node_driver),
            *("--threads", threads, "--idle", idle),
            *("-o", f"aeron.cluster.log.channel={SMALL_LOG_CHANNEL}"),
            *("-o", "aeron.dir.delete.on.shutdown=true"),
        ]
        for name, value in _DRIVER_OPTIONS.items():
            self._node_arguments += ["-o", f"{name}={value}"]
        self._node: NodeProcess | None = None
        self._next_node_check_ns = 0
        self._clock = SystemClock()
        driver = stack.enter_context(
            MediaDriver.launch(threading_mode="INVOKER", properties=_DRIVER_OPTIONS)
        )
        self._invoke_driver = stack.enter_context(driver.invoker).invoke
        self._aeron = stack.enter_context(
            Aeron.connect(
                aeron_dir=driver.aeron_dir,
                use_conductor_invoker=True,
                driver_invoker=self._invoke_driver,
            )
        )
        self._invoke_client = self._aeron.conductor_agent_invoker.invoke
        self._client = OrderClient(self._clock, self._drive)
        self._shadow = Shadow(self._drive)

    def run(self, duration_ns: int, window: int) -> bool:
        """Run all steps; return whether the state was correct both times."""
        write_line, client = self._display.write_line, self._client
        one = Measurement("one at a time", 1)
        many = Measurement(f"{window} at a time", window)
        again = Measurement("after the restart", window)
        with self._node_process() as node, self._session() as session_id:
            self._measure([one], duration_ns)
            self._measure([one, many], duration_ns)
            client.run(window, duration_ns // 4)
            self._node = None
            node.kill()
            # Answers sent before the kill still arrive; those after it are lost.
            client.run(window, _CHECK_NS)
            write_line(
                f"process {node.pid} was killed with SIGKILL: {client.acknowledged:,} orders"
                f" acknowledged, {client.sent - client.acknowledged:,} unanswered"
            )
        with self._node_process() as node, self._session() as next_session_id:
            if not self._is_correct(session_id):
                return False
            self._measure([one, many, again], duration_ns // 4)
            if not self._is_correct(next_session_id):
                return False
        write_line("")
        self._display.conclude([one, many, again], many)
        write_line("")
        self._print_places()
        return True

    # ---- the node ----

    @contextlib.contextmanager
    def _node_process(self) -> Iterator[NodeProcess]:
        """Run the node until the end of the block."""
        with NodeProcess(*self._node_arguments) as node:
            self._node = node
            self._display.write_line(f"node: process {node.pid}")
            try:
                yield node
            finally:
                self._node = None

    @contextlib.contextmanager
    def _session(self) -> Iterator[int]:
        """Open a session with the node as soon as it accepts one; yield the session's id."""
        began_ns = self._clock.nano_time()
        with AeronCluster.connect(
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0={self._endpoint}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=_START_TIMEOUT_NS,
            listener=self._client,
            aeron=self._aeron,
            agent_invoker=self._drive_only,
            idle_strategy=IdleStrategy("yield"),
        ) as cluster:
            self._client.cluster = cluster
            self._client.state()
            duration_ms = (self._clock.nano_time() - began_ns) / 1e6
            for line in self._node.lines() if self._node is not None else ():
                self._display.write_line(f"  {line}", "dim")
            self._display.write_line(f"  first answer to this process after {duration_ms:.0f} ms")
            yield cluster.cluster_session_id
            self._client.cluster = None

    def _drive(self) -> None:
        self._drive_only()
        self._invoke_client()

    def _drive_only(self) -> None:
        self._invoke_driver()
        now_ns = self._clock.nano_time()
        if now_ns >= self._next_node_check_ns:
            self._next_node_check_ns = now_ns + _CHECK_NS
            if self._node is not None:
                self._node.check()

    # ---- the orders ----

    def _measure(self, measurements: list[Measurement], duration_ns: int) -> None:
        """Continue the last measurement in parts; draw only between them, as drawing takes time."""
        while duration_ns > 0:
            part_ns = min(duration_ns, _POLL_INTERVAL_NS)
            self._client.measure(measurements[-1], part_ns)
            self._display.show(measurements)
            duration_ns -= part_ns

    def _is_correct(self, session_id: int) -> bool:
        """Compare the service's state with the orders of a session; continue after it."""
        client = self._client
        found = client.state()
        wrong = difference(found, self._shadow, client, session_id)
        if wrong is not None:
            self._display.write_line(f"WRONG: {wrong}", "bold red")
            return False
        unconfirmed = found.last_order_id - client.acknowledged
        self._display.write_line(
            f"  state: {found.last_order_id:,} orders, each of the {client.acknowledged:,}"
            f" acknowledged ones once, {unconfirmed:,} of the unanswered; {found.last_match_id:,}"
            f" trades, {found.order_count:,} orders at rest, hash {found.hash:016x}:"
            " as it must be",
            "green",
        )
        client.resume_after(found.last_order_id)
        return True

    def _print_places(self) -> None:
        write_line, place = self._display.write_line, self._place
        write_line(f"Data of the node: {place}")
        for name, what in (
            ("archive", "the log of all orders, recorded"),
            ("cluster", "which recordings are the log; the node's state"),
        ):
            length = sum(each.stat().st_blocks for each in (place / name).rglob("*")) * 512
            write_line(f"  {name}  {length / 1e6:8.1f} MB  {what}")
        again = command_line("node", "--service", _SERVICE, "--dir", str(place))
        write_line(f"Start it again:  {again}")


# ---- places ----


def _claim(place: Path) -> None:
    """Empty the directory, unless another program uses it.

    Raises
    ------
    ConfigurationError
        It contains other files, or is not writable.
    DirectoryInUseError
        Another demo uses it.
    """
    mark = place / _MARK
    check_ownership(place, mark, "a demo")
    cluster_dir = place / "cluster"
    if cluster_dir.is_dir():
        with contextlib.suppress(CorruptError):  # a node that was killed while it created its files
            ClusterDirectory(str(cluster_dir)).check_not_in_use()
    try:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700, parents=True)
        mark.write_text("These files belong to a demo; the next demo deletes them.\n")
    except OSError as error:
        raise ConfigurationError("--dir", "a writable directory", str(error)) from None
