"""Mutants of a Python file: small edits of nodes of its syntax tree."""

import ast
import re
from itertools import pairwise

from tests.mutants.mutant import Edit, Mutant, identified

__all__ = ["SYNC", "mutants_of_python"]

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Functions that only describe an object: no behaviour depends on them.
UNSEEN_FUNCTIONS = {"__repr__", "__str__"}
SYNC = re.compile(r"\b\w*sync\w*\(|\bforce\w*\(|\bflush\w*\(")
UNIT = re.compile(r"\w*_(?:ns|ms|us)$")


class _Finder(ast.NodeVisitor):
    """Visits a module's statements and collects their mutants."""

    def __init__(self, file: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._file = file
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._scope: list[str] = []

    # ---- places ----

    def _start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        return self._source[self._start(node) : self._end(node)].decode()

    def _add(self, operator: str, start: int, end: int, new: str) -> None:
        line = self._source.count(b"\n", 0, start) + 1
        old = self._source[start:end].decode()
        self.found.append(
            Mutant(
                "",
                self._file,
                line,
                ".".join(self._scope),
                operator,
                " ".join(old.split()),
                " ".join(new.split()),
                Edit(start, end, new.encode()),
            )
        )

    def _replace(self, operator: str, node: ast.expr | ast.stmt, new: str) -> None:
        self._add(operator, self._start(node), self._end(node), new)

    # ---- nodes without mutants ----

    def visit(self, node: ast.AST) -> None:
        """Visit functions and classes under their names, other nodes by their type."""
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            self._scoped(node)
        else:
            super().visit(node)

    def _scoped(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name in UNSEEN_FUNCTIONS:
            return
        self._scope.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._scope.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit only the value."""
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Skip f-strings."""

    def visit_Import(self, node: ast.Import) -> None:
        """Skip imports."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Skip imports."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Remove a check; the text of its error is not mutated."""
        self._replace("check removed", node, "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        """Skip assertions, which narrow types."""

    # ---- conditions ----

    def visit_If(self, node: ast.If) -> None:
        """Invert the condition; remove an early exit."""
        if self._text(node.test) == "TYPE_CHECKING":
            return
        self._invert(node.test)
        last = node.body[-1]
        if not node.orelse and isinstance(last, (ast.Return, ast.Continue, ast.Break)):
            self._replace("early return removed", last, "pass")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Invert it."""
        self._invert(node.test)
        self.generic_visit(node)

    def _invert(self, test: ast.expr) -> None:
        """Invert a condition, unless the inverted comparison is a mutant already."""
        if not isinstance(test, ast.Compare) or isinstance(test.ops[0], _ORDERS):
            self._replace("condition inverted", test, f"not ({self._text(test)})")

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Drop each operand, and use the other operator."""
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for before, after in pairwise(node.values):
            self._between("and for or", self._end(before), self._start(after), old, new)
        for index, value in enumerate(node.values):
            if index:
                start, end = self._end(node.values[index - 1]), self._end(value)
            else:
                start, end = self._start(value), self._start(node.values[1])
            between = self._source[start:end].decode()
            # Parentheses around one of the operands belong to neither.
            if between.count("(") == between.count(")"):
                self._add("condition dropped", start, end, " " if index else "")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Change a comparison by one, or invert it."""
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            old, new = COMPARISONS[type(op)]
            is_order = isinstance(op, _ORDERS)
            operator = "comparison off by one" if is_order else "comparison inverted"
            self._between(operator, self._end(left), self._start(right), old, new)
            left = right
        self.generic_visit(node)

    def _between(self, operator: str, start: int, end: int, old: str, new: str) -> None:
        found = re.search(re.escape(old).replace(r"\ ", r"\s+"), self._source[start:end].decode())
        if found is not None:
            self._add(operator, start + found.start(), start + found.end(), new)

    # ---- statements ----

    def visit_Expr(self, node: ast.Expr) -> None:
        """Remove a call."""
        value = node.value
        if isinstance(value, (ast.Await, ast.YieldFrom)) and value.value is not None:
            value = value.value
        if isinstance(value, ast.Call):
            text = self._text(node)
            if not text.startswith(("super().", "logger", "_logger")):
                operator = "sync removed" if SYNC.search(text) else "call removed"
                self._replace(operator, node, "pass")
            self.generic_visit(node)
        elif not isinstance(value, ast.Constant):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Remove an assignment."""
        if all(isinstance(each, (ast.Attribute, ast.Subscript)) for each in node.targets):
            is_constructor = self._scope[-1:] == ["__init__"]
            if not is_constructor:
                self._replace("assignment removed", node, "pass")
        names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        if any(name.startswith("__") for name in names):
            return
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Invert or remove an augmented assignment."""
        if type(node.op) in ARITHMETIC:
            old, new = (f"{each}=" for each in ARITHMETIC[type(node.op)])
            self._between(
                "plus for minus", self._end(node.target), self._start(node.value), old, new
            )
        self._replace("assignment removed", node, "pass")
        self.visit(node.value)

    # ---- values ----

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Add instead of subtracting, and the reverse."""
        of_text = any(
            isinstance(each, (ast.JoinedStr, ast.List, ast.Tuple))
            or (isinstance(each, ast.Constant) and isinstance(each.value, (str, bytes)))
            for each in (node.left, node.right)
        )
        if type(node.op) in ARITHMETIC and not of_text:
            old, new = ARITHMETIC[type(node.op)]
            self._between("plus for minus", self._end(node.left), self._start(node.right), old, new)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a constant."""
        value = node.value
        if isinstance(value, bool):
            self._replace("constant changed", node, str(not value))
        elif isinstance(value, int):
            for other in {value + 1, value - 1, 0} - {value}:
                self._replace("constant changed", node, str(other))

    def visit_Call(self, node: ast.Call) -> None:
        """Leave out an argument or a field, swap two, use min for max."""
        function = node.func
        if isinstance(function, ast.Name) and function.id in SWAPPED:
            self._replace("min for max", function, SWAPPED[function.id])
        is_encoder = isinstance(function, ast.Attribute) and function.attr in ("encode", "pack")
        for keyword in node.keywords:
            if keyword.arg is None:
                continue
            if is_encoder:
                if self._text(keyword.value) != "0":
                    self._replace("field left out", keyword.value, "0")
                continue
            start, end = self._start(keyword), self._end(keyword)
            comma = re.match(rb"\s*,", self._source[end:])
            if comma:
                self._add("argument dropped", start, end + comma.end(), "")
        names = [each for each in node.args if isinstance(each, (ast.Name, ast.Attribute))]
        for one, other in pairwise(names):
            first, second = self._text(one), self._text(other)
            if first != second:
                between = self._source[self._end(one) : self._start(other)].decode()
                if between.strip() == ",":
                    self._add(
                        "index for index",
                        self._start(one),
                        self._end(other),
                        f"{second}{between}{first}",
                    )
        self.generic_visit(node)

    def _timed(self, node: ast.Name | ast.Attribute, name: str) -> None:
        if isinstance(node.ctx, ast.Load) and UNIT.match(name):
            text = self._text(node)
            self._replace("unit changed", node, f"({text} * 1000)")
            self._replace("unit changed", node, f"({text} // 1000)")

    def visit_Name(self, node: ast.Name) -> None:
        """Change the unit of a time."""
        self._timed(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Change the unit of a time."""
        self._timed(node, node.attr)
        self.generic_visit(node)


def mutants_of_python(file: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a Python file, in its order.

    Parameters
    ----------
    file : str
        The path, relative to the root.
    source : bytes
    """
    finder = _Finder(file, source)
    finder.visit(ast.parse(source))
    return identified(sorted(finder.found, key=lambda each: (each.edit.start, each.edit.end)))
