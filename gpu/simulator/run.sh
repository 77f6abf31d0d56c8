#!/bin/bash
# run.sh - runs programs on GPGPU-Sim, side by side, and prints their last lines. The log of one
# that fails stays.
#
#   gpu/simulator/run.sh SIMULATOR PTX PROGRAM ..
#
# SIMULATOR is the folder of a built simulator. The card is its V100 with 8 of its 80
# multiprocessors and 16 of its 32 memory channels, which takes less time.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
simulator=$1
here=$(cd "$(dirname "$0")" && pwd)
SIMULATED_PTX=$(realpath "$2")
shift 2
library=$(find -L "$simulator" -name 'libcudart.so*' -print -quit)
config=$(find -L "$simulator" -path '*SM7_QV100/gpgpusim.config' -print -quit)
if [ ! -f "$library" ] || [ ! -f "$config" ]; then
    echo "run.sh: $simulator has no libcudart.so or no configuration SM7_QV100" >&2
    exit 2
fi
folder=$(mktemp -d)
mkdir "$folder/bin"
for name in cuobjdump ptxas ldd; do ln -s "$here/stand_in.sh" "$folder/bin/$name"; done
ln -s "$(realpath "$library")" "$folder/libcudart.so"
export SIMULATED_PTX LD_LIBRARY_PATH=$folder PATH=$folder/bin:$PATH
export CUDA_INSTALL_PATH=$folder PTXAS_CUDA_INSTALL_PATH=$folder GPGPUSIM_ROOT=$folder
export CUOBJDUMP_SIM_FILE=none CK_FORK=no

simulate() { # PROGRAM
    local at=$folder/run-$(basename "$1") program
    program=$(realpath "$1")
    mkdir "$at"
    cd "$at"
    cp "$(dirname "$config")"/* .
    chmod u+w ./*
    printf '\n-gpgpu_n_clusters 8\n-gpgpu_n_mem 16\n-gpgpu_kernel_launch_latency 0\n' \
        >>gpgpusim.config
    "$program" >log 2>&1
}

pids=()
for program in "$@"; do
    simulate "$program" &
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
