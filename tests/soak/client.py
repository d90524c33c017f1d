"""A soak's client in a separate process: it uses the reference service and writes its history.

``python -m tests.soak.client key=value...``: ``kind`` (``plain``, ``surviving``, ``asyncio`` or
``sink``), ``number``, ``seed``, ``endpoints`` (of ingress), ``host`` (of the client), ``dir`` (of
its driver), ``history`` (the file), ``intervalMs`` (between two requests, on average),
``maxWaiting`` (requests without an answer). It prints its progress on standard output, and ends
when it reads a line.
"""

import contextlib
import os
import selectors
import sys
import time
from pathlib import Path

from aeron_cluster.client import Aeron
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import SeededRandom
from tests.interop.our_services import emit
from tests.soak.histories import write_history
from tests.soak.load import UniqueLoad

MESSAGE_TIMEOUT_S = 5
_KEEP_ALIVE_NS = 1_000_000_000
_REPORT_INTERVAL_NS = 250_000_000
_RETRY_S = 0.1
_ANSWER_TIMEOUT_NS = 5_000_000_000


class Client:
    """Sends requests until asked to stop. Subclasses have a way to do so."""

    end_timeout_ns = 6_000_000_000
    """How long to wait for the last answers at the end."""
    answer_timeout_ns = _ANSWER_TIMEOUT_NS
    """After which a request without an answer counts as lost."""

    def __init__(self, given):
        self._given = given
        random = SeededRandom(int(given["seed"]) * 1000 + int(given["number"]))
        self.load = UniqueLoad(
            int(given["number"]),
            random,
            interval_ns=int(given["intervalMs"]) * 1_000_000,
            max_waiting=int(given["maxWaiting"]),
            answer_timeout_ns=self.answer_timeout_ns,
        )
        self._request = None
        self._last_answer_ns = -1
        self._report_at_ns = 0
        self._session_count = 0
        self._stop_at_ns = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    @contextlib.contextmanager
    def _driver(self):
        with MediaDriver.launch(aeron_dir=self._given["dir"], threading_mode="SHARED") as driver:
            yield driver

    @property
    def _options(self):
        """The options of a connection, besides the driver."""
        return {
            "ingress_channel": "aeron:udp",
            "ingress_endpoints": self._given["endpoints"],
            "egress_channel": f"aeron:udp?endpoint={self._given['host']}:0",
            "message_timeout_ns": MESSAGE_TIMEOUT_S * 1_000_000_000,
        }

    def _on_answer(self, body):
        # Read anew: the noted time is never before the real time of the answer.
        self._last_answer_ns = time.monotonic_ns()
        self.load.on_response(body, self._last_answer_ns)

    def _is_done(self):
        if self._stop_at_ns is None:
            return False
        is_late = time.monotonic_ns() > self._stop_at_ns + self.end_timeout_ns
        return is_late or not (self.load.waiting_count or self._request)

    def _report(self):
        now_ns = time.monotonic_ns()
        if now_ns < self._report_at_ns:
            return
        self._report_at_ns = now_ns + _REPORT_INTERVAL_NS
        emit(
            "progress",
            asked=len(self.load.operations),
            answered=self.load.answered_count,
            lastAnswerNs=self._last_answer_ns,
            sessions=self._session_count,
        )
        self._receive(0)

    def _receive(self, timeout_s):
        """Read the line that asks to stop; wait for it at most `timeout_s`."""
        if self._stop_at_ns is None and self._selector.select(timeout_s):
            os.read(sys.stdin.fileno(), 4096)
            self._stop_at_ns = time.monotonic_ns()

    def write(self):
        """Write the requests and their answers."""
        write_history(Path(self._given["history"]), self.load.operations)


class _Answers(EgressListener):
    def __init__(self, on_answer):
        self._on_answer = on_answer

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self._on_answer(bytes(message))


class PlainClient(Client):
    """Uses `AeronCluster`, and reconnects as often as necessary."""

    _keep_alive_at_ns = 0

    def run(self):
        """Run until asked to stop and the requests in flight are answered."""
        while not self._is_done():
            with contextlib.suppress(AeronClusterError), self._transport() as aeron:
                while not aeron.is_closed and not self._is_done():
                    try:
                        with self._connect(aeron) as session:
                            self._session_count += 1
                            emit(
                                "connected",
                                session=session.cluster_session_id,
                                leader=session.leader_member_id,
                            )
                            self._serve(session)
                    except AeronClusterError as error:
                        emit("lost", why=str(error))
                    self.load.on_lost(time.monotonic_ns())
                    self._request = None
                    self._report()
                    self._receive(_RETRY_S)
            self._receive(_RETRY_S)

    @contextlib.contextmanager
    def _transport(self):
        with self._driver() as driver, Aeron.connect(aeron_dir=driver.aeron_dir) as aeron:
            yield aeron

    def _connect(self, aeron):
        listener = _Answers(self._on_answer)
        return AeronCluster.connect(aeron=aeron, listener=listener, **self._options)

    def _serve(self, session):
        idle = IdleStrategy("backoff")
        while not self._is_done():
            # Read before the offer: the noted time is never after the real time of the request.
            now_ns = time.monotonic_ns()
            work = session.poll_egress()
            if now_ns >= self._keep_alive_at_ns and session.send_keep_alive():
                self._keep_alive_at_ns = now_ns + _KEEP_ALIVE_NS
            if self._request is None and self._stop_at_ns is None:
                self._request = self.load.next_request(now_ns)
            if self._request is not None and session.offer(self._request):
                self.load.on_sent(self._request, now_ns)
                self._request = None
                work += 1
            self._report()
            idle.idle(work)


def main():
    """Run one client."""
    from tests.soak.surviving import KINDS  # noqa: PLC0415 - its classes are derived from this one

    given = dict(each.split("=", 1) for each in sys.argv[1:])
    client = ({"plain": PlainClient} | KINDS)[given["kind"]](given)
    client.run()
    client.write()
    emit("CLOSED")


if __name__ == "__main__":
    main()
