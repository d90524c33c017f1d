"""Check the hot paths in the generated C: no GIL, no Python, no allocation.

Two rules:

1. The body of each ``noexcept nogil`` function calls nothing of Python's, error paths included.
2. From each agent's work function (``do_work``, or a name that ends in ``_do_work``, running
   without the GIL) every call is followed, through other modules, virtual tables and our headers:
   nothing on the way takes the GIL or allocates, unless a table below names it with the reason.
   A function that is passed as an argument counts as called. A call that cannot be followed fails.

The path after an exception is not hot and is not checked by the second rule.
Usage: ``python -m tools.hotcheck [folder of the generated C]``, after a build.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.signatures import mangled, signatures

ROOT = Path(__file__).parent.parent

# Functions that take the GIL, and when. Each is a control event or a batch passed to Python.
GIL_CALLS: dict[str, str] = {
    "service_conductor": "a client handles an event of its driver, a deadline or an error",
    "run_conductor": "a command, an event of sender or receiver, a deadline of the driver",
    "call_archive_conductor": "a request, an ended session, or a deadline of the archive",
    "call_container": "the consensus module sent a request, or a sequence is in progress",
    "defer_bad_frame": "an image that a recording abandons",
    "report_failed_step": "a step of a container's pass that raised",
    "call_on_stall": "a callback that took too long is reported",
    "call_log_done": "the start of the next log",
    "call_log_ended": "the end of a log",
    "read_rest": "a log whose image was closed",
    "call_log_event": "a session opened or closed, a term, a snapshot",
    "report_failure": "the failure of a native service's callback",
    "store_exception": "an exception in a call of a native service",
    "store_end": "the end of the module, found by a call of a native service",
    "poll_python_batch": "a batch of messages for a service in Python, if there is one",
    "call_background_work": "background work of a service in Python",
    "call_module_conductor": "a deadline of the consensus module, an election, a toggle, an answer",
    "begin_with_user_clock": "a duty cycle of a module with a cluster clock of the user",
    "read_user_clock": "as begin_with_user_clock, after a call of Python",
    "call_time_consumer": "a duty cycle of a module with a consumer of its cluster time",
    "defer_failure": "a step of the module's pass that raised",
    "call_on_ingress": "a client connects, closes, answers a challenge or administers",
    "call_on_service_message": "a service acknowledges, schedules a timer, or closes a session",
    "call_on_timers_due": "a timer of a service",
    "call_on_committed": "a change that Python retains until it is committed",
    "call_on_event": "an event of the log other than a session message",
    "call_on_consensus_message": "an election, a member that catches up, rare messages of members",
    "call_authorized_members": "the first message of an image of the consensus stream",
    "call_on_member_id_mismatch": "a member that uses another member's id",
    "call_on_log_ended": "the end of the leader's log at a follower",
    "call_on_log_lost": "missing log of a follower that is no longer retransmitted",
    "call_on_leader_timeout": "the leader was not active within the timeout",
    "call_on_quorum_lost": "too few followers were active within the timeout",
    "call_on_termination_position": "the leader's termination position was reached",
    "report_backtrack": "a quorum position that fell, once for each commit position",
    "release_retired_images": "an event of the log that removed the log",
    "link_image": "the first keep-alive of a session to a new leader",
    "report_ignored": "the first dropped message of its kind",
    "report_too_long": "a message of a service that is too long for the log",
}
# Functions that allocate or free memory, and why that is not a cost per message.
ALLOCATORS: dict[str, str] = {
    "table_put": "a new session or publication",
    "grow_ring": "a ring of a service's pending messages that doubles when it is full",
    "pointers_add": "a new endpoint, publication or image",
    "begin_message": "more sessions than before send fragmented messages at a time",
    "limit_spares": "long messages of several sessions at a time: cheaper than their copies",
    "append_payload": "a fragmented message longer than those before it in the same buffer",
}
# Variables and fields that hold a function, and where its targets are listed. The function
# pointers of the seams (seams.h) need no line: they are read from the header.
POINTERS: dict[str, str] = {
    "do_work_fn": "an agent of the pass: a work function, so a separate root",
    "__pyx_v_handler)": "block_poll's handler: the recorder passes write_block, a hot function",
    "handler": "the handler of polls and assemblers: a root, or passed on the way",
    "poll_image": "poll or controlled_poll, passed by the subscription's poll",
    "supplier": "a supplier of reserved values: only Python passes one to a publication",
    "on_message": "the service's callback; one in Python is called with the GIL held for the batch",
    "collect": "as on_message: only of a service in Python",
    "deliver": "as collect",
    "on_timer": "as on_message",
    "do_background_work": "as on_message",
    "on_session_message": "a native service's callback, for which the service is responsible",
    "on_timer_event": "as on_session_message",
    "idle": "a native service's callback waits: not hot",
    "observe": "an observer of effects: a service's check of determinism, which is in Python",
    "give_up": "an image's handler of its first bad frame: it raises, the image's last call",
    "resend": "network_publication.resend, which the sender's pass reaches only by NAKs",
}
# Functions passed as arguments outside of work functions: additional roots.
ROOTS: dict[str, str] = {
    "assemble_controlled": "a service container's handler, which calls on_log_message",
    "native_on_message": "a service container's handler, for a native service",
    "native_on_timer": "as native_on_message",
    "native_background_work": "as native_on_message",
    "idle_once": "a call of a native service",
    "session_offer": "as idle_once",
    "session_offerv": "as idle_once",
    "session_try_claim": "as idle_once",
    "cluster_offer": "as idle_once",
    "cluster_offerv": "as idle_once",
    "cluster_try_claim": "as idle_once",
    "commit_claim": "as idle_once",
    "abort_claim": "as idle_once",
    "schedule_timer": "as idle_once",
    "cancel_timer": "as idle_once",
    "session_by_id": "as idle_once",
    "session_at": "as idle_once",
    "close_session": "as idle_once",
    "explain": "as idle_once",
    "snapshot_offer": "as idle_once",
    "snapshot_poll": "as idle_once",
    "on_log_message": "the assembler's handler of the log reader",
    "on_ingress_message": "the handler of a consensus module's ingress assemblers",
    "on_control_message": "the handler of its control assembler",
    "on_consensus_message": "the handler of its consensus assembler",
}

C_LIBRARY = re.compile(
    r"(?:mem(?:cpy|move|set|cmp|chr)|strn?(?:len|cmp)|snprintf|abort|__builtin_\w+|__atomic_\w+"
    r"|__sync_\w+|atomic_\w+|cbrt|exp|log"
    # Defined by a macro of atomic.h, one set per word length.
    r"|ac_(?:load|store|get_and_add|compare_and_set)_\w+)$"
)
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "likely", "unlikely", "defined"}
KEYWORDS |= {"__attribute__", "__PYX_ERR", "CYTHON_UNUSED_VAR", "_Static_assert", "void", "int"}
MEMORY = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "strdup"}
# Declares or checks reference counts, in a debug build of Cython only.
EMPTY_MACROS = re.compile(r"__Pyx_RefNanny\w*$")
OF_PYTHON = re.compile(r"_*Py[A-Za-z]*_\w+$|__Pyx\w*$|PyErr\w*$")

DEFINITION = re.compile(
    r"^static [^\n;={}]*?\b(\w+)\([^\n;]*\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
IN_HEADER = re.compile(
    r"^(?:__attribute__[^\n]*\s)?static [^;={}]*?\b(\w+)\([^;{}]*\)\s*\{(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
MACRO = re.compile(r"^#define (\w+)\([^)]*\)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
CALL = re.compile(
    r"__pyx_vtabstruct_\w+\s*\*\)[^;]*?->__pyx_vtab\)(?:->__pyx_base)?(?:\.__pyx_base)*"
    r"(?:->|\.)(?P<method>\w+)\("
    r"|(?P<through>->|\.)?(?P<name>\b[A-Za-z_]\w*)\s*\("
    r"|(?:->|\.)(?P<member>\w+)\)\s*\("
    r"|(?P<other>\]|\(\*[\w>.-]+\)|(?:__pyx_v_\w+|__pyx_t_\d+)\))\s*\("
    r"|(?P<address>\b__pyx_f_\w+)(?!\w|\s*\()"
)
ERROR_PATH = re.compile(r"__pyx_L\d+_error:;.*?(?=__pyx_L\d+:;)", re.DOTALL)


def without_comments(text: str) -> str:
    """Remove comments and the content of strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', '""', text, flags=re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One call in a body: by name, through a virtual table, or through a pointer."""

    name: str
    kind: str  # "function", "method", "pointer"


