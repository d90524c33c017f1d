from collections.abc import Callable
from typing import final

from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.service_calls import PythonCalls

@final
class BatchCalls(PythonCalls): ...

def calls_of(
    cluster: Cluster,
    on_failure: Callable[[Exception, str, int | None], object],
    service: ClusteredService,
) -> PythonCalls: ...
