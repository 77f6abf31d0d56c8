#!/bin/bash
# bench.sh - times calls on GPGPU-Sim: a CSV, of which the columns are those of other runs.
#
#   gpu/simulator/bench.sh SIMULATOR PTX BENCH <LIST >CSV
#
# LIST has the lines that bench.c reads. m counts the rows of the card that is simulated, a tenth of
# a V100. Time is that of the kernels at 1132 MHz, without the launch. The rows are in the second
# cache, as copying leaves them; CACHE=memory: they are not. JOBS calls are simulated at a time.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
. "$(dirname "$0")/simulate.sh"
export SIMULATED_MULTIPROCESSORS=8
cache=${CACHE:-l2}
[ "$cache" = l2 ] && copies=1 || copies=0
jobs=${JOBS:-2}
split -n "r/$jobs" - "$folder/list-"
pids=()
for list in "$folder"/list-*; do
    simulate "$(basename "$list")" "$3" "-gpgpu_perf_sim_memcpy $copies" <"$list" &
    pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
echo work,kernel,dtype,assignment,cache,device,n,k,b,k_b,m,cycles,time_us
awk -v OFS=, -v cache="$cache" '
    /^CALL/ { cycles = 0 }
    /^gpu_sim_cycle =/ { cycles += $3 }
    /^DONE/ { print $2, $3, $4, $5, cache, "V100 (simulated a tenth)", $6, $7, $8, $9, $10, cycles,
                    sprintf("%.3f", cycles / 1132) }' "$folder"/run-*/log
if [ $failed = 1 ]; then
    echo "bench.sh: a call failed; the logs are in $folder" >&2
    exit 1
fi
rm -r "$folder"
