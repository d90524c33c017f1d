"""A client that sends a request every second, and measures the latency of its answer."""

from __future__ import annotations

import logging
from collections import deque
from statistics import median
from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["Pinger"]

_S: Final = 1_000_000_000
_INTERVAL_NS: Final = _S
# For this long an answer is polled for without sleeping, so that sleeps do not add to its latency.
_SPIN_NS: Final = _S // 50
_KEPT: Final = 100


class Pinger(RequestListener, Closeable):
    """Sends a request every second, once the previous one was answered.

    Parameters
    ----------
    endpoints : str
    payload : bytes
    clock : Clock
    """

    def __init__(self, endpoints: str, payload: bytes, clock: Clock) -> None:
        self._payload = payload
        self._clock = clock
        self._latencies_ns: deque[int] = deque(maxlen=_KEPT)
        self._longest_ns = 0
        self._answer_count = 0
        self._rejection = ""
        self._failure = ""
        self._sent_ns: int | None = None
        self._next_ns = clock.nano_time()
        # Warnings of the client on standard error would garble the screen.
        logging.getLogger("aeron_cluster").addHandler(logging.NullHandler())
        self._client = SurvivingClient.start(endpoints, listener=self)

    def work(self) -> None:
        """Send the request if it is due, and poll for answers."""
        if self._failure:
            return
        began_ns = self._clock.nano_time()
        try:
            self._pass(began_ns)
            while self._sent_ns is not None and self._clock.nano_time() < self._sent_ns + _SPIN_NS:
                self._pass(began_ns)
        except AeronClusterError as error:
            self._failure = str(error)

    def _pass(self, now_ns: int) -> None:
        self._client.do_work()
        self._client.drive()
        if self._sent_ns is None and now_ns >= self._next_ns:  # also without a leader
            sent_ns = self._clock.nano_time()
            if self._client.send(self._payload):
                self._sent_ns = sent_ns
                self._next_ns = sent_ns + _INTERVAL_NS

    def on_answer(self, sequence: int, body: bytes) -> None:
        """Record the latency of an answer."""
        del sequence, body
        self._rejection = ""
        self._record()

    def on_failure(self, sequence: int, reason: str) -> None:
        """Record the latency of a failure."""
        del sequence
        self._rejection = f"failed: {reason}"
        self._record()

    def on_rejection(self, sequence: int, reason: str) -> None:
        """Record the latency of a rejection."""
        del sequence
        self._rejection = f"rejected: {reason}"
        self._record()

    def _record(self) -> None:
        if self._sent_ns is not None:
            latency_ns = self._clock.nano_time() - self._sent_ns
            self._latencies_ns.append(latency_ns)
            self._longest_ns = max(self._longest_ns, latency_ns)
            self._answer_count += 1
            self._sent_ns = None

    @property
    def summary(self) -> str:
        """The latencies so far, in one line."""
        if self._failure:
            return f"request: {self._failure}"
        waiting_ns = 0 if self._sent_ns is None else self._clock.nano_time() - self._sent_ns
        if not self._latencies_ns:
            return "request: no answer yet"
        times = (
            f"request: {format_ns(self._latencies_ns[-1])},"
            f" median {format_ns(median(self._latencies_ns))},"
            f" longest {format_ns(self._longest_ns)}, {self._answer_count:,} answered"
        )
        if waiting_ns > _SPIN_NS:
            times += f", waiting for {format_ns(waiting_ns)}"
        return f"{times}; {self._rejection}" if self._rejection else times

    def close(self) -> None:
        """End the session."""
        self._client.close()
