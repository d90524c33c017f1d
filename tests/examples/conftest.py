"""The Java peers, for the example that replaces them."""

from tests.interop.conftest import aeron_jar, pytest_collection_modifyitems

__all__ = ["aeron_jar", "pytest_collection_modifyitems"]
