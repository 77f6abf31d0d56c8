#!/usr/bin/env bash
# The measured runs that come with the project: the index, every number, rows as their sources print
# them, and reading them by name.
#
# The measured runs that come with the project, by `check_runs.py`: the index, every number, two
# rows or more of each file, numbers of Figures 4, 7, 8, 15 and 17 of Key et al.; `runs` and
# reading by name; which folder is found. Against: what the sources print, typed; files with a
# fault; reading by path.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

# ---- the data

if command -v python3 >/dev/null; then
    python3 tests/programs/measure/check_runs.py runs || fail "the runs; see above"
    # The check finds what is wrong.
    find_fault() { # file, script of sed, text of the message
        rm -rf "$folder/runs"
        cp -r runs "$folder/runs"
        sed -i "$2" "$folder/runs/$1"
        ! cmp -s "runs/$1" "$folder/runs/$1" || fail "$2 changes nothing in $1"
        python3 tests/programs/measure/check_runs.py "$folder/runs" >"$folder/out" &&
            fail "check_runs.py does not find $2 in $1"
        grep -q -- "$3" "$folder/out" || fail "$2 in $1: $(cat "$folder/out")"
    }
    find_fault keyetal/two-stage.csv 100d "two-stage has 1931 rows, the index says 1932"
    find_fault keyetal/two-stage.csv '/^1048576,4,4,4,1,4,/s/1169.52/1169.53/' "there is no row"
    find_fault keyetal/sparq-shapes.csv '2s/2.827/2.927/' "Figure 8"
    find_fault helion/SOURCE '/^Licence/d' "no line with the licence"
    find_fault index.csv '/^helion.exact/d' "the index has"
    pass
else
    echo "SKIPPED: the numbers of the runs: there is no python3"
fi

# ---- their numbers

"$program" runs --check | prints '^[0-9]* rows in [0-9]* files, 0 faults$' ||
    fail "$("$program" runs --check)"
# finds FILE SCRIPT TEXT: what sed makes of a file of runs has the fault TEXT.
finds() {
    rm -rf "$folder/runs"
    cp -r runs "$folder/runs"
    sed -i "$2" "$folder/runs/$1.csv"
    local status=0
    RECALLMODEL_RUNS=$folder/runs "$program" runs "$1" --check >"$folder/out" || status=$?
    [ $status = 1 ] && grep -q -- "$3" "$folder/out" && prints ' 1 faults$' <"$folder/out" ||
        fail "$2 in $1: status $status, $(cat "$folder/out")"
}
finds keyetal/exact '9s/,[0-9.]*$/,many/' "exact.csv:9: many is not a time"
finds helion/two-stage '2s/,32768,5,/,3,5,/' "two-stage.csv:2: k or b is more than n"
finds keyetal/exact '/^1048576,4,256,/s/,256,/,2.5,/' "2.5 is not a count"
finds keyetal/correlation '2s/,[0-9.]*,[0-9.]*$/,1.5,0/' "1.5 is not a recall"
finds aiter/exact '3p' "exact.csv:4: the row occurs twice"
# not where a shape has several measurements: two of them may be equal
"$program" runs flashinfer/sampling --check | prints ' 0 faults$' || fail "several measurements"
finds bits-knn/exact '/1668580.877/s/1668580.877/1668.580/' "us that any kernel needs on A100-PCIe"
pass

# ---- runs of one's own

cp -r runs "$folder/own"
head -40 runs/keyetal/exact.csv >"$folder/mine.csv"
add() {
    RECALLMODEL_RUNS=$folder/own "$program" runs --add "$folder/mine.csv" --as mine/exact \
        --device h100-sxm --source "test of a card" --licence CC0-1.0 "$@"
}
rejects "needs --dtype: which type do the values have" add </dev/null
rejects "'max' is not known; give median or mean" add --dtype f16 --statistic max
rejects "in UTF-8" add --dtype f16 --cache $'c\xf3ld'
add --dtype f16 --cache cold </dev/null >"$folder/out"
prints '^mine/exact: 39 rows added to ' <"$folder/out" || fail "$(cat "$folder/out")"
grep -q '^mine/exact,39,time of exact top-k,H100-SXM,f16,CC0-1.0,,cold,,$' \
    "$folder/own/index.csv" || fail "the index: $(tail -1 "$folder/own/index.csv")"
grep -q '^Licence  *CC0-1.0$' "$folder/own/mine/SOURCE" || fail "no licence in SOURCE"
sed '/^#/d' "$folder/mine.csv" | cmp - "$folder/own/mine/exact.csv" || fail "the rows differ"
prints 'use it with --exact-kernel .*/mine/exact.profile$' <"$folder/out" ||
    fail "$(cat "$folder/out")"
