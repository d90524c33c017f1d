"""Divergence guards of simulated members under faults: no false alarm, no missed divergence."""

import pytest

from aeron_cluster.simulator.checks.divergence_invariants import GuardsAgree
from aeron_cluster.simulator.checks.invariants import ServicesSeeTheSame
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.fault_plan import FAMILIES, FaultPlan
from aeron_cluster.simulator.faults.service_events import Diverge
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
INTERVAL = 512
OWN = ("members do the same", "a member does what it did")
OPTIONS = {"container": {"divergence_interval": INTERVAL}}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(12))
def test_guards_agree_under_every_fault(seed):
    """The seeds test all other properties; here only a wrong guard fails."""
    # A service raising on one member only is a divergence.
    settings = Settings(options=OPTIONS, duration_ns=10 * S, families=FAMILIES, damages=())
    trial = Trial(seed, settings)
    guards = GuardsAgree()
    trial.cluster.checkers.append(guards)
    outcome = trial.run()
    assert outcome.invariant not in OWN, outcome
    assert guards.compared > 0


class Diverging(ReferenceService):
    """Answers differently on one member, from some message on."""

    count = 0

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        super().on_start(cluster, snapshot_image)

    def on_session_message(self, session, timestamp, message, header):
        self.count += 1
        if self.cluster.member_id == 1 and self.count == 40 and session is not None:
            session.offer(b"something else, of the length of an answer")
        super().on_session_message(session, timestamp, message, header)


def test_a_diverged_member_is_detected():
    settings = Settings(services=(Diverging,), options=OPTIONS, duration_ns=10 * S)
    trial = Trial(1, settings, FaultPlan())
    # Disabled, since different answers are found without guards too.
    trial.cluster.checkers[:] = [GuardsAgree()]
    outcome = trial.run()
    assert outcome.invariant == OWN[0], outcome


def test_trial_checks_that_guards_name_the_diverged_member_and_position():
    plan = FaultPlan((Diverge(2 * S, 1),), damage=Damage.SERVICE)
    trial = Trial(2, Settings(duration_ns=6 * S, layout="node"), plan)
    outcome = trial.run()
    assert outcome.is_good, outcome
    positions = [each.service_faults.diverged_position for each in trial.cluster.members]
    assert positions[1] > 0
    assert positions[0] == positions[2] == -1


def test_a_trial_detects_an_unplanned_divergence():
    plan = FaultPlan(damage=Damage.SERVICE)
    trial = Trial(1, Settings(services=(Diverging,), duration_ns=6 * S, layout="node"), plan)
    see_the_same = next(each for each in trial.cluster.checkers if type(each) is ServicesSeeTheSame)
    trial.cluster.checkers.remove(see_the_same)
    assert trial.run().invariant == "guards name the diverged member"


def test_members_with_differing_answers_are_detected_without_guards():
    trial = Trial(1, Settings(services=(Diverging,), duration_ns=6 * S, layout="node"), FaultPlan())
    outcome = trial.run()
    assert outcome.invariant == "services see the same"
    assert "answered session" in outcome.failure
