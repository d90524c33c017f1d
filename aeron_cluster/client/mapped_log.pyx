"""The log of a stream that a client has mapped.

The part that is the same in ``io.aeron.Image`` and ``io.aeron.Publication``.
"""
from aeron_cluster.logbuffer.log_buffers cimport check_log, log_buffers_init


cdef class MappedLog:
    """What images and publications have in common: the log and what never changes in it."""

    cdef int _map(self, MappedFile mapping) except -1:
        check_log(
            log_buffers_init(&self.log, mapping.address, mapping.length), mapping.address,
            mapping.length, mapping.path)
        self.mapping = mapping
        return 0

    @property
    def session_id(self):
        """The session id: distinguishes this publisher's stream from others of the channel."""
        return self.log.session_id

    @property
    def stream_id(self):
        """The stream id within the channel."""
        return self.log.stream_id

    @property
    def initial_term_id(self):
        """The term id with which the stream began."""
        return self.log.initial_term_id

    @property
    def term_buffer_length(self):
        """The length of one of its three terms, in bytes."""
        return self.log.term_length

    @property
    def position_bits_to_shift(self):
        """log2 of the term length."""
        return self.log.position_bits_to_shift

    @property
    def mtu_length(self):
        """The longest frame with its header, in bytes."""
        return self.log.mtu_length
