"""The conductor's common part of IPC and network publications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from aeron_cluster.driver.clients.stream_params import InitialPosition
from aeron_cluster.driver.control.managed_stream import ManagedStream
from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.streams.ipc_publication import IpcPublication
from aeron_cluster.driver.streams.stream_state import StreamState

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import PublicationParams, UntetheredTimeouts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import DriverLog
    from aeron_cluster.driver.streams.system_counters import SystemCounters

__all__ = ["IPC_CHANNEL", "ManagedPublication"]

IPC_CHANNEL = "aeron:ipc"

_D = TypeVar("_D", IpcPublication, NetworkPublication)


class ManagedPublication(ManagedStream, Generic[_D]):
    """The conductor's half of a publication; subclasses implement the steps of its life cycle.

    Parameters
    ----------
    data : IpcPublication or NetworkPublication
        The other half, run by stream tracking and possibly the sender.
    log : DriverLog
    counter_ids : tuple of int
        The counters that are freed with the publication.
    """

    def __init__(
        self,
        counters: DriverCounters,
        clients: ClientProxy,
        system_counters: SystemCounters,
        data: _D,
        log: DriverLog,
        params: PublicationParams,
        untethered: UntetheredTimeouts,
        *,
        channel: str,
        status_counter_id: int,
        limit_counter_id: int,
        counter_ids: tuple[int, ...],
        is_exclusive: bool,
    ) -> None:
        super().__init__(
            counters,
            clients,
            image_id=data.registration_id,
            session_id=data.session_id,
            stream_id=data.stream_id,
            channel=channel,
            log_path=log.path,
            source_identity=IPC_CHANNEL,
            untethered=untethered,
        )
        self.data: _D = data
        self.log = log
        self.params = params
        self.limit_counter_id = limit_counter_id
        self.status_counter_id = status_counter_id
        self.is_exclusive = is_exclusive
        self.reference_count = 0
        self._counter_ids = counter_ids
        self._system_counters = system_counters

    @property
    def registration_id(self) -> int:
        """The id of the command that created it."""
        return self.image_id

    @property
    def initial_position(self) -> InitialPosition:
        """The position at which it started."""
        settings = self.log.raw.settings
        return InitialPosition(settings.initial_term_id, settings.term_id, settings.term_offset)

    @property
    def is_active(self) -> bool:
        """Whether a client publishes on it."""
        return self.data.state == StreamState.STREAM_ACTIVE

    @property
    def is_done(self) -> bool:
        """Whether it is no longer needed, except, for a network publication, by the sender."""
        return self.data.state == StreamState.STREAM_DONE

    def release(self) -> None:
        """Remove one reference; the last one ends the stream at its position."""
        self.reference_count -= 1
        if self.reference_count == 0 and self.is_active and not self.data.is_revoked:
            self._end_here()
            self._enter_draining()

    def _end_here(self) -> None:
        producer_position = self.data.producer_position
        self.data.set_publisher_limit(producer_position)
        self.data.set_end_position(producer_position)

    def _enter_draining(self) -> None:
        self.data.state = StreamState.STREAM_DRAINING

    def close(self) -> None:
        """Free everything except its log's file; only after the sender, if any, has released it."""
        self.unlink_all()
        self.data.close()
        for counter_id in self._counter_ids:
            self._counters.free(counter_id)
