"""What ``.ci/run`` does before lint and tests, with programs that only record their calls."""

import importlib.metadata
import re
import shutil
import subprocess
import tomllib

import pytest

from tests.conftest import ROOT
from tools.browser import problem

GATE = ROOT / ".ci/run"
if not GATE.exists():
    pytest.skip("not a source tree", allow_module_level=True)

OF_THE_SYSTEM = ("bash", "dirname", "timeout", "touch")
PRESENT = ("gcc", "git", "valgrind", "clang-format", "shellcheck", "javac", "mvn", "go", "ip")
PROGRAMS = {
    "apt-get": 'echo "$*" >>apt-get; [ "$1" = update ] || $INSTALL',
    "id": "echo 0",
    "make": 'echo "make $* browser=${AERON_CLUSTER_BROWSER:-}"',
    "python3": '[ "$2" != tools.browser ] || [ -e chromium ] || { echo "none runs"; exit 1; }',
}


def gate(folder, install, *targets, missing=()):
    """Run a copy of the gate's script as root, where no browser is installed yet."""
    programs = folder / "programs"
    for each in ("programs", ".ci"):
        (folder / each).mkdir()
    shutil.copy(GATE, folder / ".ci/run")
    for name in OF_THE_SYSTEM:
        (programs / name).symlink_to(shutil.which(name))
    present = dict.fromkeys(set(PRESENT) - set(missing), "")
    for name, script in {**present, **PROGRAMS}.items():
        (programs / name).write_text(f"#!/bin/bash\n{script}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        ["bash", folder / ".ci/run", *targets],
        check=False,
        env={"PATH": str(programs), "INSTALL": install},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_gate_installs_a_browser(tmp_path):
    assert gate(tmp_path, f"touch {tmp_path}/chromium") == ["make lint test browser="]


def test_a_gate_without_a_browser_says_so_and_runs_the_other_tests(tmp_path):
    assert gate(tmp_path, "false") == [
        "chromium could not be installed",
        "tests in a browser are skipped: none runs",
        "make lint test browser=none",
    ]


def test_other_targets_are_run_with_what_the_gate_installs(tmp_path):
    install = f"touch {tmp_path}/chromium"
    assert gate(tmp_path, install, "sanitize", "PARTS=unit") == [
        "make sanitize PARTS=unit browser="
    ]


def test_a_gate_without_go_installs_it(tmp_path):
    """The clients' histories of real clusters are then checked by Porcupine."""
    gate(tmp_path, f"touch {tmp_path}/chromium", missing=["go"])
    installed = (tmp_path / "apt-get").read_text().splitlines()
    assert "golang-go" in installed[1].split()


def test_a_browser_that_does_not_run_is_named(tmp_path):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/bash\necho 'no sandbox' >&2; exit 3\n")
    program.chmod(0o755)
    assert problem(str(program)) == f"{program} does not run here: exit code 3, no sandbox"
    assert "apt-get install chromium" in problem(None)


# ---- packages ----


def test_no_test_skips_for_a_missing_package():
    """As those of optional packages do where only the wheel is tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"]["test"]
    names = {re.match(r"[\w-]+", each)[0] for each in wanted}
    installed = {each.name.lower().replace("_", "-") for each in importlib.metadata.distributions()}
    assert names - installed == set()
    optional = {"arrow", "pandas", "polars", "duckdb", "metrics", "otel", "page", "report", "spark"}
    for extra in optional:
        assert set(project["optional-dependencies"][extra]) <= set(wanted), extra
