"""Wait on the main thread until the process is requested to end.

Upstream: Agrona's ShutdownSignalBarrier.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any, Self

__all__ = ["ShutdownSignalBarrier"]

_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ShutdownSignalBarrier:
    """A barrier opened by SIGINT, SIGTERM, SIGHUP (a closed terminal) or `signal`.

    The handlers are installed only inside its ``with``; earlier ones are restored after it.

    Parameters
    ----------
    signals : sequence of signal.Signals
        The signals that open it. SIGHUP is not handled if it is ignored, as by nohup.

    Notes
    -----
    Enter it on the main thread: Python handles signals only there.
    """

    def __init__(self, signals: Sequence[signal.Signals] = _END) -> None:
        self._signals = signals
        # Held until the barrier is open. A handler may interrupt a wait anywhere, so it releases
        # this lock and takes none. SimpleQueue.get of CPython 3.11 and 3.12 is no substitute: it
        # blocks forever if its deadline passes before it begins to wait.
        self._closed = threading.Lock()
        self._closed.acquire()
        self._is_open = False
        self._before: list[tuple[signal.Signals, Any]] = []
        self.received: signal.Signals | None = None

    def __enter__(self) -> Self:
        for each in self._signals:
            if each is signal.SIGHUP and signal.getsignal(each) is signal.SIG_IGN:
                continue
            self._before.append((each, signal.signal(each, self._on_signal)))
        return self

    def __exit__(self, *_: object) -> None:
        while self._before:
            each, handler = self._before.pop()
            signal.signal(each, handler)

    def signal(self) -> None:
        """Open the barrier; any thread may."""
        self._is_open = True
        with contextlib.suppress(RuntimeError):  # released already
            self._closed.release()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Sleep until the barrier is open.

        Parameters
        ----------
        timeout_s : float, optional
            The longest wait, in s; by default without limit.

        Returns
        -------
        bool
            Whether it is open. ``received`` is the signal that opened it, if one did.
        """
        longest_s = -1 if timeout_s is None else timeout_s
        if not self._is_open and self._closed.acquire(timeout=longest_s):
            with contextlib.suppress(RuntimeError):  # released by a handler
                self._closed.release()
        return self._is_open

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.received = signal.Signals(number)
        self.signal()
