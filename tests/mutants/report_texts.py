"""What the page of mutants says of its figures: how mutants were drawn, judged and left out."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.mutants.catalogue import read_bugs
from tests.mutants.judged import JUDGED_SEED, JUDGEMENTS, Judged
from tests.mutants.outdated import changed_since
from tests.mutants.results import Result
from tests.mutants.rules import files_without_rule

__all__ = ["catalogue_text", "first_sample_text", "judged_text", "scope_text"]

_NOT_ALL = (
    " Not all were run yet, and the first ones were not drawn: until then the share is no measure."
)
_FIRST_RUN = (
    " When each was run first, 92 of the 120 were killed (76.6%). Loads, faults and checks were"
    " added for survivors since, so that the share below is of seeds that this sample extended."
)


def scope_text(rows: Sequence[Result]) -> str:
    """Return which files have no mutants, and which results are of files that changed."""
    folders = Counter(file.split("/", 1)[1].rpartition("/")[0] for file in files_without_rule())
    listed = ", ".join(f"{n} of `{folder}`" for folder, n in sorted(folders.items()))
    changed, unknown = map(len, changed_since(rows))
    return (
        f"{folders.total()} files of these packages are in no rule, so that no mutant of theirs is"
        " drawn: tools, options and contexts, assembly, access control, measurements, the offline"
        f" host, and views of messages ({listed}).\n\n"
        f"{changed} of the {len(rows)} results are of files that changed after the commit of the"
        " result, elsewhere than in the mutant's own statement"
        + (f"; {unknown} are of commits that are not in the history.\n" if unknown else ".\n")
    )


def first_sample_text(drawn: Mapping[str, str]) -> str:
    """Return how the first sample was drawn."""
    count = sum(file.endswith(".py") for file in drawn.values())
    return (
        f"Of the mutants of functions on which promises depend {len(drawn)} were drawn, the rules"
        f" in turn (`tests/mutants/sample.txt`); {count} of them need no build. Those that break no"
        " promise were judged after they had survived, and checks, loads and faults were added for"
        " survivors since: the figure is of seeds that were extended by this sample."
    )


def judged_text(second: Sequence[Judged], run: int) -> str:
    counts = Counter(each.verdict for each in second)
    rest = ", ".join(f"{counts[each]} {text}" for each, text in JUDGEMENTS.items() if counts[each])
    return (
        f"{len(second)} mutants were drawn from all rules by seed {JUDGED_SEED}, none of which the"
        f" seeds had been run on, and judged by reading before any run: {rest}"
        " (`tests/mutants/judged.txt`, with the reasons). Those that break a promise are run by"
        " `make mutants MUTANTS=--judged`, with 2,000 seeds of consensus and 100 of whole clusters"
        " at most; none is left out afterwards."
        + (_NOT_ALL if run < counts["breaks"] else _FIRST_RUN)
    )


def catalogue_text() -> str:
    bugs = [each for each in read_bugs() if each.promise]
    return (
        f"{len(bugs)} bugs of the catalogue break a promise. The few below were chosen by name"
        " while the simulator was extended, some of seven rules, and by no draw; the others were"
        " not run by the seeds alone. So this is no figure of the catalogue."
    )
