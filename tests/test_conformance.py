"""The choice of Aeron's own system tests, and the reading of their results."""

import pytest

from tools import conformance

REPORT = """<testsuite>
<testcase name="passes()" classname="io.aeron.ATest"/>
<testcase name="skips()" classname="io.aeron.ATest">
  <skipped><![CDATA[AbortedException: Assumption failed: for Java
    at io.aeron.ATest]]></skipped></testcase>
<testcase name="fails()[1]" classname="io.aeron.ATest">
  <failure message="expected: &lt;1&gt;&#10; in /dev/shm/aeron-x-0-1/cnc.dat: was 2"/></testcase>
<testcase name="ends()" classname="io.aeron.ATest$Inner"><error>a | b</error></testcase>
</testsuite>"""


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "version.txt").write_text(f"{conformance.VERSION}\n")
    for name in ("io/aeron/ATest", "io/aeron/driver/BTest", "io/aeron/archive/CTest"):
        write(tmp_path, name, "class T { @Test void t() {} }")
    write(tmp_path, "io/aeron/archive/NoTest", "class NoTest { @BeforeEach void t() {} }")
    return tmp_path


def write(folder, name, text):
    path = folder / "aeron-system-tests/src/test/java" / f"{name}.java"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_classes_are_chosen_by_group_and_by_name(tree):
    found = conformance.find_classes(tree)
    assert conformance.choose(["transport", "driver"], found) == [
        "io.aeron.ATest",
        "io.aeron.driver.BTest",
    ]
    assert conformance.choose(["CTest", "io.aeron.ATest", "archive"], found) == [
        "io.aeron.archive.CTest",
        "io.aeron.ATest",
    ]
    with pytest.raises(conformance.ConformanceError, match="'NoTest'"):
        conformance.choose(["NoTest"], found)


def test_an_abstract_class_stands_for_those_nested_in_it(tree):
    text = "abstract class BaseTest { @Test void t() {} static class %s extends BaseTest {} }"
    write(tree, "io/aeron/BaseTest", text % "OneTest")
    found = conformance.find_classes(tree)
    assert conformance.choose(["BaseTest"], found) == ["io.aeron.BaseTest$OneTest"]
    assert conformance.choose(["OneTest"], found) == ["io.aeron.BaseTest$OneTest"]


def test_another_version_of_the_tree_is_rejected(tree):
    (tree / "version.txt").write_text("1.50.0")
    with pytest.raises(conformance.ConformanceError, match=r"of Aeron 1\.51\.0"):
        conformance.find_classes(tree)


def test_report_counts_passed_failed_and_skipped():
    outcome = conformance.read_report(REPORT)
    assert (outcome.passed, outcome.skipped) == (1, {"skips()": "for Java"})
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


def test_the_page_has_each_group_each_failure_and_each_skipped_test(monkeypatch):
    reasons = {"ATest.Inner.": "a pipe is no letter"}
    monkeypatch.setattr(conformance, "_REASONS", reasons)
    ours = {"io.aeron.ATest": conformance.read_report(REPORT)}
    page = conformance.render(ours, {})
    assert "| ATest | 1 | 2 | 1 |" in page
    assert "| all | 1 | 2 | 1 |" in page
    assert "## Archive" not in page
    assert r"| ATest | Inner.ends() | ours | a \| b | a pipe is no letter |" in page
    assert "| ATest | skips() | for Java |" in page
    peer = {"io.aeron.ATest": conformance.Outcome(passed=3, failed={"Inner.ends()": "c"})}
    beside = conformance.render(ours, peer)
    assert "| ATest | 1 | 2 | 1 | 3 | 1 | 0 |" in beside
    assert r"| ATest | Inner.ends() | ours, C | a \| b | a pipe is no letter |" in beside


def test_outcomes_are_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(conformance, "STORE", tmp_path / "stored.json")
    assert conformance.read_stored(conformance.OURS) == {}
    outcomes = {conformance.OURS: {"io.aeron.ATest": conformance.read_report(REPORT)}}
    conformance.write_stored(outcomes)
    assert conformance.read_stored(conformance.OURS) == outcomes[conformance.OURS]
    assert conformance.read_stored(conformance.PEER) == {}


def test_the_page_in_docs_is_that_of_the_stored_outcomes():
    ours, peer = map(conformance.read_stored, (conformance.OURS, conformance.PEER))
    assert conformance.PAGE.read_text() == conformance.render(ours, peer)


def test_each_failure_in_docs_that_the_c_driver_does_not_have_has_its_reason():
    peer = conformance.read_stored(conformance.PEER)
    for name, outcome in conformance.read_stored(conformance.OURS).items():
        for test in outcome.failed:
            common = test in peer.get(name, conformance.Outcome()).failed
            assert common or conformance.explained(name, test), (name, test)
