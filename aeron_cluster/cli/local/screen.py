"""The screen of a local cluster: members, latencies, log lines, keys."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from aeron_cluster.cli.local.supervisor import MemberState
from aeron_cluster.cli.options.member import format_size, format_time
from aeron_cluster.cluster.election.election_state import ElectionState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cli.local.supervisor import Event, Member
    from aeron_cluster.cluster.tools.status import NodeStatus

__all__ = ["KEYS", "MemberRow", "Rate", "event_text", "local_view", "member_row"]

KEYS: Final = {
    "k": "kill",
    "s": "stop",
    "c": "cut off",
    "r": "restart",
    "l": "log of",
    "n": "snapshot",
    "q": "quit",
}
"""Each key and its action; the first five are followed by a member's number."""

_S: Final = 1_000_000_000
_ERROR_NAME: Final = re.compile(r"^(?:\w+\.)+(?=\w+: )")  # only the module is removed
_HEAD: Final = (
    f"  {'role':<12} {'term':>4} {'committed':>15} {'appended':>15}"
    f" {'behind':>7} {'log/s':>10} {'sessions':>8}"
)
_LITTLE_SPACE: Final = 1 << 30
_MIN_LOG_LINES: Final = 3
_RATE_SPAN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """The displayed state of a member.

    Parameters
    ----------
    member_id : int
    role : str
    term, committed, appended : int
        The leadership term, and positions in bytes; -1 if unknown.
    sessions : int
        -1 if unknown.
    log_rate : float
        Committed bytes per second, over recent readings.
    state : str
        The state of its process and of its consensus module.
    details : tuple of str
        Process, elections, snapshots, disk.
    error : str
        The latest error; empty if none was reported.
    style : str
    """

    member_id: int
    role: str = "-"
    term: int = -1
    committed: int = -1
    appended: int = -1
    sessions: int = -1
    log_rate: float = 0.0
    state: str = ""
    details: tuple[str, ...] = ()
    error: str = ""
    style: str = ""


class Rate:
    """The rate of a position over the last few readings."""

    def __init__(self) -> None:
        self._readings: deque[tuple[int, int]] = deque(maxlen=_RATE_SPAN)

    def add(self, now_ns: int, position: int) -> float:
        """Add a reading; return bytes per second."""
        if position < 0 or (self._readings and position < self._readings[-1][1]):
            self._readings.clear()  # another process
        else:
            self._readings.append((now_ns, position))
        if len(self._readings) < 2:  # noqa: PLR2004 - a distance has two ends
            return 0.0
        (first_ns, first), (last_ns, last) = self._readings[0], self._readings[-1]
        return (last - first) * _S / max(last_ns - first_ns, 1)


def member_row(member: Member, found: NodeStatus | None, log_rate: float, now_ns: int) -> MemberRow:
    """Return the displayed state of a member.

    Parameters
    ----------
    member : Member
    found : NodeStatus, optional
        Read from its directory and counters; None if it has none.
    log_rate : float
    now_ns : int
        By the supervisor's clock.
    """
    state, style = member.state.value, ""
    if member.state is MemberState.WAITING:
        state = f"starts again in {max(member.restart_at_ns - now_ns, 0) / _S:.1f} s"
    if member.state is MemberState.CUT_OFF:
        state, style = "cut off (paused by SIGSTOP)", "yellow"
    elif member.process is None:
        style = "red" if member.state is MemberState.FAILED else "yellow"
    details = [] if member.process is None else [f"process {member.process.pid}"]
    details += [] if found is None else _details(found)
    lines = member.last_output.splitlines()
    error = lines[-1] if member.process is None and lines else ""
    if found is not None and found.errors:
        of, latest = found.errors[0]
        at = format_time(latest.last_observation_ms, "%H:%M:%S")
        text = _ERROR_NAME.sub("", latest.text.partition("\n")[0])
        error = error or f"{of}, {at}: {text}"
    live = None if found is None or member.process is None else found.live
    if live is None or found is None:
        return MemberRow(
            member_id=member.member_id,
            state="starting" if member.state is MemberState.RUNNING else state,
            details=tuple(details),
            error=error,
            style=style,
        )
    role = live.role.name.lower()
    silent_s = found.inactive_s
    if member.state is MemberState.CUT_OFF or found.is_silent:
        role, style = f"was {role}", "yellow"
        state += f", silent for {silent_s:.1f} s" if found.is_silent else ""
    elif live.election_state is not ElectionState.CLOSED:
        state, style = f"electing: {_words(live.election_state.name)}", "yellow"
    elif member.state is MemberState.RUNNING:
        state = _words(live.state.name)
        style = "green" if live.is_leader else ""
    return MemberRow(
        member_id=member.member_id,
        role=role,
        term=live.leadership_term_id,
        committed=live.commit_position,
        appended=live.append_position,
        sessions=sum(each.cluster_session_id >= 0 for each in live.sessions),
        log_rate=log_rate,
        state=state,
        details=tuple(details),
        error=error,
        style=style,
    )


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def _details(found: NodeStatus) -> list[str]:
    details = []
    if found.disk:
        # The last entry is the driver's directory, which is in shared memory.
        details.append(f"disk {format_size(sum(use.allocated for use in found.disk[:2]))}")
        if (usable := found.disk[0].usable) < _LITTLE_SPACE:
            details[-1] += f", {format_size(usable)} free"
    if found.live is not None:
        voted = found.component.header.candidate_term_id
        if voted > found.live.leadership_term_id:
            details.append(f"voted in term {voted}")
        details.append(f"elections {found.live.election_count}")
        details.append(f"snapshots {found.live.snapshot_count}")
    return details


