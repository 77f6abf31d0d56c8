#!/usr/bin/env bash
# The kernels as nvcc compiles them, on a simulated GPU: the quick list of `make gpu-sim`, where
# GPGPUSIM names a simulator and make has built the programs; without a simulator, one line says how
# to get one.
#
# Against: plain C, as `test_stage1`.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"

status=0
make -s gpu-sim GPGPUSIM= >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 2 ] && [ ! -s "$folder/out" ] && prints "docs/gpu.md, section 8" <"$folder/err" ||
    fail "without a simulator: status $status, $(cat "$folder/out" "$folder/err")"
pass

programs=("$build"/gpu/simulator/test_{stage1,exact})
[ -d "${GPGPUSIM:-}" ] || skip "a simulated GPU: GPGPUSIM names no simulator"
[ -x "${programs[0]}" ] || skip "a simulated GPU: make gpu-sim has not been run"
CASES=few gpu/simulator/run.sh "$GPGPUSIM" "$build/gpu/simulator/kernels.ptx" "${programs[@]}" ||
    fail "see above"
pass
finish
