from typing import final

from typing_extensions import Buffer

from aeron_cluster.client.publication import ExclusivePublication

@final
class LogPublisher:
    leadership_term_id: int
    def connect(self, publication: ExclusivePublication) -> None: ...
    def disconnect(self) -> None: ...
    @property
    def publication(self) -> ExclusivePublication | None: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def position(self) -> int: ...
    @property
    def session_id(self) -> int: ...
    def append_session_message(
        self, cluster_session_id: int, timestamp: int, message: Buffer
    ) -> int: ...
    def append_session_open(
        self,
        correlation_id: int,
        cluster_session_id: int,
        timestamp: int,
        response_stream_id: int,
        response_channel: str,
        encoded_principal: bytes,
    ) -> int: ...
    def append_session_close(
        self, cluster_session_id: int, timestamp: int, close_reason: int
    ) -> int: ...
    def append_timer(self, correlation_id: int, timestamp: int) -> int: ...
    def append_cluster_action(self, timestamp: int, action: int, flags: int = 0) -> int: ...
    def append_new_leadership_term(
        self,
        timestamp: int,
        term_base_log_position: int,
        leader_member_id: int,
        log_session_id: int,
        time_unit: int,
        app_version: int,
    ) -> int: ...