# ---- the screen ----


def local_view(
    titles: Sequence[str],
    rows: Sequence[MemberRow],
    latency: str,
    events: Sequence[Event],
    followed: int | None,
    prompt: str,
    size: tuple[int, int],
) -> Group:
    """Return the screen.

    Parameters
    ----------
    titles : sequence of str
        Service, directory and endpoints; these lines are wrapped, not cut.
    rows : sequence of MemberRow
    latency : str
        The latencies of requests; empty for none.
    events : sequence of Event
        The latest is last; those of the followed member are shown, as far as they fit.
    followed : int or None
        The member to show lines of; None for all.
    prompt : str
        The question that the next key answers; empty to show the list of keys.
    size : tuple of int and int
        The size of the terminal in columns and lines.
    """
    width, height = size
    lines = [
        Text(title[first : first + width], style="bold")
        for title in titles
        for first in range(0, len(title), width)
    ]
    lines.append(Text(_HEAD, style="dim"))
    furthest = max((row.committed for row in rows), default=-1)
    for row in rows:
        lines += _row_lines(row, furthest)
    if latency:
        lines.append(Text(latency))
    source = "all members" if followed is None else f"member {followed}"
    lines.append(Text(f"-- log of {source} ".ljust(width, "-"), style="dim"))
    footer = _footer(prompt)
    room = max(height - len(lines) - len(footer), _MIN_LOG_LINES)
    shown = [each for each in events if followed in (None, each.member_id)][-room:]
    lines += map(_event_line, shown)
    lines += [Text("")] * (room - len(shown))
    lines += footer
    for line in lines:
        line.no_wrap = True
        line.overflow = "ellipsis"
    return Group(*lines)


def _row_lines(row: MemberRow, furthest: int) -> list[Text]:
    behind = furthest - row.committed if row.committed >= 0 else -1
    rate = f"{format_size(row.log_rate)}" if row.committed >= 0 else ""
    first = (
        f"{row.member_id} {row.role:<12} {_number(row.term):>4} {_number(row.committed):>15}"
        f" {_number(row.appended):>15} {_number(behind):>7} {rate:>10} {_number(row.sessions):>8}"
    )
    lines = [
        Text(first, style=row.style),
        Text("  ").append(", ".join((row.state, *row.details)), style="dim"),
    ]
    if row.error:
        lines.append(Text(f"  {row.error}", style="red"))
    return lines


def _number(value: int) -> str:
    return "" if value < 0 else f"{value:,}"


def _event_line(event: Event) -> Text:
    style = "red" if event.is_failure else "" if event.is_output else "cyan"
    return Text(event_text(event), style=style)


def event_text(event: Event) -> str:
    """Return the line of an event."""
    source = "*" if event.member_id is None else f"{event.member_id}"
    return f"{event.time_ns / _S:7.2f} s  {source}{'|' if event.is_output else ' '} {event.text}"


def _footer(prompt: str) -> list[Text]:
    if prompt:
        return [Text(prompt, style="bold reverse")]
    keys = Text()
    for key, what in KEYS.items():
        keys.append(f" {key} ", style="reverse").append(f" {what} ")
    return [keys]
