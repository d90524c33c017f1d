"""Every execution of a few small threads under C11's relaxed, acquire and release orders.

The machine is the view machine of the "promising" semantics without its promises: each location is
the list of values stored to it. A thread may read any value not older than its view. A release
store includes the storing thread's view, and an acquire load merges that view into the reader's.
Plain accesses must be ordered with each other; otherwise the execution is a race.

A thread is a generator that yields operations and receives their results::

    load(where, order) store(where, value, order) cas(where, expected, desired)
    read(where) write(where, value) acquire_fence() release_fence()

The orders are "relaxed", "acquire" and "release". A thread must end: a loop that waits has a
limited number of attempts. All interleavings, and all values each load may return, are explored.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache


def load(where, order):
    """Read an atomic word."""
    return ("load", where, order)


def store(where, value, order):
    """Write an atomic word."""
    return ("store", where, value, order)


def cas(where, expected, desired):
    """Compare and set with acquire and release order; return whether it succeeded."""
    return ("cas", where, expected, desired)


def read(where):
    """Read a plain word."""
    return ("read", where)


def write(where, value):
    """Write a plain word."""
    return ("write", where, value)


def acquire_fence():
    """Merge the views read by earlier relaxed loads into the view."""
    return ("acquire",)


def release_fence():
    """Attach the current view to later relaxed stores."""
    return ("release",)


class RaceError(AssertionError):
    """Two unordered plain accesses, at least one of them a write."""


class EndlessError(AssertionError):
    """A thread with more steps than allowed."""


def join(one, other):
    return tuple(map(max, one, other))


@dataclass(frozen=True, slots=True)
class Thread:
    """The operations and the view of one thread."""

    results: tuple = ()
    view: tuple = ()  # per location, the oldest readable message; per reader, plain reads
    acquired: tuple = ()  # views an acquire fence would merge
    released: tuple = ()  # the view at the last release fence


@dataclass(frozen=True, slots=True)
class Message:
    """A value in a location's list."""

    value: int
    view: tuple
    plain: bool


def explore(
    initial: dict[str, int],
    programs: list[Callable[[], Generator]],
    finish: Callable[[list], None],
    max_steps: int = 200,
) -> int:
    """Run every execution; call ``finish`` with the threads' results of each.

    Returns
    -------
    int
        The number of different states.
    """
    places = {name: i for i, name in enumerate(initial)}
    width = len(places)
    # A view has a word for each location, and a word per location for each thread's plain reads.
    zero = (0,) * (width * (1 + len(programs)))

    @cache
    def next_operation(index, results):
        """Replay a thread up to its next operation, which its results determine."""
        if len(results) > max_steps:
            raise EndlessError(f"thread {index}: more than {max_steps} steps")
        program = programs[index]()
        try:
            operation = next(program)
            for result in results:
                operation = program.send(result)
        except StopIteration as ended:
            return ("end", ended.value)
        return operation

    def bumped(view, place, value):
        return (*view[:place], value, *view[place + 1 :])

    def steps(index, thread, memory):
        """Yield the possible results of the thread's next operation: thread, memory, result."""
        kind, *arguments = next_operation(index, thread.results)
        if kind == "acquire":
            view = join(thread.view, thread.acquired)
            yield thread, memory, None, view, thread.acquired, thread.released
            return
        if kind == "release":
            yield thread, memory, None, thread.view, thread.acquired, thread.view
            return
        place = places[arguments[0]]
        messages = memory[place]
        latest = len(messages) - 1
        if kind in {"read", "write"}:
            if thread.view[place] != latest:
                raise RaceError(f"thread {index}: {kind} of {arguments[0]}")
            if kind == "read":
                clock = width * (1 + index) + place
                view = bumped(thread.view, clock, thread.view[clock] + 1)
                reads = bumped(memory[-1], clock - width, view[clock])
                changed = (*memory[:-1], reads)
                value = messages[latest].value
                yield thread, changed, value, view, thread.acquired, thread.released
                return
            for other in range(len(programs)):
                if thread.view[width * (1 + other) + place] != memory[-1][width * other + place]:
                    raise RaceError(f"thread {index}: write of {arguments[0]} after a read")
            view = bumped(thread.view, place, latest + 1)
            message = Message(arguments[1], zero, plain=True)
            changed = (*memory[:place], (*messages, message), *memory[place + 1 :])
            yield thread, changed, None, view, thread.acquired, thread.released
            return
        if kind == "store":
            value, order = arguments[1:]
            view = bumped(thread.view, place, latest + 1)
            carried = view if order == "release" else bumped(thread.released, place, latest + 1)
            message = Message(value, carried, plain=False)
            changed = (*memory[:place], (*messages, message), *memory[place + 1 :])
            yield thread, changed, None, view, thread.acquired, thread.released
            return
        for i in range(thread.view[place], latest + 1):
            found = messages[i]
            if found.plain and i > thread.view[place]:
                raise RaceError(f"thread {index}: {kind} of {arguments[0]} written plainly")
            view = bumped(thread.view, place, i)
            acquired = join(thread.acquired, found.view)
            if kind == "load":
                if arguments[1] == "acquire":
                    view = join(view, found.view)
                yield thread, memory, found.value, view, acquired, thread.released
                continue
            expected, desired = arguments[1:]
            view = join(view, found.view)
            if found.value != expected:
                yield thread, memory, False, view, acquired, thread.released
            elif i == latest:
                view = bumped(view, place, latest + 1)
                # A read-modify-write continues the release sequence it read from.
                message = Message(desired, join(view, found.view), plain=False)
                changed = (*memory[:place], (*messages, message), *memory[place + 1 :])
                yield thread, changed, True, view, acquired, thread.released

    first = tuple((Message(value, zero, plain=False),) for value in initial.values())
    start = (
        tuple(Thread((), zero, zero, zero) for _ in programs),
        (*first, (0,) * (width * len(programs))),
    )
    seen = {start}
    stack = [start]
    while stack:
        threads, memory = stack.pop()
        returned = []
        running = []
        for index, thread in enumerate(threads):
            operation = next_operation(index, thread.results)
            if operation[0] == "end":
                returned.append(operation[1])
            elif operation[0] in {"acquire", "release"}:
                running = [index]  # a fence affects only its thread and needs no interleaving
                break
            else:
                running.append(index)
        if not running:
            finish(returned)
        for index in running:
            for thread, changed, result, view, acquired, released in steps(
                index, threads[index], memory
            ):
                moved = Thread((*thread.results, result), view, acquired, released)
                state = ((*threads[:index], moved, *threads[index + 1 :]), changed)
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
    return len(seen)
