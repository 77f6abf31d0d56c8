#!/usr/bin/env bash
# `recallmodel sparse`: against attention key by key in NumPy; threads, MPI ranks, documents,
# layers, heads, bfloat16, RoPE; bad input, Ctrl-C, closed pipes, full disks.
#
# Against: attention key by key in NumPy (`sparse_reference.py`).
#
# Slow: 7 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh
small=tests/programs/attention/sparse
python=
for name in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$name" -c "import numpy" 2>/dev/null || python=$name
done
same() { # file, file, what
    cmp -s "$1" "$2" || fail "$3: $(diff "$1" "$2" | sed -n 1,5p)"
    pass
}
tensors_of() { # folder: the options that name its tensors
    echo "--queries $1/queries.npy --keys $1/keys.npy --values $1/values.npy"
}
sparse() { "$program" sparse "$@"; }
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" sparse "${@:2}"
    pass
}
read -ra of_small <<<"$(tensors_of $small) --window 16 --k 16"
baselines=topk,random,streaming,full

# ---- without NumPy

# CSV and JSON have the same rows; at the full budget nothing is lost.
sparse "${of_small[@]}" --method $baselines --budget 0.1,1 --csv >"$folder/csv" 2>"$folder/err"
[ ! -s "$folder/err" ] || fail "stderr: $(cat "$folder/err")"
[ "$(wc -l <"$folder/csv")" = 9 ] || fail "rows of CSV: $(wc -l <"$folder/csv")"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["budget"] == 1 && $at["method"] != "streaming" {
        full++
        if ($at["mass"] < 1 - 1e-6 || $at["error"] > 1e-12 || $at["recall"] != 1) exit 1
    }
    $at["time_us"] != "" || $at["imbalance"] != "" { exit 1 }
    END { exit full != 3 }' "$folder/csv" || fail "a full budget: $(cat "$folder/csv")"

# JSON is UTF-8: of another name of a file it shows the other letters.
cp $small/keys.npy "$folder/k"$'\xff'".npy"
sparse --queries $small/queries.npy --keys "$folder"/k*.npy --values $small/values.npy \
    --method full --json | prints "\"keys\": \"$folder/k?.npy\"" || fail "a name that is not UTF-8"
rm "$folder"/k*.npy
pass
pass
sparse "${of_small[@]}" --method $baselines --budget 0.1,1 --json >"$folder/json"
[ "$(grep -c '"method"' "$folder/json")" = 8 ] && prints '"partial": false' <"$folder/json" &&
    prints '"time_us": null' <"$folder/json" || fail "JSON: $(sed -n 1,20p "$folder/json")"
pass

# Without values the error is not known, and everything else is the same.
sparse "${of_small[@]:0:4}" "${of_small[@]:6}" --method $baselines --budget 0.1,1 \
    --csv >"$folder/out"
cut -d, -f 1-7,10-12 "$folder/csv" >"$folder/one"
cut -d, -f 1-7,10-12 "$folder/out" >"$folder/two"
same "$folder/one" "$folder/two" "without --values"
[ "$(cut -d, -f 13 "$folder/out" | sort -u | tr '\n' ' ')" = " error " ] || fail "an error, unknown"
sparse "${of_small[@]:0:4}" --method topk |
    prints "Without --values the error of the output is not known" ||
    fail "no note on the error"
pass

columns() { # file, names ..: these columns of a CSV
    local file=$1
    shift
    awk -F, -v names="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        { m = split(names, name, " "); for (i = 1; i <= m; i++) printf "%s ", $at[name[i]]
          print "" }' "$file"
}

# The text fits 100 columns, and says what is best; several k have a column.
sparse "${of_small[@]:0:8}" --k 1,16 --budget 0.05,0.2 >"$folder/out"
LC_ALL=C awk 'length > 100 { exit 1 }' "$folder/out" || fail "a line of more than 100 bytes"
answer="The least loss at each budget, of the methods that read less than all the keys"
prints "$answer" <"$folder/out" ||
    fail "no answer: $(sed -n 1,5p "$folder/out")"
prints "^ *budget *method *knob *visited *of full *mass *k *recall *error" <"$folder/out" ||
    fail "no column of k: $(cat "$folder/out")"
pass

