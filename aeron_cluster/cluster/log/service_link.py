"""Messages between the consensus module and its services outside the log.

Upstream: ServiceProxy, ConsensusModuleAdapter's acknowledgements, and their queue. Services read
stream 104, the module reads 105. Acknowledgements of all kinds are numbered from 0, and each must
come from every service at the same log position. A join request uses a number even if the module
abandons it: services that joined that log acknowledge it late.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.client.waiting import await_publication, await_subscription
from aeron_cluster.codecs.cluster import (
    BooleanType,
    JoinLog,
    ServiceAck,
    ServiceTerminationPosition,
)
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import Waiting, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext

__all__ = ["ServiceLink"]


@dataclass(slots=True, eq=False)
class _Waiter:
    """A pending acknowledgement, or an abandoned join that keeps its turn."""

    is_given_up: bool = False


class ServiceLink:
    """The control streams, and the acknowledgements of the services.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    """

    def __init__(self, context: ConsensusModuleContext, aeron: Aeron) -> None:
        self._context = context
        self._aeron = aeron
        self._publication: Publication | None = None
        self.subscription: Subscription | None = None
        self._next_ack_id = 0
        self._waiters: deque[_Waiter] = deque()
        self._given_up_ids: set[int] = set()
        self._acks: tuple[deque[ServiceAck], ...] = tuple(
            deque() for _ in range(context.options.service_count)
        )

    def open(self) -> Waiting[None]:
        """Add both streams.

        The publication comes last: when the driver has answered that, the subscription has its
        images.
        """
        options = self._context.options
        self.subscription = yield from await_subscription(
            self._aeron, options.control_channel, options.consensus_module_stream_id
        )
        self._publication = yield from await_publication(
            self._aeron, options.control_channel, options.service_stream_id
        )

    def skip_earlier_messages(self) -> None:
        """Skip what containers have sent to an earlier process of the module.

        It is left in the driver's stream where another container has joined that since, or where a
        container was killed within a claim. Services offer it again as they replay the log: read
        as well, it would shift the numbers of what they offer, so that the log had it twice.
        """
        assert self.subscription is not None
        for image in self.subscription.images:
            image.skip_to_end()

    def close(self) -> None:
        """Close both streams."""
        if self._publication is not None:
            self._publication.close()
        if self.subscription is not None:
            self.subscription.close()

    # ---- acknowledgements ----

    def on_ack(self, ack: ServiceAck) -> None:
        """Record an acknowledgement.

        Raises
        ------
        ClusterError
            The service id is out of range, or two services have the same id.
        """
        if not 0 <= ack.service_id < len(self._acks):
            raise ClusterError(
                f"serviceId={ack.service_id} invalid for serviceCount={len(self._acks)}"
            )
        if ack.ack_id == 0 and (self._next_ack_id > 0 or self._acks[ack.service_id]):
            raise ClusterError(
                "initial ack already received from service: possible duplicate"
                f" serviceId={ack.service_id}, or it restarted"
            )
        self._acks[ack.service_id].append(ack)

    def has_acknowledged(self, service_id: int) -> bool:
        """Return whether a service has sent an acknowledgement that was not taken yet."""
        return bool(self._acks[service_id])

    def await_acks(self, log_position: int) -> Waiting[tuple[ServiceAck, ...]]:
        """Wait for the next acknowledgement of every service, after earlier waiters.

        Parameters
        ----------
        log_position : int
            The log position that each must have reached.

        Returns
        -------
        tuple of ServiceAck
            By service id.

        Raises
        ------
        ClusterError
            One is at another position, or its number is not the next.
        """
        waiter = _Waiter()
        self._waiters.append(waiter)
        try:
            return (yield from self._await(waiter, log_position))
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    def _await(self, waiter: _Waiter, log_position: int) -> Waiting[tuple[ServiceAck, ...]]:
        while not self._is_answered(waiter):
            yield
        self._waiters.popleft()
        # Each service acknowledges in order: no response to an earlier abandoned request can
        # follow.
        self._given_up_ids.clear()
        acks = tuple(queue.popleft() for queue in self._acks)
        ack_id, self._next_ack_id = self._next_ack_id, self._next_ack_id + 1
        for ack in acks:
            if (ack.ack_id, ack.log_position) != (ack_id, log_position):
                raise ClusterError(
                    f"service {ack.service_id}: acknowledgement out of sequence: expected"
                    f" {ack_id} at {log_position}, found {ack.ack_id} at {ack.log_position}"
                )
        return acks

    def _is_answered(self, waiter: _Waiter) -> bool:
        """Whether it is a waiter's turn, and every service has acknowledged."""
        while self._waiters[0].is_given_up:
            self._waiters.popleft()
            self._given_up_ids.add(self._next_ack_id)
            self._next_ack_id += 1
        if self._waiters[0] is not waiter:
            return False
        for queue in self._acks:
            while queue and queue[0].ack_id in self._given_up_ids:
                queue.popleft()
        return all(self._acks)

    # ---- what is sent to services ----

    def join_log(
        self,
        *,
        log_position: int,
        max_log_position: int,
        log_session_id: int,
        log_stream_id: int,
        log_channel: str,
        is_startup: bool,
        role: int,
        is_gone: Callable[[], bool],
    ) -> Waiting[None]:
        """Request the services to read a log from a position, and wait until all have joined.

        If the steps are closed or fail, services may still join the log later; the next request
        makes them leave it.

        Parameters
        ----------
        log_position : int
            The position at which it begins; each service must have reached it.
        max_log_position : int
            The position at which they leave it.
        log_session_id, log_stream_id, log_channel
            The channel and stream for the services' subscriptions.
        is_startup : bool
            Whether sessions stay unconnected although the role is leader.
        role : int
            The role of the member while they read it.
        is_gone : callable
            Whether the log ended, so that it can no longer be joined.

        Raises
        ------
        ClusterError
            It ended before all services had joined it.
        """
        yield from self._publish(
            JoinLog.encode(
                log_position=log_position,
                max_log_position=max_log_position,
                member_id=self._context.options.member_id,
                log_session_id=log_session_id,
                log_stream_id=log_stream_id,
                is_startup=BooleanType(is_startup),
                role=role,
                is_standby=BooleanType.FALSE,
                log_channel=log_channel,
            )
        )
        waiter = _Waiter()
        self._waiters.append(waiter)
        try:
            for work_count in self._await(waiter, log_position):
                if is_gone():
                    raise ClusterError(
                        f"the log of session {log_session_id} ended before the services joined it"
                        f" at {log_position}"
                    )
                yield work_count
        finally:
            waiter.is_given_up = True  # ignored if it was answered

    def terminate_at(self, log_position: int) -> Waiting[None]:
        """Request the services to end once they have read the log up to a position; -1: not."""
        yield from self._publish(ServiceTerminationPosition.encode(log_position=log_position))

    def try_terminate_now(self) -> bool:
        """Request the services to end at any position; return False if it could not be sent."""
        message = ServiceTerminationPosition.encode(log_position=0)
        return self._publication is not None and bool(self._publication.offer(message))

    def try_answer(self, message: bytes) -> bool:
        """Publish a reply to a tool; return False under back pressure."""
        assert self._publication is not None
        return bool(self._publication.offer(message))

    def _publish(self, message: bytes) -> Waiting[None]:
        publication = self._publication
        assert publication is not None
        if not self._acks:
            return  # no service is connected
        yield from until(lambda: publication.offer(message) or None)
