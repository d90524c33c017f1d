"""``aeronmd``: the arguments, variables and exit codes of Aeron's C media driver."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aeron_cluster.cli.processes import aeronmd
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.driver_proxy import DriverProxy
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.waiting import await_true


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-x"], "Usage: "),
        (["-D"], "malformed define: "),
        (["-Daeron.dir"], "malformed define: aeron.dir"),
        (["-D", "=1"], "malformed define: =1"),
        (["-Daeron.mtu.lenght=8k"], "did you mean aeron.mtu.length?"),
        (["nowhere.properties"], "ERROR: loading properties from nowhere.properties (2)"),
        (["http://localhost/a.properties"], "expected a file, found a URL"),
        (["-Daeron.mtu.length=8"], "AERON_MTU_LENGTH"),
        (["-Daeron.sender.idle.strategy=nope"], "ERROR: context init (22) aeron.sender.idle"),
    ],
)
def test_an_invalid_argument_ends_with_1_and_a_reason(arguments, expected, capsys):
    assert aeronmd.main(arguments) == 1
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


def test_arguments_after_two_dashes_are_files(capsys):
    assert aeronmd.main(["--", "-v"]) == 1
    assert "ERROR: loading properties from -v (2)" in capsys.readouterr().err


def test_file_that_is_not_utf_8_is_rejected_with_its_offset(tmp_path, capsys):
    file = tmp_path / "driver.properties"
    file.write_bytes(b"aeron.dir=\xff")
    assert aeronmd.main([str(file)]) == 1
    assert capsys.readouterr().err == (
        f"ERROR: loading properties from {file} (22) could not open properties file: {file}:"
        " expected UTF-8, found an invalid start byte at byte 10\n"
    )


def test_directory_in_use_ends_with_1_and_an_empty_value_unsets_a_variable(
    shm_dir, monkeypatch, capsys
):
    monkeypatch.setenv("AERON_MTU_LENGTH", "8")  # invalid
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver", threading_mode="INVOKER", mtu_length=1408
    ):
        arguments = [f"-Daeron.dir={shm_dir / 'driver'}", "-Daeron.mtu.length="]
        assert aeronmd.main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"ERROR: driver init (22) {shm_dir / 'driver'}: in use by process ")


def test_aeronmd_prints_its_version(capsys):
    assert aeronmd.main(["-v"]) == 0
    assert "aeron version=1.51.0 commit=" in capsys.readouterr().out


@pytest.fixture
def driver():
    """Start a driver; the environment sets a term length, which arguments override."""
    started = []

    def start(*arguments, **variables):
        directory = f"/dev/shm/aeronmd-{os.getpid()}-{len(started)}"
        own = {name: text for name, text in os.environ.items() if "AERON" not in name}
        process = subprocess.Popen(
            [sys.executable, "-m", "aeron_cluster.cli.processes.aeronmd", *arguments],
            env=own | {"AERON_DIR": directory, "AERON_DIR_DELETE_ON_SHUTDOWN": "1"} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        files = SystemFiles()
        path = f"{directory}/cnc.dat"
        await_true(lambda: files.exists(path) and CncFile.is_ready(files, path), "a driver")
        return process, directory

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_signal_ends_it_and_is_its_exit_code(driver, tmp_path):
    file = tmp_path / "driver.properties"
    file.write_text("aeron.mtu.length=2k\n# no more\n")
    process, directory = driver(
        "-Daeron.print.configuration=true",
        "-Daeron.mtu.length=4k",
        "-D",
        "aeron.driver.name.resolver.threshold=2s",
        str(file),
        AERON_MTU_LENGTH="8192",
        AERON_THREADING_MODE="SHARED",
    )
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == signal.SIGTERM
    assert errors == ""
    # Files take precedence over arguments, and arguments over the environment.
    assert "aeron.mtu.length=2048" in output
    assert "aeron.name.resolver.threshold=2000000000" in output
    assert "aeron.threading.mode=SHARED" in output
    assert output.endswith("Shutting down driver...\n")
    assert not Path(directory).exists()


def test_removed_directory_ends_it_with_1_and_the_reason(driver):
    process, directory = driver()
    with Aeron.connect(aeron_dir=directory) as aeron:
        shutil.rmtree(directory)
        with pytest.raises(AeronClusterError):
            aeron.add_publication("aeron:ipc?term-length=64k", 10)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith("ERROR: driver ")
    assert "it was removed" in errors


def test_authorized_client_ends_the_driver_with_0(driver):
    process, directory = driver(AERON_DRIVER_TERMINATION_VALIDATOR="allow")
    with CncFile.open(SystemFiles(), f"{directory}/cnc.dat") as cnc:
        DriverProxy(cnc).terminate_driver(b"")
    assert process.communicate(timeout=300)[1] == ""
    assert process.returncode == 0
