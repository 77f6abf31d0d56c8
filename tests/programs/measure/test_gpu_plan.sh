#!/usr/bin/env bash
# gpu/run_plan.py, gpu/plan.ini and the peers, on emulated kernels: what the plan asks for exists,
# it goes on where it stopped, and what hangs, fails, dies or prints rubbish costs its own time.
#
# Against: peers in NumPy (made_up_peers.py), of which all but one have a fault.
#
# Slow: 30 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/benches.sh
needs_python
"$python" -c 'import numpy' 2>/dev/null || skip "there is no numpy"
unsanitized "a library with sanitizers cannot be loaded into Python"
export BENCH=$build/gpu/recallmodel-bench-emulated
export RECALLMODEL_BENCH=$build/gpu/librecallmodel-bench-emulated.so
export RECALLMODEL_PEERS=$folder/none PYTHONDONTWRITEBYTECODE=1
export HOST=$folder/recallmodel/_bench.py
mkdir "$folder/recallmodel"
cp python/recallmodel/_bench.py "$HOST"
cp tests/programs/measure/made_up_peers.py "$folder/recallmodel/_bench_torch.py"
[ -x "$BENCH" ] && [ -e "$RECALLMODEL_BENCH" ] || skip "the emulated benchmark was not built"
host() { "$python" "$HOST" --on gpu "$@"; }
plan() { "$python" gpu/run_plan.py "$@"; }
state() { # ROW: its state in the manifest of the last run
    "$python" -c 'if True:
        import json, sys
        print(json.load(open(sys.argv[1]))["rows"][sys.argv[2]]["state"])' \
        "$folder/results/manifest.json" "$1"
}
value() { # FILE KERNEL COLUMN: of the first row of the kernel
    awk -F, -v name="$3" -v kernel="$2" '/^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $2 == kernel { print $at; exit }' "$1"
}

# ---- peers: they are listed, timed and proved as our own; a wrong row is a result

host peers >"$folder/peers" 2>"$folder/stderr" || fail "peers: $(cat "$folder/stderr")"
grep -qx "torch.topk,test 1.0,\"torch.topk\",float32 float16 bfloat16,yes,int64,yes,yes" \
    "$folder/peers" || fail "peers lists $(cat "$folder/peers")"
grep -qx "indices-alone,test 1.0,\"indices-alone\",float32,no,int32,no,yes" "$folder/peers" ||
    fail "peers lists $(cat "$folder/peers")"
host exact --n 500 --k 9 --m 3 --kernel radix,peers --seconds 0.01 -o "$folder/exact.csv" \
    >"$folder/table" 2>"$folder/stderr" || fail "peers: $(cat "$folder/stderr")"
[ "$(column "$folder/exact.csv" kernel | tr '\n' ' ')" = \
    "radix torch.topk indices-alone one-row-wrong elsewhere " ] ||
    fail "peers: $(cat "$folder/exact.csv")"
[ "$(grep -m 1 '^# peer' "$folder/exact.csv")" = "# peer torch.topk: test 1.0" ] ||
    fail "the packages are $(grep '^# peer' "$folder/exact.csv")"
for kernel in radix torch.topk indices-alone elsewhere; do
    [ "$(value "$folder/exact.csv" $kernel wrong_rows)" = 0 ] || fail "$kernel is called wrong"
done
[ "$(value "$folder/exact.csv" one-row-wrong wrong_rows)" = 1 ] || fail "a wrong row is not counted"
# 26 of 27 values: the recall by value
[ "$(value "$folder/exact.csv" one-row-wrong recall)" = 0.962962963 ] ||
    fail "recall $(value "$folder/exact.csv" one-row-wrong recall)"
