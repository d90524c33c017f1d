"""Which users a file accepts, and when the file is read again."""

from concurrent.futures import Future
from functools import partial

import pytest

from aeron_cluster.client.security import UNDECIDED_MS
from aeron_cluster.cluster.security.file_authenticator import FileAuthenticator
from aeron_cluster.cluster.security.users_file import PasswordHash
from aeron_cluster.codecs.cluster import SessionEvent
from aeron_cluster.errors import AccessFileError
from aeron_cluster.memory.system.seams import SeededRandom, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.session_rig import EPOCH_MS, S, SessionRig
from tests.waiting import await_true

NOW_MS = 1_700_000_000_000


def line(name, password):
    return f"{name}:{PasswordHash.of(password.encode(), b'salt' * 4, log_cost=10)}\n"


class Proxy:
    """A session that records the decision about it."""

    def __init__(self, session_id):
        self.session_id = session_id
        self.decided = None
        self.is_distinguishable = True

    def authenticate(self, encoded_principal):
        if self.is_distinguishable:
            self.decided = bytes(encoded_principal)
        return self.is_distinguishable

    def reject(self):
        self.decided = "rejected"


class World:
    def __init__(self, path):
        self.path = path
        self.clock = VirtualClock(epoch_nanos=NOW_MS * 1_000_000)
        self.reported = []
        self.sessions = 0

    def authenticator(self, **options):
        return FileAuthenticator(
            str(self.path),
            SystemFiles(),
            self.clock,
            SeededRandom(1),
            self.reported.append,
            **{"is_threaded": False, **options},
        )

    def send_request(self, made, credentials, now_ms=NOW_MS):
        self.sessions += 1
        made.on_connect_request(self.sessions, credentials, now_ms)
        proxy = Proxy(self.sessions)
        made.on_connected_session(proxy, now_ms)
        return proxy.decided


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "users"
    path.write_text(line("alice", "secret") + line("bob", "pass:word") + line("zoë", "ü"))
    return World(path)


@pytest.mark.parametrize(
    ("credentials", "decided"),
    [
        (b"alice:secret", b"alice"),
        (b"bob:pass:word", b"bob"),
        ("zoë:ü".encode(), "zoë".encode()),
        (b"alice:Secret", "rejected"),
        (b"alice:", "rejected"),
        (b"alice", "rejected"),
        (b"", "rejected"),
        (b":", "rejected"),
        (b":secret", "rejected"),
        (b"eve:secret", "rejected"),
        (b"bob:secret", "rejected"),
        (b"\xff\xfe:secret", "rejected"),
        (b"alice:" + b"x" * 5000, "rejected"),
    ],
)
def test_accepts_a_user_with_the_right_password(world, credentials, decided):
    made = world.authenticator()
    assert world.send_request(made, credentials) == decided
    assert world.send_request(made, credentials) == decided  # whether or not the password is cached
    assert repr(made) == f"<FileAuthenticator {world.path}>"


def test_an_unknown_name_takes_as_long_as_a_wrong_password(world, monkeypatch):
    made = world.authenticator()
    costs = []
    original = PasswordHash.matches

    def matches(self, password):
        costs.append(self.log_cost)
        return original(self, password)

    monkeypatch.setattr(PasswordHash, "matches", matches)
    world.path.write_text("")
    for credentials in (b"eve:secret", b"\xff:"):
        assert world.send_request(made, credentials) == "rejected"
    assert costs == [14, 14]


def test_an_authenticated_user_reconnects_without_hashing(world, monkeypatch):
    made = world.authenticator()
    assert world.send_request(made, b"alice:secret") == b"alice"
    monkeypatch.setattr(PasswordHash, "matches", lambda *_: False)
    assert world.send_request(made, b"alice:secret") == b"alice"
    assert world.send_request(made, b"alice:Secret") == "rejected"
    assert world.send_request(made, b"bob:pass:word") == "rejected"
    # A new password invalidates it, although the name is the same.
    world.path.write_text(line("alice", "changed"))
    assert world.send_request(made, b"alice:secret", NOW_MS + 1000) == "rejected"


