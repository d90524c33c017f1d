"""A new package: its tests pass unchanged, and existing files are left untouched."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import aeron_cluster
from aeron_cluster.cli.main import main


def make(name, place, *arguments):
    return CliRunner().invoke(main, ["new", name, "--dir", str(place), *arguments])


def files(place):
    return {str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()}


def test_the_tests_of_a_new_package_pass(tmp_path):
    place = tmp_path / "order_book"
    done = make("order_book", place)
    assert done.exit_code == 0, done.output
    assert files(place) == {
        *("README.md", "pyproject.toml", "tests/test_order_book.py"),
        *(f"order_book/{name}.py" for name in ("__init__", "service", "client", "load")),
    }
    assert "aeron-cluster local 3 --service order_book.service:OrderBook" in done.output
    assert not [each for each in files(place) if re.search(r"@\w+@", (place / each).read_text())]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        check=False,
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(aeron_cluster.__file__).parents[1]),
            "PYTEST_ADDOPTS": "",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "6 passed" in run.stdout


def test_readme_names_the_existing_files(tmp_path):
    place = tmp_path / "orders"
    make("orders", place)
    text = (place / "README.md").read_text()
    for name in files(place) - {"README.md", "pyproject.toml", "orders/__init__.py"}:
        assert f"`{name}`" in text
    assert "--service orders.service:Orders" in text
    assert "--load orders.load:make_load" in text


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("my-service", "did you mean my_service?"),
        ("2fast", "did you mean service_2fast?"),
        ("class", "did you mean service_class?"),
        ("My Store", "did you mean my_store?"),
        ("json", "did you mean json_service?"),
        ("aeron_cluster", "did you mean aeron_cluster_service?"),
        ("größe", "expected a Python identifier"),
        ("../up", "did you mean up?"),
        ("--", "expected a Python identifier"),
    ],
)
def test_invalid_package_name_is_rejected_with_a_valid_one(tmp_path, name, remedy):
    done = CliRunner().invoke(main, ["new", "--dir", str(tmp_path / "new"), "--", name])
    assert done.exit_code == 2
    assert remedy in done.stderr
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(tmp_path):
    place = tmp_path / "orders"
    place.mkdir()
    assert make("orders", place).exit_code == 0  # an empty directory
    before = {name: (place / name).read_bytes() for name in files(place)}
    done = make("other", place)
    assert done.exit_code == 2
    assert "expected a new or empty directory" in done.stderr
    assert {name: (place / name).read_bytes() for name in files(place)} == before


def test_a_directory_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    done = make("orders", tmp_path / "file" / "orders")
    assert done.exit_code == 2
    assert "expected a writable directory" in done.stderr
    done = make("orders", tmp_path / "file")
    assert done.exit_code == 2
    assert "expected a new or empty directory" in done.stderr


def test_name_too_long_for_the_file_system_is_rejected_by_its_option(tmp_path):
    done = make("orders", tmp_path / ("x" * 300))
    assert done.exit_code == 2
    assert done.stderr.startswith("error: --dir: expected a writable directory, found ")
    assert not list(tmp_path.iterdir())
