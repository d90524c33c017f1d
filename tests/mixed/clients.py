"""The clients of a mixed run: how each kind is built, started and controlled.

All are processes that read lines and print JSON objects. Names are numbers given by the run.

====================================================== ===================================
line                                                   event
====================================================== ===================================
pub NAME CHANNEL STREAM KIND PUBLISHER INTERVAL_US ... added: name, session
sub NAME CHANNEL STREAM RELIABLE ...                   added: name
remove NAME                                            removed: name, of a publication sent
close                                                  removed for each stream, then CLOSED
====================================================== ===================================

KIND is ``exclusive`` or ``shared``, RELIABLE 1 or 0; destinations follow. Besides they print
``READY``, ``progress`` (messages sent of each publication, the next expected number by subscription
and publisher, and the messages, bytes and gaps received), ``ended`` (an image: the next expected
number by publisher), and ``fault`` (the first message of a subscription that fails a check).
"""

import contextlib
import hashlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT, VARIANT
from tests.interop.java_peer import OPENS, Peer, compile_peers, quick_options
from tests.native.extensions import build_extension

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "mixed"
KINDS = ("java", "c", "native", "python")
_C_CLIENT = "aeron-client/src/main/c"
# As the release's CMakeLists.txt finds them on Linux.
_DEFINES = (
    "_DEFAULT_SOURCE",
    "HAVE_FALLOCATE",
    "HAVE_POSIX_FALLOCATE",
    "HAVE_DEV_URANDOM",
    "HAVE_POSIX_MEMALIGN",
    "DISABLE_BOUNDS_CHECKS",
)


@dataclass(frozen=True)
class Programs:
    """The built programs; None for a kind that is not available."""

    java: str | None
    c: Path | None
    native: Path

    @property
    def kinds(self):
        """The available kinds."""
        missing = {"java": self.java is None, "c": self.c is None}
        return tuple(kind for kind in KINDS if not missing.get(kind))

    def command(self, kind, directory):
        """Return the command line of a client of a driver's directory."""
        ours = [sys.executable, "-m", "tests.mixed.client", str(directory)]
        match kind:
            case "java":
                options = [*quick_options(self.java), *OPENS, "-cp", self.java]
                return ["java", *options, "StreamClient", f"dir={directory}"]
            case "c":
                return [str(self.c), str(directory)]
            case "native":
                return [*ours, str(self.native)]
            case _:
                return ours


def build(java_folder, aeron=None):
    """Build the programs.

    Parameters
    ----------
    java_folder
        The folder of Aeron's jar and the compiled Java programs; None for no Java client.
    aeron
        A source tree of Aeron, whose C client is compiled; None for no C client.

    Raises
    ------
    tests.interop.java_peer.JavaUnavailableError
        Java is not available.
    """
    return Programs(
        java=None if java_folder is None else compile_peers(java_folder),
        c=None if aeron is None else build_c_client(aeron),
        native=build_native(),
    )


def build_native():
    """Return the folder with the extension of the native client, which is built if it changed."""
    sources = HERE / "native_streams.pyx", HERE / "messages.h"
    folder = BUILD / f"native-{VARIANT}-{_digest(sources)}"
    with _folder_to_build(folder) as made:
        if made is not None:
            build_extension(sources[0], made, includes=[HERE])
    return folder


def build_c_client(aeron):
    """Return the client on Aeron's C client, compiled with it from a source tree."""
    root = Path(aeron) / _C_CLIENT
    library = sorted(root.rglob("*.c"))
    if not library:
        raise FileNotFoundError(f"{root}: expected the sources of Aeron's C client, found none")
    sources = HERE / "client.c", HERE / "messages.h"
    folder = BUILD / f"c-{_digest((*sources, *library))}"
    with _folder_to_build(folder) as made:
        if made is not None:
            _compile_c_client(Path(aeron), root, [sources[0], *library], made / "client")
    return folder / "client"


def _compile_c_client(aeron, root, sources, program):
    version = (aeron / "version.txt").read_text().strip().split("-")[0].split(".")
    names = ("AERON_VERSION_MAJOR", "AERON_VERSION_MINOR", "AERON_VERSION_PATCH")
    defines = [f"-D{each}" for each in _DEFINES]
    defines += [f"-D{name}={number}" for name, number in zip(names, version, strict=True)]
    defines += [f'-DAERON_VERSION_TXT="{".".join(version)}"', '-DAERON_VERSION_GITSHA=""']
    # -rdynamic: the library finds its strategies by name.
    flags = ["-std=gnu11", "-O2", "-w", "-rdynamic", *defines, "-I", root]
    command = ["gcc", *flags, *sources, "-lpthread", "-ldl", "-lm", "-o", program]
    done = subprocess.run(
        [*map(str, command)], check=False, capture_output=True, text=True, timeout=600
    )
    if done.returncode != 0:
        raise RuntimeError(f"{aeron}: Aeron's C client was not built: {done.stderr[-2000:]}")


def _digest(files):
    content = hashlib.sha256(b"".join(each.read_bytes() for each in files))
    return content.hexdigest()[:16]


@contextlib.contextmanager
def _folder_to_build(folder):
    """Yield a folder that is renamed when it is complete, or None if that exists."""
    if folder.exists():
        yield None
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as made:
        built = Path(made, "built")
        built.mkdir()
        yield built
        try:
            built.rename(folder)
        except OSError:  # another run was quicker
            if not folder.exists():
                raise


def start(programs, kind, directory, log):
    """Start a client of a kind; it prints ``READY``."""
    return Peer(kind, programs.command(kind, directory), log)
