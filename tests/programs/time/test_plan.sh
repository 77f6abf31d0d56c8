#!/usr/bin/env bash
# From a plan to a profile: calibrate --plan, gpu/time_calls.py with a stand-in for torch (and with
# torch itself, where it is available), calibrate --kernel generic, predict.
#
# Against: the clock of the stand-in.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

# The plan: the same each time, 24 to 40 shapes, at least six n, every one with a reason; predict
# reads it.
"$program" calibrate --plan >"$folder/shapes.csv"
"$program" calibrate --plan | cmp -s - "$folder/shapes.csv" || fail "two plans differ"
rows=$(($(wc -l <"$folder/shapes.csv") - 1))
[ $rows -ge 24 ] && [ $rows -le 40 ] || fail "$rows shapes"
[ "$(head -1 "$folder/shapes.csv")" = n,k,b,k_b,m,what ] ||
    fail "columns: $(head -1 "$folder/shapes.csv")"
[ "$(tail -n +2 "$folder/shapes.csv" | cut -d, -f1 | sort -u | wc -l)" -ge 6 ] ||
    fail "too few sizes n"
awk -F, 'NR > 1 && ($6 == "" || $1 * $5 * 4 > 2 ^ 30) { exit 1 }' "$folder/shapes.csv" ||
    fail "a shape without a reason, or too large"
[ "$(tail -n +2 "$folder/shapes.csv" | sort -u | wc -l)" = $rows ] || fail "a shape twice"
"$program" predict --device h100-pcie --runs "$folder/shapes.csv" --csv \
    >"$folder/predicted" 2>/dev/null ||
    fail "predict does not read the plan"
[ "$(wc -l <"$folder/predicted")" = $((rows + 1)) ] ||
    fail "predict: $(wc -l <"$folder/predicted") lines"
"$program" calibrate --plan --kernel graphcore --dtype f16 |
    "$program" predict --device h100-pcie --runs /dev/stdin --json |
    python3 -c 'import json, sys
assert all(r["predicted_us"] for r in json.load(sys.stdin)["runs"])' ||
    fail "a shape of the plan for graphcore cannot be predicted"
"$program" calibrate --plan --json |
    python3 -c 'import json, sys; assert len(json.load(sys.stdin)["shapes"]) > 23' ||
    fail "--plan --json"
printf 'name = small\nbandwidth_bytes_per_s = 1e11\nmemory_bytes = 4e6\n' >"$folder/small.device"
"$program" calibrate --plan --device "$folder/small.device" |
    awk -F, 'NR > 1 && $1 * $5 * 4 > 1e6 { exit 1 } END { exit NR < 25 }' ||
    fail "a shape larger than a quarter of the device's memory"
status=0; "$program" calibrate --plan -o "$folder/x" 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "fits and writes nothing" "$folder/err" ||
    fail "--plan with -o: $(cat "$folder/err")"
# After ten runs: what they leave open. After all of a kernel's runs: nothing.
head -n 11 runs/keyetal/two-stage.csv >"$folder/ten.csv"
open=$("$program" calibrate "$folder/ten.csv" --plan --kernel graphcore | wc -l)
[ "$open" -gt 5 ] && [ "$open" -lt 37 ] || fail "after ten runs it asks for $open"
"$program" calibrate keyetal/two-stage --plan --kernel graphcore | prints "^Nothing is missing" ||
    fail "after 1932 runs something is missing"
status=0; "$program" calibrate --plan --kernel any 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "has no time model" "$folder/err" ||
    fail "--plan --kernel any: $(cat "$folder/err")"
pass

# A stand-in for torch: a card whose clock is a model of a call, 20 us and 1 TB/s and 10 ns a
# candidate of a row.
mkdir "$folder/fake"
cat >"$folder/fake/torch.py" <<'PYTHON'
import types
float16, float32 = types.SimpleNamespace(itemsize=2), types.SimpleNamespace(itemsize=4)
clock, flushed, asleep, calls = 0.0, 0, 0, 0
class Tensor:
    def __init__(self, *shape): self.shape, self.dtype = shape, float32
    def to(self, dtype): self.dtype = dtype; return self
    def add_(self, value): global flushed; flushed += 1; return self
def randn(m, n, device): global calls; calls = 0; assert device == "cuda"; return Tensor(m, n)
def ones(n, dtype, device): assert 4 * n >= 128 << 20; return Tensor(n)
def took(us): # the first three calls warm up
    global clock, calls
    calls += 1
    clock += us * (1 + 0.01 * (flushed % 3 - 1)) * (1 if calls > 3 else 10)
class Event:
    def __init__(self, enable_timing): pass
    def record(self): self.at = clock
    def synchronize(self): pass
    def elapsed_time(self, end): return 1e-3 * (end.at - self.at)
def sleep(cycles): global asleep; asleep += 1
cuda = types.SimpleNamespace(is_available=lambda: True, Event=Event, _sleep=sleep)
def topk(x, k): assert flushed == asleep; took(30 + x.shape[0] * x.shape[1] * 5e-4)
PYTHON
cat >"$folder/mine.py" <<'PYTHON'
import torch
def call(x, k, b, k_b):
    if k_b > 8:
        raise RuntimeError("k_b up to 8\nand more lines")
    assert torch.flushed == torch.asleep > 0 and x.dtype.itemsize == 2
    (m, n), c = x.shape, b * k_b
    torch.took(20 + m * (2 * n + 10 * c) * 1e-6 + .01 * c * (c > k))
