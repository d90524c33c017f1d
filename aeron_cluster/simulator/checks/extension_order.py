"""The order in which a consensus module calls its extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from aeron_cluster.simulator.members.extension_calls import (
        ExtensionCall,
        ExtensionJournal,
        ExtensionLife,
    )

__all__ = ["CallOrder", "check_closed"]

_OF_A_FOLLOWER: Final = ("message", "term")


def check_closed(journal: ExtensionJournal) -> None:
    """Check that the last process of each member, which ended in order, closed its extension.

    Raises
    ------
    InvariantError
        It did not.
    """
    last = {each.member_id: each for each in journal.lives}
    for life in last.values():
        CallOrder(life).check()
        if life.calls[-1].kind != "closed":
            raise InvariantError("extensions are closed", f"{life}: {life.calls[-1]} is the last")


class CallOrder:
    """Checks the calls of one process, as far as it has come.

    It starts first and once, and nothing follows its end. Elections end with ``elected``, and a
    later one begins with ``prepare``; only between them is it settled, and receives from clients. A
    leader reads its log itself, the others receive it. What a declined message of a client is
    followed by is the same message again.

    Parameters
    ----------
    life : ExtensionLife
    """

    def __init__(self, life: ExtensionLife) -> None:
        self._life = life
        self._count = 0
        self._is_closed = False
        self._is_settled = False
        self._is_leading = False
        self._declined: dict[int, bytes] = {}  # by image

    def check(self) -> None:
        """Check the calls since the last time.

        Raises
        ------
        InvariantError
            One is not allowed after those before it.
        """
        calls = self._life.calls
        for index in range(self._count, len(calls)):
            reason = self._judge(calls[index], is_first=index == 0)
            if reason:
                before = calls[max(0, index - 3) : index]
                raise InvariantError(
                    "extensions are called in order",
                    f"{self._life}: {calls[index]} after {before}: {reason}",
                )
        self._count = len(calls)

    def _judge(self, call: ExtensionCall, *, is_first: bool) -> str:
        kind = call.kind
        if is_first != (kind == "start"):
            return "it starts first, and once"
        if self._is_closed:
            return "it is closed"
        if kind in ("settled", "ingress") and not self._is_settled:
            return "an election runs"
        if (kind in _OF_A_FOLLOWER and self._is_leading) or (
            kind == "read" and not self._is_leading
        ):
            return "the member leads" if self._is_leading else "the member does not lead"
        match kind:
            case "elected":
                if self._is_settled:
                    return "no election began"
                self._is_settled = True
                assert isinstance(call.detail, tuple)
                self._is_leading = call.detail[1]
            case "prepare":
                self._is_settled = self._is_leading = False
                self._declined.clear()
            case "closed":
                self._is_closed = True
            case "ingress":
                assert isinstance(call.detail, tuple)
                message, is_accepted = call.detail
                if self._declined.pop(call.key, message) != message:
                    return "another one was declined"
                if not is_accepted:
                    self._declined[call.key] = message
            case _:
                pass
        return ""
