#!/usr/bin/env bash
# tune: what it times, what it keeps, and what of that counts later. The contenders of a GPU are
# timed by a stand-in, which writes times that the test knows.
#
# SPDX-License-Identifier: Apache-2.0
source "$(dirname "$0")/../../shell.sh"
source tests/signals.sh
needs_python
export XDG_CONFIG_HOME=$folder/config
unset RECALLMODEL_PYTHON RECALLMODEL_PROC
wisdom=$folder/config/recallmodel/wisdom.csv
question="--n 3000 --k 20 --recall 0.9"
quick="--seconds 2"

tune() { "$program" tune "$@"; }
of() { "$python" -c "import json, sys; a = json.load(open('$folder/$1')); print($2)"; }

# The answer has measurements alone, each with its interval; select gives the same from the file.
tune $quick $question --json >"$folder/tuned" 2>"$folder/err" || fail "tune: $(cat "$folder/err")"
[ "$(of tuned 'all(c["measured"] and 0 < c["low_us"] <= c["time_us"] <= c["high_us"] and
    c["basis"] == "measured here" for c in a["contenders"])')" = True ] || fail "contenders"
[ "$(of tuned '{c["kind"] for c in a["contenders"]} == {"exact", "buckets"}')" = True ] ||
    fail "kinds: $(of tuned '[c["kind"] for c in a["contenders"]]')"
"$program" select $question --device this --json >"$folder/selected"
times='[(c["name"], c["kind"], c["b"], c["k_b"], float("%.6g" % c["time_us"])) for c in
    a["contenders"]]'
[ "$(of tuned "$times")" = "$(of selected "$times")" ] || fail "select --device this differs"
[ "$(of tuned 'a["headline"]')" = "$(of selected 'a["headline"]')" ] || fail "headlines"
tune $quick $question >"$folder/text" 2>/dev/null
grep -q ' measured, nothing lost\| measured, .* lost' "$folder/text" || fail "$(cat "$folder/text")"
pass

# One row for each call, also after a second time; another question is answered by a fit.
rows=$(wc -l <"$wisdom")
tune $quick $question >/dev/null 2>&1
[ "$(wc -l <"$wisdom")" = "$rows" ] || fail "the file grew from $rows lines"
"$program" select --n 3100 --k 20 --recall 0.9 --device this --json >"$folder/near"
[ "$(of near 'a["contenders"][0]["fitted"] and not a["contenders"][0]["measured"]')" = True ] ||
    fail "no fit"
[[ $(of near 'a["contenders"][0]["basis"]') = *", fitted here" ]] || fail "no fit in words"
pass

# --wisdom: another file, which select takes as a device. Four at once lose nothing.
for k in 10 20 30 40; do
    tune --n 2000 --k $k --recall 0.9 --seconds 1 --wisdom "$folder/own.csv" >/dev/null 2>&1 &
done
wait
[ "$(tail -n +2 "$folder/own.csv" | cut -d, -f3 | sort -un | tr '\n' ' ')" = "10 20 30 40 " ] ||
    fail "rows were lost: $(cat "$folder/own.csv")"
"$program" select --n 2000 --k 30 --recall 0.9 --device "$folder/own.csv" --json >"$folder/selected"
[ "$(of selected 'a["contenders"][0]["measured"]')" = True ] || fail "--device FILE.csv"
pass

