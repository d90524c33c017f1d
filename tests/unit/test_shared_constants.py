"""Constants that Python and C both state have one value.

Where Python can import what C declares, it does. These are declared in headers and ``.pxd`` files
without a module.
"""

import importlib
import re

import pytest

from tests.golden.transcoder import INCLUDE, PACKAGE

FRAMES = INCLUDE / "aeron_cluster/frames.h"
COMMANDS = INCLUDE / "aeron_cluster/commands.h"
STREAM_FACTORY = "driver.control.stream_factory"


@pytest.mark.parametrize(
    ("module", "name", "declaration", "c_name"),
    [
        (STREAM_FACTORY, "_LOG_CONCURRENT_PUBLICATION", FRAMES, "AC_LOG_CONCURRENT_PUBLICATION"),
        (STREAM_FACTORY, "_LOG_EXCLUSIVE_PUBLICATION", FRAMES, "AC_LOG_EXCLUSIVE_PUBLICATION"),
        (STREAM_FACTORY, "_LOG_IMAGE", FRAMES, "AC_LOG_IMAGE"),
        (STREAM_FACTORY, "_SETUP_FLAG_GROUP", FRAMES, "AC_SETUP_FLAG_GROUP"),
        (
            STREAM_FACTORY,
            "_SETUP_FLAG_SEND_RESPONSE_SETUP",
            FRAMES,
            "AC_SETUP_FLAG_SEND_RESPONSE_SETUP",
        ),
        ("driver.context", "_RING_TRAILER_LENGTH", COMMANDS, "AC_RING_TRAILER_LENGTH"),
        ("driver.context", "_BROADCAST_TRAILER_LENGTH", COMMANDS, "AC_BROADCAST_TRAILER_LENGTH"),
        ("codecs.frame_layout", "PADDING_TYPE", FRAMES, "AC_FRAME_PAD"),
        ("codecs.frame_layout", "DATA_TYPE", FRAMES, "AC_FRAME_DATA"),
        (
            "codecs.session_protocol",
            "SESSION_HEADER_LENGTH",
            PACKAGE / "codecs/session_header.pxd",
            "SESSION_HEADER_LENGTH",
        ),
        (
            "events.layouts",
            "MAX_CAPTURE_LENGTH",
            PACKAGE / "events/event_log.pxd",
            "MAX_CAPTURE_LENGTH",
        ),
        (
            "cluster.context.module_context",
            "_MAX_MEMBERS",
            PACKAGE / "cluster/members/member_progress.pxd",
            "MAX_MEMBERS",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_python_has_the_value_of_c(module, name, declaration, c_name):
    value = getattr(importlib.import_module(f"aeron_cluster.{module}"), name)
    found = re.findall(rf"^ +{c_name} = (\w+)", declaration.read_text(), re.M)
    assert [int(each, 0) for each in found] == [value]
