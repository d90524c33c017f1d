from enum import IntEnum

from aeron_cluster.errors import CorruptError as CorruptError

class Action(IntEnum):
    ABORT = 1
    BREAK = 2
    COMMIT = 3
    CONTINUE = 4
