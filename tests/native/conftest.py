"""Fixtures: extensions built against our headers and .pxd files, and a client of a fake driver."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from aeron_cluster.client import Aeron
from benchmarks.native.build import build_service
from tests.conftest import VARIANT
from tests.native import counted, extensions
from tests.native.counted import CountedProgram
from tests.native.service_script import ASAN, Entry, HostProgram, Script
from tests.unit.client.fake_driver import FakeDriver


@pytest.fixture(scope="session")
def build_extension(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], ModuleType]:
    """Return a function that builds a ``.pyx`` beside the tests and imports it."""

    def build(source: Path) -> ModuleType:
        folder = tmp_path_factory.mktemp(source.stem)
        return extensions.load_extension(extensions.build_extension(source, folder))

    return build


@pytest.fixture(scope="session", params=["plain", "sanitized"])
def service_host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Entry]]:
    """Return a function that runs a script against one of our C services, in a separate process.

    Once as shipped, and once with host and service under the address and undefined behaviour
    sanitizers.
    """
    flags = ASAN if request.param == "sanitized" else ()
    directory = tmp_path_factory.mktemp(f"services-{request.param}")
    host = HostProgram(directory, flags)
    libraries: dict[str, Path] = {}

    def run(name: str, script: Script, **options: object) -> list[Entry]:
        if name not in libraries:
            libraries[name] = build_service(name, directory, flags)
        return host.run(libraries[name], name, script, **options)

    return run


@pytest.fixture(scope="session")
def counts_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the library that counts, or skip the test."""
    if VARIANT != "release":
        pytest.skip("the sanitizers replace the allocator")
    if reason := counted.unavailable():
        pytest.skip(reason)
    return counted.build(tmp_path_factory.mktemp("counts"))


@pytest.fixture
def start_counted(
    counts_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., CountedProgram]]:
    """Return a function that starts a Python program whose threads are counted."""
    programs = []

    def start(*command: str) -> CountedProgram:
        program = CountedProgram(counts_library, tmp_path_factory.mktemp("counted"), command)
        programs.append(program)
        return program

    yield start
    for program in reversed(programs):
        program.close()


@pytest.fixture
def driver(shm_dir: Path) -> FakeDriver:
    """Return a driver controlled by the test; a module may override it."""
    return FakeDriver(shm_dir / "driver")


@pytest.fixture
def aeron(driver: FakeDriver) -> Iterator[Aeron]:
    """Return a client of the driver in the test's thread, which releases resources immediately."""
    with Aeron.connect(
        aeron_dir=driver.directory,
        use_conductor_invoker=True,
        driver_invoker=driver.do_work,
        client_resource_linger_duration_ns=0,
    ) as client:
        yield client
