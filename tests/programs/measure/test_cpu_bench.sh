#!/usr/bin/env bash
# recallmodel bench as people use it: what it writes, resumes and rejects; its grids. Times are only
# looked at to be there.
#
# Against: the recall of the command and of `simulate`; the columns of `recallmodel-bench`.
#
# Slow: 9 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/benches.sh
unset RCM_TOP_K_ISA
bench() { "$program" bench "$@"; }

# What is measured is proved, and its numbers are right: recall against the command's own, shares,
# threads, instruction set, level of cache. The same rows give one recall for any number of threads.
small=(--n 3000 --k 40 --b 40 --kb 2 --m 3 --cache warm)
bench stage1 --on cpu "${small[@]}" --assignment interleaved,contiguous --dtype float32,int8 \
    --threads 1,2 --csv >"$folder/stage1" 2>"$folder/stderr"
[ "$(rows "$folder/stage1")" = 9 ] || fail "stage1: $(rows "$folder/stage1") rows"
grep -q "recallmodel: 8 measured, 0 measured before, 0 left out, 0 wrong, 0 failed, 0 left to do" \
    "$folder/stderr" || fail "stage1 says $(cat "$folder/stderr")"
for name in recall recall_model bandwidth_share time_us_low roof_us_median cost_basic; do
    column "$folder/stage1" $name | awk '!($1 > 0) { exit 1 } END { if (NR != 8) exit 1 }' ||
        fail "stage1: $name"
done
[ "$(column "$folder/stage1" threads | sort | uniq -c | xargs)" = "4 1 4 2" ] || fail "threads"
[ "$(paste -d, <(column "$folder/stage1" dtype) <(column "$folder/stage1" assignment) \
    <(column "$folder/stage1" recall) | sort -u | wc -l)" = 4 ] ||
    fail "recall depends on the threads"
[ -z "$(column "$folder/stage1" level | grep -Ev '^(L1|L2|L3|memory|)$' || true)" ] ||
    fail "levels"
best=$(column "$folder/stage1" isa | sort -u)
grep -q "^# recallmodel bench .* git=[^ ]* date=20.* cpu=\"[^\"]*\" .* compiler=\"[^\"]*\"" \
    "$folder/stage1" || fail "the head says $(sed -n 1p "$folder/stage1")"
"$program" --n 3000 --k 40 --b 40 --kb 2 --csv >"$folder/model"
[ "$(column "$folder/stage1" recall_model | cut -c1-8 | sort -u)" = \
    "$(column "$folder/model" recall | cut -c1-8)" ] || fail "the model's recall"
pass
bench exact --n 500 --k 40 --kernel threshold,threshold-sorted,quickselect --isa generic \
    --input normal,equal --once >"$folder/out" 2>&1 || fail "exact --once"
[ ! -s "$folder/out" ] || fail "--once says $(cat "$folder/out")"
bench exact --n 500 --k 40 --kernel quickselect --isa generic --csv >"$folder/exact" \
    2>/dev/null
[ "$(column "$folder/exact" isa | sort -u)" = generic ] || fail "--isa generic"
[ "$(column "$folder/exact" level | sort -u)" = memory ] || fail "a cold row is in memory"
RCM_TOP_K_ISA=generic bench exact --n 500 --k 4 --list | prints ',generic,$' ||
    fail "RCM_TOP_K_ISA"
# both benchmarks have the same columns, but for those of their own
for file in stage1 exact; do
    awk -F, '/^#/ { next } !n { n = NF } NF != n { exit 1 }' "$folder/$file" ||
        fail "$file: rows of other lengths"
done
if [ -x "$build/gpu/recallmodel-bench-emulated" ]; then
    "$build/gpu/recallmodel-bench-emulated" exact --n 100 --k 4 --csv 2>/dev/null |
        sed -n '/^work/s/,sm_clock_mhz,.*//p' >"$folder/gpu-columns"
    sed -n "/^work/{s/,threads,isa,busy//;s/,level,.*//;p}" "$folder/exact" |
        cmp -s - "$folder/gpu-columns" || fail "other columns than those of recallmodel-bench"