grep -q '^name = mine_exact$' "$folder/own/mine/exact.profile" || fail "the name of the profile"
(cd "$folder" && RECALLMODEL_RUNS=$folder/own "$program" select --n 2^17 --k 64 --m 64 \
    --device h100-pcie --exact-kernel "$folder/own/mine/exact.profile") >"$folder/out" ||
    fail "the profile: $(cat "$folder/out")"
RECALLMODEL_RUNS=$folder/own "$program" runs --check |
    prints " $(wc -l <runs/index.csv) files, 0 faults$" ||
    fail "what was added has faults"
rejects "mine/exact exists already" add --dtype f16
rejects "--add needs --as, because the file gets a name" "$program" runs --add "$folder/mine.csv"
rejects "needs a name, --as FOLDER/FILE" "$program" runs --add "$folder/mine.csv" --as ../x
rejects "has no column k;" "$program" runs --add runs/keyetal/decoding.csv --as a/b
sed -i 's/\(,[0-9]*\)\.[0-9]*\(,[0-9.]*\)$/\1e-9\2/' "$folder/mine.csv"
! RECALLMODEL_RUNS=$folder/own "$program" runs --add "$folder/mine.csv" --as mine/other \
    --dtype f16 --device h100-sxm --source x --licence y >"$folder/out" 2>"$folder/err" &&
    tail -1 "$folder/err" | prints "has the faults above; nothing was added" &&
    prints 'mine.csv:2: 10e-9 is not a time of a call in microseconds' <"$folder/err" ||
    fail "faults: $(cat "$folder/err")"
! [ -e "$folder/own/mine/other.csv" ] || fail "rows with faults were added"
pass

# ---- all of it or nothing

# Sixteen at once: each is in the index, with its file and its section.
rm -rf "$folder/own"
cp -r runs "$folder/own"
head -20 runs/keyetal/exact.csv >"$folder/mine.csv"
add_as() {
    RECALLMODEL_RUNS=$folder/own "$program" runs --add "$folder/mine.csv" --as "$1" --dtype f16 \
        --device h100-pcie --source "${2-test}" --licence CC0-1.0 --what "run ${1#*/}"
}
for i in {1..16}; do
    add_as many/run-$i >/dev/null 2>&1 &
done
wait
[ "$(grep -c '^many/run-' "$folder/own/index.csv")" = 16 ] &&
    [ "$(grep -c '^run-' "$folder/own/many/SOURCE")" = 16 ] &&
    [ "$(find "$folder/own/many" -name '*.csv' | wc -l)" = 16 ] ||
    fail "of 16 at once: $(grep -c '^many/' "$folder/own/index.csv") in the index"
RECALLMODEL_RUNS=$folder/own "$program" runs --check | prints ', 0 faults$' || fail "16 at once"

# A disk that is full, here from any file of more than 1 KiB on: nothing is left, the status is 1,
# and the same call works later. What was killed before the index was written is no obstacle.
before=$(find "$folder/own" | LC_ALL=C sort)
status=0
(trap '' XFSZ; ulimit -f 1; add_as full/one) >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 1 ] && prints 'index.csv: File too large; nothing was added$' <"$folder/err" ||
    fail "a full disk: status $status, $(cat "$folder/err")"
[ "$(find "$folder/own" | LC_ALL=C sort)" = "$before" ] || fail "a full disk leaves files"
add_as full/one >/dev/null 2>&1 || fail "not after a full disk"
sed -i '/^full.one/d' "$folder/own/index.csv"
add_as full/one >/dev/null 2>&1 || fail "not after a kill before the index was written"
[ "$(grep -c '^one  ' "$folder/own/full/SOURCE")" = 1 ] || fail "a section of SOURCE twice"
pass

# ---- tables as others write them

sed 's/,/;/g; s/\./,/g; s/^n;k;m/seq_len;topk;bs/' "$folder/mine.csv" >"$folder/semi.csv"
RECALLMODEL_RUNS=$folder/own "$program" runs --add "$folder/semi.csv" --as mine/semi --dtype f16 \
    --device h100-pcie --source test --licence CC0-1.0 >/dev/null 2>"$folder/err" ||
    fail "semicolons: $(cat "$folder/err")"
prints 'semi.csv: n is seq_len, k is topk, m is bs, decimal commas$' <"$folder/err" ||
    fail "what was guessed: $(cat "$folder/err")"
sed '/^#/d' "$folder/mine.csv" | cmp - "$folder/own/mine/semi.csv" || fail "semicolons: other rows"
"$program" calibrate "$folder/semi.csv" --kernel exact --csv 2>/dev/null >"$folder/semi"
"$program" calibrate "$folder/mine.csv" --kernel exact --csv 2>/dev/null | cmp - "$folder/semi" ||
    fail "semicolons: another fit"
awk -F, -v OFS=, '$4 + 0 > 0 { $4 = sprintf("%.17g", $4 / 1000) } { print }' "$folder/mine.csv" \
    >"$folder/ms.csv"
