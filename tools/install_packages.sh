#!/usr/bin/env bash
# install_packages.sh - installs the Debian packages that are missing.
#
#   tools/install_packages.sh [--build | PACKAGE ..]
#
# Without names it looks at the packages of packages.txt, which building and testing need; with
# --build at those above the heading "To test", which the command alone needs. It
# prints what it will install, and with which command, before it does so. If nothing is missing, it
# prints nothing and does not use the network. Without apt-get it names the packages and returns 0:
# the libraries may be there under other names.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
list=$(dirname "$0")/../packages.txt
if [ $# = 0 ] || [ "$1" = --build ]; then
    last='$'
    [ $# = 0 ] || last='/^# To test/'
    read -ra names <<<"$(sed -n "1,$last{s/#.*//; p}" "$list" | tr '\n' ' ')"
    set -- "${names[@]}"
fi

if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get here. Install these packages (Debian's names) yourself: $*"
    exit 0
fi

missing=()
for package; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    case $status in *'ok installed') ;; *) missing+=("$package") ;; esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing: ${missing[*]}" >&2
        echo "Install them as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi

install=(apt-get install -y -qq --no-install-recommends)
echo "These packages are missing and will be installed: ${missing[*]}"
echo "with: ${root[*]}${root:+ }${install[*]}"
"${root[@]}" apt-get update -qq
"${root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" "${missing[@]}" >/dev/null
