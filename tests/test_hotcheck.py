"""The check of the hot paths detects violations in C that Cython generated."""

from pathlib import Path

import pytest
from Cython.Compiler.Main import compile_single
from Cython.Compiler.Options import CompilationOptions, default_options

from tools import hotcheck
from tools.hotcheck import Program, calls_python, leaves_hot_path
from tools.signatures import mangled, signatures

HEADER = """
typedef struct ac_clock { int64_t (*nano_time)(void *state); void *state; } ac_clock;
static inline int64_t ac_nano_time(const ac_clock *clock) {
    return clock->nano_time(clock->state);
}
static inline int64_t ac_logged(int64_t x) {
    return ac_elsewhere(x);
}
#define ac_twice(x) ((x) + (x))
"""
PREAMBLE = """
from libc.stdint cimport int64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

cdef extern from "aeron_cluster/clock.h" nogil:
    ctypedef struct clock "ac_clock":
        int64_t (*nano_time)(void *state) noexcept nogil
        void *state
    int64_t nano_time "ac_nano_time"(const clock *clock) noexcept
    int64_t logged "ac_logged"(int64_t x) noexcept

ctypedef int (*handler)(void *context) except -1 nogil

cdef struct table:
    clock *time
    int (*on_event)(void *context) noexcept nogil

cdef int raise_bad(int x) except -1 with gil:
    raise ValueError(x)

cdef class Base:
    cdef int step(self) noexcept nogil:
        return 1

cdef class Derived(Base):
    cdef int step(self) noexcept nogil:
        return helper(3)

cdef inline int helper(int n) noexcept nogil:
    return n + 1
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Return a function that compiles Cython after the preamble and checks the generated C."""
    package = tmp_path / "aeron_cluster"
    package.mkdir()
    for name in ("__init__.py", "__init__.pxd"):
        (package / name).touch()
    monkeypatch.chdir(tmp_path)

    def run(code):
        source = package / "hot.pyx"
        source.write_text(PREAMBLE + code)
        directives = {"language_level": 3, "cdivision": True}
        options = CompilationOptions(default_options, compiler_directives=directives)
        result = compile_single(str(source), options, "aeron_cluster.hot")
        assert result.num_errors == 0
        program = Program()
        program.add_header(HEADER, seams=True)
        program.add_c(Path(result.c_file).read_text())
        program.add_source(Path("aeron_cluster/hot.pyx"), source.read_text())
        return calls_python(program) + leaves_hot_path(program)

    return run


def test_a_hot_path_through_seams_methods_and_helpers_is_clean(check):
    found = check("""
cdef int pass_once(table *t, Base part) except -1 nogil:
    cdef int64_t now = nano_time(t.time)
    memcpy(&now, &now, 8)
    if now < 0:
        return raise_bad(3)
    return part.step() + helper(<int>now)

cdef int do_work(void *state) except -1 nogil:
    return pass_once(<table *>state, <Base>state)
""")
    assert found == []


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("    with gil:\n        print(n)\n    return 0", "calls __Pyx_PyGILState_Ensure"),
        ("    raise_bad(n)\n    return 0", "calls __Pyx_PyGILState_Ensure"),
        ("    assert n > 0\n    return 0", "calls __Pyx_"),
    ],
)
def test_python_in_a_hot_function_is_detected(check, code, finding):
    (found,) = check(f"cdef int leaf(int n) noexcept nogil:\n{code}\n")
    assert "hot.pyx" in found
    assert ": leaf is noexcept nogil and " + finding in found


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("<table *>state).on_event(state)", "calls through on_event, which no table names"),
        ("(<handler>state)(state))", "calls through __pyx_v_state), which no table names"),
        ("<long>malloc(8))", "allocates with malloc"),
        ("logged(4))", "do_work > ac_logged: calls ac_elsewhere, whose body is not known"),
        ("enter(4))", "takes the GIL in aeron_cluster.hot.enter"),
    ],
)
def test_a_departure_from_the_hot_path_is_detected(check, code, finding):
    function = "cdef int enter(int x) noexcept with gil:\n    print(x)\n    return x\n"
    found = check(
        f"{function}cdef int do_work(void *state) except -1 nogil:\n    return <int>({code}\n"
    )
    assert len(found) == 1
    assert finding in found[0]


def test_a_call_through_a_parameter_needs_a_line_in_the_table(check, monkeypatch):
    code = """
cdef int deliver(handler on_fragment, void *context) except -1 nogil:
    return on_fragment(context)

cdef int archive_do_work(void *state) except -1 nogil:
    return deliver(<handler>state, state)
"""
    (found,) = check(code)
    assert found.endswith(
        "archive_do_work > aeron_cluster.hot.deliver: "
        "calls through on_fragment, which no table names"
    )
    monkeypatch.setitem(hotcheck.POINTERS, "on_fragment", "a test's")
    assert check(code) == []


def test_function_passed_as_an_argument_is_followed(check, monkeypatch):
    monkeypatch.setitem(hotcheck.POINTERS, "on_fragment", "passed on the way")
    (found,) = check("""
cdef int on_message(void *context) except -1 nogil:
    return <int><long>malloc(3)

cdef int deliver(handler on_fragment, void *context) except -1 nogil:
    return on_fragment(context)

cdef int do_work(void *state) except -1 nogil:
    return deliver(on_message, state)
""")
    assert found.endswith("do_work > aeron_cluster.hot.on_message: allocates with malloc")


def test_a_call_through_a_cast_member_is_detected(check):
    (found,) = check("""
ctypedef int (*plain)(void *context) noexcept nogil

cdef int do_work(void *state) except -1 nogil:
    return (<plain>(<table *>state).on_event)(state)
""")
    assert found.endswith("calls through on_event, which no table names")


def test_function_listed_as_a_root_is_checked(check, monkeypatch):
    monkeypatch.setitem(hotcheck.ROOTS, "on_message", "a test's")
    (found,) = check("""
cdef int on_message(void *context) except -1 nogil:
    return <int><long>malloc(3)
""")
    assert found.endswith("on_message: allocates with malloc")


def test_every_override_of_a_virtual_method_is_followed(check):
    code = """
cdef class Other(Base):
    cdef int step(self) noexcept nogil:
        return <int><long>malloc(3)

cdef int do_work(void *state) except -1 nogil:
    return (<Base>state).step()
"""
    (found,) = check(code)
    assert "do_work > aeron_cluster.hot.Other.step: allocates with malloc" in found


def test_names_in_c_match_cythons():
    (one,) = signatures(
        "cdef class Image:\n    cdef int poll(self) noexcept nogil:\n        pass\n"
    )
    expected = "__pyx_f_13aeron_cluster_6client_5image_5Image_poll"
    assert mangled(Path("aeron_cluster/client/image.pyx"), one) == expected
    assert hotcheck.unmangled(expected) == "aeron_cluster.client.image.Image.poll"
