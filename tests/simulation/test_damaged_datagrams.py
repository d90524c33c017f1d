"""Damaged datagrams, which UDP's checksum would discard: no crash, no hang, counted."""

import pytest

from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.events import BadNetwork
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial, run_trial
from aeron_cluster.simulator.world.link_faults import LinkFaults

S = 1_000_000_000
DAMAGED = Settings(members=3, layout="node", duration_ns=10 * S, sync_level=0)
BAD = LinkFaults(corrupt=0.02, truncate=0.02, min_delay_ns=30_000, max_delay_ns=80_000)
PLAN = FaultPlan((BadNetwork(0, BAD, 10 * S),), damage=Damage.DATAGRAMS)


@pytest.mark.parametrize("seed", range(4))
def test_no_process_crashes_or_hangs(seed):
    outcome = run_trial(seed, DAMAGED, PLAN)
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["datagrams corrupted"] > 0
    assert outcome.counts["datagrams truncated"] > 0
    assert "datagrams discarded" not in outcome.counts
    assert outcome.virtual_ns > DAMAGED.duration_ns


class Untyped(BadNetwork):
    """Accepts an invalid message, like a faulty decoder."""

    def begin(self, trial):
        trial.cluster.members[0].errors.append(IndexError("of a decoder"))


def test_an_error_of_another_kind_is_found():
    outcome = run_trial(1, DAMAGED, FaultPlan((Untyped(S, BAD, S),), damage=Damage.DATAGRAMS))
    assert outcome.invariant == "errors are expected ones"


def test_invalid_frames_are_counted_by_the_driver():
    trial = Trial(1, DAMAGED, PLAN)
    counted = []
    heal = trial._heal

    def count_and_heal():
        for member in trial.cluster.members:
            counters = member.node.driver.counters.counters() if member.node else []
            counted.extend(each.value for each in counters if "nvalid packets" in each.label)
        heal()

    trial._heal = count_and_heal
    assert trial.run().is_good
    assert sum(counted) > 0
