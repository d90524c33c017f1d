"""A client that sends orders and measures the latency of the answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.latency import LatencyHistogram
from aeron_cluster.cli.order_book import (
    ACK,
    BUY,
    FILL,
    MESSAGE,
    NEW_ORDER,
    SELL,
    STATE,
    STATE_MESSAGE,
    BookState,
    OrderBook,
)
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.errors import MessageError, StateError, TimeoutExpiredError

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.cluster_client import AeronCluster
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["Measurement", "OrderClient", "Shadow", "difference", "order"]

_S: Final = 1_000_000_000
_ANSWER_TIMEOUT_NS: Final = 10 * _S
_MAX_WINDOW: Final = 1 << 16
_ORDERS_A_PASS: Final = 32
_FRAGMENT_LIMIT: Final = 96
_CHECKED_AT_ONCE: Final = 2_000

_MASK: Final = (1 << 64) - 1
_MIDDLE_PRICE: Final = 10_000


def order(number: int) -> bytes:
    """Return the order with a number; the number is also its correlation id.

    Side, price and quantity are pseudorandom functions of the number, so sent orders need not be
    stored. Most orders find a match, so that few rest.
    """
    mixed = number * 0x9E3779B97F4A7C15 & _MASK
    mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9 & _MASK
    better = (mixed >> 40) % 10 - 2  # relative to the mid price, in favour of the counterparty
    quantity = 1 + (mixed >> 20) % 100
    if mixed >> 63:
        return MESSAGE.pack(NEW_ORDER, BUY, 0, quantity, number, 0, _MIDDLE_PRICE + better)
    return MESSAGE.pack(NEW_ORDER, SELL, 0, quantity, number, 0, _MIDDLE_PRICE - better)


@dataclass
class Measurement:
    """The number of answered orders, and their latencies.

    Parameters
    ----------
    name : str
        The displayed name.
    window : int
        The highest number of unanswered orders.
    """

    name: str
    window: int
    latencies: LatencyHistogram = field(default_factory=LatencyHistogram)
    duration_ns: int = 0

    @property
    def rate(self) -> float:
        """Orders a second."""
        return self.latencies.count * _S / self.duration_ns if self.duration_ns else 0.0


class OrderClient(EgressListener):
    """Sends orders numbered 1, 2, 3... and checks every answer.

    Parameters
    ----------
    clock : Clock
    drive : callable
        Called in each pass, to run a driver that has no thread.

    Attributes
    ----------
    cluster : AeronCluster or None
        The open session; this client is its listener.
    sent, acknowledged : int
        The numbers of the last sent and the last acknowledged order: orders are acknowledged in
        order.
    fill_count : int
        The number of received fills.
    """

    def __init__(self, clock: Clock, drive: Callable[[], object]) -> None:
        self.cluster: AeronCluster | None = None
        self.sent = 0
        self.acknowledged = 0
        self.fill_count = 0
        self._clock = clock
        self._drive = drive
        self._sent_ns = [0] * _MAX_WINDOW
        self._latencies = LatencyHistogram()
        self._states: list[BookState] = []

    # ---- the cluster's messages ----

    def on_message(
        self,
        timestamp: int,  # noqa: ARG002 - the book's replies carry no time
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        """Handle a reply of the service."""
        kind = message[0]
        if kind == ACK:
            _, _, _, _, number, order_id, _ = MESSAGE.unpack(message)
            expected = self.acknowledged + 1
            if number != expected or order_id != expected:
                raise MessageError(
                    "order matching.ACK", f"order {expected}", f"{number} with id {order_id}"
                )
            self.acknowledged = expected
            sent_ns = self._sent_ns[expected % _MAX_WINDOW]
            self._latencies.record(self._clock.nano_time() - sent_ns)
        elif kind == FILL:
            self.fill_count += 1
        elif kind == STATE:
            self._states.append(BookState(*STATE_MESSAGE.unpack(message)[5:]))
        else:
            raise MessageError("order matching", "no rejection", bytes(message).hex())

    # ---- the duty cycle ----

    def pass_once(self, window: int) -> int:
        """Receive, and send as many orders as the window allows.

        Returns
        -------
        int
            The work count.

        Raises
        ------
        ClosedError
            The session is over.
        MessageError
            An answer is not the expected one.
        """
        cluster = self._session()
        done = cluster.poll_egress(_FRAGMENT_LIMIT)
        room = min(window - (self.sent - self.acknowledged), _ORDERS_A_PASS)
        while room > 0:
            number = self.sent + 1
            message = order(number)
            self._sent_ns[number % _MAX_WINDOW] = self._clock.nano_time()
            if not cluster.offer(message):
                break
            self.sent = number
            room -= 1
            done += 1
        self._drive()
        return done

    def measure(self, measurement: Measurement, duration_ns: int) -> None:
        """Keep the window of a measurement full for a duration, then wait for all answers.

        Raises
        ------
        TimeoutExpiredError
            No answer for 10 s.
        """
        self._latencies = measurement.latencies
        began_ns = self._clock.nano_time()
        self._keep_full(measurement.window, began_ns + duration_ns)
        self._until(lambda: self.acknowledged == self.sent, f"order {self.sent}")
        measurement.duration_ns += self._clock.nano_time() - began_ns

    def run(self, window: int, duration_ns: int) -> None:
        """Keep a window full for a duration without measuring; do not wait for the last answers.

        Raises
        ------
        TimeoutExpiredError
            No answer for 10 s.
        """
        self._latencies = LatencyHistogram()
        self._keep_full(window, self._clock.nano_time() + duration_ns)

    def _keep_full(self, window: int, end_ns: int) -> None:
        answered, answered_ns = self.acknowledged, self._clock.nano_time()
        while (now_ns := self._clock.nano_time()) < end_ns:
            if not self.pass_once(window):
                os.sched_yield()
            if self.acknowledged != answered:
                answered, answered_ns = self.acknowledged, now_ns
            elif now_ns - answered_ns > _ANSWER_TIMEOUT_NS:
                raise TimeoutExpiredError(f"order {answered + 1}: no answer in time")

    def state(self) -> BookState:
        """Request the state of the service's book.

        Raises
        ------
        TimeoutExpiredError
            No answer in 10 s.
        """
        self._states.clear()
        request = MESSAGE.pack(STATE, 0, 0, 0, 0, 0, 0)
        cluster = self._session()
        self._until(lambda: bool(cluster.offer(request)), "the request for the state")
        self._until(lambda: bool(self._states), "the request for the state")
        return self._states[-1]

    def resume_after(self, number: int) -> None:
        """Continue after an order, in a new session of a cluster that has applied it.

        Orders that were sent but did not arrive are resent.
        """
        self.sent = self.acknowledged = number

    def _session(self) -> AeronCluster:
        if self.cluster is None:
            raise StateError("orders: expected an open session, found none")
        return self.cluster

    def _until(self, is_met: Callable[[], bool], what: str) -> None:
        deadline_ns = self._clock.nano_time() + _ANSWER_TIMEOUT_NS
        while not is_met():
            if not self.pass_once(0):
                os.sched_yield()
            if self._clock.nano_time() > deadline_ns:
                raise TimeoutExpiredError(f"{what}: no answer in time")


class Shadow:
    """The client's own book, to which the same orders are applied.

    Parameters
    ----------
    drive : callable
        Called repeatedly, to keep the session alive.
    """

    def __init__(self, drive: Callable[[], object]) -> None:
        self._book = OrderBook()
        self._drive = drive

    def follow(self, session_id: int, number: int) -> None:
        """Apply the next orders up to a number, as orders of a session."""
        for each in range(self._book.last_order_id + 1, number + 1):
            self._book.apply(session_id, order(each), _no_reply)
            if each % _CHECKED_AT_ONCE == 0:
                self._drive()

    @property
    def state(self) -> BookState:
        """The state of the book."""
        return self._book.state


def _no_reply(_session_id: int, _message: bytes) -> None:
    pass


def difference(
    found: BookState, shadow: Shadow, client: OrderClient, session_id: int
) -> str | None:
    """Compare the state of a service with a client's.

    Parameters
    ----------
    found : BookState
        The service's message.
    shadow : Shadow
        The client's book; it is advanced to the service's last order.
    client : OrderClient
        The client that sent the orders; it has the last sent and the last acknowledged number.
    session_id : int
        The session of the orders.

    Returns
    -------
    str or None
        The problem: an acknowledged order is missing, an order was never sent, or the state is not
        the result of these orders. None if there is no problem.
    """
    if not client.acknowledged <= found.last_order_id <= client.sent:
        return (
            f"expected the {client.acknowledged:,} acknowledged orders, and none beyond the"
            f" {client.sent:,} that were sent; found {found.last_order_id:,}"
        )
    shadow.follow(session_id, found.last_order_id)
    expected = shadow.state
    return None if found == expected else f"expected {expected}, found {found}"
