"""The fixtures of the Java peers whose streams must not be affected by an attack."""

from tests.interop.conftest import (
    aeron_jar,
    java,
    java_class_path,
    pytest_runtest_makereport,
)

__all__ = ["aeron_jar", "java", "java_class_path", "pytest_runtest_makereport"]
