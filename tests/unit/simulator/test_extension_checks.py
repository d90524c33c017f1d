"""Calls of extensions against the model's log: what is out of order, missing or different."""

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.extension_order import CallOrder, check_closed
from aeron_cluster.simulator.checks.extension_progress import ExtensionProgress, ExtensionView
from aeron_cluster.simulator.checks.extensions import check_client_messages, check_reports
from aeron_cluster.simulator.members.extension_calls import (
    ExtensionCall,
    ExtensionJournal,
    ExtensionLife,
)
from aeron_cluster.simulator.model.plain_messages import TermEvent

START = ExtensionCall("start", 0)
FOLLOWS = ExtensionCall("elected", 0, 0, (1, False))
LEADS = ExtensionCall("elected", 0, 0, (0, True))
PREPARE = ExtensionCall("prepare", 96)


def life_of(*calls, member_id=0):
    life = ExtensionLife(ExtensionJournal(), member_id, 1)
    for each in calls:
        life.add(each)
    return life


# ---- the order ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "calls",
    [
        (START, ExtensionCall("work"), FOLLOWS, ExtensionCall("settled"), ExtensionCall("closed")),
        (START, ExtensionCall("message", 96), FOLLOWS, PREPARE, LEADS, ExtensionCall("read", 96)),
        (START, PREPARE, PREPARE, FOLLOWS),
    ],
)
def test_allowed_order_holds(calls):
    CallOrder(life_of(*calls)).check()


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ((FOLLOWS,), "it starts first"),
        ((START, START), "it starts first"),
        ((START, ExtensionCall("closed"), ExtensionCall("message", 96)), "it is closed"),
        ((START, ExtensionCall("closed"), ExtensionCall("closed")), "it is closed"),
        ((START, ExtensionCall("settled")), "an election runs"),
        ((START, FOLLOWS, PREPARE, ExtensionCall("settled")), "an election runs"),
        ((START, ExtensionCall("ingress", key=1, detail=(b"a", True))), "an election runs"),
        ((START, FOLLOWS, LEADS), "no election began"),
        ((START, LEADS, ExtensionCall("message", 96)), "the member leads"),
        ((START, LEADS, ExtensionCall("term", 96)), "the member leads"),
        ((START, FOLLOWS, ExtensionCall("read", 96)), "the member does not lead"),
        (
            (
                START,
                LEADS,
                ExtensionCall("ingress", key=1, detail=(b"a", False)),
                ExtensionCall("ingress", key=1, detail=(b"b", True)),
            ),
            "another one was declined",
        ),
    ],
)
def test_wrong_order_is_detected(calls, reason):
    with pytest.raises(InvariantError, match=reason):
        CallOrder(life_of(*calls)).check()


def test_a_process_without_the_last_call_is_detected():
    life = life_of(START, FOLLOWS)
    with pytest.raises(InvariantError, match="extensions are closed"):
        check_closed(life._journal)
    life.add(ExtensionCall("closed"))
    check_closed(life._journal)


# ---- the log -----------------------------------------------------------------------------------


class Model:
    """A log of one term with a session and two messages of the extension."""

    def __init__(self, leader_id):
        self.terms = [TermEvent(0, 96, 1, 0, leader_id, 7, 0, 0)]
        self.term_id = 0
        self.position = 480
        self.seen = [
            (96, "term", 0, 1, b"%d" % leader_id),
            (192, "open", 1, 2, b""),
            (288, "foreign", 733, 0, b"one"),
            (384, "foreign", 733, 0, b"two"),
            (480, "close", 1, 3, b"2"),
        ]


TERM = ExtensionCall("term", 96, 0, 1)
OPEN = ExtensionCall("open", key=1)
ONE = ExtensionCall("message", 288, detail=b"one")
TWO = ExtensionCall("message", 384, detail=b"two")
CLOSE = ExtensionCall("close", key=1, detail=2)
WORK = (ExtensionCall("work"), ExtensionCall("tick"), ExtensionCall("settled"))
READ_ONE = ExtensionCall("read", 288, detail=b"one")
READ_TWO = ExtensionCall("read", 384, detail=b"two")


def progress_of(*calls, leader_id=1):
    view = ExtensionView(Model(leader_id))
    view.update()
    progress = ExtensionProgress(life_of(START, *calls), view)
    progress.check()
    return progress


def test_a_follower_sees_the_log():
    progress_of(FOLLOWS, *WORK, TERM, OPEN, ONE, TWO, CLOSE).check_end(480)


def test_a_leader_reads_the_messages_and_has_its_sessions():
    progress_of(LEADS, *WORK, OPEN, READ_ONE, CLOSE, READ_TWO, leader_id=0).check_end(480)


