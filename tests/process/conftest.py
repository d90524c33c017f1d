"""The Java peers for tests of processes that are true of the real thing too."""

from tests.interop.conftest import (
    aeron_jar,
    java,
    java_class_path,
    pytest_runtest_makereport,
)

__all__ = ["aeron_jar", "java", "java_class_path", "pytest_runtest_makereport"]
