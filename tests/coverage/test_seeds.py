"""What seeds reach, and the weights of faults."""

import json

import pytest

from aeron_cluster.cli.sim.steering import CHOICES, read_weights, score, steered
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.faults.events import Kill, Pause
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.coverage import seeds

KILL, PAUSE = Kill(0, 0, 1), Pause(0, 0, 1)


def reached(kinds, *lines):
    return seeds.Reached(frozenset(kinds), frozenset(("a.py", (0, line)) for line in lines))


def test_kinds_that_reach_rare_branches_weigh_more():
    common = [reached({"Pause"}, 1, 2) for _ in range(37)]
    runs = [*common, *(reached({"Kill", "Pause"}, 1, 2, line) for line in (3, 4, 5))]
    assert seeds.rare_arcs(runs) == {("a.py", (0, line)) for line in (3, 4, 5)}
    found = seeds.weights(runs)
    assert found["Kill"] == pytest.approx(40 / 3, abs=0.01)
    assert found["Pause"] == 1.0


def test_a_kind_of_few_seeds_has_no_weight():
    runs = [reached({"Pause"}, 1), reached({"Pause"}, 1), reached({"Pause", "Kill"}, 2)]
    assert "Kill" not in seeds.weights(runs)


def test_the_page_has_the_lines_that_no_mode_reached():
    modes = {
        "whole": {"seeds": 2, "total": 40, "missing": {"a.py": [3, 4, 9], "b.py": [1]}},
        "consensus": {"seeds": 5, "total": 30, "missing": {"a.py": [4, 5, 9], "b.py": []}},
    }
    text = seeds.page(modes)
    assert "5 of mode consensus and 2 of mode whole" in text
    assert "2 of 40, 5.0 %" in text
    assert "- `a.py`: 4, 9\n" in text
    assert "b.py" not in text


def test_a_plan_scores_by_its_kinds_of_faults():
    weights = {"Kill": 3.0, "Pause": 0.5}
    assert score(FaultPlan((KILL, KILL)), weights) == 2.0
    assert score(FaultPlan((KILL, PAUSE)), weights) == 1.5
    assert score(FaultPlan(), weights) == 0.0


def test_every_second_seed_is_the_best_of_some():
    settings = Settings.of("consensus", members=1)
    weights = {"Kill": 2.0}
    found = list(steered(range(20), settings, weights))
    assert found[::2] == [0, 5, 10, 15]
    for first, chosen in zip(found[::2], found[1::2], strict=True):
        scores = {
            seed: score(Trial(seed, settings).plan, weights)
            for seed in range(first + 1, first + 1 + CHOICES)
        }
        assert scores[chosen] == max(scores.values())


def test_the_stored_weights_are_of_both_modes():
    for mode in ("consensus", "whole"):
        assert read_weights(seeds.STEERING, mode)["Kill"] > 0


@pytest.mark.parametrize("text", ["", "{}", '{"whole": {"weights": {"Kill": "much"}}}', "[1]"])
def test_a_file_without_weights_is_rejected(tmp_path, text):
    path = tmp_path / "weights.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"--steer.*whole\.weights"):
        read_weights(path, "whole")


def test_weights_survive_their_file(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"whole": {"weights": {"Kill": 2}}}))
    assert read_weights(path, "whole") == {"Kill": 2.0}
