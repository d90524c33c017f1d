"""Services with a table of C functions: loaded, checked, and kept alive while in use.

No counterpart in Aeron; the table is described in ``service.h``.
"""

import os

cimport cython
from cpython.pycapsule cimport (
    PyCapsule_GetName,
    PyCapsule_GetPointer,
    PyCapsule_IsValid,
    PyCapsule_SetName,
)
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset, strlen

from aeron_cluster.cluster.service.abi cimport (
    SERVICE_BAD_SIZE,
    SERVICE_BAD_VERSION,
    SERVICE_CAPSULE,
    SERVICE_FITS,
    SERVICE_NO_SESSION_MESSAGE,
    SERVICE_NO_START,
    SERVICE_NO_TAKE_SNAPSHOT,
    SERVICE_SIZE_1_0,
    SERVICE_VERSION,
    SERVICE_VERSION_MAJOR,
    SERVICE_VERSION_MINOR,
    copy_service,
    option,
    service_factory,
    service_fault,
    service_request,
    service_table,
)
from aeron_cluster.memory.system.fork cimport fork_generation

from aeron_cluster.errors import ConfigurationError, NativeServiceError


cdef extern from "<dlfcn.h>" nogil:
    enum:
        RTLD_NOW
        RTLD_LOCAL

    void *dlopen(const char *path, int flags)
    void *dlsym(void *library, const char *symbol)
    const char *dlerror()


cdef enum:
    ERROR_CAPACITY = 1024

# The name of a capsule whose table has an owner that destroys it.
cdef const char *USED_CAPSULE = b"aeron_cluster.ac_service.taken"

CALLBACKS = (
    "on_start",
    "on_session_open",
    "on_session_close",
    "on_session_message",
    "on_timer_event",
    "on_take_snapshot",
    "on_role_change",
    "on_new_leadership_term_event",
    "on_terminate",
    "do_background_work",
    "destroy",
)
"""The members of the table that are functions, in its order."""


cdef int _raise_fault(service_fault fault, const service_table *given, str source) except -1:
    if fault == SERVICE_BAD_VERSION:
        raise NativeServiceError(
            source, "version of the table", f"{<int>SERVICE_VERSION_MAJOR}.x",
            f"{given.version >> 16}.{given.version & 0xffff}"
        )
    if fault == SERVICE_BAD_SIZE:
        least = <int>sizeof(service_table)
        if given.version < SERVICE_VERSION:
            least = SERVICE_SIZE_1_0
        raise NativeServiceError(
            source, "size of the table", f"at least {least} bytes", f"{given.size} bytes"
        )
    missing = {
        <int>SERVICE_NO_START: "on_start",
        <int>SERVICE_NO_SESSION_MESSAGE: "on_session_message",
        <int>SERVICE_NO_TAKE_SNAPSHOT: "on_take_snapshot",
    }
    raise NativeServiceError(source, missing[<int>fault], "a function", "NULL")


cdef NativeService new_native_service(const service_table *given, str source, object kept):
    cdef NativeService service = NativeService.__new__(NativeService)
    cdef service_table own
    cdef service_fault fault = copy_service(&own, given)
    if fault != SERVICE_FITS:
        _raise_fault(fault, given, source)
    if own.name == NULL:
        service.name = source
    else:
        service.name = own.name.decode("utf-8", "replace")
    service.source = source
    service.version = (given.version >> 16, given.version & 0xffff)
    service._kept = kept
    service._generation = fork_generation()
    service.table = own
    service.is_closed = False
    return service