[ "$(value "$folder/exact.csv" torch.topk in_order)" = 1 ] || fail "sorted values are not in order"
[ "$(value "$folder/exact.csv" one-row-wrong in_order)" = 0 ] || fail "its values are in order"
pass
host exact --n 500 --k 1 --m 3 --kernel torch.max --timing graph --csv >"$folder/max" \
    2>"$folder/stderr" || fail "torch.max: $(cat "$folder/stderr")"
[ "$(value "$folder/max" torch.max wrong_rows)" = 0 ] || fail "torch.max: $(cat "$folder/max")"
status=0
host exact --n 500 --k 2 --kernel torch.max 2>"$folder/stderr" || status=$?
[ $status = 2 ] && grep -q "k must be 1" "$folder/stderr" || fail "$(cat "$folder/stderr")"
status=0
host exact --n 500 --k 2 --timing graph --kernel elsewhere 2>"$folder/stderr" || status=$?
[ $status = 2 ] && grep -q "a CUDA graph cannot hold a call of this peer" "$folder/stderr" ||
    fail "$(cat "$folder/stderr")"
rejects "--kernel peers: there are none here; make gpu-peers builds them" \
    "$BENCH" exact --kernel peers
"$BENCH" exact --n 500 --k 9 --kernel radix,peers --list >"$folder/list" || fail "radix,peers"
[ "$(rows "$folder/list")" = 2 ] || fail "radix,peers without peers: $(cat "$folder/list")"
pass

# The rows of any grid, for named kernels of exact top-k: each once.
host exact --grid key-1 --kernel torch.topk,radix --list >"$folder/list" || fail "exact --grid"
[ "$(tail -n +2 "$folder/list" | cut -d, -f6,7,10 | sort -u | wc -l)" = \
    "$(tail -n +2 "$folder/list" | grep -c torch.topk)" ] || fail "a row of the grid twice"
[ "$(grep -c torch.topk "$folder/list")" = "$(grep -c radix "$folder/list")" ] || fail "key-1"
pass

# A peer that raises fails its cell; one that ends the program is left out when it runs again.
export FAULTS=raises,ends
status=0
host exact --n 500 --k 9 --kernel raises,torch.topk -o "$folder/raises.csv" >/dev/null \
    2>"$folder/stderr" || status=$?
[ $status = 1 ] && grep -q "this peer has a fault" "$folder/stderr" &&
    [ "$(column "$folder/raises.csv" kernel)" = torch.topk ] ||
    fail "raises: $(cat "$folder/stderr")"
host exact --n 500 --k 9 --kernel ends,torch.topk -o "$folder/ends.csv" >/dev/null 2>&1 &&
    fail "a program that was killed ends well"
grep -q "^# failed exact,ends,.*,the program ended in this cell$" "$folder/ends.csv" ||
    fail "ends: $(cat "$folder/ends.csv")"
host exact --n 500 --k 9 --kernel ends,torch.topk -o "$folder/ends.csv" >/dev/null \
    2>"$folder/stderr" || fail "ends, again: $(cat "$folder/stderr")"
[ "$(column "$folder/ends.csv" kernel)" = torch.topk ] || fail "ends: $(cat "$folder/ends.csv")"
pass
unset FAULTS

# ---- the plan: each of its commands is one that the benchmark takes

plan --list >"$folder/list" || fail "--list"
[ "$(wc -l <"$folder/list")" = "$(grep -c '^\[' gpu/plan.ini)" ] || fail "$(cat "$folder/list")"
awk '/^seconds/ { s += $3; if (++rows == 14) exit } END { exit !(s > 600 && s <= 760) }' \
    gpu/plan.ini || fail "the first 14 rows of the plan do not take some 720 s"
grep '^ *\(commands = \)\?{\(bench\|python\)} ' gpu/plan.ini |
    sed 's/^ *\(commands = \)\?{[a-z]*} //; s/--peers [a-z_,]* //; s|{folder}|/tmp|
         s/,\(rcm.topk\|torch.topk-[a-z]*\)//g' >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -gt 30 ] || fail "commands: $(cat "$folder/commands")"
