#!/usr/bin/env bash
# The loop on a CPU: bench, calibrate --kernel cpu, predict, select, --device this. Times are only
# looked at to be there: what is checked is that each step takes what the one before wrote.
#
# Against: what each step reads and leaves out; parameters behind made-up times.
#
# Slow: 13 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
unsanitized "test_cpu_bench and test_command_calibrate run its steps under them"
export XDG_CONFIG_HOME="$folder/config"
number() { python3 -c 'import json, sys; print(json.load(sys.stdin)'"$1"')'; }

# Without a measurement, one line says how to make one.
if "$program" select --device this --n 4096 --k 64 >"$folder/out" 2>"$folder/stderr"; then
    fail "--device this without a profile"
fi
[ "$(wc -l <"$folder/stderr")" = 1 ] || fail "no profile: $(cat "$folder/stderr")"
prints "recallmodel tune --n N --k K --m M" <"$folder/stderr" || fail "how to measure"
XDG_CONFIG_HOME=relative HOME=relative "$program" bench --calibrate --grid cpu-tiny \
    >/dev/null 2>"$folder/stderr" && fail "a folder that is not known"
prints "set XDG_CONFIG_HOME" <"$folder/stderr" || fail "no folder: $(cat "$folder/stderr")"
"$program" bench --calibrate --grid nothing >/dev/null 2>&1 && fail "a grid that is not known"
[ ! -e "$folder/config/recallmodel/cpu.profile" ] || fail "a profile without runs"
pass

# bench --calibrate leaves runs and a profile, which --device this reads.
"$program" bench --calibrate --grid cpu-tiny >"$folder/out" 2>"$folder/stderr" ||
    fail "bench --calibrate: $(cat "$folder/stderr")"
runs=$folder/config/recallmodel/cpu.csv profile=$folder/config/recallmodel/cpu.profile
[ -f "$runs" ] && [ ! -e "$folder/config/recallmodel/cpu-part.csv" ] || fail "the runs"
prints "^kernel = cpu" <"$profile" || fail "the profile"
prints "^dtype = f32" <"$profile" || fail "the type of the profile"
"$program" select --device this --n 3000 --k 40 --m 2 --recall 0.9 --json >"$folder/select"
prints '"deploy": "' <"$folder/select" || fail "select --device this"
prints 'recallmodel.topk(x, 40' <"$folder/select" || fail "no call for this CPU"
# A stored profile of another CPU is used, and said to be of another one.
profile=$XDG_CONFIG_HOME/recallmodel/cpu.profile
if grep -q '^card = ' "$profile"; then
    "$program" select --device this --n 3000 --k 40 2>"$folder/stderr" >/dev/null
    [ ! -s "$folder/stderr" ] || fail "its own CPU: $(cat "$folder/stderr")"
    sed -i.kept 's/^card = .*/card = Another CPU, family 1, model 2/' "$profile"
    "$program" select --device this --n 3000 --k 40 2>"$folder/stderr" >/dev/null
    prints "the stored profile is of Another CPU, family 1, model 2, but this machine is" \
        <"$folder/stderr" ||
        fail "another CPU: $(cat "$folder/stderr")"
    mv "$profile.kept" "$profile"
fi
"$program" select --device cpu-epyc-zen4 --n 2^16 --k 64 --recall 0.5 >"$folder/select"
prints '^  device  ' <"$folder/select" && fail "a CPU by its whole name is what was asked for"
cp "model/time/profiles/cpu_epyc_zen4_f32.profile" "$folder/zen4.profile"
prints 'recallmodel.topk(x, 64' <"$folder/select" || fail "the call of select for a CPU"
# A CPU by the beginning of its name, or by a file, says if it is not this one.
for device in cpu-epyc "$folder/zen4.profile"; do
    "$program" select --device "$device" --n 2^16 --k 64 --recall 0.5 >"$folder/begun"
    sed '/^  device  /,+1d' "$folder/begun" | cmp - "$folder/select" ||
        fail "$device: $(cat "$folder/begun")"
    this=$(sed -n 's/^card = //p' "$profile")
    if [ -n "$this" ] && [ "$this" != "AMD EPYC, family 25, model 17" ]; then
        prints "^  device .* is not this CPU, which recallmodel tune measures" <"$folder/begun" ||
            fail "$device does not say that it is another CPU: $(cat "$folder/begun")"
    fi
