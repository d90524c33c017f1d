from typing import final

from typing_extensions import Buffer

@final
class LossReport:
    def __new__(cls, memory: Buffer) -> LossReport: ...
    def close(self) -> None: ...
