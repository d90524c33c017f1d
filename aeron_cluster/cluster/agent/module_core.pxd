"""State shared by all parts of a consensus module's duty cycle: time, dropped messages."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from aeron_cluster.logbuffer.image_poller cimport CONTINUE
from aeron_cluster.memory.system.seams cimport clock, epoch_nanos


cdef enum:
    STATE_ACTIVE = 1  # values of the counter 200
    STATE_SUSPENDED = 2


# The reason for dropping a message of a client, a service or a member.
cdef enum:
    IGNORED_MALFORMED
    IGNORED_UNKNOWN_SCHEMA
    IGNORED_UNKNOWN_TEMPLATE
    IGNORED_NOT_LEADER  # this member is not the leader
    IGNORED_STALE_TERM
    IGNORED_UNKNOWN_SESSION
    IGNORED_CLOSED_SESSION
    IGNORED_TOO_LONG
    IGNORED_UNKNOWN_SERVICE
    IGNORED_NOT_A_MEMBER
    IGNORED_UNKNOWN_MEMBER
    IGNORED_MEMBER_ID_MISMATCH
    IGNORED_NOT_FROM_LEADER  # the sender is not the leader of its term
    IGNORED_STALE_POSITION
    IGNORED_COUNT


# One thread owns it.
cdef struct module_core:
    clock clock
    int64_t time_unit_ns  # of cluster time
    int64_t now_ns
    int64_t timestamp  # cluster time
    void *conductor  # the ModuleConductor, borrowed
    void *agent  # the ModuleAgent, borrowed
    int64_t ignored[IGNORED_COUNT]
    uint32_t reported  # the reported kinds, as bits
    uint32_t unreported
    int32_t state  # of the module
    bint has_timestamp
    bint has_user_clock  # cluster time is read from a clock of the user, with the GIL
    bint is_without_time  # the user's clock failed at the start of the last duty cycle
    bint has_failed  # a step of this duty cycle raised; the error is raised at its end
    bint is_polling  # a poll is running, from which Python is called


# Read the user's clock again in a duty cycle; if it fails, the last reading is kept, and the error
# is raised at the end of the duty cycle.
cdef int64_t read_user_clock(module_core *core) noexcept with gil


cdef inline int64_t timestamp_of(module_core *core) noexcept nogil:
    """Return cluster time: read once per duty cycle, and again after a call of Python in it."""
    if not core.has_timestamp:
        if core.has_user_clock:
            core.timestamp = read_user_clock(core)
        else:
            core.timestamp = epoch_nanos(&core.clock) // core.time_unit_ns
        core.has_timestamp = True
    return core.timestamp


cdef inline bint reads_log(const module_core *core) noexcept nogil:
    """Return whether a follower may read the log in the module's state."""
    return core.state == STATE_ACTIVE or core.state == STATE_SUSPENDED


cdef inline int ignore_message(module_core *core, int kind) noexcept nogil:
    """Drop a message: count it, and report the first one of its kind."""
    core.ignored[kind] += 1
    core.unreported |= ~core.reported & <uint32_t>1 << kind
    return CONTINUE


# Call a method of the ModuleConductor with a message and the time of the duty cycle. Returns its
# result; None if the message is malformed, which is counted, or if the method raised: the error is
# raised at the end of the duty cycle.
cdef object call_conductor(module_core *core, object method, tuple message)
