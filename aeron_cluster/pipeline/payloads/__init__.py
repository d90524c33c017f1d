"""Decoders of payloads into typed columns: SBE schemas, JSON, Arrow, or a function."""

from aeron_cluster.pipeline.payloads.arrow_decoder import ArrowDecoder, arrow_decoder
from aeron_cluster.pipeline.payloads.decoder import BadPayload, PayloadDecoder
from aeron_cluster.pipeline.payloads.function_decoder import FunctionDecoder, function_decoder
from aeron_cluster.pipeline.payloads.json_decoder import JsonDecoder, json_decoder
from aeron_cluster.pipeline.payloads.options import decoder_from_options
from aeron_cluster.pipeline.payloads.sbe_decoder import SbeDecoder, sbe_decoder
from aeron_cluster.pipeline.payloads.sbe_dtypes import numpy_dtype
from aeron_cluster.pipeline.payloads.sbe_schema import read_schema

__all__ = [
    "ArrowDecoder",
    "BadPayload",
    "FunctionDecoder",
    "JsonDecoder",
    "PayloadDecoder",
    "SbeDecoder",
    "arrow_decoder",
    "decoder_from_options",
    "function_decoder",
    "json_decoder",
    "numpy_dtype",
    "read_schema",
    "sbe_decoder",
]
