"""Objects that must leave what they share alone in the child of a fork."""

import os
import weakref
from typing import Final, Protocol

__all__ = ["Disowned", "disown_after_fork"]


class Disowned(Protocol):
    """An object that shares memory, threads or peers, and is only valid in its process."""

    def disown(self) -> None:
        """Become closed, in the child of a fork: what is shared belongs to the parent."""


# A fork concerns the whole process: its child has to find every such object.
_SHARING: Final[weakref.WeakSet[Disowned]] = weakref.WeakSet()


def disown_after_fork(shared: Disowned) -> None:
    """Register ``shared.disown`` to be called in the child of a fork, while the object exists."""
    _SHARING.add(shared)


def _disown_all() -> None:
    for shared in list(_SHARING):
        shared.disown()


os.register_at_fork(after_in_child=_disown_all)