while read -r line; do
    read -ra words <<<"$line"
    [ "${words[0]}" = roof ] || words+=(--list)
    [ "${words[0]}" != roof ] || words=(roof --help)
    host "${words[@]}" >/dev/null 2>"$folder/stderr" || fail "$line: $(cat "$folder/stderr")"
done <"$folder/commands"
grep '{ncu}' gpu/plan.ini | sed 's/.*{ncu} [a-z0-9-]* //' | while read -r line; do
    read -ra words <<<"$line"
    "$BENCH" "${words[@]}" --list >/dev/null 2>"$folder/stderr" ||
        fail "$line: $(cat "$folder/stderr")"
done
pass

# ---- the runner, on short rows

cat >"$folder/plan.ini" <<'PLAN'
[short]
seconds = 30
decides = works
commands =
    {bench} exact --n 300 --k 4 --m 2 --cache warm --seconds 0.01 --kernel radix
    {python} exact --n 300 --k 4 --m 2 --cache warm --seconds 0.01 --kernel PEERS
    {bench} two-stage --n 300 --k 4 --b 40 --kb 2 --m 2 --cache warm --seconds 0.01
[hangs]
seconds = 3.5
decides = a row that ignores SIGTERM
commands = {bash} -c 'trap "" TERM; while :; do sleep 1; done'
[fails]
seconds = 5
decides = a row that fails
commands = {bash} -c 'echo this is why; exit 7'
[rubbish]
seconds = 5
decides = a row that prints rubbish into its CSV
commands = {bash} -c 'f={folder}/rubbish.csv; head -c 3000 /dev/urandom >$f; echo work,x >>$f'
[killed]
seconds = 20
decides = a peer that ends the program: the next cells are measured
commands = {python} exact --n 300 --k 4 --m 2 --seconds 0.01 --kernel ends,torch.topk
[peer-hangs]
seconds = 5
decides = a peer that hangs
commands = {python} exact --n 300 --k 4 --m 2 --seconds 0.01 --kernel torch.topk,hangs
[tune]
seconds = 60
decides = a question to recallmodel tune
commands = {tune} --n 3000 --k 20 --m 2 --recall 0.9
[last]
seconds = 20
decides = comes after all of these
commands = {bench} exact --n 300 --k 4,5 --m 2 --seconds 0.01
PLAN
sed -i "s|{bash}|$BASH|; s/PEERS/torch.topk,indices-alone,one-row-wrong,elsewhere/" \
    "$folder/plan.ini"
begin=$SECONDS
export RECALLMODEL_PROC=$folder/proc XDG_CONFIG_HOME=$folder
mkdir -p "$folder/proc/driver/nvidia/gpus/0"
echo 'Model: NVIDIA H200' >"$folder/proc/driver/nvidia/gpus/0/information"
FAULTS=ends,hangs plan --plan "$folder/plan.ini" --out "$folder/results" >"$folder/said" \
    2>"$folder/stderr" ||
    fail "the plan: $(cat "$folder/stderr")"
[ $((SECONDS - begin)) -lt 90 ] || fail "rows that hang took $((SECONDS - begin)) s"
for row in short:done hangs:stopped fails:failed rubbish:done killed:done peer-hangs:stopped \
    tune:done last:done; do
    [ "$(state "${row%:*}")" = "${row#*:}" ] ||
        fail "${row%:*} is $(state "${row%:*}"): $(cat "$folder/said")"
done
grep -q "failed: status 7: this is why" "$folder/said" || fail "$(cat "$folder/said")"
[ "$(column "$folder/results/killed.csv" kernel)" = torch.topk ] ||
    fail "the cell after one that ends"
card='NVIDIA H200; driver unknown'
grep -q "^recallmodel,3000,20,,,2,.*,0,.*,$card," "$folder/results/tune.csv" &&
    grep -q '^recallmodel,3000,20,[0-9]' "$folder/results/tune.csv" ||
    fail "tune: $(cat "$folder/results/tune.csv" "$folder/results/tune.log")"
