from collections.abc import Iterable
from typing import final

from typing_extensions import Buffer

from aeron_cluster.client.publication import BufferClaim, ExclusivePublication, Publication

@final
class SessionIngress:
    def __init__(
        self,
        publication: Publication | ExclusivePublication,
        leadership_term_id: int,
        cluster_session_id: int,
    ) -> None: ...
    @property
    def publication(self) -> Publication | ExclusivePublication: ...
    @property
    def leadership_term_id(self) -> int: ...
    @property
    def cluster_session_id(self) -> int: ...
    def offer(self, message: Buffer) -> int: ...
    def offer_vectored(self, parts: Iterable[Buffer]) -> int: ...
    def try_claim(self, length: int, claim: BufferClaim) -> int: ...
