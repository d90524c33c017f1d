"""Requests of surviving clients are repeated while their answer is pending, also over restarts."""

from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.codecs.request_envelope import EnvelopeKind
from aeron_cluster.simulator.clients.late_answers import LateAnswers
from aeron_cluster.simulator.clients.reference import LATE_VERBS
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.faults.events import ALL_MEMBERS, Kill, Operate, Pause
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_late_answers, draw_survivors
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEED = next(each for each in range(99) if any(draw_survivors(each, 1)) and draw_late_answers(each))
PLAN = FaultPlan(
    (
        Operate(16 * S // 10, ControlToggle.SNAPSHOT),
        Kill(19 * S // 10, ALL_MEMBERS, S // 10),
        Pause(3 * S, ALL_MEMBERS, S),
    )
)


def run(**given):
    settings = Settings.of("consensus", members=1, layout="node", duration_ns=4 * S, **given)
    trial = Trial(SEED, settings, PLAN)
    return trial, trial.run()


def replies(monkeypatch):
    """Return the kinds of what services reply without an answer, as they do it."""
    kinds = []
    reply = Deduplication._reply

    def record(requests, session, kind, *others):
        kinds.append(kind)
        reply(requests, session, kind, *others)

    monkeypatch.setattr(Deduplication, "_reply", record)
    return kinds


def test_late_requests_are_repeated_and_answered_once(monkeypatch):
    kinds = replies(monkeypatch)
    trial, outcome = run()
    assert outcome.is_good, outcome.failure
    (survivor,) = (each for each in trial.cluster.clients if isinstance(each, Survivor))
    late = [each for each in survivor.load.operations if each.request.verb in LATE_VERBS]
    assert sum(each.answer_count == 1 for each in late) > 3
    assert EnvelopeKind.PENDING in kinds


def test_earlier_draws_answer_each_request_immediately(monkeypatch):
    kinds = replies(monkeypatch)
    _, outcome = run(draws=12)
    assert outcome.is_good, outcome.failure
    assert EnvelopeKind.PENDING not in kinds


def test_a_service_that_fails_at_a_repeated_request_is_detected(monkeypatch):
    reply = Deduplication._reply

    def fail(requests, session, kind, *others):
        if kind is EnvelopeKind.PENDING:
            raise AttributeError("of the program")
        reply(requests, session, kind, *others)

    monkeypatch.setattr(Deduplication, "_reply", fail)
    _, outcome = run()
    assert outcome.invariant == "errors are expected ones"


def test_a_request_that_a_restarted_service_never_answers_is_detected(monkeypatch):
    monkeypatch.setattr(LateAnswers, "decode", lambda _: LateAnswers())
    _, outcome = run()
    assert outcome.invariant.startswith("liveness: clients are answered")
