"""Requests and answers of an idle client: each difference within a session is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError, ServiceInvariantError
from aeron_cluster.simulator.checks.answer_counts import AnswerCount
from aeron_cluster.simulator.members.journal import Entry, Journal

SESSION = 7
BEGIN = 64


class Orders:
    def on_session_message(self, session, message):
        pass


class Counted:
    """A client with three requests since it was counted, each a message of the log."""

    def __init__(self, answers, *, has_leader=True, journal_count=1):
        session = SimpleNamespace(cluster_session_id=SESSION, leadership_term_id=3)
        self.client = SimpleNamespace(number=2, session=session, sent_count=4, responses=[b""] * 4)
        self.journal = Journal(0)
        for index, key in enumerate((SESSION, 8, SESSION, SESSION, SESSION)):
            entry = Entry((index + 1) * 64, "message", key, index, b"request")
            self.journal.add(index, entry, "member 0")
        self.journal.answers = {(position, 0): (SESSION, b"answer") for position in (192, 256, 320)}
        self.cluster = SimpleNamespace(
            journals=[self.journal] * journal_count,
            leader=lambda: SimpleNamespace(member_id=1) if has_leader else None,
            latest_services={0: Orders()},
        )
        self.count = AnswerCount.of(self.client)
        self.client.sent_count += 3
        self.client.responses += [b""] * answers

    def check(self):
        self.count.check(self.client, self.cluster, BEGIN)


def test_as_many_answers_as_requests_pass():
    Counted(3).check()


@pytest.mark.parametrize(
    ("position", "further", "answers", "found"),
    [
        (256, None, 2, "on_session_message sent no message for one, at log position 256, member 1"),
        (
            320,
            ("/services/orders.py", 17),
            4,
            "on_session_message sent more than one message for one, at log position 320, member 1"
            " (orders.py:17)",
        ),
    ],
)
def test_the_request_without_one_answer_is_named(position, further, answers, found):
    counted = Counted(answers)
    if further is None:
        del counted.journal.answers[position, 0]
    else:
        counted.journal.further_answers[position] = further
    with pytest.raises(ServiceInvariantError) as error:
        counted.check()
    assert error.value.invariant == "clients are answered once"
    assert error.value.found.startswith(f"client 2 sent 3 requests and got {answers} answers: ")
    assert found in error.value.found
    assert error.value.place.log_position == position


def test_requests_before_the_count_and_of_others_are_not_named():
    counted = Counted(2)  # the log's first two messages have no answer either
    with pytest.raises(InvariantError) as error:
        counted.check()
    assert type(error.value) is InvariantError
    assert error.value.found == "client 2 sent 3 requests and got 2 answers"


@pytest.mark.parametrize("options", [{"has_leader": False}, {"journal_count": 2}])
def test_a_difference_without_a_place_is_detected(options):
    with pytest.raises(InvariantError, match="sent 3 requests and got 2 answers") as error:
        Counted(2, **options).check()
    assert type(error.value) is InvariantError


def test_counts_of_different_sessions_or_terms_are_not_compared():
    counted = Counted(2)
    counted.client.session.leadership_term_id = 4
    counted.check()
    counted = Counted(2)
    counted.client.session = SimpleNamespace(cluster_session_id=8, leadership_term_id=3)
    counted.check()
    counted = Counted(2)
    counted.client.session = None
    counted.check()
    counted.count = AnswerCount.of(counted.client)
    counted.client.sent_count += 1
    counted.check()
