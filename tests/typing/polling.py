"""A user polls a log; mypy checks the arguments of the handlers."""

from typing import assert_type

from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalClaim, LocalLog
from aeron_cluster.logbuffer.message_view import Header, MessageView
from aeron_cluster.logbuffer.term_appender import AppendStatus


def handle(message: MessageView, header: Header) -> None:
    """Read every attribute of a message."""
    assert_type(len(message), int)
    assert_type(message[0], int)
    assert_type(message[1:3], bytes)
    assert_type(bytes(message), bytes)
    memoryview(message).release()
    assert_type(header.position, int)
    assert_type(header.context, object)


def decide(message: MessageView, header: Header) -> Action:
    """Return the action of a controlled poll."""
    return Action.ABORT if len(message) > header.frame_length else Action.COMMIT


def send() -> int:
    """Offer, claim and poll."""
    log = LocalLog("exclusive", mtu_length=256)
    if log.offer(b"hello") == AppendStatus.BACK_PRESSURED:
        return 0
    claim = log.try_claim(5)
    if isinstance(claim, LocalClaim):
        with memoryview(claim) as view:
            view[:] = b"there"
        claim.commit()
    else:
        assert_type(claim, int)
    log.poll(FragmentAssembler(handle), 10)
    log.poll(lambda message, header: (message, header.flags))
    log.poll(decide)
    return log.controlled_poll(ControlledFragmentAssembler(decide))
