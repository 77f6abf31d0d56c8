#!/usr/bin/env bash
# bench cells: the cells of a file, in rounds, by `recallmodel bench` and by `recallmodel-bench`.
#
# Against: what --list prints of the same cells given by options.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/benches.sh
unset RCM_TOP_K_ISA
gpu_bench=$build/gpu/recallmodel-bench-emulated
bench() { "$program" bench "$@"; }

# A file of what --list prints, without the columns of no axis, lists the same cells.
round_trip() { # columns, program .. work
    local columns=$1
    shift
    "$@" --list >"$folder/list" 2>/dev/null || fail "$*"
    cut -d, -f"1-$columns" "$folder/list" >"$folder/cells.csv"
    "${program_of[@]}" cells --file "$folder/cells.csv" --list | cmp -s - "$folder/list" ||
        fail "$*: other cells come back"
}
program_of=("$program" bench)
round_trip 14 "${program_of[@]}" two-stage --grid cpu-types
round_trip 14 "${program_of[@]}" two-stage --grid cpu-tiny
program_of=("$gpu_bench")
round_trip 13 "${program_of[@]}" two-stage --grid targets-two-stage
round_trip 13 "${program_of[@]}" stage1 --timing graph --kb 1..3 --assignment contiguous
round_trip 13 "${program_of[@]}" fused --n 4096 --m 2 --k 64
# what is left out is the default of the options
printf 'k,work\n,exact\n7,exact\n,stage1\n7,two-stage\n' >"$folder/cells.csv"
for program_of in "$program bench" "$gpu_bench"; do
    # shellcheck disable=SC2086 # one or two words
    {
        $program_of exact --list
        $program_of exact --k 7 --list | tail -n 1
        $program_of stage1 --list | tail -n 1
        $program_of two-stage --k 7 --list | tail -n 1
    } >"$folder/list"
    # shellcheck disable=SC2086
    $program_of cells --file "$folder/cells.csv" --list | cmp -s - "$folder/list" ||
        fail "$program_of: other defaults"
done
pass

# Rounds: each in a file of its own, with every cell, proved, and without the roof; nothing on
# stdout. The same command measures nothing again. Peers that are not there are no cells.
cat >"$folder/cells.csv" <<'CELLS'
work,kernel,n,k,b,k_b,m,cache,threads
exact,threshold,3000,40,,,3,warm,1
exact,peers,3000,40,,,3,warm,1
two-stage,,3000,40,40,2,3,warm,2
stage1,auto,3000,,40,2,3,warm,
CELLS
cells=(cells --file "$folder/cells.csv" --rounds 3 --seconds 0.01 -o "$folder/out.csv")
bench "${cells[@]}" >"$folder/stdout" 2>"$folder/stderr" || fail "cells: $(cat "$folder/stderr")"
[ ! -s "$folder/stdout" ] || fail "it prints $(cat "$folder/stdout")"
bench cells --file "$folder/cells.csv" --list >"$folder/list"
[ "$(wc -l <"$folder/list")" = 4 ] || fail "the cells are $(cat "$folder/list")"
for file in out.csv out.csv.2 out.csv.3; do
    grep -v '^#' "$folder/$file" | cut -d, -f1-16 | cmp -s - "$folder/list" || fail "$file"
    [ "$(column "$folder/$file" roof_us_median | sort -u)" = "" ] || fail "$file has a roof"
    column "$folder/$file" time_us_median | awk '!($1 > 0) { exit 1 }' || fail "$file: times"
done
[ ! -e "$folder/out.csv.4" ] || fail "a round too many"
before=$(rows "$folder/out.csv")
[ -z "$(bench "${cells[@]}" 2>&1)" ] && [ "$(rows "$folder/out.csv")" = "$before" ] || fail "again"
"$gpu_bench" cells --file <(sed 's/,threads$//;s/,[0-9]*$//' "$folder/cells.csv" |
    sed 's/threshold/radix/;s/3000/300/') -o "$folder/gpu.csv" >/dev/null 2>"$folder/stderr" ||
    fail "on a GPU: $(cat "$folder/stderr")"
