#!/usr/bin/env bash
# recallmodel-mpi topk: exact top-k over ranks, with the bits of one process.
#
# Against: one process; NumPy's order of values, then positions.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
has_mpi || exit 0
export OMP_NUM_THREADS=1
ranks() { # COUNT ARGUMENT ..
    local count=$1
    shift
    if [ "$count" = 1 ]; then
        timeout 100 "$program" topk "$@"
    else
        timeout 100 mpirun --oversubscribe -n "$count" "$mpi" topk "$@" \
            2>"$folder/err"
    fi
}
field() { # NAME
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$folder/out"
}

# Every kind of row, and every way to deal: the same values and positions as one process.
case ${CASES:-all} in
few) counts="3" ;;
*) counts="2 3 5 8" ;;
esac
for rows in "--input iid" "--input ties" "--input sorted --runs" "--input constant --deal 7" \
    "--input ar1 --rho 0.99 --runs"; do
    # shellcheck disable=SC2086
    ranks 1 --n 5003 --k 300 --rows 20 $rows --json >"$folder/out" || fail "one process: $rows"
    want=$(field checksum)
    [ ${#want} = 16 ] || fail "no checksum: $rows"
    for count in $counts; do
        # shellcheck disable=SC2086
        ranks "$count" --n 5003 --k 300 --rows 20 $rows --json >"$folder/out" ||
            fail "$count ranks: $rows: $(cat "$folder/err")"
        [ "$(field checksum)" = "$want" ] || fail "$count ranks: $rows: other bits"
        [ "$(field ranks)" = "$count" ] || fail "$count ranks: $(field ranks)"
        passed=$((passed + 1))
    done
done

# All of the top k in one part: every row needs the second round, and all parts but one none.
ranks 3 --n 6000 --k 300 --rows 20 --input sorted --runs --json >"$folder/out" || fail "sorted"
[ "$(field rows_unproved)" = 20 ] || fail "sorted: $(field rows_unproved) rows not proved"
[ "$(field bytes_second)" -gt 0 ] || fail "sorted: no second round"
# Elements that are dealt out one by one: about as many as expected, here .2 of 200.
ranks 3 --n 6000 --k 300 --rows 200 --json >"$folder/out" || fail "iid"
[ "$(field rows_unproved)" -le 8 ] || fail "iid: $(field rows_unproved) rows not proved"
passed=$((passed + 2))

# A file with NaN, infinities and ties, in each type.
python=${PYTHON:-/usr/bin/python3}
if "$python" -c 'import numpy' 2>/dev/null; then
    for type in float16 float32 float64; do
        "$python" - "$folder" $type <<'END'
import sys

import numpy

folder, type = sys.argv[1:]
rng = numpy.random.default_rng(3)
x = numpy.round(rng.standard_normal((30, 700)), 1).astype(type) + 0  # no -0, which is below +0
x[::3][rng.random((10, 700)) < .9] = numpy.nan
x[1::3, :40] = numpy.inf
x[2::3, ::7] = -numpy.inf
numpy.save(f"{folder}/rows.npy", x)
bad = numpy.isnan(x)
order = numpy.lexsort((numpy.broadcast_to(numpy.arange(700), x.shape),
                       -numpy.where(bad, 0, x), bad), axis=1)[:, :90]
numpy.savetxt(f"{folder}/want", order, "%d")
END
        for count in 1 $counts; do
            ranks "$count" --file "$folder/rows.npy" --k 90 --indices "$folder/got" >/dev/null ||
                fail "$type, $count ranks: $(cat "$folder/err")"
            cmp -s "$folder/want" "$folder/got" || fail "$type, $count ranks: other positions"
            passed=$((passed + 1))
        done
    done
fi

# What is wrong is said once, and the status is 2.
refused() { # TEXT ARGUMENT ..
    local text=$1 status=0
    shift
    "$program" topk "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && [ ! -s "$folder/out" ] &&
        grep -qF -- "$text" "$folder/err" || fail "$*: status $status: $(cat "$folder/err")"
    passed=$((passed + 1))
}
refused "--k is missing"
refused "--n is missing" --k 4
refused "--send 3 from each of 1 ranks are fewer than k = 4" --k 4 --n 9 --send 3
refused "--k 9 is larger than n = 8" --k 9 --n 8
refused "--file and --n exclude" --k 9 --n 8 --file "$folder/rows.npy"
refused "--file $folder/none.npy" --k 9 --file "$folder/none.npy"
refused "more than the 30 rows" --k 9 --file "$folder/rows.npy" --rows 31
finish
