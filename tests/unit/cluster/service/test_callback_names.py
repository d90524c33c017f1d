"""A service with misspelled callbacks causes a warning with the nearest name."""

import logging

from aeron_cluster.cluster.service.clustered_service import ClusteredService, misspelled_callbacks
from aeron_cluster.cluster.service.container_context import ContainerContext


class Misspelt(ClusteredService):
    """Has no callback that is ever called."""

    def on_sesion_message(self, session, timestamp, message, header):
        """Misspelled."""

    def onTakeSnapshot(self, publication):  # noqa: N802
        """Spelled as in Java."""

    def on_order(self, order):
        """Not a callback."""

    def _on_start(self):
        """Private."""


class Right(ClusteredService):
    """Has correct callbacks and other methods."""

    def on_session_message(self, session, timestamp, message, header):
        """Spelled correctly."""

    def on_message_of_the_day(self):
        """Not a callback."""

    def snapshot(self):
        """Not a callback."""


def test_the_nearest_callback_is_named():
    assert misspelled_callbacks(Misspelt) == {
        "on_sesion_message": "on_session_message",
        "onTakeSnapshot": "on_take_snapshot",
    }
    assert misspelled_callbacks(Right) == {}
    assert misspelled_callbacks(ClusteredService) == {}


def test_a_container_warns_once_for_a_class(caplog):
    class Own(Misspelt):
        """Used by no other test."""

    with caplog.at_level(logging.WARNING, "aeron_cluster.cluster"):
        for service in (Own(), Own(), Right()):
            ContainerContext.of(service=service)
    texts = [record.getMessage() for record in caplog.records]
    assert len(texts) == 2
    assert any(
        text.endswith(
            "on_sesion_message is not a callback of a service; did you mean on_session_message?"
        )
        for text in texts
    )
