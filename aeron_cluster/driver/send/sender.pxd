"""The agent that sends.

``Sender``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.streams.datagram_agent cimport DatagramAgent, datagram_agent
from aeron_cluster.driver.streams.pointer_array cimport pointer_array


cdef struct sender:
    datagram_agent common
    pointer_array publications
    int32_t start  # index of the first publication in the next duty cycle
    int32_t pass_count  # duty cycles with sent data since control sockets were polled
    int32_t status_poll_ratio
    int64_t control_interval_ns  # of polls while no publication waits for a status message
    int64_t control_deadline_ns


@cython.final
cdef class Sender(DatagramAgent):
    cdef sender c
