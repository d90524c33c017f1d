"""A client of an archive for asyncio.

Upstream: ``io.aeron.archive.client.AsyncAeronArchive``, which Aeron keeps to itself. The methods
are those of `AeronArchive`, awaited: each is carried out up to the request that it has no answer
for, and again once that is there, so that what is sent, checked and returned is the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import ExitStack
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from aeron_cluster.archive.client.archive_client import (
    AeronArchive,
    Answer,
    as_session_id,
    check_original,
    checked,
)
from aeron_cluster.archive.client.client_connect import transport_client
from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.waiting import connect_archive
from aeron_cluster.client.async_loop import LoopDutyCycle, until
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ClosedError, ConfigurationError, TimeoutExpiredError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.closeable import AsyncCloseable

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import ReplayOptions
    from aeron_cluster.archive.client.options import ArchiveClientOptions
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message

__all__ = ["AsyncAeronArchive"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Published = TypeVar("_Published", "Publication", "ExclusivePublication")


class _UnansweredError(Exception):
    """A request that a rehearsal has no answer for."""

    def __init__(self, kind: type[Message], expected: int, values: dict[str, object]) -> None:
        super().__init__()
        self.kind = kind
        self.expected = expected
        self.values = values


class _ReplayedArchive(AeronArchive):
    """Carries out a method of `AeronArchive` with the answers that are there so far."""

    def __init__(self, answers: list[Answer]) -> None:  # no session: nothing else of it is used
        self._given = iter(answers)

    def _start_replay_by_token(
        self, _kind: type[Message], _subscription_id: int, values: dict[str, object]
    ) -> int:
        raise ConfigurationError(
            "replay_channel",
            "no response channel, which `AeronArchive` and `PersistentSubscription` have",
            values["replay_channel"],
        )

    def _request_and_wait(
        self,
        kind: type[Message],
        expected: int,
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> Answer:
        assert via is None
        answer = next(self._given, None)
        if answer is None:
            raise _UnansweredError(kind, expected, values)
        return checked(answer)


def _awaited(
    method: Callable[Concatenate[AeronArchive, _P], _T],
) -> Callable[Concatenate[AsyncAeronArchive, _P], Coroutine[Any, Any, _T]]:
    @wraps(method)
    async def awaited(self: AsyncAeronArchive, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        answers: list[Answer] = []
        while True:
            try:
                return method(_ReplayedArchive(answers), *args, **kwargs)
            except _UnansweredError as request:
                wanted = request
            answers.append(await self._answer(wanted))

    return awaited


class AsyncAeronArchive(AsyncCloseable):
    """A control session with an archive, whose requests are awaited.

    Created by `connect`; use it in an ``async with``, or await `close`. Any number of requests may
    be in flight.

    Notes
    -----
    It belongs to the event loop in which it was created, and has no thread: the loop polls it,
    continuously while answers arrive, and every few milliseconds when it is idle. It does not
    reconnect: after the session was lost, requests raise `ClosedError`.

    Examples
    --------
    >>> async with await AsyncAeronArchive.connect(  # doctest: +SKIP
    ...     control_channel="aeron:udp?endpoint=localhost:8010",
    ...     control_response_channel="aeron:udp?endpoint=localhost:0",
    ... ) as archive:
    ...     for recording in await archive.list_recordings():
    ...         print(recording.recording_id, recording.original_channel)
    """

    def __init__(self, archive: AeronArchive, resources: ExitStack) -> None:
        self._archive = archive
        self._resources = resources
        self._in_flight: dict[int, asyncio.Future[Answer]] = {}
        self._is_closed = False
        self._duty_cycle = LoopDutyCycle(self._do_work, lambda: bool(self._in_flight), self._end)

    @classmethod
    async def connect(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveClientOptions]
    ) -> Self:
        """Open a control session.

        Parameters
        ----------
        properties, **options
            As for `AeronArchive.connect`, but without an ``agent_invoker`` and an
            ``idle_strategy``: the event loop does not wait.

        Raises
        ------
        TimeoutExpiredError, AuthenticationError, ArchiveError
            As `AeronArchive.connect`.
        ConfigurationError, RegistrationError, DriverTimeoutError
            An option or channel is invalid, or the driver is not usable.
        """
        for name in ("agent_invoker", "idle_strategy"):
            if name in options:
                raise ConfigurationError(name, "none: the event loop does not wait", "one")
        context = ArchiveClientContext.of(properties=properties, **options)
        with ExitStack() as stack:
            aeron = transport_client(context, stack, use_conductor_invoker=True)
            task = Task(connect_archive(context, aeron))
            stack.callback(task.close)

            def is_open() -> bool:
                aeron.drive()
                task.do_work()
                return task.is_done

            await until(is_open)
            archive = task.result
            stack.callback(archive.close)
            return cls(archive, stack.pop_all())

    def __repr__(self) -> str:
        return f"<Async{repr(self._archive)[1:]}"

    # ---- state ----

    @property
    def context(self) -> ArchiveClientContext:
        """The options."""
        return self._archive.context

    @property
    def aeron(self) -> Aeron:
        """The transport client; one that was created for this client is driven by the loop."""
        return self._archive.aeron

    @property
    def archive_id(self) -> int:
        """The archive id, or -1 if the archive is too old to send it."""
        return self._archive.archive_id

    @property
    def control_session_id(self) -> int:
        """The control session id."""
        return self._archive.control_session_id

    @property
    def is_closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._is_closed

    @property
    def is_connected(self) -> bool:
        """Whether the archive is connected."""
        return self._archive.is_connected

    @property
    def in_flight(self) -> int:
        """The number of requests that were sent and not answered yet."""
        return len(self._in_flight)

    # ---- requests, as those of `AeronArchive` ----

    start_recording = _awaited(AeronArchive.start_recording)
    extend_recording = _awaited(AeronArchive.extend_recording)
    stop_recording = _awaited(AeronArchive.stop_recording)
    try_stop_recording = _awaited(AeronArchive.try_stop_recording)
    stop_recording_channel = _awaited(AeronArchive.stop_recording_channel)
    try_stop_recording_channel = _awaited(AeronArchive.try_stop_recording_channel)
    stop_recording_publication = _awaited(AeronArchive.stop_recording_publication)
    try_stop_recording_by_identity = _awaited(AeronArchive.try_stop_recording_by_identity)
    stop_replay = _awaited(AeronArchive.stop_replay)
    stop_all_replays = _awaited(AeronArchive.stop_all_replays)
    list_recordings = _awaited(AeronArchive.list_recordings)
    list_recordings_for_uri = _awaited(AeronArchive.list_recordings_for_uri)
    list_recording = _awaited(AeronArchive.list_recording)
    list_recording_subscriptions = _awaited(AeronArchive.list_recording_subscriptions)
    find_last_matching_recording = _awaited(AeronArchive.find_last_matching_recording)
    get_start_position = _awaited(AeronArchive.get_start_position)
    get_recording_position = _awaited(AeronArchive.get_recording_position)
    get_stop_position = _awaited(AeronArchive.get_stop_position)
    get_max_recorded_position = _awaited(AeronArchive.get_max_recorded_position)
    truncate_recording = _awaited(AeronArchive.truncate_recording)
    purge_recording = _awaited(AeronArchive.purge_recording)
    detach_segments = _awaited(AeronArchive.detach_segments)
    delete_detached_segments = _awaited(AeronArchive.delete_detached_segments)
    purge_segments = _awaited(AeronArchive.purge_segments)
    attach_segments = _awaited(AeronArchive.attach_segments)
    migrate_segments = _awaited(AeronArchive.migrate_segments)
    update_channel = _awaited(AeronArchive.update_channel)
    replicate = _awaited(AeronArchive.replicate)
    stop_replication = _awaited(AeronArchive.stop_replication)
    try_stop_replication = _awaited(AeronArchive.try_stop_replication)
    start_replay = _awaited(AeronArchive.start_replay)

    async def replay(
        self,
        recording_id: int,
        replay_channel: str | ChannelUri,
        replay_stream_id: int,
        **options: Unpack[ReplayOptions],
    ) -> Subscription:
        """Start a replay, with options as for `start_replay`, and subscribe to its stream only."""
        session_id = await self.start_replay(
            recording_id, replay_channel, replay_stream_id, **options
        )
        channel = ChannelUri.parse(str(replay_channel)).with_params(
            session_id=as_session_id(session_id)
        )
        registration_id = self.aeron.async_add_subscription(channel, replay_stream_id)
        return await self._added(self.aeron.get_subscription, registration_id)

    async def add_recorded_publication(
        self, channel: str | ChannelUri, stream_id: int
    ) -> Publication:
        """Add a publication, and record it."""
        registration_id = self.aeron.async_add_publication(channel, stream_id)
        publication = await self._added(self.aeron.get_publication, registration_id)
        return await self._recorded(publication, channel)

    async def add_recorded_exclusive_publication(
        self, channel: str | ChannelUri, stream_id: int
    ) -> ExclusivePublication:
        """Add an exclusive publication, and record it."""
        registration_id = self.aeron.async_add_exclusive_publication(channel, stream_id)
        publication = await self._added(self.aeron.get_exclusive_publication, registration_id)
        return await self._recorded(publication, channel)

    async def _added(self, get: Callable[[int], _T | None], registration_id: int) -> _T:
        try:
            found = await until(
                lambda: get(registration_id), self.context.message_timeout_ns, f"{self!r}: a stream"
            )
        except BaseException:
            self.aeron.abandon(registration_id)
            raise
        assert found is not None
        return found

    async def _recorded(self, publication: _Published, channel: str | ChannelUri) -> _Published:
        try:
            check_original(publication)
            uri = ChannelUri.parse(str(channel)).with_params(session_id=publication.session_id)
            await self.start_recording(uri, publication.stream_id)
        except BaseException:
            publication.close()
            raise
        return publication

    async def _answer(self, wanted: _UnansweredError) -> Answer:
        timeout_ns = self.context.message_timeout_ns
        name = wanted.kind.__name__
        attempts = 0

        def send() -> int | None:
            nonlocal attempts
            sent = self._archive.request(wanted.kind, wanted.expected, **wanted.values)
            if sent is None:
                attempts += 1
                self.context.check_attempts(attempts, wanted.kind)
            return sent

        correlation_id = await until(
            send,
            timeout_ns,
            f"{self!r}: {name}",
        )
        assert correlation_id is not None
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._in_flight[correlation_id] = answer
        self._duty_cycle.wake()
        try:
            async with asyncio.timeout(timeout_ns / 1e9):
                return await answer
        except TimeoutError:
            raise TimeoutExpiredError(f"{self!r}: no answer to {name} in time") from None
        finally:
            self._in_flight.pop(correlation_id, None)
            self._archive.forget(correlation_id)

    # ---- the duty cycle, in the loop ----

    def _do_work(self) -> int:
        self._archive.aeron.drive()
        work_count = self._archive.poll()
        if work_count > 0:
            self._set_answers()
        if not self._archive.is_connected:
            raise ClosedError(f"{self!r}: the archive closed the session")
        return work_count

    def _set_answers(self) -> None:
        for correlation_id, future in [*self._in_flight.items()]:
            if future.done():
                continue
            answer = self._archive.take_answer(correlation_id)
            if answer is not None:
                future.set_result(answer)

    def _end(self, error: Exception) -> None:
        for future in self._in_flight.values():
            if not future.done():
                future.set_exception(error)

    async def close(self) -> None:
        """Close the session; pending awaits raise `ClosedError`. Again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._duty_cycle.stop()
        self._end(ClosedError(f"{self!r}: it was closed"))
        self._resources.close()