[ "$(rows "$folder/gpu.csv")" = 4 ] && [ "$(column "$folder/gpu.csv" wrong_rows | xargs)" = 0 ] ||
    fail "on a GPU: $(cat "$folder/gpu.csv")"
# a minute is over all rounds; Ctrl-C keeps what is there
bench cells --file "$folder/cells.csv" --rounds 2 --minutes 1e-9 -o "$folder/none.csv" \
    2>"$folder/stderr" || fail "--minutes: $(cat "$folder/stderr")"
[ "$(rows "$folder/none.csv")" = 1 ] && [ ! -e "$folder/none.csv.2" ] || fail "--minutes"
bench two-stage --grid cpu-small --list | cut -d, -f1-14 >"$folder/many.csv"
interrupts "$folder/stopped" "$program" bench cells --file "$folder/many.csv"
pass

# Rows of a file are the inputs of all cells.
bench_rows=(cells --file "$folder/rows.csv" --rows "$folder/x.npy")
/usr/bin/python3 -c "import numpy, sys
numpy.save(sys.argv[1], numpy.random.default_rng(5).normal(size=(4, 500)).astype('f4'))" \
    "$folder/x.npy"
printf 'work,k,m,b,cache\nexact,9,,,warm\ntwo-stage,9,2,100,warm\n' >"$folder/rows.csv"
bench "${bench_rows[@]}" --list | cut -d, -f5,6,10 | tail -n 2 | xargs |
    prints '^x,500,4 x,500,2$' || fail "--rows: $(bench "${bench_rows[@]}" --list)"
bench "${bench_rows[@]}" --seconds 0.01 -o "$folder/x.csv" 2>"$folder/stderr" ||
    fail "--rows: $(cat "$folder/stderr")"
pass

# One line and status 2 that names the line of the file.
refuse() { # text of the line, lines of the file
    printf '%b' "$2" >"$folder/bad.csv"
    rejects "$1" "$program" bench cells --file "$folder/bad.csv" "${@:3}"
}
refuse "bad.csv:1, column 'kb' is not known; did you mean k_b?" 'work,kb\nexact,1\n'
refuse "bad.csv:1: there is no column work; add it" 'n\n5\n'
refuse "bad.csv:3, column 1 (work) 'fused' is not known; give one of stage1, exact, two-stage" \
    'work,n\nexact,50\nfused,50\n'
refuse "bad.csv:2, column 2 (n) '0' is" 'work,n\nexact,0\n'
refuse "bad.csv:2, column 2 (n) takes one value here" 'work,n\nexact,1..3\n'
refuse "bad.csv:2, column 2 (kernel) 'radix' is not known; give one of threshold" \
    'work,kernel\nexact,radix\n'
refuse "bad.csv:2, column 2 (dtype) 'f32' is not known" 'work,dtype\nexact,f32\n'
refuse "bad.csv:2, column 2 (cache) 'hot' is not known; give one of cold, warm" \
    'work,cache\nexact,hot\n'
refuse "bad.csv:2: --rows gives the inputs; leave the column input empty" \
    'work,input\nexact,normal\n' --rows "$folder/x.npy"
refuse "no combination can be run: n must be the length of a row of --rows" \
    'work,n,k\nexact,501,5\n' --rows "$folder/x.npy"
refuse "no combination can be run: k must be at most n" 'work,n,k\nexact,5,6\n'
refuse "--rounds writes a file for each; give -o FILE" 'work\nexact\n' --rounds 2
rejects "cells needs the cells; give --file CELLS.csv" "$program" bench cells
rejects "--file: $folder/absent.csv" "$program" bench cells --file "$folder/absent.csv"
printf 'work,threads\nexact,1\n' >"$folder/bad.csv"
rejects "bad.csv:1, column 'threads' is not known" "$gpu_bench" cells --file "$folder/bad.csv"
pass
finish
