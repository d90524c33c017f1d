"""Follows a page as a reader does: ``python -m tests.walkthrough PAGE FOLDER``, from the root.

Each block is printed with the time at which it was done. ``--pictures FOLDER`` draws those pictures
of the page that show what a terminal showed (``tests/pictures.py``); with ``--keep``, everything is
left running until the standard input ends. ``--only BEGIN`` follows only the blocks that begin with
these texts, in that order; a service that they name is in ``my_service.py``.

Blocks are followed in their order, in a folder:

- one that begins with a comment with a path is written to that path;
- other ``python`` is run;
- other ``sh`` is run line by line; ``cd`` applies to later lines. A command that runs until it is
  ended keeps running, as in another terminal, until the same verb is started again;
- ``text`` is the output of the previous command, with other numbers: each line, in that order. The
  output of a running command is awaited. ``...`` at a line's end stands for the rest of the line.

A command must fail if the text after it shows a failure; otherwise it must succeed.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import PYTHON_PATH, ROOT
from tests.pages import Block, block_of, blocks_of
from tests.pictures import draw_transcripts
from tests.waiting import await_true

TIMEOUT_S = 120.0
_PATH = re.compile(r"# ([\w./-]+\.\w+)\n")
_RUNS_ON = re.compile(
    r"aeron-cluster (?:(?:node|local|backup|driver|archive)(?= -| \d|$)|(?:metrics|page)(?= )"
    r"|latency(?= .*--watch))"
)
_SERVICE = "# shout.py\n"  # the README's service, which pages refer to
_NUMBER = re.compile(r"\d[\d.,]*")
_DURATION = re.compile(r"N (ns|us|ms|s)\b")


def plain(line: str) -> str:
    """Return a line without its numbers, which differ."""
    return _DURATION.sub("N s", _NUMBER.sub("N", line)).strip()


def missing(expected: str, printed: str) -> str | None:
    """Return the first expected line that was not printed in order."""
    lines = iter([plain(line) for line in printed.splitlines()])
    for line in expected.splitlines():
        wanted = plain(line)
        is_begin = wanted.endswith("...")
        wanted = wanted.removesuffix("...").strip()
        if not any(each.startswith(wanted) if is_begin else each == wanted for each in lines):
            return line
    return None


def report(line: str) -> None:
    """Print a line now, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Walkthrough:
    """The state of a reader: a folder and the running commands.

    Parameters
    ----------
    folder
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, tuple[subprocess.Popen[bytes], Path]] = {}
        self._printed = ""
        self._last: Path | None = None
        self.typed: dict[int, tuple[str, str]] = {}
        """By the line of a block in the page, what was typed and what that printed."""
        self.is_awaiting = False
        """Whether commands run, and nodes have a leader, before the next line is typed."""

    def follow(self, blocks: list[Block]) -> None:
        """Follow all blocks."""
        began = time.monotonic()
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            expected = after.text if after is not None and after.language == "text" else ""
            try:
                self._follow(block, expected)
            except Exception as error:
                sys.stdout.write(self._printed)
                for verb, (_, output) in self._running.items():
                    sys.stdout.write(f"---- {verb}\n{output.read_text()}")
                raise RuntimeError(f"{block.page}:{block.line}: {block.text}") from error
            at = f"{time.monotonic() - began:6.1f} s"
            report(f"{at}  {block.page}:{block.line}  {block.first_line}")

    def _follow(self, block: Block, expected: str) -> None:
        match block.language:
            case "python" if path := _PATH.match(block.text):
                target = self.folder / path[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text + "\n")
            case "python":
                self._run(["python", "-c", block.text], expected)
            case "sh" if path := _PATH.match(block.text):
                (self.folder / path[1]).write_text(block.text + "\n")
            case "sh":
                self._type(block.text.replace("\\\n", " ").splitlines(), expected)
                printed = self._printed if self._last is None else ""
                self.typed[block.line] = block.text, printed
            case "text":
                self._expect(block.text)

    def _type(self, lines: list[str], expected: str) -> None:
        script: list[str] = []
        for line in [*lines, ""]:
            verb = _RUNS_ON.match(line)
            is_of_script = not (verb or line.startswith("cd ") or line == "")
            if is_of_script:
                script.append(line)
            elif script:
                self._run_script("\n".join(script), expected)
                script = []
            if verb:
                self._start(verb[0], line)
            elif line.startswith("cd "):
                self.folder /= line.removeprefix("cd ")

    def _expect(self, text: str) -> None:
        if self._last is None:
            assert missing(text, self._printed) is None, missing(text, self._printed)
            return
        output = self._last
        try:
            await_true(lambda: missing(text, output.read_text()) is None, text, TIMEOUT_S)
        finally:
            self._printed = output.read_text()

    def _run_script(self, script: str, expected: str) -> None:
        """Run a script; again if it looks for the leader while there is an election."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                self._run(["bash", "-e", "-c", script], expected)
                is_done = missing(expected, self._printed) is None
            except AssertionError:
                if "is-leader" not in script or time.monotonic() > deadline:
                    raise
                is_done = False
            if is_done or "is-leader" not in script or time.monotonic() > deadline:
                return

    def _run(self, command: list[str], expected: str) -> None:
        self._last = None
        done = subprocess.run(
            command,
            check=False,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
        )
        self._printed = done.stdout
        is_failure = "failed:" in expected or "error:" in expected
        assert (done.returncode != 0) == is_failure, done.stdout

    def _start(self, verb: str, line: str) -> None:
        if verb in self._running:
            self._end(verb)
        output = self.folder / f"{len(self._running)}-{time.monotonic_ns()}.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                shlex.split(line),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self._running[verb] = process, output
        self._last = output
        if self.is_awaiting:
            # The first line of the others comes when a signal ends them properly.
            begun = "serving clients at" if verb.endswith((" node", " local")) else "\n"
            await_true(lambda: begun in output.read_text(), line, TIMEOUT_S)

    def _end(self, verb: str) -> None:
        process, output = self._running.pop(verb)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0, output.read_text()

    def close(self) -> None:
        """End the running commands, the latest first."""
        for verb in reversed(list(self._running)):
            self._end(verb)


def prepare(folder: Path, text: str) -> None:
    """Write the files that blocks name and that are not on their page."""
    if "my_service:MyService" in text or "import MyService" in text:
        (folder / "my_service.py").write_text(
            "from shout import Shout as MyService  # noqa: F401\n"
        )
    if "echo_service.c" in text:
        for name in ("echo_service.c", "send.h"):
            shutil.copy(ROOT / "benchmarks/native" / name, folder)


def main() -> None:
    """Follow a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", action="append", metavar="BEGIN", default=[])
    given = parser.parse_args()
    page = given.page.resolve()
    walkthrough = Walkthrough(given.folder)
    (service,) = [each for each in blocks_of(ROOT / "README.md") if each.text.startswith(_SERVICE)]
    (given.folder / "shout.py").write_text(service.text)
    blocks = list(blocks_of(page))
    if given.only:
        blocks = [block_of(page, begin) for begin in given.only]
        prepare(given.folder, "".join(block.text for block in blocks))
        walkthrough.is_awaiting = True
    try:
        walkthrough.follow(blocks)
        if given.pictures:
            draw_transcripts(page, walkthrough.typed, given.pictures)
        if given.keep:
            report("followed")
            sys.stdin.read()
    finally:
        walkthrough.close()


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = PYTHON_PATH
    # The code of a page imports from the folder in which it is run.
    os.environ.pop("PYTHONSAFEPATH", None)
    main()