# What does not count: another machine, another version, a line that is none, a torn end.
says() { # WHAT: a line on stderr; the status is that of the command
    status=0
    "$program" select $question --device "$folder/other.csv" --json >"$folder/selected" \
        2>"$folder/err" || status=$?
    grep -q "$1" "$folder/err" || fail "not '$1': $(cat "$folder/err")"
}
sed 's/; [0-9]* processors/; 999 processors/' "$wisdom" >"$folder/other.csv"
says 'was measured on .*; 999 processors; this is .* processors: recallmodel tune'
[ $status = 2 ] || fail "another machine: status $status"
sed 's/,[0-9.]*,,20/,0.0.9,,20/' "$wisdom" >"$folder/other.csv"
says 'was measured by recallmodel 0.0.9; this is '
[ $status = 2 ] || fail "another version: status $status"
{ cat "$wisdom" && printf 'recallmodel,3000,2'; } >"$folder/other.csv"
says "other.csv:$((rows + 1)): this is no measurement; it is left out"
[ $status = 0 ] && [ "$(of selected 'a["contenders"][0]["measured"]')" = True ] || fail "torn"
tune $quick $question --wisdom "$folder/other.csv" >/dev/null 2>&1
[ "$(wc -l <"$folder/other.csv")" = "$rows" ] || fail "the torn line stays"
printf '\0\377\376junk' >"$folder/other.csv"
says 'this is no measurement'
rm "$folder/other.csv"
says 'other.csv has nothing that tune measured on this machine'
pass

# The file cannot be written: one line, the answer, and what was there stays.
cp "$wisdom" "$folder/before"
for path in "$folder/none/x.csv" /dev/full "$folder"; do
    tune $quick $question --wisdom "$path" --json >"$folder/answer" 2>"$folder/err" || true
    [ "$(grep -c '\(No such file\|not a regular\|directory\)' "$folder/err")" = 1 ] ||
        fail "$path: $(cat "$folder/err")"
done
echo "my notes" >"$folder/notes.csv"
tune $quick $question --wisdom "$folder/notes.csv" >"$folder/answer" 2>"$folder/err" || fail "notes"
[ "$(cat "$folder/notes.csv")" = "my notes" ] && grep -q 'measured, ' "$folder/answer" &&
    grep -q 'notes.csv: no line of it is a measurement; it stays' "$folder/err" ||
    fail "another file is overwritten: $(cat "$folder/err" "$folder/notes.csv")"
(trap '' XFSZ; ulimit -f 1; XDG_CONFIG_HOME=$folder/config TMPDIR=/dev/shm tune --n 4000 --k 9 \
    --recall 0.9 $quick >"$folder/answer" 2>"$folder/err") || true
cmp -s "$wisdom" "$folder/before" || [ "$(wc -l <"$wisdom")" -ge "$rows" ] ||
    fail "a full disk takes rows away"
HOME=/proc/nobody XDG_CONFIG_HOME= tune $quick $question >"$folder/answer" \
    2>"$folder/err" || fail "a home that cannot be written: $(cat "$folder/err")"
grep -q 'measured, ' "$folder/answer" && grep -q 'what was measured is not kept' "$folder/err" ||
    fail "a home that cannot be written: $(cat "$folder/answer" "$folder/err")"
pass

# The file is one of measured runs: runs --add takes it.
cp -r runs "$folder/runs"
RECALLMODEL_RUNS=$folder/runs "$program" runs --add "$wisdom" --as mine/tune --device "A CPU" \
    --source me --licence Apache-2.0 >"$folder/out" 2>"$folder/err" ||
    fail "runs --add: $(cat "$folder/err")"
[ "$(wc -l <"$folder/runs/mine/tune.csv")" = "$(wc -l <"$wisdom")" ] || fail "rows of runs --add"
pass

# Rows of a file, whose times are not kept; a type of half the width; fewer rounds than nine.
"$python" - "$folder/rows.npy" <<'E3' || skip "there is no numpy"
import sys, numpy
numpy.save(sys.argv[1], numpy.random.default_rng(1).standard_normal((3, 700), dtype="float32"))
E3
before=$(cat "$wisdom")
tune $quick --file "$folder/rows.npy" --k 9 --recall 0.9 --json >"$folder/tuned" 2>"$folder/err" ||
    fail "--file: $(cat "$folder/err")"
[ "$(of tuned 'a["n"], a["m"], a["contenders"][0]["measured"]')" = "700 3 True" ] || fail "--file"
[ "$before" = "$(cat "$wisdom")" ] || fail "times of a file are kept"
tune $quick --n 3000 --k 20 --recall 0.9 --dtype f16 --json >"$folder/tuned" 2>"$folder/err" ||
    fail "f16: $(cat "$folder/err")"