@pytest.mark.parametrize(
    "calls",
    [
        (FOLLOWS, OPEN),
        (FOLLOWS, TERM, ONE),
        (FOLLOWS, TERM, OPEN, TWO),
        (FOLLOWS, TERM, OPEN, ONE, ONE),
        (FOLLOWS, TERM, OPEN, ONE._replace(position=320)),
        (FOLLOWS, TERM, OPEN, ONE._replace(detail=b"other")),
        (FOLLOWS, TERM._replace(position=0)),
        (FOLLOWS, TERM._replace(key=1)),
        (FOLLOWS, TERM._replace(detail=2)),
        (FOLLOWS, TERM, OPEN._replace(key=2)),
        (FOLLOWS, TERM, OPEN, ONE, TWO, CLOSE._replace(detail=0)),
        (FOLLOWS._replace(detail=(2, False)),),
        (FOLLOWS._replace(detail=(1, True)),),
        (FOLLOWS._replace(position=192),),
    ],
)
def test_what_a_follower_sees_differently_is_detected(calls):
    with pytest.raises(InvariantError, match="extensions see the log"):
        progress_of(*calls)


@pytest.mark.parametrize(
    "calls",
    [
        (LEADS._replace(position=96),),
        (LEADS, READ_TWO),
        (LEADS, OPEN, READ_ONE, READ_ONE),
        (LEADS, OPEN, PREPARE._replace(position=480)),
        (LEADS, READ_ONE, READ_TWO, PREPARE._replace(position=384)),
        (LEADS, OPEN, READ_ONE, READ_TWO, PREPARE._replace(position=480)),
    ],
)
def test_what_a_leader_sees_differently_is_detected(calls):
    with pytest.raises(InvariantError, match="extensions see the log"):
        progress_of(*calls, leader_id=0)


def test_what_is_missing_at_the_end_is_detected():
    for calls in ((FOLLOWS, *WORK, TERM, OPEN, ONE), (FOLLOWS, *WORK, TERM, OPEN, ONE, TWO)):
        progress = progress_of(*calls)
        progress.check_ended()
        with pytest.raises(InvariantError, match="saw nothing more"):
            progress.check_end(480)
    with pytest.raises(InvariantError, match="never"):
        progress_of(FOLLOWS, TERM, OPEN, ONE, TWO, CLOSE).check_end(480)


def test_what_the_log_never_has_is_detected_at_the_end():
    more = ExtensionCall("message", 576, detail=b"three")
    progress = progress_of(FOLLOWS, TERM, OPEN, ONE, TWO, CLOSE, more)
    with pytest.raises(InvariantError, match="nothing of the log"):
        progress.check_ended()


def test_a_leader_may_have_appended_more_sessions_than_the_log_has():
    other = OPEN._replace(key=2)
    progress_of(LEADS, OPEN, CLOSE, other, leader_id=0).check_ended()
    with pytest.raises(InvariantError, match="it appended"):
        progress_of(LEADS, OPEN, other, leader_id=0).check_ended()


def test_a_leader_whose_term_is_lost_may_have_appended_anything():
    other = OPEN._replace(key=2)
    earlier = LEADS._replace(key=LEADS.key - 1)  # the log has a later one from its position
    progress_of(earlier, OPEN, other, leader_id=0).check_ended()


# ---- reports and clients -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 2])
def test_an_error_that_is_not_reported_once_is_detected(count):
    life, error = life_of(START), OSError("of a callback")
    life.raised.append(error)
    check_reports(life, [OSError("another"), error])
    with pytest.raises(InvariantError, match=f"reported {count} times"):
        check_reports(life, [error] * count)


def client_message(client, number, session_id=1):
    fields = (24, 1, 733, 0), (client, number, session_id)
    return b"".join(
        value.to_bytes(size, "little")
        for values, size in zip(fields, (2, 8), strict=True)
        for value in values
    )


def test_a_client_message_that_comes_again_is_detected():
    found = [client_message(0, 1), client_message(1, 1), client_message(0, 3)]
    check_client_messages(found)
    for number in (1, 3):
        for session_id in (1, 2):
            with pytest.raises(InvariantError, match=f"message {number} of client 0"):
                check_client_messages([*found, client_message(0, number, session_id)])
    with pytest.raises(InvariantError, match="message 2 of client 0 in session 1, after 3"):
        check_client_messages([*found, client_message(0, 2)])
    # Another client, or another session: the client was cut off as it sent the second one.
    check_client_messages([*found, client_message(1, 2), client_message(0, 2, 2)])
