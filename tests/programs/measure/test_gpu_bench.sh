#!/usr/bin/env bash
# recallmodel-bench as people use it, on emulated kernels: what it writes, resumes and rejects; its
# grids.
#
# Against: the recall of the model; the published grid, cell for cell.
#
# Slow: 20 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/benches.sh
bench=$build/gpu/recallmodel-bench-emulated

# Every subcommand measures, and its numbers are right: recall against the model of the library,
# shares, counts.
small=(--n 3000 --k 40 --b 40 --kb 1,2 --m 3)
little=(--bytes 65536 --elements 1024 --seconds 0.01)
"$bench" stage1 "${small[@]}" --kernel column,thread_per_bucket,block_per_bucket \
    --assignment interleaved,contiguous --dtype float32,float16 --csv >"$folder/stage1" \
    2>"$folder/stderr"
[ "$(rows "$folder/stage1")" = 25 ] || fail "stage1: $(rows "$folder/stage1") rows"
grep -q "24 measured, 0 measured before, 0 left out, 0 wrong, 0 failed, 0 left to do" \
    "$folder/stderr" ||
    fail "stage1 says $(cat "$folder/stderr")"
for name in recall recall_model bandwidth_share time_us_low cost_basic; do
    column "$folder/stage1" $name | awk '!($1 > 0) { exit 1 }' || fail "stage1: $name"
done
pass
# The same rows whatever the kernel: one recall for each of type, assignment and k_b.
[ "$(awk -F, '/^stage1/ { print $3, $4, $9, $27 }' "$folder/stage1" | sort -u | wc -l)" = 8 ] ||
    fail "recall depends on the kernel"
"$program" --n 3000 --k 40 --b 40 --kb 1 --csv >"$folder/model"
model=$(column "$folder/model" recall | cut -c1-8)
awk -F, '/^stage1/ && $9 == 1 { print substr($28, 1, 8) }' "$folder/stage1" |
    grep -vq "^$model\$" && fail "the model's recall is not $model"
pass
if [ "${CASES:-}" = few ]; then
    "$bench" exact --n 300 --k 4 --kernel radix --csv >"$folder/exact" 2>/dev/null
else
"$bench" exact --n 3000 --k 40 --m 2 --kernel radix,radix-8,histogram,histogram-1-binary,sort \
    --dtype bfloat16 --timing graph --input normal,masked-100 --csv >"$folder/exact" 2>/dev/null
[ "$(rows "$folder/exact")" = 11 ] || fail "exact: $(rows "$folder/exact") rows"
"$bench" exact --n 300 --k 300 --kernel radix,radix-8,histogram,histogram-1-binary,sort \
    --seconds 0.01 --csv >"$folder/all" 2>/dev/null
[ "$(column "$folder/all" wrong_rows | xargs)" = "0 0 0 0 0" ] || fail "k = n: $(cat "$folder/all")"
"$bench" two-stage "${small[@]}" --cache warm --input few,equal,rising --csv >"$folder/both" \
    2>/dev/null
[ "$(rows "$folder/both")" = 7 ] || fail "two-stage"
"$bench" fused --n 1000 --k 16 --b 20 --kb 2 --m 5 \
    --kernel fused,fused-exact,cublas-bf16 --csv >"$folder/fused" 2>"$folder/stderr"
grep -q "left out fused,cublas-bf16.*cuBLAS was not found" "$folder/stderr" ||
    grep -q "3 measured" "$folder/stderr" || fail "fused says $(cat "$folder/stderr")"
[ "$(grep ^fused,fused-exact "$folder/fused" | wc -l)" = 1 ] &&
    [ "$(column "$folder/fused" recall | sed -n 2p)" = 1 ] || fail "fused-exact is not exact"
"$bench" roof "${little[@]}" --device-file "$folder/device" >"$folder/roof" \
    2>/dev/null
[ "$(rows "$folder/roof")" = 48 ] || fail "roof: $(rows "$folder/roof") rows"
"$program" devices --device "$folder/device" --csv | prints emulation ||
    fail "the device file that roof writes is not read"
for file in stage1 exact both fused roof; do
    awk -F, '/^#/ { next } !n { n = NF } NF != n { exit 1 }' "$folder/$file" ||
        fail "$file: rows of other lengths"
done
pass
fi

# A killed run leaves half a row. The same command cuts it off and measures what is missing, once.
file=$folder/runs.csv
"$bench" stage1 "${small[@]}" -o "$file" >"$folder/table" 2>/dev/null
[ "$(wc -l <"$folder/table")" = 4 ] || fail "the table has $(wc -l <"$folder/table") lines"
cp "$file" "$folder/whole"
head -c -20 "$folder/whole" >"$file"
"$bench" stage1 "${small[@]}" -o "$file" >/dev/null 2>"$folder/stderr"
grep -q "1 measured, 1 measured before" "$folder/stderr" ||
    fail "resuming says $(cat "$folder/stderr")"
[ "$(rows "$file")" = 3 ] || fail "resuming left $(rows "$file") rows"
"$bench" stage1 "${small[@]}" -o "$file" >/dev/null 2>"$folder/stderr"
grep -q "0 measured, 2 measured before" "$folder/stderr" ||
    fail "a third run says $(cat "$folder/stderr")"
