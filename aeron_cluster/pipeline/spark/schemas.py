"""Schemas of Spark and of Arrow for the same rows."""

from __future__ import annotations

from typing import Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from aeron_cluster.errors import ConfigurationError

__all__ = ["as_spark", "check_schema", "output_schema"]


def as_spark(schema: Any) -> StructType:
    """Return a `pyarrow.Schema` as Spark's."""
    return from_arrow_schema(schema)


def output_schema(schema: StructType) -> Any:
    """Return the `pyarrow.Schema` that batches must have, to the letter, for Spark to take them."""
    return to_arrow_schema(schema, timezone="UTC")


def check_schema(given: StructType, have: StructType) -> None:
    """Check that a given schema is of the types that columns have.

    Raises
    ------
    ConfigurationError
        A column is of another type, or can be null where that is ruled out.
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
