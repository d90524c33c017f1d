"""The events of a backup, for code that supervises it.

``io.aeron.cluster.ClusterBackupEventsListener``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.cluster import BackupResponse

__all__ = ["BackupEventsListener"]


class BackupEventsListener:
    """Override the events that you need; by default they do nothing.

    Notes
    -----
    Called on the backup's thread, which they must not block. What they raise goes to the error
    handler and does not affect the backup.
    """

    def on_backup_query(self) -> None:
        """Handle the start of a round: a member is queried."""

    def on_possible_failure(self, error: Exception) -> None:
        """Handle a failed round; another one follows after the cool-down interval."""

    def on_backup_response(
        self,
        members: Sequence[Member],
        log_source: Member,
        snapshots_to_retrieve: Sequence[BackupResponse.Snapshots],
    ) -> None:
        """Handle a member's answer to the query.

        Parameters
        ----------
        members : sequence of Member
            The members of the cluster.
        log_source : Member
            The member from which log and snapshots are copied.
        snapshots_to_retrieve : sequence of BackupResponse.Snapshots
            The snapshots that the backup lacks.
        """

    def on_updated_recording_log(
        self,
        recording_log: RecordingLog,
        snapshots_retrieved: Sequence[BackupResponse.Snapshots],
    ) -> None:
        """Handle the end of a round: the backup's recording log has its terms and snapshots."""

    def on_live_log_progress(
        self, recording_id: int, recording_position_counter_id: int, log_position: int
    ) -> None:
        """Handle progress of the log's recording.

        Parameters
        ----------
        recording_id : int
            The recording in the backup's archive.
        recording_position_counter_id : int
            The counter of its recorded position.
        log_position : int
            The recorded position, in bytes.
        """