"$program" select --n 3000 --k 20 --recall 0.9 --dtype f16 --device this --json >"$folder/selected"
[ "$(of tuned "$times")" = "$(of selected "$times")" ] || fail "f16: select differs"
grep -q '^recallmodel,3000,20,,,1,f16,' "$wisdom" || fail "f16 is not kept"
tune --n 2^21 --k 20 --m 4 --seconds 0.3 >"$folder/out" 2>"$folder/err" || true
grep -q "0.3 s were enough for [0-8] of 9 rounds; a larger --seconds" "$folder/err" ||
    fail "rounds: $(cat "$folder/err")"
pass

# What is wrong is said in a line, with the mend.
wrong() { # SAYS OPTION ..
    local said=$1
    shift
    status=0
    tune "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] &&
        grep -q "$said" "$folder/err" || fail "$*: status $status, $(cat "$folder/err")"
}
wrong 'at most' --n 10 --k 20
wrong 'there is no driver of NVIDIA here; give --on cpu' --n 100 --k 5 --on gpu
wrong 'file has its own' --n 100 --k 5 --file rows.npy
wrong 'run python -m recallmodel tune' --n 100 --k 5 --peers numpy
wrong 'is not a positive\|seconds' --n 100 --k 5 --seconds 0
pass

# Ctrl-C keeps what is there; before anything is, it ends with the usual status and leaves no file.
export TMPDIR=$folder/temporary
mkdir "$TMPDIR"
(default_signals "$program" tune --n 2^22 --k 100 --m 4 --seconds 60 >"$folder/out" \
    2>"$folder/err") &
child=$!
until_it_listens $child 2 || fail "it does not listen"
sleep 3
kill -INT $child
status=0
wait_for $child 60 || status=$?
[ $status = 0 ] && grep -q 'measured here' "$folder/out" || [ $status = 130 ] ||
    fail "Ctrl-C: status $status, $(cat "$folder/err")"
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"
pass

# It stops the questions behind it, too, whoever times: here a stand-in that Ctrl-C has stopped.
cat >"$folder/stopped" <<'E2'
#!/usr/bin/env bash
while [ $# -gt 0 ]; do
    case $1 in -o) out=$2 ;; esac
    shift
done
printf '%s\n' work,kernel,dtype,n,k,b,k_b,m,assignment,threads,time_us_median \
    exact,threshold,float32,2900,20,,,1,,1,5 >"$out"
exit 130
E2
chmod +x "$folder/stopped"
status=0
RECALLMODEL_PYTHON=$folder/stopped tune --n 2900 --k 20,30 --recall 0.9 --json >"$folder/answer" \
    2>"$folder/err" || status=$?
[ $status = 130 ] && [ "$(of answer '[c["time_us"] for query in a["queries"] for c in
    query["contenders"] if c["measured"]]')" = "[5.0]" ] ||
    fail "Ctrl-C with two questions: status $status, $(cat "$folder/err" "$folder/answer")"
status=0
RECALLMODEL_PROC=$folder/nowhere tune $question >"$folder/answer" 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q '/proc/cpuinfo does not have' "$folder/err" ||
    fail "a CPU without a name: $(cat "$folder/err")"
pass

# A GPU: the driver of a made-up /proc, and a stand-in for Python with the peers. The times go by
# the median of nine rounds; the card, its driver and the peers' packages are kept.
mkdir -p "$folder/proc/driver/nvidia/gpus/0000:01:00.0"
cp /proc/cpuinfo "$folder/proc/"
printf 'Model: \t\t NVIDIA H200\n' >"$folder/proc/driver/nvidia/gpus/0000:01:00.0/information"
printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun\n' \
    >"$folder/proc/driver/nvidia/version"
cat >"$folder/measurer" <<'E2'
#!/usr/bin/env bash
[ "$1 $2 $3 $4 $5" = "-m recallmodel._bench --on gpu cells" ] || exit 7
while [ $# -gt 0 ]; do
    case $1 in --file) cells=$2 ;; -o) out=$2 ;; --rounds) rounds=$2 ;; esac
    shift
