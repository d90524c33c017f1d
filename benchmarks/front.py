"""What a user's first programs cost: the import, the asyncio client, and measured latencies.

``python -m benchmarks.front [import] [asyncio] [latency]``; all three by default. Each prints its
figure with its spread, and the goal.

- ``import``: how long ``import aeron_cluster`` takes in a new process.
- ``asyncio``: requests a second of ``AsyncClusterClient``, over those of ``SurvivingClient``, each
  from one thread, with a driver of its own, in turns on one node.
- ``latency``: what ``--latency`` adds to an echo. Two nodes in this process, one that measures, are
  driven by this thread in turns, a few hundred echoes each; the clients' parts included. The order
  in which they are made alternates, as that of the rounds does.
"""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from aeron_cluster import (
    Aeron,
    AeronCluster,
    AsyncClusterClient,
    ClusteredService,
    ClusterNode,
    Deduplication,
    EgressListener,
    NativeService,
    SurvivingClient,
    local_member,
)
from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.logbuffer.message_view import Header, MessageView
from benchmarks.build import ROOT
from benchmarks.native.build import build_service

IMPORT_GOAL_MS = 30.0
ASYNCIO_GOAL = 0.5
LATENCY_GOAL = 0.01
IMPORTS = 60
REQUESTS = 4_000
REQUEST_ROUNDS = 12
ECHOES = 200
ECHO_ROUNDS = 100
NODE_PAIRS = 6
PORT_BASE = 23_100
MESSAGE = bytes(32)
TIMEOUT_S = 60.0


class Answering(ClusteredService):
    """Answers each request with itself, once."""

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin without clients."""
        self.requests = Deduplication(cluster)
        if snapshot_image is not None:
            self.requests.load_all(snapshot_image)

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        """Answer."""
        self.requests.handle(session, timestamp, message, lambda request: request.payload)

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the clients."""
        self.requests.write_snapshot(snapshot_publication)


# ---- the import ----


def measure_import() -> str:
    """Time the import in new processes."""
    code = (
        "import time; began = time.perf_counter(); import aeron_cluster;"
        " print(time.perf_counter() - began)"
    )
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PYTHONPATH"] = str(ROOT)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    took = [
        float(
            subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                cwd="/",
                env=environment,
                capture_output=True,
                text=True,
            ).stdout
        )
        * 1e3
        for _ in range(IMPORTS + 1)
    ][1:]  # the first one may have compiled it
    return f"import aeron_cluster: {spread(took, 'ms')}, goal < {IMPORT_GOAL_MS:g} ms"


def spread(values: Sequence[float], unit: str) -> str:
    """Return the median and the range."""
    middle = statistics.median(values)
    return f"{middle:,.3g} {unit} [{min(values):,.3g}..{max(values):,.3g}]"


# ---- asyncio ----


@contextmanager
def node(folder: Path) -> Iterator[str]:
    """Run a node in a process; give its ingress endpoint."""
    command = [sys.executable, "-m", "aeron_cluster.cli", "node", "--idle", "yield"]
    command += ["--service", "benchmarks.front:Answering", "--dir", str(folder / "data")]
    command += ["--threads", "one", "--port-base", str(PORT_BASE)]
    command += ["--aeron-dir", f"/dev/shm/aeron-cluster-front-{os.getpid()}"]
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield f"localhost:{PORT_BASE + 1}"
    finally:
        running.terminate()
        running.wait(TIMEOUT_S)


def send_all(client: SurvivingClient, count: int) -> float:
    """Send requests as fast as the window allows; return the rate of answers."""
    began = time.perf_counter()
    sent = 0
    while sent < count or client.unanswered_count:
        while sent < count and client.send(MESSAGE):
            sent += 1
        client.do_work()
    return count / (time.perf_counter() - began)


async def request_all(client: AsyncClusterClient, count: int) -> float:
    """Do the same with awaited requests."""
    began = time.perf_counter()
    await asyncio.gather(*(client.request(MESSAGE) for _ in range(count)))
    return count / (time.perf_counter() - began)