# A method that nothing fits the budget of is not the answer; the dense part alone may be.
sparse "${of_small[@]}" --method quest --budget 0.01,0.2 >"$folder/out"
prints "^ *20 %  quest " <"$folder/out" || fail "no answer: $(cat "$folder/out")"
prints "^ *1 %  quest " <"$folder/out" && fail "nothing is visited: $(cat "$folder/out")"
sparse "${of_small[@]}" --method quest,streaming --budget 0.01 | prints "^ *1 %  streaming " ||
    fail "the dense part is no answer"
pass

# With --share full attention reads the keys once for both heads, too: topk does not win by that.
sparse "${of_small[@]}" --method topk,full --budget 0.2 --share >"$folder/out"
prints "$answer" <"$folder/out" && fail "topk reads no less than all the keys: $(cat "$folder/out")"
prints "full .* 100.0 % " <"$folder/out" || fail "all keys are not 100 %: $(cat "$folder/out")"
pass

# Needles of generated tensors: exact top-k reads them, and the dense part alone does not.
if "$program" tensors --generate "$folder/made" --n 700 --n-q 9 --d 16 --query-heads 2 --needles 2 \
    >"$folder/out" 2>&1; then
    read -ra made <<<"$(tensors_of "$folder/made")"
    sparse "${made[@]}" --needles "$folder/made/needles.csv" --method topk,streaming --budget 0.2 \
        --csv >"$folder/csv"
    columns "$folder/csv" needle_found >"$folder/out"
    awk 'NR == 2 && $1 != 1 || NR == 3 && !($1 < 1) { exit 1 } END { exit NR != 3 }' \
        "$folder/out" || fail "needles: $(cat "$folder/csv")"
    # Of a query that --last leaves out, a needle does not count.
    printf 'query_head,query,key\n1,0,300\n1,8,0\n' >"$folder/needles.csv"
    few=("${made[@]}" --method streaming --budget 0.2 --csv --needles "$folder/needles.csv")
    sparse "${few[@]}" >"$folder/csv"
    columns "$folder/csv" needle_found | prints "^0.5 $" || fail "needles: $(cat "$folder/csv")"
    sparse "${few[@]}" --last 8 >"$folder/csv"
    columns "$folder/csv" needle_found | prints "^1 $" || fail "needles: $(cat "$folder/csv")"
    pass
    for case in "2,0,300 1" "1,9,300 8" "1,0,700 699" "1,-1,0 8" "1,,0 8"; do
        read -r line most <<<"$case"
        printf 'query_head,query,key\n%s\n' "$line" >"$folder/needles.csv"
        refuse "is not a whole number from 0 to $most" "${few[@]}"
    done
    printf 'head,query,key\n' >"$folder/needles.csv"
    refuse "has no column query_head" "${few[@]}"
    refuse "--needles has 2 files, and --keys has 1" "${made[@]}" --needles a.csv,b.csv
else
    fail "tensors --generate: $(cat "$folder/out")"
fi

# Without keys before RoPE, a note in every form, and no such method by default.
for form in "" --csv --json; do
    sparse "${of_small[@]}" --method kmeans-unroped --clusters 8 --budget 0.2 $form \
        >"$folder/out" 2>"$folder/err"
    prints "^note: keys before RoPE are not known" <"$folder/err" || fail "no note on RoPE, $form"
done
unroped=(--keys-unroped $small/keys.npy --queries-unroped $small/queries.npy)
for given in 0 2 4; do
    sparse "${of_small[@]}" "${unroped[@]:0:$given}" --tables 20 --clusters 8 --budget 0.2 --csv \
        >"$folder/out" 2>"$folder/err" || [ $given = 2 ] || fail "default methods"
    [ $given = 2 ] || [ ! -s "$folder/err" ] || fail "a note on RoPE: $(cat "$folder/err")"
    [ "$(grep -c "^kmeans-unroped," "$folder/out")" = $((given / 4)) ] ||
        fail "kmeans-unroped by default, of $given words"
done
pass

# A picture, of the error or of the mass.
if command -v gnuplot >/dev/null; then
    for values in "${of_small[*]:4:2}" ""; do
        sparse "${of_small[@]:0:4}" "${of_small[@]:6}" $values --method topk,quest,full \
            --budget 0.1,0.2 --plot "$folder/plot.svg" >"$folder/out"
        prints "topk" <"$folder/plot.svg" || fail "--plot: $(sed -n 1,3p "$folder/plot.svg")"
        label="squared error of the output"
        [ -n "$values" ] || label="softmax mass lost"
        prints "$label" <"$folder/plot.svg" || fail "--plot: no label '$label'"
    done
    pass
