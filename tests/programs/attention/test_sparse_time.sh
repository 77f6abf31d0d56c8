#!/usr/bin/env bash
# `recallmodel sparse --time`: that the columns are there and fit together. No time is compared with
# a limit.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
unsanitized "times mean nothing under them"
. tests/signals.sh
export OMP_NUM_THREADS=1
made=$folder/made
"$program" tensors --generate "$made" --n 1500 --d 16 --heads 1 --query-heads 2 --n-q 4 \
    >"$folder/out"
call=(sparse --keys "$made/keys.npy" --queries "$made/queries.npy" --rope-theta 5e5
      --method streaming,topk,kmeans --budget .05,.2 --clusters 8)
values=(--values "$made/values.npy")

"$program" "${call[@]}" "${values[@]}" --json >"$folder/untimed.json"
"$program" "${call[@]}" "${values[@]}" --time warm --json >"$folder/timed.json"
"$program" sparse "${call[@]:1:6}" "${values[@]}" --method topk --budget .1 --time cold --per-head \
    --csv >"$folder/heads.csv"
"$program" "${call[@]}" "${values[@]}" --time warm >"$folder/text"
/usr/bin/python3 - "$folder" <<'EOF' || fail "the times do not fit together"
import csv, json, sys
folder = sys.argv[1]
def rows(name):
    answer = json.load(open(f"{folder}/{name}.json"))
    return next(v for v in answer.values() if isinstance(v, list) and v and "method" in v[0])
timed, untimed = rows("timed"), rows("untimed")
assert len(timed) == len(untimed) == 6 and all(r["time_us"] is None for r in untimed)
heads = list(csv.DictReader(open(f"{folder}/heads.csv")))
assert len(heads) == 2 and {r["head"] for r in heads} == {"0", "1"}
for r in timed + [{k: float(v) if k.endswith("us") or k in ("ratio", "left", "pays_below",
                                                              "selectivity") and v else v
                   for k, v in h.items() if v != ""} for h in heads]:
    assert 0 < r["assign_us"] < r["time_us"]
    assert r["time_low_us"] <= r["time_us"] <= r["time_high_us"]
    assert abs(r["ratio"] - r["time_full_us"] / r["time_us"]) < 1e-9 * r["ratio"]
    assert abs(r["left"] / r["ratio"] / r["selectivity"] - 1) < .02, r
    assert (r.get("index_us") or 0) > 0 if r["method"] == "kmeans" else not r.get("index_us")
    assert 0 <= r["pays_below"] <= 1
for a, b in zip(timed, untimed):
    assert all(a[k] == b[k] for k in b if k not in ("time_us", "knob")), (a, b)
EOF
grep -q "speed-" "$folder/text" || fail "$(cat "$folder/text")"
pass

# What is timed visits keys where the row does. lsh-argmax-query hashes the queries of all
# positions.
for n in 300 600; do
    "$program" tensors --generate "$folder/$n" --n $n --d 16 --heads 1 --query-heads 2 \
        --n-q $((n == 600 ? 300 : 4)) >"$folder/out"
done
"$program" sparse --keys "$folder/300/keys.npy" --queries "$folder/600/queries.npy" \
    --values "$folder/300/values.npy" --method topk,lsh-argmax-query --window 16 --budget .2 \
    --bits 3 --chunk 8 --time warm --csv >"$folder/all.csv"
/usr/bin/python3 - "$folder/all.csv" <<'EOF' || fail "what is timed visits other keys"
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    timed = float(r["left"]) / float(r["ratio"])
    # The last queries see all keys, and visit about as many as the mean.
    assert timed > 17 / 300 + .3 * float(r["visited"]) > 17 / 300, (r["method"], timed, r)
EOF
pass

# With --share both query heads choose at once, and both rows of a head are timed on them.
"$program" sparse "${call[@]:1:6}" "${values[@]}" --method topk --budget .1 --time warm --per-head \
    --share --csv >"$folder/shared.csv"
/usr/bin/python3 - "$folder/shared.csv" <<'EOF' || fail "--share --time"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 2 and all(float(r["time_us"]) > float(r["assign_us"]) > 0 for r in rows)
EOF
pass

