"""The recordings of a member, from its running archive or from the archive's files.

Upstream's tool can only send requests, so it shows nothing of a stopped member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, Self

from aeron_cluster.archive.client.archive_client import AeronArchive, as_session_id
from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.tools.cluster_directory import Presence
from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import TOOL_OPTIONS, resolve
from aeron_cluster.errors import MissingFileError, OperationError, TimeoutExpiredError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ArchiveFiles", "ArchiveOfMember", "RunningArchive", "find_archive_dir", "open_archive"]

_CONTROL_CHANNEL: Final = "aeron:ipc?term-length=64k"
_FRAGMENT_LIMIT: Final = 10
_SILENCE_NS: Final = 10_000_000_000


class ArchiveOfMember(Protocol):
    """The interface to an archive for tools."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(self, *_: object) -> None:
        """Close it."""

    def find(self, recording_id: int) -> RecordingDescriptor | None:
        """Return the descriptor of a recording, or None."""

    def messages(self, recording_id: int) -> Iterator[tuple[bytes, int]]:
        """Yield each message of a recording, and the position after it."""


class ArchiveFiles:
    """The directory of an archive, running or not.

    Parameters
    ----------
    seams : Seams
    directory : str
        The directory that contains the catalog.

    Raises
    ------
    MissingFileError
        There is no catalog.
    CorruptError, VersionError
        It is not a catalog, or has another major version.
    """

    def __init__(self, seams: Seams, directory: str) -> None:
        self._files = seams.files
        self._directory = directory
        try:
            self._catalog = Catalog(seams.files, directory, writable=False)
        except FileNotFoundError:
            raise MissingFileError(
                f"{directory}/{CATALOG_NAME}", "an archive's catalog", "give the archive directory"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._catalog.close()

    def find(self, recording_id: int) -> RecordingDescriptor | None:
        """Return the catalog's descriptor of a recording, or None."""
        if recording_id not in self._catalog:
            return None
        return self._catalog.get(recording_id).descriptor

    def messages(self, recording_id: int) -> Iterator[tuple[bytes, int]]:
        """Yield each message of a recording, and the position after it.

        Raises
        ------
        OperationError
            The catalog does not have the recording.
        CorruptError, PlatformError
            Its segments are damaged or missing.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        return read_recording(self._files, self._directory, descriptor)


class RunningArchive:
    """The archive of a running member.

    Recordings are replayed over ``aeron.cluster.tool.replay.channel`` and its stream id, which are
    read from the environment.

    Parameters
    ----------
    seams : Seams
    aeron_dir : str
        The directory of the member's driver.
    control_stream_id : int
        The archive's control channel over IPC.

    Raises
    ------
    MissingFileError, DriverTimeoutError, CorruptError, VersionError
        The driver is not running, or has another version.
    TimeoutExpiredError, ArchiveError
        The archive does not answer, or rejects the session.
    """

    def __init__(self, seams: Seams, aeron_dir: str, control_stream_id: int) -> None:
        self._seams = seams
        options = resolve(TOOL_OPTIONS, {})
        self._replay_channel = ChannelUri.parse(options.tool_replay_channel).validate()
        self._replay_stream_id: int = options.tool_replay_stream_id
        open_driver(seams, aeron_dir).close()
        self._aeron = Aeron.connect(aeron_dir=aeron_dir, client_name="cluster-tool", seams=seams)
        try:
            self._archive = AeronArchive.connect(
                aeron=self._aeron,
                client_name="cluster-tool",
                control_channel=_CONTROL_CHANNEL,
                control_response_channel=_CONTROL_CHANNEL,
                control_stream_id=control_stream_id,
            )
        except BaseException:
            self._aeron.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._aeron.close()

    def find(self, recording_id: int) -> RecordingDescriptor | None:
        """Return the archive's descriptor of a recording, or None."""
        return self._archive.list_recording(recording_id)

    def messages(self, recording_id: int) -> Iterator[tuple[bytes, int]]:
        """Yield each message of a replay, and the position after it.

        Raises
        ------
        ArchiveError
            The archive rejects the replay.
        TimeoutExpiredError
            The replay does not start, or makes no progress.
        """
        descriptor = self.find(recording_id)
        if descriptor is None:
            raise OperationError(f"recording {recording_id}: the archive does not know it")
        replay = self._archive.start_replay(
            recording_id,
            self._replay_channel,
            self._replay_stream_id,
            position=descriptor.start_position,
        )
        session_id = as_session_id(replay)
        channel = self._replay_channel.with_params({"session-id": session_id})
        subscription = self._aeron.add_subscription(channel, self._replay_stream_id)
        try:
            yield from self._poll(subscription, session_id, recording_id)
        finally:
            subscription.close()

    def _poll(
        self, subscription: Subscription, session_id: int, recording_id: int
    ) -> Iterator[tuple[bytes, int]]:
        taken: list[tuple[bytes, int]] = []

        def take(message: MessageView, header: Header) -> None:
            taken.append((bytes(message), header.position))

        assembler = FragmentAssembler(take)
        idle = IdleStrategy("backoff")
        clock = self._seams.clock
        deadline_ns = clock.nano_time() + _SILENCE_NS
        image = None
        while True:
            if image is None:
                image = subscription.image_by_session_id(session_id)
            work_count = 0 if image is None else image.poll(assembler, _FRAGMENT_LIMIT)
            yield from taken
            taken.clear()
            if work_count:
                deadline_ns = clock.nano_time() + _SILENCE_NS
            elif image is not None and (image.is_closed or image.is_end_of_stream):
                return
            elif clock.nano_time() > deadline_ns:
                raise TimeoutExpiredError(
                    f"recording {recording_id}: expected its replay to continue, found nothing for"
                    f" {_SILENCE_NS / 1e9:g} s"
                )
            idle.idle(work_count)


def open_archive(directory: ClusterDirectory, archive_dir: str | None = None) -> ArchiveOfMember:
    """Open the archive of a member, as far as it can be found.

    Parameters
    ----------
    directory : ClusterDirectory
    archive_dir : str, optional
        The archive's directory. By default a running archive is queried; for a stopped member, the
        directory ``archive`` next to the cluster directory is used.

    Raises
    ------
    MissingFileError
        The member is stopped, and its archive is in another directory.
    Exception
        As for `ArchiveFiles` and `RunningArchive`.
    """
    seams = directory.seams
    if archive_dir is not None:
        return ArchiveFiles(seams, archive_dir)
    if directory.has_component:
        component = directory.component()
        if component.presence is Presence.RUNNING:
            header = component.header
            return RunningArchive(seams, header.aeron_directory, header.archive_stream_id)
    beside = find_archive_dir(directory)
    if beside is None:
        raise MissingFileError(
            f"{directory.path}/../archive",
            "the archive of a stopped member",
            "give its directory with --archive-dir",
        )
    return ArchiveFiles(seams, beside)


def find_archive_dir(directory: ClusterDirectory) -> str | None:
    """Return the archive directory next to a cluster directory, if it exists."""
    parent, _, _ = directory.path.rpartition("/")
    beside = f"{parent}/archive" if "/" in directory.path else "archive"
    return beside if directory.seams.files.exists(f"{beside}/{CATALOG_NAME}") else None
