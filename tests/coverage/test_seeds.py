"""What seeds reach, and the weights of faults."""

import json
from collections import Counter
from dataclasses import asdict

import pytest

from aeron_cluster.cli.sim.steering import CHOICES, read_weights, score, steered
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.faults.events import Kill, Pause
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.coverage import seeds
from tests.coverage.compiled import Compiled

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


def mode(count, **halves):
    return {"seeds": count, "halves": halves}


def half(lines, branches, missing_lines, missing_branches):
    return asdict(seeds.Half(lines, branches, missing_lines, missing_branches))


WHOLE = half(40, 8, {"a.py": [3, 4, 9], "b.py": [1]}, {"a.py": [[2, "2 to 5"], [4, "4 to 9"]]})
CONSENSUS = half(
    30,
    6,
    {"a.py": [2, 4, 5, 9], "b.py": []},
    {"a.py": [[2, "2 to 5"], [4, "4 to 9"], [7, "7 to exit"]]},
)


def test_the_page_has_the_lines_and_branches_that_no_mode_reached():
    modes = {"whole": mode(2, Python=WHOLE), "consensus": mode(5, Python=CONSENSUS)}
    text = seeds.page(modes, "abc12345")
    assert "measured, at abc12345\n(5 of mode consensus and 2 of mode whole)" in text
    assert "| Python | 2 of 40, 5.0 % | 2 of 8, 25.0 % |\n| Cython | not measured | |\n" in text
    lines, branches = text.split("\n## ")[1:]
    assert lines.endswith("- `a.py`: 4, 9\n")
    # That from line 4 follows from the line.
    assert branches.endswith("- `a.py`: 2 to 5\n")


def test_the_page_has_the_compiled_half_if_all_modes_have_it():
    compiled = half(9, 4, {"c.pyx": [8]}, {"c.pyx": [[3, "3:1"]]})
    one = mode(2, Python=WHOLE, Cython=compiled)
    text = seeds.page({"whole": one}, "abc12345")
    assert "| Cython | 1 of 9, 11.1 % | 1 of 4, 25.0 % |\n" in text
    assert text.endswith("- `c.pyx`: 3:1\n")
    both = {"whole": one, "consensus": mode(2, Python=WHOLE)}
    assert "| Cython | not measured | |" in seeds.page(both, "abc12345")


def test_what_was_not_reached_is_read_from_both_reports(tmp_path):
    def python(statements, missing_lines, missing_branches):
        summary = {"num_statements": statements, "num_branches": 4}
        return {
            "summary": summary,
            "missing_lines": missing_lines,
            "missing_branches": missing_branches,
        }

    files = {
        "aeron_cluster/cluster/a.py": python(9, [4], [[3, 4], [7, -1]]),
        "aeron_cluster/cluster/never_imported.py": python(2, [1, 2], []),
        "aeron_cluster/cluster/tools/tool.py": python(9, [4], []),
        "aeron_cluster/driver/other.py": python(9, [4], []),
    }
    path = tmp_path / "report"
    path.write_text(json.dumps({"files": files}))
    name = "aeron_cluster/cluster/a.py"
    branches = [[3, "3 to 4"], [7, "7 to exit"]]
    assert seeds.unreached(path) == seeds.Half(9, 4, {name: [4]}, {name: branches})
    name = "aeron_cluster/cluster/b.pyx"
    counts = {
        name: Compiled({1: 5, 2: 0, 3: 5}, {(3, "a"): [5, 0], (3, "b"): [0, 5], (1, "c"): [1, 4]}),
        "aeron_cluster/archive/never_loaded.pyx": Compiled({1: 0}, {}),
    }
    outcomes = [[3, "3:1"], [3, "3:2"]]
    assert seeds.unreached_of_compiled(counts) == seeds.Half(3, 6, {name: [2]}, {name: outcomes})


def test_seeds_are_added_for_kinds_of_faults_that_few_have():
    settings = Settings.of("consensus", members=3)
    first = range(20)
    kinds = [seeds.kinds_of(Trial(seed, settings).plan) for seed in first]
    added = seeds.seeds_of_rare_kinds(20, settings, kinds, candidates=60)
    assert 0 < len(added) < 60
    drawn = Counter(
        kind for seed in range(80) for kind in seeds.kinds_of(Trial(seed, settings).plan)
    )
    run = Counter(
        kind
        for each in (*kinds, *(seeds.kinds_of(Trial(seed, settings).plan) for seed in added))
        for kind in each
    )
    assert all(run[kind] >= min(count, seeds.FEWEST) for kind, count in drawn.items())


def test_seeds_that_were_chosen_do_not_change_what_is_usual():
    runs = [reached({"Pause"}, 1, 2) for _ in range(38)] + [reached({"Pause"}, 1, 2, 3)] * 2
    chosen = [reached({"Kill"}, 1, 2, line) for line in (4, 5, 6)]
    found = seeds.weights(runs, chosen)
    assert found["Kill"] == pytest.approx(1 / (2 / 40), abs=0.01)
    assert found["Pause"] == 1.0


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
