"""Work in an event loop of asyncio, without a thread.

No counterpart in Aeron. Waits and duty cycles poll from the loop, immediately for a short while and
then at intervals, so that an idle program sleeps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from aeron_cluster.config import Duration, duration_ns
from aeron_cluster.errors import TimeoutExpiredError

__all__ = ["LoopDutyCycle", "until"]

_T = TypeVar("_T")
# Event loops round timeouts up to milliseconds: shorter waits poll without a timeout.
_SPIN_S: Final = 0.002
_FIRST_PAUSE_S: Final = 0.0005
_LONGEST_PAUSE_S: Final = 0.004


async def until(attempt: Callable[[], _T], timeout_ns: Duration = 0, what: str = "") -> _T:
    """Await that an attempt returns something true, and return it.

    Parameters
    ----------
    attempt : Callable[[], object]
        Called repeatedly, from the event loop; it must not block.
    timeout_ns : int, str or timedelta
        The longest wait, in ns; 0 for no limit.
    what : str
        A name for what is awaited, for the error.

    Raises
    ------
    TimeoutExpiredError
        The attempt did not succeed in time.
    """
    longest_ns = duration_ns("timeout_ns", timeout_ns)
    if result := attempt():
        return result
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    pause_s = _FIRST_PAUSE_S
    while True:
        waited_s = loop.time() - began_s
        if longest_ns and waited_s * 1e9 > longest_ns:
            raise TimeoutExpiredError(f"{what or 'it'}: not within {longest_ns / 1e9:g} s")
        if waited_s < _SPIN_S:
            await asyncio.sleep(0)
        else:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        if result := attempt():
            return result


class LoopDutyCycle:
    """A duty cycle in the running event loop: begun when it is created.

    Parameters
    ----------
    do_work : Callable[[], int]
        A pass, which returns its work count.
    is_waiting : Callable[[], bool]
        Whether answers are pending: then the pauses stay short.
    on_error : Callable[[Exception], object]
        Called with the error of a pass, after which none follows.

    Attributes
    ----------
    is_sleeping : bool
        Whether the next pass follows a pause.
    """

    def __init__(
        self,
        do_work: Callable[[], int],
        is_waiting: Callable[[], bool],
        on_error: Callable[[Exception], object],
    ) -> None:
        self._do_work = do_work
        self._is_waiting = is_waiting
        self._on_error = on_error
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None
        self._spin_until_s = 0.0
        self._pause_s = _FIRST_PAUSE_S
        self.is_sleeping = False
        self._schedule(is_busy=True)

    def wake(self) -> None:
        """Do the next pass without a pause."""
        self.stop()
        self._schedule(is_busy=True)

    def stop(self) -> None:
        """Do no further pass."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _schedule(self, *, is_busy: bool) -> None:
        now_s = self._loop.time()
        if is_busy:
            self._spin_until_s = now_s + _SPIN_S
            self._pause_s = _FIRST_PAUSE_S
        self.is_sleeping = now_s >= self._spin_until_s
        if not self.is_sleeping:
            self._handle = self._loop.call_soon(self._pass)
            return
        self._handle = self._loop.call_later(self._pause_s, self._pass)
        longest_s = _FIRST_PAUSE_S if self._is_waiting() else _LONGEST_PAUSE_S
        self._pause_s = min(2 * self._pause_s, longest_s)

    def _pass(self) -> None:
        self._handle = None
        try:
            work_count = self._do_work()
        except Exception as error:  # noqa: BLE001 - the awaiting tasks get it
            self._on_error(error)
        else:
            self._schedule(is_busy=work_count > 0)
