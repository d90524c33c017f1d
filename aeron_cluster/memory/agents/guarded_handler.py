"""An error handler of the user whose own exceptions change nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from aeron_cluster.errors import AgentTerminationError

__all__ = ["guarded_handler"]

_LOGGER: Final = logging.getLogger("aeron_cluster.agent")


def guarded_handler(handler: Callable[[Exception], object]) -> Callable[[Exception], None]:
    """Return a handler that calls the user's and logs what that raises.

    Errors are reported in the middle of other work, such as an election, which must go on.

    Parameters
    ----------
    handler : callable
        It ends the calling agent by an `AgentTerminationError`, and passes on what is not an
        `Exception`: a `KeyboardInterrupt`, or the `SystemExit` of ``sys.exit()``.
    """

    def report(error: Exception) -> None:
        try:
            handler(error)
        except AgentTerminationError:
            raise
        except Exception:  # the user's
            _LOGGER.exception("the error handler failed")

    return report