def calls(body: str) -> Iterator[Call]:
    """Yield the calls in a C body."""
    position = 0
    while match := CALL.search(body, position):
        position = match.end()
        if match["method"]:
            yield Call(match["method"], "method")
        elif match["member"]:
            yield Call(match["member"], "pointer")
        elif match["address"]:
            # passed as an argument: any receiver may call it
            yield Call(match["address"], "function")
        elif match["other"]:
            yield Call(match["other"], "pointer")
        elif match["name"] in KEYWORDS:
            continue
        elif match["through"] or match["name"].startswith(("__pyx_v_", "__pyx_t_")):
            yield Call(match["name"].removeprefix("__pyx_v_"), "pointer")
        else:
            yield Call(match["name"], "function")


@dataclass
class Program:
    """Every function that a build generated, and the declarations in its source."""

    bodies: dict[str, str] = field(default_factory=dict)  # by C name
    # noexcept nogil functions: the place of each, by C name
    hot: dict[str, str] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)  # work functions
    gil: set[str] = field(default_factory=set)  # declared `with gil`
    seams: set[str] = field(default_factory=set)  # fields of the seams' tables

    def add_header(self, text: str, *, seams: bool = False) -> None:
        """Add the inline functions and macros of a header."""
        plain = without_comments(text)
        for name, body in [*IN_HEADER.findall(plain), *MACRO.findall(plain)]:
            self.bodies[name] = body
        if seams:
            self.seams.update(re.findall(r"\(\*(\w+)\)\s*\(", plain))

    def add_c(self, text: str) -> None:
        """Add the functions of a generated file."""
        for name, body in DEFINITION.findall(without_comments(text)):
            self.bodies.setdefault(name, body)

    def add_source(self, path: Path, text: str) -> None:
        """Record a source's functions, named relative to the package's folder."""
        for signature in signatures(text):
            name = mangled(path, signature)
            where = f"{path}:{signature.line}: {signature.name}"
            if signature.takes_gil:
                self.gil.add(name)
            elif signature.is_definition:
                if signature.is_hot:
                    self.hot[name] = where
                if "nogil" in signature.tail.split() and (
                    signature.name in ROOTS or re.search(r"(?:^|_)do_work$", signature.name)
                ):
                    self.roots[name] = where

    def methods(self, name: str) -> list[str]:
        """Return the methods of that name in every class, since a virtual call may reach any."""
        return [known for known in self.bodies if re.fullmatch(rf"__pyx_f_\w+_{name}", known)]


