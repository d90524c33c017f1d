"""Reject nondeterministic calls while a service's callback runs.

No counterpart in Aeron; for development. It uses the interpreter's profile hook, which observes
each call of a C function on the thread, however it was imported, and an audit hook, which observes
files, sockets, processes and threads even within other C code. Outside callbacks the only cost is a
look-up in an empty dictionary for each audited event.
"""

from __future__ import annotations

import _socket
import contextlib
import datetime
import dis
import functools
import gc
import importlib
import io
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, Final

from aeron_cluster.errors import NondeterminismError

__all__ = ["CLOCKS_AND_RANDOMNESS", "EVERYTHING", "DeterminismTrap"]

_CLOCK: Final = "clock"
_RANDOMNESS: Final = "randomness"
_THREAD: Final = "thread"
_IO: Final = "I/O"

CLOCKS_AND_RANDOMNESS: Final = frozenset({_CLOCK, _RANDOMNESS})
"""Calls that are rejected everywhere."""

EVERYTHING: Final = frozenset({_CLOCK, _RANDOMNESS, _THREAD, _IO})
"""Calls that are rejected in callbacks of the log."""

_CLOCK_NAMES: Final = (
    "clock_gettime",
    "clock_gettime_ns",
    "ctime",
    "localtime",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "process_time_ns",
    "sleep",
    "thread_time",
    "thread_time_ns",
    "time",
    "time_ns",
)
# With at most this many arguments they use the current time, else that of an argument.
_CLOCK_WITHOUT: Final = {time.asctime: 0, time.gmtime: 0, time.strftime: 1}
_CALL: Final = dis.opmap["CALL"]
_NOW_NAMES: Final = frozenset({"now", "today", "utcnow"})
_THREAD_STARTS: Final = frozenset({"start_joinable_thread", "start_new", "start_new_thread"})
_READS: Final = frozenset({"peek", "read", "read1", "readall", "readinto", "readline", "readlines"})
_IN_MEMORY: Final = (io.BytesIO, io.StringIO)
_HARMLESS_OS: Final = frozenset({"DirEntry", "fspath", "waitstatus_to_exitcode"})
# Calls within these modules do not affect the service's state: imports, log records, tracebacks.
_EXEMPT: Final = frozenset(
    {
        "importlib",
        "_frozen_importlib",
        "_frozen_importlib_external",
        "linecache",
        "logging",
        "traceback",
        "warnings",
        "zipimport",
    }
)
_AUDITED: Final = (
    ("open", _IO),
    ("os.", _IO),
    ("socket.", _IO),
    ("subprocess.", _IO),
    ("shutil.", _IO),
    ("tempfile.", _IO),
    ("glob.", _IO),
    ("pathlib.", _IO),
    ("sqlite3.connect", _IO),
    ("mmap.", _IO),
    ("fcntl.", _IO),
    ("urllib.", _IO),
    ("http.client.", _IO),
    ("ctypes.dlopen", _IO),
    ("time.sleep", _CLOCK),
    ("_thread.start", _THREAD),
)
_THREAD_START: Final = "threading.Thread.start"

# By the thread that runs the callback; empty outside callbacks.
_active: Final[dict[int, DeterminismTrap]] = {}


def _c_functions() -> dict[object, tuple[str, str]]:
    found: dict[object, tuple[str, str]] = {
        getattr(time, name): (f"time.{name}", _CLOCK)
        for name in _CLOCK_NAMES
        if hasattr(time, name)
    }
    found[os.urandom] = ("os.urandom", _RANDOMNESS)
    # The shared generator of the module's functions.
    shared = getattr(random.random, "__self__", None)
    for name in ("random", "getrandbits"):
        found[getattr(shared, name)] = (f"random.{name}", _RANDOMNESS)
    generate = getattr(uuid, "_generate_time_safe", None)
    if generate is not None:
        found[generate] = ("uuid.uuid1", _RANDOMNESS)
    return found


