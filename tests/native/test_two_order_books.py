"""The order books in Python and in C give the same bytes for the same requests."""

import random

import pytest

from aeron_cluster.cli.order_book import MESSAGE, OrderBook, SnapshotLoader
from tests.native.service_script import Did, Script, only

SESSIONS = (3, 7, 2**62)
MAX_ORDERS = 200


def requests(seed, count):
    """Draw requests, some of them invalid, with prices that often match."""
    rng = random.Random(seed)
    for number in range(count):
        session_id = rng.choice(SESSIONS)
        request = MESSAGE.pack(
            rng.choices((1, 2, 3, 4, 5, 0, 101), (60, 15, 15, 4, 2, 1, 1))[0],
            rng.choices((1, 2, 0, 255), (48, 48, 1, 1))[0],
            rng.randrange(256),
            rng.choices((0, rng.randint(1, 20), 2**32 - 1), (1, 60, 1))[0],
            rng.getrandbits(64),
            rng.randint(0, number),
            rng.choices((rng.randint(95, 105), 0, 1 << 20, -1), (60, 1, 1, 1))[0],
        )
        if rng.random() < 0.01:
            request = request[: rng.randrange(40)] + b"x" * rng.randrange(2)
        yield session_id, request


def scripted(requested, snapshot=None):
    script = Script().start(snapshot)
    for session_id in SESSIONS:
        script.open(session_id)
    script.lead()
    for session_id, request in requested:
        script.message(session_id, request)
    return script.take_snapshot()


def answers(book, requested):
    reported = []
    for session_id, request in requested:
        book.apply(session_id, request, lambda to, reply: reported.append((to, reply)))
    return reported


def loaded(messages):
    loader = SnapshotLoader(MAX_ORDERS)
    for message in messages:
        loader.on_message(message)
    assert loader.is_done
    return loader.book


@pytest.mark.parametrize("seed", range(5))
def test_both_books_answer_and_snapshot_identically(service_host, seed):
    requested = list(requests(seed, 3_000))
    book = OrderBook(MAX_ORDERS)
    reported = answers(book, requested)
    entries = service_host("order_matching", scripted(requested), max_orders=MAX_ORDERS)
    assert reported == [(each.a, each.data) for each in only(entries, Did.EGRESS)]
    native_snapshot = [each.data for each in only(entries, Did.WRITE)]
    assert list(book.snapshot()) == native_snapshot

    # Each continues from the snapshot of the other.
    requested = list(requests(seed + 100, 1_000))
    later = scripted(requested, list(book.snapshot()))
    entries = service_host("order_matching", later, max_orders=MAX_ORDERS)
    other = loaded(native_snapshot)
    assert answers(other, requested) == [(each.a, each.data) for each in only(entries, Did.EGRESS)]
    assert list(other.snapshot()) == [each.data for each in only(entries, Did.WRITE)]
