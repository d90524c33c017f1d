"""What the page shows: members, the latency of the leader's stages, and the end of the log."""

from __future__ import annotations

import contextlib
import threading  # noqa: TID251 - readers of HTTP share what one of them has looked up
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cli.latency import PERCENTILES
from aeron_cluster.cli.metrics.latency import StageHistogram
from aeron_cluster.cli.options.member import error_text, format_time
from aeron_cluster.cluster.latency.latency_file import Stage, StageLatency, read_latencies
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.status import NodeStatus, read_status
from aeron_cluster.errors import AeronClusterError, MissingPackageError
from aeron_cluster.memory.system.seams import Seams, SystemClock
from aeron_cluster.pipeline.read import read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["PageView"]

_S: Final = 1_000_000_000
_INTERVAL_NS: Final = _S
_LOG_INTERVAL_NS: Final = 2 * _S
_LOG_LENGTH: Final = 16 * 1024
_MAX_ROWS: Final = 50
_MAX_ERRORS: Final = 20
_TEXT_LENGTH: Final = 120


@dataclass(slots=True)
class _Cached:
    """A value that is read at most once in an interval, by any number of readers."""

    interval_ns: int
    read: Callable[[], dict[str, Any]]
    value: dict[str, Any] = field(default_factory=dict)
    due_ns: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self) -> dict[str, Any]:
        with self.lock:
            now_ns = SystemClock().nano_time()
            if now_ns >= self.due_ns:
                self.value = self.read()
                self.due_ns = now_ns + self.interval_ns
            return self.value


class PageView:
    """Reads what the page shows.

    Parameters
    ----------
    directories : sequence of str
        Of members on this machine: each the data directory of a node, or a cluster directory.

    Notes
    -----
    Any thread. Members are read at most once a second, for any number of browsers.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        self._directories = tuple(directories)
        self._state = _Cached(_INTERVAL_NS, self._read_members)
        self._log = _Cached(_LOG_INTERVAL_NS, self._read_log)
        self._last_latencies: dict[str, dict[Stage, StageLatency]] = {}
        self._positions: dict[str, tuple[int, int]] = {}

    def state(self) -> dict[str, Any]:
        """Return members, latency and errors, for JSON."""
        return self._state.get()

    def log(self) -> dict[str, Any]:
        """Return the last entries of the log, the latest first, for JSON."""
        return self._log.get()

    # ---- members ----

    def _read_members(self) -> dict[str, Any]:
        members = [self._member(each) for each in self._directories]
        leaders = [each for each in members if each["role"] == "leader" and not each["silent_s"]]
        leader = max(leaders, key=lambda each: each["term"], default=None)
        furthest = max((each["committed"] for each in members), default=-1)
        for each in members:
            each["behind"] = furthest - each["committed"] if each["committed"] >= 0 else None
        errors = [error for each in members for error in each.pop("errors")]
        return {
            "time": format_time(SystemClock().epoch_ms(), "%H:%M:%S"),
            "members": members,
            "leader": None if leader is None else leader["id"],
            "latency": {} if leader is None else self._latency(leader),
            "errors": errors[:_MAX_ERRORS],
        }

    def _member(self, directory: str) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "id": None,
            "directory": directory,
            "aeron_dir": None,
            "role": "-",
            "silent_s": 0.0,
            "term": -1,
            "committed": -1,
            "rate": 0.0,
            "sessions": 0,
            "error_count": 0,
            "errors": [],
        }
        try:
            found = read_status(ClusterDirectory(directory), query_members=False)
        except AeronClusterError as error:
            return {**empty, "state": str(error)}
        member: dict[str, Any] = {
            **empty,
            "id": found.member_id,
            "aeron_dir": found.component.header.aeron_directory,
            "state": found.component.presence.name.lower().replace("_", " "),
            "error_count": len(found.errors),
            "errors": [
                f"member {found.member_id}, {of}: {error_text(error)}" for of, error in found.errors
            ],
        }
        return {**member, **self._live(found)} if found.live is not None else member

    def _live(self, found: NodeStatus) -> dict[str, Any]:
        live = found.live
        assert live is not None
        silent_s = found.inactive_s
        is_silent = found.is_silent
        state = live.state.name.lower()
        if is_silent:
            state = f"silent for {silent_s:.0f} s"
        elif live.election_state.name != "CLOSED":
            state = f"electing: {live.election_state.name.lower().replace('_', ' ')}"
        return {
            "role": live.role.name.lower(),
            "state": state,
            "silent_s": round(silent_s, 1) if is_silent else 0.0,
            "term": live.leadership_term_id,
            "committed": live.commit_position,
            "rate": self._rate(found.directory, live.commit_position),
            "sessions": sum(each.cluster_session_id >= 0 for each in live.sessions),
            "error_count": live.error_count,
        }

    def _rate(self, directory: str, position: int) -> float:
        """Return how many bytes a second were committed since the last call."""
        now_ns = SystemClock().nano_time()
        last_ns, last = self._positions.get(directory, (now_ns, position))
        self._positions[directory] = (now_ns, position)
        return max(0, position - last) * _S / (now_ns - last_ns) if now_ns > last_ns else 0.0

    # ---- latency ----

    def _latency(self, leader: dict[str, Any]) -> dict[str, Any]:
        """Return the percentiles of the leader's stages since the last call, in ns."""
        aeron_dir = leader["aeron_dir"]
        try:
            found = read_latencies(Seams().files, aeron_dir)
        except AeronClusterError:  # not measured, or the file is damaged: the rest is shown
            return {}
        before = self._last_latencies.get(aeron_dir, {})
        self._last_latencies = {aeron_dir: found}
        stages = {stage: StageHistogram(each, before.get(stage)) for stage, each in found.items()}
        return {
            stage.name.lower(): {
                "count": each.count,
                **{f"p{one:g}": each.percentile_ns(one) for one in PERCENTILES},
                "max": each.max_ns if each.count else 0,
            }
            for stage, each in stages.items()
        }

    # ---- the log ----

    def _read_log(self) -> dict[str, Any]:
        """Return the last rows of the member that has the most."""
        best: tuple[int, str] | None = None
        for directory in self._directories:
            with contextlib.suppress(AeronClusterError):
                found = read_status(ClusterDirectory(directory), query_members=False)
                position = found.live.commit_position if found.live is not None else -1
                best = max(best or (-1, directory), (position, directory))
        if best is None:
            return {"rows": [], "problem": "no member has a log"}
        position, directory = best
        try:
            rows = read_log(
                directory, from_position=max(0, position - _LOG_LENGTH), mode="permissive"
            ).table()
        except (AeronClusterError, MissingPackageError) as error:
            return {"rows": [], "problem": str(error)}
        last = rows.slice(max(0, rows.num_rows - _MAX_ROWS)).to_pylist()
        return {"rows": [_row(each) for each in reversed(last)], "problem": None}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    payload: bytes | None = row["payload"]
    text = "" if payload is None else payload[:_TEXT_LENGTH].decode("ascii", "backslashreplace")
    shown = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)
    return {
        "position": row["position"],
        "type": row["message_type"],
        "term": row["leadership_term_id"],
        "session": row["cluster_session_id"],
        "time": None if row["timestamp"] is None else row["timestamp"].isoformat(),
        "length": None if payload is None else len(payload),
        "committed": row["committed"],
        "payload": shown,
    }
