"""What is known of rows once they are written, over all parts."""

import json

from aeron_cluster.pipeline.sink.reports import PartReport, RefusedRow, sum_up


def test_it_sums_up_the_parts(tmp_path):
    refused = tuple(RefusedRow(0, row, "", "no") for row in range(8))
    parts = [
        PartReport("w", 0, 0, 5, rows=30, acknowledged=30, refused=8, first_refused=refused),
        PartReport("w", 1, 2, 6, rows=20, acknowledged=5, taken_before=15, sessions=2, resends=4),
        PartReport("w", 2, 0, 7, rows=9, acknowledged=9, refused=8, first_refused=refused),
    ]
    report = sum_up(parts, 3, "applied", is_whole=True)
    assert (report.parts, report.rows, report.acknowledged) == (3, 59, 44)
    assert (report.taken_before, report.refused, len(report.first_refused)) == (15, 16, 10)
    report.write(tmp_path / "reports")
    report.write(tmp_path / "reports")
    (path,) = (tmp_path / "reports").iterdir()
    assert path.name == "written-w-00000000000000000003.json"
    found = json.loads(path.read_text())
    assert (found["promise"], found["sessions"], found["resends"]) == ("applied", 2, 4)
    assert found["first_refused"][0] == {"partition": 0, "row": 0, "key": "", "reason": "no"}


def test_one_of_some_parts_does_not_replace_that_of_all():
    parts = [PartReport("w", 0, 0)]
    names = {sum_up(parts, -1, "offered", is_whole=each).file_name for each in (True, False)}
    assert names == {"written-w.json", "written-w-in-part.json"}


def test_a_refused_row_is_told_with_its_key_where_it_has_one():
    assert str(RefusedRow(1, 2, "", "no")) == "partition 1, row 2: no"
    assert str(RefusedRow(1, 2, "k", "no")) == "partition 1, row 2 (key k): no"
