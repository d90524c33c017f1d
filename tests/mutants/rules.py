"""Which rule a file holds, and which of its functions keep a promise of the cluster."""

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
    """What has to hold, and where.

    Parameters
    ----------
    name : str
    files : tuple of str
        Patterns, relative to the package.
    promises : tuple of str
        Patterns of functions' names, without their classes.
    """

    name: str
    files: tuple[str, ...]
    promises: tuple[str, ...]

    def sources(self) -> list[str]:
        """Return its files, relative to the root."""
        found = {path for pattern in self.files for path in PACKAGE.glob(pattern)}
        return sorted(
            str(path.relative_to(ROOT))
            for path in found
            if path.suffix in (".py", ".pyx", ".pxd") and path.name != "__init__.py"
        )

    def keeps_promise(self, function: str) -> bool:
        """Return whether a function is one of those that a promise depends on."""
        names = function.split(".")[-1:]
        return any(fnmatchcase(name, each) for name in names for each in self.promises)


def _read() -> tuple[Rule, ...]:
    table = tomllib.loads(Path(__file__).with_name("rules.toml").read_text())
    return tuple(
        Rule(name, tuple(given["files"]), tuple(given["promises"])) for name, given in table.items()
    )


RULES = _read()


def rule_of(file: str) -> Rule:
    """Return the first rule that a file holds; KeyError where there is none."""
    for rule in RULES:
        if file in rule.sources():
            return rule
    raise KeyError(file)


def generated_mutants() -> list[Mutant]:
    """Return all that the operators make of the files of the rules; a file is of its first one."""
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
