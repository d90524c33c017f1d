from typing import final

from typing_extensions import Buffer as _Buffer

@final
class SpareBlocks: ...

@final
class Buffer(_Buffer):
    def __len__(self) -> int: ...
