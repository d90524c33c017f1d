from collections.abc import Callable
from typing import Protocol, Self, final

from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard, Effect
from aeron_cluster.cluster.service.service_calls import ServiceCalls
from aeron_cluster.codecs.cluster import (
    ClusterActionRequest,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionOpenEvent,
)
from aeron_cluster.memory.shared.mapped_file import MappedFile

class _Conductor(Protocol):
    def on_session_open(self, event: SessionOpenEvent) -> None: ...
    def on_session_close(self, event: SessionCloseEvent) -> None: ...
    def on_action(self, event: ClusterActionRequest) -> None: ...
    def on_new_leadership_term(self, event: NewLeadershipTermEvent) -> None: ...

@final
class OfflineLog:
    snapshot_publication: ExclusivePublication | None
    def __new__(cls, conductor: _Conductor, guard: DivergenceGuard, service_id: int) -> Self: ...
    @property
    def cluster(self) -> Cluster: ...
    @property
    def failure(self) -> BaseException | None: ...
    def set_service(self, calls: ServiceCalls) -> None: ...
    def set_observer(
        self, observer: Callable[[Effect, int, int, bytes | None], object]
    ) -> None: ...
    def feed(
        self,
        block: bytearray,
        position: int,
        until: int,
        *,
        initial_term_id: int,
        position_bits_to_shift: int,
    ) -> tuple[int, bool]: ...

def create_log(mapping: MappedFile, term_length: int, session_id: int = 1) -> None: ...
def log_length(term_length: int) -> int: ...
def end_log(mapping: MappedFile, position: int) -> None: ...
