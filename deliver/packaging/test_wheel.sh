#!/usr/bin/env bash
# test_wheel.sh - the wheel and the source distribution, as their users meet them. `make
# check-wheel` runs it after `make wheel`.
#
# For each Python from 3.9 to 3.13 (MINORS="9 13": these two) on the path or of pyenv, the wheel is
# installed into an empty virtual environment, used with only its own programs on the path, and
# removed. Then the types, and the source distribution in a Debian root that has make, a C compiler
# and nothing else. NumPy, cffi, and what the build needs, come from PyPI into build/wheel/packages
# once.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../tests/shell.sh"
wheel=$(ls "$build"/wheel/recallmodel-*.whl | sed -n 1p)
with_gsl=$(ls "$build"/wheel/recallmodel_calibrate-*.whl | sed -n 1p)
sdist=$(ls "$build"/wheel/recallmodel-*.tar.gz | sed -n 1p)
packages=$build/wheel/packages
env=$build/wheel-env/bin/python
here=$PWD/deliver/packaging/wheel_test
pip=(-m pip --quiet --disable-pip-version-check)
mkdir -p "$packages"
[[ $wheel =~ -py3-none-manylinux_2_[0-9]+_(x86_64|aarch64)\.whl$ ]] || fail "the tag of $wheel"

# The Pythons at hand: one line a version.
pythons() {
    for minor in ${MINORS:-9 10 11 12 13}; do
        for path in "$(command -v python3.$minor || true)" \
            "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3.$minor; do
            if [ -x "$path" ] && "$path" -c 'import venv, ensurepip' 2>/dev/null; then
                echo "$path"
                break
            fi
        done
    done
}

# in_venv COMMAND ..: with the programs of the virtual environment on the path, and no others.
in_venv() { (cd "$folder" && env -i HOME="$folder" PATH="$venv/bin" LANG=C.UTF-8 "$@"); }

# same NAME COMMAND -- ARGS ..: the command prints what that of the build prints.
same() {
    "$program" "$@" >"$folder/want" 2>"$folder/want.err" || fail "the build: $*"
    in_venv recallmodel "$@" >"$folder/got" 2>"$folder/err" || fail "$*: $(cat "$folder/err")"
    cmp "$folder/want" "$folder/got" || fail "recallmodel $*: other bytes than the build's"
}

check_python() { # PYTHON
    venv=$folder/venv
    "$1" -m venv "$venv"
    (cd "$venv" && find . | sort) >"$folder/before"
    "$venv/bin/python" "${pip[@]}" download --only-binary :all: --dest "$packages" \
        --find-links "$packages" cffi numpy || fail "pip download"
    local begin=$EPOCHREALTIME
    "$venv/bin/python" "${pip[@]}" install --no-index --find-links "$packages" "$wheel"
    in_venv recallmodel --n 262144 --k 1024 --kb 4 >"$folder/got"
    local end=$EPOCHREALTIME took
    took=$(((${end/./} - ${begin/./}) / 1000))
    "$program" --n 262144 --k 1024 --kb 4 | cmp - "$folder/got" || fail "other bytes"
    echo "python3.${1##*.}: pip install and the first answer: $took ms"
    in_venv python -m recallmodel select --n 131072 --k 2048 --recall 0.95 --m 64 \
        --device h100-pcie >"$folder/got"
    "$program" select --n 131072 --k 2048 --recall 0.95 --m 64 --device h100-pcie |
        cmp - "$folder/got" || fail "python -m recallmodel: other bytes"
    same runs --csv
    same completion bash
    local status=0
    in_venv recallmodel calibrate keyetal/two-stage 2>"$folder/err" || status=$?
    [ $status = 2 ] &&
        grep -q "pip install --find-links build/wheel 'recallmodel\[calibrate\]'" "$folder/err" ||
        fail "calibrate without GSL: status $status, $(cat "$folder/err")"
    "$venv/bin/python" "${pip[@]}" install --no-index --find-links "$packages" \
        --find-links "${with_gsl%/*}" "recallmodel[calibrate]"
    same calibrate keyetal/two-stage --exact keyetal/exact --no-held-out --name X
    in_venv python "$here/module.py" "$venv" "$folder/rows.npy"
    same simulate --file "$folder/rows.npy" --k 64 --b 128 --kb 1..4
    "$program" recall --n 0 --k 1 >"$folder/want" 2>&1 || true
    status=0
    in_venv recallmodel recall --n 0 --k 1 >"$folder/got" 2>&1 || status=$?
    [ $status = 2 ] && cmp "$folder/want" "$folder/got" || fail "bad input: status $status"
    pass
}

# The types: a program that is right, one that is wrong in some lines, and the module itself.
check_types() {
    local flags=(--strict --python-executable "$venv/bin/python")
    (cd "$here" && "$env" -m mypy "${flags[@]}" --cache-dir "$folder/mypy" typed.py) ||
        fail "mypy refuses a program that is right"
    in_venv python "$here/typed.py"
    (cd "$here" && "$env" -m mypy "${flags[@]}" --cache-dir "$folder/mypy" wrong.py) \
        >"$folder/out" || true
    grep -o '^wrong.py:[0-9]*: error' "$folder/out" | sort -u | grep -o '[0-9]*' >"$folder/got"
    grep -n '# E$' "$here/wrong.py" | grep -o '^[0-9]*' | sort -u >"$folder/want"
    cmp "$folder/want" "$folder/got" || fail "mypy on wrong.py: $(cat "$folder/out")"
    # Not in the source tree, whose libraries may be of another build.
    (cd "$folder" && "$env" -m mypy --ignore-missing-imports --cache-dir mypy \
        --python-executable "$venv/bin/python" -p recallmodel) || fail "mypy refuses the module"
    "$build/wheel-env/bin/vermin" --quiet --target=3.9- --no-tips python setup.py \
        deliver/packaging/declarations.py >"$folder/out" ||
        fail "not of Python 3.9: $(cat "$folder/out")"
    pass
}

