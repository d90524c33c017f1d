from typing import final

from aeron_cluster.driver.control.conductor import Conductor
from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.media.resolution_socket import ResolutionSocket
from aeron_cluster.driver.receive.receiver import Receiver
from aeron_cluster.driver.send.sender import Sender
from aeron_cluster.driver.streams.log_pages import PageAllocator
from aeron_cluster.memory.agents.agent import Agent
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer
from aeron_cluster.memory.system.seams import Clock

@final
class ConductorAgent(Agent):
    def __new__(
        cls,
        conductor: Conductor,
        clock: Clock,
        ring: ManyToOneRingBuffer,
        counters: CountersManager,
        sender: Sender,
        receiver: Receiver,
        allocator: PageAllocator,
        tracking: StreamTracking,
        names: ResolutionSocket | None,
        *,
        cycle_threshold_ns: int,
        timer_interval_ns: int,
    ) -> ConductorAgent: ...
