"""An event log of everything, as the texts of its lines."""

import struct

from aeron_cluster.events.layouts import LAYOUTS
from aeron_cluster.events.text import decode_record


class LoggedEvents:
    """Encodes and decodes what is recorded, as a log does."""

    def __init__(self):
        self.log = self
        self.lines = []

    def record(self, event, **values):
        data, length = LAYOUTS[event].encode(values)
        record = struct.pack("<iiq", len(data), length, 0) + data
        head, _, text = decode_record(event, record).line.partition("]: ")
        self.lines.append(f"{head.split()[2]} {text}")

    def of(self, *names):
        """Return the lines of some events."""
        return [line for line in self.lines if line.split()[0] in names]
