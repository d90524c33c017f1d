"""The memory orders of a shared log: each is shown to be sufficient, and those that carry data to
be necessary.

The threads below do what appenders, a poller and a driver do, with terms of one frame each;
`weak_memory` explores every execution allowed by C11. A weakened order must be detected.
"""

import pytest

from tests.unit.memory.weak_memory import (
    RaceError,
    cas,
    explore,
    load,
    read,
    release_fence,
    store,
    write,
)

ORDERS = {
    "limit_load": "acquire",
    "limit_store": "release",
    "length_load": "acquire",
    "length_store": "release",
    "position_load": "acquire",
    "position_store": "release",
}
TERMS = 3
WINDOW = 2  # shorter than the terms, so that a poller never reads an uncleaned part
ADDS = 3  # how often a get-and-add may observe another one before it


def get_and_add(where):
    for _ in range(ADDS):
        term, offset = yield load(where, "acquire")
        if (yield cas(where, (term, offset), (term, offset + 1))):
            return term, offset
    return None


def rotate(count):
    """Rotate to the next term, as every publisher does when the term is full."""
    following = f"tail {(count + 1) % TERMS}"
    tail = yield load(following, "acquire")
    if tail[0] == count + 1 - TERMS:
        yield cas(following, tail, (count + 1, 0))
    yield cas("count", count, count + 1)


def appender(orders, numbers, attempts):
    """Return the appended messages as (position, number)."""
    appended = []
    waiting = list(numbers)
    for _ in range(attempts):
        if not waiting:
            break
        limit = yield load("limit", orders["limit_load"])
        count = yield load("count", "acquire")
        tail = yield load(f"tail {count % TERMS}", "acquire")
        if tail[0] != count:
            continue
        if count + tail[1] >= limit:
            continue
        claimed = yield from get_and_add(f"tail {count % TERMS}")
        if claimed is None:
            break
        term, offset = claimed
        if offset > 0:
            yield from rotate(term)
            continue
        slot = term % TERMS
        yield store(f"length {slot}", -1, "release")
        yield release_fence()
        yield write(f"body {slot}", waiting[0])
        yield store(f"length {slot}", 1, orders["length_store"])
        appended.append((term, waiting.pop(0)))
    return appended


def poller(orders, position, attempts):
    """Return the polled messages as (position, number)."""
    seen = []
    for _ in range(attempts):
        slot = position % TERMS
        if (yield load(f"length {slot}", orders["length_load"])) > 0:
            seen.append((position, (yield read(f"body {slot}"))))
            position += 1
            yield store("position", position, orders["position_store"])
    return seen


def driver(orders, position, window, attempts):
    """Clean after the subscriber, then raise the publisher's limit."""
    for _ in range(attempts):
        consumed = yield load("position", orders["position_load"])
        while position < consumed:
            yield write(f"body {position % TERMS}", 0)
            yield store(f"length {position % TERMS}", 0, "release")
            position += 1
        yield store("limit", consumed + window, orders["limit_store"])


def run(orders, publishers, *, attempts, polls, limit=WINDOW, cleans=1):
    """Begin with the third term empty and the two previous ones written but unread."""
    old = [(0, 100), (1, 101)]
    places = {"limit": limit, "count": 2, "position": 0}
    for slot in range(TERMS):
        is_old = slot < 2
        places |= {
            f"tail {slot}": (slot, 1 if is_old else 0),
            f"length {slot}": 1 if is_old else 0,
            f"body {slot}": 100 + slot if is_old else 0,
        }

    def finish(results):
        *appended, seen = results[: len(publishers) + 1]
        expected = dict(old)
        for frames in appended:
            for position, number in frames:
                assert position not in expected
                expected[position] = number
        assert [position for position, _ in seen] == list(range(len(seen)))
        assert all(expected[position] == number for position, number in seen)

    programs = [
        *(lambda numbers=numbers: appender(orders, numbers, attempts) for numbers in publishers),
        lambda: poller(orders, 0, polls),
    ]
    if cleans:
        programs.append(lambda: driver(orders, 0, WINDOW, cleans))
    return explore(places, programs, finish)


def test_appenders_share_a_term_and_its_end():
    assert run(ORDERS, [(1,), (2,)], attempts=3, polls=3, limit=3, cleans=0) > 1000


def test_one_appender_uses_a_cleaned_term_again():
    assert run(ORDERS, [(1, 2)], attempts=4, polls=4) > 1000


@pytest.mark.parametrize("order", ORDERS)
def test_each_order_is_needed(order):
    with pytest.raises((RaceError, AssertionError)):
        run(ORDERS | {order: "relaxed"}, [(1, 2)], attempts=4, polls=4)


def test_two_appenders_and_a_cleaning_driver():
    assert run(ORDERS, [(1,), (2,)], attempts=2, polls=3) > 1000
