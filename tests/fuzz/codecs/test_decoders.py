"""Damaged and random bytes in every decoder: rejected, and never read past the end."""

import contextlib
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ConfigurationError, MessageError
from tests.golden.transcoder import (
    INCLUDE,
    Transcoder,
    compile_c,
    message_types,
    read_items,
    seeds,
    source,
)
from tests.golden.vectors import SCHEMAS, channel_uri_vectors, codec_vectors

ROUNDS = int(os.environ.get("AERON_CLUSTER_FUZZ_ROUNDS", "90000"))
SEED = int(os.environ.get("AERON_CLUSTER_FUZZ_SEED", "1"))
DAMAGE = (Path(__file__).parent / "damage.c").read_text()
READ = {*message_types("read")}
SANITIZE = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def run(program: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    seed_file = folder / "seeds"
    seed_file.write_bytes(seeds([v for v in codec_vectors() if v.message_type in READ]))
    command = [program, seed_file, str(ROUNDS), str(SEED)]
    # Its report is read here, also where those of the tests themselves go to a file.
    environment = {name: it for name, it in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=100, env=environment
    )


@pytest.fixture
def has_sanitizers(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    command = ["gcc", *SANITIZE, probe, "-o", tmp_path / "probe"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("gcc has no address sanitizer here")


@pytest.mark.usefixtures("has_sanitizers")
def test_no_damaged_message_is_read_beyond_its_end(tmp_path):
    program = compile_c(source() + DAMAGE, tmp_path / "damage", *SANITIZE)
    done = run(program, tmp_path)
    assert done.returncode == 0, f"seed {SEED}: {done.stderr[-4000:]}"
    accepted, rejected = (int(word) for word in done.stdout.split() if word.isdigit())
    assert accepted > ROUNDS // 10
    assert rejected > ROUNDS // 10


@pytest.mark.usefixtures("has_sanitizers")
def test_the_harness_sees_a_missing_bounds_check(tmp_path):
    header = (INCLUDE / "aeron_cluster/codecs/sbe.h").read_text()
    check = "length > remaining - AC_SBE_DATA_HEADER_LENGTH"
    assert check in header
    broken = tmp_path / "aeron_cluster/codecs"
    broken.mkdir(parents=True)
    (broken / "sbe.h").write_text(header.replace(check, "false"))
    options = [f"-I{tmp_path}", *SANITIZE]
    text = (source() + DAMAGE).replace(
        '#include "aeron', '#include "aeron_cluster/codecs/sbe.h"\n#include "aeron', 1
    )
    program = compile_c(text, tmp_path / "damage", *options)
    done = run(program, tmp_path)
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr


def damaged(draw: random.Random, encoded: bytes) -> bytes:
    """Return `encoded` truncated and with some bytes replaced."""
    out = bytearray(encoded[: draw.randrange(len(encoded) + 1)] if draw.random() < 0.3 else encoded)
    for _ in range(draw.randrange(5) if out else 0):
        at = draw.randrange(len(out))
        value = draw.choice([0, 1, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, draw.getrandbits(32)])
        width = min(draw.choice([1, 2, 4]), len(out) - at)
        out[at : at + width] = value.to_bytes(4, "little")[:width]
    return bytes(out)


def test_python_rejects_damage_and_agrees_with_c(tmp_path):
    transcode = Transcoder(tmp_path)
    draw = random.Random(SEED)
    vectors = codec_vectors()
    taken = 0
    for _ in range(ROUNDS // 15):
        vector = draw.choice(vectors)
        encoded = damaged(draw, vector.encoded)
        try:
            message = SCHEMAS[vector.schema].decode(encoded)
        except MessageError:
            continue
        taken += 1
        # The damage may have produced another message.
        if type(message) in READ:
            names = [item.name for item in read_items(type(message))]
            expected = {name: getattr(message, name) for name in names}
            assert transcode.read(encoded, type(message)) == expected
    assert taken > ROUNDS // 100


def test_any_channel_uri_is_read_or_rejected():
    draw = random.Random(SEED)
    uris = [vector["uri"] for vector in channel_uri_vectors()]
    for _ in range(ROUNDS // 15):
        uri = list(draw.choice(uris))
        for _ in range(draw.randrange(4) if uri else 0):
            uri[draw.randrange(len(uri))] = draw.choice("?|=:,.-[]0129kmgus\0é٣ aeron")
        with contextlib.suppress(ConfigurationError):
            ChannelUri.parse("".join(uri)).validate()
