"""A run that executes no line of a mutant's statement is the same with the mutant."""

import importlib.util
from dataclasses import replace
from itertools import product

import pytest

from tests.mutants.executed_lines import ExecutedLines, Layout
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.python_operators import mutants_of_python
from tests.mutants.statement_lines import statement_lines

SOURCE = """\
LIMIT = 3
NEGATED = lambda value: value - 1 if value else 0

class Room:
    size = LIMIT + 1

    def __init__(self, a, b=LIMIT - 1):
        self.a = a
        self.b = b

    @property
    def total(self):
        return (
            self.a
            + self.b
        )

def conditions(a, b):
    if (
        a > 1
        and b < 2
    ):
        return 1
    elif b == 3: return 2
    else:
        a += 1
    return a if a < LIMIT else (
        b - 1)

def loops(a, b):
    found = []
    while a < LIMIT:
        a += 1
        if a == 2:
            continue
        for each in range(b):
            if each == 2:
                break
            found.append(each)
        else:
            found.append(10 + a)
    while True:
        if b > 2:
            return found
        b += 1

def patterns(a, b):
    match (a, b):
        case (0, 1):
            return 5
        case (1, _) if b > 1:
            return [each + 1 for each in range(b)
                    if each != 1]
        case _:
            return Room(a).total

def errors(a, b):
    try:
        if a == b:
            raise ValueError(a)
        return {each: each - 1 for each in range(a)}
    except (ValueError,
            KeyError) as error:
        if error.args[0] == 0:
            raise
        return max(b, 1)
    finally:
        a -= 1

def inner(a, b):
    def added(value, more=a + 1):
        return value + more
    by_size = sorted(range(b), key=lambda each:
        each - 2 * (each == 1))
    if a == 0:
        return by_size
    return added(b) + NEGATED(a)

def generated(a, b):
    yield a + 1
    if b == 1:
        yield from range(b)

def collected(a, b):
    return list(generated(a, b)) if a == 1 else []
"""
INPUTS = [
    (name, a, b)
    for name in ("conditions", "loops", "patterns", "errors", "inner", "collected")
    for a, b in product(range(4), range(4))
]
FILE = "aeron_cluster/a/rooms.py"


def outcome(names, name, a, b):
    try:
        return names[name](a, b)
    except Exception as error:  # noqa: BLE001 - a mutant raises any
        return repr(error)


def load(path):
    spec = importlib.util.spec_from_file_location("rooms", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mutants():
    return mutants_of_python(FILE, SOURCE.encode())


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Return the layout of the file, the lines of each input, and those of imports, as bits."""
    root = tmp_path_factory.mktemp("root")
    path = root / FILE
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    layout = Layout(root, ["a"])
    of_inputs = {}
    with ExecutedLines(layout) as lines:
        module = load(path)
        lines.end_imports()
        for each in INPUTS:
            lines.begin()
            outcome(vars(module), *each)
            of_inputs[each] = lines.of_run
    return layout, of_inputs, lines.of_imports


def test_inputs_that_execute_no_line_of_a_mutant_have_the_same_outcome(executed):
    layout, of_inputs, of_imports = executed
    original: dict[str, object] = {}
    exec(SOURCE, original)
    counts = {"same": 0, "skipped": 0, "any": 0}
    for mutant in mutants():
        names: dict[str, object] = {}
        lines = statement_lines(mutant, SOURCE.encode())
        bits = None if lines is None else layout.bits(FILE, lines)
        if bits is None or bits & of_imports:
            counts["any"] += 1
            continue
        if mutant.operator == "constant changed" and mutant.old == "True":
            continue  # the loop would not end, or never begin
        try:
            exec(mutant.edit.applied(SOURCE.encode()), names)
        except SyntaxError:
            continue
        for each in INPUTS:
            if of_inputs[each] & bits:
                counts["same"] += 1
            else:
                counts["skipped"] += 1
                assert outcome(names, *each) == outcome(original, *each), (str(mutant), each)
    assert all(counts.values())


def lines_of(old: str, *, operator="") -> frozenset[int] | None:
    """Return the lines of a mutant that replaces a text where it is first."""
    start = SOURCE.index(old)
    edit = Edit(start, start + len(old), b"0")
    mutant = Mutant("m", FILE, 1, "f", operator, old, "0", edit)
    return statement_lines(mutant, SOURCE.encode())


def line(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


def test_lines_are_those_of_the_statement_without_its_body():
    first = line("        a > 1")
    assert lines_of("a > 1") == {first - 1, first, first + 1}
    first = line("            self.a\n")
    assert lines_of("self.b\n        )") == set(range(first - 1, first + 3))
    assert lines_of("found.append(each)") == {line("            found.append(each)")}


def test_statement_without_code_has_the_lines_of_its_function():
    found = lines_of("True")
    first = line("    found = []")
    lines = {line("    while True:")}
    # Some versions have code for the head of an endless loop.
    assert found in (lines, set(range(first, line("def patterns") - 1)))


def test_real_bug_has_the_lines_of_its_function():
    found = lines_of("found.append(each)", operator="catalogue")
    assert found == set(range(line("    found = []"), line("def patterns") - 1))


@pytest.mark.parametrize(
    "old", ["LIMIT = 3", "LIMIT + 1", "b=LIMIT - 1", "@property", "def total(self)", "each - 2"]
)
def test_only_statements_of_functions_have_lines(old):
    """The last is the body of a lambda within a statement of a function."""
    assert (lines_of(old) is None) == (old != "each - 2")


def test_default_of_an_inner_function_may_be_seen_by_any_run():
    assert lines_of("more=a + 1") is None


def test_mutant_that_makes_a_generator_a_function_may_be_seen_by_any_run():
    assert lines_of("yield from range(b)") is None
    assert lines_of("b == 1") == {line("    if b == 1")}


def test_compiled_mutant_has_no_lines():
    mutant = replace(mutants()[-1], file="aeron_cluster/a.pyx")
    assert statement_lines(mutant, SOURCE.encode()) is None


def test_lines_of_an_earlier_run_are_reported_again(executed):
    """Each input was run in the same process: the lines of later ones are complete."""
    layout, of_inputs, _ = executed
    head = layout.bits(FILE, [line("        a > 1")])
    runs = [bits for (name, *_), bits in of_inputs.items() if name == "conditions"]
    assert all(bits & head for bits in runs)


def test_nothing_is_recorded_after_the_end(tmp_path):
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    with ExecutedLines(Layout(tmp_path, ["a"])) as lines:
        assert lines.of_imports == 0
    assert load(path).conditions(0, 3) == 2
    assert (lines.of_run, lines.of_imports) == (0, 0)
