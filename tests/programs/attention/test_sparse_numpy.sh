#!/usr/bin/env bash
# `recallmodel sparse` on tensors that NumPy makes: against attention key by key in NumPy; threads,
# MPI ranks, documents, layers, heads, bfloat16, RoPE, numbers that are none; Ctrl-C.
#
# Against: attention key by key in NumPy (`sparse_reference.py`).
#
# Slow: 7 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh
. tests/programs/attention/sparse.sh
"$python" -c "import numpy" 2>/dev/null || skip "there is no NumPy"

make_tensors() { # folder, seed, query heads, key heads, n, n_q, d, d_v, dtype, layers
    mkdir -p "$1"
    "$python" - "$@" <<'END'
import sys
import numpy
folder, dtype = sys.argv[1], sys.argv[9]
seed, heads, key_heads, n, n_q, d, d_v, layers = map(int, sys.argv[2:9] + sys.argv[10:])
normal = numpy.random.default_rng(seed).standard_normal
shapes = {"queries": (heads, n_q, d), "keys": (key_heads, n, d), "values": (key_heads, n, d_v)}
for name, shape in shapes.items():
    array = normal((layers,) * (layers > 0) + shape) * (2 if name == "queries" else 1)
    numpy.save(f"{folder}/{name}.npy", array.astype(dtype))
END
}
compare() { # what, folders of documents .., -- options ..
    local what=$1 documents=() list name options=()
    shift
    while [ "$1" != -- ]; do
        documents+=("$1")
        shift
    done
    shift
    local lists=()
    for name in queries keys values; do
        list=$(printf ",%s/$name.npy" "${documents[@]}")
        lists+=("${list:1}")
        options+=("--$name" "${list:1}")
    done
    sparse "${options[@]}" "$@" --method $baselines --csv >"$folder/csv" || fail "$what"
    local share=
    [[ " $* " != *" --share "* ]] || share=share
    "$python" tests/programs/attention/sparse_reference.py "$folder/csv" "${lists[@]}" \
        "$sink" "$window" $share >"$folder/out" 2>&1 || fail "$what: $(cat "$folder/out")"
    prints "^[1-9]" <"$folder/out" || fail "$what: nothing was compared"
    pass
}
make_tensors "$folder/a" 1 6 2 700 20 24 16 float32 0
make_tensors "$folder/b" 2 6 2 500 33 24 16 float32 0
make_tensors "$folder/c" 3 2 2 200 200 8 8 float64 0
sink=1 window=128
compare "one document" "$folder/a" -- --budget 0.01,0.2,1
compare "two documents" "$folder/a" "$folder/b" -- --budget 0.02 --k 5,64
compare "heads" "$folder/a" "$folder/b" -- --budget 0.02 --per-head
compare "shared keys" "$folder/a" -- --budget 0.02,0.3 --share
compare "shared keys, heads" "$folder/b" -- --budget 0.05 --share --per-head
sink=4 window=16
compare "every position has a query" "$folder/c" -- --budget 0.1 --sink 4 --window 16
compare "float16" $small -- --budget 0.1 --sink 4 --window 16
sink=0 window=1
compare "no sink" "$folder/c" -- --budget 0.1 --sink 0 --window 1

# JSON has the length of each document; n is null where they differ.
sparse --queries "$folder/a/queries.npy,$folder/b/queries.npy" --method topk --json \
    --keys "$folder/a/keys.npy,$folder/b/keys.npy" >"$folder/two.json"
sparse --queries "$folder/a/queries.npy" --keys "$folder/a/keys.npy" --method topk --json \
    >"$folder/one.json"
"$python" - "$folder" <<'END' || fail "JSON: n"
import json
import sys
import numpy
folder = sys.argv[1]
one, two = (json.load(open(f"{folder}/{name}.json")) for name in ("one", "two"))
n = [numpy.load(f"{folder}/{name}/keys.npy").shape[1] for name in "ab"]
n_q = [numpy.load(f"{folder}/{name}/queries.npy").shape[1] for name in "ab"]
assert n[0] != n[1], n
assert one["n"] == one["n_min"] == one["n_max"] == n[0] and one["n_q"] == n_q[0], one
assert two["n"] is None and (two["n_min"], two["n_max"]) == (min(n), max(n)), two
assert two["n_q"] == (n_q[0] if n_q[0] == n_q[1] else None)
assert two["documents"] == 2 and two["files"] == [
    dict(keys=f"{folder}/{name}/keys.npy", n=x, n_q=y) for name, x, y in zip("ab", n, n_q)]
END
pass