done
rejects "'cpu-none' is not known, and no other card answers for it" \
    "$program" select --device cpu-none --n 9 --k 2
prints 'PyTorch' <"$folder/select" && fail "select shows a CPU a call of another library"
"$program" select --device H100-PCIe --n 2^16 --k 64 >"$folder/select"
prints 'recallmodel.topk' <"$folder/select" && fail "the call for a CPU stands beside a GPU"
"$program" select --device H100-PCIe --n 2^16 --k 64 --json >"$folder/select"
prints 'its time is not predicted' <"$folder/select" ||
    fail "the call of NumPy beside a GPU does not say that its time is not predicted"
"$program" predict --device this --n 3000 --k 40 --b 100 --kb 2 --m 2 --json >"$folder/predict"
prints '"predicted_us"' <"$folder/predict" || fail "predict --device this"
pass

# On a CPU two ways compete, because its exact top-k is by threshold; the call runs what was chosen
# with as many threads as the time is of. A kernel and a device of two kinds are refused.
ask() { "$program" select --device "$@" >"$folder/select" 2>&1 || fail "select $*"; }
for question in "2^17 500 1 0.5" "2^20 1024 1 0.9" "128256 50 1 0.99" "4096 64 256 0.99"; do
    read -r n k m recall <<<"$question"
    shape=(cpu-epyc-zen4 --n "$n" --k "$k" --m "$m" --recall "$recall")
    ask "${shape[@]}"
    prints 'threshold' <"$folder/select" && fail "a threshold beside exact top-k: $question"
    ask "${shape[@]}" --json
    [ "$(number '["threshold"]' <"$folder/select")" = None ] || fail "threshold in JSON: $question"
    number '["usage"].keys()' <"$folder/select" |
        prints "^dict_keys(\['pytorch', \('numpy', \)\?'exact', 'cpu'\])$" ||
        fail "calls of a CPU: $question: $(number '["usage"].keys()' <"$folder/select")"
    python3 - "$folder/select" <<'PYTHON' || fail "deploy and call of $question"
import json, sys
answer = json.load(open(sys.argv[1]))
exact = answer["deploy"] == "exact"
assert answer["verdict"] == ("exact" if exact else "buckets"), answer["verdict"]
assert exact or answer["over_exact"] < 1, answer["headline"]
assert exact == (answer["recall_target"] > 0.5), "buckets win at a recall of .5"
assert ("b=" in answer["usage"]["cpu"]) == (not exact), answer["usage"]["cpu"]
assert "threads=1)" in answer["usage"]["cpu"], answer["usage"]["cpu"]
start = "Use exact top-k, recallmodel: " if exact else "Use buckets, b = "
assert answer["headline"].startswith(start), answer["headline"]
PYTHON
done
ask cpu-epyc-zen4 --n 2^20,2^16 --k 1024
prints 'threshold' <"$folder/select" && fail "a column for the threshold"
ask cpu-epyc-zen4 --n 2^20 --k 1024 --recall 0.999 --exact-us 1e6
prints "^Use exact top-k, recallmodel: " <"$folder/select" ||
    fail "the library's exact top-k beside one's own: $(cat "$folder/select")"
ask cpu-epyc-zen4 --n 2^20 --k 64 --verbose
prints 'CUDA\|JAX (TPU)\|pytorch-approx-topk' <"$folder/select" && fail "calls of a GPU for a CPU"
"$program" select --kernel cpu --n 2^20 --k 64 |
    prints '^Next: time them here: recallmodel tune --n 1048576 --k 64 --m 1 --recall 0.95' ||
    fail "a CPU without a profile"
rejects "--kernel ours runs on a GPU, but --device cpu-epyc-zen4 is a CPU; leave one of them out" \
    "$program" select --device cpu-epyc-zen4 --kernel ours --n 4096 --k 64
rejects "--kernel cpu runs on a CPU, but --device H100-PCIe is a GPU; leave one of them out" \
    "$program" select --device H100-PCIe --kernel cpu --n 4096 --k 64
