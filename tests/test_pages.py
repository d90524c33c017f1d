"""Every code block of the pages is run by a test, or listed here with the reason why not."""

import importlib
import re
import shlex
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import click
import pytest

import aeron_cluster
from aeron_cluster.cli.main import main
from tests.conftest import ROOT
from tests.pages import FOLLOWED, all_blocks, block_of
from tests.process.test_walkthroughs import PARTS

README_TEST = "tests/test_readme.py::test_its_client_receives_from_its_service"
CLIENTS_TEST = "tests/test_clients_page.py::test_its_clients_receive_from_its_service"
PIPELINE_TEST = "tests/test_pipeline_page.py::test_each_block_runs"
SPARK_TEST = "tests/spark/test_page.py::test_each_block_runs"
SIMULATOR_TEST = "tests/test_simulator_page.py::test_its_tests_pass"
DETERMINISM_TEST = "tests/native/test_determinism_page.py"
LOCAL_TEST = "tests/process/test_local_cluster.py"
COMMANDS_TEST = "tests/process/test_walkthroughs.py::test_commands_of_a_page_run"
CONFIGURATION_TEST = "tests/test_deploy.py::test_the_pages_configurations_are_valid"
DRIVER_TOOLS_TEST = "tests/unit/cli/test_driver_tools.py"
# By page, in the order of its blocks: the start of a block, and the test that runs it, or the
# reason why none does. Such a test reads the block from its page. All command lines are parsed.
HANDLED = {
    "README.md": [
        ("make demo", "tests/test_readme.py::test_its_make_targets_run_the_commands"),
        ("python3 -m venv", "reason: compiles for minutes; make chroot runs it in bare systems"),
        ("# shout.py", README_TEST),
        ("aeron-cluster node", README_TEST),
        ("aeron-cluster local 3", COMMANDS_TEST),
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
        ("class Ticks", f"{DETERMINISM_TEST}::test_its_batches_are_received"),
        ("from aeron_cluster import ClusterNode", COMMANDS_TEST),
        ("aeron-cluster node", COMMANDS_TEST),
        (
            "$ aeron-cluster divergence",
            f"{DETERMINISM_TEST}::test_members_are_compared_as_it_shows",
        ),
        ("$ aeron-cluster replay", f"{DETERMINISM_TEST}::test_a_log_is_replayed_as_it_shows"),
        (
            "from aeron_cluster.cluster.service import OfflineHost",
            f"{DETERMINISM_TEST}::test_its_offline_host_runs",
        ),
        ("$ aeron-cluster check", f"{DETERMINISM_TEST}::test_a_clock_is_found_as_it_shows"),
    ],
    "docs/embedding.md": [
        ("cc -std=c11", COMMANDS_TEST),
        (
            'Extension("trading_loop"',
            "tests/test_pages.py::test_the_extension_of_embedding_is_the_one_that_is_built",
        ),
    ],
    "docs/local.md": [
        ("aeron-cluster local 3", COMMANDS_TEST),
        (
            "shout:Shout: 3 members",
            f"{LOCAL_TEST}::test_the_screen_shows_the_members_in_80_columns",
        ),
        ("aeron-cluster new", COMMANDS_TEST),
        ("aeron-cluster send", COMMANDS_TEST),
        (
            "cluster> hello",
            f"{LOCAL_TEST}::test_a_killed_leader_is_replaced_and_the_shell_reports_it",
        ),
    ],
    "docs/metrics.md": [
        ("pip install 'aeron-cluster[metrics]'", COMMANDS_TEST),
        ("aeron-cluster metrics", COMMANDS_TEST),
        ("scrape_configs:", CONFIGURATION_TEST),
        ("pip install 'aeron-cluster[otel]'", COMMANDS_TEST),
        ("receivers:", CONFIGURATION_TEST),
        ("aeron-cluster node", COMMANDS_TEST),
        ("pip install 'aeron-cluster[page", COMMANDS_TEST),
    ],
    "docs/operating.md": [
        (
            "$ aeron-cluster doctor",
            "tests/unit/cli/test_doctor.py::test_the_page_shows_what_is_printed",
        ),
        (
            "error: the node ended unexpectedly",
            "tests/simulation/test_flipped_bits.py::test_the_page_shows_what_a_damaged_log_prints",
        ),
    ],
    "docs/pipeline.md": [
        ("from aeron_cluster.pipeline import read_log", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import read_log, sbe_decoder", PIPELINE_TEST),
        ("from aeron_cluster.pipeline.spark", SPARK_TEST),
        ("from aeron_cluster.pipeline.spark", SPARK_TEST),
        (
            "from aeron_cluster.cli.accounts import ENTRY",
            "tests/spark/test_page.py::test_rows_written_into_a_cluster_are_applied",
        ),
        ("from aeron_cluster.pipeline import audit", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import compact", PIPELINE_TEST),
        ("from aeron_cluster.cli.accounts import Accounts", PIPELINE_TEST),
        ("from aeron_cluster.pipeline import analyze_latency", PIPELINE_TEST),
        (
            "aeron-cluster pipeline sessions",
            "tests/unit/cli/test_pipeline_reports.py::test_the_commands_of_the_page_run",
        ),
    ],
    "docs/security.md": [
        ("echo 'her password' |", COMMANDS_TEST),
        ("from aeron_cluster import Credentials", COMMANDS_TEST),
        ("aeron-cluster users remove", COMMANDS_TEST),
        ("aeron-cluster node", COMMANDS_TEST),
        ("# access.policy", COMMANDS_TEST),
    ],
    "docs/simulator.md": [
        ("aeron-cluster sim", "reason: thousands of seeds; test_sim.py runs each option"),
        (
            "seed 1 failed:",
            "tests/unit/cli/test_sim.py::test_the_page_shows_what_a_failure_prints",
        ),
        (
            "from aeron_cluster.simulator import Load\n",
            "tests/test_simulator_page.py::test_its_load_sends_and_checks_answers",
        ),
        ("import struct", SIMULATOR_TEST),
        ("from aeron_cluster.simulator import Load, check", SIMULATOR_TEST),
        (
            "from aeron_cluster.simulator import Cluster",
            "tests/test_simulator_page.py::test_its_cluster_survives_its_leader",
        ),
    ],
    "docs/tools.md": [
        (
            "aeron-cluster archive verify",
            f"{DRIVER_TOOLS_TEST}::test_the_commands_of_the_page_verify_an_archive",
        ),
        ("aeron-cluster stat", f"{DRIVER_TOOLS_TEST}::test_the_commands_of_the_page_run"),
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


@pytest.mark.parametrize(
    ("page", "how"), sorted({(page, how) for page, each in HANDLED.items() for _, how in each})
)
def test_each_test_that_runs_a_block_exists(page, how):
    if how.startswith("reason: "):
        return
    path, separator, function = how.partition("::")
    assert separator, f"expected a function: {how}"
    source = (ROOT / path).read_text()
    assert f"\ndef {function}(" in source
    # The test must read the block from the page, so that an edit of the page is tested.
    assert page in source


def test_commands_that_run_are_those_listed():
    listed = {
        page: {begin for begin, how in blocks if how == COMMANDS_TEST}
        for page, blocks in HANDLED.items()
    }
    run = defaultdict(set)
    for page, begins in PARTS:
        run[page] |= {block_of(page, begin).text for begin in begins}
    for page, begins in listed.items():
        assert {block_of(page, begin).text for begin in begins} == run[page]


def test_the_extension_of_embedding_is_the_one_that_is_built():
    text = block_of("docs/embedding.md", "Extension(").text
    given = eval(text, {"Extension": dict_of_extension, "aeron_cluster": aeron_cluster})
    folder = ROOT / "tests/embedding"
    assert [(folder / name).exists() for name in given["sources"]] == [True]
    assert given["name"] == Path(given["sources"][0]).stem
    built = (folder / "setup.py").read_text()
    assert "Extension(path.stem, [path.name], include_dirs=[aeron_cluster.get_include()])" in built
    assert given["include_dirs"] == [aeron_cluster.get_include()]


def dict_of_extension(name, sources, include_dirs):
    return {"name": name, "sources": sources, "include_dirs": include_dirs}


def test_extras_that_pages_name_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = [block.text for block in BLOCKS]
    named = re.findall(r"pip install '(?:aeron-cluster|\.)\[(.*?)\]'", "\n".join(texts))
    assert len(named) >= 4
    names = {name for each in named for name in each.split(",")}
    assert names <= set(project["optional-dependencies"])


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
