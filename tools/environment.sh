#!/usr/bin/env bash
# Install the packages needed to build and run, and those of the given extras, in .venv. Returns
# immediately if they are installed. Usage: tools/environment.sh PYTHON [EXTRA...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1
shift

usable() { [ -x .venv/bin/python ] && .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if ! usable; then
    # A dead link, another machine's environment or an old Python: replaced, never repaired.
    # Through a link only the link is removed: what it points to belongs to another user.
    if [ -L .venv ]; then rm .venv; else rm -rf .venv; fi
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "aeron_cluster needs Python 3.11 or later; $python is $("$python" -V 2>&1)" >&2
        exit 1
    }
    "$python" -m venv .venv || {
        rm -rf .venv
        echo "no virtual environment could be made: on Debian, apt-get install python3-venv" >&2
        exit 1
    }
fi

wanted=$(.venv/bin/python tools/requirements.py "$@")
stamp=.venv/.aeron-cluster-$(printf '%s' "$wanted" | sha256sum | cut -c1-16)
if [ ! -e "$stamp" ]; then
    echo "installing into .venv: what the package needs${*:+, and its extras $*}"
    printf '%s\n' "$wanted" | .venv/bin/python -m pip install --quiet --disable-pip-version-check -r /dev/stdin
    touch "$stamp"
fi
