#!/usr/bin/env bash
# The same bits everywhere: random calls of topk/ with each instruction set, chosen by
# RCM_TOP_K_ISA; under valgrind, without an error or a leak; and compiled for aarch64 and run by
# qemu, where both are installed (on Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross,
# qemu-user).
#
# Against: each other, bit for bit.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
bits=$build/tests/topk/bits
calls=6000
few=300
[ "${CASES:-}" != few ] || calls=2000

OMP_NUM_THREADS=3 "$bits" $calls >"$folder/best" || fail "bits: $(cat "$folder/best")"
[ "$(wc -l <"$folder/best")" = 6 ] || fail "not six types: $(cat "$folder/best")"
"$bits" isas >"$folder/isas"
[ "$(sed -n '$p' "$folder/isas")" = generic ] || fail "the last is not generic"
while read -r isa; do
    RCM_TOP_K_ISA=$isa "$bits" $calls >"$folder/isa" || fail "$isa: $(cat "$folder/isa")"
    cmp -s "$folder/best" "$folder/isa" ||
        fail "$isa: $(diff "$folder/best" "$folder/isa")"
    [ "$(RCM_TOP_K_ISA=$isa "$bits" isa)" = "$isa" ] || fail "$isa is not in use"
    pass
done <"$folder/isas"
RCM_TOP_K_ISA=none "$bits" $few >"$folder/few" || fail "an instruction set that there is not"
[ "$(RCM_TOP_K_ISA=none "$bits" isa)" = "$(sed -n 1p "$folder/isas")" ] || fail "not the best"
pass

if [ -n "${SANITIZE:-}" ]; then
    echo "SKIPPED: valgrind and qemu do not run with the sanitizers"
elif ! command -v valgrind >/dev/null; then
    echo "SKIPPED: valgrind is not installed"
else
    OMP_NUM_THREADS=1 valgrind -q --suppressions=tests/programs/valgrind.supp --leak-check=full \
        --errors-for-leak-kinds=definite --error-exitcode=99 "$bits" $few \
        >"$folder/valgrind" 2>"$folder/log" || fail "valgrind: $(cat "$folder/log")"
    cmp -s "$folder/few" "$folder/valgrind" || fail "other bits under valgrind"
    pass
fi
if [ -n "${SANITIZE:-}" ] || [ "${CASES:-}" = few ]; then finish; fi

if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    echo "SKIPPED: aarch64 needs aarch64-linux-gnu-gcc and qemu-aarch64"
    finish
fi
# The list of profiles is written by a program, which would have to run here. Of libcheck only the
# header is needed.
arm=$build/aarch64
mkdir -p "$arm/generated" "$folder/include"
cp -p "$build/generated/shipped_profiles.inc" "$arm/generated/"
ln -s /usr/include/check.h /usr/include/check_stdint.h "$folder/include/"
make -s CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar BUILD="$arm" CFLAGS=-O2 SANITIZE= \
    LDFLAGS=-static TEST_LIBS=-lpthread TEST_FLAGS="-I$folder/include" \
    -o "$arm/generated/shipped_profiles.inc" "$arm/tests/topk/bits" >"$folder/log" 2>&1 ||
    fail "make for aarch64: $(cat "$folder/log")"
"$bits" 3000 >"$folder/best"
qemu-aarch64 "$arm/tests/topk/bits" isas >"$folder/isas" || fail "qemu: isas"
while read -r isa; do
    RCM_TOP_K_ISA=$isa qemu-aarch64 "$arm/tests/topk/bits" 3000 >"$folder/arm" ||
        fail "aarch64, $isa"
    cmp -s "$folder/best" "$folder/arm" || fail "aarch64, $isa: other bits"
    pass
done <"$folder/isas"
echo "aarch64: $(tr '\n' ' ' <"$folder/isas")"
finish
