"""Real Aeron programs in Java (``java/``), driven by arguments and JSON lines."""

import contextlib
import hashlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.settings import JVM_OPTIONS

Event = dict[str, Any]

AERON = "1.51.0"
OLD_AERON = "1.46.7"
"""The last version whose mark files begin without an SBE header."""
SOURCES = Path(__file__).parent / "java"

OPENS = (
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
)
# Tests need a quick start of the JVM, not speed after a million calls.
QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto")


# The programs that send a request and fail without an answer in time.
CLIENTS = {"ArchiveClient", "ClusterClient", "PingPong"}
MARK_FILE = "cluster-mark.dat"


class JavaUnavailableError(Exception):
    """The real Aeron cannot be run here, and what is missing."""


def fetch_jar(folder: Path, version: str = AERON) -> Path:
    """Return Aeron's jar in ``folder``, fetched by Maven if it is missing."""
    for tool in ("java", "javac"):
        if shutil.which(tool) is None:
            raise JavaUnavailableError(f"no {tool} (a JDK 17) on the path")
    jar = folder / f"aeron-all-{version}.jar"
    if jar.exists():
        return jar
    if shutil.which("mvn") is None:
        raise JavaUnavailableError(f"no mvn on the path to fetch io.aeron:aeron-all:{version}")
    fetched = folder / f"fetched-{os.getpid()}"
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact=io.aeron:aeron-all:{version}"]
    command.append(f"-DoutputDirectory={fetched}")
    # Not in the project's root: Maven would look for a pom.xml there.
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        command, check=False, cwd=folder, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        reason = f"mvn could not fetch io.aeron:aeron-all:{version}: {done.stdout[-800:]}"
        raise JavaUnavailableError(reason)
    (fetched / jar.name).replace(jar)  # atomically: another run may look for it at the same time
    shutil.rmtree(fetched)
    return jar


def compile_peers(folder: Path, version: str = AERON, names: str = "*") -> str:
    """Return a class path with the compiled peers and the jar, both in ``folder``."""
    jar = fetch_jar(folder, version)
    sources = sorted({*SOURCES.glob(f"{names}.java"), SOURCES / "Program.java"})
    content = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    name = "peers" if version == AERON else f"peers-{version}"
    peers = folder / f"{name}-{content[:16]}.jar"
    class_path = f"{peers}{os.pathsep}{jar}"
    if not peers.exists():
        with tempfile.TemporaryDirectory(prefix="classes-", dir=folder) as scratch:
            classes, packed = Path(scratch, "classes"), Path(scratch, peers.name)
            _run(["javac", "-nowarn", "-cp", jar, "-d", classes, *sources])
            _run(["jar", "--create", "--file", packed, "-C", classes, "."])
            packed.replace(peers)  # atomically: another run may look for it at the same time
    if version == AERON and not class_archive(class_path).exists():
        with tempfile.TemporaryDirectory(prefix="archive-", dir=folder) as scratch:
            _archive_classes(class_path, Path(scratch)).replace(class_archive(class_path))
    return class_path


def class_archive(class_path: str) -> Path:
    """Return the path of a class path's class data archive, which the JVM maps."""
    return Path(class_path.partition(os.pathsep)[0]).with_suffix(".jsa")


