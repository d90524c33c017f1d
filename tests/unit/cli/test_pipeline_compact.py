"""The commands that write a log as Parquet and verify it: their reports and exit codes."""

import json
import re

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow")

from aeron_cluster.cli.main import main
from tests.unit.pipeline.jobs.clusters import write_cluster


def run(verb, *arguments, code=0):
    done = CliRunner().invoke(main, ["pipeline", verb, *map(str, arguments)])
    assert done.exit_code == code, f"{done.exit_code}, expected {code}\n{done.output}"
    assert "Traceback" not in done.output
    return done.output


def test_written_parts_are_reported_and_verified(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    out = tmp_path / "out"
    rows = len(log.messages())
    result = run("compact", *nodes, "--to", out, "--part-length", "64k")
    assert f"{rows:,} rows in" in result
    assert f"committed up to {log.position:,}" in result
    assert json.loads(run("compact", *nodes, "--to", out, "--json"))["new_rows"] == 0
    result = run("verify", out, *nodes)
    assert f"{rows:,} of them compared" in result
    assert "nothing is missing" in result
    found = json.loads(run("verify", out, "--json"))
    assert (found["is_complete"], found["rows"], found["compared_rows"]) == (True, rows, 0)


def test_a_missing_file_is_reported_with_exit_code_1(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    out = tmp_path / "out"
    run("compact", *nodes, "--to", out)
    (path,) = (out / "data").glob("*/*")
    path.unlink()
    assert f"{path.name}: file: expected" in run("verify", out, code=1)
    (problem,) = json.loads(run("verify", out, "--json", code=1))["problems"]
    assert (problem["what"], problem["found"]) == ("file", "none")


def test_files_of_an_interrupted_run_are_removed_and_counted(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    out = tmp_path / "out"
    run("compact", *nodes, "--to", out)
    (path,) = (out / "data").glob("*/*")
    number = re.search(r"\d+", path.name)
    left = path.with_name(path.name.replace(number[0], "9" * len(number[0]), 1))
    left.write_bytes(b"begun")
    foreign = path.with_name("notes.txt")
    foreign.write_bytes(b"mine")
    assert "1 files of an interrupted run were removed\n" in run("compact", *nodes, "--to", out)
    assert sorted(path.parent.iterdir()) == sorted([path, foreign])
    assert "interrupted run" not in run("compact", *nodes, "--to", out)


def test_each_mistake_has_its_exit_code(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 1)
    out = tmp_path / "out"
    run("verify", out, code=3)
    run("compact", tmp_path / "nowhere", "--to", out, code=3)
    run("compact", *nodes, "--to", out, "--part-length", "much", code=2)
    run("compact", *nodes, "--to", out, "--columns", "no_such", code=2)
    run("compact", *nodes, "--to", out)
    run("compact", *nodes, "--to", out, "--compression", "snappy", code=2)
    (out / "manifest.json").write_text("{}")
    run("compact", *nodes, "--to", out, code=4)
    run("verify", out, code=4)
