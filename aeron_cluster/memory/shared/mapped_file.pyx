"""A file mapped into memory, shared with other processes.

Upstream: Agrona's IoUtil.mapNewFile and mapExistingFile.
"""

cimport cython
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_FillInfo

from aeron_cluster.memory.shared.atomic cimport compare_and_set_i32, load_opaque_i32
from aeron_cluster.memory.system.check cimport check
from aeron_cluster.memory.system.seams cimport File

from aeron_cluster.errors import BufferUsageError, CorruptError

cdef enum:
    TOUCH_INTERVAL = 4096  # no page is smaller


@cython.final
@cython.no_gc
cdef class MappedFile:
    """A mapping, and a buffer over it.

    Create one with `create`, `open` or `of`; close it, or use it in a ``with``.

    Attributes
    ----------
    path : str
        The file.
    length : int
        The mapping's length, in bytes.
    writable : bool
        Whether it is writable.
    exports : int
        The number of exported buffers.
    """

    def __dealloc__(self):
        if self._mapping is not NULL:
            self._files.c.ops.unmap(self._files.c.state, self._mapping, self.length)

    @staticmethod
    def of(File file not None, int64_t offset=0, int64_t length=-1, *, bint writable=False):
        """Map a part of an open file, which may be closed afterwards.

        Parameters
        ----------
        file : File
            The file; for a writable mapping one that was opened for writing.
        offset : int
            The offset of the part, in bytes; whole pages.
        length : int
            The length to map, in bytes; -1 for everything after the offset.
        writable : bool
            Whether it is writable.

        Raises
        ------
        CorruptError
            The file is shorter than that, or empty.
        PlatformError
            The system cannot map it.
        """
        cdef MappedFile self = MappedFile.__new__(MappedFile)
        cdef void *mapping = NULL
        there = file.length
        if length < 0:
            length = there - offset
        # Access to a page beyond the end would be a bus error.
        if length <= 0 or offset + length > there:
            raise CorruptError(file.path, offset, "length", f">= {offset + max(length, 1)}", there)
        self._files = file._files
        self.path = file.path
        self.length = length
        self.writable = writable
        check(self._files.c.ops.map(self._files.c.state, file.handle, offset, length, writable,
                                    &mapping), self.path)
        self._mapping = self.address = <uint8_t *>mapping
        return self

    @staticmethod
    def open(Files files not None, path, *, bint writable=False):
        """Map an existing file completely.

        Parameters
        ----------
        files : Files
            The seam.
        path : path-like
            The file.
        writable : bool
            Whether it is writable.

        Raises
        ------
        CorruptError
            The file is empty.
        PlatformError
            The file is missing, or the system cannot map it.
        """
        with files.open(path, write=writable) as file:
            return MappedFile.of(file, writable=writable)

    @staticmethod
    def create(Files files not None, path, int64_t length, *, bint allocate=True):
        """Create a new file of zeros, and map it writable.

        Parameters
        ----------
        files : Files
            The seam.
        path : path-like
            The file.
        length : int
            Its length, in bytes.
        allocate : bool
            Allocate its disk blocks now, so that a full disk is an error here instead of a bus
            error later; otherwise it is a hole that a writer must allocate first.

        Raises
        ------
        InsufficientSpaceError
            There is not enough space; the file is removed again.
        PlatformError
            The file already exists, or cannot be created.
        """
        with files.open(path, exclusive=True) as file:
            try:
                if allocate:
                    file.allocate(0, length)
                else:
                    file.truncate(length)
                return MappedFile.of(file, writable=True)
            except BaseException:
                files.remove(path)
                raise

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def __len__(self):
        return self.length

    def __repr__(self):
        state = "closed" if self.is_closed else "writable" if self.writable else "read-only"
        return f"<MappedFile {self.path} {self.length} bytes, {state}>"

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self.address is NULL

    def close(self) -> None:
        """Unmap; calling it again does nothing.

        Exported buffers stay readable: the mapping is removed with the last one.
        """
        self.address = NULL
        if self.exports == 0:
            self._unmap()

    def touch(self) -> None:
        """Touch every page, so that it is present before it is needed; contents are unchanged."""
        cdef int64_t offset = 0
        if self.address is NULL:
            raise BufferUsageError(f"{self.path}: mapping is closed")
        with nogil:
            while offset + 4 <= self.length:
                if self.writable:
                    # Allocates the page like a write, even in a hole, without a change.
                    compare_and_set_i32(self.address + offset, 0, 0)
                else:
                    load_opaque_i32(self.address + offset)
                offset += TOUCH_INTERVAL

    cdef int _unmap(self) except -1:
        cdef uint8_t *mapping = self._mapping
        if mapping is not NULL:
            self._mapping = NULL
            check(self._files.c.ops.unmap(self._files.c.state, mapping, self.length), self.path)
        return 0

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if self.address is NULL:
            raise BufferUsageError(f"{self.path}: mapping is closed")
        if flags & PyBUF_WRITABLE and not self.writable:
            raise BufferUsageError(f"{self.path}: mapping is read-only")
        PyBuffer_FillInfo(buffer, self, self.address, self.length, not self.writable, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.exports -= 1
        if self.exports == 0 and self.address is NULL:
            self._unmap()
