"""Requests delete exactly the requested segments: the real code against sets of names."""

import struct
from types import SimpleNamespace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aeron_cluster.archive.control.maintenance import Maintenance
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.errors import OperationError
from aeron_cluster.simulator.world.machine import World

TERM = 64 * 1024
SEGMENT = 2 * TERM
FRAME = 16 * 1024
STREAM_ID = 7
# By id; some ids and file names have others as prefixes.
RECORDED = {
    1: (0, 4 * SEGMENT),
    2: (TERM + FRAME, 4 * SEGMENT + 3 * FRAME),
    10: (4 * SEGMENT, 6 * SEGMENT + FRAME),
    11: (8 * SEGMENT, 9 * SEGMENT),
    12: (9 * SEGMENT, 9 * SEGMENT),
}
# Names that resemble segments.
STRANGE = (
    "1-0.rec.new",
    "1-x.rec",
    "01-0.rec",
    "1-0.rec.del.x",
    "1-00.rec",
    "11-0.txt",
    "x1-0.rec",
)


class Session:
    """Records a request's answers."""

    def __init__(self):
        self.reported = []

    def send_ok(self, _correlation_id, relevant_id):
        self.reported.append(relevant_id)

    def send_signal(self, *_fields):
        self.reported.append("DELETE")

    def send_error(self, *fields):
        raise AssertionError(fields)


def content_of(base, begin, end):
    """Return a segment with frames between two positions."""
    content = bytearray(SEGMENT)
    for position in range(max(base, begin), min(base + SEGMENT, end), FRAME):
        struct.pack_into(
            "<iBBHiiiiq",
            *(content, position - base, FRAME, 0, 0xC0, 1, position % TERM, 5, STREAM_ID),
            *(position // TERM, position),
        )
    return bytes(content)


def first_base(start):
    return start - start % TERM


class Model:
    """The existing files by name, and the requested deletions.

    It has its own arithmetic: bases are counted up one by one.
    """

    def __init__(self):
        self.extent = dict(RECORDED)
        self.files = dict.fromkeys(STRANGE, b"strange")
        for recording_id, (start, stop) in RECORDED.items():
            for base in self.grid(recording_id):
                self.files[f"{recording_id}-{base}.rec"] = content_of(base, start, stop)
        self.requested = {}

    def grid(self, recording_id, end=None):
        """Return the bases from the start to the end, including an empty last segment's."""
        start, stop = self.extent[recording_id]
        base, bases = first_base(start), []
        while base <= (stop if end is None else end):
            bases.append(base)
            base += SEGMENT
        return bases

    def before(self, recording_id, lowest):
        """Return the bases before the start, in descending order."""
        base, bases = first_base(self.extent[recording_id][0]) - SEGMENT, []
        while base >= lowest:
            bases.append(base)
            base -= SEGMENT
        return bases

    def own(self, recording_id):
        """Return the bases and names of all files of a recording."""
        return [
            (int(base), name)
            for name in self.files
            if name not in STRANGE
            for number, base in [name.removesuffix(".del").removesuffix(".rec").split("-")]
            if int(number) == recording_id
        ]

    def request(self, recording_id, bases):
        names = set()
        for base in bases:
            name = f"{recording_id}-{base}.rec"
            names.add(name if name in self.files else name + ".del")
        self.requested[recording_id] = names & self.files.keys()
        return len(bases)

    def request_all(self, recording_id):
        self.requested[recording_id] = {name for _, name in self.own(recording_id)}
        return len(self.requested[recording_id])

    def keep(self, recording_id, base):
        """Cancel the deletion of a file that became part of a recording."""
        self.requested.get(recording_id, set()).discard(f"{recording_id}-{base}.rec")

    # ---- effects of accepted requests ----

    def detach(self, recording_id, new_start):
        self.extent[recording_id] = (new_start, self.extent[recording_id][1])

    def purge_segments(self, recording_id, new_start):
        old = first_base(self.extent[recording_id][0])
        self.detach(recording_id, new_start)
        return self.request(recording_id, self.before(recording_id, old))

    def delete_detached(self, recording_id):
        lowest = min((base for base, _ in self.own(recording_id)), default=2**62)
        return self.request(recording_id, self.before(recording_id, first_base(lowest)))

    def truncate(self, recording_id, position):
        start, stop = self.extent[recording_id]
        beyond = [base for base in self.grid(recording_id) if base >= position]
        self.extent[recording_id] = (start, position)
        if position == start:
            return self.request_all(recording_id)
        if beyond[:1] != [position] and position != stop:
            base = max(base for base in self.grid(recording_id) if base < position)
            name = f"{recording_id}-{base}.rec"
            kept = self.files[name][: position - base]
            self.files[name] = kept + bytes(SEGMENT - len(kept))
        return self.request(recording_id, beyond)

    def purge(self, recording_id):
        del self.extent[recording_id]
        return self.request_all(recording_id)

    def attach(self, recording_id):
        start, stop = self.extent[recording_id]
        count = 0
        while start % TERM == 0 and f"{recording_id}-{start - SEGMENT}.rec" in self.files:
            base = start - SEGMENT
            self.keep(recording_id, base)
            start = max(base, RECORDED[recording_id][0] if recording_id == 2 else base)
            count += 1
        self.extent[recording_id] = (start, stop)
        return count

    def migrate(self, src_id, dst_id):
        src, dst = self.extent[src_id], self.extent[dst_id]
        bases = [base for base in self.grid(src_id) if base < src[1]]
        for base in bases:
            self.files[f"{dst_id}-{base}.rec"] = self.files.pop(f"{src_id}-{base}.rec")
            self.keep(dst_id, base)
        is_before = src[1] == dst[0]
        self.extent[dst_id] = (src[0], dst[1]) if is_before else (dst[0], src[1])
        self.extent[src_id] = (src[0], src[0])
        self.request(src_id, [src[1]] if src[1] % SEGMENT == src[0] % SEGMENT else [])
        return len(bases)


class Rig:
    """The real code on in-memory files, next to the model."""

    def __init__(self):
        self.files = World(1).add_machine("a", "10.0.0.1").files
        self.files.make_directory("/data")
        self.catalog = Catalog(self.files, "/data", capacity=4096)
        for number in range(max(RECORDED) + 1):
            start, stop = RECORDED.get(number, (0, 0))
            self.catalog.add(
                start_position=start,
                start_timestamp=1,
                initial_term_id=0,
                segment_file_length=SEGMENT,
                term_buffer_length=TERM,
                mtu_length=1408,
                session_id=5,
                stream_id=STREAM_ID,
                stripped_channel="aeron:ipc",
                original_channel="aeron:ipc",
                source_identity="aeron:ipc",
            )
            self.catalog.stop(number, stop, 2)
        self.model = Model()
        for name, content in self.model.files.items():
            self.write(name, content)
        self.start()

    def write(self, name, content):
        with self.files.open(f"/data/{name}", write=True, create=True) as file:
            file.write_at(content, 0)

    def start(self):
        """Start like a process after a kill, without known deletions."""
        self.model.requested.clear()
        nothing = SimpleNamespace(
            active={}, position=lambda _: -1, positions=lambda _: [], active_on=lambda _: None
        )
        context = SimpleNamespace(
            seams=SimpleNamespace(files=self.files),
            archive_dir="/data",
            options=SimpleNamespace(file_sync_level=0),
        )
        self.maintenance = Maintenance(context, self.catalog, nothing, nothing)

    def request(self, name, recording_id, *rest):
        """Send a request to both; if it is accepted, both must return the same."""
        session = Session()
        method = getattr(self.maintenance, name)
        has_files = name not in ("detach", "attach")
        try:
            found = method(*((session, 1) if has_files else ()), recording_id, *rest)
        except OperationError:
            assert session.reported == []
            return
        expected = getattr(self.model, name)(recording_id, *rest)
        assert (session.reported[0] if has_files else found) == expected

    def work(self):
        """Delete what one pass deletes."""
        before = self.names()
        work_count = self.maintenance.do_work()
        for names in self.model.requested.values():
            for name in names & (before - self.names()):
                del self.model.files[name]
        if not self.maintenance.is_busy:
            # All requested deletions are done.
            assert not set().union(*self.model.requested.values()) & self.names()
            self.model.requested.clear()
        return work_count

    def names(self):
        return {name for name in self.files.list("/data") if name != "archive.catalog"}

    def check(self):
        """Compare the files, and the recordings' start and stop positions."""
        assert self.names() == self.model.files.keys()
        for name, content in self.model.files.items():
            with self.files.open(f"/data/{name}") as file:
                assert file.read_at(file.length, 0) == content, name
        for recording_id, extent in self.model.extent.items():
            found = self.catalog.get(recording_id).descriptor
            assert (found.start_position, found.stop_position) == extent


ids = st.sampled_from(sorted(RECORDED))
segments = st.integers(0, 10).map(lambda count: count * SEGMENT)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("detach"), ids, segments),
        st.tuples(st.just("detach"), st.just(2), segments.map(lambda base: base + TERM)),
        st.tuples(st.just("purge_segments"), ids, segments),
        st.tuples(st.just("delete_detached"), ids),
        st.tuples(st.just("attach"), ids),
        st.tuples(st.just("truncate"), ids, st.integers(0, 80).map(lambda n: n * FRAME)),
        st.tuples(st.just("purge"), ids),
        st.tuples(st.just("migrate"), ids, ids),
        st.tuples(st.just("rename"), st.integers(0, 40)),
        st.tuples(st.just("work")),
        st.tuples(st.just("work")),
        st.tuples(st.just("finish")),
        st.tuples(st.just("kill")),
    ),
    max_size=25,
)