fi
pass

# Without --csv and -o it is a table: names that all cells share above it, the others behind the
# work; exact top-k has neither buckets nor recall.
two=(--n 3000 --k 20,40 --b 40 --kb 2 --m 3 --cache warm)
bench two-stage "${two[@]}" >"$folder/table" 2>"$folder/stderr" || fail "a table"
[ "$(wc -l <"$folder/table")" = 4 ] &&
    sed -n 1p "$folder/table" | prints ': float32, interleaved, normal, warm$' &&
    sed -n 2p "$folder/table" |
    prints '^work  *n  *k  *b  *k_b  *m  *threads  *time us  *+- %  *x roof  *recall  *z$' &&
    sed -n 3p "$folder/table" |
    prints '^two-stage  *3000  *20  *40  *2  *3  *1  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[01]' ||
    fail "the table is $(cat "$folder/table")"
[ -z "$(grep '^#' "$folder/table" || true)" ] || fail "remarks in a table"
bench exact --n 500 --k 40 --kernel threshold,quickselect --cache warm --input normal,equal \
    >"$folder/table" 2>"$folder/stderr" || fail "a table of exact top-k"
sed -n 2p "$folder/table" | prints 'x roof$' &&
    prints '^exact quickselect equal  *500  *40  *-  *-' <"$folder/table" ||
    fail "the table is $(cat "$folder/table")"
# -o writes CSV and prints the same table
bench two-stage "${two[@]}" -o "$folder/both" >"$folder/beside" 2>/dev/null
[ "$(rows "$folder/both")" = 3 ] && sed -n 2p "$folder/beside" | prints '^work  *n ' &&
    [ "$(wc -l <"$folder/beside")" = 4 ] || fail "-o prints $(cat "$folder/beside")"
bench exact --n 500 --k 4,5 --minutes 1e-9 2>&1 >/dev/null |
    prints "left to do; with -o FILE the same command continues" || fail "--minutes without -o"
pass

