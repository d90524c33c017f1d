"""What docs/features.md names exists: sources, options, tests and decisions; no option lacks."""

import re

import pytest

from aeron_cluster import config
from tests.conftest import ROOT

PAGE = ROOT / "docs/features.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| feature", "| ---"))
]
PROPERTY = re.compile(r"`((?:aeron|cluster)\.[\w.]+)`")
LINK = re.compile(r"\[(.+)\]\(decisions/([\w-]+\.md)\)")
NAMES = {option.name for option in config.ALL_OPTIONS} | set(config.WITHOUT_COUNTERPART)


def in_backticks(cell):
    found = re.fullmatch(r"`([^`]+)`", cell)
    assert found, cell
    return found[1]


def test_each_row_has_a_state():
    assert len(ROWS) > 100
    for row in ROWS:
        assert len(row) == 5, row
        assert row[2] in ("yes", "no"), row


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] == "yes"], ids=lambda row: row[0])
def test_a_feature_has_a_source_and_a_test(row):
    assert (ROOT / in_backticks(row[3])).exists()
    test = in_backticks(row[4])
    assert test.startswith("tests/")
    assert (ROOT / test).is_file()


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] == "no"], ids=lambda row: row[0])
def test_a_feature_that_lacks_has_a_decision(row):
    assert row[3] == ""
    text, page = LINK.fullmatch(row[4]).groups()
    # Each paragraph of a page begins with its decision, in bold type.
    bold = re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs/decisions" / page).read_text(), re.M | re.S)
    assert any(each.replace("\n", " ").startswith(text) for each in bold)


def test_every_option_is_listed_once_and_exists():
    listed = [name for row in ROWS for cell in row[:2] for name in PROPERTY.findall(cell)]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) - {"aeron.ipc"} == NAMES


def test_options_that_are_rejected_are_not_said_to_be_there():
    for row in ROWS:
        names = PROPERTY.findall(row[1])
        is_rejected = [name in config.WITHOUT_COUNTERPART for name in names]
        if any(is_rejected):
            assert row[2] == "no", row
