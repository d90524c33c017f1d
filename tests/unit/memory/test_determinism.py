"""Which calls are rejected during a callback, and which are allowed."""

import datetime
import gc
import io
import logging
import os
import random
import resource
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
import uuid
from datetime import datetime as imported_datetime
from pathlib import Path
from time import gmtime as imported_gmtime
from time import time as imported_time

import pytest

from aeron_cluster.errors import NondeterminismError
from aeron_cluster.memory.system.determinism import CLOCKS_AND_RANDOMNESS, DeterminismTrap

REJECTED = {
    "time.time": ("clock", time.time),
    "time.time, imported by name": ("clock", imported_time),
    "time.monotonic": ("clock", time.monotonic),
    "time.perf_counter_ns": ("clock", time.perf_counter_ns),
    "time.sleep": ("clock", lambda: [time.sleep][0](0)),
    "time.gmtime of now": ("clock", lambda: time.gmtime()),  # noqa: PLW0108 - called from here
    "time.gmtime of now, imported by name": ("clock", lambda: imported_gmtime()),  # noqa: PLW0108
    "time.strftime of now": ("clock", lambda: time.strftime("%H:%M")),
    "time.asctime of now": ("clock", lambda: time.asctime()),  # noqa: PLW0108 - as above
    "datetime.datetime.now": ("clock", datetime.datetime.now),
    "datetime.datetime.now, imported by name": (
        "clock",
        lambda: imported_datetime.now(datetime.UTC),
    ),
    "datetime.date.today": ("clock", datetime.date.today),
    "random.random": ("randomness", random.random),
    "random.getrandbits": ("randomness", lambda: random.randint(1, 6)),
    "random.Random() without a seed": ("randomness", random.Random),
    "os.urandom": ("randomness", lambda: os.urandom(1)),
    "os.urandom, of secrets": ("randomness", lambda: secrets.token_bytes(1)),
    "uuid.uuid4": ("randomness", uuid.uuid4),
    "uuid.uuid1": ("randomness", uuid.uuid1),
    "threading.Thread.start": ("thread", lambda: threading.Thread(target=int).start()),
    "open": ("I/O", lambda: Path(__file__).read_text(encoding="utf-8")),
    "os.listdir": ("I/O", os.listdir),
    "os.stat": ("I/O", lambda: Path(__file__).exists()),
    "os.getpid": ("I/O", os.getpid),
    "os.environ": ("I/O", lambda: os.environ.get("HOME")),
    "os.environ, each": ("I/O", lambda: dict(os.environ)),
    "select.select": ("I/O", lambda: select.select([], [], [], 0)),
    "resource.getrusage": ("I/O", lambda: resource.getrusage(resource.RUSAGE_SELF)),
    "socket.__new__": ("I/O", socket.socket),
    "subprocess.Popen": ("I/O", lambda: subprocess.run([sys.executable, "-V"], check=False)),
}


def compute():
    """Compute as a state machine does."""
    return (
        sorted({3, 1, 2}),
        hash("a text"),
        datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(1),
        datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).date(),
        random.Random(7).random(),
        uuid.UUID(int=7),
        uuid.uuid5(uuid.NAMESPACE_DNS, "a name"),
        os.path.join("a", "b"),  # noqa: PTH118 - a text, no file
        Path("a") / "b",
        os.fspath("a"),
        time.strftime("%H:%M", time.gmtime(0)),
        time.asctime(time.gmtime(0)),
        io.StringIO("a text").read(),
    )


@pytest.mark.parametrize("name", REJECTED)
def test_rejects_differences_between_members(name):
    kind, call = REJECTED[name]
    with (
        pytest.raises(NondeterminismError) as raised,
        DeterminismTrap().watching("on_timer_event", 96),
    ):
        call()
    error = raised.value
    assert (error.call, error.kind) == (name.partition(",")[0], kind)
    assert (error.callback, error.log_position) == ("on_timer_event", 96)
    assert str(error).startswith(f"{error.call} ({kind}) in on_timer_event at log position 96")


def test_allows_a_state_machine_to_compute():
    before = compute()
    with DeterminismTrap().watching("on_timer_event", 96):
        assert compute() == before


