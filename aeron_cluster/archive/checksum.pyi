from typing import final

from typing_extensions import Buffer

@final
class Checksum:
    def __init__(self, name: str) -> None: ...
    @property
    def name(self) -> str: ...
    def __call__(self, data: Buffer) -> int: ...