def measure_asyncio() -> str:
    """Measure both clients in turns, each with its node's attention for itself."""
    plain: list[float] = []
    awaited: list[float] = []

    async def one(endpoint: str) -> float:
        async with await AsyncClusterClient.connect(endpoint) as client:
            await request_all(client, REQUESTS // 4)
            return await request_all(client, REQUESTS)

    def other(endpoint: str) -> float:
        with SurvivingClient.connect(endpoint) as client:
            send_all(client, REQUESTS // 4)
            return send_all(client, REQUESTS)

    with tempfile.TemporaryDirectory() as folder, node(Path(folder)) as endpoint:
        for number in range(REQUEST_ROUNDS):
            for is_awaited in (number % 2 == 0, number % 2 == 1):
                if is_awaited:
                    awaited.append(asyncio.run(one(endpoint)))
                else:
                    plain.append(other(endpoint))
    ratio = statistics.median(awaited) / statistics.median(plain)
    return (
        f"AsyncClusterClient: {spread(awaited, '/s')}, SurvivingClient: {spread(plain, '/s')},"
        f" ratio {ratio:.3f}, goal >= {ASYNCIO_GOAL:g}"
    )


# ---- latency ----


class _Answers(EgressListener):
    def __init__(self) -> None:
        self.count = 0

    def on_message(
        self,
        timestamp: int,  # noqa: ARG002
        message: MessageView,  # noqa: ARG002
        header: Header,  # noqa: ARG002
    ) -> None:
        self.count += 1


def echoing(
    stack: ExitStack, library: Path, place: Path, base: int, *, latency: bool
) -> Callable[[], float]:
    """Start a node that this thread drives; return what times a round of echoes, in us each."""
    service = stack.enter_context(NativeService.load(library, "echo_service"))
    running = stack.enter_context(
        ClusterNode.launch(
            service,
            directory=place,
            members=local_member(0, base_port=base),
            threads="none",
            latency=latency,
            # While the other node is driven, this one stands still.
            driver={"client_liveness_timeout_ns": "600s", "publication_unblock_timeout_ns": "700s"},
            consensus_module={"session_timeout_ns": "600s"},
        )
    )
    drive = running.invoker.invoke
    running.invoker.start()
    aeron = stack.enter_context(
        Aeron.connect(
            aeron_dir=running.driver.aeron_dir, use_conductor_invoker=True, driver_invoker=drive
        )
    )
    answers = _Answers()
    session = stack.enter_context(
        AeronCluster.connect(
            f"localhost:{base + 1}", aeron=aeron, agent_invoker=drive, listener=answers
        )
    )
    poll, offer = session.poll_egress, session.offer

    def round_of_echoes() -> float:
        began = time.perf_counter_ns()
        for _ in range(ECHOES):
            wanted = answers.count + 1
            while not offer(MESSAGE):
                drive()
            while answers.count < wanted:
                drive()
                poll()
        took = time.perf_counter_ns() - began
        session.send_keep_alive()
        return took / ECHOES / 1e3

    return round_of_echoes


def measure_latency() -> str:
    """Measure nodes with and without histograms in turns."""
    library = build_service("echo_service", ROOT / "build" / "native")
    rng = random.Random(1)
    costs: list[float] = []  # of each pair of nodes
    off_us: list[float] = []
    for pair in range(NODE_PAIRS):
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            rounds: dict[bool, Callable[[], float]] = {}
            for is_on in (pair % 2 == 0, pair % 2 == 1):
                base = PORT_BASE + 100 * (1 + is_on)
                place = Path(folder) / str(is_on)
                rounds[is_on] = echoing(stack, library, place, base, latency=is_on)
            for _ in range(5):
                rounds[True]()
                rounds[False]()
            found: dict[bool, list[float]] = {True: [], False: []}
            for _ in range(ECHO_ROUNDS):
                first = rng.choice((True, False))
                for is_on in (first, not first):
                    found[is_on].append(rounds[is_on]())
            ratios = [on / off for on, off in zip(found[True], found[False], strict=True)]
            costs.append(statistics.median(ratios) - 1)
            off_us += found[False]
    middle = statistics.mean(costs)
    # Student's factor for 95 % with five degrees of freedom.
    error = 2.571 * statistics.stdev(costs) / len(costs) ** 0.5
    return (
        f"latency histograms: {middle:+.2%} of an echo, 95 % of confidence"
        f" {middle - error:+.2%}..{middle + error:+.2%}, by pair of nodes"
        f" {' '.join(f'{each:+.2%}' for each in costs)}; echo without {spread(off_us, 'us')};"
        f" goal < {LATENCY_GOAL:.0%}"
    )


FIGURES = {"import": measure_import, "asyncio": measure_asyncio, "latency": measure_latency}


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", help=f"of {', '.join(FIGURES)}")
    for name in parser.parse_args().figures or FIGURES:
        print(FIGURES[name](), flush=True)


if __name__ == "__main__":
    main()
