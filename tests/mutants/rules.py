"""The rule that a file implements, and the functions that a promise of the cluster depends on."""

import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.cython_operators import mutants_of_cython
from tests.mutants.mutant import Mutant
from tests.mutants.python_operators import mutants_of_python

__all__ = ["RULES", "Rule", "files_without_rule", "generated_mutants", "rule_of"]

PACKAGE = ROOT / "aeron_cluster"


@dataclass(frozen=True)
class Rule:
    """A rule and the files that implement it.

    Parameters
    ----------
    name : str
    files : tuple of str
        Patterns of paths, relative to the package.
    promises : tuple of str
        Patterns of functions' names, without their classes.
    since : int
        The first version of the draws that include it.
    """

    name: str
    files: tuple[str, ...]
    promises: tuple[str, ...]
    since: int = 1

    def sources(self) -> list[str]:
        """Return the files of the rule, relative to the root."""
        found = {path for pattern in self.files for path in PACKAGE.glob(pattern)}
        return sorted(
            str(path.relative_to(ROOT))
            for path in found
            if path.suffix in (".py", ".pyx", ".pxd") and path.name != "__init__.py"
        )

    def keeps_promise(self, function: str) -> bool:
        """Return whether a promise depends on a function."""
        names = function.split(".")[-1:]
        return any(fnmatchcase(name, each) for name in names for each in self.promises)


def _read() -> tuple[Rule, ...]:
    table = tomllib.loads(Path(__file__).with_name("rules.toml").read_text())
    return tuple(
        Rule(name, tuple(given["files"]), tuple(given["promises"]), given.get("since", 1))
        for name, given in table.items()
    )


RULES = _read()


def rule_of(file: str) -> Rule:
    """Return the first rule that names a file; KeyError without one."""
    for rule in RULES:
        if file in rule.sources():
            return rule
    raise KeyError(file)


def files_without_rule() -> list[str]:
    """Return the files of the rules' packages that no rule names, relative to the root."""
    named = {file for rule in RULES for file in rule.sources()}
    folders = {file.split("/")[1] for file in named}
    whole = Rule("", tuple(f"{each}/**/*.p*" for each in folders), ())
    return [file for file in whole.sources() if file not in named and _has_code(file)]


def _has_code(file: str) -> bool:
    """Return whether a file can have mutants: declarations alone have none."""
    return bool(_mutants_of(file))


def _mutants_of(file: str) -> list[Mutant]:
    make = mutants_of_python if file.endswith(".py") else mutants_of_cython
    return make(file, (ROOT / file).read_bytes())


def generated_mutants(draws: int | None = None) -> list[Mutant]:
    """Return all generated mutants of the rules' files; a file belongs to the first rule that names
    it.

    Parameters
    ----------
    draws : int
        The version of the draws, whose rules alone are used; all rules without it.
    """
    found: list[Mutant] = []
    seen: set[str] = set()
    for rule in RULES:
        if draws is not None and rule.since > draws:
            continue
        for file in rule.sources():
            if file in seen:
                continue
            seen.add(file)
            for each in _mutants_of(file):
                is_promise = rule.keeps_promise(each.function)
                found.append(replace(each, rule=rule.name, is_promise=is_promise))
    return found
