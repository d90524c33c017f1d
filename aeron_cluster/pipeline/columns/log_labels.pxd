"""The names that columns of a log show in place of numbers."""
from libc.stdint cimport int32_t

from aeron_cluster.codecs.cluster_codecs cimport (
    CLOSE_REASON_CLIENT_ACTION,
    CLOSE_REASON_SERVICE_ACTION,
    CLOSE_REASON_TIMEOUT,
    CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
    CLUSTER_ACTION_RESUME,
    CLUSTER_ACTION_SNAPSHOT,
    CLUSTER_ACTION_SUSPEND,
    CLUSTER_TIME_UNIT_MICROS,
    CLUSTER_TIME_UNIT_MILLIS,
    CLUSTER_TIME_UNIT_NANOS,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    SESSION_CLOSE_EVENT_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    TIMER_EVENT_TEMPLATE_ID,
)


# A name and its length in bytes; text is NULL if there is no name.
cdef struct label:
    const char *text
    int32_t length


cdef inline label type_name(int32_t template_id) noexcept nogil:
    if template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return label("SessionMessage", 14)
    if template_id == TIMER_EVENT_TEMPLATE_ID:
        return label("TimerEvent", 10)
    if template_id == SESSION_OPEN_EVENT_TEMPLATE_ID:
        return label("SessionOpenEvent", 16)
    if template_id == SESSION_CLOSE_EVENT_TEMPLATE_ID:
        return label("SessionCloseEvent", 17)
    if template_id == CLUSTER_ACTION_REQUEST_TEMPLATE_ID:
        return label("ClusterActionRequest", 20)
    if template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID:
        return label("NewLeadershipTermEvent", 22)
    return label("Unknown", 7)


cdef inline label unit_name(int32_t time_unit) noexcept nogil:
    if time_unit == CLUSTER_TIME_UNIT_MILLIS:
        return label("ms", 2)
    if time_unit == CLUSTER_TIME_UNIT_MICROS:
        return label("us", 2)
    if time_unit == CLUSTER_TIME_UNIT_NANOS:
        return label("ns", 2)
    return label(NULL, 0)


cdef inline label reason_name(int32_t reason) noexcept nogil:
    if reason == CLOSE_REASON_CLIENT_ACTION:
        return label("CLIENT_ACTION", 13)
    if reason == CLOSE_REASON_SERVICE_ACTION:
        return label("SERVICE_ACTION", 14)
    if reason == CLOSE_REASON_TIMEOUT:
        return label("TIMEOUT", 7)
    return label(NULL, 0)


cdef inline label action_name(int32_t action) noexcept nogil:
    if action == CLUSTER_ACTION_SUSPEND:
        return label("SUSPEND", 7)
    if action == CLUSTER_ACTION_RESUME:
        return label("RESUME", 6)
    if action == CLUSTER_ACTION_SNAPSHOT:
        return label("SNAPSHOT", 8)
    return label(NULL, 0)
