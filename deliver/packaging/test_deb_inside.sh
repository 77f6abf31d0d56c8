#!/bin/sh
# test_deb_inside.sh - the part of test_deb.sh that runs in the bare Debian root, as root. Lines
# that begin with ## are for the reader of that test.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd /root/given
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
fail() {
    echo "FAIL: $*"
    exit 1
}
apt() {
    apt-get -y -q --no-install-recommends -o Binary::apt-get::APT::Keep-Downloaded-Packages=true \
        "$@"
}
ours="recallmodel librecallmodel0 librecallmodel-dev python3-recallmodel"
count() { dpkg-query -W | wc -l; }

command -v gcc python3 recallmodel && fail "the root is not bare"
before=$(count)
# An unpacked root has everything that was in it; what is new since is ours or Debian's.
apt install ./*.deb
echo "## $((before)) packages in the bare root, $(($(count) - before)) installed with ours"
for package in $ours; do
    dpkg-query -L "$package" >>/root/files
    dpkg --verify "$package" | grep . && fail "$package: files differ from what it holds"
done

sh ./command
echo "## the command works"
sh ./python
echo "## the Python module works"
# As another user, who may not write.
su -s /bin/sh nobody -c 'recallmodel --n 262144 --k 1024 --b 512 --kb 4 --csv' >/dev/null ||
    fail "the command does not run for other users"

apt install gcc libc6-dev pkgconf man-db
sh ./library
echo "## programs in C build with the libraries"
pages=$(sed -n 's|^/usr/share/man/man1/\(.*\)\.1\.gz$|\1|p' /root/files)
[ -n "$pages" ] || fail "there is no manual page"
for page in $pages; do
    man -w "$page"
    MANWIDTH=80 man "$page" 2>&1 | grep -q . || fail "man $page is empty"
done
echo "## man -w finds: $(echo $pages)"

apt purge $ours
# Files and links; folders are shared with other packages. No name of ours may be left either.
while read -r file; do
    if [ -L "$file" ] || [ -f "$file" ]; then
        fail "$file is left"
    fi
done </root/files
left=$(find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /var/cache \
    -o -path /var/log -o -path /tmp \) -prune -o \( -name '*recallmodel*' -o -name topk.h \) -print)
[ -z "$left" ] || fail "these are left: $left"
ldconfig -p | grep recallmodel && fail "ldconfig still knows the libraries"
for package in $ours; do
    dpkg-query -W "$package" 2>/dev/null && fail "dpkg still knows $package"
done
echo "## nothing is left"
