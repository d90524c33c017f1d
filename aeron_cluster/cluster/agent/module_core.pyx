"""Call Python in a consensus module's duty cycle: its rare half, and the user's cluster clock."""

from aeron_cluster.errors import AgentTerminationError, MessageError


cdef object call_conductor(module_core *core, object method, tuple message):
    core.has_timestamp = False  # Python appends to the log with its own times
    core.is_polling = True
    try:
        return method(*message, core.now_ns)
    except MessageError:
        ignore_message(core, IGNORED_MALFORMED)
    except AgentTerminationError:
        raise
    except Exception as error:  # of this message alone: the others are taken in the same pass
        (<object>core.agent).defer_error(error)
    finally:
        core.is_polling = False
    return None


cdef int64_t read_user_clock(module_core *core) noexcept with gil:
    try:
        return (<object>core.agent).read_cluster_time()
    except BaseException as error:
        (<object>core.agent).defer_error(error)
    return core.timestamp