rejects "us that any kernel needs on H100-PCIe: are the times in microseconds" \
    "$program" calibrate "$folder/ms.csv" --kernel exact --device h100-pcie
rejects "us that any kernel needs on H100-PCIe" \
    "$program" predict --device h100-pcie --runs "$folder/ms.csv"
! RECALLMODEL_RUNS=$folder/own "$program" runs --add "$folder/ms.csv" --as mine/ms --dtype f16 \
    --device h100-pcie --source x --licence y >/dev/null 2>"$folder/err" &&
    tail -1 "$folder/err" | prints "has the faults above; nothing was added" ||
    fail "milliseconds: $(tail -1 "$folder/err")"
"$program" calibrate "$folder/ms.csv" --time-unit ms --kernel exact --csv >"$folder/semi" \
    2>/dev/null || fail "--time-unit ms"
"$program" calibrate "$folder/mine.csv" --kernel exact --csv 2>/dev/null | cmp - "$folder/semi" ||
    fail "milliseconds: another fit"
"$program" predict --device h100-pcie --runs "$folder/mine.csv" --columns m=k,k=64 --csv \
    >"$folder/out" 2>/dev/null || fail "--columns"
head -1 "$folder/out" | prints '^n,m,' || fail "--columns: $(head -1 "$folder/out")"
rejects "--columns needs --runs" "$program" predict --n 2^18 --k 64 --columns m=bs --device h200
pass

rejects "--as needs --add; give both" "$program" runs --as mine/exact
rejects "--add and NAME exclude each other" \
    "$program" runs keyetal/exact --add "$folder/mine.csv" --as mine/exact

# ---- by card

"$program" runs --cards --csv >"$folder/cards"
for want in A10G,graphcore/argmax-a10g,triton-bk,1600,repeatable \
    H200,sglang/decode,topk_transform_v2,122,any H200,sglang/decode,topk_transform_v1,135,any \
    A100-PCIe,bits-knn/exact,air-topk,28, \
    RTX-3090,graphcore/rtx3090,priority_queue,2,repeatable \
    MI355X,aiter/exact,aiter_top_k_per_row,237,any; do
    grep -qx -- "$want" "$folder/cards" || fail "no $want among the cards"
done
timed=$(tail -n +2 runs/index.csv | while IFS=, read -r name rows _; do
    head -n 20 "runs/$name.csv" | sed '/^#/d' | sed -n 1p | prints '_us' && echo "$rows"
done | awk '{ n += $1 } END { print n }')
[ "$(awk -F, 'NR > 1 { n += $4 } END { print n }' "$folder/cards")" = "$timed" ] ||
    fail "the cards have not all $timed rows"
rejects "--cards and NAME exclude each other, because --cards counts the rows of all files" \
    "$program" runs keyetal/exact --cards
pass

# ---- by name, from any directory

# by_both NAME ARGUMENTS ..: @ stands for the file here, and for its name in another directory.
by_both() {
    local name=$1
    shift
    "$program" "${@//@/runs/$name.csv}" >"$folder/by-path" 2>"$folder/err" ||
        fail "$*: $(cat "$folder/err")"
    (cd "$folder" && "$program" "${@//@/$name}") >"$folder/by-name" 2>"$folder/err" ||
        fail "$* by name: $(cat "$folder/err")"
    [ -s "$folder/by-name" ] && cmp "$folder/by-path" "$folder/by-name" ||
        fail "$*: not the same by name"
}
by_both keyetal/sparq-shapes predict --device h100-pcie --runs @ --csv
by_both keyetal/exact predict --device h100-pcie --runs @ --json
by_both keyetal/sparq-shapes calibrate @ --kernel generic --csv
by_both h200/exact calibrate keyetal/sparq-shapes --exact @ --kernel generic --dtype f32 --csv
(cd "$folder" && "$program" calibrate keyetal/sparq-shapes --kernel generic) >"$folder/out"
grep -q "24 rows of keyetal/sparq-shapes" "$folder/out" || fail "the runs: $(cat "$folder/out")"
pass

# Each file is printed as it is, but for remarks and quotes that it does not need.
while IFS=, read -r name rows _; do
    [ "$name" != name ] || continue
    "$program" runs "$name" --csv >"$folder/out"
    [ "$(($(wc -l <"$folder/out") - 1))" = "$rows" ] || fail "$name: not $rows rows"
    sed '/^#/d' "runs/$name.csv" | cmp - "$folder/out" || fail "$name is not printed as it is"
done <runs/index.csv
"$program" runs --csv | cmp - runs/index.csv || fail "the list is not the index"
pass