# --last leaves out queries, and nothing else.
"$python" - "$folder" <<'END'
import sys
import numpy
folder = sys.argv[1]
queries = numpy.load(f"{folder}/a/queries.npy")
numpy.save(f"{folder}/last.npy", queries[:, -7:])
# The same numbers as layers 0 and 1, layer 1 twice as large, and as bfloat16.
for name in ("queries", "keys", "values"):
    array = numpy.load(f"{folder}/a/{name}.npy")
    numpy.save(f"{folder}/{name}4.npy", numpy.stack([array, 2 * array]))
    numpy.save(f"{folder}/{name}2.npy", 2 * array)
    numpy.save(f"{folder}/{name}1of4.npy", array[None])
    if name == "keys":
        broken = numpy.stack([array, array])
        broken[1, 0, 3, 2] = numpy.nan
        numpy.save(f"{folder}/nan4.npy", broken)
    upper = (array.view(numpy.uint32) >> 16).astype(numpy.uint16)
    numpy.save(f"{folder}/{name}16.npy", upper)
    numpy.save(f"{folder}/{name}32.npy", (upper.astype(numpy.uint32) << 16).view(numpy.float32))
END
read -ra of_a <<<"$(tensors_of "$folder/a") --method $baselines --csv"
sparse "${of_a[@]}" --last 7 >"$folder/one"
sparse "${of_a[@]:2}" --queries "$folder/last.npy" >"$folder/two"
same "$folder/one" "$folder/two" "--last"

# bfloat16 is read as what it stands for.
numbered() { # number: the tensors of that name
    echo "--queries $folder/queries$1.npy --keys $folder/keys$1.npy --values $folder/values$1.npy"
}
sparse $(numbered 16) --dtype bf16 --method $baselines --csv >"$folder/one"
sparse $(numbered 32) --method $baselines --csv >"$folder/two"
same "$folder/one" "$folder/two" "bfloat16"

# Four axes: layer 0 is dense unless it is said otherwise. A layer is that of a file of its own.
sparse $(numbered 4) --method topk --csv >"$folder/one"
sparse $(numbered 2) --layers 1 --method topk --csv >"$folder/two"
same "$folder/one" "$folder/two" "layer 1 of four axes"
heads=(--dense-layers none --method topk --budget 0.05,0.2 --per-head --csv)
sparse $(numbered 4) "${heads[@]}" >"$folder/out"
sparse "${of_a[@]:0:6}" --layers 0 "${heads[@]}" >"$folder/two"
{ sed -n 1p "$folder/out"; grep "^topk,0," "$folder/out"; } >"$folder/one"
same "$folder/one" "$folder/two" "layer 0 of four axes"
[ "$(grep -c "^topk,1," "$folder/out")" = 12 ] || fail "rows of layer 1"
sparse $(numbered 4) --method topk --per-head --csv --budget 0.05 | grep "^topk,0,0," |
    awk -F, '{ exit !($7 > 0.98 && $10 > 1 - 1e-9 && $13 < 1e-12) }' || fail "a dense layer"
sparse $(numbered 4) --method topk |
    prints "2 of 4 key heads belong to --dense-layers, which read all keys;" ||
    fail "no note on dense layers"
refuse "--layers has 1 numbers, and the files have 2 layers" $(numbered 4) --layers 5
refuse "--layers has 2 twice" $(numbered 4) --layers 2,2
refuse "nan4.npy: layer 1 of the file, head 0, position 3 has a NaN" --keys "$folder/nan4.npy" \
    --queries "$folder/queries4.npy" --method topk
refuse "which leaves no layer for the methods; give the layer's number with --layers" \
    $(numbered 1of4)
refuse "or give --dense-layers none" "${of_a[@]:0:6}" --layers 0
sparse "${of_a[@]:0:6}" --layers 5 --method topk --csv >"$folder/one"
sparse $(numbered 1of4) --layers 5 --method topk --csv >"$folder/two"
same "$folder/one" "$folder/two" "one layer of four axes"
refuse "has 4 axes, and --keys" --queries "$folder/queries4.npy" --keys "$folder/a/keys.npy"
pass

# The same bits for any number of threads, by all methods; and by MPI.
every=($(tensors_of "$folder/a") --budget 0.1 --tables 20 --clusters 16 --csv)
for threads in 1 2 3; do
    sparse "${every[@]}" --threads $threads >"$folder/threads$threads"
done
same "$folder/threads1" "$folder/threads2" "1 and 2 threads"
same "$folder/threads1" "$folder/threads3" "1 and 3 threads"
if has_mpi; then
    for ranks in 1 3; do
        timeout -k 5 60 mpirun --oversubscribe -n $ranks "$mpi" sparse "${every[@]}" \
            >"$folder/out" 2>"$folder/err" ||
            fail "$ranks ranks: $(sed -n 1,3p "$folder/err")"
        same "$folder/threads1" "$folder/out" "$ranks ranks"
    done