PYTHON
script=$PWD/gpu/time_calls.py
export PYTHONDONTWRITEBYTECODE=1
(cd "$folder" && PYTHONPATH=fake python3 "$script" shapes.csv runs.csv mine:call \
    --dtype float16 2>"$folder/err") ||
    fail "time_calls.py: $(cat "$folder/err")"
large=$(awk -F, 'NR > 1 && $4 > 8' "$folder/shapes.csv" | wc -l)
left_out=$(grep -c "^left out .*'k_b': 16.* - k_b up to 8$" "$folder/err" || true)
[ "$large" -gt 0 ] && [ "$left_out" = "$large" ] || fail "what it left out: $(cat "$folder/err")"
[ "$(wc -l <"$folder/runs.csv")" = $((rows + 1 - large)) ] ||
    fail "it wrote $(wc -l <"$folder/runs.csv") lines"
pass

# Without shapes, as a command that failed leaves the file, it writes nothing.
for text in "" "n,k" "n,k,b,k_b,m"; do
    printf '%s\n' "$text" >"$folder/none.csv"
    status=0
    (cd "$folder" && PYTHONPATH=fake python3 "$script" none.csv none-runs.csv mine:call) \
        2>"$folder/err" || status=$?
    [ $status = 2 ] && grep -q "none.csv has no shapes; write it" "$folder/err" &&
        [ ! -e "$folder/none-runs.csv" ] || fail "no shapes: status $status, $(cat "$folder/err")"
done
pass

# Calibrated from it, a fit that begins from another kernel finds the call's memory roof of 1 TB/s,
# and predicts shapes that were not timed: 20 us, and 10 ns a candidate of a row.
"$program" calibrate "$folder/runs.csv" --kernel generic --name "A card" \
    -o "$folder/my.profile" --csv >"$folder/parameters"
grep -q "^kernel = generic" "$folder/my.profile" && grep -q "^dtype = f16" "$folder/my.profile" ||
    fail "the profile is of another kernel or type"
awk -F, '$1 == "roof_bytes_per_s" { found = $2 > 0.97e12 && $2 < 1.03e12 } END { exit !found }' \
    "$folder/parameters" || fail "$(grep ^roof "$folder/parameters"), not 1e12"
for shape in "2^22 64 128 1 8" "2^20 256 256 4 64" "2^16 100 1000 2 256"; do
    read -r n k b k_b m <<<"$shape"
    "$program" predict --device "$folder/my.profile" --n "$n" --k "$k" --b "$b" --kb "$k_b" \
        --m "$m" --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
p, m, n = answer["predictions"][0], answer["m"], answer["n"]
c = p["b"] * p["k_b"]
us = 20 + m * (2 * n + 10 * c) * 1e-6 + .01 * c
assert abs(p["predicted_us"] / us - 1) < 0.1, (p["predicted_us"], us)' || fail "predict $shape"
done
"$program" predict --device "$folder/my.profile" --n 2^20 --k 512 --m 4 --json |
    python3 -c '
import json, sys
p = json.load(sys.stdin)["predictions"][0]
assert p["low_us"] < p["predicted_us"] < p["high_us"] and p["within_runs"] in (True, False), p' ||
    fail "predict by a profile of the kernel generic"
"$program" select --n 2^20 --k 512 --m 64 --recall 0.95 \
    --device "$folder/my.profile" --json >"$folder/choice"
grep -q predicted_us "$folder/choice" || fail "select by such a profile"
pass

# Exact calls, by another argument; each n, k and m once. Alone they are a profile, too, of exact
# top-k.
(cd "$folder" && PYTHONPATH=fake python3 "$script" shapes.csv exact.csv torch:topk --exact)
[ "$(head -1 "$folder/exact.csv")" = n,k,m,dtype,time_us_median ] ||
    fail "columns: $(head -1 "$folder/exact.csv")"
cells=$(tail -n +2 "$folder/exact.csv" | cut -d, -f1-3 | sort -u | wc -l)
[ "$cells" = "$(($(wc -l <"$folder/exact.csv") - 1))" ] ||
    fail "a cell twice"
"$program" calibrate "$folder/exact.csv" --kernel exact \
    -o "$folder/exact.profile" --csv >"$folder/parameters"
"$program" predict --device "$folder/exact.profile" --n 2^20 --k 512 --m 4 --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
(p,) = answer["predictions"]
assert abs(p["exact_us"] / (30 + 4 * 2 ** 20 * 5e-4) - 1) < 0.03, p' ||
    fail "predict by a profile of exact top-k"
pass

# The real torch, where it is here, on its CPU.
if python3 -c 'import torch' 2>/dev/null; then
    awk -F, 'NR == 1 || $1 * $5 <= 65536' "$folder/shapes.csv" >"$folder/few.csv"
    cat >"$folder/plain.py" <<'PYTHON'
import torch
def call(x, k, b, k_b):
    kept = x.view(x.shape[0], x.shape[1] // b, b).topk(k_b, dim=1).values.flatten(1)
    return kept.topk(k) if b * k_b > k else kept
PYTHON
    (cd "$folder" && CUDA_VISIBLE_DEVICES= python3 "$script" few.csv cpu.csv plain:call)
    awk -F, 'NR > 1 && !($7 > 0) { exit 1 }' "$folder/cpu.csv" ||
        fail "times on torch's CPU: $(cat "$folder/cpu.csv")"
    pass
else
    echo "SKIPPED: time_calls.py on torch's CPU: there is no torch here"
fi
finish
