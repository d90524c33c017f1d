"""The committed codecs match the generator's output, and C has only the codecs that it uses."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import IN_SOURCE_TREE, ROOT
from tests.golden.transcoder import C_CODECS, INCLUDE, PACKAGE
from tests.golden.vectors import snake

HEADERS = sorted((INCLUDE / "aeron_cluster/codecs").glob("*.h"))


@IN_SOURCE_TREE
def test_generated_files_are_up_to_date():
    command = [sys.executable, ROOT / "tools/generate_codecs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_each_header_compiles_alone(header):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c"]
    done = subprocess.run(
        [*command, f"-I{INCLUDE}", header], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_inline_function_is_declared_for_cython():
    for header in HEADERS:
        listed = C_CODECS.get(header.stem, {"read": True})
        name = header.stem if header.stem == "sbe" else f"{header.stem}_codecs"
        declared = (PACKAGE / f"codecs/{name}.pxd").read_text()
        functions = re.findall(
            r"^(?:static inline .*?|)\b(ac_\w+)\([^;]*?\{$", header.read_text(), re.M
        )
        assert bool(functions) == bool(listed["read"] or listed["written"])
        assert [f for f in functions if f'"{f}"' not in declared] == []


@IN_SOURCE_TREE
def test_c_face_has_no_unused_names():
    declared = {name: PACKAGE / f"codecs/{name}_codecs.pxd" for name in C_CODECS}
    used = {
        word
        for path in (ROOT / "aeron_cluster").rglob("*.p[xy][dx]")
        if path not in declared.values()
        for word in re.findall(r"\w+", path.read_text())
    }
    for name, path in declared.items():
        functions = re.findall(r'(\w+) \\?\s*"ac_\w+"\(', path.read_text())
        assert bool(functions) == bool(C_CODECS[name]["read"] or C_CODECS[name]["written"])
        assert [each for each in functions if each not in used] == []
        for message in C_CODECS[name]["named"]:
            assert f"{snake(message)}_TEMPLATE_ID".upper() in used
        for enum in C_CODECS[name]["enums"]:
            assert any(word.startswith(f"{snake(enum)}_".upper()) for word in used)
