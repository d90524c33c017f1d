"""Java peers for tests: the jar from Maven, the programs of ``java/``, compiled once."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.conftest import ROOT
from tests.interop.java_peer import JavaPeers

AERON = "1.51.0"
SOURCES = Path(__file__).parent / "java"
BUILD = ROOT / "build" / "java"


def unavailable(reason: str) -> NoReturn:
    """Skip what needs Java where it may be missing; in CI it must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true and {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def aeron_jar() -> Path:
    """Return the real Aeron, fetched by Maven once."""
    for tool in ("java", "javac"):
        if shutil.which(tool) is None:
            unavailable(f"no {tool} (a JDK 17) on the path")
    jar = BUILD / f"aeron-all-{AERON}.jar"
    if jar.exists():
        return jar
    if shutil.which("mvn") is None:
        unavailable(f"no mvn on the path to fetch io.aeron:aeron-all:{AERON}")
    fetched = BUILD / f"fetched-{os.getpid()}"
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact=io.aeron:aeron-all:{AERON}"]
    command.append(f"-DoutputDirectory={fetched}")
    # Not from the project's root: Maven would look for a pom.xml there.
    BUILD.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        command, check=False, cwd=BUILD, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        unavailable(f"mvn could not fetch io.aeron:aeron-all:{AERON}: {done.stdout[-800:]}")
    (fetched / jar.name).replace(jar)  # in one step: another run may look for it now
    shutil.rmtree(fetched)
    return jar


@pytest.fixture(scope="session")
def java_class_path(aeron_jar: Path) -> str:
    """Return a class path with the compiled peers and the jar."""
    classes = BUILD / "classes"
    stamp = BUILD / "classes.stamp"
    sources = sorted(SOURCES.glob("*.java"))
    newest = max(path.stat().st_mtime_ns for path in [aeron_jar, *sources])
    if not stamp.exists() or stamp.stat().st_mtime_ns < newest:
        shutil.rmtree(classes, ignore_errors=True)
        command = ["javac", "-nowarn", "-cp", str(aeron_jar), "-d", str(classes)]
        command += map(str, sources)
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        stamp.touch()
    return f"{classes}{os.pathsep}{aeron_jar}"


@pytest.fixture
def java(java_class_path: str, tmp_path: Path) -> Iterator[JavaPeers]:
    """Give the test its Java peers: ``java.start("Driver", dir=...)``."""
    peers = JavaPeers(java_class_path, tmp_path)
    try:
        yield peers
    finally:
        peers.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that asks for Java, so that ``-m "not java"`` leaves it out."""
    for item in items:
        if "aeron_jar" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.java)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the peers said beside a failure."""
    report = yield
    peers = getattr(item, "funcargs", {}).get("java")
    if report.failed and peers is not None:
        for peer in peers.started:
            report.sections.append((str(peer), peer.report()))
    return report