_C_FUNCTIONS: Final = _c_functions()
_PYTHON_FUNCTIONS: Final[dict[CodeType, tuple[str, str]]] = {
    uuid.uuid1.__code__: ("uuid.uuid1", _RANDOMNESS),
    uuid.uuid4.__code__: ("uuid.uuid4", _RANDOMNESS),
    type(os.environ).__getitem__.__code__: ("os.environ", _IO),
    type(os.environ).__iter__.__code__: ("os.environ", _IO),
}
_SEED: Final = random.Random.seed.__code__


def _argument_count(frame: FrameType) -> int | None:
    """Return the number of arguments of a frame's current call; None if it unpacks them.

    The profile hook does not pass them, but the current instruction has their number.
    """
    code, place = frame.f_code.co_code, frame.f_lasti
    return code[place + 1] if code[place] == _CALL else None


def _what_c_function(
    function: Any,  # noqa: ANN401 - any callable
    frame: FrameType,
) -> tuple[str, str] | None:
    """Return the name and the kind of a C function that a frame must not call, or None."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, type):
        if name in _NOW_NAMES and issubclass(owner, datetime.date):
            return f"{owner.__module__}.{owner.__qualname__}.{name}", _CLOCK
        return None
    if isinstance(owner, _socket.socket):
        return f"socket.socket.{name}", _IO
    if name in _READS and isinstance(owner, io.IOBase) and not isinstance(owner, _IN_MEMORY):
        return f"{type(owner).__name__}.{name}", _IO
    module = getattr(function, "__module__", None)
    if module == "posix":
        if name == "urandom":
            return "os.urandom", _RANDOMNESS
        return None if name in _HARMLESS_OS or name.startswith("_") else (f"os.{name}", _IO)
    if module == "_thread" and name in _THREAD_STARTS:
        return _THREAD_START, _THREAD
    if module in ("select", "resource"):
        return f"{module}.{name}", _IO
    if module == "time" and function in _CLOCK_WITHOUT:
        count = _argument_count(frame)
        is_now = count is not None and count <= _CLOCK_WITHOUT[function]
        return (f"time.{name} of now", _CLOCK) if is_now else None
    if module in ("time", "_random", "_uuid", None):
        try:
            return _C_FUNCTIONS.get(function)
        except TypeError:  # a method of an unhashable object
            return None
    return None


class DeterminismTrap:
    """Rejects such calls on the watched thread.

    Notes
    -----
    Dependence on hashes and addresses, such as iterating over a set of strings, is not detected:
    run twice with different ``PYTHONHASHSEED`` and compare (``aeron-cluster check``). Random
    generators with an explicit seed are deterministic and allowed.
    """

    def __init__(self) -> None:
        _install()
        self._callback = ""
        self._log_position = -1
        self._kinds: frozenset[str] = EVERYTHING
        self._outermost: FrameType | None = None
        self._found: NondeterminismError | None = None
        self._profile_before: Any = None

    @contextlib.contextmanager
    def watching(
        self, callback: str, log_position: int, kinds: frozenset[str] = EVERYTHING
    ) -> Iterator[None]:
        """Watch a block.

        Parameters
        ----------
        callback : str
            The name of the callback, for the message.
        log_position : int
            The log position in bytes, for the message.
        kinds : frozenset of str
            The kinds of calls to reject.

        Raises
        ------
        NondeterminismError
            A call was rejected, even if the block caught the exception.
        """
        self.begin(callback, log_position, kinds)
        try:
            yield
        finally:
            self.end()

    def begin(self, callback: str, log_position: int, kinds: frozenset[str] = EVERYTHING) -> None:
        """Watch until `end`, as `watching` does for a block."""
        self._callback = callback
        self._log_position = log_position
        self._kinds = kinds
        self._found = None
        self._outermost = sys._getframe(1)  # noqa: SLF001 - the way to a frame
        if not _is_numpy_patched:
            _patch_numpy()
        self._resume()

    def end(self) -> None:
        """Stop watching.

        Raises
        ------
        NondeterminismError
            A call was rejected, even if the exception was caught.
        """
        self._pause()
        self._outermost = None
        if self._found is not None:
            found, self._found = self._found, None
            raise found

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Allow everything in a block, for calls outside the service."""
        if _active.get(threading.get_ident()) is not self:
            yield  # it is not active
            return
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def _resume(self) -> None:
        self._profile_before = sys.getprofile()
        _active[threading.get_ident()] = self
        sys.setprofile(self._profile)

    def _pause(self) -> None:
        sys.setprofile(self._profile_before)
        self._profile_before = None
        _active.pop(threading.get_ident(), None)

    def reject(self, call: str, kind: str, frame: FrameType | None) -> None:
        """Raise, unless the call comes from outside the service."""
        if kind not in self._kinds or self._is_exempt(frame):
            return
        self._found = NondeterminismError(call, self._callback, self._log_position, kind)
        raise self._found

    def _is_exempt(self, frame: FrameType | None) -> bool:
        # A collection may begin anywhere; what others hang on it (test tools do) is not the
        # service's.
        of_collector = {getattr(each, "__code__", None) for each in gc.callbacks}
        while frame is not None and frame is not self._outermost:
            name = frame.f_globals.get("__name__", "")
            if name.partition(".")[0] in _EXEMPT or frame.f_code in of_collector:
                return True
            frame = frame.f_back
        return False

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call":
            found = _what_c_function(argument, frame)
        elif event == "call":
            found = _PYTHON_FUNCTIONS.get(frame.f_code)
            if frame.f_code is _SEED and frame.f_locals.get("a") is None:
                found = ("random.Random() without a seed", _RANDOMNESS)
        else:
            return
        if found is not None:
            self.reject(*found, frame)


