"""Every code block of the pages is run by a test, or listed here with the reason why not."""

import importlib
import re
import shlex
from collections import Counter, defaultdict

import click
import pytest

from aeron_cluster.cli.main import main
from tests.conftest import ROOT
from tests.pages import FOLLOWED, all_blocks

# By page, in the order of its blocks: the start of a block, and the test that runs it or an
# equivalent with other names, or the reason why none does. All command lines are parsed.
README_TEST = "tests/test_readme.py::test_its_client_receives_from_its_service"
CLIENTS_TEST = "tests/test_clients_page.py::test_its_clients_receive_from_its_service"
PIPELINE_TEST = "tests/test_pipeline_page.py::test_each_block_runs"
SIMULATOR_TEST = "tests/test_simulator_page.py::test_its_tests_pass"
NEEDS_NETWORK = "installs from a package index"
OUTPUT = "the output of a command"
HANDLED = {
    "README.md": [
        (
            "make demo",
            "tests/process/test_demo.py::test_killed_node_recovers_every_acknowledged_order",
        ),
        ("python3 -m venv", "tools/chroot.py, in bare systems"),
        ("# shout.py", README_TEST),
        ("aeron-cluster node", README_TEST),
        ("aeron-cluster local 3", "tests/process/test_local_cluster.py"),
        ("from aeron_cluster import SurvivingClient", README_TEST),
    ],
    "docs/clients.md": [
        ("from aeron_cluster import SurvivingClient", CLIENTS_TEST),
        ("from aeron_cluster import RequestListener", CLIENTS_TEST),
        ("import numpy as np", "tests/test_clients_page.py::test_its_batches_are_received"),
        (
            "from aeron_cluster.archive import FROM_START",
            "tests/test_clients_page.py::test_its_persistent_subscription_reads_the_recording",
        ),
        ("from aeron_cluster import ClusteredService", CLIENTS_TEST),
        ("from pathlib import Path", CLIENTS_TEST),
    ],
    "docs/determinism.md": [
        ("class Ticks", "tests/simulation/services/shapes.py"),
        ("ClusterNode.launch(", "tests/process/test_divergence.py"),
        ("$ aeron-cluster divergence", "tests/process/test_divergence.py"),
        ("$ aeron-cluster replay", "tests/native/test_replay_command.py"),
        (
            "from aeron_cluster.cluster.service import OfflineHost",
            "tests/native/test_offline_host.py",
        ),
        ("$ aeron-cluster check", "tests/native/test_replay_command.py"),
    ],
    "docs/embedding.md": [
        ("cc -std=c11", "tests/test_artifacts.py"),
        ('Extension("trading_loop"', "tests/test_artifacts.py"),
    ],
    "docs/local.md": [
        ("aeron-cluster local 3", "tests/process/test_local_cluster.py"),
        ("shout:Shout: 3 members", OUTPUT),
        ("aeron-cluster new", "tests/unit/cli/test_new.py"),
        ("aeron-cluster send", "tests/process/test_local_cluster.py"),
        ("cluster> hello", OUTPUT),
    ],
    "docs/metrics.md": [
        ("pip install", NEEDS_NETWORK),
        ("aeron-cluster metrics", "tests/process/test_metrics.py"),
        ("scrape_configs:", "for Prometheus"),
        ("pip install", NEEDS_NETWORK),
        ("receivers:", "for a collector of OpenTelemetry"),
        ("aeron-cluster node", "tests/process/test_metrics.py"),
        ("pip install", NEEDS_NETWORK),
    ],
    "docs/operating.md": [
        ("$ aeron-cluster doctor", OUTPUT),
        ("error: the node ended unexpectedly", OUTPUT),
    ],
    "docs/pipeline.md": [
        ("from aeron_cluster.pipeline import read_log", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import read_log, sbe_decoder", PIPELINE_TEST),
        ("from aeron_cluster.pipeline.spark", "tests/spark"),
        ("from aeron_cluster.pipeline.spark", "tests/spark"),
        ("from aeron_cluster.cli.accounts import ENTRY", "tests/spark"),
        ("from aeron_cluster.pipeline import audit", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import compact", PIPELINE_TEST),
        ("from aeron_cluster.cli.accounts import Accounts", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import analyze_latency", PIPELINE_TEST),
        ("aeron-cluster pipeline sessions", "tests/unit/cli/test_pipeline_reports.py"),
    ],
    "docs/security.md": [
        ("aeron-cluster users add", "tests/interop/test_users.py"),
        ("class Password", "a fragment"),
        ("aeron-cluster node", "tests/interop/test_users.py"),
        ("# who", "a policy file; tests/interop/test_users.py has others"),
    ],
    "docs/simulator.md": [
        ("aeron-cluster sim", "tests/unit/cli/test_sim.py"),
        ("seed 1 failed:", OUTPUT),
        ("from aeron_cluster.simulator import Load", "a fragment; the next two are complete"),
        ("import struct", SIMULATOR_TEST),
        ("from aeron_cluster.simulator import Load, check", SIMULATOR_TEST),
        ("from aeron_cluster.simulator import Cluster", "a fragment"),
    ],
    "docs/tools.md": [
        ("aeron-cluster archive verify", "tests/interop/test_archive_tool.py"),
        ("aeron-cluster stat", "tests/unit/cli/test_driver_tools.py"),
    ],
}
BLOCKS = all_blocks()


def test_every_block_is_listed():
    found = defaultdict(list)
    for block in BLOCKS:
        if block.page not in FOLLOWED:
            found[block.page].append(block)
    assert set(found) == set(HANDLED)
    for page, blocks in found.items():
        begins = [begin for begin, _ in HANDLED[page]]
        assert len(blocks) == len(begins), [each.first_line for each in blocks]
        for block, begin in zip(blocks, begins, strict=True):
            assert block.text.startswith(begin), f"{page}:{block.line}"


@pytest.mark.parametrize("how", sorted({how for page in HANDLED.values() for _, how in page}))
def test_each_test_that_runs_a_block_exists(how):
    if how.startswith("tests/"):
        path, _, function = how.partition("::")
        assert (ROOT / path).exists()
        assert not function or f"\ndef {function}(" in (ROOT / path).read_text()


def test_each_python_block_compiles():
    for block in BLOCKS:
        if block.language == "python":
            compile(block.text, f"{block.page}:{block.line}", "exec")


# ---- command lines ----


def command_lines(name):
    """Return the command lines of all blocks, with their places."""
    found = []
    for block in BLOCKS:
        if block.language == "python":
            continue
        lines = block.text.replace("\\\n", " ").splitlines()
        for line in lines:
            command = re.match(rf"(?:\$ )?({name} .*)", line)
            if command and not re.search(r"\\$", line):
                found.append((f"{block.page}:{block.line}", command[1]))
    return found


def parse(words):
    """Parse a command line like the program, without converting values and without running it."""
    command, context = main, click.Context(main, info_name="aeron-cluster")
    while True:
        _, words, _ = command.make_parser(context).parse_args(args=list(words))
        if not (isinstance(command, click.Group) and words):
            return
        name, *words = words
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)


@pytest.mark.parametrize(("place", "line"), command_lines("aeron-cluster"))
def test_each_command_line_is_valid(place, line):
    line = re.sub(r"\$\(.*?\)", "x", line.partition(" | ")[0].partition(" > ")[0])
    words = shlex.split(line, comments=True)[1:]
    if "..." in words or words[1:] == ["DIR"]:
        pytest.fail(f"{place}: not a command line: {line}")
    parse(words)


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = [line for _, line in command_lines("make")]
    assert lines
    assert {line.split()[1] for line in lines} <= targets


def test_an_invalid_command_line_is_detected():
    with pytest.raises(click.NoSuchOption):
        parse(["node", "--servce", "a:B"])
    with pytest.raises(click.UsageError, match="No such command 'nod'"):
        parse(["nod"])


def test_modules_that_examples_name_exist():
    text = (ROOT / "examples/README.md").read_text()
    names = Counter(re.findall(r"`python -m (examples[\w.]*)", text))
    assert len(names) > 5
    for name in names:
        assert importlib.util.find_spec(name) is not None
