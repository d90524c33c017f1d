"""The agents of a consensus module."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.client.subscription cimport Subscription
from aeron_cluster.cluster.log_adapter cimport LogAdapter
from aeron_cluster.cluster.log_publisher cimport LogPublisher
from aeron_cluster.cluster.module_pass cimport module_pass
from aeron_cluster.cluster.session_table cimport SessionTable
from aeron_cluster.memory.activity_stamp cimport ActivityStamp
from aeron_cluster.memory.agent cimport Agent
from aeron_cluster.memory.counters cimport CountersReader
from aeron_cluster.memory.seams cimport Clock


# The passes of the two agents, over a module_pass.
cdef int module_do_work(void *context) except -1 nogil
cdef int commit_do_work(void *context) except -1 nogil


@cython.final
cdef class ModuleAgent(Agent):
    cdef module_pass c
    cdef object conductor
    cdef object context
    cdef Clock clock  # keep what the state points to
    cdef SessionTable sessions
    cdef LogPublisher log
    cdef tuple trackers
    cdef list ingress
    cdef Subscription control
    cdef Subscription consensus
    cdef Subscription archive
    cdef LogAdapter log_reader
    cdef list peers  # by index: a publication and its mapping
    cdef ActivityStamp stamp
    cdef tuple counters
    cdef CountersReader reader
    cdef object failure  # what the first step of this pass raised that did

    cdef int check_not_polling(self, str what) except -1
    cdef int check_index(self, int32_t index) except -1
    cdef int64_t timer_due_ns(self) except? -1
    cdef int64_t member_due_ns(self) except? -1


@cython.final
cdef class CommitAgent(Agent):
    cdef ModuleAgent agent
