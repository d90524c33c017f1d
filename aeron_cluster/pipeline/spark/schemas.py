"""Conversion between Spark's and Arrow's schemas."""

from __future__ import annotations

from typing import Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from aeron_cluster.errors import ConfigurationError

__all__ = ["as_spark", "check_schema", "output_schema"]


def as_spark(schema: Any) -> StructType:
    """Return a Spark schema for a `pyarrow.Schema`."""
    return from_arrow_schema(schema)


def output_schema(schema: StructType) -> Any:
    """Return the exact `pyarrow.Schema` that Spark requires of batches."""
    return to_arrow_schema(schema, timezone="UTC")


def check_schema(given: StructType, have: StructType) -> None:
    """Check that a given schema has the columns' types.

    Raises
    ------
    ConfigurationError
        A column has another type, or can be null although it is NOT NULL in the schema.
    """
    for wanted, built in zip(given, have, strict=True):
        if wanted.dataType != built.dataType:
            raise ConfigurationError(
                "schema",
                f"{built.name} {built.dataType.simpleString()}",
                f"{wanted.name} {wanted.dataType.simpleString()}",
            )
        if built.nullable and not wanted.nullable:
            raise ConfigurationError("schema", f"{built.name}, which can be null", "NOT NULL")
