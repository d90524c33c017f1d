"""Send a client's messages to the cluster under its session's header.

The sending half of ``AeronCluster``.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.client.publication cimport (
    BufferClaim,
    ExclusivePublication,
    LogPublication,
    Publication,
    exclusive_publication_offer_vectored,
    publication_offer_vectored,
)
from aeron_cluster.codecs.session_header cimport put_session_header
from aeron_cluster.logbuffer.payload cimport acquire_payload, payload, release_payload
from aeron_cluster.logbuffer.term_appender cimport byte_vector, claim_payload
from aeron_cluster.logbuffer.vectors cimport Vectors
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.errors import MessageError


cdef class SessionIngress:
    """The ingress of one session, in one leadership term.

    Parameters
    ----------
    publication : Publication or ExclusivePublication
        The publication to the leader.
    leadership_term_id, cluster_session_id : int
        The values of the header of each message.
    """

    def __init__(
            self, LogPublication publication not None, int64_t leadership_term_id,
            int64_t cluster_session_id):
        self.publication = publication
        self.is_exclusive = isinstance(publication, ExclusivePublication)
        self.leadership_term_id = leadership_term_id
        self.cluster_session_id = cluster_session_id
        put_session_header(self.header, leadership_term_id, cluster_session_id, 0)

    def offer(self, message):
        """Send a message with the session's header, in fragments if necessary.

        Parameters
        ----------
        message : bytes-like
            The payload.

        Returns
        -------
        int
            The position of the ingress stream after the message; a false `NotSent` if not sent.

        Raises
        ------
        ClosedError, MaxPositionExceededError, MessageError
            As ``Publication.offer`` does.
        """
        cdef LogPublication publication = self.publication
        cdef byte_vector vectors[2]
        cdef payload source
        cdef int64_t result
        acquire_payload(&source, message)
        try:
            if source.length > INT32_MAX - SESSION_HEADER_LENGTH:
                raise MessageError("message length", "below 2 GiB", source.length)
            vectors[1].data = source.data
            vectors[1].length = <int>source.length
            result = self._offer(publication, vectors, 2)
        finally:
            release_payload(&source)
        return publication._sent(result, source.length + SESSION_HEADER_LENGTH)

    def offer_vectored(self, parts):
        """Send one message that is gathered from several buffers; otherwise as `offer`.

        Parameters
        ----------
        parts : iterable of buffers
            The parts of the payload, in order.
        """
        cdef LogPublication publication = self.publication
        cdef Vectors vectors = Vectors(parts, 1)
        cdef int64_t result
        if vectors.length > INT32_MAX - SESSION_HEADER_LENGTH:
            raise MessageError("message length", "below 2 GiB", vectors.length)
        result = self._offer(publication, vectors.vectors, vectors.count)
        return publication._sent(result, vectors.length + SESSION_HEADER_LENGTH)

    cdef int64_t _offer(
            self, LogPublication publication, byte_vector *vectors, int32_t count) except? -1:
        """Offer a message under the header, which is put into the first vector."""
        cdef MappedFile mapping = publication.hold()
        cdef int64_t result
        vectors[0].data = self.header
        vectors[0].length = SESSION_HEADER_LENGTH
        with nogil:
            if self.is_exclusive:
                result = exclusive_publication_offer_vectored(
                    &(<ExclusivePublication>publication).c, vectors, count)
            else:
                result = publication_offer_vectored(
                    &(<Publication>publication).c, vectors, count)
        del mapping
        return result

    def try_claim(self, int length, BufferClaim claim not None):
        """Claim space for a message, to be written after :data:`SESSION_HEADER_LENGTH` bytes.

        Parameters
        ----------
        length : int
            The payload's length in bytes; with the header it must fit one frame.
        claim : BufferClaim
            Set to the claimed range, which begins with the session's header.

        Returns
        -------
        int
            As `offer`.
        """
        cdef uint8_t *at
        if not 0 <= length <= INT32_MAX - SESSION_HEADER_LENGTH:
            raise MessageError("message length", "from 0 to 2 GiB", length)
        result = self.publication.try_claim(length + SESSION_HEADER_LENGTH, claim)
        if result:
            at = claim_payload(&claim.c)
            memcpy(at, self.header, SESSION_HEADER_LENGTH)
        return result
