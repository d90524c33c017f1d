"""The fixtures of all tests: a directory in shared memory, free ports."""

import contextlib
import importlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import budget

ROOT = Path(__file__).parent.parent
VARIANT = os.environ.get("AERON_CLUSTER_BUILD", "release")
IN_SOURCE_TREE = pytest.mark.skipif(
    not (ROOT / "aeron_cluster").is_dir(), reason="not a source tree"
)
SHARED_MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())

# Only the release variant is built in place; each other one has its own tree.
if VARIANT != "release":
    sys.path.insert(0, str(ROOT / "build" / f"lib-{VARIANT}"))
    # Import now: pytest inserts the root at the front of the path for each test module.
    assert f"lib-{VARIANT}" in str(importlib.import_module("aeron_cluster").__file__)
# From where the programs import that a test starts: make sets the path of each other variant, and
# tests beside an installed package that of the package.
IS_IN_PLACE = VARIANT == "release" and (ROOT / "aeron_cluster").is_dir()
PYTHON_PATH = str(ROOT) if IS_IN_PLACE else os.environ.get("PYTHONPATH", str(ROOT))

# A shell's background job ignores SIGINT, and a program under nohup SIGHUP. Child processes
# inherit ignored signals, but not handlers.
for _number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, lambda *_: None)

BYTECODE = ROOT / "build" / "pycache"

# Below the range of the kernel's ephemeral ports.
_PORTS = range(20_000, 32_000)
_LANE = 200


def _seed() -> int:
    """Return the seed of a run's choices: constant for a commit, different between commits."""
    if given := os.environ.get("AERON_CLUSTER_SEED"):
        return int(given)
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(done.stdout, 16)


SEED = _seed()
DURATIONS = Path(os.environ.get("AERON_CLUSTER_DURATIONS", budget.DURATIONS))
LEFT_OUT = pytest.StashKey[dict[str, int]]()
# The part of the sampled tests that also runs on the real Aeron.
REFERENCES = 0.25

# The times of an example and of its generation depend on the machine, so no deadlines.
settings.register_profile(
    "ours",
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
    ],
    print_blob=True,
)
settings.load_profile("ours")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs all sampled cases."""
    parser.addoption("--whole", action="store_true", help="run every case of each sampled test")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the run's seed for hypothesis and workers, the settings and the bytecode folder of all
    processes.
    """
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(SEED)
    os.environ["AERON_CLUSTER_SEED"] = str(SEED)
    # After the variant's package was found, above.
    os.environ.update(importlib.import_module("tests.settings").ENVIRONMENT)
    if sys.dont_write_bytecode and "PYTHONPYCACHEPREFIX" not in os.environ:
        # Otherwise hundreds of processes would each compile their imports, half of their start
        # time.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(BYTECODE)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the bytecode of files in temporary directories."""
    if os.environ.get("PYTHONPYCACHEPREFIX") == str(BYTECODE) and not hasattr(
        config, "workerinput"
    ):
        shutil.rmtree(BYTECODE / tempfile.gettempdir().lstrip("/"), ignore_errors=True)


def pytest_report_header(config: pytest.Config) -> str:
    """Print how to repeat this run's choices."""
    how = "every case of each sampled test" if config.getoption("whole") else "--whole runs all"
    return f"AERON_CLUSTER_SEED={SEED} ({how})"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the drawn tests: a number of cases of a test, and those within a folder's budget."""
    if config.getoption("whole"):
        return
    left_out = _cases_left_out(items)
    if _is_of_all_folders(config):
        left_out |= _tests_left_out([item for item in items if item not in left_out])
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
        counts = Counter("/".join(_file(item).split("/")[:2]) for item in left_out)
        config.stash[LEFT_OUT] = dict(counts)


def _is_of_all_folders(config: pytest.Config) -> bool:
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["is_of_all_folders"])
    return config.args_source is not pytest.Config.ArgsSource.ARGS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the run's arguments to a worker, whose own arguments name all paths."""
    node.workerinput["is_of_all_folders"] = _is_of_all_folders(node.config)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _tests_left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return all cases of the tests beyond the budgets of their folders."""
    names = [item.nodeid for item in items]
    functions = budget.left_out(names, SEED, budget.read_durations(DURATIONS))
    return {item for item in items if budget.function_of(item.nodeid) in functions}


def _cases_left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cases beyond those that ``sampled(count)`` keeps of each test."""
    cases: dict[tuple[str, bool], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            is_reference = item.get_closest_marker("reference") is not None
            key = item.nodeid.partition("[")[0], is_reference
            cases.setdefault(key, []).append(item)
    left_out: set[pytest.Item] = set()
    for (name, is_reference), found in cases.items():
        mark = found[0].get_closest_marker("sampled")
        assert mark is not None
        rng = random.Random(f"{SEED} {name}")
        is_kept = not is_reference or len(cases) == 1 or rng.random() < REFERENCES
        count = min(mark.args[0], len(found)) if is_kept else 0
        left_out |= {*found}.difference(rng.sample(found, count))
    return left_out


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute tests to workers by lanes (``-n 2``)."""
    from tests.distribution import Distribution  # noqa: PLC0415 - only where xdist is installed

    return Distribution(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the tests that a worker left out to the main process."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receive the tests that a worker left out, the same for each worker."""
    if (left_out := getattr(node, "workeroutput", {}).get("left_out")) is not None:
        node.config.stash[LEFT_OUT] = left_out


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tests that a run left out, and the number of new seeds."""
    seeds: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "new_seeds":
                seeds[value[0]] += value[1]
    if seeds:
        counts = " and ".join(f"{count} of mode {mode}" for mode, count in seeds.items())
        terminalreporter.write_line(f"new seeds that passed: {counts}")
    if left_out := terminalreporter.config.stash.get(LEFT_OUT, {}):
        folders = ", ".join(f"{count} of {name}" for name, count in sorted(left_out.items()))
        terminalreporter.write_line(
            f"left out {sum(left_out.values())} cases that were not drawn ({folders}):"
            f" make whole runs them, AERON_CLUSTER_SEED={SEED} draws these again"
        )


def _is_free(port: int) -> bool:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True


def _take_lane(stack: contextlib.ExitStack) -> range:
    """Return ports reserved for this run until the stack closes the lock on the port before
    them.
    """
    for index in range(len(_PORTS) // _LANE):
        base = _PORTS.start + (os.getpid() * 7 + index) * _LANE % len(_PORTS)
        holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            holder.bind(("127.0.0.1", base))
        except OSError:
            holder.close()  # reserved by another run
        else:
            stack.enter_context(holder)
            return range(base + 1, base + _LANE)
    raise AssertionError(f"no free ports in {_PORTS}")


@pytest.fixture(scope="session")
def free_port() -> Iterator[Callable[..., int]]:
    """Return a function that returns the first of ``count`` adjacent free ports, never twice."""
    with contextlib.ExitStack() as stack:
        lane = range(0)

        def first_of(count: int = 1) -> int:
            nonlocal lane
            while True:
                while len(lane) >= count:
                    block, lane = lane[:count], lane[count:]
                    if all(map(_is_free, block)):
                        return block.start
                lane = _take_lane(stack)

        yield first_of


@pytest.fixture
def shm_dir() -> Iterator[Path]:
    """Yield a fresh directory in shared memory, removed after the test."""
    path = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
