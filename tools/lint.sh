#!/usr/bin/env bash
# All checks except tests. Runs them in parallel, one per core, then lists the failed ones.
# Usage: tools/lint.sh, after a build (make lint does both)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export PATH="$PWD/.venv/bin:$PATH" # cython-lint looks for pycodestyle there
failed=()
cores=$(getconf _NPROCESSORS_ONLN)
printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
names=()
processes=()

step() { # name, command...: begin it as soon as a core is free
    local name=$1 number=${#names[@]}
    shift
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    {
        began=$SECONDS
        "$@" && printf 'ok      %s (%d s)\n' "$name" $((SECONDS - began))
    } >"$printed/$number" 2>&1 </dev/null &
    names+=("$name")
    processes+=($!)
}

await_steps() {
    local number
    for number in "${!names[@]}"; do
        if wait "${processes[number]}"; then
            cat "$printed/$number"
        else
            cat "$printed/$number"
            printf 'FAILED  %s\n' "${names[number]}"
            failed+=("${names[number]}")
        fi
    done
}

tool() { # program: true if installed; in CI a missing tool is a failure
    if command -v "$1" >/dev/null; then return 0; fi
    if [ "${CI:-}" = true ]; then
        failed+=("$1 is missing and CI=true")
    else
        printf 'skipped %s: not installed\n' "$1"
    fi
    return 1
}

tracked() { git ls-files --cached --others --exclude-standard -- "$@"; }

mapfile -t cython < <(tracked '*.pyx' '*.pxd')
mapfile -t headers < <(tracked 'include/*.h')
mapfile -t native < <(tracked '*.h' '*.c')
mapfile -t scripts < <({ tracked '*.sh'; echo .ci/run; })
mapfile -t generators < <(tracked | xargs -d '\n' grep -hsoE -m1 '^(#|//|/\*|<!--) Generated from .* by tools/[a-z_]+\.py' |
    grep -oE 'tools/[a-z_]+\.py$' | sort -u)

cython_lint() {
    local plain=()
    for file in "${cython[@]}"; do
        head -n 2 "$file" | grep -q 'Generated from' || plain+=("$file")
    done
    printf '%s\0' "${plain[@]}" | xargs -0 -r -n 40 -P "$cores" cython-lint
}

headers_alone() {
    local bad=0
    for header in "${headers[@]}"; do
        printf '#include "%s"\n' "${header#include/}" |
            gcc -std=c11 -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only -Iinclude -x c - || bad=1
    done
    return $bad
}

generated() {
    local bad=0
    for generator in "${generators[@]}"; do
        python "$generator" --check || bad=1
    done
    return $bad
}

# The longest first.
step 'cython-lint' cython_lint
step 'stubtest' python -m mypy.stubtest aeron_cluster --allowlist tests/typing/allowlist.txt --ignore-unused-allowlist
step 'mypy' mypy
step 'hot functions' python -m tools.hotcheck
step 'ruff format' ruff format --check --quiet .
step 'ruff check' ruff check --quiet --output-format concise .
step 'generated code' generated
step 'order of folders' python -m pytest -q -p no:cacheprovider tests/test_source.py -k 'room or order or circle'
if tool gcc; then step 'headers compile alone' headers_alone; fi
if tool clang-format; then step 'clang-format' clang-format --dry-run -Werror "${native[@]}"; fi
if tool shellcheck; then step 'shellcheck' shellcheck "${scripts[@]}"; fi
await_steps

if [ ${#failed[@]} -gt 0 ]; then
    printf '\n%d of the checks failed:\n' ${#failed[@]}
    printf '  %s\n' "${failed[@]}"
    exit 1
fi
