"""The page of mutants, written from the results and from verdicts kept by hand."""

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.judged import Judged, read_judged
from tests.mutants.layers import LAYERS
from tests.mutants.missed import MISSED, read_missed
from tests.mutants.report_texts import (
    catalogue_text,
    first_sample_text,
    judged_text,
)
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
    judged: Sequence[Judged] | None = None,
    scope: str = "",
) -> str:
    """Return the page; `scope` follows its head."""
    known = read_verdicts() if verdicts is None else verdicts
    drawn = read_sample() if sample is None else sample
    second = read_judged() if judged is None else judged
    breaking = {each.name for each in second if each.verdict == "breaks"}
    # A judgement counts whatever a run finds later.
    as_judged = {name: each for name, each in known.items() if name not in breaking}
    alone, of_all = results.rows(SEEDS_ALONE), results.rows(ALL_LAYERS)
    parts = [_HEAD.read_text(), scope] if scope else [_HEAD.read_text()]
    others = [row for row in alone if row.name not in drawn and row.name not in breaking]
    for rows, title, text, verdict_of in (
        (
            [row for row in alone if row.name in drawn],
            "The first sample, by the seeds alone",
            first_sample_text(drawn),
            known,
        ),
        (
            [row for row in alone if row.name in breaking],
            "The second sample, by the seeds alone",
            judged_text(second, sum(row.name in breaking for row in alone)),
            as_judged,
        ),
        (
            [row for row in others if row.operator == "catalogue"],
            "Bugs of the catalogue, by the seeds alone",
            catalogue_text(),
            known,
        ),
        (
            [row for row in others if row.operator != "catalogue"],
            "Other generated ones, by the seeds alone",
            "They were drawn before the kept sample was, and are not part of it.",
            known,
        ),
        (
            [row for row in of_all if not _is_begun(row, known)],
            "By all layers",
            _all_layers_text(of_all, known),
            known,
        ),
    ):
        if rows:
            parts.append(
                f"## {title}\n\n{text} {_summary(rows, verdict_of)}\n\n{_table(rows, verdict_of)}"
            )
            parts.append(f"### Survivors\n\n{_survivors(rows, known)}")
    return "\n".join(parts)


def _is_begun(row: Result, verdicts: dict[str, dict[str, str]]) -> bool:
    """Return whether a mutant passed the first layers, and still has to be run or examined."""
    return not row.is_killed and not _seeds(row) and row.name not in verdicts


def _all_layers_text(rows: Sequence[Result], verdicts: dict[str, dict[str, str]]) -> str:
    text = (
        "Mutants of the rules of the first draw, with each layer in turn; a harmless one counts as"
        " survived here."
    )
    different = [
        row for row in rows if not (_is_left_out(row, verdicts) or _is_begun(row, verdicts))
    ]
    missed = read_missed()
    became = Counter(missed[row.name] for row in different if row.name in missed)
    if became:
        n, first = len(different), len(different) - became.total()
        listed = ", ".join(f"{became[each]} {what}" for each, what in MISSED.items())
        text += (
            f" When the result of each was first committed, {first} of the {n} that are not equal"
            f" were killed ({first / n:.1%}). Of the other {became.total()} {listed}"
            " (`tests/mutants/missed_at_first.txt`)."
        )
    unseeded = sum(not (row.is_killed or _seeds(row)) for row in different)
    if unseeded:
        text += (
            f" {unseeded} of the survivors passed types, unit tests and scenarios, and were not run"
            " with seeds or Java's tests."
        )
    begun = sum(_is_begun(row, verdicts) for row in rows)
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
    share = f", {_share(killed, rest)}" if rest else ""
    hung = sum(row.how == "hung" for row in rows)
    budgets = Counter(
        " and ".join(f"{n} of {mode}" for mode, n in sorted(_seeds(row).items()))
        for row in rows
        if not row.is_killed and _seeds(row)
    )
    most = f" Survivors were run with seeds: {_listed(budgets)}." if budgets else ""
    skipped = sum(sum(row.skipped.values()) for row in rows if not row.is_killed)
    if skipped:
        most += (
            f" {skipped:,} of these runs were skipped: they do not execute the mutant's statement."
        )
    by_commit = Counter(row.commit for row in rows)
    commits = ", ".join(f"{n} of `{each}`" for each, n in sorted(by_commit.items()))
    which = "equal to the original"
    if rows[0].mode == SEEDS_ALONE:
        which += " or harmless"
    return (
        f"{len(rows)} were run, {left_out} of them {which}; of the other {rest}, {killed} were"
        f" killed{share}, {hung} of them because the process hung.{most} The results are of"
        f" commits: {commits}."
    )


def _share(killed: int, count: int) -> str:
    """Return a share of which only all is 100 %."""
    return "100%" if killed == count else f"{math.floor(1000 * killed / count) / 10:g}%"


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
    share = _share(killed, rest) if rest else ""
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
