"""``python -m tests.soak.power FOLDER MEGABYTES SEED [ENDING ...]``: a disk that can lose power.

The simulator's disk, mounted at a folder; pages of files whose names have one of the endings are
not torn. Standard input has the commands: ``lose`` sets the disk to a state after a loss of power,
and mounts it again. After the mount, and each command, a line is printed. The end of standard input
unmounts it.
"""

import contextlib
import ctypes
import os
import selectors
import stat
import sys

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.soak.power import protocol
from tests.soak.power.file_server import FileServer

_LIBC = ctypes.CDLL(None, use_errno=True)
_NO_SUID, _NO_DEV, _DETACH = 2, 4, 2
_SOURCE = "acsoak-power"


def _check(result, what):
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)


class Mount:
    """A mounted disk.

    Parameters
    ----------
    files : MemoryFiles
    folder : str
    """

    def __init__(self, files, folder):
        self._folder = folder
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        options = f"fd={self.device},rootmode={stat.S_IFDIR:o},user_id=0,group_id=0,allow_other"
        arguments = (f"{_SOURCE}-{os.getpid()}", folder, "fuse", _NO_SUID | _NO_DEV, options)
        encoded = [it.encode() if isinstance(it, str) else it for it in arguments]
        _check(_LIBC.mount(*encoded), folder)
        self._server = FileServer(files)
        self._request = bytearray(protocol.MAX_WRITE + protocol.PAGE)

    def serve(self):
        """Answer all pending requests."""
        while True:
            try:
                length = os.readv(self.device, [self._request])
            except BlockingIOError:
                return
            except FileNotFoundError:
                continue  # its process was killed
            answer = self._server.answer(bytes(memoryview(self._request)[:length]))
            if answer is not None:
                with contextlib.suppress(FileNotFoundError):
                    os.write(self.device, answer)

    def close(self):
        """Unmount it, also where it is still used: such calls fail from now on; idempotent."""
        if self.device < 0:
            return
        self._server.close()
        os.close(self.device)
        self.device = -1
        _check(_LIBC.umount2(self._folder.encode(), _DETACH), self._folder)


def main():
    """Serve until the end of standard input."""
    folder, megabytes, seed, *endings = sys.argv[1:]
    files = MemoryFiles(
        capacity=int(megabytes) << 20, directories=(), random=SeededRandom(int(seed))
    )
    files.whole_pages = tuple(endings)
    mount = Mount(files, folder)
    try:
        _report()
        while _serve(mount):
            mount.close()
            files.lose_power()
            mount = Mount(files, folder)
            _report()
    finally:
        mount.close()


def _serve(mount):
    """Answer requests until a command; return whether power is lost, not the end of commands."""
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        selector.register(mount.device, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if mount.device in ready:
                mount.serve()
            if sys.stdin in ready:
                return bool(sys.stdin.readline())


def _report():
    sys.stdout.write("mounted\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
