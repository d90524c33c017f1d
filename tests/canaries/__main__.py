"""``make canaries``: run seeds until they find each bug of this folder, and print what found it.

Usage: python -m tests.canaries [NAME ...] [--first SEED]
"""

import argparse
import contextlib
import sys

from rich.console import Console
from rich.table import Table

from tests.canaries.canary import CANARIES, built, find, patched
from tests.conftest import SEED


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.canaries")
    parser.add_argument("names", nargs="*", help="canaries to run; by default all")
    parser.add_argument("--first", type=int, default=SEED, help="the first seed")
    arguments = parser.parse_args()
    wanted = [each for each in CANARIES if each.name in (arguments.names or [each.name])]
    compiled = [each for each in wanted if each.is_compiled]
    console = Console(highlight=False)
    table = Table(
        "canary", "seeds", "seconds", "seed", "found by", title=f"from seed {arguments.first}"
    )
    missed = 0
    with contextlib.ExitStack() as stack:
        compiled_tree = stack.enter_context(built(compiled)) if compiled else None
        for canary in wanted:
            with contextlib.ExitStack() as own:
                tree = compiled_tree if canary.is_compiled else own.enter_context(patched(canary))
                assert tree is not None
                finding = find(canary, tree, arguments.first)
            for other in finding.others:
                console.print(f"{canary.name}: {other}", markup=False)
            if finding.invariant:
                console.print(f"{canary.name}: {finding.failure}", markup=False)
            else:
                missed += 1
            table.add_row(
                canary.name,
                str(len(finding.seeds)),
                f"{finding.took_s:.0f}",
                str(finding.seeds[-1]) if finding.invariant else "",
                finding.invariant or "nothing",
            )
    console.print(table)
    return 1 if missed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
