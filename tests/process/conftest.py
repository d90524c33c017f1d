"""The Java peers for tests that also run on Java processes, and the browser."""

import os

import pytest

from tests.interop.conftest import (
    aeron_jar,
    java,
    java_class_path,
    pytest_runtest_makereport,
)
from tools.browser import BROWSER

__all__ = ["aeron_jar", "browser", "java", "java_class_path", "pytest_runtest_makereport"]


@pytest.fixture(scope="session")
def browser():
    """Return the path of this machine's browser; ``.ci/run`` determines whether it runs."""
    if os.environ.get("AERON_CLUSTER_BROWSER") == "none":
        pytest.skip("no browser runs here, as .ci/run has printed")
    if BROWSER is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true and no browser is installed")
        pytest.skip("no browser is installed")
    return BROWSER
