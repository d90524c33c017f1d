"""Each operator makes its own mistakes and no others."""

import ast

import pytest

from tests.mutants.cython_operators import mutants_of_cython
from tests.mutants.python_operators import mutants_of_python

PYTHON = b'''\
"""A module."""

def is_due(now_ns, deadline_ns, is_open):
    """Print nothing."""
    if is_open and now_ns < deadline_ns:
        return False
    self.seen = min(now_ns, 7)
    file.sync(2)
    report(f"at {now_ns + 1}")
    raise ValueError("not " + "due")
'''
CYTHON = b"""\
cdef int is_due(state *s, int64_t now_ns) noexcept nogil:
    cdef int found = 1
    cdef const uint8_t *body = <const uint8_t *>s.body
    if s.is_open and now_ns < s.deadline_ns:
        return 0
    s.seen = now_ns
    sync_all(s)
    require(s.seen > 0, PLACE, "text", 1, 2)
    return found
"""


def texts(mutants, operator):
    return {(each.line, each.old, each.new) for each in mutants if each.operator == operator}


@pytest.fixture(scope="module")
def python():
    return mutants_of_python("a.py", PYTHON)


@pytest.fixture(scope="module")
def cython():
    return mutants_of_cython("a.pyx", CYTHON)


@pytest.mark.parametrize(
    ("operator", "line", "old", "new"),
    [
        ("comparison off by one", 5, "<", "<="),
        ("condition inverted", 5, "is_open and now_ns < deadline_ns", None),
        ("condition dropped", 5, "is_open and", ""),
        ("condition dropped", 5, "and now_ns < deadline_ns", ""),
        ("and for or", 5, "and", "or"),
        ("early return removed", 6, "return False", "pass"),
        ("constant changed", 6, "False", "True"),
        ("constant changed", 7, "7", "8"),
        ("constant changed", 7, "7", "0"),
        ("min for max", 7, "min", "max"),
        ("assignment removed", 7, "self.seen = min(now_ns, 7)", "pass"),
        ("sync removed", 8, "file.sync(2)", "pass"),
        ("unit changed", 5, "now_ns", "(now_ns * 1000)"),
        ("call removed", 9, 'report(f"at {now_ns + 1}")', "pass"),
        ("check removed", 10, 'raise ValueError("not " + "due")', "pass"),
    ],
)
def test_a_mistake_is_made_in_python(python, operator, line, old, new):
    found = texts(python, operator)
    assert any(each[:2] == (line, old) and new in (each[2], None) for each in found), found


def test_texts_and_docstrings_are_not_mutated(python):
    assert not [each for each in python if each.line in (1, 4)]
    of_texts = {each.operator for each in python if each.line in (9, 10)}
    assert of_texts == {"call removed", "check removed"}


def test_only_the_edited_bytes_differ(python):
    for each in python:
        changed = each.edit.applied(PYTHON)
        assert changed != PYTHON
        assert changed.startswith(PYTHON[: each.edit.start])
        assert changed.endswith(PYTHON[each.edit.end :])
        ast.parse(changed)


@pytest.mark.parametrize(
    ("operator", "line", "new"),
    [
        ("comparison off by one", 4, "if s.is_open and now_ns <= s.deadline_ns:"),
        ("condition inverted", 4, "if not (s.is_open and now_ns < s.deadline_ns):"),
        ("condition dropped", 4, "if now_ns < s.deadline_ns:"),
        ("condition dropped", 4, "if s.is_open:"),
        ("and for or", 4, "if s.is_open or now_ns < s.deadline_ns:"),
        ("unit changed", 4, "if s.is_open and (now_ns * 1000) < s.deadline_ns:"),
        ("early return removed", 5, "pass"),
        ("constant changed", 2, "cdef int found = 2"),
        ("assignment removed", 6, "pass"),
        ("sync removed", 7, "pass"),
    ],
)
def test_a_mistake_is_made_in_cython(cython, operator, line, new):
    assert (line, new) in {(each.line, each.new) for each in cython if each.operator == operator}


def test_casts_types_and_checks_are_not_mutated(cython):
    assert not [each for each in cython if each.line in (1, 3, 8)]


def test_name_is_unique_and_unchanged_by_other_edits(python):
    assert len({each.name for each in python}) == len(python)
    moved = mutants_of_python("a.py", b"# A comment.\n" + PYTHON)
    assert [each.name for each in moved] == [each.name for each in python]


def test_equal_mutations_of_a_function_are_numbered():
    source = b"def f(a):\n    if a < 1:\n        g()\n    if a < 2:\n        g()\n"
    calls = [each for each in mutants_of_python("a.py", source) if each.operator == "call removed"]
    assert len({each.name for each in calls}) == 2
