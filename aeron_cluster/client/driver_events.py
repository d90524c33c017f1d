"""The events that a media driver sends to its clients, a method for each."""

from __future__ import annotations

from typing import Protocol

__all__ = ["DriverEvents"]


class DriverEvents(Protocol):
    """Handles the events of a driver; `ConductorAgent` decodes them."""

    def on_publication_ready(
        self,
        correlation_id: int,
        registration_id: int,
        limit_counter_id: int,
        channel_status_id: int,
        log_file: str,
        is_exclusive: bool,
    ) -> None:
        """Handle an added publication."""

    def on_subscription_ready(self, correlation_id: int, channel_status_id: int) -> None:
        """Handle an added subscription."""

    def on_counter_ready(self, correlation_id: int, counter_id: int, is_static: bool) -> None:
        """Handle an added counter, of this client or another one."""

    def on_unavailable_counter(self, registration_id: int, counter_id: int) -> None:
        """Handle a removed counter."""

    def on_operation_success(self, correlation_id: int) -> None:
        """Handle the success of a request that returns nothing."""

    def on_next_available_session_id(self, correlation_id: int, session_id: int) -> None:
        """Handle a reserved session id."""

    def on_error(self, correlation_id: int, code: int, message: str) -> None:
        """Handle the failure of a request."""

    def on_publication_error(
        self,
        registration_id: int,
        destination_registration_id: int,
        session_id: int,
        stream_id: int,
        receiver_id: int,
        group_tag: int,
        source_address: bytes,
        source_port: int,
        error_code: int,
        error_message: str,
    ) -> None:
        """Handle a receiver's rejection of a publication's image."""

    def on_available_image(
        self,
        correlation_id: int,
        session_id: int,
        stream_id: int,
        subscription_registration_id: int,
        subscriber_position_id: int,
        log_file: str,
        source_identity: str,
    ) -> None:
        """Handle a new image of a subscription."""

    def on_unavailable_image(self, correlation_id: int, subscription_registration_id: int) -> None:
        """Handle an image that became unavailable."""

    def on_client_timeout(self, client_id: int) -> None:
        """Handle the timeout of a client."""
