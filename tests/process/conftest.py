"""The Java peers for tests that also run on Java processes."""

from tests.interop.conftest import (
    aeron_jar,
    java,
    java_class_path,
    pytest_runtest_makereport,
)

__all__ = ["aeron_jar", "java", "java_class_path", "pytest_runtest_makereport"]
