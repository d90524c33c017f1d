"""The clients of a soak whose requests are applied once: every one must be answered in the end."""

import asyncio
import time

from aeron_cluster.cluster_client.async_client import AsyncClusterClient
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.pipeline.sink.applied_rows import AppliedRows
from aeron_cluster.pipeline.sink.row_payloads import Chunk
from aeron_cluster.pipeline.sink.target import ClusterTarget
from tests.interop.our_services import emit
from tests.soak.client import Client

_NEVER_NS = 1 << 62
_PAUSE_S = 0.002
_LONGEST_CHUNK = 16
_ROWS_A_TASK = 400
_FIRST_ID = 1000  # of clients, apart from random ones


class _OnceClient(Client):
    end_timeout_ns = 120_000_000_000
    answer_timeout_ns = _NEVER_NS

    def _check_all_answered(self):
        if self.load.waiting_count:
            raise SystemExit(f"{self.load.waiting_count} requests without an answer in the end")


class _Listener(RequestListener):
    def __init__(self, on_answer):
        self._on_answer = on_answer

    def on_answer(self, _sequence, body):
        self._on_answer(body)

    def on_failure(self, sequence, reason):
        raise SystemExit(f"request {sequence} failed: {reason}")


class Surviving(_OnceClient):
    """Uses `SurvivingClient`."""

    def run(self):
        """Run until asked to stop and all requests are answered."""
        idle = IdleStrategy("backoff")
        with self._driver() as driver:
            options = self._options | {"aeron_dir": driver.aeron_dir}
            listener = _Listener(self._on_answer)
            with SurvivingClient.start(listener=listener, **options) as client:
                while not self._is_done():
                    work = client.do_work() + self._send(client)
                    self._session_count = client.session_count
                    self._report()
                    idle.idle(work)
        self._check_all_answered()

    def _send(self, client):
        now_ns = time.monotonic_ns()
        if self._request is None and self._stop_at_ns is None:
            self._request = self.load.next_request(now_ns)
        if self._request is None or not client.send(self._request):
            return 0
        self.load.on_sent(self._request, now_ns)
        self._request = None
        return 1


class Asyncio(_OnceClient):
    """Uses `AsyncClusterClient`, with a task for each request."""

    def run(self):
        """Run until asked to stop and all requests are answered."""
        asyncio.run(self._run())
        self._check_all_answered()

    async def _run(self):
        with self._driver() as driver:
            options = self._options | {"aeron_dir": driver.aeron_dir}
            one = await AsyncClusterClient.connect(connect_timeout_ns="120s", **options)
            never = asyncio.get_running_loop().create_future()
            async with one, asyncio.TaskGroup() as tasks:
                while not self._is_done():
                    now_ns = time.monotonic_ns()
                    if self._stop_at_ns is None:
                        request = self.load.next_request(now_ns)
                        if request is not None:
                            self.load.on_sent(request, now_ns)
                            tasks.create_task(self._await_answer(one, request))
                    self._session_count = one.client.session_count
                    self._report()
                    await asyncio.wait([never], timeout=_PAUSE_S)

    async def _await_answer(self, client, request):
        self._on_answer(await client.request(request))


class _KilledError(Exception):
    """The end of a task, as if its process had been killed."""


class _Rows(AppliedRows):
    """The sink's writer; the answers are read too, and a task ends in the middle now and then."""

    def __init__(self, sink, *arguments, **options):
        super().__init__(*arguments, **options)
        self._sink = sink

    def on_answer(self, sequence, body):
        super().on_answer(sequence, body)
        self._sink.on_row(sequence, body)

    def _pass(self, client, what):
        super()._pass(client, what)
        self._sink.on_pass(client.session_count)


class Sink(_OnceClient):
    """Uses the pipeline's sink: a partition that is written by one task after the other, each of
    which begins with the first row again.
    """

    def __init__(self, given):
        super().__init__(given)
        self._random = SeededRandom(int(given["seed"]) * 1000 + 500)
        self._rows = []
        self._answered = 0  # rows before are not sent again
        self._task_ends_at = 0
        self._earlier_sessions = 0
        self._sessions_of_task = 0

    def run(self):
        """Run until asked to stop and all rows are written."""
        attempt = 0
        with self._driver() as driver:
            target = ClusterTarget(
                ingress_endpoints=self._given["endpoints"],
                egress_channel=self._options["egress_channel"],
                aeron_dir=driver.aeron_dir,
            )
            while True:
                self._task_ends_at = len(self._rows) + 1 + self._random.below(2 * _ROWS_A_TASK)
                client_id = _FIRST_ID + int(self._given["number"])
                rows = _Rows(self, target, "soak", 0, attempt, client_id)
                try:
                    report = rows.write(self._chunks())
                    break
                except _KilledError:
                    emit("killed", attempt=attempt, rows=len(self._rows))
                except AeronClusterError as error:
                    emit("lost", why=str(error))
                attempt += 1
                # Whether they were applied is known to the next task only.
                self.load.on_lost(time.monotonic_ns())
                self._earlier_sessions += self._sessions_of_task
                self._sessions_of_task = 0
        known = report.applied_before + report.acknowledged
        emit("written", rows=report.rows, attempts=attempt + 1, before=report.applied_before)
        if report.rejected or report.rows != len(self._rows) or known != report.rows:
            raise SystemExit(f"{len(self._rows)} rows, but {report}")

    def _chunks(self):
        rows = self._rows
        idle = IdleStrategy("backoff")
        if rows:
            yield Chunk(0, [*rows])
        while self._stop_at_ns is None:
            first = len(rows)
            while len(rows) - first < _LONGEST_CHUNK:
                now_ns = time.monotonic_ns()
                request = self.load.next_request(now_ns)
                if request is None:
                    break
                self.load.on_sent(request, now_ns)
                rows.append(request)
            if len(rows) > first:
                yield Chunk(first, rows[first:])
                idle.reset()
            else:
                idle.idle(0)
            self._report()

    def on_row(self, sequence, body):
        """Note the answer to a row."""
        assert int.from_bytes(body[4:8], "little") == sequence - 1
        self._on_answer(body)

    def on_pass(self, session_count):
        """Report, and end the task in the middle of its rows."""
        self._sessions_of_task = session_count
        self._session_count = self._earlier_sessions + session_count
        self._report()
        if len(self._rows) >= self._task_ends_at and self._stop_at_ns is None:
            raise _KilledError


KINDS = {"surviving": Surviving, "asyncio": Asyncio, "sink": Sink}