@cython.final
@cython.no_gc_clear
cdef class NativeService:
    """A clustered service that runs without Python, with a table of C functions.

    Pass it to a container as its service. It is loaded from a shared library, a capsule, an
    address, or the addresses of single functions.

    Notes
    -----
    The container closes it when the service has ended; until then it must not be used otherwise.
    """

    def __cinit__(self):
        self.is_closed = True  # until it has a table

    def __init__(self):
        raise TypeError("NativeService: made by load, from_capsule, from_address or from_functions")

    @staticmethod
    def load(path, str symbol not None, options=None):
        """Start a service of a shared library.

        Parameters
        ----------
        path : str or os.PathLike
            The library. A relative path counts from the working directory.
        symbol : str
            Its factory, an ``ac_service_factory``.
        options : Mapping[str, str], optional
            The arguments of the factory, in this order.

        Returns
        -------
        NativeService
            The service, not started yet.

        Raises
        ------
        NativeServiceError
            The library cannot be loaded, has no such symbol, its factory failed, or the factory's
            table does not fit.

        Notes
        -----
        The library stays loaded until the process ends.
        """
        cdef bytes c_path = os.fsencode(os.path.abspath(path))
        cdef bytes c_symbol = symbol.encode()
        cdef const char *at_path = c_path
        cdef const char *at_symbol = c_symbol
        cdef const char *error = NULL
        cdef void *library
        cdef void *found = NULL
        name = os.fsdecode(c_path)
        if b"\0" in c_path + c_symbol:
            raise ConfigurationError("library", "no zero byte", f"{name}:{symbol}")
        with nogil:
            library = dlopen(at_path, RTLD_NOW | RTLD_LOCAL)
            if library != NULL:
                found = dlsym(library, at_symbol)
            if found == NULL:
                error = dlerror()
        reason = "no reason" if error == NULL else error.decode("utf-8", "replace")
        if library == NULL:
            raise NativeServiceError(name, "library", "one that loads here", reason)
        source = f"{name}:{symbol}"
        if found == NULL:
            raise NativeServiceError(source, "symbol", "an ac_service_factory", reason)
        return _made_by(<service_factory>found, source, options or {})

    @staticmethod
    def from_capsule(object capsule not None):
        """Create the service of a capsule.

        Parameters
        ----------
        capsule : PyCapsule
            A capsule named ``aeron_cluster.ac_service`` with the address of an ``ac_service``. It
            is retained with everything that its destructor frees.

        Returns
        -------
        NativeService
            The service, not started yet.

        Raises
        ------
        TypeError
            It is not such a capsule, or its service is already in use by an owner that destroys it.
        NativeServiceError
            The table does not fit.
        """
        cdef const char *name
        if not PyCapsule_IsValid(capsule, SERVICE_CAPSULE):
            found = type(capsule).__name__
            if found == "PyCapsule":
                name = PyCapsule_GetName(capsule)
                found = f"one named {'nothing' if name == NULL else name.decode()}"
            expected = SERVICE_CAPSULE.decode()
            raise TypeError(f"capsule: expected a PyCapsule named {expected}, found {found}")
        given = <const service_table *>PyCapsule_GetPointer(capsule, SERVICE_CAPSULE)
        service = new_native_service(given, f"capsule at {<uintptr_t>given:#x}", capsule)
        if service.table.destroy != NULL:
            PyCapsule_SetName(capsule, USED_CAPSULE)
        return service

    @staticmethod
    def from_address(uintptr_t address, *, keep_alive=None):
        """Create the service with a table at an address, such as one from ctypes.

        Parameters
        ----------
        address : int
            The address of an ``ac_service``. It is copied; the memory that it points to must stay
            valid.
        keep_alive : object
            Retained until the service is closed.

        Returns
        -------
        NativeService
            The service, not started yet.

        Raises
        ------
        NativeServiceError
            The table does not fit.

        Notes
        -----
        The address cannot be checked. If the table has a ``destroy``, use it only once.
        """
        if address == 0 or address % sizeof(void *) != 0:
            raise NativeServiceError(
                f"address {address:#x}", "address", "one of an ac_service", f"{address:#x}"
            )
        return new_native_service(
            <const service_table *>address, f"address {address:#x}", keep_alive)

    @staticmethod
    def from_functions(functions, *, uintptr_t state=0, str name=None, keep_alive=None):
        """Create a service from single functions, such as Numba's ``cfunc`` with their addresses.

        Parameters
        ----------
        functions : Mapping[str, int]
            The address of each callback, by its name in ``service.h``.
        state : int
            The address passed to each function as its first argument.
        name : str
            The name for messages.
        keep_alive : object
            Retained until the service is closed: the compiled functions, and the owner of
            ``state``.

        Returns
        -------
        NativeService
            The service, not started yet.

        Raises
        ------
        ConfigurationError
            There is no callback with that name.
        NativeServiceError
            A required callback is missing.
        """
        cdef service_table given
        memset(&given, 0, sizeof(given))
        cdef void **first = <void **>&given.on_start
        cdef bytes text = b"native service" if name is None else name.encode()
        for callback, address in functions.items():
            if callback not in CALLBACKS:
                raise ConfigurationError("callback", " or ".join(CALLBACKS), callback)
            first[CALLBACKS.index(callback)] = <void *><uintptr_t>address
        given.version = SERVICE_VERSION
        given.size = sizeof(given)
        given.name = text
        given.state = <void *>state
        return new_native_service(&given, text.decode(), (keep_alive, text))

    def close(self):
        """Free the service's state; calling it again, or after a fork, does nothing."""
        if self.is_closed:
            return
        self.is_closed = True
        _destroy(&self.table, self._generation)
        self._kept = None

    def __dealloc__(self):
        if not self.is_closed:
            _destroy(&self.table, self._generation)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __repr__(self):
        return f"<NativeService {self.name!r} of {self.source}>"


cdef void _destroy(service_table *table, int64_t generation) noexcept:
    if table.destroy == NULL or generation != fork_generation():
        return
    with nogil:
        table.destroy(table.state)


cdef NativeService _made_by(service_factory factory, str source, object options):
    cdef service_request request
    cdef char error[ERROR_CAPACITY]
    cdef const service_table *given
    cdef Py_ssize_t index
    pairs = [(str(name).encode(), str(value).encode()) for name, value in options.items()]
    for name, value in pairs:
        if b"\0" in name + value:
            raise ConfigurationError("option", "no zero byte", (name, value))
    cdef option *given_options = <option *>calloc(len(pairs) or 1, sizeof(option))
    if given_options == NULL:
        raise MemoryError
    try:
        for index in range(len(pairs)):
            given_options[index].name = <bytes>pairs[index][0]
            given_options[index].value = <bytes>pairs[index][1]
        error[0] = 0
        request.version = SERVICE_VERSION
        request.size = sizeof(request)
        request.options = given_options
        request.option_count = <int>len(pairs)
        request.error_capacity = ERROR_CAPACITY
        request.error = error
        with nogil:
            given = factory(&request)
        error[ERROR_CAPACITY - 1] = 0
    finally:
        free(given_options)
    if given == NULL:
        reason = error[:strlen(error)].decode("utf-8", "replace")
        raise NativeServiceError(source, "factory", "a table", reason or "NULL")
    return new_native_service(given, source, None)


def abi_version():
    """Return the version of the table that this build supports, as (major, minor)."""
    return <int>SERVICE_VERSION_MAJOR, <int>SERVICE_VERSION_MINOR
