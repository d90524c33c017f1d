"""One Spark session for all tests of this folder: its start and first query take ten seconds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeron_cluster.errors import MissingJavaError
from aeron_cluster.pipeline.spark import local_session
from aeron_cluster.pipeline.spark.java import require_java
from tests.conftest import PYTHON_PATH, VARIANT
from tests.interop.conftest import (  # noqa: F401 - fixtures
    aeron_jar,
    java,
    java_class_path,
    unavailable,
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that uses Spark, so that ``-m "not java"`` deselects it."""
    for item in items:
        if "spark_environment" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.java)


@pytest.fixture(scope="package")
def spark_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the environment of programs that start Spark."""
    if VARIANT not in ("release", "coverage"):
        pytest.skip("the JVM does not run under a sanitizer")
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    try:
        require_java()
    except MissingJavaError as error:
        unavailable(str(error))
    place = tmp_path_factory.mktemp("spark")
    ours = {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": PYTHON_PATH,
        "PYTHONDONTWRITEBYTECODE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(place / "local"),
        "SPARK_WORKER_DIR": str(place / "work"),
        "SPARK_LOG_DIR": str(place / "logs"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ours.items():
            patch.setenv(name, value)
        yield {**os.environ, **ours}


@pytest.fixture(scope="package")
def spark(spark_environment, tmp_path_factory):  # noqa: ARG001 - created before the session
    """Return a session that runs two tasks at a time in this process's own JVM."""
    pyspark = pytest.importorskip("pyspark")
    session = local_session(
        "local[2]",
        "tests",
        {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.driver.memory": "1g",
        },
    )
    session.sparkContext.setLogLevel("OFF")
    gateway = session.sparkContext._gateway
    yield session
    session.stop()
    # Nothing of it runs beside later tests: the JVM ends when its input is closed.
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(120)
    pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None


@pytest.fixture
def run_program(spark_environment):
    """Return a function that runs a program in a separate process, as a user would."""

    def run(name: str, *arguments: object, timeout: float = 380.0) -> str:
        path = Path(__file__).parent / "programs" / name
        command = [sys.executable, str(path), *map(str, arguments)]
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=spark_environment,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-4000:]}"
        return done.stdout

    return run