# Rows of a file: the recall that simulate counts on them, and its z; the first m of them.
make_rows() { # file, type, code: x is an array of that type
    python3 - "$@" <<'PYTHON'
import struct, sys
path, descr, code = sys.argv[1:]
x = eval(code)
head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (descr, len(x), len(x[0]))
head += " " * ((-len(head) - 11) % 64) + "\n"
with open(path, "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    for row in x:
        out.write(struct.pack("<%d%s" % (len(row), {"f4": "f", "u2": "H"}[descr[1:]]), *row))
PYTHON
}
make_rows "$folder/my rows.npy" "<f4" \
    "[[(i * 7919 + r * 104729) % 100003 / 1000 for i in range(2000)] for r in range(60)]"
real=(--rows "$folder/my rows.npy" --k 40 --b 50 --kb 1,2 --cache warm)
bench two-stage "${real[@]}" --csv >"$folder/file" 2>/dev/null || fail "--rows"
"$program" simulate --file "$folder/my rows.npy" --k 40 --b 50 --kb 1,2 --csv >"$folder/simulated"
for name in recall z; do
    awk 'NR == FNR { a[NR] = $1; next } { d = $1 - a[FNR] } d > 1e-7 || d < -1e-7 { bad = 1 }
        END { exit !(FNR == 2 && !bad) }' <(column "$folder/simulated" $name) \
        <(column "$folder/file" $name) || fail "--rows: another $name than that of simulate"
done
[ "$(column "$folder/file" input | sort -u)/$(column "$folder/file" m | sort -u)" = my_rows/60 ] ||
    fail "--rows: input and m"
"$program" simulate --file "$folder/my rows.npy" --repetitions 7 --k 40 --b 50 --kb 1,2 --csv |
    column /dev/stdin recall >"$folder/first"
bench two-stage "${real[@]}" --m 7 --dtype float64 --csv 2>/dev/null | column /dev/stdin recall |
    awk 'NR == FNR { a[NR] = $1; next } $1 - a[FNR] > 1e-7 || a[FNR] - $1 > 1e-7 { exit 1 }' \
        "$folder/first" - || fail "--rows --m: not the first rows"
bench exact --rows "$folder/my rows.npy" --m 1 --k 5 --cache warm --dtype float16,bfloat16 \
    >/dev/null 2>"$folder/stderr" || fail "--rows of other types: $(cat "$folder/stderr")"
# bfloat16, all NaN in one row
make_rows "$folder/bf16.npy" "<u2" "[[0x7fc0] * 70, [0x3f80 + i for i in range(70)]]"
bench exact --rows "$folder/bf16.npy" --k 5 --cache warm --dtype bfloat16 2>&1 >/dev/null |
    prints "1 measured" || fail "--rows of bfloat16"
pass

# A killed run leaves half a row. The same command cuts it off and measures what is missing, once.
file=$folder/runs.csv
bench two-stage --grid cpu-tiny -o "$file" >"$folder/table" 2>/dev/null &
process=$!
wait_for_rows "$file" 4
kill -KILL $process
wait_for $process 20 2>/dev/null || true
measured=$(($(rows "$file") - 1))
[ "$measured" -ge 3 ] && [ "$measured" -lt 28 ] || fail "the killed run measured $measured"
head -c -20 "$file" >"$folder/cut"
cp "$folder/cut" "$file"
cells=$(bench two-stage --grid cpu-tiny --list | tail -n +2 | wc -l)
bench two-stage --grid cpu-tiny --minutes 0.001 -o "$file" >/dev/null 2>"$folder/stderr" ||
    fail "--minutes: $(cat "$folder/stderr")"
grep -q "measured, .* left to do; run the same command again" "$folder/stderr" ||
    fail "--minutes says $(cat "$folder/stderr")"
[ "$(rows "$file")" -ge "$measured" ] && [ "$(rows "$file")" -lt "$cells" ] ||
    fail "resuming for a moment left $(rows "$file") rows of $cells"
bench stage1 "${small[@]}" -o "$folder/three" >/dev/null 2>&1
bench stage1 "${small[@]}" -o "$folder/three" >/dev/null 2>"$folder/stderr"
grep -q "0 measured, 1 measured before" "$folder/stderr" || fail "resuming: $(cat "$folder/stderr")"
# another number of threads is another cell
bench stage1 "${small[@]}" --threads 2 -o "$folder/three" >/dev/null 2>"$folder/stderr"
grep -q "1 measured, 0 measured before" "$folder/stderr" || fail "threads: $(cat "$folder/stderr")"
echo "another,table" >"$folder/other"
bench stage1 "${small[@]}" -o "$folder/other" >/dev/null 2>"$folder/stderr" &&
    fail "it writes into another table"
grep -q "has other columns" "$folder/stderr" && [ "$(cat "$folder/other")" = "another,table" ] ||
    fail "another table: $(cat "$folder/stderr")"
printf "a letter" >"$folder/other" # not the unfinished line of a killed run
bench stage1 "${small[@]}" -o "$folder/other" >/dev/null 2>&1 && fail "it writes into a letter"
[ "$(cat "$folder/other")" = "a letter" ] || fail "a letter was cut off"
pass

# The slowest calls, beside a busy process that ends with it.
bench stage1 "${small[@]}" --load 1 --csv >"$folder/tail" 2>"$folder/stderr" ||
    fail "--load: $(cat "$folder/stderr")"
awk -F, '$1 == "stage1" { c[$1] = $0
        exit !($16 == 1 && $17 == 10000 && $18 == "count" && $20 <= $(NF - 2) &&
               $(NF - 2) <= $(NF - 1) && $(NF - 1) <= $NF) }' "$folder/tail" ||
    fail "--load: $(tail -1 "$folder/tail")"
