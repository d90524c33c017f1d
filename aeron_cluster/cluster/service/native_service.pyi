import os
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self, final

CALLBACKS: Final[tuple[str, ...]]

@final
class NativeService:
    def __init__(self, *args: object, **kwargs: object) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def version(self) -> tuple[int, int]: ...
    @property
    def is_closed(self) -> bool: ...
    @staticmethod
    def load(
        path: str | os.PathLike[str], symbol: str, options: Mapping[str, str] | None = None
    ) -> NativeService: ...
    @staticmethod
    def from_capsule(capsule: object) -> NativeService: ...
    @staticmethod
    def from_address(address: int, *, keep_alive: object = None) -> NativeService: ...
    @staticmethod
    def from_functions(
        functions: Mapping[str, int],
        *,
        state: int = 0,
        name: str | None = None,
        keep_alive: object = None,
    ) -> NativeService: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

def abi_version() -> tuple[int, int]: ...
