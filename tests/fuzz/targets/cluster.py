"""Messages to a consensus module, of members, clients and services, and to a service container."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from aeron_cluster.codecs.cluster import SessionKeepAlive
from tests.conftest import SHARED_MEMORY
from tests.fuzz.cluster import test_consensus_adapter, test_module_snapshot, test_service_container
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Target
from tests.golden.vectors import codec_vectors
from tests.unit.cluster.members_rig import IDS, MembersRig
from tests.unit.cluster.module_rig import TERM_ID, ModuleRig, keep_alive, session_message
from tests.unit.cluster.service.container_rig import Calls, ContainerRig
from tests.unit.cluster.streams import Stream, Streams

__all__ = ["TARGETS"]

_PASSES = 4
_TERM_LENGTH = 1 << 20
_MOST = 4096  # of a message
_LENGTHS = 2  # bytes before each message of a snapshot


@cache
def _messages() -> list[bytes]:
    """Return the messages of the cluster's schema, with ids that the rigs know."""
    found = [each.encoded for each in codec_vectors() if each.schema == "cluster"]
    found += [session_message(each, b"request") for each in (0, 1, 2)]
    found += [keep_alive(each) for each in (1, 2)]
    found.append(SessionKeepAlive.encode(leadership_term_id=TERM_ID, cluster_session_id=3))
    return found


@contextlib.contextmanager
def _streams() -> Iterator[Streams]:
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-", dir=SHARED_MEMORY) as directory:
        yield Streams(Path(directory))


class _Offers:
    """Offers inputs to a stream whose terms nobody cleans: none after the third one."""

    def __init__(self, mutator: Mutator, stream: Stream, work: Callable[[], bool]) -> None:
        self._mutator, self._stream, self._work = mutator, stream, work

    def __call__(self) -> bool:
        publication = self._stream.publication
        message = self._mutator.draw()[:_MOST]
        if publication.position < 3 * self._stream.term_length - 2 * _MOST:
            # Refused once where a term ends.
            assert publication.offer(message) or publication.offer(message)
        return self._work()


@contextlib.contextmanager
def _members(seed: int, *, leader: int) -> Iterator[Feed]:
    with _streams() as streams:
        rig = MembersRig(streams, leader=leader, term_length=_TERM_LENGTH)
        rig.refresh()
        mutator = Mutator([*test_consensus_adapter.VALID, *_messages()], seed)

        def work() -> bool:
            before = sum(rig.ignored().values())
            rig.agent.do_work()
            rig.commit.do_work()
            rig.conductor.take_calls()
            assert rig.agent.notified_commit_position >= 0
            assert rig.commit_position.get() <= max(0, rig.recorded.get())
            assert all(rig.agent.member(index) for index in range(len(IDS[:3])))
            return sum(rig.ignored().values()) == before

        yield _Offers(mutator, rig.from_others[1], work)


@contextlib.contextmanager
def _module(seed: int, *, is_of_service: bool) -> Iterator[Feed]:
    with _streams() as streams:
        rig = ModuleRig(streams, log_term_length=4 * _TERM_LENGTH)
        stream = streams.stream(7, term_length=_TERM_LENGTH)
        if is_of_service:
            rig.agent.set_control(streams.subscription(stream.image()))
        else:
            rig.ingress(stream)
            for session_id in (1, 2):
                rig.open_session(session_id)

        def work() -> bool:
            before = sum(rig.ignored().values())
            rig.pass_all()
            rig.conductor.take_calls()
            return sum(rig.ignored().values()) == before

        yield _Offers(Mutator(_messages(), seed), stream, work)


@contextlib.contextmanager
def _container(seed: int, *, valid: Sequence[bytes], is_log: bool) -> Iterator[Feed]:
    directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-fuzz-", dir=SHARED_MEMORY))
    rig = ContainerRig(directory)
    mutator = Mutator(valid, seed)
    rig.lead(Calls())

    def feed() -> bool:
        message = mutator.draw()
        if rig.container.is_terminated or rig.container.is_closed:
            return False  # as an earlier message required
        before = len(rig.errors)
        if is_log:
            rig.append(message)
            rig.commit_position.set(rig.position)
        else:
            rig.until(lambda: rig.to_services.offer(message))
        for _ in range(_PASSES):
            rig.step()
        rig.observed.clear()
        return len(rig.errors) == before

    try:
        yield feed
        for error in rig.errors:
            if not isinstance(error, test_service_container.REPORTED):
                raise error
    finally:
        rig.close()
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def _snapshot(seed: int) -> Iterator[Feed]:
    """Feed whole snapshots: each message after its length in 2 bytes."""
    parts = test_module_snapshot.PARTS
    whole = b"".join(len(each).to_bytes(_LENGTHS, "little") + each for each in parts)
    mutator = Mutator([whole], seed)

    def feed() -> bool:
        data, found, at = mutator.draw(), [], 0
        while at + _LENGTHS <= len(data):
            end = at + _LENGTHS + int.from_bytes(data[at : at + _LENGTHS], "little")
            found.append(data[at + _LENGTHS : end])
            at = end
        test_module_snapshot.read(found)
        return True

    yield feed


_TO_MODULE = {
    "messages of members to a leader": partial(_members, leader=0),
    "messages of members to a follower": partial(_members, leader=1),
    "messages of clients": partial(_module, is_of_service=False),
    "messages of services": partial(_module, is_of_service=True),
}
TARGETS = (
    *(Target(name, begin, renewal=4000) for name, begin in _TO_MODULE.items()),
    Target(
        "log of a container",
        partial(_container, valid=test_service_container.LOG, is_log=True),
        renewal=50,
        share=4,
    ),
    Target(
        "messages to a container",
        partial(_container, valid=test_service_container.CONTROL, is_log=False),
        renewal=50,
        share=4,
    ),
    Target("snapshots of a module", _snapshot, share=4),
)
