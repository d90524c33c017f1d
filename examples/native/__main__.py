"""A native service, compiled and run with a client that sends it amounts.

Run it; it takes a C compiler, and for Cython the package ``Cython`` and Python's headers::

    python -m examples.native c 40 2
    python -m examples.native cython 40 2

What `build` runs are the commands to compile a service of your own.
"""

import importlib.machinery
import importlib.util
import shlex
import struct
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from aeron_cluster import (
    AeronCluster,
    EgressListener,
    Header,
    IdleStrategy,
    MessageView,
    NativeService,
    get_include,
)
from examples.single_node import running

FOLDER = Path(__file__).parent
AMOUNT = struct.Struct("<q")


def compile_library(source: Path, library: Path, *options: str) -> None:
    """Compile a C file into a shared library."""
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))
    flags = ["-std=c11", "-O2", "-fwrapv", "-fPIC", "-shared", "-I", get_include(), *options]
    subprocess.run([*compiler, *flags, source, "-o", library], check=True)


def build(language: str, folder: Path) -> NativeService:
    """Return the service, compiled into a folder."""
    if language == "c":
        compile_library(FOLDER / "total.c", folder / "total.so")
        return NativeService.load(folder / "total.so", "total_service")
    generated = folder / "total_cython.c"
    library = generated.with_suffix(importlib.machinery.EXTENSION_SUFFIXES[0])
    source = FOLDER / "total_cython.pyx"
    subprocess.run([sys.executable, "-m", "cython", "-3", source, "-o", generated], check=True)
    compile_library(generated, library, "-I", sysconfig.get_path("include"))
    spec = importlib.util.spec_from_file_location("total_cython", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return NativeService.from_capsule(module.make())


class Sums(EgressListener):
    """Keeps what the service sent."""

    def __init__(self) -> None:
        self.received: list[int] = []

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        """Keep a sum."""
        self.received += AMOUNT.unpack(message)


def main(language: str, *amounts: str) -> None:
    """Send amounts, and print the sums."""
    sums = Sums()
    idle = IdleStrategy("backoff")
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-example-") as folder,
        running(build(language, Path(folder))) as endpoint,
        AeronCluster.connect(endpoint, listener=sums) as session,
    ):
        for amount in amounts:
            while not session.offer(AMOUNT.pack(int(amount))):
                idle.idle(session.poll_egress())
        while len(sums.received) < len(amounts):
            idle.idle(session.poll_egress())
    print(*sums.received)


if __name__ == "__main__":
    main(*sys.argv[1:])
