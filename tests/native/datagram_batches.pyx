"""Calls of the function tables of networks and files, as a driver's agents make them."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.memory.system.seams cimport (
    FILE_CREATE,
    FILE_EXCLUSIVE,
    SYNC_ALL,
    SYNC_DATA,
    Files,
    Network,
    address,
    address_from,
    address_to,
    datagram,
)

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


def send_lengths(Network network not None, int64_t handle, to, lengths):
    """Send a batch with these lengths; return what the function returned."""
    cdef datagram[MAX_DATAGRAMS] batch
    cdef uint8_t *data = <uint8_t *>calloc(1, max(lengths))
    cdef int index
    cdef int result
    memset(batch, 0, sizeof(batch))
    for index in range(len(lengths)):
        batch[index].data = data
        batch[index].length = lengths[index]
        address_from(to, &batch[index].address)
    result = network.c.ops.send(network.c.state, handle, batch, len(lengths))
    free(data)
    return result


def receive_lengths(Network network not None, int64_t handle, int count):
    """Receive a batch; return the lengths, or what the function returned if that is an error."""
    cdef datagram[MAX_DATAGRAMS] batch
    cdef uint8_t[MAX_DATAGRAMS * CAPACITY] data
    cdef int index
    memset(batch, 0, sizeof(batch))
    for index in range(count):
        batch[index].data = &data[index * CAPACITY]
        batch[index].capacity = CAPACITY
    cdef int received = network.c.ops.receive(network.c.state, handle, batch, count)
    return received if received < 0 else [batch[index].length for index in range(received)]


def other_calls(Network network not None, int64_t handle):
    """Return what the other functions of the table return, by name."""
    cdef address local
    cdef int32_t send_length = 0
    cdef int32_t receive_length = 0
    address_from(("127.0.0.1", 9), &local)
    return {
        "connect": network.c.ops.connect(network.c.state, handle, &local),
        "local_address": network.c.ops.local_address(network.c.state, handle, &local),
        "buffer_lengths": network.c.ops.buffer_lengths(
            network.c.state, handle, &send_length, &receive_length),
        "close": network.c.ops.close(network.c.state, handle),
    }


def file_calls(Files files not None, int64_t handle, bytes path not None):
    """Return what the functions of files return, by name."""
    cdef uint8_t[8] data
    cdef void *mapping = NULL
    memset(data, 0, sizeof(data))
    return {
        "read_at": files.c.ops.read_at(files.c.state, handle, data, 8, 0),
        "write_at": files.c.ops.write_at(files.c.state, handle, data, 8, 0),
        "length": files.c.ops.length(files.c.state, handle),
        "truncate": files.c.ops.truncate(files.c.state, handle, 8),
        "allocate": files.c.ops.allocate(files.c.state, handle, 0, 8),
        "sync data": files.c.ops.sync(files.c.state, handle, SYNC_DATA),
        "sync": files.c.ops.sync(files.c.state, handle, SYNC_ALL),
        "lock": files.c.ops.lock(files.c.state, handle),
        "map": files.c.ops.map(files.c.state, handle, 0, 4096, True, &mapping),
        "close": files.c.ops.close(files.c.state, handle),
        "unmap": files.c.ops.unmap(files.c.state, <void *>&data[1], 8),
        "create for reading": files.c.ops.open(files.c.state, path, FILE_CREATE),
        "make for reading": files.c.ops.open(files.c.state, path, FILE_EXCLUSIVE),
    }
