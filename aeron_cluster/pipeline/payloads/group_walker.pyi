from typing import Self, final

import numpy as np
import numpy.typing as npt

from aeron_cluster.pipeline.columns.column_memory import Buffer

@final
class GroupWalker:
    def __new__(
        cls, levels: list[tuple[int, ...]], parts: list[tuple[int, ...]], is_big_endian: bool
    ) -> Self: ...
    def walk(
        self,
        data: npt.NDArray[np.uint8],
        bodies: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        versions: npt.NDArray[np.int32],
    ) -> list[tuple[int, int, int, int, int]]: ...
    def take_group(self, number: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]: ...
    def take_data(self, number: int) -> tuple[Buffer, Buffer]: ...

def gather(
    data: npt.NDArray[np.uint8], begins: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> tuple[Buffer, Buffer]: ...
