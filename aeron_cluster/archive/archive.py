"""An archive in this process: it records and replays streams for its clients.

``io.aeron.archive.Archive``.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Self, Unpack

from aeron_cluster.archive.context import NO_CHECKSUM, RECORDED_CHECKSUMS, ArchiveContext
from aeron_cluster.archive.control.conductor import ArchiveConductor
from aeron_cluster.archive.control.counters import ArchiveCounters
from aeron_cluster.archive.control.mark_file import ArchiveMarkFile
from aeron_cluster.archive.recording.recorder import Recorder
from aeron_cluster.archive.recording.recording_events import RecordingEvents
from aeron_cluster.archive.recording.segment_files import SegmentFiles
from aeron_cluster.archive.repair import repair
from aeron_cluster.archive.replay.replayer import Replayer
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segments import remove_unfinished
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.context import ClientContext
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ConfigurationError, StateError
from aeron_cluster.events.codes import ComponentType
from aeron_cluster.events.recorder import EventOptions, EventRecorder
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from aeron_cluster.memory.agents.guarded_handler import guarded_handler
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.file_access import check_directory

if TYPE_CHECKING:
    from aeron_cluster.archive.options import ArchiveOptions
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["Archive"]

_LOGGER: Final = logging.getLogger("aeron_cluster.archive")
_FILE_THREAD_SLEEP_NS: Final = 10_000_000  # shorter than recording half a segment takes


class Archive(Component):
    """Records streams into files, and replays them.

    Created by `launch`; close it, or use it in a ``with``.

    Attributes
    ----------
    context : ArchiveContext
        The options.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    KIND = "archive"

    def __init__(self, context: ArchiveContext) -> None:
        self.context = context
        self._file_runner: AgentRunner | None = None
        self._wake_conductor: Callable[[], None] | None = None
        super().__init__()

    @classmethod
    def launch(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveOptions]
    ) -> Self:
        """Start an archive on a running driver.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            The keywords of ``ARCHIVE_OPTIONS`` (``aeron_dir``, ``archive_dir``,
            ``control_channel`` and so on) and the fields of `ArchiveContext`.

        Raises
        ------
        ConfigurationError
            An option is invalid.
        DirectoryInUseError
            An active archive uses the directory, or the archive id.
        CorruptError, VersionError
            A file of the directory is damaged or unsupported; nothing is overwritten.
        DriverTimeoutError
            No active driver was found.
        """
        archive = cls(ArchiveContext.of(properties=properties, **options))
        archive.warn_of_low_space()
        return started(archive)

    def warn_of_low_space(self) -> None:
        """Log it if requests to record will be rejected; replays and deletions work.

        A node does not start then, so that it does not warn.
        """
        context = self.context
        usable = context.seams.files.usable_space(context.archive_dir)
        threshold = context.options.low_storage_space_threshold
        if usable <= threshold:
            _LOGGER.warning(
                "%s: %s bytes free, not more than the low storage threshold of %s: recordings are"
                " rejected; make room, or lower aeron.archive.low.storage.space.threshold",
                context.archive_dir,
                f"{usable:,}",
                f"{threshold:,}",
            )

    def _open(self, stack: contextlib.ExitStack) -> None:
        context = self.context
        options, seams = context.options, context.seams
        check_directory(seams.files, context.archive_dir, "archive directory")
        if options.dir_delete_on_start and seams.files.is_directory(context.archive_dir):
            seams.files.remove_tree(context.archive_dir)
        seams.files.make_directory(context.archive_dir, parents=True)
        mark_file = ArchiveMarkFile.claim(context)
        self._mark_file = mark_file
        stack.callback(mark_file.close)
        context.events = EventRecorder.open(
            stack,
            ComponentType.ARCHIVE,
            context.archive_dir,
            seams,
            EventOptions(
                options.event_archive_log,
                options.event_archive_log_disable,
                options.event_log_filename,
                options.event_buffer_length,
            ),
            self._report,
        )
        record_checksum = _checksum("aeron.archive.record.checksum", options.record_checksum)
        catalog = stack.enter_context(
            Catalog(
                seams.files,
                context.archive_dir,
                capacity=options.catalog_capacity,
                sync_level=options.catalog_file_sync_level,
                checksum=record_checksum,
                frame_checksum_code=0 if record_checksum is None else record_checksum.code,
                events=context.events,
            )
        )
        if options.catalog_file_sync_level > 0:
            seams.files.sync_directory(context.archive_dir)  # it may have just been created
        for recording_id, position in repair(
            seams.files,
            context.archive_dir,
            catalog,
            context.epoch_ms(),
            sync_level=options.file_sync_level,
            checksum=record_checksum,
            acknowledged=mark_file.acknowledged,
            block_length_limit=options.file_io_max_length,
        ):
            _LOGGER.warning(
                "%s: recording %d had no stop position; its segments end at %d",
                context.archive_dir,
                recording_id,
                position,
            )
        remove_unfinished(seams.files, context.archive_dir)
        aeron = self._connect(stack)
        mark_file.write_header(context, aeron.context.aeron_dir)
        self._counters = counters = ArchiveCounters.add(context, aeron)
        context.error_handler = self._reporting(context.error_handler)
        recorder = Recorder(
            seams.files,
            seams.clock,
            context.archive_dir,
            SegmentFiles(seams.files, context.archive_dir),
            sync_level=options.file_sync_level,
            checksum=record_checksum,
            block_length_limit=options.file_io_max_length,
            counters=counters.write,
        )
        replayer = Replayer(
            seams.files,
            seams.clock,
            context.archive_dir,
            buffer_length=options.file_io_max_length,
            checksum=(
                None
                if context.verifies_recorded_checksums
                else _checksum(
                    "aeron.archive.replay.checksum", options.replay_checksum, RECORDED_CHECKSUMS
                )
            ),
            counters=counters.read,
        )
        events = RecordingEvents(
            aeron.add_exclusive_publication(
                options.recording_events_channel, options.recording_events_stream_id
            )
            if options.recording_events_enabled
            else None
        )
        conductor = ArchiveConductor(
            context,
            aeron,
            catalog,
            mark_file,
            recorder,
            replayer,
            counters,
            events,
            self._add_control(aeron),
        )
        for agent, threshold_ns in (
            (conductor.agent, options.conductor_cycle_threshold_ns),
            (recorder, options.recorder_cycle_threshold_ns),
            (replayer, options.replayer_cycle_threshold_ns),
        ):
            if cycle := counters.cycles.get(agent.role_name):
                agent.set_cycle_counters(*cycle, threshold_ns)
        self._recorder, self._replayer = recorder, replayer
        self._segment_files = recorder.segment_files
        self._conductor_agent = conductor.agent
        self._wake_conductor = lambda: conductor.agent.set_next(0, is_busy=True)
        self._aeron = aeron
        if context.has_file_thread:
            # On its own thread in every threading mode: its calls may block on the disk.
            self._file_runner = self._runner(
                "archive-files",
                (self._segment_files,),
                IdleStrategy("sleeping", sleep_period_ns=_FILE_THREAD_SLEEP_NS),
            )
            self._file_runner.start()
        mark_file.signal_ready()

    def _connect(self, stack: contextlib.ExitStack) -> Aeron:
        context = self.context
        if context.aeron is not None:
            aeron = context.aeron
        else:
            aeron = Aeron(
                ClientContext.of(
                    aeron_dir=context.options.aeron_dir,
                    seams=context.seams,
                    use_conductor_invoker=True,
                    driver_invoker=context.driver_invoker,
                    error_handler=self._report,
                    close_handler=self._on_client_closed,
                )
            )
            stack.callback(aeron.close)
        if context.archive_id == -1:
            context.archive_id = aeron.client_id
        if context.aeron is None:
            # The driver creates the heartbeat counter later, and labels it with the name.
            aeron.context.client_name = f"archive archiveId={context.archive_id}"
        return aeron

    def _add_control(self, aeron: Aeron) -> list[Subscription]:
        options = self.context.options
        control = []
        if options.control_channel_enabled:
            channel = ChannelUri.parse(options.control_channel).with_params(
                sparse=bool(options.control_term_buffer_sparse)
            )
            control.append(aeron.add_subscription(channel, options.control_stream_id))
        control.append(
            aeron.add_subscription(options.local_control_channel, options.local_control_stream_id)
        )
        return control

    def _reporting(self, handler: Callable[[Exception], object]) -> Callable[[Exception], object]:
        then = guarded_handler(handler)

        def report(error: Exception) -> None:
            self._counters.count_error()
            try:
                self._mark_file.record_error(error, self.context.epoch_ms())
            except OSError as failure:
                then(failure)
            then(error)

        return report

    def _on_client_closed(self) -> None:
        # The conductor, if it exists already, checks this and ends.
        if self._wake_conductor is not None:
            self._wake_conductor()

    def _report(self, error: Exception) -> None:
        self.context.error_handler(error)

    # ---- driving ----

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle on one thread.

        For an archive with ``threading_mode="INVOKER"`` driven by the user among other agents. The
        creation of segment files is one of them only if files are simulated; otherwise it has a
        thread.
        """
        agents: tuple[Agent, ...] = (
            self._aeron.conductor_agent,
            self._conductor_agent,
            self._replayer,
            self._recorder,
        )
        return agents if self.context.has_file_thread else (*agents, self._segment_files)

    @property
    def threading_mode(self) -> str:
        """``"SHARED"``, ``"DEDICATED"``, or ``"INVOKER"``: its user drives its agents."""
        return str(self.context.options.threading_mode)

    def _make_runners(self) -> Iterable[AgentRunner]:
        options = self.context.options
        idle = options.idle_strategy
        match options.threading_mode:
            case "INVOKER":
                return
            case "SHARED":
                yield self._runner("archive", self.agents, idle)
            case "DEDICATED":
                conductor: tuple[Agent, ...] = (
                    self._aeron.conductor_agent,
                    self._conductor_agent,
                )
                if not self.context.has_file_thread:
                    conductor += (self._segment_files,)
                roles: tuple[tuple[str, tuple[Agent, ...], str | None], ...] = (
                    ("archive-conductor", conductor, idle),
                    ("archive-replayer", (self._replayer,), options.replayer_idle_strategy),
                    ("archive-recorder", (self._recorder,), options.recorder_idle_strategy),
                )
                for name, agents, idle_strategy in roles:
                    yield self._runner(name, agents, idle_strategy or idle)
            case mode:
                raise StateError(f"archive: threading_mode {mode}")

    def _runner(
        self, name: str, agents: tuple[Agent, ...], idle_strategy: str | IdleStrategy
    ) -> AgentRunner:
        return AgentRunner(
            agents, idle_strategy=idle_strategy, name=name, error_handler=self.on_agent_error
        )

    # ---- state ----

    @property
    def aeron_dir(self) -> str:
        """The directory of its driver."""
        return str(self._aeron.context.aeron_dir)

    @property
    def archive_id(self) -> int:
        """The archive id, unique among the archives of its driver."""
        return self.context.archive_id

    def __repr__(self) -> str:
        state = " closed" if self._is_closed else ""
        return f"<Archive {self.archive_id} in {self.context.archive_dir}{state}>"

    def _end(self) -> None:
        if not self._runners:
            # The recorder first: the conductor then stores the recordings' stop positions.
            for agent in (self._recorder, self._replayer, self._conductor_agent):
                agent.on_close()
        # The last: it removes segments that were created ahead for ended recordings.
        if self._file_runner is not None:
            self._file_runner.close()
        self._segment_files.on_close()


def _checksum(option: str, name: str | None, *others: str) -> Checksum | None:
    if name is None or name == NO_CHECKSUM:
        return None
    try:
        return Checksum(name)
    except ConfigurationError as error:
        expected = ", ".join(("CRC-32", "CRC-32C", NO_CHECKSUM, *others))
        raise ConfigurationError(option, expected, name, error.hint) from None
