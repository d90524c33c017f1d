"""The transport client: `Aeron`, publications, subscriptions, images, counters."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "client.aeron": ("Aeron",),
        "client.async_streams": (
            "AsyncPublication",
            "AsyncSubscription",
        ),
        "client.context": ("ClientContext",),
        "client.counter": ("Counter",),
        "client.credentials": ("Credentials",),
        "client.fragment_handlers": (
            "BlockHandler",
            "ControlledFragmentHandler",
            "FragmentHandler",
            "RawBlockHandler",
        ),
        "client.handlers": (
            "CounterHandler",
            "ImageFilter",
            "ImageHandler",
            "PublicationErrorHandler",
            "SubscriptionOptions",
        ),
        "client.image": ("Image",),
        "client.not_sent": (
            "ADMIN_ACTION",
            "BACK_PRESSURED",
            "NOT_CONNECTED",
            "NotSent",
        ),
        "client.publication": (
            "BufferClaim",
            "ExclusivePublication",
            "Publication",
        ),
        "client.publication_error_frame": ("PublicationErrorFrame",),
        "client.subscription": ("Subscription",),
        "logbuffer.fragment_assembler": (
            "ControlledFragmentAssembler",
            "FragmentAssembler",
        ),
        "logbuffer.image_poller": ("Action",),
        "logbuffer.message_batch": ("MessageBatch",),
        "logbuffer.message_view": (
            "Header",
            "MessageView",
        ),
    },
)
