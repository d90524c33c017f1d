"""A callback passes its message to another thread, which offers it during the callback.

Run these tests with ``AERON_CLUSTER_BUILD=asan`` too, which detects a read of freed memory.
"""

import contextlib
import re
import threading
from pathlib import Path

import pytest

from aeron_cluster.client.publication import ExclusivePublication, Publication
from aeron_cluster.errors import BufferUsageError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.commands import Command
from tests.unit.client.fake_driver import FakeDriver

BOUND_S = 60.0
TERM_LENGTH = 16 * 1024 * 1024
LONG_LENGTH = 2_000_000  # long, so that the copy without the GIL takes a while
MESSAGES = 20  # all fit into the three terms, so no term is cleaned


class LongTerms(FakeDriver):
    """A fake driver whose publications accept long messages, without flow control."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        for command, is_exclusive in (
            (Command.ADD_PUBLICATION, False),
            (Command.ADD_EXCLUSIVE_PUBLICATION, True),
        ):
            self.answers[command] = lambda data, is_exclusive=is_exclusive: self.publication_ready(
                data, is_exclusive=is_exclusive, limit=2**40
            )

    def log(self, registration_id: int, kind: str, session_id: int, stream_id: int) -> Path:
        path = self.directory / f"{registration_id}.logbuffer"
        log = LocalLog(kind, term_length=TERM_LENGTH, session_id=session_id, stream_id=stream_id)
        log.is_connected = True
        path.write_bytes(memoryview(log))
        return path


@pytest.fixture
def driver(shm_dir):
    return LongTerms(shm_dir / "driver")


@pytest.fixture(params=["shared", "exclusive"])
def publication(aeron, request) -> Publication | ExclusivePublication:
    if request.param == "shared":
        return aeron.add_publication("aeron:ipc", 1001)
    return aeron.add_exclusive_publication("aeron:ipc", 1001)


@pytest.fixture
def source():
    return LocalLog("exclusive", term_length=TERM_LENGTH)


def published(aeron, driver, publication):
    """Return the messages that the log of a publication holds."""
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    path = driver.directory / f"{publication.registration_id}.logbuffer"
    driver.available_image(subscription.registration_id, publication.registration_id, path)
    driver.do_work()
    aeron.conductor_agent_invoker.invoke()
    seen = []
    assembler = FragmentAssembler(lambda message, _: seen.append(bytes(message)))
    while subscription.poll(assembler, 10_000):
        pass
    return seen


class Pause:
    """A reserved value supplier, which an offer calls after it has written a frame of the
    message.
    """

    def __init__(self):
        self.reached = threading.Event()
        self.is_over = threading.Event()

    def __call__(self, _frame):
        self.reached.set()
        assert self.is_over.wait(BOUND_S)
        return 0


def test_a_callback_cannot_end_while_another_thread_offers_its_message(
    aeron, driver, publication, source
):
    pause = Pause()
    offering = []

    def give_away(message, _):
        if not offering:
            offering.append(
                threading.Thread(target=publication.offer, args=(message, pause), daemon=True)
            )
            offering[0].start()
            assert pause.reached.wait(BOUND_S)

    source.offer(b"a" * LONG_LENGTH)
    source.offer(b"b" * LONG_LENGTH)
    assembler = FragmentAssembler(give_away)
    rejections = []
    try:
        while (position := source.subscriber_position) < source.producer_position:
            try:
                source.poll(assembler, 10_000)
            except BufferUsageError as rejection:
                rejections.append(str(rejection))
            assert source.subscriber_position > position
        del assembler
        source.poll(print)  # the log retains its last handler
    finally:
        pause.is_over.set()
        offering[0].join(BOUND_S)
    # Neither the next message nor the end of the assembler changed the offered bytes.
    assert published(aeron, driver, publication) == [b"a" * LONG_LENGTH]
    assert len(rejections) == 1
    assert re.search("give_away.*1 still held", rejections[0])


def test_messages_offered_by_another_thread_are_not_torn(aeron, driver, publication, source):
    rejected = []

    def offer(message, started):
        started.set()
        try:
            while not publication.offer(message):  # at the end of a term
                pass
        except BufferUsageError as late:  # its callback had already returned
            rejected.append(late)

    def give_away(message, _):
        started = threading.Event()
        thread = threading.Thread(target=offer, args=(message, started), daemon=True)
        threads.append(thread)
        thread.start()
        assert started.wait(BOUND_S)
        return Action.BREAK

    threads = []
    for number in range(MESSAGES):
        while source.offer(bytes([number]) * LONG_LENGTH) < 0:  # at the end of a term
            pass
        # The memory of a message is freed with its assembler.
        assembler = ControlledFragmentAssembler(give_away)
        with contextlib.suppress(BufferUsageError):
            while not threads:
                source.controlled_poll(assembler, 10_000)
        del assembler
        threads.pop().join(BOUND_S)
    messages = published(aeron, driver, publication)
    assert len(messages) + len(rejected) == MESSAGES
    assert [message for message in messages if message != message[:1] * LONG_LENGTH] == []
    assert len({message[0] for message in messages}) == len(messages)
