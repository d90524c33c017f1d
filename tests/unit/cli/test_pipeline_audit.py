"""The command that audits members: its report and exit code."""

import json

from click.testing import CliRunner

from aeron_cluster.cli.main import main
from tests.unit.pipeline.jobs.clusters import write_cluster


def run(*arguments, code=0):
    done = CliRunner().invoke(main, ["pipeline", "audit", *map(str, arguments)])
    assert done.exit_code == code, f"{done.exit_code}, expected {code}\n{done.output}"
    assert "Traceback" not in done.output
    return done.stdout


def test_equal_members_pass_the_audit(tmp_path):
    nodes, log, _ = write_cluster(tmp_path)
    result = run(*nodes)
    assert f"committed up to {log.position:,}; {2 * log.position:,} bytes compared" in result
    assert "nothing is wrong" in result
    report = json.loads(run(*nodes, "--json"))
    assert report["is_consistent"]
    assert [each["name"] for each in report["members"]] == ["member 0", "member 1", "member 2"]


def test_a_difference_ends_the_check_with_1_and_its_position(tmp_path):
    nodes, log, _ = write_cluster(tmp_path)
    position = log.frames[50].position + 40
    log.damage(nodes[2] / "archive", position, b"\xee")
    result = run(*nodes, code=1)
    assert f"member 2: different byte at position {position} (" in result
    (finding,) = json.loads(run(*nodes, "--json", code=1))["findings"]
    assert (finding["member"], finding["position"]) == ("member 2", position)
    assert finding["kind"] == "DIFFERENT_BYTE"
    assert finding["text"].startswith("member 2: different byte at position ")


def test_notes_are_no_findings(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, snapshot_terms=())
    for node in nodes:
        (node / "cluster/recording.log").unlink()
    result = run(*(node / "archive" for node in nodes))
    notes = [line for line in result.splitlines() if line.startswith("note: ")]
    assert len(notes) == 3
    assert all("no recording log to compare its terms with" in note for note in notes)
    assert "nothing is wrong" in result