def test_file_change_applies_a_second_later(world):
    made = world.authenticator()
    world.path.write_text(line("eve", "new"))
    assert world.send_request(made, b"eve:new", NOW_MS + 999) == "rejected"
    assert world.send_request(made, b"eve:new", NOW_MS + 1000) == b"eve"
    assert world.send_request(made, b"alice:secret", NOW_MS + 1000) == "rejected"
    # A clock set back does not prevent it.
    world.path.write_text(line("alice", "secret"))
    assert world.send_request(made, b"alice:secret", NOW_MS - 10**9) == b"alice"


def test_a_file_damaged_later_is_reported_once_and_changes_nothing(world):
    made = world.authenticator()
    good = world.path.read_text()
    world.path.write_text("alice:secret\n")
    for second in range(1, 5):
        assert world.send_request(made, b"alice:secret", NOW_MS + second * 1000) == b"alice"
    [error] = world.reported
    assert isinstance(error, AccessFileError)
    assert (error.path, error.line) == (str(world.path), 1)
    world.path.unlink()
    for second in range(5, 8):
        assert world.send_request(made, b"alice:secret", NOW_MS + second * 1000) == b"alice"
    assert len(world.reported) == 2
    world.path.write_text(good + line("eve", "new"))
    assert world.send_request(made, b"eve:new", NOW_MS + 9000) == b"eve"


@pytest.mark.parametrize(
    ("spoil", "reported"),
    [
        (lambda path: path.unlink(), "No such file"),
        (lambda path: path.write_text("x\n"), "line 1: expected name:hash"),
        (lambda path: path.chmod(0o666), "its owner alone may write, found mode 0666"),
        (lambda path: path.open("ab").truncate((16 << 20) + 1), "at most 16777216 bytes"),
    ],
)
def test_rejects_an_invalid_file_at_start(world, spoil, reported):
    spoil(world.path)
    with pytest.raises(AccessFileError, match=reported):
        world.authenticator()


def test_hashes_on_a_thread_and_decides_in_a_later_pass(world):
    made = world.authenticator(is_threaded=True)
    proxies = []
    for session_id, credentials in enumerate((b"alice:secret", b"alice:wrong", b"eve:x")):
        made.on_connect_request(session_id, credentials, NOW_MS)
        proxies.append(Proxy(session_id))

    def decided():
        for proxy in proxies:
            if proxy.decided is None:
                made.on_connected_session(proxy, NOW_MS)
        return all(proxy.decided is not None for proxy in proxies)

    await_true(decided, "all are decided about")
    assert [proxy.decided for proxy in proxies] == [b"alice", "rejected", "rejected"]
    made.close()
    made.close()


class Thread:
    """A thread that hashes when it is called."""

    def __init__(self):
        self.tasks = []

    def submit(self, *call):
        task = Future()
        self.tasks.append((task, partial(*call)))
        return task

    def run(self):
        """Run everything that is waiting, and return the results."""
        tasks, self.tasks = self.tasks, []
        for task, check in tasks:
            task.set_result(check())
        return [task.result() for task, _ in tasks]

    def close(self):
        pass


@pytest.fixture
def thread():
    return Thread()


@pytest.fixture
def on_thread(world, thread, monkeypatch):
    made = world.authenticator(is_threaded=True)
    monkeypatch.setattr(made, "_executor", thread)
    return made


def decisions(made, count, now_ms=NOW_MS):
    """Return what is decided about the sessions from 1 to `count`."""
    proxies = [Proxy(session_id) for session_id in range(1, count + 1)]
    for proxy in proxies:
        made.on_connected_session(proxy, now_ms)
    return [proxy.decided for proxy in proxies]