pass

# calibrate takes the warm rows, buckets and exact top-k, of one type.
"$program" calibrate "$runs" --kernel cpu --json >"$folder/fit"
[ "$(number '["runs"]' <"$folder/fit")" = \
    "$(grep -c '^two-stage,auto,float32,.*,warm,' "$runs")" ] ||
    fail "runs of two stages"
[ "$(number '["exact_runs"]' <"$folder/fit")" = \
    "$(grep -c '^exact,threshold,float32,.*,warm,' "$runs")" ] || fail "runs of exact top-k"
awk -F, -v OFS=, '/^two-stage/ { $3 = "int8"; print; $3 = "float32"; $12 = "cold"
    for (i = 1; i <= NF; i++) if (i == time) $i = 1e6; print } !/^two-stage/ { print }
    /^work/ { for (i = 1; i <= NF; i++) if ($i == "time_us_median") time = i }' "$runs" \
    >"$folder/other.csv"
# another instruction set, and another exact top-k in front
awk -F, -v OFS=, '/^work/ { for (i = 1; i <= NF; i++) { if ($i == "isa") isa = i
            if ($i == "time_us_median") time = i } print; next }
    /^exact/ && !n++ { kept = $0; $2 = "quickselect"; $time = 1e6; print; $0 = kept }
    { print }
    /^(exact|two-stage)/ { $isa = "another"; $time = 1e6; last[++rows] = $0 }
    END { for (i = 1; i <= rows; i++) print last[i] }' "$runs" >"$folder/mixed.csv"
cat "$folder/mixed.csv" <(grep '^two-stage' "$folder/other.csv") >"$folder/more.csv"
"$program" calibrate "$folder/more.csv" --kernel cpu --json >"$folder/fit-more"
[ "$(number '["parameters"]' <"$folder/fit-more")" = \
    "$(number '["parameters"]' <"$folder/fit")" ] ||
    fail "rows of int8, cold, of another kernel or instruction set change the fit"
[ "$(number '["left_out_rows"]' <"$folder/fit-more")" -gt 0 ] || fail "rows are left out"
# exact top-k is among the configurations from which each model chooses
"$program" calibrate "$runs" --kernel cpu --cross-validate >"$folder/report"
prints 'With exact top-k among the configurations, in the [1-9]' <"$folder/report" ||
    fail "the report leaves exact top-k out: $(cat "$folder/report")"
"$program" calibrate "$runs" --kernel cpu --cross-validate --json >"$folder/fit"
[ "$(number '["regret_each_left_out_with_exact"]["calibrated"]["cells"]' <"$folder/fit")" -gt 0 ] ||
    fail "no cells with exact top-k"
pass

# The parameters come back from times that they predict.
python3 - "$folder/exact.csv" <<'PYTHON'
import sys
with open(sys.argv[1], "w") as out:
    out.write("work,n,k,b,k_b,m,threads,time_us_median\n")
    for i in range(6):
        n = 65536 << i
        for k in (16, 64, 256):
            us = 0.5 + n * 7e-5 + 3.0 + k * 0.01
            out.write(f"exact,{n},{k},1,1,1,1,{us}\n")
            for b in (1024, 4096):
                us = 0.5 + n * 5e-5 + b * 3e-3
                if b >= 64 * k:
                    us += b * 7e-5 + k * 0.01
                else:
                    us += 3.0 + b * 7e-3 + k * 0.02
                out.write(f"two-stage,{n},{k},{b},1,1,1,{us}\n")
PYTHON
"$program" calibrate "$folder/exact.csv" --kernel cpu --dtype f32 --csv >"$folder/parameters"
for expected in scan_us:5e-5 keep_us:3e-3 dense_us:7e-3 collect_us:2e-2; do
    awk -F, -v name="${expected%:*}" -v value="${expected#*:}" \
        '$1 == name { found = 1; if ($2 < 0.97 * value || $2 > 1.03 * value) exit 1 }
        END { if (!found) exit 1 }' "$folder/parameters" ||
        fail "$expected: $(cat "$folder/parameters")"
done
pass
finish
