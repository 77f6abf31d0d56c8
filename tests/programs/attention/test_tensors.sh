#!/usr/bin/env bash
# `recallmodel tensors`: generated files against NumPy, its properties read back from the files,
# wrong input, a full disk, Ctrl-C.
#
# Against: NumPy; one thread and three.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
python=/usr/bin/python3
export OMP_NUM_THREADS=1
made=$folder/made
small=(--n 1500 --d 16 --heads 2 --query-heads 4 --n-q 10 --rope-theta 1e4 --seed 5)

# What is printed of generated tensors is what is printed of their files.
files=(--keys "$made/keys.npy" --queries "$made/queries.npy" --values "$made/values.npy")
before=(--keys-unroped "$made/keys-unroped.npy" --queries-unroped "$made/queries-unroped.npy")
"$program" tensors --generate "$made" "${small[@]}" --needles 3 --csv >"$folder/generated.csv"
"$program" tensors "${files[@]}" "${before[@]}" --csv >"$folder/read.csv"
"$program" tensors "${files[@]}" --rope-theta 1e4 --csv >"$folder/removed.csv"
"$program" tensors "${files[@]}" "${before[@]}" --json >"$folder/read.json"
"$program" tensors "${files[@]}" >"$folder/read.txt"
[ "$(cut -d, -f1-3 "$folder/generated.csv")" = "$(cut -d, -f1-3 "$folder/read.csv")" ] ||
    fail "the files do not have the properties that were printed"
[ "$(find "$made" -type f | wc -l)" = 6 ] || fail "other files: $(ls -A "$made")"
grep -q "2 heads of 1500 keys of 16 components; 4 heads of 10 queries" "$folder/read.txt" ||
    fail "$(cat "$folder/read.txt")"
pass

if "$python" -c 'import numpy' 2>/dev/null; then
    "$python" - "$folder" <<'EOF' || fail "NumPy says otherwise"
import csv, json, sys
import numpy as np
folder = sys.argv[1]
load = lambda name: np.load(f"{folder}/made/{name}.npy")
k, q, v, ku, qu = map(load, ("keys", "queries", "values", "keys-unroped", "queries-unroped"))
assert k.shape == v.shape == ku.shape == (2, 1500, 16) and k.dtype == np.dtype("<f4")
assert q.shape == qu.shape == (4, 10, 16)

def rope(x, first):
    angle = (first + np.arange(x.shape[1]))[:, None] * 1e4 ** (-np.arange(8) / 8)
    a, b = x[..., :8].astype(float), x[..., 8:].astype(float)
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle),
                           a * np.sin(angle) + b * np.cos(angle)], -1)

assert np.abs(rope(ku, 0) - k).max() < 1e-5 * np.abs(k).max()
assert np.abs(rope(qu, 1490) - q).max() < 1e-5 * np.abs(q).max()

