"""The transport client: `Aeron`, publications, subscriptions, images, counters."""

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.context import ClientContext
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.image import Image
from aeron_cluster.client.not_sent import ADMIN_ACTION, BACK_PRESSURED, NOT_CONNECTED, NotSent
from aeron_cluster.client.publication import BufferClaim, ExclusivePublication, Publication
from aeron_cluster.client.publication_error_frame import PublicationErrorFrame
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = [
    "ADMIN_ACTION",
    "BACK_PRESSURED",
    "NOT_CONNECTED",
    "Action",
    "Aeron",
    "BufferClaim",
    "ClientContext",
    "ControlledFragmentAssembler",
    "Counter",
    "ExclusivePublication",
    "FragmentAssembler",
    "Header",
    "Image",
    "MessageView",
    "NotSent",
    "Publication",
    "PublicationErrorFrame",
    "Subscription",
]
