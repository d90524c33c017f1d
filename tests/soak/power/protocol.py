"""The kernel's file system protocol (``linux/fuse.h``, version 7.31), as far as a disk needs it.

A request is an `IN_HEADER`, then the structure of its operation, then names or data; an answer is
an `OUT_HEADER` with a negative errno value or 0, then a structure or data.
"""

import struct
from enum import IntEnum

VERSION = (7, 31)
ROOT = 1
"""The node id of the root."""
MAX_WRITE = 1 << 20
PAGE = 4096
FOREVER_S = 1 << 30
"""How long the kernel may keep an entry or attributes: nothing else changes them."""
UNKNOWN_INODE = 0xFFFFFFFF

IN_HEADER = struct.Struct("<IIQQIIII")
OUT_HEADER = struct.Struct("<IiQ")
INIT_IN = struct.Struct("<IIII")
INIT_OUT = struct.Struct("<IIIIHHIIHHI28x")
ATTRIBUTES = struct.Struct("<QQQQQQIIIIIIIIII")
ATTRIBUTES_OUT = struct.Struct("<QII")
ENTRY_OUT = struct.Struct("<QQQQII")
OPEN_IN = struct.Struct("<II")
OPEN_OUT = struct.Struct("<QII")
CREATE_IN = struct.Struct("<IIII")
MAKE_DIRECTORY_IN = struct.Struct("<II")
RENAME_IN = struct.Struct("<Q")
RENAME2_IN = struct.Struct("<QII")
SET_ATTRIBUTES_IN = struct.Struct("<IIQQQQQQIIIIIIII")
READ_IN = struct.Struct("<QQIIQII")
WRITE_IN = struct.Struct("<QQIIQII")
WRITE_OUT = struct.Struct("<II")
SYNC_IN = struct.Struct("<QII")
ALLOCATE_IN = struct.Struct("<QQQII")
SPACE_OUT = struct.Struct("<QQQQQIIII24x")
ENTRY = struct.Struct("<QQII")
FORGET_IN = struct.Struct("<Q")
FORGET_MANY_IN = struct.Struct("<II")
FORGET_ONE = struct.Struct("<QQ")

BIG_WRITES = 1 << 5
MAX_PAGES = 1 << 22
KEEP_CACHE = 1 << 1
NO_FLUSH = 1 << 5
"""A close does not write changes of mapped files."""
SYNC_DATA_ONLY = 1
SET_MODE, SET_SIZE = 1 << 0, 1 << 3


class Operation(IntEnum):
    """The operations that a disk answers; the kernel does without the others."""

    LOOKUP = 1
    FORGET = 2
    GET_ATTRIBUTES = 3
    SET_ATTRIBUTES = 4
    MAKE_DIRECTORY = 9
    UNLINK = 10
    REMOVE_DIRECTORY = 11
    RENAME = 12
    OPEN = 14
    READ = 15
    WRITE = 16
    SPACE = 17
    RELEASE = 18
    SYNC = 20
    INIT = 26
    OPEN_DIRECTORY = 27
    READ_DIRECTORY = 28
    RELEASE_DIRECTORY = 29
    SYNC_DIRECTORY = 30
    CREATE = 35
    INTERRUPT = 36
    FORGET_MANY = 42
    ALLOCATE = 43
    RENAME2 = 45


UNANSWERED = {Operation.FORGET, Operation.FORGET_MANY, Operation.INTERRUPT}
WITHOUT_NODE = {Operation.INIT, Operation.FORGET_MANY, Operation.INTERRUPT}
