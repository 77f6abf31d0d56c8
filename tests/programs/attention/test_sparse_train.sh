#!/usr/bin/env bash
# `recallmodel sparse --train-keys --save --index`: what is trained, saved and read back; threads;
# files and options that do not fit.
#
# Against: each other, byte for byte.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
small=tests/programs/attention/sparse
sparse() { "$program" sparse "$@" 2>"$folder/err"; }
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" sparse "${@:2}"
    pass
}
of_small=(--queries $small/queries.npy --keys $small/keys.npy --values $small/values.npy
    --window 16 --k 16 --clusters 8 --budget 0.3 --csv)
train=(--train-keys $small/keys.npy --train-queries $small/queries.npy)
short=(--train-width 16 --train-steps 15)
trained=(--method kmeans,kmeans-topk,saap,saap-roped)

# Threads change nothing; what was saved gives the same rows, and the same file again.
sparse "${of_small[@]}" "${trained[@]}" "${train[@]}" "${short[@]}" --threads 1 \
    --save "$folder/one.index" >"$folder/one"
[ "$(grep -c '^trained' "$folder/err")" = 4 ] || fail "stderr: $(cat "$folder/err")"
# The small tensors have no keys before RoPE, and the line says so.
[ "$(grep -c '^trained key head . after RoPE (before is not known)' "$folder/err")" = 2 ] ||
    fail "stderr: $(cat "$folder/err")"
OMP_NUM_THREADS=3 sparse "${of_small[@]}" "${trained[@]}" "${train[@]}" "${short[@]}" --threads 3 \
    --save "$folder/three.index" >"$folder/three"
same "$folder/one" "$folder/three" "three threads"
same "$folder/one.index" "$folder/three.index" "the index of three threads"
sparse "${of_small[@]}" "${trained[@]}" --index "$folder/one.index" >"$folder/read"
same "$folder/one" "$folder/read" "--index"
! prints "^trained" <"$folder/err" || fail "stderr of --index: $(cat "$folder/err")"
awk -F, 'NR > 1 && !($4 > 0) { exit 1 }' "$folder/one" || fail "a knob of 0: $(cat "$folder/one")"

# --threads holds for the training, too: the most that are there.
threads_of() { # number: of threads that are asked for, where the environment says 3
    local job now most=0
    : >"$folder/err"
    OMP_NUM_THREADS=3 "$program" sparse "${of_small[@]}" --method saap "${train[@]}" \
        --train-width 64 --train-steps 3000 --threads "$1" >"$folder/out" 2>"$folder/err" & job=$!
    until grep -q "^trained" "$folder/err" || ! kill -0 $job 2>"$folder/killed"; do
        now=$(find "/proc/$job/task" -mindepth 1 -maxdepth 1 2>"$folder/killed" | wc -l)
        most=$((now > most ? now : most))
    done
    echo $most
    kill -KILL $job 2>"$folder/killed" || true
    wait $job 2>"$folder/killed" || true
}
if [ -d /proc/self/task ]; then
    one=$(threads_of 1) three=$(threads_of 3)
    [ "$three" = $((one + 2)) ] || fail "--threads 1 trains by $one threads, 3 by $three"
    pass
else
    echo "SKIPPED: the threads of the training: there is no /proc"
fi

# Each option changes what is trained.
for option in "--train-residual" "--train-per key" "--train-sample 5" "--seed 2" "--train-steps 9" \
    "--train-width 9"; do
    read -ra words <<<"$option"
    left=("${short[@]}")
    [ "${words[0]}" = --train-steps ] && left=(--train-width 16)
    [ "${words[0]}" = --train-width ] && left=(--train-steps 15)
    sparse "${of_small[@]}" --method saap "${train[@]}" "${left[@]}" "${words[@]}" \
        --save "$folder/other.index" >"$folder/other"
    cmp -s "$folder/one.index" "$folder/other.index" && fail "$option changes nothing"
    sparse "${of_small[@]}" --method saap --index "$folder/other.index" >"$folder/read"
    same "$folder/other" "$folder/read" "--index after $option"
done

