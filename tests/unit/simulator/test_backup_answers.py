"""What members answer to backups: every wrong field is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.backup_response import backup_response
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.backup_answers import (
    AnswersToBackupsAreRight,
    PlainAnswer,
    check_answer,
    read_answer,
)

MODEL = SimpleNamespace(
    terms=[
        SimpleNamespace(term_id=0, base_position=0),
        SimpleNamespace(term_id=4, base_position=640),
    ]
)
ANSWER = PlainAnswer(9, 7, 4, 640, 4, 640, 33, 2, 1)
EMPTY = PlainAnswer(9, -1, -1, -1, -1, -1, 33, -1, 1)


def answer_data(base_position=640):
    term = SimpleNamespace(
        leadership_term_id=4, term_base_log_position=base_position, recording_id=7
    )
    return backup_response(
        9,
        term,
        [],
        commit_position_counter_id=33,
        leader_member_id=2,
        member_id=1,
        cluster_members="",
    )


def test_an_answer_is_read_as_it_was_written():
    assert read_answer(answer_data()) == ANSWER


@pytest.mark.parametrize("model", [None, MODEL])
@pytest.mark.parametrize("answer", [ANSWER, EMPTY, ANSWER._replace(leader_id=-1)])
def test_a_right_answer_passes(answer, model):
    check_answer(1, 3, answer, model)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER._replace(member_id=0),
        ANSWER._replace(leader_id=3),
        ANSWER._replace(base_position=0),
        ANSWER._replace(last_term_id=0),
        ANSWER._replace(base_position=0, last_base_position=0),
    ],
)
def test_a_wrong_answer_is_detected(answer):
    with pytest.raises(InvariantError, match="members answer backups with what they have"):
        check_answer(1, 3, answer, MODEL)


def test_only_answers_of_members_are_checked():
    checker = AnswersToBackupsAreRight(SimpleNamespace(model=MODEL))
    data = answer_data(base_position=0)
    cluster = SimpleNamespace(members=range(3))
    checker.on_backup_response(cluster, 3, 5, data)  # of another host
    with pytest.raises(InvariantError, match="members answer backups with what they have"):
        checker.on_backup_response(cluster, 1, 5, data)


def test_a_query_that_is_answered_again_is_detected():
    checker = AnswersToBackupsAreRight(SimpleNamespace(model=MODEL))
    cluster = SimpleNamespace(members=range(3))
    checker.on_backup_response(cluster, 1, 5, answer_data())
    checker.on_backup_response(cluster, 1, 6, answer_data())  # another publication
    with pytest.raises(InvariantError, match="members answer a backup's query once"):
        checker.on_backup_response(cluster, 1, 5, answer_data())
