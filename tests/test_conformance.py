"""The choice of Aeron's own system tests, and the reading of their results."""

import pytest

from tools import conformance

REPORT = """<testsuite>
<testcase name="passes()" classname="io.aeron.ATest"/>
<testcase name="skips()" classname="io.aeron.ATest"><skipped/></testcase>
<testcase name="fails()[1]" classname="io.aeron.ATest">
  <failure message="expected: &lt;1&gt;&#10; in /dev/shm/aeron-x-0-1/cnc.dat: was 2"/></testcase>
<testcase name="ends()" classname="io.aeron.ATest$Inner"><error>a | b</error></testcase>
</testsuite>"""


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "version.txt").write_text(f"{conformance.VERSION}\n")
    for name in ("io/aeron/ATest", "io/aeron/driver/BTest", "io/aeron/archive/CTest"):
        path = tmp_path / "aeron-system-tests/src/test/java" / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("class T {}")
    (path.parent / "BaseTest.java").write_text("public abstract class BaseTest {}")
    return tmp_path


def test_classes_are_chosen_by_group_and_by_name(tree):
    found = conformance.find_classes(tree)
    assert conformance.choose(["transport"], found) == ["io.aeron.ATest", "io.aeron.driver.BTest"]
    assert conformance.choose(["CTest", "io.aeron.ATest", "archive"], found) == [
        "io.aeron.archive.CTest",
        "io.aeron.ATest",
    ]
    with pytest.raises(conformance.ConformanceError, match="'BaseTest'"):
        conformance.choose(["BaseTest"], found)


def test_another_version_of_the_tree_is_rejected(tree):
    (tree / "version.txt").write_text("1.50.0")
    with pytest.raises(conformance.ConformanceError, match=r"of Aeron 1\.51\.0"):
        conformance.find_classes(tree)


def test_report_counts_passed_failed_and_skipped():
    outcome = conformance.read_report(REPORT)
    assert (outcome.passed, outcome.skipped) == (1, 1)
    assert outcome.failed == {
        "fails()[1]": "expected: <1> in (path): was 2",
        "Inner.ends()": "a | b",
    }


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Record the classes to run, instead of running them."""
    noted = []

    def run(name, kind, *_):
        noted.append(name)
        folder = tmp_path / kind / name
        folder.mkdir(parents=True, exist_ok=True)
        failure = "<failure message='no'/>" if "Bad" in name else ""
        (folder / "TEST-junit-jupiter.xml").write_text(
            f"<testsuite><testcase name='t()' classname='{name}'>{failure}</testcase></testsuite>"
        )

    monkeypatch.setattr(conformance, "BUILD", tmp_path)
    monkeypatch.setattr(conformance, "run_class", run)
    return noted


def test_run_continues_and_begins_with_failures(runs, tmp_path):
    def run(names, again=None):
        runs.clear()
        conformance.run_all(names, conformance.OURS, tmp_path, "", again)
        return list(runs)

    assert run(["Good", "Bad"]) == ["Good", "Bad"]
    assert run(["Good", "New", "Bad"]) == ["New"]
    assert run(["Good", "New", "Bad"], "failed") == ["Bad"]
    assert run(["Good", "New", "Bad"], "all") == ["Bad", "Good", "New"]


def test_the_page_has_each_group_and_each_failure():
    found = {"io.aeron.ATest": "transport", "io.aeron.archive.CTest": "archive"}
    ours = {"io.aeron.ATest": conformance.read_report(REPORT)}
    page = conformance.render(found, ours, {})
    assert "| ATest | 1 | 2 | 1 |" in page
    assert "| all | 1 | 2 | 1 |" in page
    assert "## Archive" not in page
    assert r"| ATest | Inner.ends() | a \| b |" in page
    beside = conformance.render(found, ours, {"io.aeron.ATest": conformance.Outcome(passed=4)})
    assert "| ATest | 1 | 2 | 1 | 4 | 0 | 0 |" in beside