rows = {r["property"]: float(r["value"]) for r in csv.DictReader(open(f"{folder}/read.csv"))}
errors = {r["property"]: float(r["stderr"]) for r in csv.DictReader(open(f"{folder}/read.csv"))}
sinks = np.empty((4, 10))
tops = np.empty((4, 10))
needle = {}
for h in range(4):
    logits = q[h].astype(float) @ k[h // 2].astype(float).T / 4
    for i in range(10):
        seen = np.exp(logits[i, :1491 + i] - logits[i].max())
        sinks[h, i] = seen[0] / seen.sum()
        tops[h, i] = np.sort(seen)[-256:].sum() / seen.sum()
        needle[h, i] = seen / seen.sum()
for name, values in (("sink_mass", sinks), ("top_256", tops)):
    heads = values.reshape(2, -1).mean(1)
    assert abs(rows[name] - heads.mean()) < 1e-5, (name, rows[name], heads.mean())
    assert abs(errors[name] - heads.std(ddof=1) / 2 ** .5) < 1e-5, name
norms = np.linalg.norm(k[:, 1:], axis=-1)
assert abs(rows["key_norm"] / norms.mean() - 1) < 1e-5

removed = {r["property"]: float(r["value"]) for r in csv.DictReader(open(f"{folder}/removed.csv"))}
# (k-means may take another way where a float is rounded otherwise.)
assert all(abs(removed[p] - rows[p]) < (.05 if "clustered" in p else 1e-3) * abs(rows[p])
           for p in rows), removed

needles = list(csv.DictReader(open(f"{folder}/made/needles.csv")))
assert len(needles) == 6
for n in needles:
    h, i, key, mass = int(n["query_head"]), int(n["query"]), int(n["key"]), float(n["mass"])
    assert h // 2 == int(n["key_head"]) and abs(needle[h, i][key] - mass) < 1e-4 and mass > .49

answer = json.load(open(f"{folder}/read.json"))
assert [answer[x] for x in ("n", "n_q", "d", "heads", "query_heads")] == [1500, 10, 16, 2, 4]
assert {p["property"]: p["value"] for p in answer["properties"]} == rows
EOF
    pass
else
    echo "SKIPPED: no NumPy; the files were not compared with it"
fi

# The same bits for any number of threads, and for a folder that is there already.
cp -r "$made" "$folder/first"
OMP_NUM_THREADS=3 "$program" tensors --generate "$made" "${small[@]}" --needles 3 >"$folder/out"
diff -r "$made" "$folder/first" || fail "another number of threads, other tensors"
pass

# Wrong input.
generate=(tensors --generate "$folder/none")
rejects "--queries is missing" "$program" tensors
rejects "--queries is missing" "$program" tensors --keys "$made/keys.npy"
rejects "exclude each other" "$program" "${generate[@]}" --keys "$made/keys.npy"
rejects "--run needs --generate" "$program" tensors "${files[@]}" --run 3
rejects "--n needs --generate" "$program" tensors "${files[@]}" --n 3
rejects "--d 15 is not an even number" "$program" "${generate[@]}" --d 15
rejects "--n 1 is not from 2" "$program" "${generate[@]}" --n 1
rejects "--n-q 200 is not from 1" "$program" "${generate[@]}" --n 200 --n-q 200
rejects "--query-heads 3 is not a multiple of --heads 2" \
    "$program" "${generate[@]}" --heads 2 --query-heads 3
rejects "--sink-mass '1' is not a number in its range; give one from 0 to 0.99" \
    "$program" "${generate[@]}" --sink-mass 1
rejects "--clusters '1.5' is not a whole number" "$program" "${generate[@]}" --clusters 1.5
rejects "--heavy 'nan'" "$program" "${generate[@]}" --heavy nan
rejects "--needles 200 is more" "$program" "${generate[@]}" --n 1000 --needles 200
rejects "--rope-theta '1' is not above 1" "$program" "${generate[@]}" --rope-theta 1
rejects "with --rope-pairing half" \
    "$program" "${generate[@]}" --rope-pairing interleaved
rejects "--generate $folder/out is not a folder" "$program" tensors --generate "$folder/out"
rejects "of memory" "$program" "${generate[@]}" --n 2^30 --d 4096
rejects "--queries" "$program" tensors --keys "$made/queries.npy" --queries "$made/keys.npy"
[ ! -e "$folder/none" ] || fail "a refused command made a folder"
pass

# A disk that is full, here by the limit on the size of a file: one line, status 1, nothing left.
status=0
(ulimit -f 64; trap '' XFSZ
 exec "$program" tensors --generate "$folder/full" --n 20000 --d 16 --n-q 4) \
    >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 1 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] &&
    grep -q "could not be written in full" "$folder/err" ||
    fail "a full disk: status $status, $(cat "$folder/err")"
[ -z "$(ls -A "$folder/full")" ] || fail "a full disk: it leaves $(ls -A "$folder/full")"
pass

# Ctrl-C: status 130, one line, nothing left.
. tests/signals.sh
default_signals "$program" tensors --generate "$folder/stopped" --n 3000000 --d 64 \
    >"$folder/out" 2>"$folder/err" &
child=$!
until_it_listens $child 2 || fail "it has no handler for SIGINT"
kill -INT $child
status=0
wait_for $child 60 || status=$?
[ $status = 130 ] && [ -z "$(ls -A "$folder/stopped")" ] &&
    grep -q "interrupted; nothing was written" "$folder/err" ||
    fail "Ctrl-C: status $status, $(cat "$folder/err"), $(ls -A "$folder/stopped")"
pass
finish
