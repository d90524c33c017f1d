"""The rule that a file implements, and the functions that a promise of the cluster depends on."""

import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.cython_operators import mutants_of_cython
from tests.mutants.mutant import Mutant
from tests.mutants.python_operators import mutants_of_python

__all__ = ["RULES", "Rule", "generated_mutants", "rule_of"]

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
    """

    name: str
    files: tuple[str, ...]
    promises: tuple[str, ...]

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
        Rule(name, tuple(given["files"]), tuple(given["promises"])) for name, given in table.items()
    )


RULES = _read()


def rule_of(file: str) -> Rule:
    """Return the first rule that names a file; KeyError without one."""
    for rule in RULES:
        if file in rule.sources():
            return rule
    raise KeyError(file)


def generated_mutants() -> list[Mutant]:
    """Return all generated mutants of the rules' files; a file belongs to the first rule that names
    it.
    """
    found: list[Mutant] = []
    seen: set[str] = set()
    for rule in RULES:
        for file in rule.sources():
            if file in seen:
                continue
            seen.add(file)
            make = mutants_of_python if file.endswith(".py") else mutants_of_cython
            for each in make(file, (ROOT / file).read_bytes()):
                is_promise = rule.keeps_promise(each.function)
                found.append(replace(each, rule=rule.name, is_promise=is_promise))
    return found
