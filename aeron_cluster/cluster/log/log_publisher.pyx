"""Append to the log of the cluster as its leader.

``io.aeron.cluster.LogPublisher``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication_offer,
    exclusive_publication_position,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_ACTION_REQUEST_BLOCK_LENGTH,
    NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH,
    SESSION_CLOSE_EVENT_BLOCK_LENGTH,
    TIMER_EVENT_BLOCK_LENGTH,
    cluster_action_request_begin,
    cluster_action_request_put_action,
    cluster_action_request_put_flags,
    cluster_action_request_put_leadership_term_id,
    cluster_action_request_put_log_position,
    cluster_action_request_put_timestamp,
    new_leadership_term_event_begin,
    new_leadership_term_event_put_app_version,
    new_leadership_term_event_put_leader_member_id,
    new_leadership_term_event_put_leadership_term_id,
    new_leadership_term_event_put_log_position,
    new_leadership_term_event_put_log_session_id,
    new_leadership_term_event_put_term_base_log_position,
    new_leadership_term_event_put_time_unit,
    new_leadership_term_event_put_timestamp,
    session_close_event_begin,
    session_close_event_put_close_reason,
    session_close_event_put_cluster_session_id,
    session_close_event_put_leadership_term_id,
    session_close_event_put_timestamp,
    timer_event_begin,
    timer_event_put_correlation_id,
    timer_event_put_leadership_term_id,
    timer_event_put_timestamp,
)
from aeron_cluster.codecs.sbe cimport MESSAGE_HEADER_LENGTH, sbe_writer
from aeron_cluster.logbuffer.frames cimport MAX_MESSAGE_LENGTH
from aeron_cluster.logbuffer.payload cimport payload as acquired_payload
from aeron_cluster.logbuffer.payload cimport release_payload, acquire_payload
from aeron_cluster.logbuffer.term_appender cimport (
    INVALID_ARGUMENT,
    MAX_POSITION_EXCEEDED,
    claim_commit,
    claim_payload,
)
from aeron_cluster.memory.system.invariants cimport check_violations

from aeron_cluster.codecs.cluster import SessionOpenEvent
from aeron_cluster.errors import (
    ClosedError,
    MaxPositionExceededError,
    MessageError,
    StateError,
)


cdef int64_t append_fragmented(
    log_publisher *log, int64_t cluster_session_id, int64_t timestamp, const uint8_t *payload,
    int32_t length
) noexcept nogil:
    cdef uint8_t[SESSION_HEADER_LENGTH] header
    cdef byte_vector[2] vectors
    cdef int64_t position = CLOSED
    put_session_header(header, log.leadership_term_id, cluster_session_id, timestamp)
    vectors[0].data = header
    vectors[0].length = SESSION_HEADER_LENGTH
    vectors[1].data = payload
    vectors[1].length = length
    for _ in range(APPEND_ATTEMPTS):
        position = exclusive_publication_offer_vectored(log.to, vectors, 2)
        if position != ADMIN_ACTION:
            break
    if position < ADMIN_ACTION:
        log.failure = position
    return position


cdef int raise_log_failure(log_publisher *log) except -1 with gil:
    cdef int64_t failure = log.failure
    log.failure = 0
    raise failure_of(failure)


cdef object failure_of(int64_t status):
    if status == MAX_POSITION_EXCEEDED:
        return MaxPositionExceededError("log: expected a position that its terms can reach")
    if status == INVALID_ARGUMENT:
        return MessageError("log message", "one that fits a term of the log", "a longer one")
    check_violations()
    return ClosedError("log: expected its publication to be open, found it closed")


@cython.final
cdef class LogPublisher:
    """Writes the log on the leader.

    Notes
    -----
    Runs on the thread of the consensus module. Each ``append`` returns the position after its
    message, or a negative status (``AppendStatus``) to be retried.
    """

    def __cinit__(self):
        self.c.leadership_term_id = -1

    def connect(self, ExclusivePublication publication not None):
        """Set the publication to append to.

        Raises
        ------
        ClosedError
            If it is closed.
        """
        self.mapping = publication.hold()
        self.publication_ = publication
        self.c.to = &publication.c
        self.c.failure = 0

    def disconnect(self):
        """Close the publication, and stop appending. Calling it again does nothing."""
        cdef ExclusivePublication publication = self.publication_
        self.c.to = NULL
        self.publication_ = None
        self.mapping = None
        if publication is not None:
            publication.close()

    @property
    def publication(self):
        """The publication that it appends to, or None."""
        return self.publication_

    @property
    def is_connected(self):
        """Whether it has a publication: `connect` was called since the last `disconnect`."""
        return self.publication_ is not None

    @property
    def position(self):
        """The position after the last appended message, in bytes of log; 0 while not connected."""
        cdef int64_t position
        if self.c.to == NULL:
            return 0
        position = exclusive_publication_position(self.c.to)
        if position < 0:
            raise failure_of(position)
        return position

    @property
    def session_id(self):
        """The session of the publication.

        Raises
        ------
        StateError
            It has no publication.
        """
        if self.publication_ is None:
            raise StateError("log: expected a publication, found none")
        return self.publication_.session_id

    @property
    def leadership_term_id(self):
        """The term id in each message; -1 before the first."""
        return self.c.leadership_term_id

    @leadership_term_id.setter
    def leadership_term_id(self, int64_t value):
        self.c.leadership_term_id = value

    cdef int64_t claim(self, int32_t length, buffer_claim *claim) except? -1:
        cdef int64_t position = CLOSED
        if self.c.to != NULL:
            for _ in range(APPEND_ATTEMPTS):
                position = exclusive_publication_try_claim(
                    self.c.to, length + MESSAGE_HEADER_LENGTH, claim)
                if position != ADMIN_ACTION:
                    break
        if position < ADMIN_ACTION:
            raise failure_of(position)
        return position

    def append_session_message(self, int64_t cluster_session_id, int64_t timestamp, message):
        """Append a message of a session, in fragments if necessary.

        Parameters
        ----------
        cluster_session_id : int
        timestamp : int
            In the cluster's time unit.
        message : bytes-like
            The content after the session's header.
        """
        cdef acquired_payload taken
        cdef int64_t position = INVALID_ARGUMENT
        acquire_payload(&taken, message)
        if taken.length <= MAX_MESSAGE_LENGTH:
            position = append_session_message(
                &self.c, cluster_session_id, timestamp, taken.data, <int32_t>taken.length)
        else:
            self.c.failure = INVALID_ARGUMENT
        release_payload(&taken)
        if self.c.failure != 0:
            raise_log_failure(&self.c)
        return position

    def append_session_open(
            self, int64_t correlation_id, int64_t cluster_session_id, int64_t timestamp,
            int32_t response_stream_id, response_channel, encoded_principal):
        """Append a session open event.

        Parameters
        ----------
        correlation_id : int
            The correlation id of the client's last request.
        cluster_session_id : int
        timestamp : int
            In the cluster's time unit.
        response_stream_id : int
        response_channel : str
            The client's egress.
        encoded_principal : bytes
            The client's principal.
        """
        cdef bytes message = SessionOpenEvent.encode(
            leadership_term_id=self.c.leadership_term_id,
            correlation_id=correlation_id,
            cluster_session_id=cluster_session_id,
            timestamp=timestamp,
            response_stream_id=response_stream_id,
            response_channel=response_channel,
            encoded_principal=encoded_principal,
        )
        cdef int64_t position = CLOSED
        if self.c.to != NULL:
            for _ in range(APPEND_ATTEMPTS):
                position = exclusive_publication_offer(
                    self.c.to, <const uint8_t *>message, <int32_t>len(message))
                if position != ADMIN_ACTION:
                    break
        if position < ADMIN_ACTION:
            raise failure_of(position)
        return position

    def append_session_close(
            self, int64_t cluster_session_id, int64_t timestamp, int32_t close_reason):
        """Append a session close event.

        Parameters
        ----------
        cluster_session_id : int
        timestamp : int
            In the cluster's time unit.
        close_reason : CloseReason
        """
        cdef buffer_claim claim
        cdef sbe_writer writer
        cdef uint8_t *body
        cdef int64_t position = self.claim(SESSION_CLOSE_EVENT_BLOCK_LENGTH, &claim)
        if position > 0:
            writer = writer_of(&claim)
            body = session_close_event_begin(&writer)
            session_close_event_put_leadership_term_id(body, self.c.leadership_term_id)
            session_close_event_put_cluster_session_id(body, cluster_session_id)
            session_close_event_put_timestamp(body, timestamp)
            session_close_event_put_close_reason(body, close_reason)
            claim_commit(&claim)
        return position

    def append_timer(self, int64_t correlation_id, int64_t timestamp):
        """Append a timer event.

        Parameters
        ----------
        correlation_id : int
            The correlation id of the timer.
        timestamp : int
            In the cluster's time unit.
        """
        cdef buffer_claim claim
        cdef sbe_writer writer
        cdef uint8_t *body
        cdef int64_t position = self.claim(TIMER_EVENT_BLOCK_LENGTH, &claim)
        if position > 0:
            writer = writer_of(&claim)
            body = timer_event_begin(&writer)
            timer_event_put_leadership_term_id(body, self.c.leadership_term_id)
            timer_event_put_correlation_id(body, correlation_id)
            timer_event_put_timestamp(body, timestamp)
            claim_commit(&claim)
        return position

    def append_cluster_action(self, int64_t timestamp, int32_t action, int32_t flags=0):
        """Append an action that every member executes at the position after it.

        Parameters
        ----------
        timestamp : int
            In the cluster's time unit.
        action : ClusterAction
        flags : int
        """
        cdef buffer_claim claim
        cdef sbe_writer writer
        cdef uint8_t *body
        cdef int64_t position = self.claim(CLUSTER_ACTION_REQUEST_BLOCK_LENGTH, &claim)
        if position > 0:
            writer = writer_of(&claim)
            body = cluster_action_request_begin(&writer)
            cluster_action_request_put_leadership_term_id(body, self.c.leadership_term_id)
            cluster_action_request_put_log_position(body, position)
            cluster_action_request_put_timestamp(body, timestamp)
            cluster_action_request_put_action(body, action)
            cluster_action_request_put_flags(body, flags)
            claim_commit(&claim)
        return position

    def append_new_leadership_term(
            self, int64_t timestamp, int64_t term_base_log_position, int32_t leader_member_id,
            int32_t log_session_id, int32_t time_unit, int32_t app_version):
        """Append a new leadership term event, the first message of its term.

        Parameters
        ----------
        timestamp : int
            In the cluster's time unit.
        term_base_log_position : int
            The base position of the term.
        leader_member_id : int
        log_session_id : int
            The session id of the publication.
        time_unit : ClusterTimeUnit
        app_version : int
            The services' semantic version.
        """
        cdef buffer_claim claim
        cdef sbe_writer writer
        cdef uint8_t *body
        cdef int64_t position = self.claim(NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH, &claim)
        if position > 0:
            writer = writer_of(&claim)
            body = new_leadership_term_event_begin(&writer)
            new_leadership_term_event_put_leadership_term_id(body, self.c.leadership_term_id)
            new_leadership_term_event_put_log_position(body, position)
            new_leadership_term_event_put_timestamp(body, timestamp)
            new_leadership_term_event_put_term_base_log_position(body, term_base_log_position)
            new_leadership_term_event_put_leader_member_id(body, leader_member_id)
            new_leadership_term_event_put_log_session_id(body, log_session_id)
            new_leadership_term_event_put_time_unit(body, time_unit)
            new_leadership_term_event_put_app_version(body, app_version)
            claim_commit(&claim)
        return position


cdef sbe_writer writer_of(const buffer_claim *claim) noexcept nogil:
    cdef sbe_writer writer
    writer.at = claim_payload(claim)
    writer.limit = writer.at + claim.length
    return writer
