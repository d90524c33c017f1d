"""Deliver the egress messages of one session.

``io.aeron.cluster.client.EgressAdapter``, and the same for a controlled poll.
"""

from aeron_cluster.codecs.cluster_codecs cimport (
    SCHEMA_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    session_message_header_cluster_session_id,
    session_message_header_timestamp,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.fragment_assembler cimport (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.frames cimport FLAG_UNFRAGMENTED
from aeron_cluster.logbuffer.message_view cimport Header, MessageView
from aeron_cluster.logbuffer.payload cimport payload, release_payload, acquire_payload

from aeron_cluster.logbuffer.image_poller import Action


cdef object CONTINUE = Action.CONTINUE
cdef object COMMIT = Action.COMMIT


cdef class EgressAdapter:
    """A fragment handler for egress: passes a session's messages and events to callables.

    Parameters
    ----------
    on_message : callable
        ``on_message(timestamp, message, header)`` for the service's messages; `timestamp` is in the
        cluster's time unit, `message` is the payload in place.
    on_event : callable
        ``on_event(bytes, header)`` for every other message of the cluster's schema.
    on_extension : callable, optional
        ``on_extension(message, header)`` for messages of another schema, with the result of
        `on_message`; by default they are skipped.
    is_controlled : bool
        Whether it is used by ``controlled_poll``, so that `on_message` returns an ``Action``.
    cluster_session_id : int
        Messages of other sessions are skipped.
    """

    def __init__(
            self, on_message, on_event, *, on_extension=None, bint is_controlled=False,
            cluster_session_id=-1):
        self.on_message = on_message
        self.on_event = on_event
        self.on_extension = on_extension
        self.cluster_session_id = cluster_session_id
        kind = ControlledFragmentAssembler if is_controlled else FragmentAssembler
        self.assembler = kind(self._whole)

    def __call__(self, MessageView message not None, Header header not None):
        """Handle a fragment."""
        if header.frame.flags & FLAG_UNFRAGMENTED == FLAG_UNFRAGMENTED:
            return self._on_fragment(message, header)
        return self.assembler(message, header) or CONTINUE

    def _whole(self, MessageView message not None, Header header not None):
        return self._on_fragment(message, header)

    def forget_fragments(self):
        """Drop a partly received message, as when another leader takes over."""
        self.assembler = type(self.assembler)(self._whole)

    cdef object _on_fragment(self, MessageView message, Header header):
        cdef payload taken
        acquire_payload(&taken, message)  # safe even if another thread's callback ends meanwhile
        try:
            return self._dispatch(&taken, message, header)
        finally:
            release_payload(&taken)

    cdef object _dispatch(self, const payload *taken, MessageView message, Header header):
        cdef sbe_message wrapped
        cdef Py_ssize_t prefix
        if not sbe_wrap(&wrapped, taken.data, taken.length):
            return CONTINUE
        if wrapped.schema_id != SCHEMA_ID:
            return CONTINUE if self.on_extension is None else self.on_extension(message, header)
        if wrapped.template_id != SESSION_MESSAGE_HEADER_TEMPLATE_ID:
            self.on_event(bytes(message), header)
            return COMMIT
        if session_message_header_cluster_session_id(
                wrapped.body, wrapped.block_length, wrapped.version) != self.cluster_session_id:
            return CONTINUE
        timestamp = session_message_header_timestamp(
            wrapped.body, wrapped.block_length, wrapped.version)
        # The same view, restricted to the payload during the callback.
        prefix = wrapped.body + wrapped.block_length - taken.data
        message.data += prefix
        message.length -= prefix
        try:
            return self.on_message(timestamp, message, header)
        finally:
            if message.data != NULL:  # its own callback has not ended
                message.data -= prefix
            message.length += prefix
