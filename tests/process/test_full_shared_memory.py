"""Another process fills the file system: publishers wait, nothing crashes."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from tests.conftest import PYTHON_PATH, ROOT

# In a private mount namespace: the file system is visible to this process only and ends with it.
IN_NAMESPACE = ("unshare", "--mount", "--propagation", "private")
PROGRAM = """
import os, sys, time
from aeron_cluster.client import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.logbuffer.term_appender import AppendStatus
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles

root, channel = sys.argv[1:]
assert os.system(f"mount -t tmpfs -o size=96m tmpfs {root}") == 0
directory = f"{root}/driver"
files = SystemFiles()
BOUND_S = 120

def usable():
    return files.usable_space(root)

def run(until):
    deadline = time.monotonic() + BOUND_S
    while not until():
        assert time.monotonic() < deadline
        driver.invoker.invoke()
        aeron.conductor_agent_invoker.invoke()

driver = MediaDriver.launch(aeron_dir=directory, threading_mode="INVOKER",
                            term_buffer_length="4m", ipc_term_buffer_length="4m",
                            low_file_store_warning_threshold=0)
driver.invoker.start()
aeron = Aeron.connect(aeron_dir=directory, use_conductor_invoker=True,
                      driver_invoker=driver.invoker.invoke)
subscription = aeron.add_subscription(channel, 10)
publication = aeron.add_publication(channel, 10)
run(lambda: publication.is_connected and subscription.is_connected)
received = [0]

def on_message(message, header):
    received[0] += 1

def stream(messages, seconds):
    sent = waited = 0
    deadline = time.monotonic() + seconds
    while sent < messages and time.monotonic() < deadline:
        result = publication.offer(b"m" * 1000)
        sent += result > 0
        if result == AppendStatus.BACK_PRESSURED:
            waited += 1
            driver.invoker.invoke()
            aeron.conductor_agent_invoker.invoke()
            subscription.poll(on_message, 100)
    return sent, waited

sent, _ = stream(100, BOUND_S)
assert sent == 100
with open(f"{root}/ballast", "wb") as ballast:
    os.posix_fallocate(ballast.fileno(), 0, usable())
assert usable() == 0
# Until no offer has succeeded for many passes: the available terms are full.
more = waited = 0
deadline = time.monotonic() + BOUND_S
while waited < 1000:
    assert time.monotonic() < deadline, (more, waited)
    taken, passes = stream(1, 0.01)
    more, waited = more + taken, 0 if taken else waited + passes
    assert more < 1_000_000
with CncFile.open(files, f"{directory}/cnc.dat") as cnc:
    (error,) = cnc.error_log().entries()
print(error.text)
os.remove(f"{root}/ballast")
last, _ = stream(20_000, BOUND_S)
assert last == 20_000
def drained():
    subscription.poll(on_message, 1000)
    return received[0] == sent + more + last
run(drained)
aeron.close()
driver.close()
"""


def may_mount():
    return (
        shutil.which("unshare") is not None
        and os.geteuid() == 0
        and subprocess.run([*IN_NAMESPACE, "true"], capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.sampled(1)
@pytest.mark.skipif(not may_mount(), reason="only root may mount a private file system")
@pytest.mark.parametrize("channel", ["aeron:ipc", "aeron:udp?endpoint=localhost:{port}"])
def test_publishers_wait_and_continue_once_space_is_free(tmp_path, free_port, channel):
    program = (sys.executable, "-c", textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [*IN_NAMESPACE, *program, tmp_path, channel.format(port=free_port())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        timeout=360.0,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "No space left on device" in done.stdout
    assert f"{tmp_path}/driver" in done.stdout
