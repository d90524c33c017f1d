"""Deliver the egress messages of one session."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.logbuffer.fragment_assembler cimport FragmentAssembler
from aeron_cluster.logbuffer.message_view cimport Header, MessageView
from aeron_cluster.logbuffer.payload cimport payload


@cython.final
cdef class EgressAdapter:
    cdef public int64_t cluster_session_id
    cdef object on_message
    cdef object on_event
    cdef object on_extension
    cdef FragmentAssembler assembler

    cdef object _on_fragment(self, MessageView message, Header header)
    cdef object _dispatch(self, const payload *taken, MessageView message, Header header)
