"""The command that writes states: its report and exit code."""

import json

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from tests.unit.pipeline.jobs.clusters import long_log

SERVICE = ("--service", "tests.unit.pipeline.jobs.tally:Tally")


def run(*arguments, code=0):
    done = CliRunner().invoke(main, ["pipeline", "state-at", *map(str, arguments)])
    assert done.exit_code == code, f"{done.exit_code}, expected {code}\n{done.output}"
    assert "Traceback" not in done.output
    return done.output


@pytest.fixture
def node(tmp_path):
    log, places = long_log()
    return log.write_node(tmp_path / "node0", is_shut_down=True), log, places


def test_states_are_retained_and_reported(tmp_path, node):
    node, log, places = node
    position = places[0][2]
    wanted = ("--position", position, "--time", "2100-01-01T00:00:00+00:00")
    export = ("--export", "tests.unit.pipeline.jobs.tally:sums")
    result = run(node, *SERVICE, *wanted, "--to", tmp_path / "out", *export)
    assert f"{position:,}" in result
    states = json.loads(run(node, *SERVICE, *wanted, "--to", tmp_path / "out", "--json"))["states"]
    assert [each["position"] for each in states] == [position, log.position]
    assert len(list((tmp_path / "out").glob("*.json"))) == 2


def test_each_mistake_has_its_exit_code(tmp_path, node):
    node, log, _ = node
    out = ("--to", tmp_path / "out")
    run(node, *SERVICE, *out, code=2)
    run(node, *SERVICE, *out, "--position", log.position + 32, code=2)
    for time in ("yesterday", "--5", "9" * 5000):
        run(node, *SERVICE, *out, "--time", time, code=2)
    run(node, "--service", "no_such:Thing", *out, "--position", 0, code=2)
    for export in ("no_such:thing", "json", "json:no_such", ":", "json:__doc__"):
        run(node, *SERVICE, *out, "--position", 0, "--export", export, code=2)
    run(tmp_path / "nowhere", *SERVICE, *out, "--position", 0, code=3)
    log.damage(node / "archive", 0, bytes([7, 0, 0, 0]))
    run(node, *SERVICE, *out, "--position", log.position, code=4)


def test_failing_service_exits_with_1(tmp_path):
    log, _ = long_log()
    log.emit(1, b"fail")
    node = log.write_node(tmp_path / "node0", is_shut_down=True)
    result = run(node, *SERVICE, "--to", tmp_path / "out", "--position", log.position, code=1)
    assert "ZeroDivisionError: as the test demands" in result


@pytest.mark.parametrize("call", ["on_start", "on_take_snapshot"])
def test_service_failing_in_a_call_exits_with_1(tmp_path, node, call):
    node, log, _ = node
    service = f"tests.unit.pipeline.jobs.tally:Fails_{call}"
    out = ("--to", tmp_path / "out", "--position", log.position)
    result = run(node, "--service", service, *out, code=1)
    assert f"{call} failed" in result
    assert f"ZeroDivisionError: in {call}" in result
