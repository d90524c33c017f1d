"""Reports of written rows, over all parts."""

import json

import pytest

from aeron_cluster.errors import CorruptError
from aeron_cluster.pipeline.sink.reports import PartReport, RejectedRow, combine_reports


def test_the_report_sums_the_parts(tmp_path):
    rejected = tuple(RejectedRow(0, row, "", "no") for row in range(8))
    parts = [
        PartReport("w", 0, 0, 5, rows=30, acknowledged=30, rejected=8, first_rejected=rejected),
        PartReport("w", 1, 2, 6, rows=20, acknowledged=5, applied_before=15, sessions=2, resends=4),
        PartReport("w", 2, 0, 7, rows=9, acknowledged=9, rejected=8, first_rejected=rejected),
    ]
    report = combine_reports(parts, 3, "applied", is_complete=True)
    assert (report.parts, report.rows, report.acknowledged) == (3, 59, 44)
    assert (report.applied_before, report.rejected, len(report.first_rejected)) == (15, 16, 10)
    assert report.write(tmp_path / "reports") == report
    (path,) = (tmp_path / "reports").iterdir()
    assert path.name == "written-w-00000000000000000003.json"
    found = json.loads(path.read_text())
    assert (found["promise"], found["sessions"], found["resends"]) == ("applied", 2, 4)
    assert found["first_rejected"][0] == {"partition": 0, "row": 0, "key": "", "reason": "no"}


def test_report_of_some_parts_does_not_replace_the_report_of_all():
    parts = [PartReport("w", 0, 0)]
    names = {
        combine_reports(parts, -1, "offered", is_complete=each).file_name for each in (True, False)
    }
    assert names == {"written-w.json", "written-w-partial.json"}


NO = RejectedRow(0, 3, "", "no")


def report_of(*parts, is_complete=True):
    return combine_reports(parts, 7, "applied", is_complete=is_complete)


def rejected_in(directory):
    (path,) = directory.iterdir()
    found = json.loads(path.read_text())
    return path.name, found["rejected"], [each["row"] for each in found["first_rejected"]]


def test_rejections_stay_in_the_report_of_a_repeated_write(tmp_path):
    first = report_of(
        PartReport("w", 0, 0, 5, 50, acknowledged=50, rejected=1, first_rejected=(NO,))
    )
    assert first.write(tmp_path).rejected == 1
    again = report_of(PartReport("w", 0, 0, 5, 50, applied_before=50))
    assert again.unconfirmed == 50
    for _ in range(2):  # rejected rows are not reported again
        assert again.write(tmp_path).rejected == 0
        name = "written-w-00000000000000000007.json"
        assert rejected_in(tmp_path) == (name, 1, [3])
        assert json.loads((tmp_path / name).read_text())["unconfirmed"] == 0
    # The service had lost its state.
    assert first.write(tmp_path).rejected == 1
    assert rejected_in(tmp_path)[1] == 1


def test_rejections_of_a_failed_write_are_reported_once_it_completes(tmp_path):
    done = PartReport("w", 0, 0, 5, 50, acknowledged=50, rejected=1, first_rejected=(NO,))
    report_of(done, is_complete=False).write(tmp_path)
    other = PartReport("w", 1, 0, 6, 9, acknowledged=9)
    report_of(other, is_complete=False).write(tmp_path)
    assert rejected_in(tmp_path) == ("written-w-00000000000000000007-partial.json", 1, [3])
    again = report_of(
        PartReport("w", 0, 0, 5, 50, applied_before=50),
        PartReport("w", 1, 0, 6, 60, acknowledged=40, applied_before=20, rejected=1),
    ).write(tmp_path)
    assert (again.rejected, again.first_rejected) == (2, (NO,))
    assert rejected_in(tmp_path) == ("written-w-00000000000000000007.json", 2, [3])


def test_file_other_than_a_report_is_not_replaced(tmp_path):
    path = tmp_path / "written-w-00000000000000000007.json"
    path.write_text("{}")
    with pytest.raises(CorruptError, match="report"):
        report_of(PartReport("w", 0, 0)).write(tmp_path)
    assert path.read_text() == "{}"


def test_a_rejected_row_is_reported_with_its_key_if_any():
    assert str(RejectedRow(1, 2, "", "no")) == "partition 1, row 2: no"
    assert str(RejectedRow(1, 2, "k", "no")) == "partition 1, row 2 (key k): no"