# After removing, nothing is left. pip itself leaves caches of what has run.
check_removed() {
    in_venv python "${pip[@]}" uninstall --yes recallmodel-calibrate recallmodel numpy cffi \
        pycparser
    (cd "$venv" && find . | sort) >"$folder/after"
    diff <(grep -v __pycache__ "$folder/before") <(grep -v __pycache__ "$folder/after") ||
        fail "uninstalling left something"
    [ -z "$(find "$venv" -name '*recallmodel*')" ] || fail "uninstalling left a file"
    pass
}

# What the wheel contains: only libraries of the C library are asked for, each licence, and no path
# of the machine that built it.
check_contents() {
    "$env" -m zipfile -l "$wheel" >"$folder/list"
    for name in bin/recallmodel py.typed _ffi.py runs/index.csv licenses/LICENSE \
        licenses/deliver/packaging/licenses/{Random123,GPL-3,libgomp,jansson}.txt \
        recallmodel.libs/libgomp; do
        prints "$name" <"$folder/list" || fail "the wheel lacks $name"
    done
    if grep -E 'libgsl|libjansson|libopenblas|libpython' "$folder/list"; then
        fail "the wheel carries what it should not"
    fi
    "$env" -m zipfile -l "$with_gsl" | prints licenses/deliver/packaging/licenses/GPL-3.txt ||
        fail "the wheel with GSL lacks its licence"
    "$env" -m zipfile -e "$wheel" "$folder/contents"
    if grep -rlaF -e "$PWD" -e "${TMPDIR:-/tmp}/tmp." "$folder/contents"; then
        fail "the wheel names folders of the machine that built it"
    fi
    rm -r "$folder/contents"
    pass
}

# A second build of both, at another time and in another folder, gives the same bytes.
check_same_bytes() {
    local epoch
    epoch=$("$env" -c 'import sys, tarfile; print(tarfile.open(sys.argv[1]).next().mtime)' "$sdist")
    export SOURCE_DATE_EPOCH=$epoch
    "$env" deliver/packaging/sdist.py "$folder/again" "$build/jansson" >/dev/null
    cmp "$sdist" "$folder/again/${sdist##*/}" || fail "make sdist: other bytes"
    deliver/packaging/wheel.sh "$env" "$sdist" "$folder/again" >/dev/null
    for file in "$wheel" "$with_gsl"; do
        cmp "$file" "$folder/again/${file##*/}" || fail "make wheel: other bytes in ${file##*/}"
    done
    pass
}

# The source distribution, with make, a C compiler and nothing else; and the wheel without NumPy.
check_bare_root() {
    if ! command -v mmdebstrap >/dev/null; then
        echo "SKIPPED: the sdist in a bare root: there is no mmdebstrap"
        return
    fi
    local root=$folder/root
    mkdir "$root"
    "$env" "${pip[@]}" download --only-binary :all: --dest "$packages" \
        --find-links "$packages" --no-deps setuptools==84.2.1 wheel==0.48.0 packaging==26.3 \
        pycparser==3.12
    "$env" "${pip[@]}" download --only-binary :all: --python-version 3.11 \
        --dest "$packages" --find-links "$packages" cffi numpy
    cp -r "$packages" "$root/packages"
    cp "$sdist" "$wheel" "$here"/* "$root/"
    "$program" --n 262144 --k 1024 --kb 4 >"$root/wanted"
    tar -cf "$root.tar" -C "$root" .
    timeout 900 mmdebstrap --quiet --variant=apt --include=gcc,libc6-dev,make,python3-venv \
        --customize-hook="tar-in $root.tar /root" \
        --customize-hook="chroot \"\$1\" env CFLAGS='${CFLAGS:--O2}' sh /root/in_bare_root.sh" \
        bookworm /dev/null >"$folder/out" 2>"$folder/err" ||
        fail "bare root: $(cat "$folder/out" "$folder/err" | tail -n 9)"
    for line in sdist step wheel; do
        cat "$folder/out" "$folder/err" | grep "^$line: " || fail "bare root: no line of the $line"
    done
    pass
}

check_contents
count=0
typed=""
for python in $(pythons); do
    check_python "$python"
    # The types of older NumPys are not those of today's mypy.
    if [ "${python##*.}" -ge 11 ] && [ -z "$typed" ]; then
        check_types
        typed=$python
    fi
    check_removed
    rm -rf "$venv"
    count=$((count + 1))
done
[ -n "$typed" ] || echo "SKIPPED: the types: no Python of 3.11 or newer"
[ $count -gt 0 ] || fail "no Python from 3.9 to 3.13 with venv is at hand"
check_bare_root
check_same_bytes
finish
