"""Requests in random order, by seed, to Java's archive and to ours: the same answers and files.

Both archives record the same publications of one driver, so that their files are equal byte for
byte and their recordings have the same ids. Each step sends the same request to both; then the
answers, the signals, the positions and the files of all recordings are compared. The texts of
errors are not compared.

Deliberate differences are left out (``docs/decisions/archive.md``): truncations within a frame,
which Java rejects after it has stored the position, and migrations to a recording whose last
segment is empty, which Java rejects.
"""

import random
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client import Aeron
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import ControlResponseCode, SourceLocation
from aeron_cluster.errors import ArchiveError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

TERM = 64 * 1024
SEGMENT = 2 * TERM
TIMEOUT_S = 60
MTU = 8 * 1024
STREAMS = (1001, 1002)
REPLAY_STREAMS = (2001, 2002)  # one for each archive
REPLAYS_TYPE = 112
NEVER = 999_999  # no recording has this id

Answer = tuple[str, int]


class DifferenceError(AssertionError):
    """The archives differ."""


class Side:
    """One of the archives, and a client of it."""

    def __init__(self, name: str, aeron: Aeron, control_channel: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.signals: list[codecs.RecordingSignalEvent] = []
        self.late_codes: list[int] = []
        self.archive = AeronArchive.connect(
            aeron=aeron,
            control_channel=control_channel,
            control_response_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=TIMEOUT_S * 1_000_000_000,
            recording_signal_handler=self.signals.append,
            error_handler=self._on_error,
        )

    def _on_error(self, error: Exception) -> None:
        assert isinstance(error, ArchiveError), error
        self.late_codes.append(error.code)

    def files(self, recordings: set[int]) -> dict[str, bytes]:
        """Return the files of recordings; a segment allocated in advance is ignored."""
        return {
            path.name: path.read_bytes()
            for path in self.directory.iterdir()
            if path.name.partition("-")[0].isdecimal()
            and int(path.name.partition("-")[0]) in recordings
            and not path.name.endswith(".new")
        }


@dataclass
class Recording:
    """The state of a recording, as both archives report it."""

    recording_id: int
    stream_id: int
    frames: set[int] = field(default_factory=set)  # positions at which frames begin
    start: int = 0
    stop: int = 0
    publication: object = None  # while it is active
    stops: dict[str, tuple[type, list[dict]]] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        return self.publication is not None

    def part(self) -> set[int]:
        """Return the positions of frames between start and stop; detached segments have others."""
        end = 2**62 if self.is_active else self.stop
        return {each for each in self.frames if self.start <= each <= end}


class Matrix:
    """Runs sequences of requests.

    Parameters
    ----------
    aeron
        A client of the driver of both archives.
    java, ours
        The archives; no other client starts recordings there.
    """

    def __init__(self, aeron: Aeron, java: Side, ours: Side) -> None:
        self.aeron = aeron
        self.sides = (java, ours)
        self.java, self.ours = java, ours
        self.requested: Counter[str] = Counter()
        self._idle = IdleStrategy("backoff")

    # ---- requests to both ----

    def until(self, condition, what: str):
        """Poll both until a condition holds."""
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := condition()):
            if time.monotonic() > deadline:
                raise DifferenceError(f"{what}: not in {TIMEOUT_S} s; {self._changes()}")
            self._idle.idle(sum(side.archive.poll() for side in self.sides))
        return found

    def _changes(self) -> str:
        return "; ".join(
            f"{side.name}{'' if side.archive.is_connected else ' (not connected)'}:"
            f" signals {[_signal(each) for each in side.signals]}, late errors {side.late_codes}"
            for side in self.sides
        )

    def ask_both(self, kind, per_side=({}, {}), **fields) -> list[Answer]:
        """Return the answer of each to one request: the kind, and the value or error code."""
        ids = []
        for side, own in zip(self.sides, per_side, strict=True):
            values = fields | own
            send = partial(side.archive.request, kind, **values)
            ids.append(self.until(send, f"{side.name}: {kind.__name__} sent"))
        found: dict[int, Answer] = {}

        def is_answered():
            for number, (side, each) in enumerate(zip(self.sides, ids, strict=True)):
                if number not in found and (answer := side.archive.take_answer(each)):
                    found[number] = (answer.response.code.name, answer.response.relevant_id)
            return len(found) == len(ids)

        try:
            self.until(is_answered, kind.__name__)
        except DifferenceError as error:
            raise DifferenceError(f"{error}; {fields}: answers {found}") from error
        return [found[number] for number in range(len(ids))]

    def send_request(self, kind, **fields) -> Answer:
        """Return the answer of both, which must be equal."""
        java, ours = self.ask_both(kind, **fields)
        if java != ours:
            raise DifferenceError(f"{kind.__name__} {fields}: Java's {java}, ours {ours}")
        self.requested[f"{kind.__name__} {java[0]}"] += 1
        return java

    def await_signals(self, count: int) -> list[tuple[str, int, int]]:
        """Return `count` signals, which both must have sent, in any order and no more."""
        self.until(
            lambda: all(len(side.signals) + len(side.late_codes) >= count for side in self.sides),
            f"{count} signals",
        )
        java, ours = (
            sorted(_signal(each) for each in side.signals)
            + [("ERROR", code, 0) for code in side.late_codes]
            for side in self.sides
        )
        if java != ours:
            raise DifferenceError(f"signals: Java's {java}, ours {ours}")
        for side in self.sides:
            side.signals.clear()
            side.late_codes.clear()
        return java

    # ---- a sequence ----

    def run(self, seed: int, steps: int = 14) -> None:
        """Run a sequence; a difference is raised with all the steps before it."""
        sequence = Sequence(self, random.Random(seed))
        try:
            sequence.run(steps)
        except DifferenceError as error:
            steps = "\n  ".join(sequence.steps)
            raise DifferenceError(f"seed {seed}: {error}\nafter\n  {steps}") from error


