from typing import final

from aeron_cluster.memory.mapped_file import MappedFile

@final
class LossReport:
    """The driver's `loss-report.dat`, written by the conductor's hot pass."""

    def __new__(cls, file: MappedFile) -> LossReport: ...
