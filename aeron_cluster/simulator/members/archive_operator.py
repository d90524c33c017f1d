"""An operator that asks archives what they record: a machine with a driver and a client."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.codecs.archive import (
    CloseSessionRequest,
    ConnectRequest,
    ControlResponse,
    ControlResponseCode,
    ListRecordingSubscriptionsRequest,
    RecordingSubscriptionDescriptor,
)
from aeron_cluster.simulator.members.client_parts import ClientParts
from aeron_cluster.simulator.members.layouts import ProcessPlan
from aeron_cluster.simulator.members.member_process import MemberProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.publication import Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.simulator.world.machine import Machine
    from aeron_cluster.simulator.world.process_host import ProcessHost

__all__ = ["ArchiveOperator", "RecordedStream"]

_CONTROL_STREAM_ID: Final = 10
_STREAM_ID: Final = 20  # of answers
_PORT: Final = 9501
_VERSION: Final = 1 << 16 | 12 << 8  # of the archive's protocol
_FRAGMENT_LIMIT: Final = 10
_MOST: Final = 1000
_CONNECT_ID: Final = 1
_LIST_ID: Final = 2
_SESSION_ID: Final = re.compile(r"session-id=(-?\d+)")


class RecordedStream(NamedTuple):
    """A subscription of an archive, for a recording."""

    stream_id: int
    channel: str

    @property
    def session_id(self) -> int | None:
        """The session to which its channel is limited; None if it is not."""
        found = _SESSION_ID.search(self.channel)
        return None if found is None else int(found[1])


class ArchiveOperator:
    """Asks archives for their recording subscriptions, one after the other.

    Created by `Cluster.add_archive_operator`.

    Parameters
    ----------
    cluster : ProcessHost
    machine : Machine

    Attributes
    ----------
    machine : Machine
    process : MemberProcess
    errors : list of Exception
        Of its process.
    """

    def __init__(self, cluster: ProcessHost, machine: Machine) -> None:
        self.machine = machine
        self.errors: list[Exception] = []
        self._channel = f"aeron:udp?endpoint={machine.name}:{_PORT}"
        plan = ProcessPlan("operator", partial(ClientParts, self.errors), needs_driver=False)
        self.process = MemberProcess(cluster, machine, plan)
        self._subscription: Subscription | None = None
        self._subscription_id = -1
        self._publication: Publication | None = None
        self._publication_id = -1
        self._session_id: int | None = None
        self._next: Callable[[], bytes] | None = None
        self._found: list[RecordedStream] = []
        self._is_complete = False

    def __repr__(self) -> str:
        return f"<ArchiveOperator {self.machine.name} {self.process.state.value}>"

    def start(self) -> None:
        """Start its process."""
        self.process.start()
        self._subscription_id = self._parts.aeron.async_add_subscription(self._channel, _STREAM_ID)

    def ask(self, endpoint: str) -> None:
        """Connect to an archive, and ask it; the answer to an earlier question is dropped.

        Parameters
        ----------
        endpoint : str
            Of its control channel, as ``host:port``.
        """
        self._leave()
        channel = f"aeron:udp?endpoint={endpoint}"
        self._publication_id = self._parts.aeron.async_add_publication(channel, _CONTROL_STREAM_ID)
        self._found, self._is_complete = [], False
        self._next = self._connect

    def poll(self) -> list[RecordedStream] | None:
        """Return the archive's recording subscriptions, or None until it has answered."""
        aeron = self._parts.aeron
        if self._subscription is None:
            self._subscription = aeron.get_subscription(self._subscription_id)
        if self._publication is None:
            self._publication = aeron.get_publication(self._publication_id)
        if self._subscription is None or self._publication is None:
            return None
        self._subscription.poll(self._on_answer, _FRAGMENT_LIMIT)
        if self._next is not None and self._publication.offer(self._next()):
            self._next = None
        return self._found if self._is_complete else None

    def close(self) -> None:
        """End its process in order. Calling it again does nothing."""
        if self.process.is_running:
            self._leave()
        self._subscription = None
        self.process.close()

    @property
    def _parts(self) -> ClientParts:
        part = self.process.part
        assert isinstance(part, ClientParts)
        return part

    def _leave(self) -> None:
        """End the session with an archive: it also ends with the publication."""
        publication, self._publication = self._publication, None
        if publication is None:
            self._parts.aeron.abandon(self._publication_id)
            return
        if self._session_id is not None:
            publication.offer(CloseSessionRequest.encode(control_session_id=self._session_id))
        publication.close()
        self._session_id = None

    def _connect(self) -> bytes:
        return ConnectRequest.encode(
            correlation_id=_CONNECT_ID,
            response_stream_id=_STREAM_ID,
            version=_VERSION,
            response_channel=self._channel,
        )

    def _list(self) -> bytes:
        assert self._session_id is not None
        return ListRecordingSubscriptionsRequest.encode(
            control_session_id=self._session_id,
            correlation_id=_LIST_ID,
            pseudo_index=0,
            subscription_count=_MOST,
            apply_stream_id=False,
            stream_id=0,
            channel="",
        )

    def _on_answer(self, message: MessageView, header: Header) -> None:
        del header
        data = bytes(message)
        template_id = int.from_bytes(data[2:4], "little")
        if template_id == RecordingSubscriptionDescriptor.template_id:
            each = RecordingSubscriptionDescriptor.decode(data)
            if each.control_session_id == self._session_id:
                self._found.append(RecordedStream(each.stream_id, each.stripped_channel))
        elif template_id == ControlResponse.template_id:
            answer = ControlResponse.decode(data)
            if answer.correlation_id == _CONNECT_ID and answer.code is ControlResponseCode.OK:
                self._session_id, self._next = answer.control_session_id, self._list
            elif answer.correlation_id == _LIST_ID:
                # As there are fewer than asked for.
                self._is_complete = answer.code is ControlResponseCode.SUBSCRIPTION_UNKNOWN
