"""Answers the kernel's requests from the simulator's disk."""

import errno
import itertools
import os
import stat
import time
from dataclasses import dataclass, field
from typing import Any

from aeron_cluster.errors import InsufficientSpaceError
from tests.soak.power import protocol
from tests.soak.power.protocol import Operation

_NAME_LENGTH = 255
_FILES = 1 << 20


@dataclass(eq=False)
class Node:
    """A file or directory that the kernel knows.

    Attributes
    ----------
    parent
        Its directory; None for the root.
    name
        Its name there; None once it is removed.
    file
        Opened, if it is a file.
    lookups
        How often the kernel was given its id.
    """

    number: int
    parent: "Node | None"
    name: str | None
    mode: int
    file: Any = None
    lookups: int = 0
    changed_ns: int = field(default_factory=time.time_ns)

    @property
    def is_directory(self):
        return self.file is None

    @property
    def path(self):
        if self.parent is None:
            return ""
        if self.name is None:
            raise FileNotFoundError(errno.ENOENT, "removed")
        return f"{self.parent.path}/{self.name}"


class FileServer:
    """The state of one mount.

    Parameters
    ----------
    files : MemoryFiles
        The disk.
    """

    def __init__(self, files):
        self._files = files
        self._numbers = itertools.count(protocol.ROOT)
        self._nodes = {}
        self._by_place = {}  # (directory, name): a node
        self._listings = {}  # handle: names
        root = Node(next(self._numbers), None, "", stat.S_IFDIR | 0o755)
        self._nodes[root.number] = root
        self._actions = {
            Operation.LOOKUP: self._lookup,
            Operation.FORGET: self._forget,
            Operation.GET_ATTRIBUTES: lambda node, _: self._attributes_out(node),
            Operation.SET_ATTRIBUTES: self._set_attributes,
            Operation.MAKE_DIRECTORY: self._make_directory,
            Operation.UNLINK: self._remove,
            Operation.REMOVE_DIRECTORY: self._remove,
            Operation.RENAME: self._rename,
            Operation.RENAME2: self._rename2,
            Operation.OPEN: self._open,
            Operation.READ: self._read,
            Operation.WRITE: self._write,
            Operation.SPACE: self._space,
            Operation.RELEASE: lambda *_: b"",
            Operation.SYNC: self._sync,
            Operation.INIT: self._init,
            Operation.OPEN_DIRECTORY: self._open_directory,
            Operation.READ_DIRECTORY: self._read_directory,
            Operation.RELEASE_DIRECTORY: self._release_directory,
            Operation.SYNC_DIRECTORY: self._sync_directory,
            Operation.CREATE: self._create,
            Operation.INTERRUPT: lambda *_: b"",
            Operation.FORGET_MANY: self._forget_many,
            Operation.ALLOCATE: self._allocate,
        }

    def answer(self, request):
        """Return the answer to a request; None if it has none."""
        _, operation, unique, number, *_ = protocol.IN_HEADER.unpack_from(request)
        body = request[protocol.IN_HEADER.size :]
        code, answer = 0, b""
        action = self._actions.get(operation)
        if action is None:
            code = -errno.ENOSYS
        else:
            try:
                node = None if operation in protocol.WITHOUT_NODE else self._nodes[number]
                answer = action(node, body)
            except KeyError:
                code = -errno.ESTALE
            except OSError as error:
                code = -(error.errno or errno.EIO)
        if operation in protocol.UNANSWERED:
            return None
        if code:
            answer = b""
        length = protocol.OUT_HEADER.size + len(answer)
        return protocol.OUT_HEADER.pack(length, code, unique) + answer

    def close(self):
        """Close all files."""
        for node in self._nodes.values():
            if node.file is not None:
                node.file.close()
        self._nodes.clear()
        self._by_place.clear()

    def _init(self, _node, body):
        _, _, read_ahead, offered = protocol.INIT_IN.unpack_from(body)
        flags = offered & (protocol.BIG_WRITES | protocol.MAX_PAGES)
        pages = protocol.MAX_WRITE // protocol.PAGE
        return protocol.INIT_OUT.pack(
            *protocol.VERSION, read_ahead, flags, 16, 12, protocol.MAX_WRITE, 1, pages, 0, 0
        )

    # ---- names ----

    def _lookup(self, node, body):
        return self._entry_out(self._child(node, _name(body)))

    def _child(self, directory, name):
        """Return the node of a name, and make it if the kernel does not know it."""
        found = self._by_place.get((directory, name))
        if found is not None:
            return found
        path = f"{directory.path}/{name}"
        if self._files.is_directory(path):
            return self._add(directory, name, stat.S_IFDIR | 0o755)
        return self._add(directory, name, stat.S_IFREG | 0o644, self._files.open(path, write=True))

    def _add(self, directory, name, mode, file=None):
        node = Node(next(self._numbers), directory, name, mode, file)
        self._nodes[node.number] = node
        self._by_place[directory, name] = node
        return node

    def _forget(self, node, body):
        self._drop(node, *protocol.FORGET_IN.unpack_from(body))
        return b""

    def _forget_many(self, _node, body):
        count, _ = protocol.FORGET_MANY_IN.unpack_from(body)
        for index in range(count):
            at = protocol.FORGET_MANY_IN.size + index * protocol.FORGET_ONE.size
            number, lookups = protocol.FORGET_ONE.unpack_from(body, at)
            self._drop(self._nodes[number], lookups)
        return b""

    def _drop(self, node, lookups):
        node.lookups -= lookups
        if node.lookups > 0 or node.parent is None:
            return
        del self._nodes[node.number]
        if node.name is not None and self._by_place.get((node.parent, node.name)) is node:
            del self._by_place[node.parent, node.name]
        if node.file is not None:
            node.file.close()

    def _create(self, node, body):
        _, mode, umask, _ = protocol.CREATE_IN.unpack_from(body)
        name = _name(body[protocol.CREATE_IN.size :])
        file = self._files.open(f"{node.path}/{name}", write=True, create=True)
        made = self._add(node, name, stat.S_IFREG | stat.S_IMODE(mode & ~umask), file)
        return self._entry_out(made) + self._open(made, b"")

    def _make_directory(self, node, body):
        mode, umask = protocol.MAKE_DIRECTORY_IN.unpack_from(body)
        name = _name(body[protocol.MAKE_DIRECTORY_IN.size :])
        self._files.make_directory(f"{node.path}/{name}")
        return self._entry_out(self._add(node, name, stat.S_IFDIR | stat.S_IMODE(mode & ~umask)))

    def _remove(self, node, body):
        name = _name(body)
        self._files.remove(f"{node.path}/{name}")
        self._unname(node, name)
        return b""

    def _unname(self, directory, name):
        found = self._by_place.pop((directory, name), None)
        if found is not None:
            found.name = None

    def _rename(self, node, body):
        return self._move(node, body, protocol.RENAME_IN)

    def _rename2(self, node, body):
        _, flags, _ = protocol.RENAME2_IN.unpack_from(body)
        if flags:
            raise OSError(errno.EINVAL, "flags")
        return self._move(node, body, protocol.RENAME2_IN)

    def _move(self, node, body, layout):
        to = self._nodes[layout.unpack_from(body)[0]]
        old, new = (os.fsdecode(each) for each in body[layout.size :].split(b"\0")[:2])
        moved = self._child(node, old)
        self._files.rename(moved.path, f"{to.path}/{new}")
        if self._by_place.get((to, new)) is not moved:
            self._unname(to, new)
        del self._by_place[node, old]
        moved.parent, moved.name = to, new
        self._by_place[to, new] = moved
        return b""

    # ---- attributes ----

    def _attributes(self, node):
        size = 0 if node.is_directory else node.file.length
        seconds, nanos = divmod(node.changed_ns, 1_000_000_000)
        links = 0 if node.name is None else 2 if node.is_directory else 1
        return protocol.ATTRIBUTES.pack(
            node.number,
            size,
            -(-size // 512),
            *(seconds,) * 3,
            *(nanos,) * 3,
            node.mode,
            links,
            os.getuid(),
            os.getgid(),
            0,
            protocol.PAGE,
            0,
        )

    def _attributes_out(self, node):
        head = protocol.ATTRIBUTES_OUT.pack(protocol.FOREVER_S, 0, 0)
        return head + self._attributes(node)

    def _entry_out(self, node):
        node.lookups += 1
        forever = protocol.FOREVER_S
        head = protocol.ENTRY_OUT.pack(node.number, 0, forever, forever, 0, 0)
        return head + self._attributes(node)

    def _set_attributes(self, node, body):
        valid, _, _, size, *others = protocol.SET_ATTRIBUTES_IN.unpack_from(body)
        if valid & protocol.SET_SIZE:
            node.file.truncate(size)
            node.changed_ns = time.time_ns()
        if valid & protocol.SET_MODE:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(others[7])
        return self._attributes_out(node)

    def _space(self, _node, _body):
        blocks = self._files.capacity // protocol.PAGE
        # More may be in use after a loss of power, which can take back what freed space.
        free = max(blocks - self._files.used // protocol.PAGE, 0)
        sizes = protocol.PAGE, _NAME_LENGTH, protocol.PAGE, 0
        return protocol.SPACE_OUT.pack(blocks, free, free, _FILES, _FILES, *sizes)

    # ---- contents ----

    def _open(self, _node, _body):
        return protocol.OPEN_OUT.pack(0, protocol.KEEP_CACHE | protocol.NO_FLUSH, 0)

    def _read(self, node, body):
        _, offset, length, *_ = protocol.READ_IN.unpack_from(body)
        return node.file.read_at(length, offset)

    def _write(self, node, body):
        _, offset, length, *_ = protocol.WRITE_IN.unpack_from(body)
        data = body[protocol.WRITE_IN.size : protocol.WRITE_IN.size + length]
        node.changed_ns = time.time_ns()
        try:
            node.file.write_at(data, offset)
        except InsufficientSpaceError:
            length = self._write_some(node, data, offset)
        return protocol.WRITE_OUT.pack(length, 0)

    def _write_some(self, node, data, offset):
        """Write to a full disk what it takes; return how much."""
        done = 0
        while done < len(data):
            step = protocol.PAGE - (offset + done) % protocol.PAGE
            try:
                node.file.write_at(data[done : done + step], offset + done)
            except InsufficientSpaceError:
                if not done:
                    raise
                return done
            done += step
        return len(data)

    def _sync(self, node, body):
        _, flags, _ = protocol.SYNC_IN.unpack_from(body)
        node.file.sync(1 if flags & protocol.SYNC_DATA_ONLY else 2)
        return b""

    def _allocate(self, node, body):
        _, offset, length, mode, _ = protocol.ALLOCATE_IN.unpack_from(body)
        if mode:
            raise OSError(errno.EOPNOTSUPP, "holes")
        node.file.allocate(offset, length)
        return b""

    # ---- directories ----

    def _open_directory(self, node, _body):
        handle = next(self._numbers)
        self._listings[handle] = self._files.list(node.path or "/")
        return protocol.OPEN_OUT.pack(handle, 0, 0)

    def _read_directory(self, _node, body):
        handle, offset, limit, *_ = protocol.READ_IN.unpack_from(body)
        found = b""
        for index, name in enumerate(self._listings[handle][offset:], offset + 1):
            encoded = os.fsencode(name)
            entry = protocol.ENTRY.pack(protocol.UNKNOWN_INODE, index, len(encoded), 0) + encoded
            entry += bytes(-len(entry) % 8)
            if len(found) + len(entry) > limit:
                break
            found += entry
        return found

    def _release_directory(self, _node, body):
        handle, *_ = protocol.READ_IN.unpack_from(body.ljust(protocol.READ_IN.size, b"\0"))
        self._listings.pop(handle, None)
        return b""

    def _sync_directory(self, node, _body):
        self._files.sync_directory(node.path or "/")
        return b""


def _name(body):
    return os.fsdecode(bytes(body).partition(b"\0")[0])
