from typing_extensions import disjoint_base

@disjoint_base
class BufferMemory:
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