bench stage1 "${small[@]}" --load 0 2>/dev/null | prints "99 %      99.9 %     slowest" ||
    fail "the table of --load"
rejects "--load 300: at most 256" "$program" bench stage1 --load 300
for load in "" "--load 0" "--load 1" "--load 1"; do # each load is another cell
    # shellcheck disable=SC2086 # none, or two words
    bench stage1 "${small[@]}" $load -o "$folder/loads" >/dev/null 2>&1 || fail "$load: -o"
done
[ "$(grep -c "^stage1" "$folder/loads")" = 3 ] || fail "--load: $(cat "$folder/loads")"
pass

# Ctrl-C, a full disk.
interrupts "$folder/stopped" "$program" bench two-stage --grid cpu-small
for form in "" --csv "-o /dev/full"; do
    # shellcheck disable=SC2086 # none, one or two words
    bench stage1 "${small[@]}" $form >/dev/full 2>"$folder/stderr" && fail "a full disk, $form"
    grep -q "No space left" "$folder/stderr" || fail "a full disk, $form: $(cat "$folder/stderr")"
done
# a reader that has left ends a table, but not a file
status=0
bench exact --n 500,600,700 --k 4 --cache warm 2>"$folder/stderr" | true || status=$?
prints "3 measured" <"$folder/stderr" && fail "it measures for nobody"
bench exact --n 500,600,700 --k 4 --cache warm -o "$folder/kept" 2>"$folder/stderr" | true || true
[ "$(rows "$folder/kept")" = 4 ] || fail "a closed pipe stops -o: $(cat "$folder/stderr")"
pass

# The grids: every cell once, and those of cpu-small are as many as fit into five minutes.
for grid in "two-stage cpu-small" "two-stage cpu-types" "two-stage cpu-tiny" "exact cpu-targets" \
    "stage1 cpu-levels" "two-stage samaga-2"; do
    read -r work name <<<"$grid"
    bench "$work" --grid "$name" --list >"$folder/list" || fail "$name"
    [ "$(sort "$folder/list" | uniq -d | wc -l)" = 0 ] || fail "$name has a cell twice"
    [ "$(wc -l <"$folder/list")" -gt 10 ] && [ "$(wc -l <"$folder/list")" -lt 900 ] ||
        fail "$name has $(wc -l <"$folder/list") cells"
    bench "$work" --help | prints "^  $name  *[a-zST]" || fail "--help leaves out $name"
done
bench two-stage --grid cpu-small --list >"$folder/list"
awk -F, 'NR > 1 && $8 > 1 && $6 % $8 { odd++ } NR > 1 && $8 > 1 && $6 % $8 == 0 { even++ }
    END { exit !(odd > 50 && even > 50) }' "$folder/list" ||
    fail "cpu-small: b that divides n, and b that does not"
# samaga-2: each shape of the print is there as both stages and as stage 1, its candidates as exact
# top-k
bench two-stage --grid samaga-2 --list >"$folder/list"
tail -n +2 runs/samaga/table-2.csv | cut -d, -f4-8 | sort -u >"$folder/printed"
for work in two-stage stage1; do
    grep "^$work," "$folder/list" | cut -d, -f6-10 | sort >"$folder/ours"
    [ -z "$(comm -13 "$folder/ours" "$folder/printed")" ] || fail "samaga-2: shapes of $work"
done
awk -F, 'NR == FNR { if (FNR > 1) need[$6 * $7 "," $5] = 1; next }
    $1 == "exact" { delete need[$6 "," $7]; exact += $6 == 262144 }
    END { for (n in need) bad = 1; exit bad || exact != 1 }' runs/samaga/table-2.csv \
    "$folder/list" || fail "samaga-2: exact top-k"
pass

# One line and status 2 for wrong arguments.
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" bench "${@:2}"
}
refuse "bench needs the name of what to time: stage1, exact, two-stage or cells"
refuse "'--n' comes before the name of what to time; begin with stage1, exact, two-stage or cells" \
    --n 5
