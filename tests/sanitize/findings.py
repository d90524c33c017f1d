"""The reports that the sanitizers' libraries write, as findings: one for each place and kind."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

__all__ = ["findings"]

# The summary of the address and thread sanitizers; the line of undefined behaviour.
_SUMMARY: Final = re.compile(r"^SUMMARY: (\w+: .+)$", re.MULTILINE)
_UNDEFINED: Final = re.compile(r"^(\S+:\d+:\d+: runtime error: .+)$", re.MULTILINE)
# A report that was cut off: its process was killed, or died within the library.
_BEGIN: Final = re.compile(r"^(?:==\d+==ERROR: |WARNING: )(\w+Sanitizer: [^(\n]+)", re.MULTILINE)
_FATAL: Final = re.compile(r"^(?:==\d+==)?(?:FATAL|ERROR): \w+Sanitizer:? .+$", re.MULTILINE)
_VARYING: Final = re.compile(r"0x[0-9a-f]+|\bpid=\d+|==\d+==")


def findings(prefix: Path) -> Counter[str]:
    """Return how often each place was reported in the files of a prefix."""
    found: Counter[str] = Counter()
    for path in sorted(prefix.parent.glob(f"{prefix.name}*.*")):
        if path.suffix.removeprefix(".").isdigit():
            found.update(_of(path.read_text(errors="replace")))
    return found


def _of(text: str) -> list[str]:
    undefined = _UNDEFINED.findall(text)
    whole = _SUMMARY.findall(text)
    found = [*undefined, *(each for each in whole if not each.startswith("UndefinedBehavior"))]
    begun = _BEGIN.findall(text) if len(_BEGIN.findall(text)) > len(whole) else []
    found += [each.strip() for each in begun[len(whole) :]]
    if not found:
        found = _FATAL.findall(text) or [text.strip().partition("\n")[0]] * bool(text.strip())
    return [_VARYING.sub("…", each) for each in found]
