"""Objects that must not use shared resources in the child of a fork."""

import os
import weakref
from typing import Final, Protocol

__all__ = ["Disowned", "disown_after_fork"]


class Disowned(Protocol):
    """An object that shares memory, threads or peers, and is only valid in its process."""

    def disown(self) -> None:
        """Mark it closed in the child of a fork: shared resources belong to the parent."""


# A fork affects the whole process: the child must find every such object.
_SHARING: Final[weakref.WeakSet[Disowned]] = weakref.WeakSet()


def disown_after_fork(shared: Disowned) -> None:
    """Register ``shared.disown`` to be called in the child of a fork, while the object exists."""
    _SHARING.add(shared)


def _disown_all() -> None:
    for shared in list(_SHARING):
        shared.disown()


os.register_at_fork(after_in_child=_disown_all)
