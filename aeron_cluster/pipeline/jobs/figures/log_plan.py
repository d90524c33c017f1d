"""The part of a member's log that a job reads, with its time unit.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, select_columns
from aeron_cluster.pipeline.scan.log_times import NS_PER_S, require_time_unit, units_in
from aeron_cluster.pipeline.sources.plans import MESSAGE_TYPES, plan_log

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["SELECTION", "LogOfMember"]

SELECTION: Final = (
    "from_position",
    "to_position",
    "from_term",
    "to_term",
    "from_time",
    "to_time",
    "time_unit",
    "time_slack_s",
    "only_committed",
    "assume_committed",
    "mode",
)
"""The options of `plan_log` that select the part of a log for a job."""


@dataclass(frozen=True, slots=True)
class LogOfMember:
    """A member's log, up to its end at the start of the job.

    Parameters
    ----------
    plan : Plan
    member : int
    recording_id : int
    archive_dir : str
    units : int
        Time units per second.
    """

    plan: Plan
    member: int
    recording_id: int
    archive_dir: str
    units: int

    @classmethod
    def find(
        cls,
        files: Files,
        member: MemberPath,
        recording_id: int | None,
        columns: Iterable[str],
        message_types: Iterable[str],
        selection: dict[str, Any],
    ) -> LogOfMember:
        """Plan to read a member's log.

        Raises
        ------
        ConfigurationError
            The selection is empty or has an option that is not in `SELECTION`, or the time unit is
            unknown.
        """
        for name in selection:
            if name not in SELECTION:
                raise ConfigurationError("selection", f"some of {', '.join(SELECTION)}", name)
        plan = plan_log(
            files,
            [member],
            recording_id,
            columns=columns,
            message_types=message_types,
            **selection,
        )
        if not plan.ranges:
            raise ConfigurationError("selection", "a part of the log", "nothing")
        piece = plan.ranges[0].piece
        units = units_in(require_time_unit(piece.time_unit))
        return cls(plan, piece.member, piece.recording_id, piece.archive_dir, units)

    @property
    def unit_ns(self) -> int:
        """The length of a time unit, in ns."""
        return NS_PER_S // self.units

    @property
    def bounds(self) -> tuple[int, int]:
        """The start and end position of the part, in bytes of the stream."""
        return self.plan.ranges[0].from_position, self.plan.ranges[-1].to_position

    def rarer(self, columns: Iterable[str], message_types: Iterable[str]) -> Plan:
        """Return a plan of the same part, for other columns and only some entry types."""
        kinds = 0
        for name in message_types:
            kinds |= MESSAGE_TYPES[name]
        return replace(
            self.plan,
            columns=select_columns(LOG_COLUMNS, columns),
            selection=replace(self.plan.selection, template_ids=kinds),
        )
