"""The commands that a client sends to its driver.

``io.aeron.DriverProxy``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from aeron_cluster.logbuffer.frames cimport MAX_ERROR_TEXT_LENGTH, align
from aeron_cluster.memory.shared.cnc_file cimport CncFile
from aeron_cluster.memory.shared.commands cimport (
    ADD_COUNTER,
    ADD_DESTINATION,
    ADD_EXCLUSIVE_PUBLICATION,
    ADD_PUBLICATION,
    ADD_RCV_DESTINATION,
    ADD_STATIC_COUNTER,
    ADD_SUBSCRIPTION,
    CLIENT_CLOSE,
    GET_NEXT_AVAILABLE_SESSION_ID,
    REJECT_IMAGE,
    REMOVE_COUNTER,
    REMOVE_DESTINATION,
    REMOVE_DESTINATION_BY_ID,
    REMOVE_PUBLICATION,
    REMOVE_RCV_DESTINATION,
    REMOVE_SUBSCRIPTION,
    TERMINATE_DRIVER,
    correlated_command,
    counter_command,
    destination_by_id_command,
    destination_command,
    next_session_id_command,
    publication_command,
    reject_image_command,
    remove_command,
    remove_publication_command,
    static_counter_command,
    subscription_command,
    terminate_driver_command,
)
from aeron_cluster.memory.shared.counters_layout cimport (
    COUNTER_MAX_KEY_LENGTH,
    COUNTER_MAX_LABEL_LENGTH,
)
from aeron_cluster.memory.shared.ring_buffer cimport (
    RING_INSUFFICIENT_CAPACITY,
    RING_OK,
    ring_commit,
    ring_init,
    ring_next_correlation_id,
    ring_try_claim,
)

from aeron_cluster.errors import CorruptError, MessageError, OperationError

cdef enum:
    LABEL_ALIGNMENT = 4  # alignment of a label after its key
    MIN_REJECT_LENGTH = 40  # C drivers require the size of their padded structure
    REVOKE_FLAG = 1


cdef class DriverProxy:
    """Sends a client's commands to its driver.

    Parameters
    ----------
    cnc : CncFile
        The CnC file of the driver.

    Notes
    -----
    Any thread may send. Each call returns the correlation id of the driver's answer.
    """

    def __init__(self, CncFile cnc not None):
        if ring_init(&self.ring, cnc.sections.to_driver, cnc.sections.to_driver_length) != RING_OK:
            raise CorruptError(
                cnc.path, cnc.sections.to_driver - <uint8_t *>cnc.sections.header,
                "command ring length", "a power of two and its trailer",
                cnc.sections.to_driver_length)
        self.cnc = cnc
        self.client_id = ring_next_correlation_id(&self.ring)

    cdef uint8_t *_claim(
            self, int32_t command, int64_t length, int64_t correlation_id, int64_t *offset
    ) except NULL:
        cdef correlated_command *header
        if length > self.ring.max_message_length:
            raise MessageError(
                "command", f"at most {self.ring.max_message_length} bytes", length)
        offset[0] = ring_try_claim(&self.ring, command, <int32_t>length)
        if offset[0] == RING_INSUFFICIENT_CAPACITY:
            raise OperationError(
                "the driver's command ring is full: the driver does not keep up or has ended",
                RING_INSUFFICIENT_CAPACITY, correlation_id)
        if offset[0] < 0:
            raise CorruptError(
                self.cnc.path, 0, "command ring", "records written by its clients", offset[0])
        header = <correlated_command *>(self.ring.buffer + offset[0])
        header.client_id = self.client_id
        header.correlation_id = correlation_id
        return <uint8_t *>header

    def next_correlation_id(self):
        """Return a number that is unique among all clients of this driver."""
        return ring_next_correlation_id(&self.ring)

    def add_publication(self, str channel not None, int32_t stream_id):
        """Request a publication that all requesters share."""
        return self._add_publication(ADD_PUBLICATION, channel, stream_id)

    def add_exclusive_publication(self, str channel not None, int32_t stream_id):
        """Request an exclusive publication."""
        return self._add_publication(ADD_EXCLUSIVE_PUBLICATION, channel, stream_id)

    cdef int64_t _add_publication(self, int32_t kind, str channel, int32_t stream_id) except -1:
        cdef bytes text = channel.encode("ascii")
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef publication_command *command = <publication_command *>self._claim(
            kind, sizeof(publication_command) + len(text), correlation_id, &offset)
        command.stream_id = stream_id
        command.channel_length = <int32_t>len(text)
        memcpy(command + 1, <const char *>text, len(text))
        ring_commit(&self.ring, offset)
        return correlation_id

    def remove_publication(self, int64_t registration_id, bint revoke):
        """Remove a publication; ``revoke`` ends an exclusive one immediately."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef remove_publication_command *command = <remove_publication_command *>self._claim(
            REMOVE_PUBLICATION, sizeof(remove_publication_command), correlation_id, &offset)
        command.registration_id = registration_id
        command.flags = REVOKE_FLAG if revoke else 0
        ring_commit(&self.ring, offset)
        return correlation_id

    def add_subscription(self, str channel not None, int32_t stream_id):
        """Request a subscription."""
        cdef bytes text = channel.encode("ascii")
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef subscription_command *command = <subscription_command *>self._claim(
            ADD_SUBSCRIPTION, sizeof(subscription_command) + len(text), correlation_id, &offset)
        command.registration_correlation_id = -1
        command.stream_id = stream_id
        command.channel_length = <int32_t>len(text)
        memcpy(command + 1, <const char *>text, len(text))
        ring_commit(&self.ring, offset)
        return correlation_id

    def remove_subscription(self, int64_t registration_id):
        """Remove a subscription."""
        return self._remove(REMOVE_SUBSCRIPTION, registration_id)

    def remove_counter(self, int64_t registration_id):
        """Remove a counter."""
        return self._remove(REMOVE_COUNTER, registration_id)

    cdef int64_t _remove(self, int32_t kind, int64_t registration_id) except -1:
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef remove_command *command = <remove_command *>self._claim(
            kind, sizeof(remove_command), correlation_id, &offset)
        command.registration_id = registration_id
        ring_commit(&self.ring, offset)
        return correlation_id

    def add_destination(self, int64_t registration_id, str channel not None):
        """Add a destination to a publication, given its original registration id."""
        return self._destination(ADD_DESTINATION, registration_id, channel)

    def remove_destination(self, int64_t registration_id, str channel not None):
        """Remove a destination from a publication, given its original registration id."""
        return self._destination(REMOVE_DESTINATION, registration_id, channel)

    def add_receive_destination(self, int64_t registration_id, str channel not None):
        """Add a destination to a subscription."""
        return self._destination(ADD_RCV_DESTINATION, registration_id, channel)

    def remove_receive_destination(self, int64_t registration_id, str channel not None):
        """Remove a destination from a subscription."""
        return self._destination(REMOVE_RCV_DESTINATION, registration_id, channel)

    cdef int64_t _destination(
            self, int32_t kind, int64_t registration_id, str channel) except -1:
        cdef bytes text = channel.encode("ascii")
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef destination_command *command = <destination_command *>self._claim(
            kind, sizeof(destination_command) + len(text), correlation_id, &offset)
        command.registration_id = registration_id
        command.channel_length = <int32_t>len(text)
        memcpy(command + 1, <const char *>text, len(text))
        ring_commit(&self.ring, offset)
        return correlation_id

    def remove_destination_by_id(
            self, int64_t registration_id, int64_t destination_registration_id):
        """Remove a destination from a publication, by the id under which it was added."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef destination_by_id_command *command = <destination_by_id_command *>self._claim(
            REMOVE_DESTINATION_BY_ID, sizeof(destination_by_id_command), correlation_id, &offset)
        command.resource_registration_id = registration_id
        command.destination_registration_id = destination_registration_id
        ring_commit(&self.ring, offset)
        return correlation_id

    def add_counter(self, int32_t type_id, bytes key not None, str label not None):
        """Request a counter that exists until this client removes it."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef bytes text = encoded_label(key, label)
        cdef counter_command *command = <counter_command *>self._claim(
            ADD_COUNTER, sizeof(counter_command) + key_and_label_length(key, text),
            correlation_id, &offset)
        command.type_id = type_id
        command.key_length = <int32_t>len(key)
        put_key_and_label(<uint8_t *>(command + 1), key, text)
        ring_commit(&self.ring, offset)
        return correlation_id

    def add_static_counter(
            self, int32_t type_id, bytes key not None, str label not None,
            int64_t registration_id):
        """Request a counter that exists as long as the driver, one per type and id."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef bytes text = encoded_label(key, label)
        cdef static_counter_command *command = <static_counter_command *>self._claim(
            ADD_STATIC_COUNTER, sizeof(static_counter_command) + key_and_label_length(key, text),
            correlation_id, &offset)
        command.registration_id = registration_id
        command.type_id = type_id
        command.key_length = <int32_t>len(key)
        put_key_and_label(<uint8_t *>(command + 1), key, text)
        ring_commit(&self.ring, offset)
        return correlation_id

    def reject_image(self, int64_t image_correlation_id, int64_t position, str reason not None):
        """Reject an image; its publisher receives the reason."""
        cdef bytes text = reason.encode("ascii", "replace")
        cdef int64_t offset, length, correlation_id = ring_next_correlation_id(&self.ring)
        cdef reject_image_command *command
        if len(text) > MAX_ERROR_TEXT_LENGTH:
            raise MessageError("reason", f"at most {MAX_ERROR_TEXT_LENGTH} bytes", len(text))
        length = max(<int64_t>sizeof(reject_image_command) + len(text), MIN_REJECT_LENGTH)
        command = <reject_image_command *>self._claim(
            REJECT_IMAGE, length, correlation_id, &offset)
        memset(<uint8_t *>command + sizeof(reject_image_command), 0,
               <size_t>(length - <int64_t>sizeof(reject_image_command)))
        command.image_correlation_id = image_correlation_id
        command.position = position
        command.reason_length = <int32_t>len(text)
        memcpy(command + 1, <const char *>text, len(text))
        ring_commit(&self.ring, offset)
        return correlation_id

    def next_available_session_id(self, int32_t stream_id):
        """Request an unused session id; only if the driver supports the command."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef next_session_id_command *command = <next_session_id_command *>self._claim(
            GET_NEXT_AVAILABLE_SESSION_ID, sizeof(next_session_id_command), correlation_id,
            &offset)
        command.stream_id = stream_id
        ring_commit(&self.ring, offset)
        return correlation_id

    def terminate_driver(self, bytes token not None):
        """Request the driver to terminate; there is no answer."""
        cdef int64_t offset, correlation_id = ring_next_correlation_id(&self.ring)
        cdef terminate_driver_command *command = <terminate_driver_command *>self._claim(
            TERMINATE_DRIVER, sizeof(terminate_driver_command) + len(token), correlation_id,
            &offset)
        command.token_length = <int32_t>len(token)
        memcpy(command + 1, <const char *>token, len(token))
        ring_commit(&self.ring, offset)
        return correlation_id

    def client_close(self):
        """Notify the driver that this client closed; there is no answer."""
        cdef int64_t offset
        self._claim(CLIENT_CLOSE, sizeof(correlated_command), -1, &offset)
        ring_commit(&self.ring, offset)


cdef bytes encoded_label(bytes key, str label):
    """Return the label as encoded in the file; both are checked before the claim."""
    if len(key) > COUNTER_MAX_KEY_LENGTH:
        raise MessageError("counter key", f"at most {COUNTER_MAX_KEY_LENGTH} bytes", len(key))
    if len(label) > COUNTER_MAX_LABEL_LENGTH:
        raise MessageError(
            "counter label", f"at most {COUNTER_MAX_LABEL_LENGTH} characters", len(label))
    return label.encode("ascii", "replace")


cdef int64_t key_and_label_length(bytes key, bytes label) noexcept:
    return align(<int32_t>len(key), LABEL_ALIGNMENT) + sizeof(int32_t) + len(label)


cdef void put_key_and_label(uint8_t *at, bytes key, bytes label) noexcept:
    cdef int32_t key_length = <int32_t>len(key), label_length = <int32_t>len(label)
    cdef uint8_t *label_at = at + align(key_length, LABEL_ALIGNMENT)
    memcpy(at, <const char *>key, key_length)
    memset(at + key_length, 0, label_at - at - key_length)
    memcpy(label_at, &label_length, sizeof(int32_t))
    memcpy(label_at + sizeof(int32_t), <const char *>label, label_length)