# Without other documents, the first half of the queries: a note, and half of them measured. kmeans
# then has its own partition.
sparse "${of_small[@]}" --method saap,kmeans "${short[@]}" >"$folder/half"
prints "note: .* not held out by document" <"$folder/err" || fail "no note: $(cat "$folder/err")"
prints "note: that is 4 queries .* fewer than 10 for each of 8 clusters" <"$folder/err" ||
    fail "no note: $(cat "$folder/err")"
sparse --queries $small/keys.npy --keys $small/keys.npy --window 16 --budget 0.3 --method saap \
    "${short[@]}" --clusters 4 >"$folder/out"
! prints "fewer than 10" <"$folder/err" || fail "a note: $(cat "$folder/err")"
sparse "${of_small[@]}" --method kmeans --last 4 >"$folder/own"
grep '^kmeans' "$folder/half" >"$folder/of_half"
grep '^kmeans' "$folder/own" >"$folder/of_own"
same "$folder/of_half" "$folder/of_own" "kmeans beside saap"

# A query head whose best keys are all near has nothing to train on: a note, its buckets are ranked
# as by kmeans, and the others are trained.
if /usr/bin/python3 -c 'import numpy' 2>"$folder/err"; then
    /usr/bin/python3 - "$folder" <<'END'
import sys
import numpy
random = numpy.random.default_rng(1)
keys = random.standard_normal((1, 400, 8), dtype="float32")
keys[0, :, 0] = numpy.arange(400)
queries = random.standard_normal((2, 200, 8), dtype="float32")
queries[0, :, 0], queries[1, :, 0] = -1, 1
numpy.save(f"{sys.argv[1]}/near-keys.npy", keys)
numpy.save(f"{sys.argv[1]}/near-queries.npy", queries)
END
    near=(--keys "$folder/near-keys.npy" --queries "$folder/near-queries.npy" --window 16 --csv
          --clusters 8 --budget 0.3 --per-head)
    sparse "${near[@]}" --method saap-roped --train-keys "$folder/near-keys.npy" \
        --train-queries "$folder/near-queries.npy" "${short[@]}" --save "$folder/near.index" \
        >"$folder/out"
    [ "$(grep -c "^note: query head 1 has no query to train on, .*ranked as by kmeans" \
        "$folder/err")" = 1 ] && prints "^trained key head 0 after RoPE: 200 queries" \
        <"$folder/err" || fail "stderr: $(cat "$folder/err")"
    sparse "${near[@]}" --method kmeans,saap-roped --index "$folder/near.index" >"$folder/read"
    sed 1d "$folder/out" >"$folder/rows"
    grep '^saap-roped' "$folder/read" >"$folder/of_saap"
    same "$folder/rows" "$folder/of_saap" "--index of an untrained head"
    for method in kmeans saap-roped; do # head 1: method,,1,knob,budget,visited,..
        grep "^$method,,1," "$folder/read" | cut -d, -f 3- >"$folder/of_$method"
    done
    same "$folder/of_kmeans" "$folder/of_saap-roped" "a head that was not trained"
    ! cmp -s <(grep "^kmeans,,0," "$folder/read" | cut -d, -f 3-) \
        <(grep "^saap-roped,,0," "$folder/read" | cut -d, -f 3-) || fail "head 0 is that of kmeans"
else
    echo "SKIPPED: a head without a query: there is no numpy"
fi

# ---- what does not fit
refuse "--index $folder/none cannot be read" "${of_small[@]}" --index "$folder/none" --method saap
refuse "--index README.md is not an index" "${of_small[@]}" --index README.md --method saap
{
    cat "$folder/one.index"
    echo
} >"$folder/longer"
refuse "--index $folder/longer is damaged" "${of_small[@]}" --method saap --index "$folder/longer"
head -c 200 "$folder/one.index" >"$folder/short"
refuse "--index $folder/short is damaged" "${of_small[@]}" --method saap --index "$folder/short"
refuse "has nothing for layer 3, key head 0 before RoPE" "${of_small[@]}" --layers 3 \
    --method saap --index "$folder/one.index"
sparse "${of_small[@]}" --method kmeans "${train[@]}" --save "$folder/kmeans.index" >"$folder/out"
refuse "has nothing for key head 0 of an unknown layer before RoPE" "${of_small[@]}" \
    --method saap --index "$folder/kmeans.index"
refuse "has no query model for key head 0" "${of_small[@]}" --method saap-roped \
    --index "$folder/kmeans.index"