refuse "bench 'fused' is not known; give one of stage1, exact, two-stage, cells" fused
refuse "--on gpu: the program recallmodel-bench times GPUs; give --on cpu" stage1 --on gpu
refuse "--on 'tpu' is not known; did you mean cpu?" stage1 --on tpu
refuse "--isa 'mmx' is not known; give one of $best" exact --isa mmx
refuse "--threads '0' is" stage1 --threads 0
refuse "threads must be at most 1024" stage1 --threads 5000
refuse "quickselect runs on one thread only" exact --kernel quickselect --threads 2
refuse "unknown option '--nn'; the options here are --n --k --b --kb" stage1 --nn 5
refuse "unknown option '--timing'" stage1 --timing graph
refuse "unknown option '--b'; the options here are --n --k --m --threads" exact --b 5
refuse "--kernel 'radix' is not known; give one of threshold" exact --kernel radix
refuse "--dtype 'double' is not known; give one of float32, float16, bfloat16, float64" \
    exact --dtype double
refuse "--cache 'cold,warm' is not known; give one of cold, warm" exact --cache cold,warm
refuse "--grid 'key-17' is not known; give one of cpu-small" two-stage --grid key-17
refuse "--grid cpu-small is a grid of recallmodel bench two-stage" stage1 --grid cpu-small
refuse "--grid has its own cells; leave out --n, --k, --b, --kb, --m, --threads" \
    two-stage --grid cpu-small --threads 2
refuse "--rows $folder/none cannot be opened" exact --rows "$folder/none"
refuse "is not a .npy or .safetensors file" exact --rows "$0"
refuse "--n 5 is not the length of a row of --rows, 2000; leave --n out" stage1 "${real[@]}" --n 5
refuse "--m 61 is more than the 60 rows of --rows; give at most that" stage1 "${real[@]}" --m 9,61
refuse "--rows gives the inputs; leave --input out" stage1 "${real[@]}" --input equal
refuse "--rows has real numbers; leave --dtype int32 out" stage1 "${real[@]}" --dtype int32
refuse "--rows has its own n, and --grid its own cells; leave one out" \
    two-stage "${real[@]}" --grid cpu-tiny
refuse "-o x is CSV; leave --csv out, or -o for CSV on stdout" exact -o x --csv
refuse "no combination can be run: b must be at most n, and kb at most the size of a bucket" \
    stage1 --n 100 --b 20 --kb 6
refuse "k must be at most n" exact --n 100 --k 200
refuse "b kb must be at least k" stage1 --n 100 --k 50 --b 10 --kb 2
refuse "kb must be at most k" two-stage --n 100 --k 2 --b 10 --kb 3
refuse "n must be below 2^31" exact --n 2^31 --k 5
bench exact --n 2^30 --m 2^10 --k 5 >"$folder/out" 2>"$folder/stderr" || fail "too many rows"
grep -q "left out exact,.*: inputs: not enough memory" "$folder/stderr" ||
    fail "too many rows: $(cat "$folder/stderr")"
pass

# The help of each: every option, its kernels and its grids; at most 100 columns.
for command in stage1 exact two-stage cells; do
    bench $command --help >"$folder/help" 2>"$folder/stderr" || fail "$command --help"
    [ ! -s "$folder/stderr" ] || fail "$command --help says $(cat "$folder/stderr")"
    grep -q "^usage: recallmodel bench $command" "$folder/help" || fail "the usage of $command"
    [ -z "$(awk 'length > 100' "$folder/help")" ] || fail "$command --help is wide"
    status=0; bench $command --zzzzzzzz 2>"$folder/stderr" || status=$?
    for option in $(sed 's/.*the options here are //' "$folder/stderr"); do
        grep -q "^  $option " "$folder/help" || fail "$command --help leaves out $option"
    done
done
pass
finish