def test_allows_logging_and_imports(capsys):
    logger = logging.getLogger("a service")
    sys.modules.pop("this", None)
    with DeterminismTrap().watching("on_timer_event", 96):
        logger.error("a line")
        import this  # noqa: F401, PLC0415
    assert "Zen" in capsys.readouterr().out


def test_callbacks_of_the_collector_are_not_the_services():
    """Test tools read clocks in such callbacks, and a collection may begin anywhere."""
    read = []

    def on_collection(phase, _):
        read.append((phase, time.perf_counter()))

    gc.callbacks.append(on_collection)
    try:
        with DeterminismTrap().watching("on_session_message", 1):
            gc.collect()
        assert [phase for phase, _ in read] == ["start", "stop"]
        with pytest.raises(NondeterminismError, match="perf_counter"):  # noqa: SIM117
            with DeterminismTrap().watching("on_session_message", 1):
                time.perf_counter()
    finally:
        gc.callbacks.remove(on_collection)


def test_trap_prevents_reads_from_a_file_opened_before():
    with Path(__file__).open("rb") as file:
        with (
            pytest.raises(NondeterminismError, match=r"BufferedReader\.read "),
            DeterminismTrap().watching("on_session_message", 96),
        ):
            file.read(1)
        assert file.tell() == 0


def test_the_call_is_rejected_where_it_is_made():
    made = []
    with pytest.raises(NondeterminismError), DeterminismTrap().watching("on_start", 0):
        made.append(time.time())
    assert made == []


def test_a_caught_rejection_is_reported_at_the_end():
    def careless():
        try:
            return time.time()
        except RuntimeError:
            return 0.0

    with (
        pytest.raises(NondeterminismError, match=r"time\.time"),
        DeterminismTrap().watching("on_start", 0),
    ):
        assert careless() == 0.0


def test_watches_nothing_outside_a_callback():
    trap = DeterminismTrap()
    with trap.watching("on_timer_event", 96):
        with trap.suspended():
            assert time.time() > 0
            assert Path(__file__).exists()
        with pytest.raises(NondeterminismError):
            time.time()
        trap._found = None
    assert time.time() > 0
    assert Path(__file__).exists()
    assert sys.getprofile() is None


def test_the_trap_watches_only_its_own_thread():
    started, resume = threading.Event(), threading.Event()
    found = []

    def elsewhere():
        started.set()
        resume.wait(120)
        found.append(os.getpid())

    other = threading.Thread(target=elsewhere)
    other.start()
    assert started.wait(120)
    with DeterminismTrap().watching("on_timer_event", 96):
        resume.set()
        while not found:
            pass
    other.join(120)
    assert found


def test_trap_rejects_only_the_configured_calls():
    with DeterminismTrap().watching("on_start", 0, CLOCKS_AND_RANDOMNESS):
        assert Path(__file__).exists()
    with (
        pytest.raises(NondeterminismError),
        DeterminismTrap().watching("on_start", 0, CLOCKS_AND_RANDOMNESS),
    ):
        time.time()


def test_restores_the_profile_of_others():
    seen = []
    sys.setprofile(lambda *_: seen.append(1))
    try:
        profile = sys.getprofile()
        with DeterminismTrap().watching("on_timer_event", 96):
            pass
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)


def test_sees_numpy():
    numpy = pytest.importorskip("numpy")
    for name, call in (
        ("numpy.random.random", lambda: numpy.random.random(1)),
        ("numpy.random.randint", lambda: numpy.random.randint(3)),
        ("numpy.random.default_rng", lambda: numpy.random.default_rng(None)),
    ):
        with (
            pytest.raises(NondeterminismError) as raised,
            DeterminismTrap().watching("on_timer_event", 96),
        ):
            call()
        assert (raised.value.call, raised.value.kind) == (name, "randomness")
    with DeterminismTrap().watching("on_timer_event", 96):
        numpy.random.default_rng(7).random()


def test_wait_does_not_start_an_inactive_trap():
    trap = DeterminismTrap()
    with trap.suspended():
        time.time()
    time.time()

    def wait_and_ask():
        with trap.suspended():
            time.time()
        time.time()

    with pytest.raises(NondeterminismError), trap.watching("on_start", 0):
        wait_and_ask()
