#!/usr/bin/env bash
# The tarball of make dist: the same bytes twice, and from a clone in another folder with other
# settings of git; a tarball of another commit differs; what it holds builds and runs, without git;
# and there make dist says what to do. Its SBOM has the form of SPDX.
#
#   deliver/packaging/test_dist.sh TARBALL
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tarball=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
fail() { echo "FAIL: $*"; exit 1; }
pass() { passed=$((passed + 1)); }
# The make that runs this test says nothing to those inside.
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD CC CFLAGS
name=$(basename "$tarball" .tar.gz)
spdx=${tarball%.tar.gz}.spdx.json

deliver/packaging/sbom.py --form "$spdx" || fail "the SBOM does not have the form of SPDX"
(cd "$(dirname "$tarball")" && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS"
pass

# Another folder, another mask, other settings of git.
git clone -q --no-local --depth 1 "file://$PWD" "$folder/a clone"
git -C "$folder/a clone" config tar.umask 0077
git -C "$folder/a clone" config core.autocrlf true
(umask 077 && cd "$folder/a clone" && make -s dist >/dev/null)
cmp "$folder/a clone/build/dist/$name.tar.gz" "$tarball" || fail "a clone gives another tarball"
cmp "$folder/a clone/build/dist/$name.spdx.json" "$spdx" || fail "a clone gives another SBOM"
pass
echo "a line" >>"$folder/a clone/README.md"
(cd "$folder/a clone" && make -s dist) >"$folder/out" 2>&1
grep -q "what is not committed is left out" "$folder/out" || fail "$(cat "$folder/out")"
cmp "$folder/a clone/build/dist/$name.tar.gz" "$tarball" || fail "it holds what is not committed"
git -C "$folder/a clone" -c user.name=n -c user.email=n@example.org commit -qam "Another"
(cd "$folder/a clone" && make -s dist >/dev/null)
cmp -s "$folder/a clone/build/dist/$name.tar.gz" "$tarball" && fail "another commit, same bytes"
rm -rf "$folder/a clone"
pass

# Only files of the commit, all with its time.
tar -tzf "$tarball" | grep -v '/$' | sed "s|^$name/||" | LC_ALL=C sort >"$folder/held"
git ls-tree -r --name-only -z HEAD | tr '\0' '\n' | LC_ALL=C sort >"$folder/listed"
diff "$folder/held" "$folder/listed" || fail "the tarball does not hold the files of the commit"
pass

tar -C "$folder" -xzf "$tarball"
cd "$folder/$name"
noted=deliver/packaging/commit
grep -qx '[0-9a-f]\{40\}' $noted || fail "$noted: $(cat $noted)"
status=0
make -s dist >"$folder/out" 2>&1 || status=$?
[ $status != 0 ] && grep -q "not a git clone. Clone the repository, or use" "$folder/out" ||
    fail "without git: status $status, $(cat "$folder/out")"
pass
# The vector kernels take minutes to optimize; make deb builds this tarball with all its flags.
make -s -j"${JOBS:-2}" CFLAGS=-O0 >"$folder/out" 2>&1 || fail "make: $(tail -20 "$folder/out")"
[ "$(cat build/git)" = "$(cut -c1-7 deliver/packaging/commit)" ] ||
    fail "the program names $(cat build/git)"
[ "$(./recallmodel --version)" = "${name/-/ }" ] || fail "$(./recallmodel --version)"
./recallmodel --n 262144 --k 1024 --kb 4 --json >"$folder/out" || fail "the command does not run"
grep -q '"recall": 0.95019' "$folder/out" || fail "$(sed -n 1,20p "$folder/out")"
pass
echo "$passed passed, 0 failed"
