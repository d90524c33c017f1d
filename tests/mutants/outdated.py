"""Which stored results no longer count, and which are of files that changed since.

A kill is evidence for the sources of its commit. It is outdated if its mutant no longer exists, as
its statement was changed, or if the test that killed it was removed. Other kills count until they
are repeated (``--again``), those by seeds too, though a seed draws other faults in a later version.
"""

import re
import subprocess
from collections.abc import Iterable
from functools import cache

from tests.conftest import ROOT
from tests.mutants.results import Result

__all__ = ["changed_since", "is_outdated"]

_TEST = re.compile(r"(?P<file>[^\s:]+\.py)(?:::(?P<names>\w+(?:::\w+)*))?")


def is_outdated(result: Result) -> bool:
    """Return whether a result was a kill by a test that no longer exists."""
    found = _TEST.match(result.what)
    if not result.is_killed or found is None:
        return False
    path = ROOT / found["file"]
    if not path.exists():
        return True
    # The first name is a function, or a class whose functions may be inherited.
    first = (found["names"] or "").partition("::")[0]
    return re.search(rf"\b{first}\b", path.read_text(encoding="utf-8")) is None


def changed_since(results: Iterable[Result]) -> tuple[list[Result], list[Result]]:
    """Return the results whose files were changed after their commits, and those of commits that
    are not in the history, which were made before their changes were committed.
    """
    changed, unknown = [], []
    for each in results:
        files = _changed_files(each.commit)
        if files is None:
            unknown.append(each)
        elif each.file in files:
            changed.append(each)
    return changed, unknown


@cache
def _changed_files(commit: str) -> frozenset[str] | None:
    command = ["git", "-C", str(ROOT), "diff", "--name-only", commit, "HEAD", "--", "aeron_cluster"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return frozenset(done.stdout.splitlines()) if done.returncode == 0 else None