[ "$(rows "$folder/results/last.csv")" = 3 ] && [ "$(rows "$folder/results/short.csv")" = 7 ] ||
    fail "rows: $(cat "$folder/results/short.csv")"
pass

# The figures: what is wrong, what is fastest, whether buckets pay; at most 40 lines.
grep -q "^  one-row-wrong  *. cells .* wrong in 1$" "$folder/said" || fail "$(cat "$folder/said")"
grep -q "^card: emulation" "$folder/said" && grep -q "^stopped: hangs peer-hangs$" "$folder/said" &&
    grep -q "^buckets (recall 0.95 and more) against the fastest exact kernel: .* in 1 shapes" \
        "$folder/said" || fail "$(cat "$folder/said")"
plan --plan "$folder/plan.ini" --out "$folder/results" --summary >"$folder/summary" ||
    fail "--summary"
[ "$(wc -l <"$folder/summary")" -le 40 ] && [ "$(awk 'length > 160' "$folder/summary")" = "" ] ||
    fail "$(cat "$folder/summary")"
# By hand: times of two kernels on equal rows, one of them wrong.
mkdir "$folder/by-hand"
echo '{"about": {"card": "X"}, "rows": {}}' >"$folder/by-hand/manifest.json"
head="work,kernel,dtype,assignment,input,n,k,b,k_b,m,d,cache,timing"
cat >"$folder/by-hand/a.csv" <<CSV
# a remark
$head,time_us_median,recall,wrong_rows,reread_rows
exact,radix,float32,interleaved,normal,4096,2048,1,2048,8,0,warm,events,10,,0,2
exact,fast,float32,interleaved,normal,4096,2048,1,2048,8,0,warm,events,5,,3,
exact,slow,float32,interleaved,normal,4096,2048,1,2048,8,0,warm,events,20,,0,
two-stage,auto,float32,interleaved,normal,4096,2048,2000,2,8,0,warm,events,4,0.96,,
two-stage,auto,float32,interleaved,normal,4096,2048,4000,1,8,0,warm,events,2,0.9,,
CSV
cat >"$folder/told.csv" <<'CSV'
work,kernel,dtype,assignment,n,k,b,k_b,m,cache,timing,predicted_us,low_us,high_us,within_runs
exact,radix,float32,interleaved,4096,2048,1,2048,8,warm,events,8,6,12,true
exact,slow,float32,interleaved,4096,2048,1,2048,8,warm,events,8,6,12,false
CSV
plan --out "$folder/by-hand" --summary --predicted "$folder/told.csv" >"$folder/summary"
for line in "  fast  *1 cells   0.50 .* fastest in   0  wrong in 1" \
    "  radix  *1 cells   1.00 .* fastest in   1  wrong in 0" \
    "  m    8  n 4096: 10.0 / 10.0 radix" \
    "rows that the sample of radix missed, at most: normal 25 %" \
    "buckets .*: 2.50 times as fast in 1 shapes; by a tenth in 1" \
    "  exact radix  *1.25  1.25 to 1.25  1 of 1" \
    "  exact slow, beyond the runs  *2.50  2.50 to 2.50  0 of 1"; do
    grep -q -- "^$line" "$folder/summary" || fail "no line '$line': $(cat "$folder/summary")"
done
pass

# It goes on: what is done is not run again, what stopped is.
cp "$folder/results/short.csv" "$folder/before"
sed -i "s|trap \"\" TERM; while :; do sleep 1; done|exit 0|" "$folder/plan.ini"
FAULTS=hangs plan --plan "$folder/plan.ini" --out "$folder/results" >"$folder/said" 2>&1 ||
    fail "$(cat "$folder/said")"
