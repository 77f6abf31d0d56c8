#!/usr/bin/env bash
# deb.sh - builds the Debian packages from the tarball of make dist, and runs lintian.
#
#   deliver/packaging/deb.sh TARBALL VERSION FOLDER
#
# FOLDER gets the packages, the source package, build.log and lintian.log. Everything is built in a
# temporary folder, and nothing is fetched: install what Build-Depends names first (make deb does).
# JOBS: how many compilers at a time. CFLAGS: after those of Debian. DEBFULLNAME, DEBEMAIL: who
# maintains the packages.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
umask 022
tarball=$(realpath "$1")
version=$2
out=$(realpath -m "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tar -C "$work" -xzf "$tarball"
cd "$work/recallmodel-$version"
cp -R deliver/packaging/debian debian
seconds=$(stat -c %Y CHANGELOG.md)
deliver/packaging/changelog.py CHANGELOG.md "$version" "$seconds" >debian/changelog
upstream=$(dpkg-parsechangelog -S Version | sed 's/-[^-]*$//')
cp "$tarball" "../recallmodel_$upstream.orig.tar.gz"
cat deliver/packaging/symbols/*.symbols >debian/librecallmodel0.symbols
if [ -n "${DEBEMAIL:-}" ]; then
    sed -i "s/^Maintainer: .*/Maintainer: ${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>/" debian/control
fi

# Nothing of the make that calls this, nor of its user's flags.
clean=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "HOME=$work" "TMPDIR=${TMPDIR:-/tmp}"
    LC_ALL=C.UTF-8)
mkdir -p "$out"
rm -f "$out"/*
begin=$SECONDS
if ! "${clean[@]}" DEB_CFLAGS_APPEND="${CFLAGS:-}" \
    DEB_BUILD_OPTIONS="noautodbgsym parallel=${JOBS:-2}" \
    dpkg-buildpackage -us -uc >"$out/build.log" 2>&1; then
    tail -30 "$out/build.log" >&2
    echo "The Debian packages were not built; $out/build.log has all of it." >&2
    exit 1
fi
mv ../*.deb ../*.dsc ../*.orig.tar.gz ../*.debian.tar.* ../*.changes ../*.buildinfo "$out"
built=$((SECONDS - begin))

status=0
"${clean[@]}" lintian --allow-root --fail-on error,warning --display-info --pedantic \
    --show-overrides "$out"/*.changes >"$out/lintian.log" 2>&1 || status=$?
if [ $status != 0 ]; then
    cat "$out/lintian.log" >&2
    echo "lintian has something against the packages." >&2
    exit 1
fi
ls -l "$out"/*.deb
echo "built in $built s; lintian: $(grep -c '^[EW]:' "$out/lintian.log" || true) faults," \
    "$(grep -c '^O:' "$out/lintian.log" || true) overridden"
