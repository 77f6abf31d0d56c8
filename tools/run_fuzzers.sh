#!/usr/bin/env bash
# run_fuzzers.sh - runs fuzzers one after the other; make check-fuzz builds and calls them.
#
#   FUZZ_SECONDS=60 FUZZ_SEED=0 tools/run_fuzzers.sh build/fuzz/FUZZER ..
#
# Each fuzzer runs FUZZ_SECONDS (0: without an end), or FUZZ_RUNS inputs if that is given. It starts
# from tests/fuzz/seeds/FUZZER and from the inputs that it found before, in FUZZER.corpus beside it.
# With FUZZ_SEED=0 every run draws other inputs. The first fuzzer that finds a fault ends the run
# with status 1; its input is in FUZZER.crash-* or similar.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
seconds=${FUZZ_SECONDS:-60}
seed=${FUZZ_SEED:-0}
runs=${FUZZ_RUNS:--1}
seeds=$(dirname "$0")/../tests/fuzz/seeds

for fuzzer; do
    echo "== $fuzzer, $seconds s${FUZZ_RUNS:+, at most $FUZZ_RUNS inputs}"
    mkdir -p "$fuzzer.corpus"
    if ! "$fuzzer" -max_total_time="$seconds" -runs="$runs" -seed="$seed" \
        -timeout=10 -max_len=4096 \
        -artifact_prefix="$fuzzer." -verbosity=0 -print_final_stats=1 \
        "$fuzzer.corpus" "$seeds/$(basename "$fuzzer")" >"$fuzzer.log" 2>&1; then
        tail -n 40 "$fuzzer.log"
        echo "FAILED: $fuzzer; the input is $fuzzer.crash-*"
        exit 1
    fi
    grep executed "$fuzzer.log"
done
