from collections.abc import Callable
from typing import Self

from typing_extensions import disjoint_base

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.clustered_service import ClusteredService, LeadershipTerm, Role
from aeron_cluster.codecs.cluster import CloseReason

@disjoint_base
class ServiceCalls:
    def __new__(
        cls,
        cluster: Cluster,
        on_failure: Callable[[Exception, str, int | None], object],
        *_: object,
    ) -> Self: ...

@disjoint_base
class PythonCalls(ServiceCalls):
    def __init__(
        self,
        cluster: Cluster,
        on_failure: Callable[[Exception, str, int | None], object],
        service: ClusteredService,
    ) -> None: ...
    def on_start(self, image: Image | None) -> None: ...
    def on_session_open(self, session: ClientSession) -> None: ...
    def on_session_close(self, session: ClientSession, reason: CloseReason | int) -> None: ...
    def on_take_snapshot(self, publication: ExclusivePublication) -> None: ...
    def on_role_change(self, role: Role) -> None: ...
    def on_new_leadership_term_event(self, term: LeadershipTerm) -> None: ...
    def on_terminate(self) -> None: ...
    def close(self) -> None: ...
