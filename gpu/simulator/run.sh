#!/bin/bash
# run.sh - runs programs on GPGPU-Sim, side by side, and prints their last lines. The log of one
# that fails stays.
#
#   gpu/simulator/run.sh SIMULATOR PTX PROGRAM ..
#
# SCHEDULER, if it is set, orders the warps: lrr (default), gto or two_level_active:6:0:1.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
. "$(dirname "$0")/simulate.sh"
shift 2
pids=()
for program in "$@"; do
    simulate "$(basename "$program")" "$program" "-gpgpu_scheduler ${SCHEDULER:-lrr}" &
    pids+=($!)
done
failed=0
for i in "${!pids[@]}"; do
    wait "${pids[$i]}" || failed=1
    log=$folder/run-$(basename "${@:i+1:1}")/log
    grep -aE '^[0-9]+%: |agree with|:[FE]:|Assertion|Syntax error' "$log" || failed=1
    grep -aq '^100%: ' "$log" || failed=1
    echo "$(basename "${@:i+1:1}"): $(grep -ac '^kernel_name' "$log") kernels simulated"
done
if [ $failed = 1 ]; then
    echo "run.sh: a program failed; the logs are in $folder" >&2
    exit 1
fi
rm -r "$folder"
