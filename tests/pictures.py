"""Draws the tutorial's pictures: what a terminal shows, as SVG.

``python -m tests.pictures PACKAGE FOLDER`` runs the cluster of the tutorial on a terminal, in the
folder of the package that its first step wrote, and draws its screens (``SCREENS``). Any other
picture of a page is of what was typed and printed there since its heading: the walkthrough draws
those.
"""

import io
import os
import re
import signal
import sys
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console
from rich.text import Text

from tests.terminal import Terminal

SCREENS = ("cluster.svg", "leader-killed.svg")
COLUMNS = 80
_PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([\w-]+\.svg)\)$")
# The font of the reader's own terminal, and no address of a network.
_REMOVED = re.compile(r"\s*@font-face \{\{.*?\}\}|\s*<!--.*?-->", re.DOTALL)
_FORMAT = _REMOVED.sub("", CONSOLE_SVG_FORMAT)
_LOCAL = ("local", "3", "--service", "store.service:Store", "--failover", "fast")


def draw(text: Text, title: str, path: Path) -> None:
    """Write a picture of a terminal."""
    console = Console(
        record=True,
        width=COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    console.print(text, soft_wrap=False)
    svg = console.export_svg(title=title, code_format=_FORMAT, unique_id="terminal")
    path.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")


def draw_transcripts(page: Path, typed: dict[int, tuple[str, str]], folder: Path) -> None:
    """Draw the pictures of a page that show what was typed and printed since their headings.

    Parameters
    ----------
    page : Path
    typed : dict
        By the line of a block in the page, the typed text and the printed text.
    folder : Path
    """
    since = 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("#"):
            since = number
        elif (picture := _PICTURE.match(line)) and picture[1] not in SCREENS:
            shown = Text()
            for at, (command, printed) in typed.items():
                if since < at < number:
                    shown.append(f"$ {command}\n", "bold").append(printed)
            assert shown, f"{page}:{number}: nothing was typed since line {since}"
            shown.rstrip()
            draw(shown, page.stem, folder / picture[1])


def draw_screens(package: Path, folder: Path) -> None:
    """Draw a cluster on a terminal, and the same after its leader was killed."""
    command = [*_LOCAL, "--dir", "screens", "--ping", "set color red"]
    with Terminal(*command, cwd=package, TERM="xterm-256color") as terminal:
        _await_roles(terminal, 0)
        terminal.await_screen(r"^request: .* answered")
        _draw_screen(terminal, folder / "cluster.svg")
        leader = terminal.await_screen(r"^(\d) leader .*\n.*process (\d+)")
        os.kill(int(leader[2]), signal.SIGKILL)
        terminal.await_screen(rf"^(?!{leader[1]})\d leader +[1-9]")
        _await_roles(terminal, 1)
        _draw_screen(terminal, folder / "leader-killed.svg")
        terminal.press("q")
        assert terminal.await_end() == 0, terminal.text[-4000:]


def _await_roles(terminal: Terminal, since_term: int) -> None:
    row = rf" (?:leader|follower) +[{since_term}-9] .*\n +active"
    terminal.await_screen(r"\A" + "".join(rf"(?=(?:.*\n)*{n}{row})" for n in range(3)))


def _draw_screen(terminal: Terminal, path: Path) -> None:
    draw(Text.from_ansi(terminal.frame), "aeron-cluster local 3", path)


if __name__ == "__main__":
    draw_screens(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
