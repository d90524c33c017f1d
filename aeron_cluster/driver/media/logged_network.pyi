from typing import Self, final

from aeron_cluster.events.event_log import EventSource
from aeron_cluster.memory.system.seams import Network

@final
class LoggedNetwork(Network):
    def __new__(cls, inner: Network, source: EventSource) -> Self: ...