done
us=(50 10 30 70 40 60 99 45 55)
for ((round = 1; round <= rounds; round++)); do
    name=$out
    [ $round = 1 ] || name=$out.$round
    {
        echo "# peer torch.topk-unsorted: torch 9.9"
        echo work,kernel,dtype,n,k,b,k_b,m,assignment,time_us_median
        tail -n +2 "$cells" | while IFS=, read -r work kernel dtype n k b k_b m assignment _; do
            time=${us[round - 1]}
            [ "$work" = exact ] || time=$((2 * time + b))
            if [ "$kernel" = peers ]; then
                kernel=torch.topk-unsorted time=$((3 * time))
            fi
            echo "$work,$kernel,$dtype,$n,$k,$b,$k_b,$m,$assignment,$time"
        done
    } >"$name"
done
E2
chmod +x "$folder/measurer"
gpu() { RECALLMODEL_PROC=$folder/proc RECALLMODEL_PYTHON=$folder/measurer "$program" "$@"; }
gpu tune --n 151936 --k 50 --m 64 --dtype bf16 --recall 0.99 --json >"$folder/tuned" \
    2>"$folder/err" || fail "on a GPU: $(cat "$folder/err")"
[ "$(of tuned '[(c["name"], c["time_us"], c["low_us"], c["high_us"]) for c in a["contenders"]
    if c["kind"] == "exact"]')" = \
    "[('recallmodel', 50.0, 30.0, 70.0), ('torch.topk', 150.0, 90.0, 210.0)]" ] ||
    fail "times of a GPU: $(of tuned 'a["contenders"]')"
[ "$(of tuned 'a["verdict"], a["device"], a["kernel"]')" = "exact H200 ours" ] ||
    fail "$(of tuned 'a["verdict"], a["device"], a["kernel"]')"
torch='^torch.topk,151936,50,,,64,bf16,,0,150,90,210,NVIDIA H200; driver 580.65.06,.*,torch 9.9,'
grep -q "$torch" "$wisdom" || fail "what is kept: $(grep torch "$wisdom")"
gpu select --n 151936 --k 50 --m 64 --dtype bf16 --recall 0.99 --device this --json \
    >"$folder/selected"
[ "$(of tuned "$times")" = "$(of selected "$times")" ] || fail "select on a GPU differs"
gpu select --n 100000 --k 50 --m 64 --dtype bf16 --recall 0.99 --device this --json \
    >"$folder/near" && [ "$(of near 'a["contenders"][0]["fitted"]')" = True ] || fail "no fit"
sed -i 's/580.65/590.01/' "$folder/proc/driver/nvidia/version"
gpu select --n 151936 --k 50 --m 64 --dtype bf16 --device this --json >"$folder/selected" \
    2>"$folder/err" || true
grep -q 'measured on NVIDIA H200; driver 580.65.06; this is NVIDIA H200; driver 590.01.06' \
    "$folder/err" || fail "another driver: $(cat "$folder/err")"
# A card that nobody knows is answered by what was timed on it.
sed -i 's/H200/Q9000/' "$folder/proc/driver/nvidia/gpus/0000:01:00.0/information"
gpu tune --n 151936 --k 50 --m 64 --dtype bf16 --recall 0.99 --json >"$folder/tuned" \
    2>"$folder/err" || fail "an unknown card: $(cat "$folder/err")"
[ "$(of tuned 'a["device"], a["contenders"][0]["time_us"]')" = "NVIDIA Q9000 50.0" ] ||
    fail "an unknown card: $(of tuned 'a["device"], a["contenders"]')"
for option in --threads=2 "--file=$folder/rows.npy"; do
    status=0
    asked="--n 300"
    [[ $option != --file* ]] || asked=
    gpu tune $asked --k 5 "$option" >"$folder/answer" 2>"$folder/err" || status=$?
    [ $status = 2 ] && grep -q -- "${option%=*} is of a CPU; give --on cpu" "$folder/err" ||
        fail "$option on a GPU: status $status, $(cat "$folder/err")"
done
pass
finish