[ "$(state hangs)" = done ] && [ "$(state peer-hangs)" = done ] || fail "$(cat "$folder/said")"
grep -q "^short" "$folder/said" && fail "a row that is done runs again"
same "$folder/before" "$folder/results/short.csv" "a row that is done"

# Tests of Python: their files are there, and run where PyTorch and pytest are.
mkdir "$folder/stand-ins"
touch "$folder/stand-ins/torch.py"
echo 'import sys; print("pytest", *sys.argv[1:])' >"$folder/stand-ins/pytest.py"
PYTHONPATH=$folder/stand-ins plan --out "$folder/tensors" --only tensors >"$folder/said" 2>&1 ||
    fail "tensors: $(cat "$folder/said")"
words=$(grep "^pytest " "$folder/tensors/tensors.log") || fail "$(cat "$folder/said")"
[ -f "${words##* }" ] && grep -q "pythonpath=$PWD/python /" <<<"$words" || fail "tensors: $words"
if ! "$python" -c 'import pytest, torch' 2>/dev/null; then
    plan --out "$folder/no-torch" --only tensors >"$folder/said" 2>&1 || fail "without PyTorch"
    grep -q "^left out: tensors" "$folder/said" || fail "tensors: $(cat "$folder/said")"
fi
pass

# Seconds for all rows; a manifest of another card, or damaged; wrong use.
plan --plan "$folder/plan.ini" --out "$folder/little" --seconds 4 >"$folder/said" 2>&1 ||
    fail "--seconds"
grep -q "^left out: " "$folder/said" || fail "--seconds 4: $(cat "$folder/said")"
sed 's/"card": "[^"]*"/"card": "another"/' "$folder/results/manifest.json" >"$folder/other"
mkdir "$folder/other-card" && mv "$folder/other" "$folder/other-card/manifest.json"
rejects_plan() { # TEXT, arguments
    local status=0
    plan "${@:2}" >"$folder/said" 2>"$folder/stderr" || status=$?
    [ $status = 2 ] && grep -q -- "$1" "$folder/stderr" ||
        fail "${*:2}: status $status, $(cat "$folder/stderr")"
}
rejects_plan "is of another card, another; give another --out" --out "$folder/other-card"
echo "{ half" >"$folder/other-card/manifest.json"
plan --plan "$folder/plan.ini" --out "$folder/other-card" --only fails >"$folder/said" 2>&1 ||
    fail "a damaged manifest"
grep -q "was damaged" "$folder/said" || fail "$(cat "$folder/said")"
rejects_plan "the plan has no row 'decod'" --out "$folder/x" --only decod
rejects_plan "out DIR is needed"
rejects_plan "seconds" --out "$folder/x" --seconds 0
printf '[a]\nseconds = 5\n' >"$folder/bad.ini"
rejects_plan "bad.ini" --plan "$folder/bad.ini" --list
rejects_plan "No such file" --plan "$folder/none.ini" --list
BENCH=/nowhere rejects_plan "does not run" --out "$folder/x"
pass

# Ctrl-C ends the command, notes the row, and says how to go on.
printf '[slow]\nseconds = 60\ndecides = x\ncommands = {bench} two-stage --grid key-8\n' \
    >"$folder/slow.ini"
default_signals "$python" gpu/run_plan.py --plan "$folder/slow.ini" --out "$folder/out2" \
    >"$folder/said" 2>&1 &
process=$!
wait_for_rows "$folder/out2/slow.csv" 2
kill -INT $process
status=0
wait_for $process 60 || status=$?
[ $status = 130 ] && grep -q "the same command goes on" "$folder/said" ||
    fail "Ctrl-C: status $status, $(cat "$folder/said")"
grep -q '"state": "stopped"' "$folder/out2/manifest.json" || fail "Ctrl-C is not noted"
! pgrep -f "$folder/out2/slow.csv" >/dev/null || fail "Ctrl-C left a command running"
pass
finish
