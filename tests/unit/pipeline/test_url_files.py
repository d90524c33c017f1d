"""Segments in remote file systems, read by fsspec and by pyarrow."""

import ftplib
import pickle
import struct

import pytest

from aeron_cluster.cli.exit_codes import ExitCode, exit_code
from aeron_cluster.cluster.service.offline.source import read_snapshot_file
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    MissingFileError,
    PlatformError,
    SegmentError,
    UnreachableFileError,
)
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from aeron_cluster.pipeline import MemberDirectories, read_log, read_recording
from aeron_cluster.pipeline.files import stores
from aeron_cluster.pipeline.files.members import find_member
from aeron_cluster.pipeline.files.url_files import AnyFiles, any_files
from aeron_cluster.pipeline.files.urls import above, absolute, is_url, local
from aeron_cluster.pipeline.jobs.audit import audit
from aeron_cluster.pipeline.jobs.compaction import compact
from aeron_cluster.pipeline.jobs.compaction_check import verify
from aeron_cluster.pipeline.jobs.running.result import JobResult
from aeron_cluster.pipeline.jobs.state_at import state_at
from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.sink_options import parse_sink_options
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.jobs.clusters import (
    long_log,
    put_snapshot,
    record_snapshot,
    write_cluster,
)
from tests.unit.pipeline.jobs.in_process_spark import InProcessSpark
from tests.unit.pipeline.jobs.tally import Tally, sums
from tests.unit.pipeline.logs import TIME, LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyarrow")


@pytest.fixture(params=["memory", "local by fsspec", "kept by fsspec", "local by pyarrow"])
def elsewhere(request, tmp_path, monkeypatch):
    """Return a function that copies a directory to a remote file system and returns its URL."""
    if request.param == "local by pyarrow":
        monkeypatch.setattr(stores._Fsspec, "__init__", reject)
        yield lambda path: path.as_uri()
        return
    fsspec = pytest.importorskip("fsspec")
    if request.param == "kept by fsspec":
        yield lambda path: f"simplecache::{path.as_uri()}"
        return
    if request.param == "local by fsspec":
        yield lambda path: f"local://{path}"
        return
    memory = fsspec.filesystem("memory")
    place = f"memory://{tmp_path.name}"

    def put(path):
        memory.put(str(path), place, recursive=True)
        return place

    yield put
    memory.rm(place, recursive=True)


class EndpointError(Exception):
    """A library's own error."""


@pytest.fixture(params=["with those above", "alone"])
def listing(request):
    """Return the scheme of a file system with cached listings, like object stores."""
    fsspec = pytest.importorskip("fsspec")
    local_files = pytest.importorskip("fsspec.implementations.local").LocalFileSystem

    class Listing(fsspec.AbstractFileSystem):
        protocol = f"listing{request.param_index}"

        def ls(self, path, detail=True, **_):
            path = self._strip_protocol(path)
            if path not in self.dircache:
                self.dircache[path] = local_files().ls(path, detail=True)
            found = self.dircache[path]
            return found if detail else [each["name"] for each in found]

        def info(self, path, **_):
            path = self._strip_protocol(path)
            for each in self.ls(path.rpartition("/")[0]):
                if each["name"] == path:
                    return each
            raise FileNotFoundError(path)

        def cat_file(self, path, start=None, end=None, **_):
            return local_files().cat_file(self._strip_protocol(path), start, end)

        def invalidate_cache(self, path=None):
            path = self._strip_protocol(path)
            self.dircache.pop(path, None)
            while request.param != "alone" and path:
                path = path.rpartition("/")[0]
                self.dircache.pop(path, None)

    fsspec.register_implementation(Listing.protocol, Listing, clobber=True)
    return Listing.protocol


def reject(*_):
    raise ImportError("No module named 'fsspec'")


def mark(cluster_dir, member_id):
    """Write the mark file of a consensus module that ran there."""
    content = MarkFileContent(
        component_type=ClusterComponentType.CONSENSUS_MODULE, member_id=member_id
    )
    ClusterMarkFile.claim(SystemFiles(), str(cluster_dir), content, clock=SystemClock()).close()


