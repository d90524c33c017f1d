"""Which warnings of Python a command prints."""

import re
import subprocess
import sys

from tests.conftest import ROOT


def test_a_command_prints_no_warning_of_a_python_that_enables_the_gil():
    code = (
        "import warnings, aeron_cluster.cli\n"
        "warnings.warn('The global interpreter lock (GIL) has been enabled', RuntimeWarning)\n"
        "warnings.warn('another', RuntimeWarning)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True
    )
    assert re.findall(r"Warning: (\w+)", done.stderr) == ["another"]
