"""The mutants that nothing killed when their results were first committed."""

from pathlib import Path

__all__ = ["MISSED", "read_missed"]

MISSED = {
    "runner": "were killed by tests of then, which the runner had not run or not read",
    "test": "by tests that were written since",
    "later": "by a later run, not examined one by one",
    "survives": "are harmless and survive",
}
_FILE = Path(__file__).with_name("missed_at_first.txt")


def read_missed(path: Path = _FILE) -> dict[str, str]:
    """Return what became of each, one of `MISSED`, by its name."""
    lines = [each.split() for each in path.read_text().splitlines() if not each.startswith("#")]
    return {each[0]: each[1] for each in lines}
