"""The memory orders of the shared structures: each is shown to be sufficient and necessary.

The threads below do what the functions of the same name do, with one record per slot; `weak_memory`
explores every execution allowed by C11. A weakened order must be detected.
"""

import pytest

from tests.unit.memory.weak_memory import (
    RaceError,
    acquire_fence,
    cas,
    explore,
    load,
    read,
    release_fence,
    store,
    write,
)


def test_the_model_detects_a_race():
    def writer():
        yield write("x", 1)
        yield store("flag", 1, "relaxed")

    def reader():
        if (yield load("flag", "acquire")):
            yield read("x")

    with pytest.raises(RaceError, match="read of x"):
        explore({"x": 0, "flag": 0}, [writer, reader], lambda _: None)


def test_the_model_detects_a_write_after_a_read():
    def reader():
        yield read("x")
        yield store("flag", 1, "relaxed")

    def writer():
        if (yield load("flag", "acquire")):
            yield write("x", 1)

    with pytest.raises(RaceError, match="after a read"):
        explore({"x": 0, "flag": 0}, [reader, writer], lambda _: None)


def outcomes_of_store_buffering():
    def one():
        yield store("x", 1, "release")
        return (yield load("y", "acquire"))

    def two():
        yield store("y", 1, "release")
        return (yield load("x", "acquire"))

    outcomes = set()
    explore({"x": 0, "y": 0}, [one, two], lambda results: outcomes.add(tuple(results)))
    return outcomes


def test_the_model_allows_store_buffering():
    assert outcomes_of_store_buffering() == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_fences_order_relaxed_accesses():
    def writer():
        yield write("x", 1)
        yield release_fence()
        yield store("flag", 1, "relaxed")

    def reader():
        if (yield load("flag", "relaxed")):
            yield acquire_fence()
            return (yield read("x"))
        return 1

    outcomes = set()
    explore({"x": 0, "flag": 0}, [writer, reader], lambda results: outcomes.add(results[1]))
    assert outcomes == {1}


# ---- many-to-one ring ----

MANY = {
    "head_cache_load": "acquire",
    "head_cache_store": "release",
    "head_load": "acquire",
    "head_store": "release",
    "length_load": "acquire",
    "length_store": "release",
}


def many_to_one(orders, messages, capacity, attempts):
    """Explore producers of the given messages and a consumer with the given number of reads."""

    def producer(numbers):
        written = []
        for number in numbers:
            head = yield load("head_cache", orders["head_cache_load"])
            while True:
                tail = yield load("tail", "acquire")
                if tail - head >= capacity:
                    head = yield load("head", orders["head_load"])
                    if tail - head >= capacity:
                        return written
                    yield store("head_cache", head, orders["head_cache_store"])
                if (yield cas("tail", tail, tail + 1)):
                    break
            slot = tail % capacity
            yield store(f"length {slot}", -1, "release")
            yield release_fence()
            yield write(f"body {slot}", number)
            yield store(f"length {slot}", 1, orders["length_store"])
            written.append(number)
        return written

    def consumer():
        seen = []
        for _ in range(attempts):
            slot = len(seen) % capacity
            if (yield load(f"length {slot}", orders["length_load"])) > 0:
                seen.append((yield read(f"body {slot}")))
                yield write(f"body {slot}", 0)
                yield write(f"length {slot}", 0)
                yield store("head", len(seen), orders["head_store"])
        return seen

    def finish(results):
        *written, seen = results
        for numbers, wrote in zip(messages, written, strict=True):
            own = [number for number in seen if number in numbers]
            assert own == list(numbers)[: len(own)]
            assert set(own) <= set(wrote)
        assert all(seen)
        assert len(set(seen)) == len(seen)

    places = {"head_cache": 0, "head": 0, "tail": 0}
    for slot in range(capacity):
        places |= {f"length {slot}": 0, f"body {slot}": 0}
    programs = [lambda numbers=numbers: producer(numbers) for numbers in messages]
    return explore(places, [*programs, consumer], finish)


def test_many_to_one_ring_is_correct_with_its_orders():
    assert many_to_one(MANY, [(1,), (2,)], 2, 2) > 1000
    assert many_to_one(MANY, [(1,), (2,), (3,)], 1, 2) > 1000
    assert many_to_one(MANY, [(1, 2), (3,)], 1, 2) > 1000


