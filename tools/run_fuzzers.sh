#!/usr/bin/env bash
# run_fuzzers.sh - runs fuzzers, JOBS at a time; make check-fuzz builds and calls them.
#
#   JOBS=2 FUZZ_SECONDS=60 FUZZ_SEED=0 tools/run_fuzzers.sh build/fuzz/FUZZER ..
#
# Each fuzzer runs FUZZ_SECONDS (0: without an end, so name JOBS fuzzers at most), or FUZZ_RUNS
# inputs if that is given. It starts from tests/fuzz/seeds/FUZZER and from the inputs that it found
# before, in FUZZER.corpus beside it.
# With FUZZ_SEED=0 every run draws other inputs. If one finds a fault, its input is in
# FUZZER.crash-* or similar; the others run to their end, and the status is 1.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export seconds=${FUZZ_SECONDS:-60} seed=${FUZZ_SEED:-0} runs=${FUZZ_RUNS:--1}
export seeds=$(dirname "$0")/../tests/fuzz/seeds

fuzz() { # FUZZER
    local fuzzer=$1
    mkdir -p "$fuzzer.corpus"
    if ! "$fuzzer" -max_total_time="$seconds" -runs="$runs" -seed="$seed" \
        -timeout=10 -max_len=4096 \
        -artifact_prefix="$fuzzer." -verbosity=0 -print_final_stats=1 \
        "$fuzzer.corpus" "$seeds/$(basename "$fuzzer")" >"$fuzzer.log" 2>&1; then
        tail -n 40 "$fuzzer.log"
        echo "FAILED: $fuzzer; the input is $fuzzer.crash-*"
        return 1
    fi
    echo "== $fuzzer: $(sed -n 's/.*executed_units: *//p' "$fuzzer.log") inputs"
}
export -f fuzz
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I {} bash -c 'fuzz {}' || exit 1
