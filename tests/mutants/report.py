"""The page of mutants, written from the results and from verdicts kept by hand."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.layers import LAYERS
from tests.mutants.results import ALL_LAYERS, SEEDS_ALONE, Result, Results
from tests.mutants.selection import read_sample

__all__ = ["PAGE", "VERDICTS", "page", "read_verdicts"]

PAGE = ROOT / "docs" / "mutants.md"
VERDICTS = Path(__file__).with_name("verdicts.toml")
KINDS = ("equal", "harmless", "gap", "closed", "open")
_HEAD = Path(__file__).with_name("page_head.md")


def read_verdicts(path: Path = VERDICTS) -> dict[str, dict[str, str]]:
    """Return the verdicts on survivors, by their names."""
    if not path.exists():
        return {}
    verdicts = tomllib.loads(path.read_text())
    for name, given in verdicts.items():
        if given.get("verdict") not in KINDS or not given.get("why"):
            raise ValueError(f"{name}: expected a verdict of {', '.join(KINDS)}, and why")
    return verdicts


def page(
    results: Results,
    verdicts: dict[str, dict[str, str]] | None = None,
    sample: Mapping[str, str] | None = None,
) -> str:
    """Return the page."""
    known = read_verdicts() if verdicts is None else verdicts
    drawn = read_sample() if sample is None else sample
    parts = [_HEAD.read_text()]
    alone, of_all = results.rows(SEEDS_ALONE), results.rows(ALL_LAYERS)
    count = sum(file.endswith(".py") for file in drawn.values())
    for rows, title, text in (
        (
            [row for row in alone if row.name in drawn],
            "The sample, by the seeds alone",
            f"Of the mutants that break what a cluster promises {len(drawn)} were drawn, the rules"
            f" in turn (`tests/mutants/sample.txt`); {count} of them need no build.",
        ),
        (
            [row for row in alone if row.name not in drawn],
            "Others, by the seeds alone",
            "Real bugs of the catalogue, and a few that were drawn before.",
        ),
        (
            [row for row in of_all if not _is_begun(row, known)],
            "By all layers",
            _all_layers_text(sum(_is_begun(row, known) for row in of_all)),
        ),
    ):
        if rows:
            parts.append(f"## {title}\n\n{text} {_summary(rows, known)}\n\n{_table(rows, known)}")
            parts.append(f"### Survivors\n\n{_survivors(rows, known)}")
    return "\n".join(parts)


def _is_begun(row: Result, verdicts: dict[str, dict[str, str]]) -> bool:
    """Return whether a mutant passed the first layers, and still has to be run with seeds."""
    is_equal = verdicts.get(row.name, {}).get("verdict") == "equal"
    return not row.is_killed and not _seeds(row) and not is_equal


def _all_layers_text(begun: int) -> str:
    text = "Mutants of all rules, with each layer in turn."
    if begun:
        text += (
            f" {begun} more passed types, unit tests and scenarios, and were not run with seeds and"
            " Java's tests yet: without them the share of those killed is no measure."
        )
    return text


def _is_left_out(row: Result, verdicts: dict[str, dict[str, str]]) -> bool:
    """Return whether a survivor does not count; for the seeds, also one that breaks no promise."""
    left_out = ("equal", "harmless") if row.mode == SEEDS_ALONE else ("equal",)
    return not row.is_killed and verdicts.get(row.name, {}).get("verdict") in left_out


def _summary(rows: Sequence[Result], verdicts: dict[str, dict[str, str]]) -> str:
    left_out = sum(_is_left_out(row, verdicts) for row in rows)
    killed = sum(row.is_killed for row in rows)
    rest = len(rows) - left_out
    share = f", {killed / rest:.0%}" if rest else ""
    hung = sum(row.how == "hung" for row in rows)
    budgets = Counter(
        " and ".join(f"{n} of {mode}" for mode, n in sorted(_seeds(row).items()))
        for row in rows
        if not row.is_killed and _seeds(row)
    )
    most = f" Survivors were run with seeds: {_listed(budgets)}." if budgets else ""
    commits = ", ".join(f"`{each}`" for each in sorted({row.commit for row in rows}))
    return (
        f"{len(rows)} were run (commit {commits}), {left_out} of them equal to the original or"
        f" harmless; of the other {rest}, {killed} were killed{share}, {hung} of them because the"
        f" process hung.{most}"
    )


def _seeds(row: Result) -> dict[str, int]:
    return {mode: n for mode, n in row.tried.items() if mode in ("consensus", "whole") and n}


def _listed(budgets: Counter[str]) -> str:
    return "; ".join(f"{n} with {seeds}" for seeds, n in budgets.most_common())


def _table(rows: Sequence[Result], verdicts: dict[str, dict[str, str]]) -> str:
    layers = [each for each in LAYERS if any(row.layer == each for row in rows)]
    lines = [
        f"| rule | run | {' | '.join(layers)} | left out | survived | killed |",
        f"| --- | --- | {' | '.join('---' for _ in layers)} | --- | --- | --- |",
    ]
    lines += [
        _line(rule, [row for row in rows if row.rule == rule], layers, verdicts)
        for rule in sorted({row.rule for row in rows})
    ]
    lines.append(_line("all", rows, layers, verdicts))
    times = [f"{_median_s(rows, each):.0f} s" for each in layers]
    lines.append(f"| median time of a kill | | {' | '.join(times)} | | | |")
    return "\n".join(lines) + "\n"


def _median_s(rows: Sequence[Result], layer: str) -> float:
    """Return the median time of a layer's kills, without the layers before it."""
    values = sorted(row.seconds.get(layer, 0.0) for row in rows if row.layer == layer)
    return values[len(values) // 2]


def _line(
    name: str,
    rows: Sequence[Result],
    layers: Iterable[str],
    verdicts: dict[str, dict[str, str]],
) -> str:
    counts = Counter(row.layer for row in rows)
    left_out = sum(_is_left_out(row, verdicts) for row in rows)
    killed = sum(row.is_killed for row in rows)
    rest = len(rows) - left_out
    share = f"{killed / rest:.0%}" if rest else ""
    cells = [name, len(rows), *(counts[each] for each in layers), left_out, rest - killed, share]
    return "| " + " | ".join(map(str, cells)) + " |"


def _survivors(rows: Sequence[Result], verdicts: dict[str, dict[str, str]]) -> str:
    lines = [
        "| mutant | where | what | verdict | why, and what was done |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda each: (each.rule, each.file, each.line, each.name)):
        if row.is_killed and row.name not in verdicts:
            continue
        known = verdicts.get(row.name, {})
        verdict = known.get("verdict", "not read")
        if row.is_killed:
            verdict = f"{verdict}, now killed by {row.layer}"
        where = f"`{row.file.removeprefix('aeron_cluster/')}` {row.function}"
        change = f"{row.operator}: `{row.old}` to `{row.new or 'nothing'}`"
        cells = [f"`{row.name}`", where, change, verdict, known.get("why", "")]
        lines.append("| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else "None.\n"
