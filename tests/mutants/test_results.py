"""Results are stored by mutant, and an interrupted run can be continued."""

from tests.mutants import report
from tests.mutants.judged import Judged
from tests.mutants.missed import MISSED
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.report import page
from tests.mutants.results import ALL_LAYERS, SEEDS_ALONE, Result, Results

MUTANT = Mutant("abc", "aeron_cluster/a.py", 3, "f", "and for or", "and", "or", Edit(0, 1, b""))
SEEDS = {"consensus": 20, "whole": 2}


def result(name="abc", mode=SEEDS_ALONE, **given):
    return Result(**{**vars(Result.of(MUTANT, mode, "1234abcd")), "name": name, **given})


def test_the_latest_result_counts(tmp_path):
    path = tmp_path / "results.jsonl"
    results = Results(path)
    results.add(result(tried={"consensus": 5}))
    results.add(result(layer="consensus", how="failed"))
    results.add(result(mode=ALL_LAYERS))
    again = Results(path)
    assert again.get("abc", SEEDS_ALONE).is_killed
    assert not again.get("abc", ALL_LAYERS).is_killed
    assert again.compact({"abc"}) == []
    assert len(path.read_text().splitlines()) == 2
    assert Results(path).rows(SEEDS_ALONE) == again.rows(SEEDS_ALONE)


def test_results_of_mutants_that_no_longer_exist_are_dropped(tmp_path):
    path = tmp_path / "results.jsonl"
    results = Results(path)
    for mode in (SEEDS_ALONE, ALL_LAYERS):
        results.add(result("gone", mode=mode, layer="unit"))
        results.add(result("here", mode=mode))
    assert results.compact({"here", "never-run"}) == ["gone"]
    assert {each.name for mode in (SEEDS_ALONE, ALL_LAYERS) for each in results.rows(mode)} == {
        "here"
    }
    assert Results(path).get("gone", ALL_LAYERS) is None


def test_truncated_line_is_skipped(tmp_path):
    path = tmp_path / "results.jsonl"
    Results(path).add(result())
    path.write_text(path.read_text() + '{"name": "x')
    assert [each.name for each in Results(path).rows(SEEDS_ALONE)] == ["abc"]


def test_a_survivor_is_done_once_it_had_all_seeds():
    assert not result(tried={"consensus": 20}).covers(SEEDS)
    assert result(tried=SEEDS).covers(SEEDS)
    assert result(layer="whole").covers(SEEDS)