def _on_audit(event: str, arguments: tuple[object, ...]) -> None:
    del arguments
    if not _active:
        return
    trap = _active.get(threading.get_ident())
    if trap is None:
        return
    for prefix, kind in _AUDITED:
        if event.startswith(prefix):
            call = _THREAD_START if kind is _THREAD else event
            trap.reject(call, kind, sys._getframe(1))  # noqa: SLF001 - the way to a frame
            return


# Set to True once the hook is installed.
_is_hooked: Final[list[str]] = []


def _install() -> None:
    """Add the hook once; it stays, since audit hooks cannot be removed."""
    if not _is_hooked:
        _is_hooked.append("audit")
        sys.addaudithook(_on_audit)


def _watched(call: str, original: Callable[..., Any], *, is_seeded: bool) -> Callable[..., Any]:
    @functools.wraps(original)
    def watched(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as the original
        trap = _active.get(threading.get_ident())
        if trap is not None and not (
            is_seeded and (*arguments, *named.values()) not in ((), (None,))
        ):
            trap.reject(call, _RANDOMNESS, sys._getframe(1))  # noqa: SLF001 - the way to a frame
        return original(*arguments, **named)

    return watched


# Set to True once the functions are watched.
_is_numpy_patched: Final[list[str]] = []


def _patch_numpy() -> None:
    """Watch the functions of numpy.random, which the profile hook does not observe."""
    if "numpy" not in sys.modules:
        return
    module = importlib.import_module("numpy.random")  # otherwise it loads when it is first used
    _is_numpy_patched.append("numpy.random")
    shared = getattr(module.random, "__self__", None)
    for name in dir(module):
        function = getattr(module, name)
        if not name.startswith("_") and getattr(function, "__self__", None) is shared:
            setattr(module, name, _watched(f"numpy.random.{name}", function, is_seeded=False))
    module.default_rng = _watched(  # type: ignore[attr-defined]
        "numpy.random.default_rng", module.default_rng, is_seeded=True
    )
