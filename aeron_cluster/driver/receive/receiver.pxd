"""The agent that receives.

``Receiver``.
"""
cimport cython
from libc.stdint cimport int32_t

from aeron_cluster.driver.streams.datagram_agent cimport DatagramAgent, datagram_agent
from aeron_cluster.driver.streams.pointer_array cimport pointer_array


cdef struct receiver:
    datagram_agent common
    pointer_array images
    int32_t max_batch_count  # datagrams received per call


@cython.final
cdef class Receiver(DatagramAgent):
    cdef receiver c
