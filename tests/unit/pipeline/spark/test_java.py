"""A Java for Spark, checked before Spark is started."""

import pickle
import subprocess
import sys

import pytest

from aeron_cluster.errors import MissingJavaError, MissingPackageError
from aeron_cluster.pipeline.spark import local_session
from aeron_cluster.pipeline.spark.java import require_java


def java(path, text, code=0):
    """Write a program that prints a Java version."""
    program = path / "bin/java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit {code}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    "text", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "21" 2023-09-19']
)
def test_java_from_17_on_is_accepted(tmp_path, text):
    path = java(tmp_path, text)
    assert require_java({"JAVA_HOME": str(tmp_path)}) == path
    assert require_java({"PATH": str(tmp_path / "bin")}) == path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('java version "1.8.0_292"', "found 8 "),
        ('openjdk version "11.0.2" 2019-01-15', "found 11 "),
        ("something else", "found one without a version"),
    ],
)
def test_older_java_is_named(tmp_path, text, found):
    path = java(tmp_path, text)
    with pytest.raises(MissingJavaError, match=found) as caught:
        require_java({"PATH": str(tmp_path / "bin")})
    assert path in str(caught.value)
    assert "expected Java 17 or later" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.min_version, str(again)) == (17, str(caught.value))


def test_missing_or_broken_java_is_named(tmp_path):
    with pytest.raises(MissingJavaError, match=r"found none: .*JAVA_HOME"):
        require_java({"PATH": str(tmp_path)})
    with pytest.raises(MissingJavaError, match="which does not run"):
        require_java({"JAVA_HOME": str(tmp_path)})
    java(tmp_path, "broken", code=1)
    with pytest.raises(MissingJavaError, match="which does not run"):
        require_java({"JAVA_HOME": str(tmp_path)})


def test_error_without_pyspark_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'aeron-cluster\[spark\]'"):
        local_session()


def test_nothing_of_spark_is_imported_before_it_is_requested():
    code = (
        "import sys, aeron_cluster.pipeline.spark as s\n"
        "assert not {'pyspark', 'pyarrow'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
