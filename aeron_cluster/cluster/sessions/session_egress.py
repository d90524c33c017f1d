"""The driver resources of a client session: a publication to its client, and a counter.

Upstream: the response publication and the counter of ClusterSession.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.module_counters import (
    SESSION_TYPE,
    session_counter_key,
    session_counter_label,
)
from aeron_cluster.errors import (
    ConfigurationError,
    DriverTimeoutError,
    MessageError,
    OperationError,
    RegistrationError,
)
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.system.closeable import close_reporting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.publication import Publication

__all__ = ["SessionEgress"]

_SEND_ATTEMPTS: Final = 3


class SessionEgress:
    """A session's publication and counter, from their request on; never blocks.

    Parameters
    ----------
    aeron : Aeron
        The module's own client.
    channel : str
    stream_id : int
        The response channel and stream of the client.
    cluster_id, cluster_session_id : int
    info : str
        For the counter's label: the client's name and its source.
    report : callable
        Called with an error of `close`.

    Attributes
    ----------
    failure : Exception or None
        The reason why it can never reach the client.
    """

    def __init__(
        self,
        aeron: Aeron,
        channel: str,
        stream_id: int,
        *,
        cluster_id: int,
        cluster_session_id: int,
        info: str,
        report: Callable[[Exception], object],
    ) -> None:
        self._report = report
        self.failure: Exception | None = None
        self._aeron = aeron
        self._channel = channel
        self._stream_id = stream_id
        self._cluster_id = cluster_id
        self._cluster_session_id = cluster_session_id
        self._publication: Publication | None = None
        self._counter: Counter | None = None
        self._publication_id: int | None = None
        self._counter_id: int | None = None
        self._add(info)

    def _add(self, info: str) -> None:
        label = session_counter_label(self._cluster_id, info)
        key = session_counter_key(self._cluster_id, self._cluster_session_id)
        try:
            self._publication_id = self._aeron.async_add_publication(self._channel, self._stream_id)
            self._counter_id = self._aeron.async_add_counter(SESSION_TYPE, label, key)
        except (ConfigurationError, MessageError, OperationError, UnicodeError) as error:
            # The channel comes from the client, and may be invalid.
            self.failure = error

    def __repr__(self) -> str:
        state = "connected" if self.is_connected else "not connected"
        return f"<SessionEgress {self._channel} stream={self._stream_id} {state}>"

    @property
    def is_known(self) -> bool:
        """Whether the driver has added the publication."""
        return self._publication is not None

    @property
    def is_settled(self) -> bool:
        """Whether the driver has nothing more to answer."""
        return self._counter_id is None and (self.is_known or self.failure is not None)

    @property
    def is_connected(self) -> bool:
        """Whether the client is connected."""
        return self._publication is not None and self._publication.is_connected

    @property
    def has_window(self) -> bool:
        """Whether the client's receive window has space."""
        return self._publication is not None and self._publication.available_window > 0

    def poll(self) -> bool:
        """Check whether the driver has answered; return whether the client is connected.

        Notes
        -----
        A rejection by the driver becomes the `failure`, except for a temporary lack of resources.
        """
        try:
            if self.failure is None and self._publication is None:
                self._poll_publication()
            if self._publication is not None and self._counter_id is not None:
                self._poll_counter()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this session's
            self.failure = error
        return self.failure is None and self.is_connected

    def _poll_publication(self) -> None:
        assert self._publication_id is not None
        try:
            self._publication = self._aeron.get_publication(self._publication_id)
        except RegistrationError as error:
            if error.code == ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE:
                self._publication_id = self._aeron.async_add_publication(
                    self._channel, self._stream_id
                )
            else:
                self._publication_id = None
                self.failure = error
        except (DriverTimeoutError, OSError) as error:
            self._publication_id = None
            self.failure = error

    def _poll_counter(self) -> None:
        assert self._counter_id is not None
        assert self._publication is not None
        try:
            counter = self._aeron.get_counter(self._counter_id)
        except (RegistrationError, DriverTimeoutError):
            self._counter_id = None  # a session also works without a counter
            return
        if counter is not None:
            self._counter = counter
            self._counter_id = None
            counter.set_reference_id(self._publication.registration_id)
            counter.set(self._cluster_session_id)

    def send(self, message: bytes) -> bool:
        """Offer a message up to three times; return False if it must be retried later.

        Notes
        -----
        An exception of the publication, such as for a message that is too long, becomes the
        `failure`.
        """
        if self._publication is None or self.failure is not None:
            return False
        try:
            return any(self._publication.offer(message) for _ in range(_SEND_ATTEMPTS))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this session's
            self.failure = error
            return False

    def close(self) -> None:
        """Close both; pending ones are closed when the driver has added them."""
        parts = (self._publication, self._publication_id), (self._counter, self._counter_id)
        self._publication = self._counter = None
        self._publication_id = self._counter_id = None
        for added, registration_id in parts:
            if added is not None:
                close_reporting(added.close, self._report)
            elif registration_id is not None:
                close_reporting(partial(self._aeron.abandon, registration_id), self._report)
