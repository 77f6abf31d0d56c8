#!/usr/bin/env bash
# fetch.sh DIR - the packages of packages.txt, from PyPI: unpacks what is needed of NAME into
# DIR/NAME. What is there in the same version stays. A package that cannot be fetched has a line,
# and the others are fetched all the same. The exit status is 0 if at least one is there.
#
#   PYTHON=python3   which has pip
#   PACKAGES=FILE    in the place of packages.txt
#
# Of an sdist, the folder NAME-VERSION at its top is left out: DIR/NAME has what is in it.
#
# SPDX-License-Identifier: Apache-2.0
set -u
if [ $# != 1 ]; then
    echo "usage: fetch.sh DIR" >&2
    exit 2
fi
into=$1
packages=${PACKAGES:-$(dirname "$0")/packages.txt}
python=${PYTHON:-python3}
platforms=(any)
for glibc in 17 24 27 28 34; do platforms+=("manylinux_2_${glibc}_$(uname -m)"); done
platforms+=("manylinux2014_$(uname -m)")

mkdir -p "$into" || exit 2
temporary=$(mktemp -d "$into/.fetch-XXXXXX") || exit 2
trap 'rm -rf "$temporary"' EXIT

# Puts one archive into the empty folder $temporary/archive. Of an sdist pip wants to know more than
# its file, and may fail to build that: then the file that it has found is downloaded.
download() { # NAME==VERSION KIND
    local pip=("$python" -m pip -vv download --disable-pip-version-check --no-deps
        --dest "$temporary/archive") url
    rm -rf "$temporary/archive"
    if [ "$2" = wheel ]; then
        "${pip[@]}" --only-binary=:all: --python-version 3.12 --implementation cp \
            "${platforms[@]/#/--platform=}" "$1"
    elif ! "${pip[@]}" --no-binary=:all: --no-build-isolation "$1" >"$temporary/pip" 2>&1; then
        cat "$temporary/pip"
        url=$(sed -n 's/.* from \(https:[^ ]*\) to build tracker.*/\1/p' "$temporary/pip" |
            sed -n 1p)
        [ -n "$url" ] && mkdir -p "$temporary/archive" &&
            curl --fail --silent --show-error --output "$temporary/archive/sdist" "$url"
    fi
}

unpack() { # KIND FOLDER PATTERN..
    local kind=$1 folder=$2 archive
    shift 2
    archive=$(find "$temporary/archive" -type f | sed -n 1p)
    mkdir -p "$folder" || return 1
    if [ "$kind" = wheel ]; then
        unzip -q -o -DD "$archive" "$@" -d "$folder"
    else
        tar -x -m -f "$archive" -C "$folder" --strip-components=1 --wildcards "$@"
    fi
}

there=0
while read -r package kind patterns; do
    case $package in '' | '#'*) continue ;; esac
    name=${package%%==*}
    line="$package $kind $patterns"
    if [ "$(cat "$into/$name/.fetched" 2>/dev/null)" = "$line" ]; then
        there=$((there + 1))
        continue
    fi
    set -f # a pattern is not one of files here
    # shellcheck disable=SC2086
    if download "$package" "$kind" >"$temporary/log" 2>&1 &&
        unpack "$kind" "$temporary/new" $patterns >>"$temporary/log" 2>&1 &&
        echo "$line" >"$temporary/new/.fetched" &&
        rm -rf "${into:?}/$name" && mv "$temporary/new" "$into/$name"; then
        there=$((there + 1))
    else
        echo "fetch.sh: $name: could not be fetched"
        [ -z "${V:-}" ] || cat "$temporary/log" >&2
    fi
    set +f
    rm -rf "$temporary/new"
done <"$packages"
[ "$there" -gt 0 ]
