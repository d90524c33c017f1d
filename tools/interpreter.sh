#!/usr/bin/env bash
# Build a CPython from Debian's sources, for `make pythons`, into build/pythons.
# Usage: tools/interpreter.sh [VERSION [SUITE]], a t at its end for a free-threaded one; by default
# 3.14t of forky. The sources come from the mirror of this machine's apt, whose own lists are left
# as they are.
set -euo pipefail
# Otherwise the VERSION of this repository's make is one of CPython's, too.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:-3.14t} suite=${2:-forky}
minor=${version%t}
target=$PWD/build/pythons/interpreters/$version
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format "\$(ORIGIN) \$(REPO_URI)" | awk '/^Debian / && !/security/ { print $2; exit }')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache"
echo "deb-src [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
options=(-q -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null)
apt-get "${options[@]}" update
cd "$work"
apt-get "${options[@]}" source --download-only "python$minor" || {
    echo "the mirror has no sources of python$minor of $suite" >&2
    exit 3
}
mkdir sources
# Not its signature, *.orig.tar.xz.asc.
tar -xf "python${minor}"_*.orig.tar.?z -C sources --strip-components 1
cd sources
flags=(-q "--prefix=$target" --disable-test-modules --with-ensurepip=install)
if [ "$version" != "$minor" ]; then flags+=(--disable-gil); fi
./configure "${flags[@]}"
make -s -j "${JOBS:-$(getconf _NPROCESSORS_ONLN)}"
rm -rf "$target"
make -s altinstall
"$target/bin/python$version" -VV
