"""Mark files written by Aeron 1.46.7, the last version without an SBE header in them.

``mark_files.jsonl`` has the header of each as a killed node left it, without the zeros at the end.
The error logs were empty. ``tests/interop/test_older_aeron.py`` runs the program that wrote them.
"""

import json
import struct
from pathlib import Path

ERROR_LOG_OFFSET = 8192
VERSION_OFFSET, ACTIVITY_OFFSET = 0, 8
_FILES = {
    each["name"]: each
    for each in map(
        json.loads, (Path(__file__).parent / "mark_files.jsonl").read_text().split("\n")[:-1]
    )
}


def old_mark_file(name: str, activity_timestamp: int, **fields: tuple[str, int, int]) -> bytearray:
    """Return a mark file with an activity timestamp and other values, by format and offset."""
    found = _FILES[name]
    data = bytearray(bytes.fromhex(found["header"]).ljust(found["length"], b"\0"))
    struct.pack_into("<q", data, ACTIVITY_OFFSET, activity_timestamp)
    for form, offset, value in fields.values():
        struct.pack_into(form, data, offset, value)
    return data
