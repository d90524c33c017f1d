"""A client's session, for a service.

``io.aeron.cluster.service.ClientSession``, ``ContainerClientSession``.
"""
cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t

from aeron_cluster.client.publication cimport BufferClaim, Publication
from aeron_cluster.cluster.service.abi cimport INVALID, MOCKED_OFFER, NOT_CONNECTED, ROLE_LEADER
from aeron_cluster.cluster.service.host cimport (
    MAX_SCRATCH_LENGTH,
    claim_scratch,
    claim_to_session,
    cluster_host,
    note_egress_commit,
    offer_to_session,
    put_host_header,
)
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.gil_yield cimport LONG_LENGTH
from aeron_cluster.logbuffer.payload cimport payload, release_payload, acquire_payload
from aeron_cluster.logbuffer.term_appender cimport byte_vector, claim_payload
from aeron_cluster.logbuffer.vectors cimport Vectors
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.errors import (
    CallbackError,
    ClosedError,
    MaxPositionExceededError,
    MessageError,
    ServiceError,
    StateError,
)


cdef object NO_EGRESS = NotSent(NOT_CONNECTED)


cdef ClientSession new_session(
        cluster_host *host, object cluster, int64_t cluster_session_id,
        int32_t response_stream_id, bytes response_channel, bytes encoded_principal):
    cdef ClientSession session = ClientSession.__new__(ClientSession)
    session.cluster = cluster
    session.host = host
    session.channel = response_channel
    session.principal = encoded_principal
    session.c.object = <void *>session
    session.c.shown.id = cluster_session_id
    session.c.shown.response_stream_id = response_stream_id
    session.c.shown.response_channel = response_channel
    session.c.shown.response_channel_length = <int32_t>len(response_channel)
    session.c.shown.encoded_principal = encoded_principal
    session.c.shown.encoded_principal_length = <int32_t>len(encoded_principal)
    return session


