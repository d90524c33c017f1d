"""The targets of files of users and permissions find a node that reads them wrongly."""

import pytest

from aeron_cluster.cluster.security import access_file
from aeron_cluster.cluster.security.access_file import AccessFile
from aeron_cluster.errors import AccessFileError
from tests.fuzz.targets import access

INPUTS = 60


def never(_file):
    """As `AccessFile._reload`, without reading the file again."""


def without_invalid_content(file):
    """As `AccessFile._reload`, but an invalid file removes all entries."""
    try:
        file._value = file._parse(file.path, access_file.read(file._files, file.path))
    except AccessFileError as error:
        file._value = {}
        file._report(error)


def in_silence(file):
    """As `AccessFile._reload`, without a report."""
    try:
        file._value = file._parse(file.path, access_file.read(file._files, file.path))
    except AccessFileError:
        return


@pytest.mark.parametrize(
    ("reload", "found"),
    [
        (never, "it does not apply"),
        (without_invalid_content, "another content applies"),
        (in_silence, "not reported"),
    ],
)
@pytest.mark.parametrize("target", access.TARGETS[:2], ids=lambda target: target.name)
def test_a_file_that_is_read_wrongly_is_found(target, reload, found, monkeypatch):
    assert target.run(1, INPUTS).findings == {}
    monkeypatch.setattr(AccessFile, "_reload", reload)
    findings = target.run(1, INPUTS).findings.values()
    assert any(found in each.text for each in findings)
