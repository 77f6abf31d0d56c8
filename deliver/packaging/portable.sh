#!/usr/bin/env bash
# portable.sh [WHAT ..] - builds model/ and what it needs with other compilers, C libraries and
# machines, and runs its tests there: CONTRIBUTING.md. WHAT: gcc clang musl aarch64 wasm32
# refused; without it all of them. One line for each says what passed; status 1 if anything failed.
#
#   BUILD=build: where the headers and the shipped profiles are, made by make; JOBS=2
#   TESTS="tests/model/cost/test_cost.c ..": only these
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} jobs=${JOBS:-2}
folder=$build/portable
failed=0

strict="-std=c11 -pedantic -ffp-contract=off -Wall -Wextra -Wconversion -Werror"
warnings=$strict
native="$(pkg-config --cflags check jansson gsl gmp)"
native_libraries="$(pkg-config --libs check jansson gsl gmp)"
sysroot=/usr/aarch64-linux-gnu

# compile SOURCE: the object in $out. model/ is plain C11, the others need POSIX; topk/ is written
# in the vector extensions that gcc and clang share, which is not pedantic.
compile() {
    local source=$1 layer=${1%/*} flags=-D_POSIX_C_SOURCE=200809L
    case $source in
        base/*) layer=base ;;
        model/*) layer=model flags= ;;
        calibrate/*) layer=calibrate ;;
        topk/*) flags="$flags -Wno-pedantic -Wno-psabi" ;;
        tests/*) layer=tests ;;
    esac
    # shellcheck disable=SC2086
    $cc $strict $cflags $flags -I"$build/see/$layer" -I"$build/generated" -c "$source" \
        -o "$out/${source//\//_}.o" 2>"$out/${source//\//_}.log"
}

# one_test SOURCE: builds and runs it, and keeps what it says in $out.
one_test() {
    local program=$out/${1##*/}
    program=${program%.c}
    # shellcheck disable=SC2086
    if ! $cc $strict $cflags $test_flags -D_POSIX_C_SOURCE=200809L -I"$build/see/tests" "$1" \
        $also "$out/library.a" $libraries -lm -o "$program" >"$program.said" 2>&1; then
        echo "not built: $1: $(grep -m 1 error "$program.said")"
        return 0
    fi
    local status=0
    # shellcheck disable=SC2086
    CASES=few CK_FORK=no timeout 200 $runs_it "$program" >"$program.said" 2>&1 || status=$?
    if [ $status != 0 ]; then
        echo "FAILED with status $status: $1"
        tail -n 3 "$program.said"
        return 0
    fi
    grep -E '^(stopped|tests|100%|SKIPPED)' "$program.said" || echo "said nothing: $1"
}
export -f compile one_test