@cython.final
cdef class ClientSession:
    """An open session, through which a service sends to its client.

    Created by the container; the same object in every callback, until the session is closed.

    Notes
    -----
    Only for the container's thread.
    """

    def __init__(self):
        raise TypeError("a ClientSession is only created by the container")

    @property
    def id(self):
        """The session id: unique in the lifetime of the cluster, ascending."""
        return self.c.shown.id

    @property
    def response_stream_id(self):
        """The stream of the client's egress."""
        return self.c.shown.response_stream_id

    @property
    def response_channel(self):
        """The channel of the client's egress."""
        return self.channel.decode()

    @property
    def encoded_principal(self):
        """The client's principal, as the authenticator set it; empty without one."""
        return self.principal

    @property
    def is_closing(self):
        """Whether this service requested to close it."""
        return bool(self.c.shown.is_closing)

    @property
    def is_connected(self):
        """Whether there is an egress to send to; only the leader has one."""
        return self.egress is not None and self.egress.is_connected

    def offer(self, message):
        """Send a message to the client, in fragments if necessary.

        Parameters
        ----------
        message : bytes-like
            The payload.

        Returns
        -------
        int
            The position of the egress after the message; 1 on a follower, where nothing is sent; a
            false `NotSent` if it was not sent.

        Raises
        ------
        CallbackError
            Called from a callback that may not send.
        MessageError
            The message is 2 GiB or longer.

        Notes
        -----
        Never blocks. Retry on `BACK_PRESSURED` and `ADMIN_ACTION`, with ``cluster.idle()`` between
        attempts; `NOT_CONNECTED` may remain until the session is closed. A message that the
        leader's egress can never send, because it is too long for the client's terms, counts as
        sent, as on other members, whose services would otherwise diverge; it is recorded in the
        error log, once per session.
        """
        cdef byte_vector vectors[2]
        cdef payload taken
        cdef int64_t result
        cdef Publication egress
        cdef MappedFile egress_log
        if self.host.callback != NULL:
            raise rejection(self.host.callback)
        acquire_payload(&taken, message)
        try:
            if taken.length > INT32_MAX - SESSION_HEADER_LENGTH:
                raise MessageError("message length", "below 2 GiB", taken.length)
            vectors[1].data = taken.data
            vectors[1].length = <size_t>taken.length
            if taken.length < LONG_LENGTH:
                result = offer_to_session(self.host, &self.c, vectors, 2)
            else:
                # Referenced during the copy, since `disconnect` may release them.
                egress, egress_log = self.egress, self.egress_log
                with nogil:
                    result = offer_to_session(self.host, &self.c, vectors, 2)
                del egress, egress_log
        finally:
            release_payload(&taken)
        if result > 0:
            return result
        return self._not_sent(result, taken.length)

    def offer_vectored(self, parts):
        """Send one message that is gathered from several buffers; otherwise as `offer`.

        Parameters
        ----------
        parts : iterable of buffers
            The parts of the payload, in order.
        """
        cdef Vectors vectors = Vectors(parts, 1)
        cdef Publication egress = self.egress
        cdef MappedFile egress_log = self.egress_log
        cdef int64_t result
        if self.host.callback != NULL:
            raise rejection(self.host.callback)
        if vectors.length > INT32_MAX - SESSION_HEADER_LENGTH:
            raise MessageError("message length", "below 2 GiB", vectors.length)
        with nogil:
            result = offer_to_session(self.host, &self.c, vectors.vectors, vectors.count)
        del egress, egress_log  # `disconnect` may have released them meanwhile
        if result > 0:
            return result
        return self._not_sent(result, vectors.length)

    def try_claim(self, int32_t length, BufferClaim claim not None):
        """Claim space for a message, to be written after `SESSION_HEADER_LENGTH` bytes.

        Parameters
        ----------
        length : int
            The payload's length in bytes; with the header it must fit one frame.
        claim : BufferClaim
            Set to the claimed range, which begins with the session's header. On a follower it is
            scratch memory.

        Returns
        -------
        int
            As `offer`.
        """
        cdef int64_t result
        cdef bint is_leader
        if self.host.callback != NULL:
            raise rejection(self.host.callback)
        if claim.mapping is not None:
            raise StateError("claim: expected it to be committed or aborted before it claims again")
        result = claim_to_session(self.host, &self.c, length, &claim.c)
        is_leader = self.host.table.role == ROLE_LEADER
        if result <= 0:
            if result == INVALID and not 0 <= length <= MAX_SCRATCH_LENGTH:
                raise MessageError("claim", f"at most {MAX_SCRATCH_LENGTH} bytes", length)
            rejected = self._not_sent(result, length)
            if not rejected:
                return rejected
            # Scratch memory, as on the other members.
            claim_scratch(self.host, length + SESSION_HEADER_LENGTH, &claim.c)
            put_host_header(self.host, claim_payload(&claim.c), self.c.shown.id)
            result, is_leader = MOCKED_OFFER, False
        if is_leader:
            claim.mapping = self.egress_log
        else:
            claim.mapping = MappedFile.__new__(MappedFile)
            claim.owner = self.cluster
        if self.host.guard != NULL:
            claim.observer = note_egress_commit
            claim.observer_context = <void *>self.host
            claim.owner = self.cluster
        return result

    cdef object _not_sent(self, int64_t result, Py_ssize_t length):
        # Other threads can run even if the caller retries immediately.
        with nogil:
            pass
        if self.egress is None:
            return NO_EGRESS
        try:
            return self.egress._sent(result, length + SESSION_HEADER_LENGTH)
        except ClosedError:
            return NO_EGRESS
        except (MaxPositionExceededError, MessageError) as error:
            # It concerns only the leader's egress: services of other members are not notified.
            self._report_failure(error, self.host.table.log_position)
            return MOCKED_OFFER

    cdef int report_unsendable(self) except -1:
        if self.c.unsendable_result == 0 or self.is_failure_reported:
            return 0
        error = f"a message of {self.c.unsendable_length} bytes"
        if self.egress is not None:
            try:
                self.egress._sent(
                    self.c.unsendable_result, self.c.unsendable_length + SESSION_HEADER_LENGTH)
            except (MaxPositionExceededError, MessageError) as rejected:
                error = rejected
        return self._report_failure(error, self.c.unsendable_log_position)

    cdef int _report_failure(self, object error, int64_t log_position) except -1:
        # Reported after the callback, which must not receive an exception of the error handler:
        # other members report nothing.
        if self.is_failure_reported:
            return 0
        self.is_failure_reported = True
        self.cluster.report(ServiceError(
            f"service {self.cluster.service_id}: session {self.c.shown.id} was not sent a message"
            f" that its egress, {self.response_channel}, never accepts: {error}",
            member_id=self.cluster.member_id,
            leadership_term_id=self.cluster.leadership_term_id,
            log_position=log_position,
            remedy="have the service send less at once, or the client give its egress longer terms"
            " (term-length of its egress channel)"))
        return 0

    def close(self):
        """Request the close of the session, as `Cluster.close_client_session`, if it is open.

        Returns
        -------
        bool
            Whether the close was requested.
        """
        if self.cluster.get_client_session(self.c.shown.id) is not self:
            return True
        return self.cluster.close_client_session(self.c.shown.id)

    def connect(self, Publication egress not None):
        """Set the publication to send to. Called by the container."""
        self.egress_log = egress.hold()
        self.egress = egress
        self.c.egress = &egress.c

    def disconnect(self):
        """Close the egress. Called by the container."""
        cdef Publication egress = self.egress
        self.c.egress = NULL
        self.egress = None
        self.egress_log = None
        if egress is not None:
            egress.close()

    def reset_closing(self):
        """Drop a close request that was sent to a former leader. Called by the container."""
        self.c.shown.is_closing = False

    def __repr__(self):
        state = " closing" if self.c.shown.is_closing else ""
        return (
            f"<ClientSession {self.c.shown.id} stream={self.c.shown.response_stream_id}"
            f" {self.response_channel}{state}>")


cdef object rejection(const char *callback):
    return CallbackError(
        "sending messages or scheduling timers", (<bytes>callback).decode("ascii"))
