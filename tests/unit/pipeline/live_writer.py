"""A recorder that writes between the reads of its files, page by page."""

import contextlib
import random
from pathlib import Path

from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.pipeline.files.url_files import AnyFiles
from tests.unit.pipeline.recording_builder import PAD, TERM, RecordingBuilder

PAGE = 4096
# The number of pages written during a read, each equally likely.
PACES = ((0, 0, 0, 0, 0, 0, 0, 3), (0, 0, 1, 2), (0, 0, 1, 1, 2, 5, 40))


class LiveWriter:
    """Writes blocks of frames as recorders do: blocks in order, and each block page by page.

    Parameters
    ----------
    directory
        The archive's directory.
    seed
        Seed of the random numbers.
    to_position
        The position at which it stops.

    Attributes
    ----------
    recorded
        The completely written position, which a running archive's counter would have.
    """

    def __init__(self, directory: Path, seed: int, to_position: int) -> None:
        self.random = random.Random(seed)
        self.directory = directory
        self.written = RecordingBuilder(max_payload=9000)
        self.written.message(b"first")
        self.written.put(directory, is_stopped=False)
        self.recorded = self.written.position
        self._to_position = to_position
        self._pace = self.random.choice(PACES)
        self._steps = self._write()

    def is_done(self) -> bool:
        return self.recorded >= self._to_position

    def step(self) -> None:
        next(self._steps, None)

    def catch_up(self) -> None:
        """Write a random number of pages."""
        for _ in range(self.random.choice(self._pace)):
            self.step()

    def _write(self):
        written = self.written
        while not self.is_done():
            begin = len(written.frames)
            for _ in range(self.random.randint(1, 6)):
                length = self.random.choice((1, 40, 300, 3000, 8000))
                written.message(bytes([self.random.randint(1, 255)]) * length)
            for block in self._blocks(written.frames[begin:]):
                yield from self._write_block(block)

    def _blocks(self, frames):
        """Split frames into blocks as a recorder polls them: padding alone, none across terms."""
        block = []
        for frame in frames:
            if block and (frame.kind == PAD or frame.position % TERM == 0 or block[0].kind == PAD):
                yield block
                block = []
            block.append(frame)
        yield block

    def _write_block(self, frames):
        begin = frames[0].position
        data = b""
        for frame in frames:
            data = data.ljust(frame.position - begin, b"\0")
            data += self.written.header(frame) + frame.payload
        base = self.written.base(begin)
        path = self.directory / segment_name(0, base)
        if not path.exists():
            path.touch()
            yield
            with path.open("r+b") as file:
                file.truncate(self.written.segment_length)
            yield
        with path.open("r+b", buffering=0) as file:
            offset, end = begin - base, begin - base + len(data)
            while offset < end:
                page_end = min(offset // PAGE * PAGE + PAGE, end)
                file.seek(offset)
                file.write(data[offset - begin + base : page_end - begin + base])
                offset = page_end
                yield
        last = frames[-1]
        self.recorded = last.position + -(-last.length // 32) * 32
        yield


class LiveFiles(AnyFiles):
    """This machine's files, read page by page during writes."""

    def __init__(self, writer: LiveWriter) -> None:
        super().__init__()
        self._writer = writer

    def open(self, path, **options):
        self._writer.catch_up()
        file = super().open(path, **options)
        return LiveFile(file, self._writer) if str(path).endswith(".rec") else file

    def list(self, path):
        self._writer.catch_up()
        return super().list(path)


class LiveFile:
    def __init__(self, file, writer: LiveWriter) -> None:
        self._file = file
        self._writer = writer
        self.length = file.length

    def close(self) -> None:
        self._file.close()

    def read_into(self, view, offset: int) -> int:
        count = 0
        with memoryview(view) as whole:
            while count < len(whole):
                self._writer.catch_up()
                length = min(PAGE - (offset + count) % PAGE, len(whole) - count)
                found = self._file.read_into(whole[count : count + length], offset + count)
                count += found
                if found < length:
                    break
        return count


class LiveStore:
    """`LiveFiles` as a remote file system: a file's length is fixed when it is opened."""

    def __init__(self, writer: LiveWriter) -> None:
        self.directory = str(writer.directory)
        self._files = LiveFiles(writer)

    def length(self, path: str) -> int:
        with contextlib.closing(self._files.open(path)) as file:
            return file.length

    def read(self, path: str, begin: int, end: int) -> bytes:
        buffer = bytearray(end - begin)
        with contextlib.closing(self._files.open(path)) as file:
            return bytes(buffer[: file.read_into(buffer, begin)])

    def is_file(self, path: str) -> bool:
        return self._files.is_file(path)

    def is_directory(self, path: str) -> bool:
        return self._files.is_directory(path)

    def names(self, path: str) -> list[str]:
        return self._files.list(path)
