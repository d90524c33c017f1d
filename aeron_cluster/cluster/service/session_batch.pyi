from collections.abc import Iterator, Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.logbuffer.message_batch import Batch

SESSION_BATCH_FIELDS: Final[Sequence[tuple[str, str, int]]]

@final
class SessionMessageBatch(Batch):
    @property
    def headers(self) -> NDArray[np.void]: ...
    def at(self, index: int) -> ClientSession | None: ...
    def __iter__(self) -> Iterator[tuple[ClientSession | None, int, memoryview]]: ...
