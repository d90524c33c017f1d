"""The group of jobs: each is listed, and its help has an example."""

import re

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.pipeline import group


def run(*arguments):
    return CliRunner().invoke(main, ["pipeline", *arguments])


@pytest.mark.parametrize("verb", sorted(group._VERBS))
def test_help_has_an_example(verb):
    result = run(verb, "--help").stdout
    assert f"aeron-cluster pipeline {verb} " in result
    assert "Exit codes: 0" in result
    assert len(re.findall(rf"(?m)^  {verb}\s", run("--help").stdout)) == 1


def test_an_unknown_verb_is_reported_with_the_nearest_one():
    done = run("audti")
    assert done.exit_code == 2
    assert "Did you mean 'audit'?" in done.output
