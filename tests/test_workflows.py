"""The workflows are well-formed and run existing targets."""

import re
import tomllib

import pytest
import yaml

from tests.conftest import ROOT
from tests.sanitize.parts import PARTS
from tests.test_source import tracked

FOLDER = ".github/workflows"
WORKFLOWS = ["measure.yml", "tests.yml", "wheels.yml"]
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
    missing = []
    if words[0] in ("make", ".ci/run"):
        named = [one for one in words[1:] if re.fullmatch(r"[a-z]+", one)]
        missing = [f"no target {one}" for one in named if one not in targets()]
    if words[0] == "make":
        return missing
    return missing if (ROOT / words[0]).is_file() else [f"no file {words[0]}"]


def read(name):
    return (ROOT / FOLDER / name).read_text()


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow_is_well_formed_and_runs_existing_targets(name):
    assert problems(read(name)) == []


def test_all_workflows_are_checked():
    assert tracked(FOLDER) == [f"{FOLDER}/{name}" for name in WORKFLOWS]


def test_each_part_of_the_sanitizers_and_all_of_the_coverage_are_run():
    jobs = yaml.safe_load(read("measure.yml"))["jobs"]
    assert sorted(jobs["sanitize"]["strategy"]["matrix"]["part"]) == sorted(PARTS)
    commands = {name: [step.get("run") for step in job["steps"]] for name, job in jobs.items()}
    assert ".ci/run sanitize PARTS=${{ matrix.part }}" in commands["sanitize"]
    assert ".ci/run coverage" in commands["coverage"]


def test_a_missing_module_is_detected():
    bad = read("wheels.yml").replace("make wheel", "make wheels && tools/gone.sh")
    assert problems(bad) == ["sdist: no target wheels", "sdist: no file tools/gone.sh"]
    bad = read("measure.yml").replace(".ci/run coverage", ".ci/run covered")
    assert problems(bad) == ["coverage: no target covered"]
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
