"""Texts of sizes and durations, and any bytes as a properties file."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.config import (
    ALL_OPTIONS,
    format_duration_ns,
    format_size,
    parse_duration_ns,
    parse_properties,
    parse_size,
)
from aeron_cluster.errors import ConfigurationError


@given(st.integers(0, 2**62))
def test_a_size_reads_back_as_it_was_written(length):
    assert parse_size("x", format_size(length)) == length


@given(st.integers(0, 2**62))
def test_a_duration_reads_back_as_it_was_written(duration_ns):
    assert parse_duration_ns("x", format_duration_ns(duration_ns)) == duration_ns


NUMBERS = [option for option in ALL_OPTIONS if option.kind in ("size", "duration_ns", "int")]


@given(st.sampled_from(NUMBERS), st.integers(-(2**63), 2**63))
def test_suggested_nearest_value_is_allowed(option, value):
    near = value
    try:
        option.check(value)
    except ConfigurationError as error:
        near = error.hint.removeprefix("nearest: ")
    assert option.check(near) is not None


@given(st.text())
def test_any_text_is_a_properties_file_or_part_of_one(text):
    assert all(isinstance(value, str) for value in parse_properties(text).values())


@given(
    st.dictionaries(
        st.from_regex(r"[a-z.]+", fullmatch=True), st.from_regex(r"[ -\[\]-~]*", fullmatch=True)
    )
)
def test_plain_properties_read_back(found):
    text = "\n".join(f"{name}={value}" for name, value in found.items())
    # Leading spaces of a value are not part of it.
    expected = {name: value.lstrip() for name, value in found.items()}
    assert parse_properties(text) == expected


@given(st.sampled_from(ALL_OPTIONS), st.text())
def test_any_text_is_a_value_or_rejected(option, text):
    try:
        value = option.parse(text)
    except ConfigurationError as rejection:
        assert rejection.name == option.name  # noqa: PT017 - either outcome is right
    else:
        assert option.check(value) == value
