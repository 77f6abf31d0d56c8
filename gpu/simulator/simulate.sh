# simulate.sh - what run.sh and bench.sh share. They read it with SIMULATOR, the folder of a built
# GPGPU-Sim, and PTX as $1 and $2. It makes a folder for the run and sets what the simulator asks of
# its surroundings.
#
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")" && pwd)
library=$(find -L "$1" -name 'libcudart.so*' -print -quit)
config=$(find -L "$1" -path '*SM7_QV100/gpgpusim.config' -print -quit)
if [ ! -f "$library" ] || [ ! -f "$config" ]; then
    echo "$(basename "$0"): $1 has no libcudart.so or no configuration SM7_QV100" >&2
    exit 2
fi
config=$(realpath "$config")
SIMULATED_PTX=$(realpath "$2")
folder=$(mktemp -d)
mkdir "$folder/bin"
for name in cuobjdump ptxas ldd; do ln -s "$here/stand_in.sh" "$folder/bin/$name"; done
ln -s "$(realpath "$library")" "$folder/libcudart.so"
export SIMULATED_PTX LD_LIBRARY_PATH=$folder PATH=$folder/bin:$PATH
export CUDA_INSTALL_PATH=$folder PTXAS_CUDA_INSTALL_PATH=$folder GPGPUSIM_ROOT=$folder
export CUOBJDUMP_SIM_FILE=none CK_FORK=no

# Runs a program, whose output goes to the file `log` of a folder of its own. The card is the V100
# with 8 of its 80 multiprocessors and 16 of its 32 memory channels, which takes less time, and with
# these lines in its configuration.
simulate() { # NAME PROGRAM LINE ..
    local at=$folder/run-$1 program
    program=$(realpath "$2")
    shift 2
    mkdir "$at"
    cd "$at"
    cp "$(dirname "$config")"/* .
    chmod u+w ./*
    printf '%s\n' '' '-gpgpu_n_clusters 8' '-gpgpu_n_mem 16' '-gpgpu_kernel_launch_latency 0' "$@" \
        >>gpgpusim.config
    "$program" >log 2>&1
}