def _archive_classes(class_path: str, folder: Path) -> Path:
    """Create the class data archive of a driver's start and of every class of both jars.

    With it the program of a node starts in half the time.
    """
    listed, archive = folder / "classes.list", folder / "classes.jsa"
    options = [*QUICK, f"-XX:DumpLoadedClassList={listed}"]
    arguments = {"dir": folder / "driver"}
    driver = JavaPeer("Driver", class_path, folder / "driver.stderr", arguments, options)
    driver.await_event("READY")
    driver.stop()
    names = [
        each for jar in class_path.split(os.pathsep) for each in zipfile.ZipFile(jar).namelist()
    ]
    with listed.open("a") as file:
        file.writelines(f"{name[:-6]}\n" for name in names if name.endswith(".class"))
    files = [f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={archive}"]
    _run(["java", *QUICK[:-1], "-Xshare:dump", *files, *OPENS, "-cp", class_path])
    return archive


def _run(command: Sequence[object]) -> None:
    done = subprocess.run(
        [*map(str, command)], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def quick_options(class_path: str) -> Sequence[str]:
    """Return the JVM options of a test: a quick start, with the class data archive if it exists.

    If the archive does not match, as after a move of the folder, the JVM runs without it.
    """
    archive = class_archive(class_path)
    shared = (f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off") if archive.exists() else ()
    return *QUICK, *shared, *JVM_OPTIONS


class Peer:
    """A running program that prints one JSON object per line.

    Parameters
    ----------
    program
        The name in messages.
    command
        The command line.
    log
        The file of its standard error.

    Notes
    -----
    No thread reads its output: each waiting call drains the pipe. A program that writes more
    than a pipe holds (64 KiB) blocks until it is read.
    """

    def __init__(self, program: str, command: Sequence[str], log: Path) -> None:
        self.program = program
        self.events: list[Event] = []
        self._log = log
        self._partial = b""
        self._ended = False
        if setpriv := shutil.which("setpriv"):  # ends with a killed test run
            command = [setpriv, "--pdeathsig", "TERM", *command]
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout
        os.set_blocking(self._stdout.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code (negative: killed by that signal), None while it runs."""
        return self._process.poll()

    @property
    def stderr(self) -> str:
        """Its standard error so far."""
        return self._log.read_text(errors="replace")

    def read(self, timeout: float = 0.0) -> bool:
        """Read its output; wait up to ``timeout`` seconds for the first byte.

        Returns
        -------
        bool
            False once its output has ended.
        """
        if self._ended or not self._selector.select(timeout):
            return not self._ended
        while chunk := self._stdout.read(65536):
            *lines, self._partial = (self._partial + chunk).split(b"\n")
            self.events += [_event(line) for line in lines if line.strip()]
        if chunk == b"":
            self._ended = True
        return not self._ended

    def await_event(
        self,
        name: str,
        timeout: float = 120.0,
        since: int = 0,
        where: Callable[[Event], bool] = lambda _: True,
    ) -> Event:
        """Return the first event of the given name that ``where`` accepts.

        Parameters
        ----------
        name
            The ``event`` field of the line.
        timeout
            Seconds until the wait fails.
        since
            Index into ``events`` of the first one to check; ``len(peer.events)`` before a command
            selects the answers to it.
        where
            A further condition on the event.

        Raises
        ------
        AssertionError
            If the program ends or prints an ``error`` event before, or after the timeout.
        """
        deadline = time.monotonic() + timeout
        while True:
            alive = self.read()
            for event in self.events[since:]:
                if event["event"] == name and where(event):
                    return event
            since = len(self.events)
            remaining = deadline - time.monotonic()
            if not alive:
                code = self._process.wait(timeout=max(remaining, 1.0))
                raise AssertionError(f"{self}: ended with {code} before {name}\n{self.report()}")
            if remaining <= 0:
                raise AssertionError(f"{self}: no {name} in {timeout} s\n{self.report()}")
            self.read(remaining)

    def emit(self, command: str) -> int:
        """Write a line to its standard input; return the index of the first event after it."""
        self.read()
        since = len(self.events)
        self._stdin.write(command.encode() + b"\n")
        self._stdin.flush()
        return since

    def wait(self, timeout: float = 120.0) -> int:
        """Wait for its end; return the exit code (negative: killed by that signal)."""
        deadline = time.monotonic() + timeout
        while self.read(max(deadline - time.monotonic(), 0.0)):
            if time.monotonic() >= deadline:
                raise AssertionError(f"{self}: still running after {timeout} s\n{self.report()}")
        return self._process.wait(timeout=max(deadline - time.monotonic(), 1.0))

    def kill(self) -> None:
        """End it with SIGKILL, as a crash would."""
        self._process.kill()
        self.wait(60.0)

    def pause(self) -> None:
        """Stop it with SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue after ``pause``."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self, timeout: float = 60.0) -> int:
        """Request its close (SIGTERM), wait, and kill it if it does not end.

        Returns
        -------
        int
            The exit code; 143 is a JVM's after SIGTERM, -9 means that it was killed.
        """
        if self._process.poll() is None:
            self._process.terminate()
        try:
            code = self.wait(timeout)
        except AssertionError:
            self._process.kill()
            code = self.wait(60.0)
        self.close()
        return code

    def close(self) -> None:
        """Release an ended program; a running one is killed first."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(60.0)
        self._selector.close()
        self._stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def report(self) -> str:
        """Return the last lines of both outputs, for a failed assertion."""
        printed = "\n".join(json.dumps(event) for event in self.events[-20:])
        return f"stdout:\n{printed}\nstderr:\n{self.stderr[-4000:]}"

    def __str__(self) -> str:
        return f"{self.program} (pid {self.pid})"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _event(line: bytes) -> Event:
    """Read one line; a line that is not a JSON object becomes a ``text`` event."""
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if isinstance(event, dict) and "event" in event:
        return event
    return {"event": "text", "line": line.decode(errors="replace")}


class JavaPeer(Peer):
    """One running Java program.

    Parameters
    ----------
    program
        The class name, e.g. ``Driver``.
    class_path
        The compiled peers and the Aeron jar.
    log
        The file of its standard error.
    arguments
        Its arguments, passed as ``key=value``; ``True`` becomes ``true``.
    jvm_options
        Options of the JVM besides those that Aeron requires.
    """

    def __init__(
        self,
        program: str,
        class_path: str,
        log: Path,
        arguments: dict[str, Any],
        jvm_options: Sequence[str] | None = None,
    ) -> None:
        options = quick_options(class_path) if jvm_options is None else jvm_options
        command = ["java", *options, *OPENS, "-cp", class_path, program]
        super().__init__(program, [*command, *key_values(arguments)], log)


def key_values(arguments: dict[str, Any]) -> list[str]:
    """Return the arguments as ``key=value``."""
    return [f"{key}={_text(value)}" for key, value in arguments.items()]


class JavaPeers:
    """Starts the peers of one test and ends those still running after it."""

    def __init__(
        self, class_path: str, logs: Path, jvm_options: Sequence[str] | None = None
    ) -> None:
        self.started: list[JavaPeer] = []
        self._class_path = class_path
        self._logs = logs
        self._jvm_options = quick_options(class_path) if jvm_options is None else jvm_options

    def start(self, program: str, **arguments: Any) -> JavaPeer:
        """Start a program; ``await_event("READY")`` returns when it is ready."""
        log = self._logs / f"{len(self.started)}-{program}.stderr"
        if program in CLIENTS:  # long, for a busy machine
            arguments = {"timeoutMs": 100_000, **arguments}
        peer = JavaPeer(program, self._class_path, log, arguments, self._jvm_options)
        self.started.append(peer)
        return peer

    def run(
        self, program: str, timeout: float = 120.0, code: int = 0, **arguments: Any
    ) -> JavaPeer:
        """Run a program to its end, read its ``events`` and check its exit code."""
        peer = self.start(program, **arguments)
        ended = peer.wait(timeout)
        assert ended == code, f"{peer}: exit code {ended}, expected {code}\n{peer.report()}"
        return peer

    def tool(self, main_class: str, *arguments: object, code: int = 0, **properties: object) -> str:
        """Run one of Aeron's own tools to its end; return its output.

        Parameters
        ----------
        main_class
            The class without ``io.aeron``, e.g. ``cluster.ClusterTool``.
        *arguments
            The command line.
        code
            The expected exit code.
        **properties
            System properties, dots spelled as underscores.
        """
        is_of_cluster = main_class == "cluster.ClusterTool"
        if is_of_cluster and any((Path(str(each)) / MARK_FILE).exists() for each in arguments[:1]):
            # The default of a second is too short for a busy machine.
            properties = {"aeron_cluster_tool_timeout": "60s", **properties}
        defines = [f"-D{name.replace('_', '.')}={value}" for name, value in properties.items()]
        done = subprocess.run(
            [
                *("java", *self._jvm_options, *OPENS, *defines, "-cp", self._class_path),
                *(f"io.aeron.{main_class}", *map(str, arguments)),
            ],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        printed = done.stdout + done.stderr
        assert done.returncode == code, f"exit code {done.returncode}, expected {code}\n{printed}"
        return done.stdout

    def close(self) -> None:
        """Stop the running peers, the last one first."""
        for peer in reversed(self.started):
            peer.stop()
