from aeron_cluster.client.aeron import Aeron as Aeron
from aeron_cluster.client.aeron_counters import (
    CounterTypeId as CounterTypeId,
)
from aeron_cluster.client.aeron_counters import (
    find_heartbeat as find_heartbeat,
)
from aeron_cluster.client.aeron_counters import (
    is_counter_active as is_counter_active,
)
from aeron_cluster.client.async_streams import (
    AsyncPublication as AsyncPublication,
)
from aeron_cluster.client.async_streams import (
    AsyncSubscription as AsyncSubscription,
)
from aeron_cluster.client.context import ClientContext as ClientContext
from aeron_cluster.client.counter import Counter as Counter
from aeron_cluster.client.credentials import Credentials as Credentials
from aeron_cluster.client.driver_directory import (
    is_driver_active as is_driver_active,
)
from aeron_cluster.client.driver_directory import (
    read_driver_errors as read_driver_errors,
)
from aeron_cluster.client.driver_directory import (
    request_driver_termination as request_driver_termination,
)
from aeron_cluster.client.fragment_handlers import (
    BlockHandler as BlockHandler,
)
from aeron_cluster.client.fragment_handlers import (
    ControlledFragmentHandler as ControlledFragmentHandler,
)
from aeron_cluster.client.fragment_handlers import (
    FragmentHandler as FragmentHandler,
)
from aeron_cluster.client.fragment_handlers import (
    RawBlockHandler as RawBlockHandler,
)
from aeron_cluster.client.handlers import (
    CounterHandler as CounterHandler,
)
from aeron_cluster.client.handlers import (
    ImageFilter as ImageFilter,
)
from aeron_cluster.client.handlers import (
    ImageHandler as ImageHandler,
)
from aeron_cluster.client.handlers import (
    PublicationErrorHandler as PublicationErrorHandler,
)
from aeron_cluster.client.handlers import (
    SubscriptionOptions as SubscriptionOptions,
)
from aeron_cluster.client.image import Image as Image
from aeron_cluster.client.not_sent import (
    ADMIN_ACTION as ADMIN_ACTION,
)
from aeron_cluster.client.not_sent import (
    BACK_PRESSURED as BACK_PRESSURED,
)
from aeron_cluster.client.not_sent import (
    NOT_CONNECTED as NOT_CONNECTED,
)
from aeron_cluster.client.not_sent import (
    NotSent as NotSent,
)
from aeron_cluster.client.publication import (
    BufferClaim as BufferClaim,
)
from aeron_cluster.client.publication import (
    ExclusivePublication as ExclusivePublication,
)
from aeron_cluster.client.publication import (
    Publication as Publication,
)
from aeron_cluster.client.publication_error_frame import (
    PublicationErrorFrame as PublicationErrorFrame,
)
from aeron_cluster.client.subscription import Subscription as Subscription
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler as ControlledFragmentAssembler,
)
from aeron_cluster.logbuffer.fragment_assembler import (
    FragmentAssembler as FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action as Action
from aeron_cluster.logbuffer.message_batch import MessageBatch as MessageBatch
from aeron_cluster.logbuffer.message_view import (
    Header as Header,
)
from aeron_cluster.logbuffer.message_view import (
    MessageView as MessageView,
)
from aeron_cluster.memory.shared.counters import (
    AtomicCounter as AtomicCounter,
)
from aeron_cluster.memory.shared.counters import (
    CountersReader as CountersReader,
)

__all__ = [
    "ADMIN_ACTION",
    "BACK_PRESSURED",
    "NOT_CONNECTED",
    "Action",
    "Aeron",
    "AsyncPublication",
    "AsyncSubscription",
    "AtomicCounter",
    "BlockHandler",
    "BufferClaim",
    "ClientContext",
    "ControlledFragmentAssembler",
    "ControlledFragmentHandler",
    "Counter",
    "CounterHandler",
    "CounterTypeId",
    "CountersReader",
    "Credentials",
    "ExclusivePublication",
    "FragmentAssembler",
    "FragmentHandler",
    "Header",
    "Image",
    "ImageFilter",
    "ImageHandler",
    "MessageBatch",
    "MessageView",
    "NotSent",
    "Publication",
    "PublicationErrorFrame",
    "PublicationErrorHandler",
    "RawBlockHandler",
    "Subscription",
    "SubscriptionOptions",
    "find_heartbeat",
    "is_counter_active",
    "is_driver_active",
    "read_driver_errors",
    "request_driver_termination",
]