@pytest.mark.parametrize("order", MANY)
def test_many_to_one_rings_need_each_order(order):
    with pytest.raises(RaceError):
        many_to_one(MANY | {order: "relaxed"}, [(1, 2), (3,)], 1, 2)


# ---- one-to-one ring ----

ONE = {
    "head_load": "acquire",
    "head_store": "release",
    "length_load": "acquire",
    "length_store": "release",
}


def one_to_one(orders, messages, capacity, attempts):
    """A producer that zeroes the next length before it publishes its record, and a consumer."""

    def producer():
        head = 0
        for tail, number in enumerate(messages):
            # A record and the next record's length must fit.
            if tail + 2 - head > capacity:
                head = yield load("head", orders["head_load"])
                if tail + 2 - head > capacity:
                    return
            yield store(f"length {(tail + 1) % capacity}", 0, "relaxed")
            yield store(f"length {tail % capacity}", -1, "release")
            yield release_fence()
            yield write(f"body {tail % capacity}", number)
            yield store(f"length {tail % capacity}", 1, orders["length_store"])

    def consumer():
        seen = []
        for _ in range(attempts):
            slot = len(seen) % capacity
            if (yield load(f"length {slot}", orders["length_load"])) > 0:
                seen.append((yield read(f"body {slot}")))
                yield store("head", len(seen), orders["head_store"])
        return seen

    def finish(results):
        seen = results[1]
        assert seen == list(messages)[: len(seen)]

    places = {"head": 0}
    for slot in range(capacity):
        places |= {f"length {slot}": 0, f"body {slot}": 0}
    return explore(places, [producer, consumer], finish)


def test_one_to_one_ring_is_correct_with_its_orders():
    assert one_to_one(ONE, (1, 2, 3, 4, 5), 2, 8) > 1000
    assert one_to_one(ONE, (1, 2, 3, 4), 3, 5) > 1000


@pytest.mark.parametrize("order", ONE)
def test_one_to_one_rings_need_each_order(order):
    with pytest.raises(RaceError):
        one_to_one(ONE | {order: "relaxed"}, (1, 2, 3, 4), 2, 5)


# ---- broadcast ----


def broadcast(messages, capacity, attempts, *, announce=True, look_again=True, tail="release"):
    """A transmitter that never waits, and a receiver that validates after copying."""

    def transmitter():
        for position in range(messages):
            slot = position % capacity
            yield store("tail_intent", position + 1, "release")
            if announce:
                yield release_fence()
            yield store(f"first {slot}", position + 1, "relaxed")
            yield store(f"second {slot}", position + 1, "relaxed")
            yield store("latest", position, "release")
            yield store("tail", position + 1, tail)

    def receiver():
        seen = []
        cursor = 0
        for _ in range(attempts):
            if (yield load("tail", "acquire")) <= cursor:
                continue
            yield acquire_fence()
            if cursor + capacity < (yield load("tail_intent", "relaxed")):
                cursor = yield load("latest", "acquire")
                continue
            first = yield load(f"first {cursor % capacity}", "relaxed")
            second = yield load(f"second {cursor % capacity}", "relaxed")
            if look_again:
                yield acquire_fence()
            if cursor + capacity < (yield load("tail_intent", "relaxed")):
                cursor = yield load("latest", "acquire")
                continue
            seen.append((cursor, first, second))
            cursor += 1
        return seen

    def finish(results):
        positions = [cursor for cursor, _, _ in results[1]]
        assert positions == sorted(set(positions))
        for cursor, first, second in results[1]:
            assert first == second == cursor + 1

    places = {"tail_intent": 0, "tail": 0, "latest": 0}
    for slot in range(capacity):
        places |= {f"first {slot}": 0, f"second {slot}": 0}
    return explore(places, [transmitter, receiver], finish)


@pytest.mark.parametrize(("messages", "capacity", "attempts"), [(3, 1, 3), (3, 2, 3)])
def test_receivers_accept_no_overwritten_record(messages, capacity, attempts):
    assert broadcast(messages, capacity, attempts) > 100


@pytest.mark.parametrize(
    "weaker", [{"announce": False}, {"look_again": False}, {"tail": "relaxed"}]
)
def test_receivers_need_each_order(weaker):
    with pytest.raises(AssertionError):
        broadcast(3, 1, 3, **weaker)
