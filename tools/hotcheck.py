"""Read the generated C and hold the promise of the hot paths: no GIL, no Python, no allocation.

Two rules:

1. The body of each ``noexcept nogil`` function calls nothing of Python's, error paths included.
2. From each agent's work function (``do_work``, or a name that ends in ``_do_work``, running
   without the GIL) every call is followed, through other modules, virtual tables and our headers:
   nothing on the way takes the GIL or allocates, unless a table below names it with the reason.
   A function that is given away counts as called. A call that cannot be followed fails.

What a work function does once something raised is no hot path: it is left out of the second rule.
Usage: ``python -m tools.hotcheck [folder of the generated C]``, after a build.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.signatures import mangled, signatures

ROOT = Path(__file__).parent.parent

# Functions that take the GIL, and when. Each is a control event or a batch handed to Python.
DOORS: dict[str, str] = {
    "service_conductor": "a client has an event of its driver, a deadline or trouble to see to",
    "run_conductor": "a command, an event of sender or receiver, a deadline of the driver",
    "call_archive_conductor": "a request, an ended session, or a deadline of the archive",
    "call_container": "the consensus module sent a request, or a sequence is in progress",
    "keep_bad_frame": "an image that a recording gives up",
    "report_failed_step": "a step of a container's pass that raised",
    "call_on_stall": "callbacks that take too long are named, and are slow as it is",
    "call_log_done": "a log that is read to its end",
    "call_log_event": "a session opened or closed, a term, a snapshot",
    "report_failure": "what a native service's callback failed with",
    "poll_python_batch": "a batch of messages for a service in Python, if there is one",
    "call_background_work": "of a service in Python that has such work",
    "call_module_conductor": "a deadline of the consensus module, an election, a toggle, an answer",
    "defer_failure": "a step of the module's pass that raised",
    "call_on_ingress": "a client connects, closes, answers a challenge or administers",
    "call_on_service_message": "a service acknowledges, wants a timer, or closes a session",
    "call_on_timers_due": "a timer of a service",
    "call_on_committed": "something that Python kept until it was committed",
    "call_on_event": "an event of the log that is no message of a session",
    "call_on_consensus_message": "an election, a member that catches up, rare messages of members",
    "call_authorized_members": "the first message of an image of the consensus stream",
    "call_on_member_id_mismatch": "a member that claims another id",
    "call_on_log_ended": "the log of a follower's leader is gone",
    "call_on_log_lost": "what a follower lacks of the log is sent no more",
    "call_on_leader_timeout": "the leader was not active within the timeout",
    "call_on_quorum_lost": "too few followers were active within the timeout",
    "call_on_termination_position": "the leader's termination position was reached",
    "report_backtrack": "a quorum position that fell, once for each commit position",
    "release_retired_images": "an event of the log that took the log away",
    "link_image": "the first keep-alive of a session to a new leader",
    "report_ignored": "the first dropped message of its kind",
    "report_too_long": "a message of a service that the log's terms have no room for",
}
# Functions that take or give back memory, and why that is no cost of a message.
ALLOCATORS: dict[str, str] = {
    "table_put": "a session or publication that is new",
    "grow_ring": "a service's messages that wait for the log outgrow their ring, which doubles",
    "pointers_add": "an endpoint, publication or image that is new",
    "begin_message": "more sessions than before send fragmented messages at a time",
    "limit_spares": "long messages of several sessions at a time: little beside copying these",
    "append_payload": "a fragmented message longer than those before it in the same buffer",
}
# Variables and fields that hold a function, and where its targets are listed. The function
# pointers of the seams (seams.h) need no line: they are read from the header.
POINTERS: dict[str, str] = {
    "do_work_fn": "an agent of the pass: a work function, so a separate root",
    "__pyx_v_handler)": "block_poll's, to which the recorder gives write_block, a hot function",
    "handler": "what polls and assemblers give messages to: a root, or given on the way",
    "poll_image": "poll or controlled_poll, by the subscription's poll that names it",
    "supplier": "of reserved values: only Python gives one to a publication",
    "on_message": "the service's; one in Python is called with the GIL held for the batch",
    "collect": "as on_message: of a service in Python alone",
    "deliver": "as collect",
    "on_timer": "as on_message",
    "do_background_work": "as on_message",
    "on_session_message": "a native service's, which is asked to keep the promise itself",
    "on_timer_event": "as on_session_message",
    "give_up": "an image's, at its first bad frame: it raises, and is the last call of that image",
    "resend": "network_publication.resend, which the sender's pass reaches by NAKs alone",
}
# Functions that are given away where no work function comes by: roots beside these.
ROOTS: dict[str, str] = {
    "assemble_controlled": "a service container's, which gives whole messages to on_log_message",
    "native_on_message": "a service container's, for a native service",
    "native_on_timer": "as native_on_message",
    "native_background_work": "as native_on_message",
    "on_log_message": "the assembler's of who reads the log",
    "on_ingress_message": "the ingress assemblers' of a consensus module",
    "on_control_message": "its control assembler's",
    "on_consensus_message": "its consensus assembler's",
}

C_LIBRARY = re.compile(
    r"(?:mem(?:cpy|move|set|cmp|chr)|strn?(?:len|cmp)|snprintf|abort|__builtin_\w+|__atomic_\w+"
    r"|__sync_\w+|atomic_\w+|cbrt|exp|log"
    # Made by a macro of atomic.h, one set a word length.
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
    """Drop comments and the insides of strings."""
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
            yield Call(match["address"], "function")  # passed on: any receiver may call it
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
    """Every function that a build generated, and what their sources promise of them."""

    bodies: dict[str, str] = field(default_factory=dict)  # by C name
    hot: dict[str, str] = field(default_factory=dict)  # noexcept nogil: C name to where
    roots: dict[str, str] = field(default_factory=dict)  # work functions
    gil: set[str] = field(default_factory=set)  # declared `with gil`
    seams: set[str] = field(default_factory=set)  # fields of the seams' tables

    def add_header(self, text: str, *, seams: bool = False) -> None:
        """Take in the inline functions and macros of a header of ours."""
        plain = without_comments(text)
        for name, body in [*IN_HEADER.findall(plain), *MACRO.findall(plain)]:
            self.bodies[name] = body
        if seams:
            self.seams.update(re.findall(r"\(\*(\w+)\)\s*\(", plain))

    def add_c(self, text: str) -> None:
        """Take in the functions of a generated file."""
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
        """Return every method of that name, whichever class a virtual call may reach."""
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
    """Return the functions that a call may reach; "!why" where it must not be made."""
    plain = unmangled(call.name).rsplit(".", 1)[-1]
    if call.kind == "pointer":
        if call.name in program.seams or call.name in POINTERS:
            return []
        return [f"!calls through {call.name}, which no table names"]
    if call.kind == "method":
        targets = program.methods(call.name)
        return targets or [f"!calls the method {call.name}, of which there is no body"]
    if call.name in program.gil:
        if plain in DOORS or plain.startswith("raise_"):
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
    return [f"!calls {call.name}, of which there is no body"]


def read(c_folder: Path) -> Program:
    """Read a build and the sources it was made from."""
    program = Program()
    for header in sorted([*ROOT.glob("include/**/*.h"), *ROOT.glob("aeron_cluster/**/*.h")]):
        program.add_header(header.read_text(encoding="utf-8"), seams=header.name == "seams.h")
    for c_file in sorted(c_folder.rglob("*.c")):
        program.add_c(c_file.read_text(encoding="utf-8", errors="replace"))
    for source in sorted((ROOT / "aeron_cluster").rglob("*.p[yx][xd]")):
        program.add_source(source.relative_to(ROOT), source.read_text(encoding="utf-8"))
    return program


def main(arguments: list[str]) -> int:
    """Check a build; print what breaks the rules."""
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
