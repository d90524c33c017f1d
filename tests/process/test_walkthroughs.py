"""Pages that a reader follows from top to bottom, in a private network and shared memory.

So the ports and directories that a page names are free, whatever else this machine runs.
"""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.pages import FOLLOWED, TUTORIAL

# Blocks of other pages, in the order in which they are run.
PARTS = [
    ("README.md", ["aeron-cluster local 3"]),
    ("docs/determinism.md", ["from aeron_cluster import ClusterNode", "aeron-cluster node"]),
    ("docs/embedding.md", ["cc -std=c11"]),
    ("docs/local.md", ["aeron-cluster local 3", "aeron-cluster send"]),
    ("docs/local.md", ["aeron-cluster new"]),
    (
        "docs/metrics.md",
        [
            *("pip install 'aeron-cluster[metrics]'", "pip install 'aeron-cluster[otel]'"),
            *("aeron-cluster node", "aeron-cluster metrics", "pip install 'aeron-cluster[page"),
        ],
    ),
    (
        "docs/security.md",
        [
            *("echo 'her password' |", "from aeron_cluster import Credentials"),
            *("aeron-cluster users remove", "# access.policy", "aeron-cluster node"),
        ],
    ),
]
ISOLATED = ["unshare", "--user", "--map-root-user", "--net", "--mount", "bash", "-e", "-c"]
SETUP = "ip link set lo up; mount -t tmpfs tmpfs /dev/shm; "


def can_isolate():
    """Return whether this user may create namespaces on this machine."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run([*ISOLATED, SETUP], check=False, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def isolated():
    if not can_isolate():
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true and user namespaces are not allowed")
        pytest.skip("user namespaces are not allowed here")
    return [*ISOLATED, SETUP + 'exec "$@"', "-"]


def test_the_tutorial_is_followed(isolated, tmp_path):
    follow(TUTORIAL, isolated, tmp_path)


@pytest.mark.parametrize("page", [page for page in FOLLOWED if page != TUTORIAL])
def test_a_page_is_followed(page, isolated, tmp_path):
    follow(page, isolated, tmp_path)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("page", "begins"), PARTS)
def test_commands_of_a_page_run(page, begins, isolated, tmp_path):
    follow(page, isolated, tmp_path, *(f"--only={begin}" for begin in begins))


def follow(page, isolated, tmp_path, *arguments):
    programs = tmp_path / "programs"
    for folder in ("programs", "home", "temporary", "work"):
        (tmp_path / folder).mkdir()
    for name, line in {
        "aeron-cluster": f'exec "{sys.executable}" -m aeron_cluster.cli "$@"',
        "python": f'exec "{sys.executable}" "$@"',
        "pytest": f'exec "{sys.executable}" -m pytest "$@"',
        "pip": "",  # nothing is missing; tests/test_pages.py finds the named extras
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        [
            *(*isolated, sys.executable, "-m", "tests.walkthrough"),
            *(page, str(tmp_path / "work"), *arguments),
        ],
        check=False,
        cwd=ROOT,
        env={
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(tmp_path / "home"),
            "TMPDIR": str(tmp_path / "temporary"),
            "PYTEST_ADDOPTS": "",
            "AERON_CLUSTER_MESSAGE_TIMEOUT": "60s",
            # Longer than a pause of a busy machine: the pages ask each member whether it leads.
            "AERON_CLUSTER_LEADER_HEARTBEAT_TIMEOUT": "5s",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=390,
    )
    assert done.returncode == 0, done.stdout