pass
echo "another,table" >"$folder/other"
"$bench" stage1 "${small[@]}" -o "$folder/other" >/dev/null 2>"$folder/stderr" &&
    fail "it writes into another table"
grep -q "has other columns" "$folder/stderr" && [ "$(cat "$folder/other")" = "another,table" ] ||
    fail "another table: $(cat "$folder/stderr")"
pass

# Ctrl-C, a time limit, a full disk, a closed pipe.
interrupts "$folder/stopped" "$bench" two-stage --grid key-8
"$bench" two-stage --grid key-8 --minutes 0.01 -o "$folder/stopped" >/dev/null 2>"$folder/stderr" ||
    fail "--minutes"
grep -q "left to do; run the same command again" "$folder/stderr" ||
    fail "--minutes says $(cat "$folder/stderr")"
"$bench" stage1 "${small[@]}" >/dev/full 2>"$folder/stderr" && fail "a full disk"
grep -q "No space left" "$folder/stderr" || fail "a full disk: $(cat "$folder/stderr")"
pass

# The papers' grids: as many cells as were published, and the same ones.
count() { "$bench" "$1" --grid "$2" --list | tail -n +2 | sort -u | wc -l; }
for grid in "two-stage key-1 84" "two-stage key-8 48" "exact key-15 140" "two-stage key-17 1932" \
    "two-stage samaga-2 50"; do
    read -r work name cells <<<"$grid"
    [ "$(count "$work" "$name")" = "$cells" ] ||
        fail "$name has $(count "$work" "$name") cells, not $cells"
done
"$bench" two-stage --grid key-17 --list | tail -n +2 | cut -d, -f6-10 | sort >"$folder/ours"
tail -n +2 runs/keyetal/two-stage.csv | cut -d, -f1-5 | sort | cmp - "$folder/ours" ||
    fail "key-17 is not the published grid"
pass

# One line and status 2 for wrong arguments.
refuse() { # text of the line, arguments ..
    rejects "$1" "$bench" "${@:2}"
}
refuse "unknown subcommand 'stage2'; did you mean 'stage1'?" stage2
refuse "unknown subcommand 'select'; the subcommands are stage1, exact, two-stage, fused, cells" \
    select
refuse "unknown option '--nn'; the options here are --n --k --b --kb" stage1 --nn 5
refuse "unknown option '--kernal'; did you mean --kernel?" exact --kernal radix
refuse "unknown option '--outptu'; did you mean --output?" roof --outptu x
refuse "--n needs a value: --n LIST" stage1 --n
refuse "-o needs a value: -o FILE" stage1 -o
refuse "--n needs a value: --n LIST" stage1 --n --k 4
refuse "--once takes no value" stage1 --once=yes
refuse "--n is given twice; give it once, with a list such as 1,2,4" stage1 --n 5 --n 6
refuse "--seconds is given twice" roof --seconds 1 --seconds 2
refuse "--seconds '0' is not a positive number" roof --seconds 0
refuse "the output is given twice" stage1 -o "$folder/a" --output "$folder/b"
refuse "'5' is not an option" stage1 5
refuse "--n '0' is" stage1 --n 0
refuse "--kb '1,4x': '4x' is" stage1 --kb 1,4x
refuse "--dtype 'double' is not known; give one of float32, float16, bfloat16" stage1 --dtype double
refuse "--kernel 'radix' is not known; give one of auto, column" stage1 --kernel radix
refuse "--kernel 'column' is not known; give one of fused, fused-exact" fused --kernel column
refuse "--input 'uniform' is not known" exact --input normal,uniform
refuse "--cache 'cold,warm' is not known; give one of cold, warm" exact --cache cold,warm
refuse "--grid 'key-99' is not known; did you mean key-9?" two-stage --grid key-99
refuse "--grid key-15 is a grid of recallmodel-bench exact" stage1 --grid key-15
refuse "--grid has its own cells; leave out" exact --grid key-15 --n 1000
refuse "--grid has its own cells; leave out" exact --grid key-15 --cache cold
refuse "--minutes '-1' is not a positive number" stage1 --minutes -1
refuse "--minutes 'nan' is not a positive number" stage1 --minutes nan
refuse "--device 'H900' is not known, and no other card answers for it" stage1 --device H900
refuse "unknown option '--b'; the options here are --n --k --m" exact --b 5
refuse "unknown option '--d'" stage1 --d 64
refuse "unknown option '--dtype'; the options here are --n --k --b --kb --m --d --kernel" \
    fused --dtype float16
refuse "d must be 64 or 128" fused --d 100
refuse "no combination can be run: b must be at most n, and kb at most 16" \
    stage1 --n 100 --b 2 --kb 17
refuse "k must be at most n" stage1 --n 100 --k 200 --b 10
refuse "b kb must be at least k" stage1 --n 100 --k 50 --b 10 --kb 2
refuse "--bytes must be from" roof --bytes 5
refuse "--elements must be from" roof --elements 3
refuse "unknown option '--n'; the options here are --bytes --elements --device-file --seconds -o" \
    roof --n 5
