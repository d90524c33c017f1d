"""Native services of every origin: loaded, driven without a cluster, rejected if invalid."""

import ctypes
import gc
import os
import struct
from pathlib import Path

import pytest

from aeron_cluster.cluster.service.native_service import CALLBACKS, NativeService, abi_version
from aeron_cluster.errors import ConfigurationError, NativeServiceError
from benchmarks.native.build import build_service
from tests.native.service_script import Did, HostLibrary, Script, Status, only, returned


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return HostLibrary(tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="module")
def reminder(build_extension):
    return build_extension(Path(__file__).parent / "reminder_service.pyx")


@pytest.fixture(scope="module")
def echo(tmp_path_factory):
    return build_service("echo_service", tmp_path_factory.mktemp("echo"))


# ---- in Cython --------------------------------------------------------------------------------


def test_a_service_in_cython_is_driven_through_a_capsule(host, reminder):
    with NativeService.from_capsule(reminder.make()) as service:
        assert service.name == "reminder"
        assert service.version == abi_version()
        script = Script().start().open(1).open(2, principal=b"nobody").open(3).lead()
        script.reject(Status.BACK_PRESSURED, 3).message(1, b"milk", timestamp=100)
        script.timer(1, timestamp=110).take_snapshot().message(1, bytes(65))
        entries = host.run(reminder.table_address(service), script)
        (timer,) = only(entries, Did.SCHEDULE)
        assert timer.b == 110
        assert [(entry.a, entry.data) for entry in only(entries, Did.EGRESS)] == [
            (1, b"milk"),
            (3, b"milk"),
        ]
        assert [entry.data for entry in only(entries, Did.WRITE)] == [b"milk"]
        assert [entry.data for entry in only(entries, Did.EXPLAIN)] == [b"more than 64 bytes"]
        assert returned(entries)[-1] == -42
    with NativeService.from_capsule(reminder.make()) as service:
        script = Script().start([b"bread"]).open(1).lead().timer(1).message(1, b"milk")
        entries = host.run(reminder.table_address(service), script)
        egress = [entry.data for entry in only(entries, Did.EGRESS)]
        assert egress == [b"bread", b"noted: milk"]
        assert [entry.data for entry in only(entries, Did.OFFER)] == [b"milk"]


def test_a_service_is_destroyed_once_and_its_capsule_used_once(reminder):
    before = reminder.destroyed_count()
    capsule = reminder.make()
    service = NativeService.from_capsule(capsule)
    with pytest.raises(TypeError, match="taken"):
        NativeService.from_capsule(capsule)
    service.close()
    service.close()
    assert service.is_closed
    assert reminder.destroyed_count() == before + 1
    dropped = NativeService.from_capsule(reminder.make())
    del dropped
    gc.collect()
    assert reminder.destroyed_count() == before + 2


def test_a_fork_leaves_the_service_to_the_parent(reminder):
    service = NativeService.from_capsule(reminder.make())
    before = reminder.destroyed_count()
    child = os.fork()
    if child == 0:
        service.close()
        os._exit(reminder.destroyed_count() - before)
    assert os.waitpid(child, 0)[1] == 0
    service.close()
    assert reminder.destroyed_count() == before + 1


@pytest.mark.parametrize("thing", [None, 3, b"bytes", object()])
def test_object_other_than_a_capsule_is_rejected(thing):
    with pytest.raises(TypeError):
        NativeService.from_capsule(thing)


# ---- through ctypes ---------------------------------------------------------------------------

ON_START = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
ON_MESSAGE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_void_p,
)
ON_SNAPSHOT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
OFFER = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
)


class Table(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("state", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in CALLBACKS),
    )