def _signal(event) -> tuple[str, int, int]:
    return event.signal.name, event.recording_id, event.position


class Sequence:
    """One sequence, with its own recordings."""

    def __init__(self, matrix: Matrix, rng: random.Random) -> None:
        self.matrix = matrix
        self.rng = rng
        self.recordings: dict[int, Recording] = {}
        self.made: set[int] = set()
        self.steps: list[str] = []
        # while it is set, all requests are for this recording
        self.replayed: Recording | None = None
        self.send_request = matrix.send_request

    def run(self, steps: int) -> None:
        for _ in range(2):
            self._do(self.record)
        choices = {
            self.record: 2,
            self.extend: 3,
            self.extend_elsewhere: 1,
            self.stop: 4,
            self.detach: 4,
            self.attach: 3,
            self.delete_detached: 3,
            self.purge_segments: 4,
            self.truncate: 4,
            self.migrate: 4,
            self.purge: 1,
            self.replay: 2,
            self.ask_nonsense: 1,
        }
        for _ in range(steps):
            [step] = self.rng.choices(list(choices), list(choices.values()))
            self._do(step)
        for each in self.recordings.values():
            if each.is_active:
                self.stop(each)
        self.compare()

    def _do(self, step) -> None:
        step()
        self.compare()

    def note(self, text: str) -> None:
        self.steps.append(text)

    def compare(self) -> None:
        """Compare the positions that both report of each recording, and all files."""
        for each in self.recordings.values():
            fields = {"recording_id": each.recording_id}
            _, each.start = self.send_request(codecs.StartPositionRequest, **fields)
            _, each.stop = self.send_request(codecs.StopPositionRequest, **fields)
            self.send_request(codecs.MaxRecordedPositionRequest, **fields)
            self.send_request(codecs.RecordingPositionRequest, **fields)
            assert (each.stop == -1) is each.is_active, each
        files: list[dict[str, bytes]] = []

        def is_equal():
            # An active recording reaches the next segment's position before that file exists.
            files[:] = [side.files(self.made) for side in self.matrix.sides]
            return files[0] == files[1]

        if not is_equal():
            if not any(each.is_active for each in self.recordings.values()):
                raise DifferenceError(_difference(*files))
            deadline = time.monotonic() + 10
            while not is_equal():
                if time.monotonic() > deadline:
                    raise DifferenceError(_difference(*files))

    # ---- steps ----

    def any(self, *, is_active: bool | None = None) -> Recording | None:
        if self.replayed is not None:
            return self.replayed
        found = [
            each
            for each in self.recordings.values()
            if is_active is None or each.is_active is is_active
        ]
        return self.rng.choice(found) if found else None

    def record(self) -> None:
        """Record a stream from its start, from within a term, or adjacent to another recording."""
        stream_id = self.rng.choices(STREAMS, (9, 1))[0]
        other = self.any(is_active=False)
        length = self.rng.choice((0, 1, 2, 3)) * SEGMENT
        start = self.rng.choice((0, 0, 2, 3)) * SEGMENT
        tail = self.rng.choice((0, 0, 0, 1, 2, 5))
        if other is not None and self.rng.random() < 0.7:
            stream_id = other.stream_id
            length = max(length, SEGMENT)
            if self.rng.random() < 0.5 and other.stop % TERM == 0:
                start = other.stop
            elif other.start >= length:
                start, tail = other.start - length, 0
        elif self.rng.random() < 0.3:
            start += self.rng.choice((TERM, 4096, TERM + 8192))
        publication = self._publication(stream_id, start)
        channel = f"aeron:ipc?session-id={publication.session_id}"
        started = self.matrix.ask_both(
            codecs.StartRecordingRequest2,
            channel=channel,
            stream_id=stream_id,
            source_location=SourceLocation.LOCAL,
            auto_stop=self.rng.random() < 0.3,
        )
        [(_, recording_id, position)] = self.matrix.await_signals(1)
        assert position == start
        self.note(f"record {recording_id} on {stream_id} from {start}, {length} and {tail} frames")
        recording = Recording(recording_id, stream_id)
        self.recordings[recording_id] = recording
        self.made.add(recording_id)
        self._began(recording, publication, channel, started)
        self._publish(recording, length, tail)
        if self.rng.random() < 0.8:
            self.stop(recording)

    def _publication(self, stream_id: int, position: int):
        term_id, offset = divmod(position, TERM)
        return self.matrix.aeron.add_exclusive_publication(
            f"aeron:ipc?term-length={TERM}|mtu={MTU}|init-term-id=0|term-id={term_id}"
            f"|term-offset={offset}",
            stream_id,
        )

    def _began(self, recording, publication, channel, started) -> None:
        recording.publication = publication
        recording.stops = {
            "subscription": (
                codecs.StopRecordingSubscriptionRequest,
                [{"subscription_id": value} for _, value in started],
            ),
            "channel": (
                codecs.StopRecordingRequest,
                [{"channel": channel, "stream_id": recording.stream_id}] * 2,
            ),
            "identity": (
                codecs.StopRecordingByIdentityRequest,
                [{"recording_id": recording.recording_id}] * 2,
            ),
        }

    def _publish(self, recording: Recording, length: int, tail: int) -> None:
        publication = recording.publication
        end = publication.position + length

        def offer(payload_length: int) -> None:
            before = publication.position
            payload = self.rng.randbytes(8) * (payload_length // 8)
            self.matrix.until(lambda: publication.offer(payload), "an offer")
            aligned = -(-(len(payload) + 32) // 32) * 32
            recording.frames |= {before, publication.position - aligned}

        while publication.position < end:
            offer(min(self.rng.choice((1024, 4096, MTU)), end - publication.position) - 32)
        for _ in range(tail):
            offer(self.rng.randrange(8, MTU - 32))
        recording.frames.add(publication.position)
        self.matrix.until(
            lambda: all(
                position >= publication.position
                for _, position in self.matrix.ask_both(
                    codecs.RecordingPositionRequest, recording_id=recording.recording_id
                )
            ),
            "the recorded position",
        )

    def stop(self, recording: Recording | None = None) -> None:
        """Stop a recording in one of four ways, and sometimes again in the other ways."""
        recording = recording or self.any()
        if recording is None or not recording.stops:
            return
        how = self.rng.choice(("subscription", "channel", "identity", "close"))
        self.note(f"stop {recording.recording_id} by {how}")
        if how == "close":
            if not recording.is_active:
                return
            recording.publication.close()
        else:
            self._stop(recording, how)
        if recording.is_active:
            self.matrix.await_signals(1)
            recording.publication.close()
            recording.publication = None
        for again in recording.stops if self.rng.random() < 0.3 else ():
            self.note(f"stop {recording.recording_id} again by {again}")
            self._stop(recording, again)
        if how == "close":
            # Without auto-stop the subscription of the recording still exists.
            self._stop(recording, "subscription")

    def _stop(self, recording: Recording, how: str) -> None:
        kind, fields = recording.stops[how]
        java, ours = self.matrix.ask_both(kind, fields)
        self.matrix.requested[f"{kind.__name__} {java[0]}"] += 1
        if java != ours:
            raise DifferenceError(f"{kind.__name__} {fields}: Java's {java}, ours {ours}")

    def extend(self) -> None:
        """Extend a recording at its end; an extension of an active one is rejected."""
        if (recording := self.any()) is None:
            return
        position = recording.stop
        self._extend(recording, 0 if recording.is_active else position)

    def extend_elsewhere(self) -> None:
        """Extend a recording with a stream that does not continue it."""
        if recording := self.any(is_active=False):
            self._extend(recording, recording.stop + self.rng.choice((32, TERM)))

    def _extend(self, recording: Recording, position: int) -> None:
        recording_id, stream_id = recording.recording_id, recording.stream_id
        publication = self._publication(stream_id, position)
        channel = f"aeron:ipc?session-id={publication.session_id}"
        asked_stream_id = stream_id if self.rng.random() < 0.95 else 7
        self.note(f"extend {recording_id} at {position} on {asked_stream_id}")
        started = self.matrix.ask_both(
            codecs.ExtendRecordingRequest2,
            recording_id=recording_id,
            channel=channel,
            stream_id=asked_stream_id,
            source_location=SourceLocation.LOCAL,
            auto_stop=self.rng.random() < 0.5,
        )
        kinds = {(kind, None if kind == "OK" else value) for kind, value in started}
        if len(kinds) > 1:
            raise DifferenceError(f"extend {recording_id}: Java's {started[0]}, ours {started[1]}")
        [(kind, _)] = kinds
        self.matrix.requested[f"ExtendRecordingRequest2 {kind}"] += 1
        if kind != "OK":
            publication.close()
            return
        [(signal, _, _)] = self.matrix.await_signals(1)
        self.matrix.requested[f"extension {signal}"] += 1
        before = recording.stops
        if signal == "ERROR":
            self._began(recording, None, channel, started)
            self._stop(recording, "subscription")
            recording.stops = before
            publication.close()
            return
        self._began(recording, publication, channel, started)
        length = self.rng.choice((0, 0, 1, 2)) * SEGMENT
        # Often up to the end of a segment.
        if self.rng.random() < 0.4:
            length += -position % SEGMENT
        self._publish(recording, length, self.rng.choice((0, 1, 3)))
        if self.rng.random() < 0.8:
            self.stop(recording)

    def _segment_position(self, recording: Recording) -> int:
        """Return a position that may be the start of a segment of a recording."""
        base = recording.start - recording.start % TERM
        position = base + self.rng.choice((-1, 0, 1, 1, 1, 2, 2, 3, 9)) * SEGMENT
        if self.rng.random() < 0.1:
            position += self.rng.choice((32, TERM))
        return position

    def _await_deletion(self, answer: Answer) -> None:
        if answer[0] == "OK":
            self.matrix.await_signals(1)

    def detach(self) -> None:
        if recording := self.any():
            position = self._segment_position(recording)
            self.note(f"detach {recording.recording_id} to {position}")
            self.send_request(
                codecs.DetachSegmentsRequest,
                recording_id=recording.recording_id,
                new_start_position=position,
            )

    def purge_segments(self) -> None:
        if recording := self.any():
            position = self._segment_position(recording)
            self.note(f"purge segments of {recording.recording_id} to {position}")
            self._await_deletion(
                self.send_request(
                    codecs.PurgeSegmentsRequest,
                    recording_id=recording.recording_id,
                    new_start_position=position,
                )
            )

    def attach(self) -> None:
        if recording := self.any():
            self.note(f"attach to {recording.recording_id}")
            self.send_request(codecs.AttachSegmentsRequest, recording_id=recording.recording_id)

    def delete_detached(self) -> None:
        if recording := self.any():
            self.note(f"delete detached of {recording.recording_id}")
            self._await_deletion(
                self.send_request(
                    codecs.DeleteDetachedSegmentsRequest, recording_id=recording.recording_id
                )
            )

    def truncate(self) -> None:
        if (recording := self.any()) is None:
            return
        inside = [each for each in recording.frames if recording.start < each < recording.stop]
        borders = [each for each in inside if each % TERM == 0]
        position = self.rng.choice(
            (
                *((recording.start, recording.stop) if not recording.is_active else (0,)),
                recording.start - 32,
                recording.stop + 32,
                *([self.rng.choice(inside)] * 4 if inside else []),
                *([self.rng.choice(borders)] * 4 if borders else []),
                *([self.rng.choice(inside) + 8] if inside else []),
            )
        )
        self._truncate(recording, position)

    def _truncate(self, recording: Recording, position: int) -> None:
        self.note(f"truncate {recording.recording_id} to {position}")
        answer = self.send_request(
            codecs.TruncateRecordingRequest,
            recording_id=recording.recording_id,
            position=position,
        )
        self._await_deletion(answer)
        if answer[0] == "OK":
            recording.frames = {each for each in recording.frames if each <= position}

    def migrate(self) -> None:
        src, dst = self.any(), self.any()
        if src is None or (src is dst and len(self.recordings) > 1 and self.rng.random() < 0.9):
            return
        joined = [
            (one, other)
            for one in self.recordings.values()
            for other in self.recordings.values()
            if one is not other
            and not one.is_active
            and one.stream_id == other.stream_id
            and (one.stop == other.start or one.start == other.stop)
        ]
        if joined and self.rng.random() < 0.8:
            src, dst = self.rng.choice(joined)
        empty = self.matrix.java.directory / f"{dst.recording_id}-{dst.stop}.rec"
        if src.start == dst.stop and src.stop > src.start and empty.exists():
            # Java does not replace an existing file, even an empty one
            self._truncate(dst, dst.stop)
        self.note(f"migrate {src.recording_id} to {dst.recording_id}")
        answer = self.send_request(
            codecs.MigrateSegmentsRequest,
            src_recording_id=src.recording_id,
            dst_recording_id=dst.recording_id,
        )
        self._await_deletion(answer)
        if answer[0] == "OK":
            dst.frames = dst.part() | src.part()
            src.frames -= src.part()

    def replay(self) -> None:
        """Replay a recording without reaching its end, and send requests that a replay forbids."""
        recording = self.any()
        if recording is None or self.replayed is not None:
            return
        base = recording.start - recording.start % TERM
        position = max(recording.start, base + self.rng.choice((0, 1, 2)) * SEGMENT)
        _, recorded = self.send_request(
            codecs.MaxRecordedPositionRequest, recording_id=recording.recording_id
        )
        # The replay stops after a window and a block, which may be a term; an empty one ends.
        if recorded - position < SEGMENT:
            return
        self.note(f"replay {recording.recording_id} from {position}")
        with ExitStack() as stack:
            subscriptions = [
                stack.enter_context(self.matrix.aeron.add_subscription("aeron:ipc", stream_id))
                for stream_id in REPLAY_STREAMS
            ]
            answers = self.matrix.ask_both(
                codecs.ReplayRequest,
                [{"replay_stream_id": each} for each in REPLAY_STREAMS],
                recording_id=recording.recording_id,
                position=position,
                length=2**63 - 1,
                file_io_max_length=-1,
                replay_token=-1,
                replay_channel="aeron:ipc",
            )
            assert {kind for kind, _ in answers} == {"OK"}, answers
            for subscription, (_, replay_id) in zip(subscriptions, answers, strict=True):
                session_id = (replay_id + 2**31) % 2**32 - 2**31
                self.matrix.until(
                    partial(subscription.image_by_session_id, session_id), "image of a replay"
                )
            self.replayed = recording
            steps = (self.truncate, self.purge, self.detach, self.purge_segments)
            more = (self.attach, self.delete_detached)
            for step in (*self.rng.sample(steps, 2), self.rng.choice(more)):
                self._do(step)
                assert recording.recording_id in self.recordings
            self.replayed = None
            self.send_request(codecs.StopAllReplaysRequest, recording_id=recording.recording_id)
        self.matrix.until(
            lambda: (
                not any(
                    each.value
                    for each in self.matrix.aeron.counters_reader.counters()
                    if each.type_id == REPLAYS_TYPE
                )
            ),
            "the end of replays",
        )

    def purge(self) -> None:
        if recording := self.any():
            self.note(f"purge {recording.recording_id}")
            answer = self.send_request(
                codecs.PurgeRecordingRequest, recording_id=recording.recording_id
            )
            self._await_deletion(answer)
            if answer[0] == "OK":
                del self.recordings[recording.recording_id]

    def ask_nonsense(self) -> None:
        """Send requests for recordings that never existed or were purged."""
        gone = sorted(self.made - self.recordings.keys())
        recording_id = self.rng.choice([*gone, NEVER, -1])
        self.note(f"ask for {recording_id}")
        one = {"recording_id": recording_id}
        for kind, fields in (
            (codecs.TruncateRecordingRequest, one | {"position": 0}),
            (codecs.PurgeRecordingRequest, one),
            (codecs.DetachSegmentsRequest, one | {"new_start_position": 0}),
            (codecs.PurgeSegmentsRequest, one | {"new_start_position": 0}),
            (codecs.AttachSegmentsRequest, one),
            (codecs.DeleteDetachedSegmentsRequest, one),
            (
                codecs.MigrateSegmentsRequest,
                {"src_recording_id": recording_id, "dst_recording_id": recording_id},
            ),
            (codecs.StopRecordingByIdentityRequest, one),
            (codecs.StartPositionRequest, one),
            (codecs.StopPositionRequest, one),
        ):
            kind_of_answer, _ = self.send_request(kind, **fields)
            assert kind_of_answer == ControlResponseCode.ERROR.name


def _difference(java: dict[str, bytes], ours: dict[str, bytes]) -> str:
    """Describe how files differ."""
    differences = []
    for name in sorted(java.keys() | ours.keys()):
        a, b = java.get(name), ours.get(name)
        if a is None or b is None:
            differences.append(f"{name}: only {'ours' if a is None else 'of Java'}")
        elif a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
            differences.append(
                f"{name}: Java's has {len(a)} bytes, ours {len(b)}; they differ at {at}"
            )
    return "files: " + "; ".join(differences)
