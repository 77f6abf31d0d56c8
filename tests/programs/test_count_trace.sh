#!/usr/bin/env bash
# count --trace: the passes of the compacting radix select on the row of a file. The memory of
# count.
#
# Against: what the script of the note on radix top-k prints for its row; the k largest by hand;
# files and options that are wrong.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python

# write_row FILE NUMBER ..: a .npy of these float32.
write_row() {
    python3 - "$@" <<'END'
import struct, sys
row = [float(x) for x in sys.argv[2:]]
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(row)},), }}".ljust(117) + "\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                              header.encode() + struct.pack(f"<{len(row)}f", *row))
END
}

# gives WANT OPTION ..: the rows of the trace with these options.
gives() {
    local want=$1 got
    shift
    got=$("$program" count --trace --file "$folder/row.npy" --csv "$@" | tail -n +2 | tr '\n' ';')
    [ "$got" = "$want" ] || fail "$*: $got"
}
write_row "$folder/row.npy" 12 4 1 8 6 5 13 0 14
gives "1,9,2 3 1 3,,;2,3,1 1 1 0,2 7 1 5,1 0 4 5;" --k 4 --digits 2 --smallest
gives "1,9,2 3 1 3,,;2,1,1 0 0 0,0 6 8 3,12 13 14 8;" --k 4 --digits 2
gives "1,9,1 1 0 0 1 1 1 0 1 0 0 0 1 1 1 0,8,14;" --k 1
gives "1,9,2 0 2 1 1 0 2 1,,;2,1,1 0,8,14;" --k 1 --digits 3
pass

rejects "needs --file; give both" "$program" count --trace --k 4
rejects "needs --trace; give both" "$program" count --file "$folder/row.npy" --k 4
rejects "a --k of at most the 9 elements" "$program" count --trace --file "$folder/row.npy" --k 10
rejects "takes one value up to 8" "$program" count --trace --file "$folder/row.npy" --k 4 --digits 9
rejects "is not a .npy or .safetensors file" "$program" count --trace --file "$0" --k 4
write_row "$folder/row.npy" 1 2.5
rejects "has 2.5; --trace takes whole numbers" \
    "$program" count --trace --file "$folder/row.npy" --k 1
pass

# 2^22 elements of 32 bytes, and what the program itself takes; all elements equal are the most.
if [ -z "${SANITIZE:-}" ]; then
    for shape in "--k 1 --input constant" "--k 64 --digits 9"; do
        # shellcheck disable=SC2086
        (
            ulimit -v 160000
            "$program" count --n 2^22 $shape --csv >"$folder/out"
        ) || fail "memory of count $shape"
    done
    (
        ulimit -v 160000
        rejects "takes 0.268 GB of memory" "$program" count --n 2^23 --k 1
    )
    pass
fi
finish