def test_a_request_above_the_limit_of_pending_hashes_is_hashed_later(on_thread, thread):
    for session_id in range(1, 299):
        on_thread.on_connect_request(session_id, b"alice:wrong", NOW_MS)
    on_thread.on_connect_request(299, b"bob:pass:word", NOW_MS)
    assert decisions(on_thread, 299) == [None] * 299
    assert thread.run() == [False] * 256
    assert decisions(on_thread, 299) == ["rejected"] * 256 + [None] * 43
    assert thread.run() == [False] * 42 + [True]
    assert decisions(on_thread, 299)[-1] == b"bob"


def test_hashes_without_a_connected_session_do_not_count_as_pending(on_thread, thread):
    for session_id in range(1, 257):
        on_thread.on_connect_request(session_id, b"alice:wrong", NOW_MS)
    thread.run()
    on_thread.on_connect_request(1000, b"bob:pass:word", NOW_MS + 1)
    assert thread.run() == [True]


def test_a_request_is_dropped_when_its_session_ends(on_thread, thread, monkeypatch):
    hashed = []
    monkeypatch.setattr(PasswordHash, "matches", lambda _, password: hashed.append(password))
    for session_id in range(1, 301):
        on_thread.on_connect_request(session_id, b"alice:%d" % session_id, NOW_MS)
    for session_id in range(1, 300):
        on_thread.on_session_ended(session_id)
    on_thread.on_session_ended(5000)  # unknown
    thread.run()
    assert decisions(on_thread, 300)[-1] is None
    thread.run()
    assert hashed == [b"300"]
    assert decisions(on_thread, 300) == ["rejected"] * 300


def test_a_client_not_yet_connected_is_decided_later(world):
    made = world.authenticator()
    made.on_connect_request(1, b"alice:secret", NOW_MS)
    proxy = Proxy(1)
    proxy.is_distinguishable = False
    made.on_connected_session(proxy, NOW_MS)
    proxy.is_distinguishable = True
    made.on_connected_session(proxy, NOW_MS)
    assert proxy.decided == b"alice"
    # Decided once: another session with the same id is unknown.
    made.on_connected_session(proxy, NOW_MS)
    assert proxy.decided == "rejected"
    challenged = Proxy(2)
    made.on_challenge_response(2, b"alice:secret", NOW_MS)
    made.on_challenged_session(challenged, NOW_MS)
    assert challenged.decided == "rejected"


def test_a_leader_accepts_clients_by_it(world):
    made = world.authenticator()
    rig = SessionRig(authenticator=made)
    rig.connect(1, encoded_credentials=b"alice:secret")
    rig.connect(2, encoded_credentials=b"alice:wrong")
    rig.tick(times=3)
    assert [entry[6] for entry in rig.log.of("open")] == [b"alice"]
    (event,) = rig.observed(2)
    assert isinstance(event, SessionEvent)
    assert (event.code.name, event.detail) == (
        "AUTHENTICATION_REJECTED",
        "session failed authentication",
    )
    assert EPOCH_MS
    assert S
    closed = []
    made.close = lambda: closed.append(True)
    rig.manager.close()
    assert closed == [True]


@pytest.mark.parametrize(("after_ms", "decided"), [(0, b"alice"), (1, b"alice"), (-1, "rejected")])
def test_a_decision_is_dropped_once_its_session_must_have_ended(world, after_ms, decided):
    """Clients may request sessions that never connect."""
    made = world.authenticator()
    made.on_connect_request(1, b"alice:secret", NOW_MS)
    last_ms = NOW_MS + UNDECIDED_MS - 1
    made.on_connect_request(2, b"bob:pass:word", last_ms - max(after_ms, 0) + (after_ms < 0))
    proxy = Proxy(1)
    made.on_connected_session(proxy, last_ms)
    assert proxy.decided == decided
    other = Proxy(2)
    made.on_connected_session(other, last_ms)
    assert other.decided == b"bob"