# build WHAT CC AR CFLAGS SOURCE ..: library.a in the folder of WHAT. Status 1 if a file does not
# compile without a warning.
build() {
    what=$1 cc=$2 cflags=$4 out=$folder/$1
    local ar=$3
    export what cc cflags out strict build
    shift 4
    rm -rf "$out"
    mkdir -p "$out"
    if ! printf '%s\n' "$@" | xargs -P "$jobs" -I {} bash -c 'compile {}'; then
        echo "$what: a source does not compile:"
        cat "$out"/*.log | sed -n 1,12p
        failed=1
        return 1
    fi
    "$ar" rcs "$out/library.a" "$out"/*.o
}

# run TEST ..: the tests with what the last build made, and one line that sums up. has=no: tests
# that need GMP, GSL or jansson, themselves or by a header beside them, are left out, and named; so
# are always those that fit or simulate.
run() {
    export runs_it test_flags libraries also
    local source chosen=() left=() problems files
    for source; do
        mapfile -t files < <(sed -n "s|^#include \"\(.*\)\"|${source%/*}/\1|p" "$source")
        files+=("$source")
        if grep -qE '#include <(calibrate/(fit|plan|validate)|sim/)' "${files[@]}" || {
            [ "$has" = no ] && grep -qE '#include <(gmp|gsl/|jansson)' "${files[@]}"
        }; then
            left+=("$(basename "$source" .c)")
        else
            chosen+=("$source")
        fi
    done
    printf '%s\n' "${chosen[@]}" | xargs -P "$jobs" -I {} bash -c 'one_test {}' >"$out/said"
    problems=$(grep -vE '^(stopped|tests|100%|SKIPPED)' "$out/said" || true)
    awk -v what="$what" -v left="${left[*]}" -v files="${#chosen[@]}" '
        /^100%/ { sub(/,/, "", $3); passed += $3 }
        /^tests/ { passed += $2; stopped += $4 }
        /^SKIPPED/ { skipped = skipped "\n  " $0 }
        /^stopped/ { names = names "\n    " $2 " " $3 }
        END { printf "%s: %d tests of %d files passed", what, passed, files
              if (stopped) { printf "; %d stopped, which take too long:%s", stopped, names }
              print skipped
              if (left) { print "  left out, for want of a library: " left } }' "$out/said"
    if [ -n "$problems" ]; then
        echo "$problems"
        failed=1
    fi
}

sources=(base/{,*/}*.c model/*/*.c calibrate/runs/*.c programs/common/{device_file,error}.c)
topk=(topk/*.c)
read -ra tests <<<"${TESTS:-$(echo tests/base/{,*/}test_*.c tests/model/{,*/}test_*.c)}"

gcc_and_clang() {
    build "$1" "$1" ar "-O1" "${sources[@]}" || return 0
    # Texts in lists of the tests are joined on purpose.
    local joined=''
    if [ "$1" = clang ]; then joined=-Wno-string-concatenation; fi
    has=all runs_it='' test_flags="$native $joined" libraries=$native_libraries
    also=''
    run "${tests[@]}"
}

musl() {
    build musl musl-gcc ar "-O1" "${sources[@]}" "${topk[@]}" || return 0
    has=no runs_it='' test_flags=-Itests/portable libraries='' also=''
    run "${tests[@]}"
}

aarch64() {
    build aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-ar "-O2" "${sources[@]}" \
        "${topk[@]}" || return 0
    has=no runs_it="qemu-aarch64 -L $sysroot" libraries=-lpthread also=''
    test_flags="-Itests/portable -DEMULATED"
    run "${tests[@]}"
    what="aarch64, topk/"
    also="tests/topk/run.c tests/topk/cases.c tests/topk/oracle.c" strict="-std=c11 -w"
    run tests/topk/test_topk_edges.c tests/topk/test_topk_refusals.c
    strict=$warnings
}

# 32 bits, but with integers of 128: a size_t that becomes shorter is no fault of the formulas.
# Nothing is run.
wasm32() {
    build wasm32 "clang --target=wasm32-wasi" llvm-ar-14 \
        "-O2 -Wno-shorten-64-to-32 -Wno-sign-conversion" model/*/*.c \
        base/{array,decimal,number_list,text}.c || return 0
    echo "wasm32: compiled"
}

# With 32 bits there is one line that says why not.
refused() {
    local said
    said=$(i686-linux-gnu-gcc $strict -I"$build/see/model" -fsyntax-only model/shape/shape.c 2>&1 ||
        true)
    if [ "$(grep -cE '(error|warning):' <<<"$said")" = 1 ] &&
        grep -qF '#error "recallmodel needs a 64-bit machine' <<<"$said"; then
        echo "refused: 32 bits (i686), by one line"
    else
        echo "refused: i686 is not refused by one line: $said"
        failed=1
    fi
}

if [ $# = 0 ]; then set -- gcc clang musl aarch64 wasm32 refused; fi
for what; do
    case $what in
        gcc | clang) gcc_and_clang "$what" ;;
        musl | aarch64 | wasm32 | refused) "$what" ;;
        *)
            echo "portable.sh: there is no '$what': gcc clang musl aarch64 wasm32 refused" >&2
            exit 2
            ;;
    esac
done
exit $failed
