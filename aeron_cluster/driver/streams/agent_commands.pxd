"""Commands of the conductor to the sender and the receiver."""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.system.seams cimport address


cdef enum:
    COMMAND_CAPACITY = 1024  # of a queue


cdef enum command_type:
    COMMAND_ADD_ENDPOINT = 1
    COMMAND_REMOVE_ENDPOINT = 2
    COMMAND_ADD_PUBLICATION = 3
    COMMAND_REMOVE_PUBLICATION = 4
    COMMAND_ADD_DESTINATION = 5
    COMMAND_REMOVE_DESTINATION = 6
    COMMAND_CHANGE_ADDRESS = 7
    COMMAND_ADD_TRANSPORT = 8
    COMMAND_REMOVE_TRANSPORT = 9
    COMMAND_ADD_SUBSCRIPTION = 10
    COMMAND_REMOVE_SUBSCRIPTION = 11
    COMMAND_REQUEST_SETUP = 12
    COMMAND_ADD_IMAGE = 13
    COMMAND_REMOVE_INIT_IN_PROGRESS = 14
    COMMAND_REMOVE_COOL_DOWN = 15
    COMMAND_REJECT_IMAGE = 16


cdef struct command:
    int32_t type
    int32_t index  # of a transport
    int32_t stream_id
    int32_t session_id
    bint has_session
    void *subject  # endpoint, publication or image
    int64_t id
    address address
