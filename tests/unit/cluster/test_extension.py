"""An extension of the consensus module that handles nothing."""

import pytest

from aeron_cluster.cluster.context.extension import ConsensusModuleExtension


@pytest.fixture
def extension():
    return ConsensusModuleExtension()


def test_it_has_no_work_and_no_snapshot(extension):
    assert extension.do_work(1) == extension.slow_tick_work(1) == extension.consensus_work(1) == 0
    assert list(extension.on_take_snapshot()) == []
    assert extension.supported_schema_id is None


def test_clients_messages_are_not_received_again(extension):
    """A message that is never accepted would block all later ones."""
    assert extension.on_ingress_message(b"message", None) is True


def test_it_may_be_notified_of_everything(extension):
    extension.on_start(None, None)
    extension.on_prepare_for_new_leadership()
    extension.on_election_complete(None)
    extension.on_new_leadership_term(None)
    extension.on_session_opened(1)
    extension.on_session_closed(1, None)
    extension.on_log_message(b"message", 96)
    extension.close()
