"""Run seeds on the original, and report the lines of the package that each executes.

Usage: python -m tests.mutants.executed_lines MODE, in the directory of the package, with the seeds
on standard input. It prints a line of JSON for each.
"""

import functools
import gc
import importlib
import inspect
import json
import pkgutil
import sys
import threading
from base64 import b85encode
from collections.abc import Callable, Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Self
from zlib import compress

__all__ = ["ExecutedLines", "Layout", "packed"]

PACKAGE = "aeron_cluster"
# Not one that a debugger, a profiler or coverage.py uses.
TOOL = 4


class Layout:
    """A bit for each line of some files.

    Parameters
    ----------
    root : Path
    folders : iterable of str
        Packages of the package.
    """

    def __init__(self, root: Path, folders: Iterable[str]) -> None:
        self.folders = sorted(folders)
        self._root = root
        self._offsets: dict[str, int] = {}
        offset = 0
        for folder in self.folders:
            for path in sorted((root / PACKAGE / folder).rglob("*.py")):
                self._offsets[str(path)] = offset
                offset += path.read_bytes().count(b"\n") + 2

    def offset_of(self, path: str) -> int | None:
        """Return the bit of a file's line 0; None if the file has none."""
        return self._offsets.get(path)

    def bits(self, file: str, lines: Iterable[int]) -> int | None:
        """Return the bits of lines, as a number; None if the file has none."""
        offset = self.offset_of(str(self._root / file))
        return None if offset is None else bits_of(offset + line for line in lines)


def bits_of(places: Iterable[int]) -> int:
    """Return the number with these bits."""
    highest = max(found := list(places), default=0)
    content = bytearray(highest // 8 + 1)
    for each in found:
        content[each // 8] |= 1 << each % 8
    return int.from_bytes(content, "little")


def packed(bits: int) -> str:
    """Return bits as text."""
    return b85encode(compress(bits.to_bytes(bits.bit_length() // 8 + 1, "little"))).decode()


class ExecutedLines:
    """Records the lines that are executed of files that are imported from now on.

    What modules and classes execute counts for each run, whichever run imports them first.

    Parameters
    ----------
    layout : Layout
        The files.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._of_run: set[int] = set()
        self._of_imports: set[int] = set()
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Self:
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            self._trace()
        return self

    def __exit__(self, *_: object) -> None:
        while self._undo:
            self._undo.pop()()

    def begin(self) -> None:
        """Begin a run; all that was executed before the first one counts as imported."""
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()
        self._of_run.clear()

    def end_imports(self) -> None:
        """Count all that was executed so far for each run."""
        self._of_imports |= self._of_run

    @property
    def of_run(self) -> int:
        """The lines since the run began, as bits."""
        return bits_of(self._of_run)

    @property
    def of_imports(self) -> int:
        """The lines that count for each run, as bits."""
        return bits_of(self._of_imports)

    def _add(self, code: CodeType, line: int) -> None:
        offset = self._layout.offset_of(code.co_filename)
        if offset is not None:
            is_function = code.co_flags & inspect.CO_OPTIMIZED
            (self._of_run if is_function else self._of_imports).add(offset + line)

    if sys.version_info >= (3, 12):

        def _monitor(self) -> None:
            monitoring = sys.monitoring
            line_event = monitoring.events.LINE
            get_code = SourceFileLoader.get_code

            def on_line(code: CodeType, line: int) -> object:
                self._add(code, line)
                return monitoring.DISABLE

            def on_code(loader: SourceFileLoader, name: str) -> CodeType | None:
                code = get_code(loader, name)
                rest = [code] if self._layout.offset_of(loader.path) is not None else []
                while rest:
                    each = rest.pop()
                    monitoring.set_local_events(TOOL, each, line_event)
                    rest += [it for it in each.co_consts if isinstance(it, CodeType)]
                return code

            monitoring.use_tool_id(TOOL, PACKAGE)
            self._undo.append(lambda: monitoring.free_tool_id(TOOL))
            monitoring.register_callback(TOOL, line_event, on_line)
            self._undo.append(lambda: monitoring.register_callback(TOOL, line_event, None))
            SourceFileLoader.get_code = on_code
            self._undo.append(lambda: setattr(SourceFileLoader, "get_code", get_code))

    def _trace(self) -> None:
        """Record lines where Python has no monitoring: more slowly."""

        def on_line(frame: FrameType, event: str, _: object) -> object:
            if event == "line":
                self._add(frame.f_code, frame.f_lineno)
            return on_line

        def on_call(frame: FrameType, event: str, _: object) -> object:  # noqa: ARG001
            is_measured = self._layout.offset_of(frame.f_code.co_filename) is not None
            return on_line if is_measured else None

        before = sys.gettrace()
        threading.settrace(on_call)
        sys.settrace(on_call)
        self._undo.append(lambda: sys.settrace(before))
        self._undo.append(lambda: threading.settrace(before))


def import_all(folders: Iterable[str]) -> None:
    """Import all modules, so that none is imported within a run."""
    for folder in folders:
        package = importlib.import_module(f"{PACKAGE}.{folder}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(each.name)


def caches() -> list["functools._lru_cache_wrapper[object]"]:
    """Return the caches of the package's functions: their results must be of the run."""
    found = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    return [each for each in found if str(each.__module__).startswith(PACKAGE)]


def main(mode: str, *folders: str) -> None:
    def write(**row: object) -> None:
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()

    seeds = [int(each) for each in sys.stdin.read().split()]
    with ExecutedLines(Layout(Path.cwd(), folders)) as lines:
        import_all(folders)
        search = importlib.import_module("tests.canaries.search")
        settings = importlib.import_module(f"{PACKAGE}.simulator.trials.settings").Settings.of(mode)
        cached = caches()
        search.prepare()
        lines.end_imports()
        written = 0
        for seed in seeds:
            for each in cached:
                each.cache_clear()
            lines.begin()
            outcome = search.run_seed(seed, settings)
            of_run = lines.of_run
            if (imported := lines.of_imports) != written:
                write(imports=packed(imported))
                written = imported
            row = {"mode": mode, "seed": seed, "virtual_ns": outcome.virtual_ns}
            row["faults"] = {name: n for name, n in outcome.counts.items() if name[0].isupper()}
            if outcome.invariant:
                write(**row, invariant=outcome.invariant, failure=outcome.failure)
            else:
                write(**row, lines=packed(of_run))


if __name__ == "__main__":
    main(*sys.argv[1:])