def write_node(path):
    log = log_of_every_kind()
    return log, log.write_node(path / "node0", snapshots=[log.frames[-1].position])


def test_log_at_a_url_equals_the_local_one(tmp_path, elsewhere):
    _, node = write_node(tmp_path)
    url = elsewhere(node)
    found = read_log(url)
    assert found.table().equals(read_log(node).table())
    assert found.plan.ranges[0].piece.archive_dir == f"{url}/archive"
    for place in (f"{url}/", f"{url}/archive", f"{url}/cluster"):
        assert read_log(place).table().num_rows == found.table().num_rows
    named = MemberDirectories(f"{url}/archive", f"{url}/cluster")
    assert read_log(named, only_committed=True).table().num_rows > 0


def test_an_unstopped_recording_is_read(tmp_path, elsewhere):
    written = RecordingBuilder()
    for size in range(0, 9000, 37):
        written.message(struct.pack("<i", size) * (size // 4))
    assert written.position > 4 * TERM
    written.put(tmp_path / "archive", is_stopped=False)
    url = elsewhere(tmp_path / "archive")
    rows = read_recording(url, columns=["position", "payload"]).table().to_pylist()
    assert [(row["position"], row["payload"]) for row in rows] == [
        (position, payload) for position, _, _, payload in written.messages()
    ]


def test_members_here_and_elsewhere_are_read_together(tmp_path, elsewhere):
    _, node = write_node(tmp_path)
    _, other = write_node(tmp_path / "other")
    rows = read_log(node, elsewhere(other), columns=["position", "member", "committed"])
    table = rows.table().to_pylist()
    assert len(table) == 26
    assert all(row["committed"] for row in table)


def test_a_purged_or_missing_part_is_named_by_its_url(tmp_path, elsewhere):
    written = RecordingBuilder()
    for _ in range(300):
        written.message(bytes(1000))
    written.put(tmp_path / "archive")
    purged = written.segment(tmp_path / "archive", 2 * TERM)
    purged.unlink()
    url = elsewhere(tmp_path / "archive")
    with pytest.raises(SegmentError, match="segment file none, expected an existing one") as caught:
        read_recording(url).table()
    assert caught.value.segment == f"{url}/{purged.name}"
    with pytest.raises(MissingFileError, match="the catalog of an archive"):
        read_log(f"{url}/nowhere")


def test_a_growing_file_is_read_again(tmp_path, listing):
    """A catalog that grew, and segments created after a listing."""
    log = log_of_every_kind()
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    growing = Growing(log, node / "archive")
    url = f"{listing}://{node}"
    assert read_log(url).table().num_rows == len(log.messages())
    files = any_files()
    assert not files.is_file(f"{url}/archive/later")
    for _ in range(60):
        log.emit(2, bytes(3000))
    growing.write()
    assert read_log(url).table().num_rows == len(log.messages())
    other = RecordingBuilder(stream_id=33)
    other.message(b"x")
    recording_id = other.put(node / "archive")
    (node / "archive/later").write_bytes(b"x")
    assert read_recording(f"{url}/archive", recording_id).table().num_rows == 1
    assert files.is_file(f"{url}/archive/later")
    assert "later" in files.list(f"{url}/archive")
    (node / "archive/below").mkdir()
    assert files.is_directory(f"{url}/archive/below")
    with files.open(f"{url}/archive/later") as file:
        assert file.length == 1
    (node / "archive/later").write_bytes(b"xy")
    with files.open(f"{url}/archive/later") as file:
        assert file.length == 2


def test_an_unreachable_url_is_reported():
    with pytest.raises(ConfigurationError, match=r"fsspec or pyarrow\.fs reaches") as caught:
        read_log("nosuch://place/node0")
    assert "fsspec: " in caught.value.hint
    assert "pyarrow.fs: " in caught.value.hint


def test_a_url_with_a_query_is_rejected():
    with pytest.raises(ConfigurationError, match="a URL without a query"):
        read_log("s3://logs/node0?endpoint_override=localhost")


@pytest.fixture(
    params=[
        TimeoutError("no answer in 60 s"),
        ConnectionResetError(104, "Connection reset by peer"),
        OSError("[Errno 5] An error occurred (SlowDown) when calling GetObject"),
        EndpointError("Could not connect to the endpoint URL"),
        PermissionError("Forbidden"),
    ],
    ids=lambda it: type(it).__name__,
)
def failing(request, monkeypatch):
    """Make a file system fail at the n-th read of a segment."""
    pytest.importorskip("fsspec")
    left = [10**9]

    def read(store, path, begin, end):
        if path.endswith(".rec"):
            left[0] -= 1
            if left[0] < 0:
                raise request.param
        return right(store, path, begin, end)

    right = stores._Fsspec.read
    monkeypatch.setattr(stores._Fsspec, "read", read)
    return left, request.param


@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_failing_network_is_not_damage(tmp_path, failing, mode):
    """Otherwise a permissive pass would leave out complete segments."""
    left, error = failing
    written = RecordingBuilder()
    for _ in range(1000):
        written.message(bytes(3000))
    written.put(tmp_path / "archive")
    rows = read_recording(f"local://{tmp_path}/archive", mode=mode)
    assert rows.table().num_rows == 1000
    left[0] = 3
    with pytest.raises(UnreachableFileError, match=type(error).__name__) as caught:
        rows.table()
    assert caught.value.url.startswith(f"local://{tmp_path}/archive/0-")
    assert caught.value.__cause__ is error
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert exit_code(caught.value) is ExitCode.NOT_REACHABLE


def test_a_failing_network_proves_no_commit_position(tmp_path, failing):
    left, _ = failing
    nodes = [write_node(tmp_path / str(index))[1] for index in range(2)]
    rows = read_log(*(f"local://{node}" for node in nodes), columns=["committed"])
    assert rows.table().num_rows == 26
    left[0] = 1
    with pytest.raises(UnreachableFileError):
        read_log(*(f"local://{node}" for node in nodes), columns=["committed"]).table()


def test_a_failing_network_does_not_hide_the_unit(tmp_path, failing):
    left, _ = failing
    log = LogBuilder(5 * TERM)
    log.begin_term(0)
    log.emit(1, b"x")
    log.bases = [(0, 0)]
    node = log.write_node(tmp_path / "node0")
    put_snapshot(node, 0, 0, 5 * TERM)
    plan = read_log(f"local://{node}").plan
    assert plan.ranges[0].piece.time_unit is ClusterTimeUnit.MILLIS
    left[0] = 0
    with pytest.raises(UnreachableFileError):
        read_log(f"local://{node}")


class Requests:
    """Records a file system's requests; one of them fails."""

    def __init__(self, error):
        self.error = error
        self.count = 0
        self.failing = -1

    def come(self):
        self.count += 1
        if self.count == self.failing:
            raise self.error


@pytest.fixture(
    params=[
        OSError("[Errno 5] An error occurred (SlowDown) when calling HeadObject"),
        PermissionError("Forbidden"),
        EndpointError("Could not connect to the endpoint URL"),
    ],
    ids=lambda it: type(it).__name__,
)
def requests(request):
    """Return the requests to the file system ``failing://``, which has this machine's files."""
    fsspec = pytest.importorskip("fsspec")
    local_files = pytest.importorskip("fsspec.implementations.local").LocalFileSystem
    requested = Requests(request.param)

    class Failing(local_files):
        protocol = "failing"
        cachable = False

        @classmethod
        def _strip_protocol(cls, path):
            return path.removeprefix("failing://").rstrip("/")

        def ls(self, path, detail=False, **options):
            requested.come()
            return super().ls(path, detail, **options)

        def info(self, path, **options):
            requested.come()
            return super().info(path, **options)

        def cat_file(self, path, start=None, end=None, **options):
            requested.come()
            return super().cat_file(path, start, end, **options)

    fsspec.register_implementation("failing", Failing, clobber=True)
    return requested


@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_whichever_request_fails_all_rows_arrive_or_an_error(tmp_path, requests, mode):
    log, node = write_node(tmp_path)
    mark(node / "cluster", member_id=7)
    url = f"failing://{node}"
    whole = read_log(url, mode=mode)
    expected = whole.table()
    assert (set(expected["member"].to_pylist()), expected.num_rows) == ({7}, len(log.messages()))
    assert expected["committed"].null_count < expected.num_rows
    count, requests.count = requests.count, 0
    assert count > 10
    for number in range(1, count + 1):
        requests.count, requests.failing = 0, number
        with pytest.raises(UnreachableFileError, match=type(requests.error).__name__):
            read_log(url, mode=mode).table()


@pytest.mark.parametrize("what", ["is_file", "is_directory", "exists", "list", "open"])
def test_every_failure_of_a_file_system_is_an_error(tmp_path, requests, what):
    files = any_files()
    requests.failing = 1
    with pytest.raises(UnreachableFileError):
        getattr(files, what)(f"failing://{tmp_path}/file")
    assert not files.is_file(f"failing://{tmp_path}/file")
    assert not files.exists(f"failing://{tmp_path}/file")
    assert files.exists(f"failing://{tmp_path}")
    assert not files.is_file(f"failing://{tmp_path}")


class StatusError(Exception):
    """An error response of an HTTP server."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class DisconnectedError(Exception):
    """Like aiohttp's ServerDisconnectedError, which is not an OSError and has no status."""

    __module__ = "aiohttp.client_exceptions"


@pytest.mark.parametrize(
    ("cause", "is_missing"),
    [
        (None, True),
        (StatusError(404), True),
        (FileNotFoundError("nothing"), True),
        (EndpointError("NoSuchKey"), True),
        (ftplib.error_perm("550 no such file"), True),
        (StatusError(503), False),
        (DisconnectedError("Server disconnected"), False),
        (ftplib.error_temp("421 too many connections"), False),
        (ftplib.error_perm("530 not logged in"), False),
        (TimeoutError("no answer"), False),
        (ConnectionResetError(104, "Connection reset by peer"), False),
    ],
    ids=repr,
)
def test_a_missing_file_is_reported_as_missing(tmp_path, monkeypatch, cause, is_missing):
    """Some libraries report every failure as a missing file."""
    pytest.importorskip("fsspec")

    def look(_, path):
        raise FileNotFoundError(path) from cause

    files = any_files()
    monkeypatch.setattr("fsspec.implementations.local.LocalFileSystem.info", look)
    if is_missing:
        assert not files.is_file(f"local://{tmp_path}/file")
        with pytest.raises(FileNotFoundError):
            files.open(f"local://{tmp_path}/file")
        return
    for send_request in (files.is_file, files.exists, files.open):
        with pytest.raises(UnreachableFileError, match=type(cause).__name__):
            send_request(f"local://{tmp_path}/file")


def test_directory_at_a_url_is_no_file(tmp_path):
    pytest.importorskip("fsspec")
    with pytest.raises(IsADirectoryError):
        any_files().open(f"local://{tmp_path}")


def test_server_without_ranges_gives_the_same_bytes(tmp_path, monkeypatch):
    local_files = pytest.importorskip("fsspec.implementations.local")
    data = bytes(range(256)) * 4
    (tmp_path / "file").write_bytes(data)
    # Like fsspec's HTTP file system, which returns the whole response.
    monkeypatch.setattr(local_files.LocalFileSystem, "cat_file", lambda *_, **__: data)
    with any_files().open(f"{tmp_path.as_uri()}/file") as file:
        assert file.read_at(20, 700) == data[700:720]
        assert file.read_at(20, 10) == data[10:30]


def test_a_path_of_unknown_kind_is_an_error(tmp_path, monkeypatch):
    arrow_fs = pytest.importorskip("pyarrow.fs")
    monkeypatch.setattr(stores._Fsspec, "__init__", reject)
    files = any_files()
    assert not files.is_file(f"{tmp_path.as_uri()}/file")

    class Unknown:
        def get_file_info(self, path):
            return arrow_fs.FileInfo(path, arrow_fs.FileType.Unknown)

    url = f"{tmp_path.as_uri()}/file"
    store, _ = files._find(url)
    store._fs = Unknown()
    with pytest.raises(UnreachableFileError):
        files.is_file(url)


def test_url_files_are_read_only():
    with pytest.raises(PermissionError, match="read only"):
        any_files().open("memory://somewhere/file", create=True)


class CountingStore:
    """A file in memory that counts its reads."""

    directory = "somewhere"

    def __init__(self, length):
        self.data = bytes(each % 251 for each in range(length))
        self.reads = []

    def length(self, path):
        assert path == "somewhere/file"
        return len(self.data)

    def read(self, path, begin, end):
        assert path == "somewhere/file"
        assert 0 <= begin < end <= len(self.data)
        self.reads.append((begin, end))
        return self.data[begin:end]


def test_sequential_reads_read_further_ahead(monkeypatch):
    store = CountingStore(3_000_000)
    monkeypatch.setattr("aeron_cluster.pipeline.files.url_files.find_store", lambda _: store)
    with AnyFiles().open("memory://somewhere/file") as file:
        place = 0
        while part := file.read_at(65_536, place):
            assert part == store.data[place : place + 65_536]
            place += len(part)
    assert place == file.length == 3_000_000
    assert [end - begin for begin, end in store.reads] == [524_288, 1_048_576, 1_427_136]


def test_distant_reads_read_little(monkeypatch):
    store = CountingStore(3_000_000)
    monkeypatch.setattr("aeron_cluster.pipeline.files.url_files.find_store", lambda _: store)
    with AnyFiles().open("memory://somewhere/file") as file:
        for place in (2_000_000, 1_000_000, 2_999_990, 3_000_000, 4_000_000):
            assert file.read_at(32, place) == store.data[place : place + 32]
        assert file.read_at(600_000, 7) == store.data[7:600_007]
    assert all(end - begin <= 600_000 for begin, end in store.reads)


def test_file_truncated_during_a_read_ends_there(monkeypatch):
    store = CountingStore(1000)
    monkeypatch.setattr("aeron_cluster.pipeline.files.url_files.find_store", lambda _: store)
    with AnyFiles().open("memory://somewhere/file") as file:
        store.data = store.data[:500]
        store.read = lambda _, begin, end: store.data[begin:end]
        assert file.read_at(1000, 0) == store.data


def test_paths_stay_unchanged(tmp_path):
    files = any_files()
    (tmp_path / "file").write_bytes(b"data")
    assert files.read(tmp_path / "file") == b"data"
    assert files.list(tmp_path) == ["file"]
    assert (files.exists(tmp_path), files.is_file(tmp_path)) == (True, False)
    assert files.is_directory(tmp_path)
    assert isinstance(files.open(tmp_path / "file"), type(SystemFiles().open(tmp_path / "file")))


def test_jobs_read_members_by_url_as_local_ones(tmp_path, elsewhere):
    nodes, log, places = write_cluster(tmp_path / "nodes", 3, is_stopped=False)
    frame = log.frames[70]
    log.damage(nodes[2] / "archive", frame.position + 33, b"\xee")
    url = elsewhere(tmp_path / "nodes")
    urls = [f"{url}/{node.name}" for node in nodes]
    here, there = audit(*nodes), audit(*urls)
    assert [each.position for each in here.findings] == [frame.position + 33]
    findings_there = str(there.findings).replace(url, str(tmp_path / "nodes"))
    assert findings_there == str(here.findings)
    assert there.committed_position == here.committed_position
    for kind, members in (("one", slice(1)), ("all", slice(3))):
        done = compact(*urls[members], to=tmp_path / kind, part_length=1)
        again = compact(*nodes[members], to=tmp_path / f"{kind} here", part_length=1)
        assert (done.rows, done.to_position) == (again.rows, again.to_position)
        assert done.rows > 0
        assert verify(tmp_path / kind, urls[0]).problems == ()
        assert verify(tmp_path / kind, urls[0]).compared_rows == done.rows
    # These snapshots are not from a tally, so runs begin with the log.
    alone = [MemberDirectories(f"{place}/archive") for place in (nodes[0], urls[0])]
    positions = [places[1][2], log.position]
    spark = InProcessSpark()
    states = [
        state_at(it, Tally, tmp_path / "states", positions=positions, export=sums, spark=spark)
        for it in alone
    ]
    assert states[0] == states[1]
    assert [each.log_position for each in states[1]] == positions


def test_a_service_resumes_from_a_snapshot_elsewhere(tmp_path, elsewhere):
    log, places = long_log()
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    term, base, position = places[1]
    (first,) = state_at(node, Tally, tmp_path / "first", positions=[position])
    recording_id = record_snapshot(node / "archive", read_snapshot_file(SystemFiles(), first.path))
    with RecordingLog(SystemFiles(), str(node / "cluster")) as noted:
        noted.append_snapshot(recording_id, term, base, position, TIME, 0)
    (here,) = state_at(node, Tally, tmp_path / "states", positions=[log.position])
    url = elsewhere(node)
    (there,) = state_at(url, Tally, tmp_path / "states", positions=[log.position])
    assert here == there
    assert there.snapshot_position == position
    with pytest.raises(MissingFileError, match="nowhere"):
        state_at(f"{url}/nowhere", Tally, tmp_path / "states", positions=[0])


def test_damage_elsewhere_is_named_by_its_url(tmp_path, elsewhere):
    log, _ = long_log()
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    log.damage(node / "archive", TERM, bytes([7, 0, 0, 0]))
    log.segment(node / "archive", 2 * TERM).unlink()
    url = elsewhere(node)
    for position in (TERM + 4096, log.position):
        with pytest.raises(CorruptError) as caught:
            state_at(url, Tally, tmp_path / "states", positions=[position])
        assert caught.value.what == "frame length"
        assert caught.value.offset == TERM
    with pytest.raises(SegmentError, match="frame length"):
        compact(url, to=tmp_path / "lake")
    files = any_files()
    with pytest.raises(PlatformError) as missing:
        files.open(f"{url}/archive/nothing.rec")
    assert isinstance(missing.value, FileNotFoundError)
    assert missing.value.filename == f"{url}/archive/nothing.rec"


@pytest.mark.parametrize("place", ["s3://lake/out", "memory://out", "simplecache::s3://lake"])
def test_a_write_by_url_is_rejected_and_creates_nothing(tmp_path, monkeypatch, place):
    """It would be a directory of this machine named ``s3:``."""
    monkeypatch.chdir(tmp_path)
    _, node = write_node(tmp_path)
    before = sorted(tmp_path.iterdir())
    result = JobResult({}, {}, str)
    for name, write in {
        "to": lambda: compact(node, to=place),
        " to": lambda: state_at(node, Tally, place, positions=[0]),
        "directory": lambda: verify(place),
        " directory": lambda: result.write(place),
        "report_dir": lambda: parse_options(
            {"path": "a", "mode": "permissive", "report_dir": place}
        ),
        " report_dir": lambda: parse_sink_options(
            {"ingress_endpoints": "0=a:1", "report_dir": place}
        ),
        "cluster_dir": lambda: parse_sink_options({"cluster_dir": place}),
    }.items():
        match = f"{name.strip()}: expected a local or mounted directory"
        with pytest.raises(ConfigurationError, match=match):
            write()
    assert sorted(tmp_path.iterdir()) == before
    assert local("to", "out") == str(tmp_path / "out")


def test_urls_and_paths_are_distinguished():
    assert is_url("s3://logs/node0")
    assert is_url("simplecache::s3://logs/node0")
    assert not is_url("/s3:/logs")
    assert not is_url("C://logs")
    assert absolute("s3://logs/node0/") == "s3://logs/node0"
    assert absolute("/a/b/") == "/a/b"
    assert (above("s3://logs/node0"), above("/a/b")) == ("s3://logs", "/a")
    assert (above("s3://logs"), above("file:///a")) == ("s3://logs", "file://")
    with pytest.raises(MissingFileError):
        find_member(SystemFiles(), "/nowhere/at/all")
