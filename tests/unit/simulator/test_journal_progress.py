"""Journals compared with the log step by step: a difference is found in the step that has it."""

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.journal_progress import JournalProgress
from aeron_cluster.simulator.members.journal import Entry, Journal
from tests.unit.simulator.test_plain_cluster import Log


def test_a_difference_is_found_when_log_and_journal_have_come_to_it():
    log = Log()
    log.term(0)
    log.open(1)
    log.message(1)
    journal = Journal(0)
    progress = JournalProgress()
    progress.check([journal], log.model)
    journal.add(0, Entry(*log.model.seen[0]), "member 0")
    journal.add(1, Entry(*log.model.seen[1]), "member 0")
    progress.check([journal], log.model)
    journal.add(2, Entry(*log.model.seen[2])._replace(payload=b"other"), "member 0")
    with pytest.raises(InvariantError, match="services see the log: service 0 saw message 1"):
        progress.check([journal], log.model)


def test_what_services_saw_before_the_log_was_read_is_compared_later():
    log = Log()
    log.term(0)
    journal = Journal(0)
    progress = JournalProgress()
    journal.add(0, Entry(*log.model.seen[0]), "member 0")
    journal.add(1, Entry(log.position + 96, "open", 1, 1, b""), "member 0")
    progress.check([journal], log.model)
    log.open(1)
    with pytest.raises(InvariantError, match="services see the log: service 0 saw open 1"):
        progress.check([journal], log.model)


def log_with_offers(*payloads):
    log = Log()
    log.term(0)
    for number, payload in enumerate(payloads, 1):
        log.offered(0, number, payload)
    journal = Journal(0)
    for index, seen in enumerate(log.model.seen):
        journal.add(index, Entry(*seen), "member 0")
    return log, journal


def test_offers_are_logged_in_their_order():
    log, journal = log_with_offers(b"a", b"b")
    journal.offers = {(96, 0): b"a", (96, 1): b"b", (192, 0): b"not yet"}
    progress = JournalProgress()
    progress.check([journal], log.model)
    log.offered(0, 3, b"not yet")
    progress.check([journal], log.model)


@pytest.mark.parametrize(
    "offers",
    [
        {},
        {(96, 0): b"a"},
        {(96, 0): b"b", (96, 1): b"a"},
        {(96, 0): b"a", (96, 1): b"c"},
    ],
)
def test_a_message_that_no_service_offered_so_is_detected(offers):
    log, journal = log_with_offers(b"a", b"b")
    journal.offers = offers
    with pytest.raises(InvariantError, match="a service's message is in the log once: service 0"):
        JournalProgress().check([journal], log.model)


def test_what_native_services_offer_is_not_observed():
    log, _ = log_with_offers(b"a")
    JournalProgress().check([Journal(0)], log.model)


def notified(log):
    """Return the journal of a service that saw what the log has so far."""
    journal = Journal(0)
    for index, seen in enumerate(log.model.seen):
        journal.add(index, Entry(*seen), "member 0")
    for term in log.model.terms:
        journal.on_term(tuple(term), "member 0")
    for event in log.model.opens.values():
        opened = event.stream_id, event.channel, event.principal
        journal.on_opened(event.session_id, opened, "member 0")
    return journal


def test_terms_and_sessions_that_services_saw_are_those_of_the_log():
    log = Log()
    log.term(0)
    log.open(1)
    progress = JournalProgress()
    progress.check([notified(log)], log.model)
    log.term(4)
    log.open(2)
    progress.check([notified(log)], log.model)
    # What was compared is not compared again.
    journal = notified(log)
    journal.terms[0] = journal.opened[1] = ()
    progress.check([journal], log.model)


@pytest.mark.parametrize("field", range(1, 8))
def test_a_field_of_a_term_that_differs_is_found(field):
    log = Log()
    log.term(0)
    log.term(4)
    journal = notified(log)
    term = [*journal.terms[4]]
    term[field] += 1
    journal.terms[4] = tuple(term)
    with pytest.raises(InvariantError, match="services see the log: service 0 was notified of"):
        JournalProgress().check([journal], log.model)


@pytest.mark.parametrize("field", range(3))
def test_a_field_of_a_session_that_differs_is_found(field):
    log = Log()
    log.term(0)
    log.open(1)
    journal = notified(log)
    opened = [*journal.opened[1]]
    opened[field] = None
    journal.opened[1] = tuple(opened)
    with pytest.raises(InvariantError, match="services see the log: service 0 saw"):
        JournalProgress().check([journal], log.model)
