"""``aeron-cluster restore``: what it prints of the restored member and of its old archive."""

import json

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from tests.unit.pipeline.jobs.clusters import long_log, write_cluster
from tests.unit.pipeline.recording_builder import aligned


def run(*arguments, code=0):
    done = CliRunner().invoke(main, ["restore", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("has_snapshot", [True, False])
def test_log_and_snapshot_of_the_restored_member_are_shown(tmp_path, has_snapshot):
    given = {} if has_snapshot else {"snapshot_terms": ()}
    (backup,), log, _ = write_cluster(tmp_path, 1, **given)
    text = run(backup, "--dir", tmp_path / "new").stdout
    copy = json.loads(run(backup, "--dir", tmp_path / "other", "--json").stdout)
    snapshot = "without a snapshot"
    if has_snapshot:
        snapshot = f"with a snapshot at {copy['snapshot_position']:,}"
    assert copy["log_position"] == log.position
    assert text == (
        f"{tmp_path / 'new'} has the log up to {log.position:,} now, {snapshot};"
        f" {copy['length']:,} bytes were copied\n"
    )


def test_old_archive_of_a_lagging_member_is_kept_and_named(tmp_path):
    (backup,), log, _ = write_cluster(tmp_path, 1, snapshot_terms=())
    short, _ = long_log()
    del short.frames[-40:]
    short.position = short.frames[-1].position + aligned(short.frames[-1].length)
    short.bases = [each for each in short.bases if each[1] < short.position]
    member = short.write_node(tmp_path / "short")
    old = {each.name: each.read_bytes() for each in (member / "archive").iterdir()}
    text = run(backup, "--dir", member).stdout
    assert f"has the log up to {log.position:,} now" in text
    (kept,) = (each for each in member.iterdir() if each.name.endswith(".before-restore"))
    assert f"its old archive is in {kept}; remove it when the member has recovered\n" in text
    assert {each.name: each.read_bytes() for each in kept.iterdir()} == old
