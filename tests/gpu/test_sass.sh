#!/usr/bin/env bash
# gpu/sass.py: it counts the machine code of two kernels and says what it lacks.
#
# Against: a listing in the form of cuobjdump, counted by hand.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
command -v c++filt >/dev/null || skip "there is no c++filt"

mkdir "$folder/bin"
cat >"$folder/bin/cuobjdump" <<'END'
#!/bin/sh
cat <<'LISTING'
 Function _Z1rILi2EEvv:
  REG:64 STACK:112 SHARED:0 LOCAL:0 CONSTANT[0]:528
 Function _Z4tilev:
  REG:24 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:528
    code for sm_90
        Function : _Z1rILi2EEvv
        /*0000*/                   LDC R1, c[0x0][0x28] ;             /* 0x00000a00ff017b82 */
                                                                      /* 0x000e300000000800 */
        /*0010*/                   STL [R1+0x10], R4 ;                /* 0x00000a00ff017b82 */
        /*0020*/              @!P0 STL.64 [R1], R4 ;                  /* 0x00000a00ff017b82 */
        /*0030*/              @P1  LDL.128 R8, [R1+0x20] ;            /* 0x00000a00ff017b82 */
        /*0040*/                   LDL.LU R8, [R3+0x20] ;             /* 0x00000a00ff017b82 */
        /*0050*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;      /* 0x00000a00ff017b82 */
        /*0060*/                   UCGABAR_ARV ;                      /* 0x00000a00ff017b82 */
        /*0070*/                   UCGABAR_WAIT ;                     /* 0x00000a00ff017b82 */
        /*0080*/                   MEMBAR.ALL.GPU ;                   /* 0x00000a00ff017b82 */
        /*0090*/                   ERRBAR ;                           /* 0x00000a00ff017b82 */
        /*00a0*/                   CCTL.IVALL ;                       /* 0x00000a00ff017b82 */
        /*00b0*/              @!UP0 ATOMS.ADD R5, [R2], R4 ;          /* 0x00000a00ff017b82 */
        /*00c0*/                   REDG.E.ADD.STRONG.GPU [R2], R4 ;   /* 0x00000a00ff017b82 */
        /*10000*/                  EXIT ;                             /* 0x00000a00ff017b82 */
        /*10010*/                  NOP;                               /* 0x00000a00ff017b82 */
        ..........
        Function : _Z4tilev
        /*0000*/                   EXIT ;                             /* 0x00000a00ff017b82 */
LISTING
END
chmod +x "$folder/bin/cuobjdump"

PATH=$folder/bin:$PATH "$python" gpu/sass.py library | tr -s ' ' >"$folder/printed"
cat >"$folder/by-hand" <<'END'
 code instr regs stack spill array bar cluster membar cctl atomic kernel
 16 1 24 0 0 0 0 0 0 0 0 tile()
 240 14 64 112 28 1 1 1 2 1 2 void r<2>()
END
same "$folder/printed" "$folder/by-hand" "the table"

if PATH=$folder/bin:$PATH "$python" gpu/sass.py --kernel column library 2>"$folder/stderr" \
    >"$folder/printed"; then
    fail "a kernel that is not there"
fi
grep -qx "sass.py: no such kernel for sm_90 in library" "$folder/stderr" ||
    fail "$(cat "$folder/stderr")"
pass
if PATH=/nowhere "$(command -v "$python")" gpu/sass.py library 2>"$folder/stderr"; then
    fail "no cuobjdump"
fi
grep -qx "sass.py: there is no cuobjdump on PATH" "$folder/stderr" || fail "$(cat "$folder/stderr")"
pass
finish
