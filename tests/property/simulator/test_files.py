"""The same calls on real and in-memory files give the same results and bytes."""

import shutil
import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles

NAMES = st.sampled_from(["a", "b", "c", "d/a", "d/b", "d/e/a", "a/x", "d", "d/e", ""])
OFFSETS = st.one_of(
    st.integers(0, 20), st.integers(4090, 4100), st.sampled_from([8192, (1 << 20) + 3])
)
LENGTHS = st.one_of(st.integers(0, 20), st.integers(4090, 4100), st.just(20_000))
FLAGS = st.fixed_dictionaries(
    {}, optional={name: st.booleans() for name in ("write", "create", "exclusive", "truncate")}
)


class SameFiles(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.base = tempfile.mkdtemp(prefix="aeron-cluster-test-")
        memory = MemoryFiles(directories=[self.base])
        self.sides = [SystemFiles(), memory]
        self.opened = []
        self.mapped = []

    def path(self, name):
        return f"{self.base}/{name}" if name else self.base

    def same(self, call):
        """Make a call on both sides and compare the results or exceptions."""
        answers = []
        for side in range(2):
            try:
                answers.append(call(side))
            except PlatformError as error:
                answers.append((type(error).__name__, error.errno))
        assert answers[0] == answers[1]
        return answers[0]

    @rule(name=NAMES, flags=FLAGS)
    def open(self, name, flags):
        found = [None, None]
        if self.mapped:
            flags = flags | {"truncate": False}

        def call(side):
            found[side] = self.sides[side].open(self.path(name), **flags)

        self.same(call)
        if found[0] is not None:
            self.opened.append(found)
            if len(self.opened) > 5:
                self.close(0)

    @rule(which=st.integers(0, 9))
    def close(self, which):
        if self.opened:
            for file in self.opened.pop(which % len(self.opened)):
                file.close()

    def on_file(self, which, call):
        if self.opened:
            pair = self.opened[which % len(self.opened)]
            self.same(lambda side: call(pair[side]))

    @rule(
        which=st.integers(0, 9),
        data=st.binary(max_size=10),
        times=st.integers(0, 900),
        offset=OFFSETS,
    )
    def write(self, which, data, times, offset):
        self.on_file(which, lambda file: file.write_at(data * times, offset))

    @rule(which=st.integers(0, 9), length=LENGTHS, offset=OFFSETS)
    def read(self, which, length, offset):
        self.on_file(which, lambda file: (file.read_at(length, offset), file.length))

    @rule(which=st.integers(0, 9), length=OFFSETS)
    def truncate(self, which, length):
        # A mapping past the end of a real file must not be touched: it kills the process.
        if not self.mapped:
            self.on_file(which, lambda file: file.truncate(length))

    @rule(which=st.integers(0, 9), length=LENGTHS, offset=OFFSETS)
    def allocate(self, which, length, offset):
        self.on_file(which, lambda file: file.allocate(offset, length))

    @rule(which=st.integers(0, 9), level=st.integers(0, 2))
    def sync(self, which, level):
        self.on_file(which, lambda file: file.sync(level))

    @rule(which=st.integers(0, 9))
    def lock(self, which):
        self.on_file(which, lambda file: file.lock())

    @rule(which=st.integers(0, 9), writable=st.booleans())
    def map(self, which, writable):
        found = []

        def call(file):
            if file.length == 0:
                return "empty"
            found.append(MappedFile.of(file, writable=writable))
            return len(found[-1])

        self.on_file(which, call)
        if found:
            self.mapped.append(found)
            if len(self.mapped) > 3:
                self.unmap(0)

    @rule(which=st.integers(0, 9))
    def unmap(self, which):
        if self.mapped:
            for mapped in self.mapped.pop(which % len(self.mapped)):
                mapped.close()

    @rule(which=st.integers(0, 9), byte=st.integers(0, 255), share=st.floats(0, 0.999))
    def write_mapped(self, which, byte, share):
        if self.mapped:
            for mapped in self.mapped[which % len(self.mapped)]:
                if mapped.writable:
                    memoryview(mapped)[int(share * mapped.length)] = byte

    @rule(name=NAMES, parents=st.booleans())
    def make_directory(self, name, parents):
        self.same(lambda side: self.sides[side].make_directory(self.path(name), parents=parents))

    @rule(old=NAMES, new=NAMES)
    def rename(self, old, new):
        if old and new:
            self.same(lambda side: self.sides[side].rename(self.path(old), self.path(new)))

    @rule(name=NAMES)
    def remove(self, name):
        if name:
            self.same(lambda side: self.sides[side].remove(self.path(name)))

    @rule(name=NAMES)
    def remove_tree(self, name):
        if name:
            self.same(lambda side: self.sides[side].remove_tree(self.path(name)))

    @rule(name=NAMES)
    def look(self, name):
        path = self.path(name)
        for call in (
            lambda files: files.is_file(path),
            lambda files: files.is_directory(path),
            lambda files: files.list(path),
            lambda files: files.sync_directory(path),
            lambda files: files.read(path),
        ):
            self.same(lambda side, call=call: call(self.sides[side]))

    @invariant()
    def mappings_show_the_same(self):
        for one, other in self.mapped:
            assert bytes(one) == bytes(other)

    def teardown(self):
        try:
            for pair in self.mapped + self.opened:
                for each in pair:
                    each.close()
            assert self.tree(0, self.base) == self.tree(1, self.base)
            assert self.sides[1].open_count == self.sides[1].map_count == 0
        finally:
            shutil.rmtree(self.base)

    def tree(self, side, path):
        files = self.sides[side]
        return {
            name: self.tree(side, f"{path}/{name}")
            if files.is_directory(f"{path}/{name}")
            else files.read(f"{path}/{name}")
            for name in files.list(path)
        }


TestSameFiles = SameFiles.TestCase
TestSameFiles.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
