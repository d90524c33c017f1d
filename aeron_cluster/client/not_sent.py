"""The reason why a message was not sent, returned by `Publication.offer` and `try_claim`.

The constants of ``io.aeron.Publication``.
"""

from enum import IntEnum
from typing import Final

__all__ = ["ADMIN_ACTION", "BACK_PRESSURED", "NOT_CONNECTED", "NotSent"]


class NotSent(IntEnum):
    """A false result: nothing was sent, and retrying later may succeed.

    A position is a positive `int`, which is true, so ``while not publication.offer(message)``
    works. Where retrying cannot succeed, an exception is raised instead (`ClosedError`,
    `MaxPositionExceededError`).
    """

    NOT_CONNECTED = -1
    BACK_PRESSURED = -2
    ADMIN_ACTION = -3

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}, {_ADVICE[self]}>"


_ADVICE: Final = {
    NotSent.NOT_CONNECTED: "wait for a subscriber",
    NotSent.BACK_PRESSURED: "retry when the subscribers have caught up",
    NotSent.ADMIN_ACTION: "retry immediately: the log rotated to its next term",
}

NOT_CONNECTED: Final = NotSent.NOT_CONNECTED
BACK_PRESSURED: Final = NotSent.BACK_PRESSURED
ADMIN_ACTION: Final = NotSent.ADMIN_ACTION