# What a file says of itself; one column of each kind.
"$program" runs flashinfer/sampling --json >"$folder/json"
for want in '"rows": 1500' '"licence": "Apache-2.0"' '"file": "/.*/runs/flashinfer/sampling.csv"' \
    '"source": "Exact top-k and sampling of FlashInfer.'; do
    grep -q "$want" "$folder/json" || fail "no $want in $(cat "$folder/json")"
done
"$program" runs threads/anchors >"$folder/out"
for want in 'k  *8 to 2048 .* 8$' 'm  *[0-9]* to 4194304 ' 'note  *DSA decode, .*, \.\. .* 4$' \
    '^Times that people'; do
    grep -q "$want" "$folder/out" || fail "no $want in $(cat "$folder/out")"
done
pass

# ---- which folder, and which file

# A file comes before a name. What begins with / or has a point is no name.
mkdir -p "$folder/here/keyetal"
sed -n '1,9p' runs/keyetal/exact.csv >"$folder/here/keyetal/exact"
(cd "$folder/here" && "$program" predict --device h100-pcie --runs keyetal/exact --csv) |
    wc -l | prints '^9$' || fail "a file does not come before a name"
rejects "./keyetal/exact: No such file" "$program" calibrate ./keyetal/exact
rejects "/keyetal/exact: No such file" "$program" calibrate /keyetal/exact
rejects "two-stage.csv: No such file" "$program" calibrate two-stage.csv
pass

# RECALLMODEL_RUNS; beside the program; share/ beside its bin/.
cp -r runs "$folder/other"
echo "keyetal/mine,8,time of exact top-k,none,float16,none,,,," >>"$folder/other/index.csv"
cp "$folder/here/keyetal/exact" "$folder/other/keyetal/mine.csv"
lists() { "$@" runs --csv | prints '^keyetal/mine,'; }
! lists "$program" || fail "another folder is read"
RECALLMODEL_RUNS=$folder/other lists "$program" || fail "RECALLMODEL_RUNS is not read"
RECALLMODEL_RUNS=$folder/other "$program" runs | prints "files are in $folder/other/" ||
    fail "the folder is not said"
rm -rf "$folder/runs"
mkdir -p "$folder/prefix/bin" "$folder/prefix/share/recallmodel"
cp "$program" "$folder/prefix/bin/recallmodel"
if "$folder/prefix/bin/recallmodel" runs >/dev/null 2>"$folder/err"; then
    fail "runs are found where there are none"
fi
prints "runs were not found.*set RECALLMODEL_RUNS" <"$folder/err" || fail "$(cat "$folder/err")"
cp -r "$folder/other" "$folder/prefix/share/recallmodel/runs"
lists "$folder/prefix/bin/recallmodel" || fail "share/recallmodel/runs is not found"
mv "$folder/prefix/share/recallmodel/runs" "$folder/prefix/runs"
lists "$folder/prefix/bin/recallmodel" || fail "runs/ beside the build folder is not found"
cp -r runs "$folder/prefix/bin/runs"
! lists "$folder/prefix/bin/recallmodel" || fail "runs/ beside the program does not come first"
pass

# ---- one line that says how to mend it

rejects "there are no measured runs 'keyetal/two-stag'; did you mean 'keyetal/two-stage'?" \
    "$program" runs keyetal/two-stag
rejects "there are no measured runs 'zzz'; recallmodel runs lists the names" "$program" runs zzz
rejects "no measured runs have that name; did you mean 'keyetal/exact'?" \
    "$program" calibrate keyetal/two-stage --exact keyetal/exat
rejects "there is no file 'helion/two-stags', and no measured runs have that name; did you mean" \
    "$program" predict --device h100-pcie --runs helion/two-stags
RECALLMODEL_RUNS=/nowhere rejects "RECALLMODEL_RUNS: there is no index.csv in '/nowhere'" \
    "$program" runs
RECALLMODEL_RUNS=/nowhere rejects "there is no file 'keyetal/exact', and RECALLMODEL_RUNS: there" \
    "$program" calibrate keyetal/exact
rejects "--name is given twice; give it once" \
    "$program" runs keyetal/exact --name keyetal/argmax
rejects "'keyetal/argmax' is not an option" "$program" runs keyetal/exact keyetal/argmax
long=$(printf 'x%.0s' {1..5000})
rejects "the path is too long" "$program" calibrate "$long"
rejects "there are no measured runs 'xxx" "$program" runs "$long"
mkdir "$folder/bad"
echo "name,what,rows,device,dtype,licence,statistic,cache,launch,lengths" >"$folder/bad/index.csv"
RECALLMODEL_RUNS=$folder/bad rejects "index.csv: column 2 must be rows" "$program" runs
{ head -n 1 runs/index.csv && echo x/y,1,a,b,c,d,,,,; } >"$folder/bad/index.csv"
RECALLMODEL_RUNS=$folder/bad rejects "x/y.csv: No such file" "$program" runs x/y
pass
finish