def test_page_counts_kills_and_names_survivors(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", rule="log", layer="consensus", how="failed", seconds={"consensus": 4}))
    results.add(result("b", rule="log", layer="whole", how="hung"))
    results.add(result("c", rule="timers", tried=SEEDS))
    results.add(result("d", rule="timers", tried=SEEDS, new="x | y"))
    text = page(results, {"d": {"verdict": "equal", "why": "The value is not read."}})
    assert "4 were run" in text
    assert "2 were killed, 66.6%, 1 of them because the process hung" in text
    assert "| log | 2 | 1 | 1 | 0 | 0 | 100% |" in text
    assert "| timers | 2 | 0 | 0 | 1 | 1 | 0% |" in text
    assert "| `c` | `a.py` f | and for or: `and` to `or` | not read |  |" in text
    assert "`x \\| y` | equal | The value is not read. |" in text


def test_mutants_without_seeds_so_far_are_counted_apart(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", mode=ALL_LAYERS, layer="unit"))
    results.add(result("b", mode=ALL_LAYERS, tried={"types": 1, "unit": 3, "scenarios": 0}))
    text = page(results, {})
    assert "1 were run" in text
    assert "1 more passed types, unit tests and scenarios, and were not run with seeds" in text
    assert "`b`" not in text
    text = page(results, {"b": {"verdict": "equal", "why": "The order of arguments."}})
    assert "2 were run" in text
    assert "more passed types" not in text


def test_page_counts_runs_that_were_skipped(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", tried=SEEDS, skipped={"consensus": 1201, "whole": 4}))
    results.add(
        result("b", layer="consensus", tried={"consensus": 900}, skipped={"consensus": 800})
    )
    assert "1 with 20 of consensus and 2 of whole. 1,205 of these runs were skipped" in page(
        Results(tmp_path / "results.jsonl"), {}
    )
    results.add(result("a", tried=SEEDS))
    assert "skipped" not in page(results, {}).partition("## ")[2]


def test_a_closed_gap_stays_on_the_page(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", layer="consensus", how="failed"))
    text = page(results, {"a": {"verdict": "closed", "why": "A checker was added."}})
    assert "closed, now killed by consensus | A checker was added." in text


def test_harmless_mutants_count_only_in_runs_of_all_layers(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    for mode in (SEEDS_ALONE, ALL_LAYERS):
        results.add(result("a", rule="log", mode=mode, tried=SEEDS))
        results.add(result("b", rule="log", mode=mode, layer="consensus"))
    verdict = {"a": {"verdict": "harmless", "why": "It is slower."}}
    alone, of_all = page(results, verdict, {}, []).split("## By all layers")
    assert "| log | 2 | 1 | 1 | 0 | 100% |" in alone
    assert "| log | 2 | 1 | 0 | 1 | 50% |" in of_all


def test_harmless_mutant_without_seeds_counts_as_survived_by_all_layers(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", rule="log", mode=ALL_LAYERS, tried={"types": 1, "unit": 3}))
    for name in "bcdefgh":
        results.add(result(name, rule="log", mode=ALL_LAYERS, layer="unit"))
    text = page(results, {"a": {"verdict": "harmless", "why": "It is slower."}})
    assert "8 were run, 0 of them equal to the original; of the other 8, 7 were killed" in text
    assert "killed, 87.5%" in text
    assert "more passed types" not in text


def test_a_share_is_100_percent_only_if_all_are_killed(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    for number in range(2000):
        results._rows[str(number), ALL_LAYERS] = result(str(number), mode=ALL_LAYERS, layer="unit")
    assert "2000 were killed, 100%," in page(results, {})
    results._rows["0", ALL_LAYERS] = result("0", mode=ALL_LAYERS, tried=SEEDS)
    assert "1999 were killed, 99.9%," in page(results, {})


def test_page_counts_what_the_first_committed_results_missed(tmp_path, monkeypatch):
    missed = {"a": "runner", "b": "test", "c": "survives", "equal": "survives"}
    monkeypatch.setattr(report, "read_missed", lambda: missed)
    results = Results(tmp_path / "results.jsonl")
    for name in "abd":
        results.add(result(name, mode=ALL_LAYERS, layer="unit"))
    for name in ("c", "equal"):
        results.add(result(name, mode=ALL_LAYERS, tried={"unit": 1}))
    verdicts = {
        "c": {"verdict": "harmless", "why": "It is slower."},
        "equal": {"verdict": "equal", "why": "It is not read."},
    }
    text = page(results, verdicts)
    assert "1 of the 4 that are not equal were killed (25.0%)" in text
    assert f"Of the other 3 1 {MISSED['runner']}, 1 {MISSED['test']}, 0 " in text


def test_a_judgement_before_the_run_is_not_changed_by_a_later_verdict(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", rule="log", tried=SEEDS))
    results.add(result("b", rule="log", layer="consensus"))
    judged = [Judged(each, "log", "a.py", "breaks", "It is lost.") for each in "ab"]
    judged += [Judged("c", "log", "a.py", "harmless", "It is slower.")]
    verdicts = {"a": {"verdict": "harmless", "why": "It was a mistake to judge so."}}
    text = page(results, verdicts, {}, judged)
    assert "2 break a promise, 1 differ without breaking one" in text
    assert "| log | 2 | 1 | 0 | 1 | 50% |" in text
    assert "Not all were run yet" not in text
    judged += [Judged("d", "log", "a.py", "breaks", "It is lost.")]
    assert "Not all were run yet" in page(results, verdicts, {}, judged)


def test_page_counts_the_sample_apart_from_others(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a", rule="log", layer="consensus"))
    results.add(result("b", rule="log", tried=SEEDS))
    text = page(results, {}, {"a": "a.py", "c": "c.pyx"})
    found, others = text.split("## Other generated ones, by the seeds alone")
    assert "2 were drawn, the rules in turn (`tests/mutants/sample.txt`); 1 of them" in found
    assert "1 were run" in found
    assert "| log | 1 | 1 | 0 | 0 | 100% |" in found
    assert "1 were run" in others
    assert "| `b` |" in others


def test_page_counts_bugs_of_the_catalogue_apart_from_generated_mutants(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.add(result("a-bug", rule="log", operator="catalogue", layer="consensus"))
    results.add(result("b", rule="log", layer="consensus"))
    text = page(results, {}, {})
    bugs, others = text.split("## Other generated ones, by the seeds alone")
    assert "## Bugs of the catalogue" in bugs
    assert "1 were run" in bugs
    assert "1 were run" in others
