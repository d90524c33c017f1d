"""Users' services with one planted fault each: the seeds find every fault and no others."""

import re
import sys
import time

import pytest

from aeron_cluster.simulator import FailedSeedError, Load, check
from tests.conftest import SEED
from tests.simulation.services import faults, shapes

SEEDS = 50
SECONDS = 6
RAISE = "services do not raise"


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda each: each.__name__)
def test_a_planted_fault_is_found(fault, record_property):
    load, invariant, callback = faults.FAULTS[fault]
    begin = time.process_time()
    with pytest.raises(FailedSeedError) as found:
        check(fault, load=load, seeds=SEEDS, seconds=SECONDS, max_runs=0)
    took = time.process_time() - begin
    error = found.value
    report = f"{fault.__name__}: in {error.seed} seeds, {took:.1f} s, as: {error.invariant}"
    sys.stdout.write(f"{report}\n")
    record_property("found", report)
    assert re.search(invariant, error.invariant), error
    assert f"seed {error.seed} failed: " in str(error)
    source = f"tests.simulation.services.faults:{fault.__name__}"
    assert f"repeat with: aeron-cluster sim --service {source} --load " in str(error)
    if callback:
        assert error.place is not None, error
        assert error.place.callback == callback
        assert error.place.service == fault.__name__
        assert error.place.path in (faults.__file__, shapes.__file__)
        assert f"at log position {error.place.log_position}, member" in str(error)
        assert f".py:{error.place.line})" in str(error)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("shape", shapes.HEALTHY, ids=lambda each: each.__name__)
def test_a_service_without_a_fault_holds(shape, pytestconfig):
    is_whole = pytestconfig.getoption("--whole")
    seeds = range(1, SEEDS + 1) if is_whole else (1 + SEED % SEEDS,)
    outcomes = check(shape, load=shapes.HEALTHY[shape], seeds=seeds, seconds=SECONDS)
    assert sum(each.counts["requests"] for each in outcomes) > 50 * len(seeds)
    assert sum(each.counts["answers"] for each in outcomes) > 50 * len(seeds)


def test_a_failure_names_callback_line_position_and_member():
    kind = faults.RaisesAtMessages
    with pytest.raises(AssertionError) as found:
        check(kind, load=shapes.make_words, seeds=[1], seconds=SECONDS, max_runs=1)
    line = kind.apply.__code__.co_firstlineno + 2
    first, *others = str(found.value).splitlines()
    assert re.fullmatch(
        r"seed 1 failed: on_session_message raised ValueError: forty, at log position \d+, member"
        rf" \d+ \(faults\.py:{line}\)",
        first,
    )
    assert others[0] == f"service RaisesAtMessages; violated: {RAISE}"
    assert others[1] == (
        "repeat with: aeron-cluster sim --service tests.simulation.services.faults:RaisesAtMessages"
        " --load tests.simulation.services.shapes:make_words --seconds 6 --seed 1"
    )
    assert "it fails without any fault" in others


class PlainWords(shapes.Words):
    is_answered_once = False


def make_plain_words(number, random):
    return PlainWords(number, random)


class RaisesBetween(shapes.KeyValue):
    def apply(self, request):
        answer = super().apply(request)
        if self.total % 10 == 0:
            raise ValueError("a tenth")
        return answer


def test_allowed_exception_may_be_raised():
    (outcome,) = check(
        RaisesBetween,
        load=make_plain_words,
        seeds=[2],
        seconds=SECONDS,
        allowed=[ValueError],
        members=1,
    )
    assert outcome.counts["answers"] > 50


def test_seeded_bytes_rejected_by_a_service_are_reported_with_a_hint():
    class OnlyNumbers(shapes.KeyValue):
        def apply(self, request):
            return b"%d" % int(request)

    with (
        pytest.warns(UserWarning, match="define it in a module"),
        pytest.raises(FailedSeedError, match="clients sent seeded bytes") as found,
    ):
        check(OnlyNumbers, seeds=[2], seconds=SECONDS, max_runs=0)
    assert found.value.invariant == RAISE
    assert "repeat with: check(..., seeds=[2])" in str(found.value)


def test_plain_load_of_a_deduplicating_service_is_reported_with_a_hint():
    with pytest.raises(FailedSeedError, match="set is_surviving = True") as found:
        check(shapes.Requests, load=make_plain_words, seeds=[2], seconds=1, max_runs=0, members=1)
    assert "no answer came to client 0's" in str(found.value)


def test_load_without_requests_is_named():
    with pytest.raises(FailedSeedError, match="client 0 sent no request"):
        check(
            shapes.KeyValue,
            load=lambda number, random: Load(),  # noqa: ARG005
            seeds=[2],
            seconds=1,
            max_runs=0,
            members=1,
        )


def test_no_seed_is_rejected():
    with pytest.raises(ValueError, match="one at least"):
        check(shapes.KeyValue, seeds=[])