refuse "unknown option '--device-file'" stage1 --device-file x
refuse "--device-file '/dev/null' is not a regular file" roof --device-file /dev/null
refuse "unknown option '--n'; the options here are --help" device --n 5
pass

# The help of each subcommand: every option, its kernels and its grids; at most 100 columns.
for command in stage1 exact two-stage fused roof device peers; do
    "$bench" $command --help >"$folder/help" 2>"$folder/stderr" || fail "$command --help"
    [ ! -s "$folder/stderr" ] || fail "$command --help says $(cat "$folder/stderr")"
    "$bench" $command -h | cmp -s - "$folder/help" || fail "$command -h is not --help"
    grep -q "^usage: recallmodel-bench $command" "$folder/help" ||
        fail "$command --help is another's"
    [ -z "$(awk 'length > 100' "$folder/help")" ] ||
        fail "$command --help is wide: $(awk 'length > 100' "$folder/help")"
    "$bench" --help | prints "^  $command  *[a-z]" || fail "--help leaves out $command"
    status=0; "$bench" $command --zzzzzzzz 2>"$folder/stderr" || status=$?
    for option in $(sed 's/.*the options here are //' "$folder/stderr"); do
        grep -q "^  $option " "$folder/help" || fail "$command --help leaves out $option"
    done
done
for names in "stage1 column adversarial" "exact histogram-4-binary key-15" \
    "two-stage histogram key-17" "fused cublas-f32 samaga-3"; do
    read -r command kernel grid <<<"$names"
    "$bench" $command --help >"$folder/help"
    grep -q "[ ,]$kernel\(,\|\$\)" "$folder/help" ||
        fail "$command --help leaves out the kernel $kernel"
    grep -q "^  $grid  *[A-Za-z]" "$folder/help" || fail "$command --help leaves out the grid $grid"
done
status=0; "$bench" >"$folder/out" 2>"$folder/stderr" || status=$?
[ $status = 2 ] && [ ! -s "$folder/out" ] && "$bench" --help | cmp -s - "$folder/stderr" ||
    fail "without a subcommand: status $status"
"$bench" device | prints '^emulation' || fail "device says $("$bench" device)"
version=$("$program" --version | cut -d' ' -f2)
[ "$("$bench" --version)" = "recallmodel-bench $version" ] &&
    [ "$("$bench" -V)" = "$("$bench" --version)" ] ||
    fail "--version"
pass

# Options in both forms; the output by both names; a list of kernels names each once.
"$bench" exact --n=1000 --k 5 --kernel=radix,sort,radix --list >"$folder/list"
[ "$(rows "$folder/list")" = 3 ] || fail "--kernel=radix,sort,radix: $(cat "$folder/list")"
"$bench" exact --n 1000 --k 5 --output "$folder/long" >/dev/null 2>&1 || fail "--output"
[ "$(rows "$folder/long")" = 2 ] || fail "--output wrote $(rows "$folder/long") rows"
"$bench" exact --n 1000 --k 5 -o "$folder/long" 2>&1 >/dev/null | prints "1 measured before" ||
    fail "-o is not --output"
pass

# A device file is written whole or not at all: the old one stays where it cannot be written.
cp "$folder/long" "$folder/roof.csv"
if "$bench" roof "${little[@]}" \
    --device-file "$folder/kept" -o "$folder/roof.csv" >/dev/null 2>&1; then
    fail "roof adds to another table"
fi
[ ! -e "$folder/kept" ] || fail "a device file without rates"
rm "$folder/roof.csv"
"$bench" roof "${little[@]}" -o "$folder/roof.csv" >/dev/null 2>&1 || fail "roof -o"
echo old >"$folder/kept"
if "$bench" roof "${little[@]}" \
    --device-file "$folder/kept" -o "$folder/roof.csv" >/dev/null 2>"$folder/stderr"; then
    fail "a device file of rows that were not measured"
fi
[ "$(cat "$folder/kept")" = old ] && grep -q "kept was not written" "$folder/stderr" ||
    fail "the device file: $(cat "$folder/stderr")"
ln -s "$folder/kept" "$folder/link"
"$bench" roof "${little[@]}" --device-file "$folder/link" >/dev/null 2>&1 ||
    fail "roof --device-file LINK"
[ -L "$folder/link" ] && grep -q "^vector_rate" "$folder/kept" ||
    fail "a device file by a link: $(cat "$folder/kept")"
pass

# The real program, where it was built, on a machine without a GPU.
if [ -x "$build/gpu/recallmodel-bench" ] && ! nvidia-smi >/dev/null 2>&1; then
    for command in "stage1 --n 1000" "roof" "device"; do
        status=0
        $build/gpu/recallmodel-bench $command >"$folder/out" 2>"$folder/stderr" || status=$?
        [ $status = 3 ] && [ "$(wc -l <"$folder/stderr")" = 1 ] && [ ! -s "$folder/out" ] ||
            fail "without a device: status $status, $(cat "$folder/stderr")"
    done
    pass
else
    echo "SKIPPED: the real recallmodel-bench without a device: it was not built, or there is one"
fi
finish