def calls_python(program: Program) -> list[str]:
    """Apply the first rule."""
    found = []
    for name, where in sorted(program.hot.items(), key=lambda item: item[1]):
        if name not in program.bodies:
            continue  # an inline function that no module uses
        for call in calls(program.bodies[name]):
            if OF_PYTHON.match(call.name) and not EMPTY_MACROS.match(call.name):
                found.append(f"{where} is noexcept nogil and calls {call.name}")
                break
    return found


def leaves_hot_path(program: Program) -> list[str]:
    """Apply the second rule."""
    found: dict[str, None] = {}  # ordered, each once
    for root, where in sorted(program.roots.items(), key=lambda item: item[1]):
        todo: list[tuple[str, tuple[str, ...]]] = [(root, (where,))]
        seen = {root}
        while todo:
            name, chain = todo.pop()
            body = ERROR_PATH.sub("", program.bodies.get(name, ""))
            if name not in program.bodies:
                found[f"{' > '.join(chain)}: no generated body"] = None
                continue
            for call in calls(body):
                for target in follow(program, call, name):
                    if target.startswith("!"):
                        found[f"{' > '.join(chain)}: {target[1:]}"] = None
                    elif target not in seen:
                        seen.add(target)
                        todo.append((target, (*chain, unmangled(target))))
    return list(found)


def unmangled(name: str) -> str:
    """Return the dotted name behind a C name of Cython's, or the name itself."""
    if not name.startswith("__pyx_f_"):
        return name
    rest, parts = name.removeprefix("__pyx_f_"), []
    while match := re.match(r"(\d+)", rest):
        length = int(match[1])
        rest = rest[match.end() :]
        parts.append(rest[:length])
        rest = rest[length:].removeprefix("_")
    return ".".join([*parts, rest])


def follow(program: Program, call: Call, caller: str) -> Iterable[str]:
    """Return the functions that a call may reach, or "!reason" if the call is forbidden."""
    plain = unmangled(call.name).rsplit(".", 1)[-1]
    if call.kind == "pointer":
        if call.name in program.seams or call.name in POINTERS:
            return []
        return [f"!calls through {call.name}, which no table names"]
    if call.kind == "method":
        targets = program.methods(call.name)
        return targets or [f"!calls the method {call.name}, whose body is not known"]
    if call.name in program.gil:
        if plain in GIL_CALLS or plain.startswith("raise_"):
            return []
        return [f"!takes the GIL in {unmangled(call.name)}"]
    if EMPTY_MACROS.match(call.name) or C_LIBRARY.match(call.name):
        return []
    if OF_PYTHON.match(call.name):
        return [f"!calls {call.name}"]
    if call.name in MEMORY:
        if unmangled(caller).rsplit(".", 1)[-1] in ALLOCATORS:
            return []
        return [f"!allocates with {call.name}"]
    if call.name in program.bodies:
        return [call.name]
    return [f"!calls {call.name}, whose body is not known"]


def read(c_folder: Path) -> Program:
    """Read a build and its sources."""
    program = Program()
    for header in sorted([*ROOT.glob("include/**/*.h"), *ROOT.glob("aeron_cluster/**/*.h")]):
        program.add_header(header.read_text(encoding="utf-8"), seams=header.name == "seams.h")
    for c_file in sorted(c_folder.rglob("*.c")):
        program.add_c(c_file.read_text(encoding="utf-8", errors="replace"))
    for source in sorted((ROOT / "aeron_cluster").rglob("*.p[yx][xd]")):
        program.add_source(source.relative_to(ROOT), source.read_text(encoding="utf-8"))
    return program


def main(arguments: list[str]) -> int:
    """Check a build; print the violations."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "release"
    if not any(folder.rglob("*.c")):
        print(f"{folder}: no generated C; build first")
        return 1
    program = read(folder)
    found = calls_python(program) + leaves_hot_path(program)
    for line in found:
        print(line)
    print(f"{len(program.hot)} hot functions, {len(program.roots)} work functions read")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
