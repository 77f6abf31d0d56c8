#!/usr/bin/env bash
# test_wheel_cuda.sh - the wheel of the CUDA kernels where there may be no GPU. `make
# check-wheel-cuda` runs it after `make wheel wheel-cuda`.
#
# What the wheel contains, links and is compiled for (by NVCC_FLAGS), its size, and the same bytes
# again; then it is installed beside the other one, used without PyTorch, and removed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../tests/shell.sh"
MOST_BYTES=20000000
command -v "${NVCC:-nvcc}" >/dev/null || skip "the CUDA wheel: there is no nvcc"
wheel=$(ls "$build"/wheel/recallmodel_cuda-*.whl | sed -n 1p)
env=$build/wheel-env/bin/python
here=$PWD/deliver/packaging/wheel_test
pip=(-m pip --quiet --disable-pip-version-check)
# Not every CUDA toolkit has cuobjdump; PyPI does.
inspect=$(command -v cuobjdump || echo "$build"/wheel/cuobjdump/nvidia/cu13/bin/cuobjdump)
[ -x "$inspect" ] || "$env" "${pip[@]}" install --no-deps --target "$build/wheel/cuobjdump" \
    nvidia-cuda-cuobjdump==13.5.37
packages=$build/wheel/packages
venv=$folder/venv
contents=$folder/contents/recallmodel_cuda

# in_venv COMMAND ..: with the programs of the virtual environment on the path, and no others.
in_venv() { (cd "$folder" && env -i HOME="$folder" PATH="$venv/bin" LANG=C.UTF-8 "$@"); }

check_contents() {
    [[ $wheel =~ -py3-none-manylinux_2_[0-9]+_x86_64\.whl$ ]] || fail "the tag of $wheel"
    [ "$(stat -c %s "$wheel")" -le $MOST_BYTES ] ||
        fail "$(stat -c %s "$wheel") bytes, of $MOST_BYTES at most"
    "$env" -m zipfile -e "$wheel" "$folder/contents"
    (cd "$folder/contents" && find . -type f | sed 's|/recallmodel_cuda-[^/]*|/info|' | sort) \
        >"$folder/list"
    for name in recallmodel_cuda/librecallmodel-bench.so info/licenses/LICENSE \
        info/licenses/deliver/packaging/licenses/{CCCL,Random123,README}.txt; do
        grep -qx "./$name" "$folder/list" || fail "the wheel lacks $name"
    done
    if grep -E 'recallmodel_cuda\.libs|GPL|libgomp' "$folder/list"; then
        fail "the wheel carries what it should not"
    fi
    if grep -rlaF -e "$PWD" -e "${TMPDIR:-/tmp}/tmp." "$folder/contents"; then
        fail "the wheel names folders of the machine that built it"
    fi
    pass
}

# Neither the driver nor a library of CUDA is linked; and auditwheel finds what the tag says.
check_links() {
    objdump -p "$contents"/*.so* | sed -n 's/^ *NEEDED *//p' | sort -u >"$folder/needed"
    if grep -vE '^(lib(recallmodel-gpu|stdc\+\+|gcc_s|m|c|dl|rt|pthread)|ld-linux-x86-64)\.so\.' \
        "$folder/needed"; then
        fail "the libraries of the wheel ask for more than the system's"
    fi
    local tag=${wheel##*-py3-none-}
    "$env" -m auditwheel show "$wheel" | prints "${tag%.whl}" || fail "auditwheel: another tag"
    pass
}

# check_for COMMAND KINDS: the machine code or PTX is that for which nvcc was asked.
check_for() {
    "$inspect" "$1" "$contents"/librecallmodel-gpu.so.* | grep -o 'sm_[0-9]*[a-z]*' | sort -u \
        >"$folder/got"
    grep -oE "$2" <<<"$NVCC_FLAGS" | sed 's/.*_/sm_/' | sort -u >"$folder/want"
    diff "$folder/want" "$folder/got" || fail "$1: other GPUs than asked for"
    pass
}

# Packed again from the same libraries, with the moment of the first.
check_same_bytes() {
    local sdist epoch
    sdist=$(ls "$build"/wheel/recallmodel-*.tar.gz | sed -n 1p)
    epoch=$("$env" -c 'import sys, tarfile; print(tarfile.open(sys.argv[1]).next().mtime)' "$sdist")
    SOURCE_DATE_EPOCH=$epoch KERNELS=$build/cuda-wheel \
        deliver/packaging/wheel.sh "$env" "$sdist" "$folder/again" >/dev/null
    cmp "$wheel" "$folder/again/${wheel##*/}" || fail "other bytes"
    pass
}

# The extra of recallmodel, and what a user meets: cuda.py.
check_installed() {
    mkdir -p "$packages"
    "$env" -m venv "$venv"
    (cd "$venv" && find . | sort) >"$folder/before"
    "$venv/bin/python" "${pip[@]}" download --only-binary :all: --dest "$packages" \
        --find-links "$packages" cffi numpy || fail "pip download"
    "$venv/bin/python" "${pip[@]}" install --no-index --find-links "$packages" \
        --find-links "$build/wheel" --only-binary :all: "recallmodel[cuda]"
    in_venv python "$here/cuda.py" "$venv" || fail "cuda.py"
    # The benchmark, without PyTorch and, without a driver, in one more line.
    in_venv python -m recallmodel._bench --on gpu device >"$folder/out" \
        2>"$folder/err" || true
    [ -e /dev/nvidiactl ] || same "$folder/err" <(echo "recallmodel-bench: there is no GPU here," \
        "or no driver that CUDA 13 runs on (580 or newer)") "device"
    in_venv python "${pip[@]}" uninstall --yes recallmodel-cuda recallmodel numpy cffi pycparser
    (cd "$venv" && find . | sort) >"$folder/after"
    diff <(grep -v __pycache__ "$folder/before") <(grep -v __pycache__ "$folder/after") ||
        fail "uninstalling left something"
    pass
}

check_contents
check_links
check_for --list-elf 'sm_[0-9]+[a-z]*'
check_for --list-ptx '(code=compute|-arch=sm)_[0-9]+'
check_same_bytes
check_installed
echo "the CUDA wheel: $(stat -c %s "$wheel") bytes"
finish
