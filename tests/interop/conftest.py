"""Java peers for tests: the jar from Maven, the programs of ``java/``, compiled once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.conftest import ROOT
from tests.interop.cluster_node import ClusterNodes
from tests.interop.java_cluster import ClusterMembers
from tests.interop.java_peer import (
    OLD_AERON,
    JavaPeers,
    JavaUnavailableError,
    compile_peers,
    fetch_jar,
)

BUILD = ROOT / "build" / "java"


def unavailable(reason: str) -> NoReturn:
    """Skip the test without Java; in CI fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true and {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def aeron_jar() -> Path:
    """Return Aeron's jar, fetched by Maven once."""
    try:
        return fetch_jar(BUILD)
    except JavaUnavailableError as error:
        unavailable(str(error))


@pytest.fixture(scope="session")
def java_class_path(aeron_jar: Path) -> str:
    """Return a class path with the compiled peers and the jar."""
    return compile_peers(aeron_jar.parent)


@pytest.fixture(scope="session")
def old_class_path(aeron_jar: Path) -> str:
    """Return a class path with the member's program and an older Aeron."""
    try:
        return compile_peers(aeron_jar.parent, OLD_AERON, "ClusterNode")
    except JavaUnavailableError as error:
        unavailable(str(error))


@pytest.fixture
def java(java_class_path: str, tmp_path: Path) -> Iterator[JavaPeers]:
    """Yield the starter of Java peers: ``java.start("Driver", dir=...)``."""
    peers = JavaPeers(java_class_path, tmp_path)
    try:
        yield peers
    finally:
        peers.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that uses Java, so that ``-m "not java"`` deselects it."""
    for item in items:
        if "aeron_jar" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.java)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add the output of peers and nodes to the report of a failure."""
    report = yield
    given = getattr(item, "funcargs", {}).values()
    if report.failed:
        for peers in {each for each in given if isinstance(each, JavaPeers)}:
            for peer in peers.started:
                report.sections.append((str(peer), peer.report()))
        for node in {each for each in given if isinstance(each, ClusterNodes | ClusterMembers)}:
            report.sections.append((type(node).__name__, node.report()))
    return report
