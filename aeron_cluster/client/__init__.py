"""The transport client: `Aeron`, publications, subscriptions, images, counters."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "client.aeron": ("Aeron",),
        "client.aeron_counters": (
            "CounterTypeId",
            "find_heartbeat",
            "is_counter_active",
        ),
        "client.async_streams": (
            "AsyncPublication",
            "AsyncSubscription",
        ),
        "client.context": ("ClientContext",),
        "client.counter": ("Counter",),
        "client.credentials": ("Credentials",),
        "client.driver_directory": (
            "is_driver_active",
            "read_driver_errors",
            "request_driver_termination",
        ),
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
        "memory.shared.counters": (
            "AtomicCounter",
            "CountersReader",
        ),
    },
)
