#!/bin/sh
# stand_in.sh - takes the place of the programs that GPGPU-Sim calls, under their names: cuobjdump
# gives the PTX of the kernels, ptxas what ptx.sh noted of it, and ldd the version of CUDA that the
# simulator knows.
#
# SPDX-License-Identifier: Apache-2.0
case $(basename "$0") in
cuobjdump)
    # -lptx PROGRAM, or -xptx FILE PROGRAM
    if [ "$1" = -lptx ]; then
        echo "PTX file    1: $(basename "$2").1.sm_75.ptx"
    else
        cp "$SIMULATED_PTX" "$2"
    fi
    ;;
ptxas) cat "$SIMULATED_PTX.info" >&2 ;;
ldd) echo "libcudart.so.11.0 => the simulator" ;;
esac
