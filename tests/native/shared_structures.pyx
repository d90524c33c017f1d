"""Producers and consumers that never take the GIL, each for a separate thread."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.memory.shared.atomic cimport get_and_add_i64
from aeron_cluster.memory.shared.broadcast cimport (
    BROADCAST_LAPPED,
    BROADCAST_NOTHING,
    BroadcastReceiver,
    BroadcastTransmitter,
    broadcast_receive,
    broadcast_transmit,
)
from aeron_cluster.memory.shared.counters cimport (
    AtomicCounter,
    CountersManager,
    CountersReader,
    counter_state,
    counters_allocate,
    counters_for_each,
    counters_free,
    counters_manager,
    counters_manager_init,
    counters_reader,
    counters_reader_init,
)
from aeron_cluster.memory.shared.error_log cimport (
    DistinctErrorLog,
    error_log,
    error_log_init,
    error_log_record,
)
from aeron_cluster.memory.shared.ring_buffer cimport (
    READ_ABORT,
    READ_BREAK,
    READ_COMMIT,
    READ_CONTINUE,
    RING_INSUFFICIENT_CAPACITY,
    RING_OK,
    ControlledReadAction,
    ManyToOneRingBuffer,
    RingBuffer,
    one_to_one_controlled_read,
    one_to_one_read,
    one_to_one_try_claim,
    one_to_one_write,
    ring_abort,
    ring_buffer,
    ring_commit,
    ring_controlled_read,
    ring_init,
    ring_read,
    ring_try_claim,
    ring_write,
)


cdef extern from "<sched.h>" nogil:
    int sched_yield()

cdef extern from "<stdio.h>" nogil:
    int snprintf(char *buffer, size_t size, const char *format, ...)


cdef enum:
    MAX_PRODUCERS = 8
    MAX_LENGTH = 128


# A message has its writer, its number, and a body computed from both.


cdef int32_t compose(uint8_t *message, int64_t producer, int64_t number) noexcept nogil:
    cdef int32_t length = <int32_t>(16 + (number * 7 + producer) % (MAX_LENGTH - 16))
    cdef int32_t i
    memcpy(message, &producer, 8)
    memcpy(message + 8, &number, 8)
    for i in range(16, length):
        message[i] = <uint8_t>(producer + number * 3 + i)
    return length


cdef bint is_message(
        const uint8_t *message, int32_t length, int64_t producer, int64_t number) noexcept nogil:
    cdef uint8_t expected[MAX_LENGTH]
    cdef int32_t i
    if length != compose(expected, producer, number):
        return False
    for i in range(length):
        if message[i] != expected[i]:
            return False
    return True


def produce(RingBuffer ring not None, int64_t producer, int64_t count, int64_t max_yields):
    """Write messages, some by claims, some of them aborted; return the number written."""
    cdef bint shared = isinstance(ring, ManyToOneRingBuffer)
    cdef uint8_t message[MAX_LENGTH]
    cdef int64_t number = 0
    cdef int64_t offset
    cdef int32_t length
    with nogil:
        while number < count and max_yields > 0:
            length = compose(message, producer, number)
            if number % 3 == 1:
                if shared:
                    offset = ring_try_claim(&ring.ring, <int32_t>producer + 1, length)
                else:
                    offset = one_to_one_try_claim(&ring.ring, <int32_t>producer + 1, length)
                if offset > 0 and max_yields % 5 == 0:
                    max_yields -= 1
                    ring_abort(&ring.ring, offset)
                    continue
                if offset > 0:
                    memcpy(ring.ring.buffer + offset, message, length)
                    offset = ring_commit(&ring.ring, offset)
            elif shared:
                offset = ring_write(&ring.ring, <int32_t>producer + 1, message, length)
            else:
                offset = one_to_one_write(&ring.ring, <int32_t>producer + 1, message, length)
            if offset == RING_OK:
                number += 1
            elif offset == RING_INSUFFICIENT_CAPACITY:
                max_yields -= 1
                sched_yield()
            else:
                break
    return number


cdef struct consumer_state:
    int64_t next_number[MAX_PRODUCERS]
    int64_t wrong


cdef void check_message(
        int32_t message_type, const uint8_t *data, int32_t length,
        void *context) noexcept nogil:
    cdef consumer_state *state = <consumer_state *>context
    cdef int64_t producer = <int64_t>message_type - 1
    if not 0 <= producer < MAX_PRODUCERS:
        state.wrong += 1
    elif is_message(data, length, producer, state.next_number[producer]):
        state.next_number[producer] += 1
    else:
        state.wrong += 1


def consume(RingBuffer ring not None, int64_t count, int64_t max_yields):
    """Read `count` messages; return the number of messages read and of wrong ones."""
    cdef bint shared = isinstance(ring, ManyToOneRingBuffer)
    cdef consumer_state state
    cdef int64_t seen = 0
    cdef int read, i
    for i in range(MAX_PRODUCERS):
        state.next_number[i] = 0
    state.wrong = 0
    with nogil:
        while seen < count and max_yields > 0:
            if shared:
                read = ring_read(&ring.ring, check_message, &state, 16)
            else:
                read = one_to_one_read(&ring.ring, check_message, &state, 16)
            if read < 0:
                break
            seen += read
            if read == 0:
                max_yields -= 1
                sched_yield()
    return seen, state.wrong


def transmit(
        BroadcastTransmitter transmitter not None, int64_t first, int64_t count,
        int64_t pause_each):
    """Send messages, yielding at times; return the number after the last."""
    cdef uint8_t message[MAX_LENGTH]
    cdef int64_t number = first
    with nogil:
        while number < first + count:
            if broadcast_transmit(
                &transmitter.transmitter, 1, message, compose(message, 0, number)
            ) != 0:
                break
            number += 1
            if number % pause_each == 0:
                sched_yield()
    return number


def receive(BroadcastReceiver receiver not None, int64_t count, int64_t max_yields):
    """Receive up to message ``count - 1``; return the numbers of messages, of wrong ones and of
    laps.
    """
    cdef uint8_t message[4096]
    cdef int64_t last = -1
    cdef int64_t seen = 0
    cdef int64_t wrong = 0
    cdef int64_t laps = 0
    cdef int64_t number
    cdef int32_t length
    cdef int32_t message_type = 0
    with nogil:
        while last < count - 1 and max_yields > 0:
            length = broadcast_receive(&receiver.receiver, &message_type, message, 4096)
            if length == BROADCAST_NOTHING:
                max_yields -= 1
                sched_yield()
            elif length == BROADCAST_LAPPED:
                laps += 1
            elif length < 16:
                wrong += 1
                break
            else:
                memcpy(&number, message + 8, 8)
                seen += 1
                # In order; only the newest may come twice, after a lap; gaps need a lap.
                if (
                    message_type != 1
                    or not is_message(message, length, 0, number)
                    or number < last
                    or (number > last + 1 and laps == 0)
                ):
                    wrong += 1
                last = number
    return seen, wrong, laps, last


def count_up(AtomicCounter counter not None, int64_t times):
    """Add one atomically, `times` times."""
    cdef int64_t _i
    with nogil:
        for _i in range(times):
            get_and_add_i64(counter.address, 1)


def record_errors(DistinctErrorLog log not None, int64_t thread, int64_t times):
    """Record errors common to all threads, and one of this thread."""
    cdef char text[64]
    cdef int64_t i
    cdef int length
    with nogil:
        for i in range(times):
            if i % 2:
                length = snprintf(text, 64, b"thread %lld", <long long>thread)
            else:
                length = snprintf(text, 64, b"shared %lld", <long long>(i % 14))
            error_log_record(&log.log, i, text, length)


# ---- what only callers in C can pass, or call ----

cdef struct read_script:
    int32_t seen[16]  # the types of the messages
    int count
    int32_t ends_at  # the type that gets the action
    ControlledReadAction action


cdef void note_type(
        int32_t message_type, const uint8_t *_data, int32_t _length,
        void *context) noexcept nogil:
    cdef read_script *script = <read_script *>context
    script.seen[script.count] = message_type
    script.count += 1


cdef ControlledReadAction note_and_answer(
        int32_t message_type, const uint8_t *data, int32_t length,
        void *context) noexcept nogil:
    cdef read_script *script = <read_script *>context
    note_type(message_type, data, length, context)
    return script.action if message_type == script.ends_at else READ_CONTINUE


cdef list types_of(const read_script *script):
    return [script.seen[i] for i in range(script.count)]


def read_types(RingBuffer ring not None, int limit):
    """Read up to 16 messages; return what the function returned, and their types."""
    cdef read_script script
    cdef int result
    script.count = 0
    if isinstance(ring, ManyToOneRingBuffer):
        result = ring_read(&ring.ring, note_type, &script, limit)
    else:
        result = one_to_one_read(&ring.ring, note_type, &script, limit)
    return result, types_of(&script)


def read_until(RingBuffer ring not None, str action not None, int32_t message_type):
    """Read, and take an action at the message of a type; return the result and the types seen."""
    cdef read_script script
    cdef int result
    script.count = 0
    script.ends_at = message_type
    script.action = {"abort": READ_ABORT, "break": READ_BREAK, "commit": READ_COMMIT}[action]
    if isinstance(ring, ManyToOneRingBuffer):
        result = ring_controlled_read(&ring.ring, note_and_answer, &script, 16)
    else:
        result = one_to_one_controlled_read(&ring.ring, note_and_answer, &script, 16)
    return result, types_of(&script)


def init_with_lengths(buffer, int64_t length):
    """Begin to use memory as if it had this length, as each structure; return what was returned."""
    cdef Py_buffer memory
    cdef ring_buffer ring
    cdef error_log log
    cdef counters_reader reader
    cdef counters_manager manager
    PyObject_GetBuffer(buffer, &memory, PyBUF_SIMPLE | PyBUF_WRITABLE)
    results = {
        "ring": ring_init(&ring, memory.buf, length),
        "error log": error_log_init(&log, memory.buf, length),
        "counters": counters_reader_init(&reader, memory.buf, 4 * length, memory.buf, length),
        "manager": counters_manager_init(&manager, memory.buf, 4 * length, memory.buf, length, 0),
    }
    PyBuffer_Release(&memory)
    return results


def transmit_length(BroadcastTransmitter transmitter not None, int32_t length):
    """Send a message of a length; return the status."""
    cdef uint8_t message[MAX_LENGTH]
    return broadcast_transmit(&transmitter.transmitter, 1, message, length)


cdef struct counter_script:
    int32_t seen[16]
    int count
    int32_t ends_at


cdef int note_counter(
        const counters_reader *_reader, int32_t counter_id, void *context) noexcept nogil:
    cdef counter_script *script = <counter_script *>context
    script.seen[script.count] = counter_id
    script.count += 1
    return counter_id == script.ends_at


def ids_up_to(CountersReader counters not None, int32_t counter_id):
    """Visit the allocated counters up to one; return what the function returned, and their ids."""
    cdef counter_script script
    cdef int32_t result
    script.count = 0
    script.ends_at = counter_id
    with nogil:
        result = counters_for_each(&counters.reader, note_counter, &script)
    return result, [script.seen[i] for i in range(script.count)]


def state_of(CountersReader counters not None, int32_t counter_id):
    return counter_state(&counters.reader, counter_id)


def allocate_with_key(CountersManager counters not None, int32_t key_length):
    """Allocate a counter with a key of a length; return its id or the status."""
    cdef uint8_t key[256]
    return counters_allocate(&counters.manager, 1, key, key_length, b"label", 5, 0)


def free_counter(CountersManager counters not None, int32_t counter_id):
    """Free a counter; return the status."""
    return counters_free(&counters.manager, counter_id, 0)
