"""The committed vectors equal the current output of the real Java codecs and logs."""

import subprocess
from pathlib import Path

from tests.golden.vectors import GOLDEN


def test_the_script_generates_the_committed_vectors(aeron_jar: Path, tmp_path: Path) -> None:
    assert aeron_jar.exists()  # where the script looks for it
    subprocess.run([GOLDEN / "make_vectors.sh", tmp_path], check=True, timeout=300)
    for name in ("codecs.jsonl", "channel_uris.jsonl", "logs.jsonl", "resolutions.jsonl"):
        assert (tmp_path / name).read_text() == (GOLDEN / name).read_text(), name
