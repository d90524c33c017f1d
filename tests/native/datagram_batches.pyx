"""Batches of datagrams through the network's function table, as a driver's agents use it."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.memory.system.seams cimport Network, address_from, address_to, datagram

cdef enum:
    MAX_DATAGRAMS = 200
    CAPACITY = 64
    WORDS = 16


def send(Network network not None, int64_t handle, to, int count):
    cdef datagram[MAX_DATAGRAMS] batch
    cdef int32_t[MAX_DATAGRAMS * WORDS] data
    cdef int index
    memset(batch, 0, sizeof(batch))
    memset(data, 0, sizeof(data))
    for index in range(count):
        data[index * WORDS] = index
        batch[index].data = <uint8_t *>&data[index * WORDS]
        batch[index].length = CAPACITY
        address_from(to, &batch[index].address)
    return network.c.ops.send(network.c.state, handle, batch, count)


def receive(Network network not None, int64_t handle, int count):
    cdef datagram[MAX_DATAGRAMS] batch
    cdef int32_t[MAX_DATAGRAMS * WORDS] data
    cdef int index
    memset(batch, 0, sizeof(batch))
    for index in range(count):
        batch[index].data = <uint8_t *>&data[index * WORDS]
        batch[index].capacity = CAPACITY
    cdef int received = network.c.ops.receive(network.c.state, handle, batch, count)
    found = []
    for index in range(received):
        assert batch[index].length == CAPACITY
        found.append((data[index * WORDS], address_to(&batch[index].address)))
    return found
