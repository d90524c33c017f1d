#!/usr/bin/env bash
# Build a free-threaded CPython from Debian's sources, for `make pythons`, into build/pythons.
# Usage: tools/free_threaded.sh [VERSION [SUITE]], 3.14 of forky by default. The sources come from
# the mirror of this machine's apt, whose own lists are left as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:-3.14} suite=${2:-forky}
target=$PWD/build/pythons/interpreters/${version}t
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
apt-get "${options[@]}" source --download-only "python$version" || {
    echo "the mirror has no sources of python$version of $suite" >&2
    exit 3
}
mkdir sources
tar -xf "python${version}"_*.orig.tar.* -C sources --strip-components 1
cd sources
./configure -q --prefix="$target" --disable-gil --disable-test-modules --with-ensurepip=install
make -s -j "${JOBS:-$(getconf _NPROCESSORS_ONLN)}"
rm -rf "$target"
make -s altinstall
"$target/bin/python${version}t" -VV