def old_archive_was_killed(rig, number):
    """Rename a segment to be deleted, as older archives do before deleting it."""
    names = sorted(set().union(*rig.model.requested.values()) & rig.names())
    if names and not names[number % len(names)].endswith(".del"):
        name = names[number % len(names)]
        rig.files.rename(f"/data/{name}", f"/data/{name}.del")
        rig.model.files[f"{name}.del"] = rig.model.files.pop(name)
        rig.start()


@settings(max_examples=150)
@example([("detach", 1, SEGMENT), ("purge_segments", 1, 2 * SEGMENT), ("finish",)])
@example([("truncate", 1, 4 * SEGMENT), ("finish",), ("migrate", 10, 1), ("finish",)])
@example([("truncate", 1, 4 * SEGMENT), ("migrate", 10, 1), ("finish",)])
@example([("detach", 1, SEGMENT), ("delete_detached", 1), ("attach", 1), ("finish",)])
@example(
    [("detach", 1, 2 * SEGMENT), ("delete_detached", 1), ("rename", 1), ("delete_detached", 1)]
)
@example([("migrate", 11, 12), ("finish",), ("truncate", 11, 0), ("migrate", 12, 11)])
@example([("purge", 1), ("rename", 3), ("finish",)])
@given(STEPS)
def test_only_requested_files_are_deleted(steps):
    rig = Rig()
    for name, *arguments in [*steps, ("finish",)]:
        if name == "rename":
            old_archive_was_killed(rig, *arguments)
        elif name == "kill":
            rig.start()
        elif name == "finish":
            while rig.maintenance.is_busy:
                rig.work()
        elif name == "work":
            rig.work()
        else:
            rig.request(name, *arguments)
        rig.check()
    rig.catalog.close()
