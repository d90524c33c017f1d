"""What members answer to the queries of backups, as seen on the wire, compared with the log.

A backup chooses its source by these answers, and copies snapshots and log from there.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster

__all__ = ["AnswersToBackupsAreRight", "PlainAnswer", "check_answer", "read_answer"]

_ANSWER: Final = struct.Struct("<8xqqqqqqiii")
_NONE: Final = -1


class PlainAnswer(NamedTuple):
    """The fixed fields of an answer to a backup."""

    correlation_id: int
    recording_id: int
    term_id: int
    base_position: int
    last_term_id: int
    last_base_position: int
    counter_id: int
    leader_id: int
    member_id: int


class AnswersToBackupsAreRight(Listener):
    """A member names itself, a member as its leader, and a term of the log with its base, once.

    Parameters
    ----------
    followed : MembersFollowTheModel
        Has the model of the log.
    """

    def __init__(self, followed: MembersFollowTheModel) -> None:
        self._followed = followed
        # By host, session of its publication, and query: a publication is of one query.
        self._answered: set[tuple[int, int, int]] = set()

    def on_backup_response(
        self, cluster: Cluster, host: int, session_id: int, message: bytes
    ) -> None:
        """Check what a host answers, and that it has not answered the query before."""
        count = len(cluster.members)
        if host >= count:
            return
        answer = read_answer(message)
        check_answer(host, count, answer, self._followed.model)
        name = host, session_id, answer.correlation_id
        if name in self._answered:
            raise InvariantError("members answer a backup's query once", f"{host}: {answer}")
        self._answered.add(name)


def read_answer(message: bytes) -> PlainAnswer:
    """Return the fixed fields of an answer."""
    return PlainAnswer(*_ANSWER.unpack_from(message))


def check_answer(
    host: int, member_count: int, answer: PlainAnswer, model: PlainCluster | None
) -> None:
    """Check the answer of a member.

    Parameters
    ----------
    host : int
        The member that sent it.
    member_count : int
    answer : PlainAnswer
    model : PlainCluster, optional
        Of the log, as far as it was read.

    Raises
    ------
    InvariantError
        It names another member, no member as the leader, or a term that begins elsewhere.
    """
    bases = {} if model is None else {each.term_id: each.base_position for each in model.terms}
    is_right = (
        answer.member_id == host
        and _NONE <= answer.leader_id < member_count
        and (answer.last_term_id, answer.last_base_position)
        == (answer.term_id, answer.base_position)
        and bases.get(answer.term_id, answer.base_position) == answer.base_position
    )
    if not is_right:
        raise InvariantError("members answer backups with what they have", f"{host}: {answer}")
