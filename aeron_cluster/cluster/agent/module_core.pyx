"""Call the Python half of a consensus module with a message that the hot half does not handle."""

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
