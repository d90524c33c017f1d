"""The workflows are well-formed and run existing targets."""

import re
import tomllib

import pytest
import yaml

from tests.conftest import ROOT
from tests.test_source import tracked

FOLDER = ".github/workflows"
# Commands of the runner, not of this repository.
FOREIGN = {"apt-get", "git", "python"}


def targets():
    """Return the targets of the Makefile."""
    return set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text()))


def problems(text):
    """Return the problems of a workflow's text."""
    flow = yaml.safe_load(text)
    # YAML reads a bare `on` as true.
    found = [f"no {key}" for key in ("name", True, "permissions", "jobs") if key not in flow]
    for name, job in flow.get("jobs", {}).items():
        found += [f"{name}: no {key}" for key in ("runs-on", "timeout-minutes") if key not in job]
        for step in job.get("steps", []):
            if ("uses" in step) == ("run" in step):
                found.append(f"{name}: expected one of uses and run in {step}")
            elif "uses" in step and not re.fullmatch(r"[\w./-]+@v\d+", step["uses"]):
                found.append(f"{name}: {step['uses']} has no version")
            for command in re.split(r"&&|\n", step.get("run", "")):
                found += [f"{name}: {one}" for one in unknown(command.split())]
    return found


def unknown(words):
    """Return the missing targets and files that a command names."""
    if not words or words[0] in FOREIGN:
        return []
    if words[0] == "make":
        return [f"no target {one}" for one in words[1:] if "=" not in one and one not in targets()]
    return [] if (ROOT / words[0]).is_file() else [f"no file {words[0]}"]


def read(name):
    return (ROOT / FOLDER / name).read_text()


@pytest.mark.parametrize("name", ["tests.yml", "wheels.yml"])
def test_workflow_is_well_formed_and_runs_existing_targets(name):
    assert problems(read(name)) == []


def test_all_workflows_are_checked():
    assert tracked(FOLDER) == [f"{FOLDER}/tests.yml", f"{FOLDER}/wheels.yml"]


def test_a_missing_module_is_detected():
    bad = read("wheels.yml").replace("make wheel", "make wheels && tools/gone.sh")
    assert problems(bad) == ["sdist: no target wheels", "sdist: no file tools/gone.sh"]
    assert problems(read("tests.yml").replace("checkout@v4", "checkout@main")) == [
        "gate: actions/checkout@main has no version"
    ]


def test_wheels_are_built_with_the_tested_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (wanted,) = (
        each
        for each in project["project"]["optional-dependencies"]["test"]
        if each.startswith("cibuildwheel")
    )
    assert f"pip install {wanted}\n" in read("wheels.yml")
