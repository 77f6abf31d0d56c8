#!/usr/bin/env bash
# tools/peers: time_peers.py with a worker that is made up, beside NumPy where it is installed;
# bench_cpu.sh on a tiny grid. Only the plumbing: no time is looked at.
#
# Against: a worker whose times and answers are made up; NumPy; the rows that `runs` finds.
#
# Slow: 10 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
unsanitized "the scripts are in Python, and run what test_cpu_bench runs under them"
export PYTHONDONTWRITEBYTECODE=1
needs_python

# A worker with known times: `ours` takes 20 us, `max` 5 us, `slow` 60 us; `liar` selects other
# values, and the name of `faiss-approximate-fake` says that it may.
cat >"$folder/worker" <<'PYTHON'
#!/usr/bin/python3
import array, random, sys
TIMES = {"ours": 20.0, "max": 5.0, "slow": 60.0, "liar": 1.0, "faiss-approximate-fake": 10.0}
if sys.argv[1] == "--make":
    source = random.Random(int(sys.argv[5]))
    values = [source.gauss(0, 1) for _ in range(int(sys.argv[3]) * int(sys.argv[4]))]
    array.array("f", values).tofile(open(sys.argv[2], "wb"))
    sys.exit()
row = array.array("f")
row.frombytes(open(sys.argv[1], "rb").read())
row = row[:int(sys.argv[2])]
for line in sys.stdin:
    words = line.split()
    if words == ["LIST"]:
        print("".join(f"{name}\tmade up\n" for name in TIMES) + "END", flush=True)
        continue
    total = 0.0
    for value in sorted(sorted(row)[-int(words[1]):]):
        total += value
    total += words[0] in ("liar", "faiss-approximate-fake")
    print(TIMES[words[0]], repr(total), flush=True)
PYTHON
chmod +x "$folder/worker"
others=()
if $python -c 'import numpy' 2>/dev/null; then others=($python); fi
$python tools/peers/time_peers.py "$folder/worker" ${others[@]+"${others[@]}"} --seconds 0.01 \
    --shapes 500x20,70000x3 -o "$folder/peers.csv" 2>"$folder/stderr" ||
    fail "time_peers.py: $(cat "$folder/stderr")"
row() { grep "^$1,float32,1,$2," "$folder/peers.csv" || fail "no row of $1, $2"; }
head -n 1 "$folder/peers.csv" | prints '^n,k,dtype,threads,contender,version,samples,time_us_med' ||
    fail "the head of the CSV"
for shape in 500,20 70000,3; do
    row $shape ours | prints ',20,20,20,1,1$' || fail "ours: $(row $shape ours)"
    row $shape max | prints ',5,5,5,0.25,$' || fail "max: $(row $shape max)"
    row $shape slow | prints ',60,60,60,3,1$' || fail "slow: $(row $shape slow)"
    row $shape faiss-approximate-fake | prints ',0.5,0$' || fail "an approximate one"
done
grep -q ',liar,' "$folder/peers.csv" && fail "a wrong answer has a row"
grep -q 'WRONG: liar selects' "$folder/stderr" || fail "stderr: $(cat "$folder/stderr")"
grep -q 'not at hand: .*torch' "$folder/stderr" || $python -c 'import torch' 2>/dev/null ||
    fail "what is not at hand: $(cat "$folder/stderr")"
pass
if [ ${#others[@]} -gt 0 ]; then
    for name in numpy.argpartition numpy.partition; do
        row 500,20 $name | prints ',numpy [0-9.]*,.*,1$' || fail "$(row 500,20 $name)"
    done
    pass
else
    echo "SKIPPED: the worker of NumPy: $python has no numpy"
fi
$python tools/peers/time_peers.py "$folder/worker" --load 1 --shapes 500x20 \
    -o "$folder/tail.csv" 2>/dev/null || fail "--load"
head -n 1 "$folder/tail.csv" | prints 'exact,time_us_99,time_us_999,time_us_max$' ||
    fail "the head of --load"
prints ',slow,made up,10000,60,60,60,3,1,60,60,60$' <"$folder/tail.csv" || fail "--load: slow"
pass
status=0
$python tools/peers/time_peers.py "$folder/worker" --shapes 5xx 2>"$folder/stderr" || status=$?
[ $status = 2 ] && grep -q "is not a list such as" "$folder/stderr" || fail "--shapes 5xx"
pass

# The whole of make bench-cpu, where the grid is tiny: the CSV files and SOURCE; it resumes.
run() {
    PROGRAM=$program WORKER=$folder/worker PEERS=$folder/none RUNS=$folder/runs \
        GRIDS=two-stage/cpu-tiny PEER_OPTIONS="--seconds 0.01 --shapes 500x20" \
        tools/peers/bench_cpu.sh "$@" >"$folder/out" 2>"$folder/stderr"
}
run cpu-test || fail "bench_cpu.sh: $(cat "$folder/stderr")"
grep -q "cpu-test: SOURCE cpu-tiny.csv peers.csv" "$folder/out" || fail "$(cat "$folder/out")"
grep -q '^recallmodel bench .* compiler="' "$folder/runs/cpu-test/SOURCE" || fail "SOURCE"
run cpu-test || fail "again: $(cat "$folder/stderr")"
grep -q "0 measured, [1-9][0-9] measured before" "$folder/stderr" ||
    fail "resuming: $(cat "$folder/stderr")"
# The index of the runs has a line for each file, with as many rows as a reader finds.
for name in cpu-tiny peers; do
    RECALLMODEL_RUNS=$folder/runs "$program" runs "cpu-test/$name" --csv >"$folder/csv"
    rows=$(($(wc -l <"$folder/csv") - 1))
    [ "$rows" -gt 0 ] && [ "$(grep -c "^cpu-test/$name,$rows," "$folder/runs/index.csv")" = 1 ] ||
        fail "$rows rows of $name; the index says $(cat "$folder/runs/index.csv")"
done
status=0; run "a b" || status=$?
[ $status = 2 ] && grep -q "has other characters" "$folder/stderr" || fail "the name 'a b'"
pass
finish