# Ctrl-C between rows that are timed: what was measured is printed, without the times that lack.
# The measurement itself takes milliseconds here, and the times with a cold cache a minute or so.
# On a busy machine the measurement takes longer, too, and has to be done when the signal comes.
rows=0
for seconds in 1 4 15; do
    default_signals "$program" sparse --keys "$folder/300/keys.npy" --method topk --window 16 \
        --queries "$folder/300/queries.npy" --values "$folder/300/values.npy" --time cold \
        --per-head --budget .001:.001:1 --json >"$folder/stopped" 2>"$folder/err" & job=$!
    until_it_listens $job 2 || fail "no handler of SIGINT"
    sleep $seconds
    kill -INT $job
    status=0
    wait_for $job 20 || status=$?
    [ $status = 130 ] || fail "stopped: status $status: $(cat "$folder/err")"
    rows=$(grep -c '"method"' "$folder/stopped" || true)
    [ "$rows" != 2000 ] || break
done
prints '"partial": true' <"$folder/stopped" && prints '"time_us": null' <"$folder/stopped" &&
    prints '"ratio": null' <"$folder/stopped" && [ "$rows" = 2000 ] || fail "stopped: rows"
pass

# The times on a device, by the formula; 8 multiprocessors, one microsecond a launch.
"$program" "${call[@]}" --device h100-sxm --multiprocessors 8 --launch-us 1 --json >"$folder/device"
"$program" "${call[@]}" --device h100-sxm --launch-us 1 --share --json >"$folder/share"
/usr/bin/python3 - "$folder" <<'EOF' || fail "the times on a device are not those of the formula"
import json, sys
for name, shares in (("device", 8), ("share", 0)):
    answer = json.load(open(f"{sys.argv[1]}/{name}"))
    rows = next(v for v in answer.values() if isinstance(v, list) and v and "method" in v[0])
    for row in rows:
        # 16 components of a key and of a value, 2 bytes each; two query heads.
        bucket = (row["largest_bucket"] or 0) * 64 * shares
        us = 3 + max(row["bytes_read"] * 2, bucket) / 3.35e6
        assert abs(row["device_us"] / us - 1) < 1e-12, row
        full = answer["full_bytes"] * (1 if shares else 2) # a key head, which both read at once
        assert abs(row["device_full_us"] / (2 + full / 3.35e6) - 1) < 1e-12
    assert any(row["largest_bucket"] for row in rows)
EOF
# A batch: centroids of other documents are read once for all its sequences, everything else by each
# of them. Two query heads; 8 centroids of 16 components. A launch takes what the profile says.
shared=(--method kmeans,topk --train-keys "$made/keys.npy" --train-queries "$made/queries.npy"
        --device h100-pcie --json)
for batch in 1 4; do
    "$program" "${call[@]:0:5}" --budget .2 --clusters 8 "${shared[@]}" --batch $batch \
        >"$folder/batch-$batch"
done
"$program" "${call[@]:0:5}" --method kmeans --budget .2 --clusters 8 --batch 4 --json \
    >"$folder/own-4"
/usr/bin/python3 - "$folder" <<'EOF' || fail "the bytes of a batch"
import json, sys
def rows(name):
    answer = json.load(open(f"{sys.argv[1]}/{name}"))
    return {r["method"]: r for r in
            next(v for v in answer.values() if isinstance(v, list) and v and "method" in v[0])}
one, four, own = rows("batch-1"), rows("batch-4"), rows("own-4")
weights = 8 * 16 * 2
assert one["kmeans"]["knob"] > 0
assert abs(one["kmeans"]["index_bytes"] - four["kmeans"]["index_bytes"] - .75 * weights) < 1e-9
assert one["topk"]["bytes_read"] == four["topk"]["bytes_read"]
assert own["kmeans"]["index_bytes"] > weights # its own centroids are shared with none
for answer, batch in ((one, 1), (four, 4)):
    for row in answer.values():
        us = 3 * 2.19516 + row["bytes_read"] * 2 * batch / 2.04e6
        assert abs(row["device_us"] / us - 1) < 1e-5, (row, us)
EOF
rejects "--batch '0'" "$program" "${call[@]}" --batch 0
pass

rejects "--multiprocessors needs --device" "$program" "${call[@]}" --multiprocessors 8
rejects "--launch-us 'x' is not a time" "$program" "${call[@]}" --device h200 --launch-us x
pass

rejects "--time needs --values" "$program" "${call[@]}" --time cold
rejects "--time 'hot'" "$program" "${call[@]}" "${values[@]}" --time hot
rejects "--time 'cold,warm' is not known" "$program" "${call[@]}" "${values[@]}" --time cold,warm
pass
finish
