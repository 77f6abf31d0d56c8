#!/bin/bash
# ptx.sh - makes one PTX file for GPGPU-Sim out of those of several sources, and FILE.info, the
# registers that each kernel takes.
#
#   gpu/simulator/ptx.sh FILE SOURCE.ptx ..
#
# The simulator reads one file. It takes immediates of 32 bits: flipping bit 63 becomes flipping bit
# 31 of the upper half, and any other wide one is refused here.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
to=$1
shift
flip='{ .reg .b32 %lo, %hi; mov.b64 {%lo, %hi}, \2; xor.b32 %hi, %hi, -2147483648; '
flip+='mov.b64 \1, {%lo, %hi}; }'
{
    printf '.version 7.5\n.target sm_75\n.address_size 64\n'
    awk '/^\.(version|target|address_size)/ { next }
        /^\.extern \.shared/ && seen++ { next }
        !/\.pragma "used_bytes_mask/' "$@" |
        sed "s/xor\.b64\s*\(%rd[0-9]*\), \(%rd[0-9]*\), -9223372036854775808;/$flip/"
} >"$to.new"
if grep -nE -- '-?[0-9]{12,};' "$to.new"; then
    echo "ptx.sh: the simulator takes immediates of 32 bits" >&2
    exit 1
fi
# In the words of CUDA 11.
ptxas -arch sm_75 -v "$to.new" -o /dev/null 2>"$to.all"
sed '/Compile time/d; s/, used [0-9]* barriers//; s/, [0-9]* bytes cumulative stack size//' \
    "$to.all" >"$to.info"
rm "$to.all"
mv "$to.new" "$to"
