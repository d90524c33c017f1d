"""Recordings that grow while they are read."""

from aeron_cluster.archive.storage.segments import base_position
from tests.unit.pipeline.recording_builder import RecordingBuilder


class Growing:
    """Writes the new frames of a recording to an archive's directory.

    Parameters
    ----------
    written : RecordingBuilder
        A recording in the directory, not stopped.
    archive_dir : Path
        The archive's directory.
    """

    def __init__(self, written: RecordingBuilder, archive_dir, recording_id=0):
        self.written = written
        self.archive_dir = archive_dir
        self.recording_id = recording_id
        self.count = len(written.frames)

    def write(self) -> None:
        """Write the new frames, each with its length last, as recorders do."""
        for frame in self.written.frames[self.count :]:
            path = self.written.segment(self.archive_dir, frame.position, self.recording_id)
            base = base_position(
                self.written.start,
                frame.position,
                self.written.term_length,
                self.written.segment_length,
            )
            mode = "r+b" if path.exists() else "wb"
            with path.open(mode) as file:
                file.truncate(self.written.segment_length)
                file.seek(frame.position - base)
                file.write(self.written.header(frame) + frame.payload)
        self.count = len(self.written.frames)
