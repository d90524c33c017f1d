"""The committed codecs are what the generator makes of the schemas."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import IN_SOURCE_TREE, ROOT
from tests.golden.transcoder import INCLUDE, PACKAGE

HEADERS = sorted((INCLUDE / "aeron_cluster/codecs").glob("*.h"))


@IN_SOURCE_TREE
def test_products_are_up_to_date():
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
        name = header.stem if header.stem == "sbe" else f"{header.stem}_codecs"
        declared = (PACKAGE / f"codecs/{name}.pxd").read_text()
        functions = re.findall(
            r"^(?:static inline .*?|)\b(ac_\w+)\([^;]*?\{$", header.read_text(), re.M
        )
        assert functions
        assert [f for f in functions if f'"{f}"' not in declared] == []