class Cluster(ctypes.Structure):
    """The first members of ac_cluster."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("host", ctypes.c_void_p),
        ("live", ctypes.c_int64 * 6),
        ("session_offer", ctypes.c_void_p),
    )


class Shouting:
    """A service in Python behind C callbacks, which take the GIL."""

    def __init__(self):
        self.cluster = None
        self.callbacks = {
            "on_start": ON_START(self.on_start),
            "on_session_message": ON_MESSAGE(self.on_message),
            "on_take_snapshot": ON_SNAPSHOT(lambda _state, _writer: 0),
        }
        self.addresses = {
            name: ctypes.cast(function, ctypes.c_void_p).value
            for name, function in self.callbacks.items()
        }

    def on_start(self, _state, cluster, _snapshot):
        self.cluster = Cluster.from_address(cluster)
        return 0

    def on_message(self, _state, session, _timestamp, data, length, _header):
        text = ctypes.string_at(data, length).upper()
        return min(0, OFFER(self.cluster.session_offer)(self.cluster.host, session, text, length))

    def table(self, **changed):
        return Table(
            **{
                "version": abi_version()[0] << 16 | abi_version()[1],
                "size": ctypes.sizeof(Table),
                "name": b"shouting",
                **self.addresses,
                **changed,
            }
        )


def test_a_service_through_ctypes_is_driven_at_its_address(host, reminder):
    shouting = Shouting()
    table = shouting.table()
    service = NativeService.from_address(ctypes.addressof(table), keep_alive=(shouting, table))
    assert service.name == "shouting"
    del table
    script = Script().start().open(1).lead().message(1, b"quiet")
    entries = host.run(reminder.table_address(service), script)
    assert [entry.data for entry in only(entries, Did.EGRESS)] == [b"QUIET"]
    service.close()


def test_service_built_from_functions_is_driven(host, reminder):
    shouting = Shouting()
    service = NativeService.from_functions(shouting.addresses, name="loud", keep_alive=shouting)
    assert repr(service) == "<NativeService 'loud' of loud>"
    script = Script().start().open(1).lead().message(1, b"quiet").take_snapshot().work(1)
    entries = host.run(reminder.table_address(service), script)
    assert [entry.data for entry in only(entries, Did.EGRESS)] == [b"QUIET"]
    assert returned(entries) == [0] * 6


def test_a_retained_object_is_released_on_close():
    class Kept:
        pass

    shouting = Shouting()
    kept = Kept()
    freed = []
    kept.freed = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(freed.append)
    addresses = shouting.addresses | {
        "destroy": ctypes.cast(kept.freed, ctypes.c_void_p).value,
    }
    service = NativeService.from_functions(addresses, state=4096, keep_alive=kept)
    kept.service = service  # a reference cycle, which the garbage collector breaks after destroy
    del kept, service
    gc.collect()
    assert freed == [4096]


@pytest.mark.parametrize(
    ("changed", "what", "words"),
    [
        ({"version": 0x00020000}, "version of the table", "expected 1.x, found 2.0"),
        ({"version": 0}, "version of the table", "expected 1.x, found 0.0"),
        ({"size": 111}, "size of the table", "expected at least 112 bytes, found 111 bytes"),
        ({"on_start": None}, "on_start", "expected a function, found NULL"),
        ({"on_session_message": None}, "on_session_message", "found NULL"),
        ({"on_take_snapshot": None}, "on_take_snapshot", "found NULL"),
    ],
)
def test_unfit_table_is_rejected_with_the_reason(changed, what, words):
    table = Shouting().table(**changed)
    with pytest.raises(NativeServiceError, match=words) as raised:
        NativeService.from_address(ctypes.addressof(table))
    assert raised.value.what == what
    assert isinstance(raised.value, ValueError)


def test_a_service_without_a_name_is_named_by_its_source():
    shouting = Shouting()
    table = shouting.table(name=None)
    address = ctypes.addressof(table)
    service = NativeService.from_address(address, keep_alive=shouting)
    assert service.name == service.source
    assert f"{address:#x}" in service.name


def test_a_capsule_without_a_name_is_rejected():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    with pytest.raises(TypeError, match="found one named nothing"):
        NativeService.from_capsule(new(4096, None, None))


def test_a_newer_services_later_callbacks_are_ignored():
    class Newer(Table):
        _fields_ = (("on_later_event", ctypes.c_void_p),)

    shouting = Shouting()
    newer = Newer(on_later_event=1)
    ctypes.memmove(ctypes.addressof(newer), ctypes.byref(shouting.table()), ctypes.sizeof(Table))
    newer.version += 1
    newer.size = ctypes.sizeof(Newer)
    service = NativeService.from_address(ctypes.addressof(newer), keep_alive=shouting)
    major, minor = abi_version()
    assert service.version == (major, minor + 1)
    # A newer version has at least the fields of the current one.
    newer.size = ctypes.sizeof(Table) - 8
    with pytest.raises(NativeServiceError, match="size of the table"):
        NativeService.from_address(ctypes.addressof(newer))


@pytest.mark.parametrize("address", [0, 4097])
def test_impossible_address_is_rejected(address):
    with pytest.raises(NativeServiceError, match="address"):
        NativeService.from_address(address)


def test_callbacks_are_named_as_the_table_names_them():
    with pytest.raises(ConfigurationError, match="found 'on_massage'"):
        NativeService.from_functions({"on_massage": 1})
    with pytest.raises(NativeServiceError, match="on_take_snapshot"):
        NativeService.from_functions({"on_start": 1, "on_session_message": 1})
    with pytest.raises(TypeError, match="load, from_capsule"):
        NativeService()


# ---- from a library ---------------------------------------------------------------------------


def test_a_library_gives_as_many_services_as_are_requested(host, reminder, echo, monkeypatch):
    monkeypatch.chdir(echo.parent)
    with (
        NativeService.load("echo_service.so", "echo_service") as one,
        NativeService.load(echo, "echo_service") as other,
    ):
        assert one.name == other.name == "echo"
        assert one.source == other.source == f"{echo}:echo_service"
        script = Script().start().open(1).lead().message(1, b"x")
        for service in (one, other):
            entries = host.run(reminder.table_address(service), script)
            assert [entry.data for entry in only(entries, Did.EGRESS)] == [b"x"]


def test_file_other_than_a_library_is_rejected(tmp_path, echo):
    with pytest.raises(NativeServiceError, match="No such file"):
        NativeService.load(tmp_path / "missing.so", "echo_service")
    text = tmp_path / "text.so"
    text.write_text("not a library")
    with pytest.raises(NativeServiceError, match=r"text\.so: library: expected one that loads"):
        NativeService.load(text, "echo_service")
    with pytest.raises(NativeServiceError, match="symbol: expected an ac_service_factory") as it:
        NativeService.load(echo, "ehco_service")
    assert it.value.service == f"{echo}:ehco_service"
    with pytest.raises(ConfigurationError):
        NativeService.load("zero\0byte", "echo_service")


def test_factory_reports_the_reason_of_a_failure(tmp_path, echo):
    with pytest.raises(NativeServiceError, match="found no option speed"):
        NativeService.load(echo, "echo_service", {"speed": "9"})
    with pytest.raises(ConfigurationError):
        NativeService.load(echo, "echo_service", {"speed": "9\0"})
    book = build_service("order_matching", tmp_path)
    for value in ("", "0", "12x", "-1"):
        with pytest.raises(NativeServiceError, match=r"max_orders: expected 1\.\."):
            NativeService.load(book, "order_matching", {"max_orders": value})
    NativeService.load(book, "order_matching", {"max_orders": "12"}).close()


def test_the_tables_layout_matches_the_header():
    assert ctypes.sizeof(Table) == 112
    assert Table.destroy.offset == 104
    assert Cluster.session_offer.offset == 64
    assert struct.calcsize("<IIQQ") == Table.on_start.offset
