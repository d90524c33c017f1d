"""The campaign of ``make fuzz``: targets accept and reject inputs, and what fails is found."""

import contextlib
import itertools
import sys

import pytest

from aeron_cluster.errors import MessageError
from tests.fuzz.__main__ import table
from tests.fuzz.campaign import Campaign, Part, Ran, all_targets, parts_of, run_part
from tests.fuzz.mutator import Mutator, TextMutator
from tests.fuzz.target import Target

TARGETS = all_targets()
# Of which any bytes may be a part, or whose errors are reported where they are drawn.
ALWAYS_ACCEPTED = {
    "counters",
    "error logs",
    "messages to a container",
    "payloads, decoder 2",
    "payloads, decoder 4",
    "properties files",
    "verified segments",
}
# Targets of a process that serves them.
PLANTED = """
import contextlib, os, time
from tests.fuzz.campaign import serve
from tests.fuzz.target import Target
ends = {"good": lambda: True, "crash": lambda: os._exit(3), "hang": lambda: time.sleep(600)}
begins = {name: lambda _, end=end: contextlib.nullcontext(end) for name, end in ends.items()}
serve({name: Target(name, begin) for name, begin in begins.items()})
"""


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_accepts_and_rejects_inputs(name):
    ran = run_part(TARGETS, Part(name, 7, 400 if TARGETS[name].share > 4 else 200))
    assert ran.is_good, ran.findings
    assert ran.accepted > 0
    assert ran.rejected > 0 or name in ALWAYS_ACCEPTED


def test_no_parser_has_few_inputs():
    """A slow one has a quarter of the usual share, at least."""
    every = sum(each.share for each in TARGETS.values())
    assert min(each.share for each in TARGETS.values()) >= 4
    assert max(each.share for each in TARGETS.values()) <= every / 2


def test_untyped_errors_are_found_once_for_each_place():
    numbers = itertools.count()

    def parse():
        match next(numbers) % 4:
            case 0:
                raise MessageError("a message", "4 bytes", 3)
            case 1:
                raise IndexError("beyond the end")
            case 2:
                return {}["missing"]
            case _:
                return True

    target = Target("planted", lambda _: contextlib.nullcontext(parse))
    ran = run_part({"planted": target}, Part("planted", 1, 400))
    assert (ran.accepted, ran.rejected) == (100, 300)
    assert sorted(place.split()[0] for place in ran.findings) == ["IndexError", "KeyError"]
    assert all("test_campaign.py" in place for place in ran.findings)
    assert not ran.is_good


def test_an_error_when_a_target_ends_is_found():
    @contextlib.contextmanager
    def begin(_seed):
        yield lambda: True
        raise AssertionError("the state is wrong")

    ran = run_part({"planted": Target("planted", begin, renewal=10)}, Part("planted", 1, 35))
    assert ran.accepted == 35
    assert [place.split()[0] for place in ran.findings] == ["AssertionError"]


def test_a_target_begins_anew_with_other_seeds():
    seeds = []

    def begin(seed):
        seeds.append(seed)
        return contextlib.nullcontext(lambda: True)

    Target("planted", begin, renewal=10).run(5, 25)
    assert seeds == [5, 6, 7]


def test_crashes_and_hangs_of_a_process_are_found_and_the_others_continue():
    ran = []
    parts = [Part(name, seed, 3) for seed in range(2) for name in ("good", "crash", "hang", "good")]
    command = (sys.executable, "-c", PLANTED)
    Campaign(2, 2.0, ran.append, command).run(parts)
    assert sorted(each.part.target for each in ran) == sorted(each.target for each in parts)
    crashes = {each.crash for each in ran if each.part.target == "crash"}
    assert crashes == {"the process ended with 3"}
    assert {each.crash for each in ran if each.part.target == "hang"} == {"not within 2 s"}
    assert [each.accepted for each in ran if each.part.target == "good"] == [3] * 4


def test_inputs_are_divided_by_shares_and_counted_once():
    large, small = (
        Target(name, lambda _: None, share=share) for name, share in [("a", 64), ("b", 16)]
    )
    parts = list(parts_of([large, small], 100_000, 9))
    assert sum(each.count for each in parts if each.target == "a") == 80_000
    assert sum(each.count for each in parts if each.target == "b") == 20_000
    assert len({(each.target, each.seed) for each in parts}) == len(parts)
    left = list(parts_of([large, small], 100_000, 9, {"a": 79_990, "b": 30_000}))
    assert [(each.target, each.count) for each in left] == [("a", 10)]
    assert "100,000" in table([Ran(each, each.count, 0, 1.0) for each in parts])


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: Mutator([b"0123456789" * 9, b"abc"], seed),
        lambda seed: TextMutator(["aeron:ipc", "10s"], ["64k"], seed),
    ],
)
def test_a_seed_draws_the_same_inputs_of_which_some_are_valid(make):
    first, again, other = ([mutator.draw() for _ in range(300)] for mutator in map(make, (1, 1, 2)))
    assert first == again != other
    assert 30 < len({*first}) < 300
