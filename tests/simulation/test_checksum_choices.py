"""Members whose archives get other checksum options at a restart: all data remains readable."""

from functools import partial

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.events import Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials import trial as trials
from aeron_cluster.simulator.trials.checksum_choices import (
    chosen_checksums,
    draw_checksum_choices,
)
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus")
EARLIER = Settings.of("consensus", draws=WITHOUT_NATIVE)
GIVEN = Settings.of("consensus", options={"archive": {"record_checksum": "none"}})
# All members start three times.
PLAN = FaultPlan(tuple(Kill(n * S, -1, S // 10) for n in (1, 2)))
NONE, CRC = (
    {"record_checksum": each, "replay_checksum": "recorded"} for each in ("none", "CRC-32C")
)


def run(monkeypatch, *choices):
    """Run a cluster whose members have one choice after the other, the last one from then on."""

    def choose(_, start_count):
        return choices[min(start_count, len(choices)) - 1]

    monkeypatch.setattr(trials, "draw_checksum_choices", lambda *_: choose)
    settings = Settings.of(
        "consensus", draws=1, members=1, layout="node", sync_level=0, duration_ns=3 * S
    )
    return Trial(3, settings, PLAN).run()


def test_one_of_four_runs_has_choices():
    def drawn(settings, damage=Damage.NOTHING):
        return [
            seed for seed in range(400) if draw_checksum_choices(seed, settings, damage) is not None
        ]

    assert 70 < len(drawn(SETTINGS)) < 130
    assert drawn(EARLIER) == drawn(GIVEN) == drawn(SETTINGS, Damage.BITS) == []


def test_each_start_of_each_member_has_its_own():
    choose = partial(chosen_checksums, 7)
    drawn = [tuple(choose(member, start).values()) for member in range(5) for start in range(40)]
    assert set(drawn) == {
        (record, replay) for record in ("none", "CRC-32C") for replay in ("none", "recorded")
    }
    assert 60 < sum(record == "none" for record, _ in drawn) < 140
    assert 25 < sum(replay == "none" for _, replay in drawn) < 75
    assert choose(3, 4) == choose(3, 4)


def test_checksums_may_be_enabled_and_disabled(monkeypatch):
    for choices in ((NONE, CRC), (CRC, NONE), (CRC, NONE, CRC), (NONE, CRC, NONE)):
        outcome = run(monkeypatch, *choices)
        assert outcome.is_good, outcome.failure


def test_checksums_expected_before_they_were_enabled_are_detected(monkeypatch):
    extend = Catalog._extended_checksums

    def from_start(self, recording, session_id):
        start = recording.descriptor.start_position
        stopped = recording.descriptor._replace(stop_position=start)
        return extend(self, recording._replace(descriptor=stopped), session_id)

    monkeypatch.setattr(Catalog, "_extended_checksums", from_start)
    assert "checksum" in run(monkeypatch, NONE, CRC).failure