refuse "--index and --train-keys exclude each other" "${of_small[@]}" "${train[@]}" \
    --index "$folder/one.index"
refuse "--train-queries needs --train-keys" "${of_small[@]}" \
    --train-queries $small/queries.npy
refuse "--train-keys needs --train-queries" "${of_small[@]}" \
    --train-keys $small/keys.npy
refuse "--save writes what was trained" "${of_small[@]}" --method topk --save "$folder/x"
refuse "cannot be written" "${of_small[@]}" --method kmeans "${train[@]}" --save "$folder/no/x"
refuse "--train-keys-unroped, or --rope-theta" "${of_small[@]}" --method saap "${train[@]}" \
    --keys-unroped $small/keys.npy --queries-unroped $small/queries.npy
unroped=(--keys-unroped $small/keys.npy --queries-unroped $small/queries.npy)
refuse "trained on keys after RoPE for key head 0 of an unknown layer, and here those before RoPE \
are known" "${of_small[@]}" --method saap --index "$folder/one.index" "${unroped[@]}"
sparse "${of_small[@]}" --method saap "${train[@]}" "${short[@]}" "${unroped[@]}" \
    --train-keys-unroped $small/keys.npy --train-queries-unroped $small/queries.npy \
    --save "$folder/before.index" >"$folder/out"
[ "$(grep -c '^trained key head . before RoPE:' "$folder/err")" = 2 ] ||
    fail "stderr: $(cat "$folder/err")"
refuse "trained on keys before RoPE for key head 0 of an unknown layer, and here those before \
RoPE are not known" "${of_small[@]}" --method saap --index "$folder/before.index"
turned=("${of_small[@]}" --method saap --rope-theta)
sparse "${turned[@]}" 1e4 "${train[@]}" "${short[@]}" --save "$folder/turned.index" >"$folder/out"
sparse "${turned[@]}" 1e4 --index "$folder/turned.index" >"$folder/read"
same "$folder/out" "$folder/read" "--index with the same RoPE"
refuse "was trained with another RoPE (theta 10000)" "${turned[@]}" 5e5 \
    --index "$folder/turned.index"
refuse "was trained with another RoPE (theta 10000)" "${turned[@]}" 1e4 \
    --rope-pairing interleaved --index "$folder/turned.index"
refuse "has 8 clusters for key head 0 of an unknown layer, and --clusters asks for 9" \
    "${of_small[@]/#8/9}" --method saap --index "$folder/one.index"
# What was given to the k-means of the index; without the options any will do.
refuse "was trained with at most 25 iterations for key head 0 of an unknown layer, and \
--iterations asks for 24" "${of_small[@]}" --method saap --index "$folder/one.index" --iterations 24
refuse "was trained without --spherical for key head 0 of an unknown layer, and now it is given; \
leave it out" "${of_small[@]}" --method saap --index "$folder/one.index" --spherical
sparse "${of_small[@]}" "${trained[@]}" --index "$folder/one.index" --iterations 25 >"$folder/read"
same "$folder/one" "$folder/read" "--index with its own --iterations"
sparse "${of_small[@]}" --method kmeans "${train[@]}" --spherical --save "$folder/unit.index" \
    >"$folder/one"
for more in "" --spherical; do
    sparse "${of_small[@]}" --method kmeans --index "$folder/unit.index" $more >"$folder/read"
    same "$folder/one" "$folder/read" "a spherical index $more"
done
printf 'RCMINDEX\2\0\0\0\1\0\0\0%64s' "" >"$folder/old.index"
refuse "is of version 2, but this program reads 3; train again" "${of_small[@]}" --method saap \
    --index "$folder/old.index"
refuse "--train-per 'head' is not known; give one of query, key" "${of_small[@]}" --train-per head
refuse "--train-width is at most" "${of_small[@]}" --method saap --train-width 2^21
refuse "has one query for each head" "${of_small[@]}" --method saap --last 1

# The fuzzer begins with files of this version.
version=$(sed -n 's/^#define TRAINED_VERSION //p' attention/training/trained.h)
for seed in tests/fuzz/seeds/fuzz_index/*; do
    [ "$(od -An -tu4 -j8 -N4 "$seed" | tr -d ' ')" = "$version" ] ||
        fail "$seed is of another version"
done
pass
finish