else
    echo "SKIPPED: --plot: there is no gnuplot"
fi

# ---- bad input: one line that names the option
refuse "--queries is missing" --keys $small/keys.npy
refuse "--keys is missing" --queries $small/queries.npy
refuse "--keys nowhere.npy cannot be opened" --queries $small/queries.npy --keys nowhere.npy
refuse "--values has 2 files, and --keys has 1" "${of_small[@]:0:4}" \
    --values $small/values.npy,$small/values.npy
refuse "has an empty path" --queries a.npy,, --keys b.npy
refuse "--values $small/queries.npy has 4 heads, and --keys $small/keys.npy has 2" \
    "${of_small[@]:0:4}" --values $small/queries.npy
refuse "--queries $small/values.npy has 4 components in its last axis" \
    --queries $small/values.npy --keys $small/keys.npy
refuse "2 heads, which is not a multiple of the 4" --queries $small/keys.npy \
    --keys $small/queries.npy
refuse "--last 9 is more than the 8 queries" "${of_small[@]}" --last 9
refuse "--sink 1 and --window 255 cover all of the 256 keys" "${of_small[@]:0:6}" --window 255
refuse "--budget '0' is outside (0, 1]" "${of_small[@]}" --budget 0
refuse "--budget '1.5' is outside (0, 1]" "${of_small[@]}" --budget 1.5
refuse "--method 'frob' is not known; give one of full, streaming, random, topk" \
    "${of_small[@]}" --method topk,frob
refuse "--keys-unroped is given without --queries-unroped; give both, or --rope-theta" \
    "${of_small[@]}" --keys-unroped $small/keys.npy
refuse "--queries-unroped is given without --keys-unroped; give both, or --rope-theta" \
    "${of_small[@]}" --queries-unroped $small/queries.npy
refuse "--layers 'a' is not a list of layers" "${of_small[@]}" --layers a
refuse "--layers has 2 numbers, and the files have 1 layers" "${of_small[@]}" --layers 3,4
refuse "--rope-scaling is a parameter of RoPE; give --rope-theta too" \
    "${of_small[@]}" --rope-scaling linear:4
refuse "--rope-scaling 'yarn:4' is not known" "${of_small[@]}" --rope-theta 1e4 \
    --rope-scaling yarn:4
refuse "--rope-theta '1' is not above 1" "${of_small[@]}" --rope-theta 1
refuse "RoPE is scaled by a factor that is below 1" "${of_small[@]}" --rope-theta 1e4 \
    --rope-scaling linear:0.5
refuse "--dtype 'f32' is not known" "${of_small[@]}" --dtype f32
refuse "--threads 5000 is too many" "${of_small[@]}" --threads 5000
refuse "--element-bytes 17 is too large" "${of_small[@]}" --element-bytes 17
refuse "--components is" "${of_small[@]}" --components 9 --method sparq

# ---- readers that go away, and full disks
many=("${of_small[@]}" --method topk --budget 0.003:0.003:0.999 --per-head)
for format in "" --json --csv; do
    status=0
    sparse "${of_small[@]}" --method topk $format >/dev/full 2>"$folder/err" || status=$?
    [ $status = 1 ] && prints "could not be written: No space left" <"$folder/err" ||
        fail "a full disk, $format: status $status"
    (status=$("$program" sparse "${many[@]}" $format \
         2>"$folder/err" | {
         read -r _ || true
         exec <&-
         sleep 0.1
     }; echo "${PIPESTATUS[0]}")
     [ "$status" = 141 ] || fail "a closed pipe, $format: status $status")
    [ ! -s "$folder/err" ] || fail "a closed pipe, $format: $(cat "$folder/err")"
    pass
done

if [ -z "$python" ]; then
    echo "SKIPPED: the comparison with NumPy: there is no Python with numpy"
    finish
fi

# ---- with NumPy
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
mpi=$build/recallmodel-mpi
if [ -n "${SANITIZE:-}" ]; then
    echo "SKIPPED: MPI under the sanitizers (Open MPI leaks by itself)"
elif [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "SKIPPED: MPI: recallmodel-mpi was not built, or there is no mpirun"
else
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
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
