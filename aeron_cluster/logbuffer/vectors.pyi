from collections.abc import Iterable
from typing import Self, final

from typing_extensions import Buffer

@final
class Vectors:
    def __new__(cls, parts: Iterable[Buffer], reserved: int = 0) -> Self: ...