fi

# RoPE: removed from keys and queries, it gives those that were there before; the methods that want
# these then do as with the files.
"$python" - "$folder" <<'END'
import sys
import numpy
folder = sys.argv[1]
d, theta = 24, 5000.0
for name, last in (("queries", 20), ("keys", 700)):
    x = numpy.load(f"{folder}/a/{name}.npy").astype(float)
    angle = numpy.arange(700 - last, 700)[:, None] * theta**(-2 * numpy.arange(d // 2) / d) / 4
    a, b = x[..., 0::2], x[..., 1::2]
    y = numpy.empty_like(x)
    y[..., 0::2] = a * numpy.cos(angle) - b * numpy.sin(angle)
    y[..., 1::2] = a * numpy.sin(angle) + b * numpy.cos(angle)
    numpy.save(f"{folder}/{name}-roped.npy", y.astype(numpy.float32))
END
roped=(--queries "$folder/queries-roped.npy" --keys "$folder/keys-roped.npy"
       --values "$folder/a/values.npy" --method kmeans-unroped --clusters 8 --budget 0.2)
sparse "${roped[@]}" --keys-unroped "$folder/a/keys.npy" --queries-unroped \
    "$folder/a/queries.npy" >"$folder/one"
rope=(--rope-theta 5000 --rope-pairing interleaved --rope-scaling linear:4)
sparse "${roped[@]}" "${rope[@]}" >"$folder/two"
same "$folder/one" "$folder/two" "RoPE removed"
sparse "${roped[@]}" "${rope[@]}" --keys-unroped "$folder/a/keys.npy" >"$folder/two"
same "$folder/one" "$folder/two" "RoPE removed from the queries"
sparse "${roped[@]}" --rope-theta 5000 >"$folder/out"
cmp -s "$folder/one" "$folder/out" && fail "another RoPE gives the same"
pass

# Numbers that are none, by file, head and position; also where only one of many is.
for case in "queries 3 5 nan a.NaN" "keys 1 650 inf an.infinity" "values 0 7 -inf an.infinity"; do
    read -r name head row value word <<<"$case"
    "$python" - "$folder" $name $head $row $value <<'END'
import sys
import numpy
folder, name, head, row, value = sys.argv[1:]
array = numpy.load(f"{folder}/a/{name}.npy")
array[int(head), int(row), 2] = float(value)
numpy.save(f"{folder}/bad.npy", array)
END
    bad=()
    for other in queries keys values; do
        path=$folder/a/$other.npy
        [ $other != $name ] || path=$folder/bad.npy
        bad+=("--$other" "$path")
    done
    refuse "bad.npy: head $head, position $row has ${word/./ }; give finite numbers" "${bad[@]}"
done
"$python" -c "import numpy; numpy.save('$folder/bad.npy', numpy.full((2, 700, 24), 1e300))"
refuse "has a number beyond those of float32" --keys "$folder/bad.npy" --queries \
    "$folder/a/queries.npy"
"$python" -c "import numpy; numpy.save('$folder/bad.npy', numpy.zeros((2, 700)))"
refuse "has 2 axes; give [heads, n, d]" --keys "$folder/bad.npy" --queries "$folder/a/queries.npy"
"$python" -c "import numpy; numpy.save('$folder/bad.npy', numpy.zeros((2, 0, 24)))"
refuse "--keys $folder/bad.npy" --keys "$folder/bad.npy" --queries "$folder/a/queries.npy"
"$python" -c "import numpy; numpy.save('$folder/bad.npy', numpy.full((2, 700, 24), 3e38, 'f'))"
refuse "overflow in query head 0" --keys "$folder/bad.npy" --queries "$folder/a/queries.npy"
make_tensors "$folder/e" 5 2 1 64 64 7 8 float32 0
refuse "RoPE turns pairs of components" $(tensors_of "$folder/e") --window 8 --rope-theta 1e4

# Ctrl-C prints the methods that are done, and ends with status 130.
make_tensors "$folder/long" 6 32 8 6000 64 64 64 float32 0
long=($(tensors_of "$folder/long") --method topk,bucketed,sparq,random --budget 0.01:0.01:0.5)
default_signals "$program" sparse "${long[@]}" --json >"$folder/out" 2>"$folder/err" & job=$!
until_it_listens $job 2 || fail "no handler of SIGINT"
sleep 0.3
kill -INT $job
status=0; wait_for $job 60 || status=$?
[ $status = 130 ] && prints '"partial": true' <"$folder/out" && prints '"rows"' <"$folder/out" ||
    fail "Ctrl-C: status $status, $(cat "$folder/err")"
pass
finish
